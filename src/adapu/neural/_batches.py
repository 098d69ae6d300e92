"""Mini-batches that have the whole set's ratio of labeled to unlabeled rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adapu._model import Array


def count_batches(n_positive: int, n_unlabeled: int, batch_size: int) -> int:
    """Return into how many mini-batches of about ``batch_size`` rows an epoch is divided.

    None is larger but for the rows that come up twice, see `epoch_batches`.
    """
    n_rows = n_positive + n_unlabeled
    return min(-(-n_rows // batch_size), max(n_positive, n_unlabeled))


def epoch_batches(
    rng: np.random.Generator, n_positive: int, n_unlabeled: int, n_batches: int
) -> Iterator[tuple[Array, Array]]:
    """Yield the rows of P and of U of each mini-batch: numbers from 0 within either.

    P and U are shuffled and divided into ``n_batches`` parts each, whose sizes differ by one at
    most. Where there are fewer rows than parts every part gets one row, and rows come up again
    when all have been used.
    """
    parts = zip(
        _parts(rng, n_positive, n_batches), _parts(rng, n_unlabeled, n_batches), strict=True
    )
    yield from parts


def _parts(rng: np.random.Generator, n_rows: int, n_parts: int) -> list[Array]:
    """Return the numbers below ``n_rows``, shuffled and divided."""
    rounds = max(1, -(-n_parts // n_rows))
    order = np.concatenate([rng.permutation(n_rows) for _ in range(rounds)])
    return np.array_split(order[: max(n_rows, n_parts)], n_parts)
