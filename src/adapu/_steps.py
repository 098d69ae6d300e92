"""The arithmetic of a grid of cuts, compiled: the step of a value, and the last value of a step.

The kernels that encode columns have `steps` inside them. numba looks only at a kernel's own file to
see whether it must be compiled again: who changes `steps` calls `make clean`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adapu._threads import compiled

N_STEPS = 65_536.0  # codes of 16 bits


@compiled
def steps(x: Any, start: float, width: float) -> Any:
    """Return how many steps of ``width / 65536`` fit between ``start`` and ``x``.

    A subtraction, a division by a positive number and a product with a power of two: none of them,
    rounded, ever puts two numbers into the other order. So a larger x never has fewer steps, and
    the values with at most j whole steps are exactly those up to the last of them.
    """
    return (x - start) / width * N_STEPS


@compiled
def last_values(start: Any, width: Any, points: Any, values: Any) -> None:
    """Write the largest value with at most ``points[j]`` whole steps, in the dtype of ``values``.

    It is found by halving. Read as whole numbers, the bits of floats are in the order of the
    floats, but for those below zero, whose 63 lower bits are to be turned over.
    """
    x = np.empty(1)
    bits = x.view(np.int64)
    lower_bits = np.int64(0x7FFFFFFFFFFFFFFF)
    for j in range(points.size):
        if np.isinf(width[j]):
            values[j] = np.inf
            continue
        x[0] = np.inf
        high = bits[0]
        low = -high - np.int64(1)  # the place of −∞
        while True:
            middle = (low >> 1) + (high >> 1) + (low & high & 1)  # rounded down, no overflow
            if middle == low:
                break
            bits[0] = middle if middle >= 0 else middle ^ lower_bits
            if steps(x[0], start[j], width[j]) < points[j] + 1.0:
                low = middle
            else:
                high = middle
        bits[0] = low if low >= 0 else low ^ lower_bits
        values[j] = x[0]
        if values[j] > x[0]:  # in a shorter dtype: the last of its values up to there
            values[j] = np.nextafter(values[j], values.dtype.type(-np.inf))
