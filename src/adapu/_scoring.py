"""Scores of many rows from step functions, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from adapu._model import Array, StepFunctions
from adapu._threads import Workers, compiled

# Rows that are scored together: their part of X stays in the cache in either memory order.
BLOCK = 64
# Up to here, comparing a value with every threshold is quicker than a binary search.
FEW_THRESHOLDS = 32


@compiled
def _score(
    X: Any, features: Any, start: Any, thresholds: Any, values: Any, first: int, last: int, out: Any
) -> None:
    x = np.empty(BLOCK)
    for block in range(first, last, BLOCK):
        total = out[block : min(block + BLOCK, last)]
        n_rows = total.size
        for j in range(features.size):
            for i in range(n_rows):
                x[i] = X[block + i, features[j]]
            begin, end = start[j], start[j + 1]
            if end - begin <= FEW_THRESHOLDS:
                below_all = values[begin + j]
                for i in range(n_rows):
                    total[i] += below_all
                for k in range(begin, end):
                    threshold = thresholds[k]
                    jump = values[k + j + 1] - values[k + j]
                    for i in range(n_rows):
                        total[i] += jump if x[i] > threshold else 0
            else:
                for i in range(n_rows):
                    low, n_left = begin, end - begin
                    while n_left > 1:
                        half = n_left >> 1
                        low += half * (thresholds[low + half - 1] < x[i])
                        n_left -= half
                    low += thresholds[low] < x[i]
                    total[i] += values[low + j]


def score(X: Array, functions: StepFunctions, n_threads: int) -> Array:
    """Return the sum of ``functions`` at each row of ``X``, in ticks."""
    out = np.zeros(X.shape[0], dtype=np.int64)
    workers = Workers(n_threads)

    def task(first: int, last: int) -> None:
        _score(X, *functions, first, last, out)

    workers.spread(task, X.shape[0], work=X.shape[0] * (functions.thresholds.size + 1))
    workers.close()
    return out
