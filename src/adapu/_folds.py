"""Folds for positive and unlabeled rows in which no row is on both sides of a split.

In case-control data U often holds copies of P's rows. A classifier trained on one copy and asked
about the other answers from memory, so all copies of a row go to the same fold.
"""

from __future__ import annotations

import heapq
from hashlib import blake2b
from numbers import Integral
from typing import Any

import numpy as np

from adapu._model import Array

_CHUNK_BYTES = 2**20  # small enough for the cache, large enough to make calls few


class TooFewRowsError(ValueError):
    """There are not enough distinct rows for so many folds."""


def identical_rows(X: Array) -> Array:
    """Return a number per row of ``X``, the same for rows with the same values.

    Numbers count up from 0 by first appearance. −0.0 equals 0.0 and every NaN equals every other.
    Rows are compared by hashes of 128 bits, so that memory grows with the rows alone; should two
    rows ever share one, they are kept in one fold, which does no harm.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Numbers or booleans.

    Returns
    -------
    ndarray of shape (n_rows,)
        The group numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu._folds import identical_rows
    >>> identical_rows(np.array([[1.0, 0.0], [2.0, np.nan], [1.0, -0.0], [2.0, np.nan]]))
    array([0, 1, 0, 1])
    """
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"X must be a two-dimensional array of numbers; got {X.ndim} dimension(s) of dtype "
            f"{X.dtype}."
        )
    numbers: dict[bytes, int] = {}
    groups = np.empty(X.shape[0], dtype=np.intp)
    step = max(1, _CHUNK_BYTES // max(1, X.itemsize * X.shape[1]))
    for first in range(0, X.shape[0], step):
        chunk = np.ascontiguousarray(X[first : first + step])
        if chunk.dtype.kind == "f":
            chunk = chunk + chunk.dtype.type(0)  # −0.0 + 0.0 is 0.0
            chunk[np.isnan(chunk)] = np.nan  # one pattern of bits for all of them
        for row, values in enumerate(chunk, first):
            digest = blake2b(values.data, digest_size=16).digest()
            groups[row] = numbers.setdefault(digest, len(numbers))
    return groups


def pu_folds(labeled: Array, groups: Array, n_folds: int, seed: int) -> Array:
    """Return a fold number per row; every fold has its share of P and of U.

    A group stays together. Groups that hold labeled rows are dealt first, the largest first, each
    to the fold with the fewest labeled rows so far; then those without, each to the fold with the
    fewest unlabeled rows. If no labeled row has a labeled copy, the numbers of labeled rows differ
    by at most one between folds, and so do those of unlabeled rows unless copies prevent it.

    Parameters
    ----------
    labeled : ndarray of shape (n_rows,)
        Whether each row is a labeled positive.
    groups : ndarray of shape (n_rows,)
        A number from 0 on per row, such as `identical_rows` gives.
    n_folds : int
        The number of folds, at least 2.
    seed : int
        Decides what the counts leave open.

    Returns
    -------
    ndarray of shape (n_rows,)
        The fold numbers, from 0 to ``n_folds - 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu._folds import pu_folds
    >>> labeled = np.array([True, True, False, False, False, False])
    >>> folds = pu_folds(labeled, groups=np.array([0, 1, 0, 1, 2, 3]), n_folds=2, seed=0)
    >>> folds[0] == folds[2], folds[1] == folds[3], folds[0] == folds[1]
    (np.True_, np.True_, np.False_)
    >>> np.bincount(folds)
    array([3, 3])
    """
    labeled = np.asarray(labeled, dtype=bool)
    n_groups = int(groups.max()) + 1
    positives = np.bincount(groups[labeled], minlength=n_groups)
    unlabeled = np.bincount(groups[~labeled], minlength=n_groups)
    for counts, what in ((positives, "labeled positive"), (unlabeled, "unlabeled")):
        n_distinct = int(np.count_nonzero(counts))
        if n_distinct < n_folds:
            raise TooFewRowsError(
                f"cv needs at least as many distinct {what} rows, for copies of a row share a "
                f"fold; cv is {n_folds}, and there are {n_distinct}."
            )
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_groups)
    # largest first, and what is left of the order is random
    order = order[np.lexsort((-unlabeled[order], -positives[order]))]
    tie_breaks = rng.permutation(n_folds).tolist()

    fold_of_group = np.empty(n_groups, dtype=np.intp)
    held_unlabeled = [0] * n_folds
    with_positives = order[positives[order] > 0]
    fewest_positives = [(0, 0, tie_breaks[fold], fold) for fold in range(n_folds)]
    heapq.heapify(fewest_positives)
    for group, p, u in _shapes(with_positives, positives, unlabeled):
        held_p, held_u, tie, fold = fewest_positives[0]
        fold_of_group[group] = fold
        held_unlabeled[fold] += u
        heapq.heapreplace(fewest_positives, (held_p + p, held_u + u, tie, fold))

    others = order[positives[order] == 0]
    copied = others[unlabeled[others] > 1]
    fewest_unlabeled = [(held_unlabeled[fold], tie_breaks[fold], fold) for fold in range(n_folds)]
    heapq.heapify(fewest_unlabeled)
    for group, _, u in _shapes(copied, positives, unlabeled):
        held_u, tie, fold = fewest_unlabeled[0]
        fold_of_group[group] = fold
        heapq.heapreplace(fewest_unlabeled, (held_u + u, tie, fold))

    # the many rows that have no copy: how many each fold lacks, then in one go
    single = others[unlabeled[others] == 1]
    ranked = sorted(fewest_unlabeled)
    lacking = _level(np.array([held_u for held_u, _, _ in ranked]), len(single))
    fold_of_group[single] = np.repeat([fold for _, _, fold in ranked], lacking)

    folds: Array = fold_of_group[groups]
    if np.bincount(folds[~labeled], minlength=n_folds).min() == 0:
        raise TooFewRowsError(
            f"cv={n_folds} leaves a fold without unlabeled rows, because copies of a row share a "
            "fold; ask for fewer folds."
        )
    return folds


