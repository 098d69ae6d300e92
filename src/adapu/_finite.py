"""Whether all numbers of a table are finite, in one pass at the speed of memory, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from adapu._model import Array
from adapu._threads import Workers, compiled

# NaN and the infinities are the floats whose exponent has all bits set.
EXPONENT = {
    np.dtype(np.float32): np.uint32(0x7F800000),
    np.dtype(np.float64): np.uint64(0x7FF << 52),
}
BITS = {np.dtype(np.float32): np.uint32, np.dtype(np.float64): np.uint64}
CHUNK = 4096  # values that are looked at before one may stop


@compiled
def _all_finite(bits: Any, exponent: Any, first: int, last: int) -> bool:
    for begin in range(first, last, CHUNK):
        chunk = bits[begin : min(begin + CHUNK, last)]  # counting from 0 makes it vector code
        n_wrong = 0
        for i in range(chunk.size):
            n_wrong += (chunk[i] & exponent) == exponent
        if n_wrong:
            return False
    return True


def all_finite(X: Array, n_threads: int) -> bool:
    """Return whether ``X``, float32 or float64 and in one piece in either order, is finite."""
    flat = X.reshape(-1) if X.flags.c_contiguous else X.T.reshape(-1)
    bits, exponent = flat.view(BITS[X.dtype]), EXPONENT[X.dtype]
    workers = Workers(n_threads)

    def task(first: int, last: int) -> bool:
        return bool(_all_finite(bits, exponent, first, last))

    found = workers.spread(task, bits.size, work=bits.size)
    workers.close()
    return all(found)
