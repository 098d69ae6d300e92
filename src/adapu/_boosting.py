"""Algorithm 1: the loop, what it writes down, and why it stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from adapu._model import STUMP_DTYPE, TICK, Array, in_ticks
from adapu._search import Stump, Weights, find_stump, group_weights
from adapu._thresholds import Thresholds
from adapu.backends._interface import Backend, Totals

# An error of 0 would give α = ∞; at this floor it is 11.5.
ERROR_FLOOR = 1e-10

# So many steps of at most 11.52 fit into the 63 bits of a margin of 2⁻⁴⁰ ticks.
MAX_ROUNDS = 700_000

# Z and E are stated as they are while e^{max|H|} is far from overflow, and scaled beyond.
PLAIN_LOG_SCALE = 300.0

# Z and E belong to the weights with which the round began, times e^{−log_scale}; the cutoff, losses
# and rates to the classifier after the round.
HISTORY_DTYPE = np.dtype(
    [
        ("Z", np.float64),
        ("E", np.float64),
        ("log_scale", np.float64),
        ("error", np.float64),
        ("nn_error", np.float64),
        ("cutoff", np.float64),
        ("zero_one_loss", np.float64),
        ("nn_zero_one_loss", np.float64),
        ("positives_called_positive", np.float64),
        ("unlabeled_called_negative", np.float64),
    ]
)

CUTOFFS = ("zero", "prior")

ALL_ROUNDS = "n_estimators reached"
NO_WEIGHT = "total weight not positive"
NO_STUMP = "no admissible stump"
NO_PROGRESS = "no better on held-out rows"
NO_TRAINING_PROGRESS = "no better on training rows"


class Patience(NamedTuple):
    """Early stopping: how many rounds without progress are borne, and what counts as progress."""

    n_iter_no_change: int
    tol: float

    def is_over(self, losses: Sequence[float]) -> bool:
        """Whether none of the last losses is below the one before them by more than `tol`."""
        n = self.n_iter_no_change
        return len(losses) > n and bool(min(losses[-n:]) >= losses[-n - 1] - self.tol)


class Boosted(NamedTuple):
    """What the loop leaves: one stump and one line of history a round, and why it ended."""

    stumps: Array
    history: Array
    stop_reason: str
    validation_loss: Array | None  # by round, the PU loss on the rows held out, if there are any


def boost(
    backend: Backend,
    thresholds: Thresholds,
    *,
    prior: float,
    normalization: str,
    n_estimators: int,
    learning_rate: float,
    cutoff: str = "zero",
    patience: Patience | None = None,
    on_round: Callable[[Array], None] = lambda line: None,
) -> Boosted:
    """Run AdaPU on the rows that ``backend`` holds.

    ``patience`` is lost over the held-out rows if the backend has some, else over the training
    rows. ``on_round`` is called with each round's line of history.
    """
    stumps = np.zeros(n_estimators, STUMP_DTYPE)
    history = np.zeros(n_estimators, HISTORY_DTYPE)
    weights = group_weights(backend.totals(), prior)
    validation_loss: list[float] = []
    stop_reason, n_rounds = ALL_ROUNDS, 0
    for t in range(n_estimators):
        if weights.Z <= 0:
            stop_reason = NO_WEIGHT
            break
        stump = find_stump(backend, thresholds.draw(t), weights, prior, normalization)
        if stump is None and thresholds.fixed:
            stop_reason = NO_STUMP
            break
        stumps[t] = stump_record(stump, learning_rate)
        backend.advance(stumps[: t + 1])
        cut = backend.margin_cut(prior) if cutoff == "prior" else 0
        totals = backend.totals(cut)
        history[t] = history_record(weights, stump, cut, totals, prior)
        if backend.holds_out:
            held_out = backend.held_out_called_positive(cut)
            validation_loss.append(zero_one_losses(held_out, prior)[1])
        n_rounds = t + 1
        on_round(history[t])
        watched = validation_loss or history["nn_zero_one_loss"][:n_rounds].tolist()
        if patience and patience.is_over(watched):
            stop_reason = NO_PROGRESS if backend.holds_out else NO_TRAINING_PROGRESS
            break
        before, weights = weights, group_weights(totals, prior)
        if normalization == "over-all" and weights.Z <= weights.rounding:
            weights = weights._replace(Z=expected_Z(before, stump, stumps[t], weights.log_scale))
    return Boosted(
        stumps[:n_rounds].copy(),
        history[:n_rounds].copy(),
        stop_reason,
        np.array(validation_loss) if backend.holds_out else None,
    )


def stump_record(stump: Stump | None, learning_rate: float) -> tuple[float, ...]:
    """Return the stump with its α_t = ½ ln((1 − error) / error) and its step βα_t."""
    if stump is None:
        return -1, math.nan, 0, 0.0, math.nan, 0.0
    error = max(stump.error, ERROR_FLOOR)
    alpha = 0.5 * math.log((1 - error) / error)
    step = in_ticks(learning_rate * alpha) * TICK
    return stump.feature, stump.threshold, stump.polarity, alpha, stump.error, step


def expected_Z(before: Weights, stump: Stump | None, record: Array, log_scale: float) -> float:
    """Return the total weight after a round by the identity (Z − E) e^{−βα} + E e^{βα}.

    With over-all normalisation E/Z is in [0, ½), so Z stays positive for ever. Yet it is what
    remains of weights that nearly cancel, and once it is lost in their rounding, this still has it.
    """
    E = stump.E if stump else before.Z / 2
    change = before.log_scale - log_scale
    Z = (before.Z - E) * math.exp(change - record["step"]) + E * math.exp(change + record["step"])
    return max(Z, math.ulp(0.0))


def history_record(
    weights: Weights,
    stump: Stump | None,
    cut: int,
    after: Totals,
    prior: float,
) -> tuple[float, ...]:
    """Return the round's line of history: its weights before, and the losses after it."""
    log_scale = weights.log_scale if weights.log_scale > PLAIN_LOG_SCALE else 0.0
    factor = math.exp(weights.log_scale - log_scale)
    # an empty round abstains: half of the weight is wrong, and Z stays what it is
    E, error, nn_error = (
        (stump.E, stump.error, stump.nn_error) if stump else (weights.Z / 2, math.nan, math.nan)
    )
    loss, nn_loss = zero_one_losses(after.called_positive, prior)
    return (
        weights.Z * factor,
        E * factor,
        log_scale,
        error,
        nn_error,
        cut * TICK,
        loss,
        nn_loss,
        after.called_positive[0],
        1 - after.called_positive[1],
    )


def zero_one_losses(called_positive: Array, prior: float) -> tuple[float, float]:
    """Return the unbiased and the non-negative PU zero-one loss.

    They follow from the shares of P and of U that are called positive.
    """
    positives_right, unlabeled_taken = (float(share) for share in called_positive)
    missed = prior * (1 - positives_right)
    # the errors on negatives: those of U less those of the positives hidden in it
    false_alarms = unlabeled_taken - prior * positives_right
    return missed + false_alarms, missed + max(0.0, false_alarms)
