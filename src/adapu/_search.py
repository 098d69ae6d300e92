"""Algorithm 2: the errors of all candidate stumps, and the choice among them.

A stump that is positive on one side of a threshold makes mistakes on three groups: it misses
the 𝒫⁺ outside its side, and takes in the 𝒫⁻ and 𝒰⁻ inside. Let f = (f₊, f₋, f_u) be the shares of
the groups' weights W = (W₊, W₋, W_u) that it has wrong, W₋ being negative and Z = W₊ + W₋ + W_u.
Everything is linear in f::

    E = W · f
    error = c · f          nn-error = c₋ f₋ + c_u f_u
    over-all:   c = W / Z
    per-group:  c = (π, −π, 1)

The entries of c add up to 1. So turning a stump around, which turns f into 1 − f, turns E into
Z − E, the error into 1 − error, and the nn-error into c₋ + c_u − nn-error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adapu._model import Array
from adapu.backends._interface import Backend, Candidates, Totals

NORMALIZATIONS = ("per-group", "over-all")

# Sums of floats decide these by accident unless something is allowed for their rounding.
TOLERANCE = 1e-12

# What the same formula may differ by when its terms are added up in another order.
ROUNDING = 1e-15


class Weights(NamedTuple):
    """The weights of the three groups at the start of a round, all times e^{−log_scale}."""

    total: Array  # W₊, W₋ (negative) and W_u
    Z: float  # their sum Z_t
    rounding: float  # sums of weights that differ by no more are equal
    log_scale: float


class Stump(NamedTuple):
    """The chosen stump."""

    feature: int
    threshold: float
    polarity: int
    E: float
    error: float
    nn_error: float


def group_weights(totals: Totals, prior: float) -> Weights:
    """Put the groups' weights on one scale, with their factors π, −π and 1."""
    log_scale = float(totals.log_scale.max())
    factors = np.array([prior, -prior, 1.0]) * np.exp(totals.log_scale - log_scale)
    total = factors * totals.weight
    rounding = TOLERANCE * float(np.abs(total).sum())
    return Weights(total, float(total.sum()), rounding, log_scale)


def error_coefficients(weights: Weights, prior: float, normalization: str) -> Array:
    """Return c, what the error charges for each group's share of mistakes."""
    if normalization == "over-all":
        return weights.total / weights.Z
    return np.array([prior, -prior, 1.0])


class Mistakes(NamedTuple):
    """E, error and nn-error of both stumps at each threshold, shape (2, ...).

    On the first axis, the stump that is positive at x ≤ v comes before the one positive at x > v.
    """

    E: Array
    error: Array
    nn_error: Array


def mistakes(above: Array, weights: Weights, c: Array) -> Mistakes:
    """Return the mistakes of the stumps, from the groups' shares ``above`` the thresholds."""
    f = 1.0 - above[0], above[1], above[2]  # of the stumps that are positive at x > v
    W = weights.total
    E, error, nn_error = np.empty((3, 2, *above.shape[1:]))
    E[1] = W[0] * f[0] + W[1] * f[1] + W[2] * f[2]
    nn_error[1] = c[1] * f[1] + c[2] * f[2]
    error[1] = c[0] * f[0] + nn_error[1]
    E[0] = weights.Z - E[1]
    error[0] = 1.0 - error[1]
    nn_error[0] = c[1] + c[2] - nn_error[1]
    return Mistakes(E, error, nn_error)


def admissible(candidates: Mistakes) -> Array:
    """Whether the error is in [0, ½) and the nn-error not negative, but for rounding."""
    return (
        (candidates.error >= -TOLERANCE)
        & (candidates.error < 0.5 - TOLERANCE)
        & (candidates.nn_error >= -TOLERANCE)
    )


def find_stump(
    backend: Backend, candidates: Candidates, weights: Weights, prior: float, normalization: str
) -> Stump | None:
    """Return the admissible stump with the least E, or None if there is no admissible one.

    Values of E that differ by rounding alone tie, and the lowest feature wins, then the lowest k,
    then the stump that is positive at x ≤ v. Over-all errors are shares of Z: where Z is lost in
    rounding they mean nothing, and no stump is admissible.
    """
    if normalization == "over-all" and weights.Z <= weights.rounding:
        return None
    c = error_coefficients(weights, prior, normalization)
    features, ks = _contenders(backend, candidates, weights, c)
    if not features.size:
        return None
    found = mistakes(backend.exact_sums(candidates, features, ks).shares(), weights, c)
    E = np.where(admissible(found), found.E, np.inf)
    if np.isinf(E).all():
        return None
    first = np.argmax(E.T <= E.min() + weights.rounding)
    j, side = divmod(int(first), 2)
    return Stump(
        feature=int(features[j]),
        threshold=float(candidates.thresholds(features[j : j + 1], ks[j : j + 1])[0]),
        polarity=1 if side else -1,
        E=float(found.E[side, j]),
        error=max(float(found.error[side, j]), 0.0),
        nn_error=max(float(found.nn_error[side, j]), 0.0),
    )


def _contenders(
    backend: Backend, candidates: Candidates, weights: Weights, c: Array
) -> tuple[Array, Array]:
    """Return feature and k of the candidates that may be the best, in the order of the search.

    The backend's quick sums are off by at most their slack. Whatever that leaves open is kept:
    a candidate that may be admissible and whose E may be as low as the best that surely is.
    """
    from adapu._screening import screen  # numba is imported when it is needed

    sums = backend.sums(candidates)
    # two values of E that are off by their slack each, and tie within the rounding
    E_room = 2 * (np.abs(weights.total) @ sums.slack + weights.rounding)
    rooms = np.abs(c) @ sums.slack, np.abs(c[1:]) @ sums.slack[1:], E_room
    found = np.empty(candidates.points.size, np.int64)
    lowest = np.empty(candidates.points.size)
    n_found, bound = screen(
        *(sums.above, sums.unit, candidates.n_valid),
        *(weights.total, weights.Z, c, TOLERANCE),
        *(np.array(rooms) + ROUNDING, found, lowest),
    )
    numbers = found[:n_found][lowest[:n_found] <= bound]
    return np.divmod(numbers, candidates.points.shape[1])
