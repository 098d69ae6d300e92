"""The fitted stumps: what they are, and the scores they give.

A margin is a whole number of ticks of 2⁻⁴⁰. Every step that a stump adds is rounded to ticks, so
a margin is the same to the last bit however its steps are added up: round by round, feature by
feature, or in parts of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

TICK = 2.0**-40

# The stump says `polarity` where x > threshold and −polarity elsewhere. `alpha` is the paper's
# α_t, before β; `step` is what was added to the margin. An empty round has feature −1, polarity 0.
STUMP_DTYPE = np.dtype(
    [
        ("feature", np.int64),
        ("threshold", np.float64),
        ("polarity", np.int64),
        ("alpha", np.float64),
        ("error", np.float64),
        ("step", np.float64),
    ]
)

Array = NDArray[Any]


def in_ticks(step: float) -> int:
    """Return ``step`` as a whole number of ticks, rounded to the nearest."""
    return round(step / TICK)


class StepFunctions(NamedTuple):
    """The stumps of each feature, added up to one step function.

    The function of ``features[j]`` takes, at a value above exactly m of its thresholds
    ``thresholds[start[j]:start[j + 1]]``, the value ``values[start[j] + j + m]``, in ticks.
    """

    features: Array
    start: Array
    thresholds: Array
    values: Array


def step_functions(stumps: Array) -> StepFunctions:
    """Add up the stumps of each feature.

    The cost of a prediction then depends on the features that are used, and not on the number of
    rounds: below all thresholds a feature contributes −Σ polarity · step, and each threshold that
    a value exceeds turns one −polarity into a polarity, which is 2 · polarity · step more.
    """
    live = stumps[stumps["polarity"] != 0]
    live = live[np.lexsort((live["threshold"], live["feature"]))]
    votes = live["polarity"] * np.array([in_ticks(step) for step in live["step"]], dtype=np.int64)
    features, start = np.unique(live["feature"], return_index=True)
    start = np.append(start, live.size)
    values = np.concatenate(
        [
            np.cumsum(np.concatenate([[-votes[a:b].sum()], 2 * votes[a:b]]))
            for a, b in zip(start[:-1], start[1:], strict=True)
        ]
        or [np.zeros(0, dtype=np.int64)]
    )
    return StepFunctions(features, start, live["threshold"].copy(), values)


def decision_values(X: Array, stumps: Array, n_threads: int, cutoff: float = 0.0) -> Array:
    """Return H − ``cutoff`` of each row of ``X``, where H is its margin."""
    from adapu._scoring import score  # numba is imported when it is needed

    return (score(X, step_functions(stumps), n_threads) - in_ticks(cutoff)) * TICK


def staged_decision_values(
    X: Array, stumps: Array, cutoffs: Array | float = 0.0
) -> Iterator[Array]:
    """Yield H − cutoff after each round; a round may have its own cutoff."""
    ticks = np.zeros(X.shape[0], dtype=np.int64)
    for stump, cutoff in zip(stumps, np.broadcast_to(cutoffs, stumps.shape), strict=True):
        if stump["polarity"]:
            vote = int(stump["polarity"]) * in_ticks(stump["step"])
            ticks += np.where(X[:, stump["feature"]] > stump["threshold"], vote, -vote)
        yield (ticks - in_ticks(cutoff)) * TICK


def feature_importances(stumps: Array, n_features: int) -> Array:
    """Return Σ α of each feature's stumps, as shares of the whole."""
    live = stumps[stumps["polarity"] != 0]
    total = np.bincount(live["feature"], weights=live["alpha"], minlength=n_features)
    return total / total.sum() if live.size else total
