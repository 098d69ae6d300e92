"""Rows like Epsilon's, without end, any part of which can be made by itself."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from adapu._model import Array
from adapu._validation import check_integer

BLOCK_ROWS = 1024
N_FACTORS = 5
# Half the distance of the class means, in the standard deviations of the noise: the best linear
# rule is right with probability Φ(1.2816) = 0.9.
HALF_DISTANCE = 1.2815515655446004


class Law(NamedTuple):
    """What the rows are drawn from: x = loadings' · factors + (y − ½) · shift + noise."""

    loadings: Array  # (N_FACTORS, n_features)
    shift: Array  # (n_features,), orthogonal to the loadings


def make_epsilon_like(
    n_rows: int,
    *,
    n_features: int = 2000,
    first: int = 0,
    random_state: int = 0,
    out: Array | None = None,
) -> tuple[Array, Array]:
    """Make rows like Epsilon's: dense, of length one, hard for any single feature.

    Every feature tells a little about the class, a few of them more, and five latent factors
    correlate the features, the first of them strongly. Classes are equally frequent, and the best
    linear rule is right on nine rows in ten, about what linear models reach on Epsilon.

    Rows are drawn in blocks, each from a generator of its own. So row i is the same whatever range
    it is made in, and a set of any size can be made in parts.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    n_features : int, default=2000
        The number of features, at least 10.
    first : int, default=0
        The first row: the rows `first` to ``first + n_rows - 1`` are made.
    random_state : int, default=0
        The seed of the rows. What they are drawn from is always the same, so other seeds give
        other rows of the same kind, such as test rows.
    out : ndarray of shape (n_rows, n_features), float32, default=None
        Where to put the rows, such as a memory map. None means a new array.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
        The rows, float32.
    y : ndarray of shape (n_rows,)
        1 for positive, 0 for negative.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.datasets import make_epsilon_like
    >>> X, y = make_epsilon_like(3000, n_features=50)
    >>> part, _ = make_epsilon_like(10, n_features=50, first=2000)
    >>> X.dtype, np.array_equal(part, X[2000:2010])
    (dtype('float32'), True)
    """
    check_integer("n_rows", n_rows, 1)
    check_integer("n_features", n_features, 2 * N_FACTORS)
    check_integer("first", first, 0)
    check_integer("random_state", random_state, 0)
    size = (int(n_rows), int(n_features))
    if out is None:
        out = np.empty(size, dtype=np.float32)
    elif not isinstance(out, np.ndarray) or out.shape != size or out.dtype != np.float32:
        got = f"shape {out.shape}, {out.dtype}" if isinstance(out, np.ndarray) else repr(out)
        raise ValueError(f"out must be a float32 array of shape {size}; got {got}.")
    y = np.empty(size[0], dtype=np.int64)
    law = _law(size[1])
    row, end = int(first), int(first) + size[0]
    while row < end:
        block, skipped = divmod(row, BLOCK_ROWS)
        rows, labels = _block(law, int(random_state), block)
        taken = min(BLOCK_ROWS - skipped, end - row)
        to = slice(row - int(first), row - int(first) + taken)
        out[to], y[to] = rows[skipped : skipped + taken], labels[skipped : skipped + taken]
        row += taken
    return out, y


@lru_cache(maxsize=4)
def _law(n_features: int) -> Law:
    """Return what rows of so many features are drawn from."""
    rng = np.random.default_rng(n_features)
    loadings = rng.standard_normal((N_FACTORS, n_features))
    loadings *= np.array([0.6, 0.15, 0.15, 0.1, 0.1])[:, None]
    # The features differ in strength like the terms of a slowly falling series, in random order.
    strength = 1 / np.sqrt(1 + rng.permutation(n_features) / 8)
    shift = strength * rng.choice([-1.0, 1.0], size=n_features)
    orthogonal, _ = np.linalg.qr(loadings.T)
    shift -= orthogonal @ (orthogonal.T @ shift)  # the factors neither help nor hide the class
    shift *= 2 * HALF_DISTANCE / np.linalg.norm(shift)
    return Law(loadings.astype(np.float32), shift.astype(np.float32))


def _block(law: Law, seed: int, block: int) -> tuple[Array, Array]:
    """Return the rows and labels of one block."""
    rng = np.random.default_rng([seed, block])
    y = rng.integers(0, 2, size=BLOCK_ROWS)
    factors = rng.standard_normal((BLOCK_ROWS, N_FACTORS), dtype=np.float32)
    rows = rng.standard_normal((BLOCK_ROWS, len(law.shift)), dtype=np.float32)
    rows += factors @ law.loadings
    rows += (y - 0.5).astype(np.float32)[:, None] * law.shift
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows, y
