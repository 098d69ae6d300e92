"""Quantile cuts: at most 255 thresholds between the distinct values of a feature."""

from __future__ import annotations

import math

import numpy as np

from adapu._model import Array

MAX_CUTS = 255  # codes of 8 bits

# A cumulative weight so near to a level, as a share of the whole, reaches it: the two may differ by
# the rounding of a sum alone, and equal weights shall cut where no weights do.
TOLERANCE = 1e-12


def quantile_cuts(values: Array, sample_weight: Array) -> Array:
    """Return the cuts of one feature, ascending, in the dtype of ``values``.

    With at most 256 distinct values there is a cut between any two neighbours. With more, the
    cuts lie where the cumulative weight reaches j / 256 of the whole, j = 1, ..., 255.

    >>> quantile_cuts(np.array([1.0, 3.0, 3.0, 4.0]), np.ones(4))
    array([2. , 3.5])
    """
    if sample_weight.dtype == np.uint8:  # every row weighs 1: sorting the values alone is quicker
        ordered = np.sort(values)
        last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), ordered.size - 1)
        cumulative = last + 1
    else:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), ordered.size - 1)
        cumulative = _running_sums(sample_weight[order])[last]
    distinct = ordered[last]
    if distinct.size <= MAX_CUTS + 1:
        return _between(distinct[:-1], distinct[1:])
    levels = (np.arange(1, MAX_CUTS + 1) / (MAX_CUTS + 1) - TOLERANCE) * cumulative[-1]
    below = np.unique(np.searchsorted(cumulative, levels))
    below = below[below < distinct.size - 1]
    return _between(distinct[below], distinct[below + 1])


def _running_sums(weights: Array) -> Array:
    """Return the cumulative sums, in two steps: rounding then grows with the root of their number.

    One after the other, a million equal weights are off by more than the tolerance.
    """
    side = math.isqrt(weights.size - 1) + 1
    square = np.zeros((side, side))
    square.reshape(-1)[: weights.size] = weights
    square = square.cumsum(axis=1)
    square[1:] += square[:-1, -1].cumsum()[:, None]
    sums: Array = square.reshape(-1)[: weights.size]
    return sums


def _between(lower: Array, upper: Array) -> Array:
    """Return thresholds with ``lower <= threshold < upper``: the midpoints where these fit."""
    with np.errstate(over="ignore"):
        middle = lower + (upper - lower) / 2
    middle = np.where(np.isfinite(middle), middle, lower / 2 + upper / 2)
    return np.where((lower <= middle) & (middle < upper), middle, lower)
