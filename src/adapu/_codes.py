"""Columns as codes: the number of a feature's cuts below each value.

A strategy lays cuts c₀ ≤ c₁ ≤ … through each feature, and a value's code is how many of them lie
below it. So x > c_j is the same as code(x) > j, exactly, and a backend that keeps codes compares
them with whole numbers j, the points, and needs no value again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adapu._model import Array

MAX_CODES = 2**16


class Grid:
    """65,536 equal steps of an interval per feature: a value's code is its step, exactly.

    Parameters
    ----------
    start, width : ndarray of shape (n_features,)
        The intervals, in float64. Values before them have the first code, values beyond them the
        last. Where ``width`` is ∞ no value exceeds any cut.
    dtype : dtype
        That of the values. A cut is a value: cut j is the largest with at most j whole steps below
        it, j = 0, …, 65,534.
    """

    n_codes = MAX_CODES
    code_dtype: np.dtype[Any] = np.dtype(np.uint16)

    def __init__(self, start: Array, width: Array, dtype: np.dtype[Any]) -> None:
        self.start, self.width, self.dtype = start, width, dtype

    def thresholds(self, features: Array, points: Array) -> Array:
        """Return the cuts with the numbers ``points[j]`` of ``features[j]``."""
        from adapu._steps import last_values  # numba is imported when it is needed

        found = np.empty(features.size, self.dtype)
        last_values(self.start[features], self.width[features], points, found)
        return found

    def point(self, feature: int, threshold: float) -> Any:
        """Return the number of a cut, such that codes exceed it where values exceed the cut."""
        from adapu._steps import steps

        if np.isposinf(threshold):
            return self.code_dtype.type(self.n_codes - 1)
        # where no value lies in the first steps, the cut may lie before the start
        step = max(steps(threshold, self.start[feature], self.width[feature]), 0.0)
        return self.code_dtype.type(min(step, self.n_codes - 1))


class Cuts:
    """Cuts that are written out.

    Parameters
    ----------
    cuts : ndarray of shape (n_features, n_cuts)
        The cuts of each feature in the dtype of the values, ascending. Beyond those that a feature
        has stands ∞, which no value exceeds.
    """

    def __init__(self, cuts: Array) -> None:
        self.cuts = cuts
        self.n_codes = cuts.shape[1] + 1
        self.code_dtype: np.dtype[Any] = np.min_scalar_type(self.n_codes - 1)

    def thresholds(self, features: Array, points: Array) -> Array:
        """Return the cuts with the numbers ``points[j]`` of ``features[j]``."""
        found: Array = self.cuts[features, points]
        return found

    def point(self, feature: int, threshold: float) -> Any:
        """Return the number of the cut at ``threshold``."""
        cuts = self.cuts[feature]
        return self.code_dtype.type(np.searchsorted(cuts, cuts.dtype.type(threshold)))


Encoding = Grid | Cuts