def pu_holdout(labeled: Array, groups: Array, held_out: float, seed: int) -> Array:
    """Return which rows to hold out: a share of P and as large a share of U.

    A group stays together, so the shares are as near as the groups allow; at least one group with
    labeled rows and one without are on either side.

    Parameters
    ----------
    labeled : ndarray of shape (n_rows,)
        Whether each row is a labeled positive.
    groups : ndarray of shape (n_rows,)
        A number from 0 on per row, such as `identical_rows` gives.
    held_out : float or int
        The share of the rows to hold out, or their number.
    seed : int
        Decides which.

    Returns
    -------
    ndarray of shape (n_rows,)
        Whether each row is held out.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu._folds import pu_holdout
    >>> labeled = np.repeat([True, False], [10, 90])
    >>> held_out = pu_holdout(labeled, np.arange(100), 0.2, seed=0)
    >>> int(held_out[labeled].sum()), int(held_out[~labeled].sum())
    (2, 18)
    """
    labeled = np.asarray(labeled, dtype=bool)
    if held_out >= labeled.size:
        raise ValueError(
            f"validation_fraction must leave rows to learn from: it is {held_out} of "
            f"{labeled.size} rows."
        )
    share = held_out / labeled.size if isinstance(held_out, Integral) else held_out
    n_groups = int(groups.max()) + 1
    positives = np.bincount(groups[labeled], minlength=n_groups)
    unlabeled = np.bincount(groups[~labeled], minlength=n_groups)
    order = np.random.default_rng(seed).permutation(n_groups)
    chosen = np.zeros(n_groups, dtype=bool)
    for counts, which, what in (
        (positives, positives[order] > 0, "labeled positive rows"),
        (unlabeled, (positives[order] == 0) & (unlabeled[order] > 0), "other rows"),
    ):
        candidates = order[which]
        if len(candidates) < 2:
            raise ValueError(
                f"early_stopping needs at least 2 distinct {what}, to hold one out; there are "
                f"{len(candidates)}."
            )
        wanted = share * counts.sum() - counts[chosen].sum()
        # to the nearest: a group is in if more than half of it is
        n_chosen = int(np.sum(np.cumsum(counts[candidates]) - counts[candidates] / 2 <= wanted))
        chosen[candidates[: min(max(n_chosen, 1), len(candidates) - 1)]] = True
    held: Array = chosen[groups]
    return held


def _shapes(which: Array, positives: Array, unlabeled: Array) -> Any:
    """Yield (group, labeled rows, unlabeled rows) as Python's own integers."""
    return zip(which.tolist(), positives[which].tolist(), unlabeled[which].tolist(), strict=True)


def _level(heights: Array, amount: int) -> Array:
    """Return what to add to each of the rising ``heights`` so that they end as even as may be."""
    n = len(heights)
    # raising the first k to the height of the next takes k·height − their sum
    needed = np.arange(n) * heights - np.concatenate([[0], np.cumsum(heights)[:-1]])
    k = int(np.searchsorted(needed, amount, side="right"))
    added = np.zeros(n, dtype=np.intp)
    top, rest = divmod(amount + int(heights[:k].sum()), k)
    added[:k] = top - heights[:k]
    added[:rest] += 1
    return added
