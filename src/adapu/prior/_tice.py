"""TIcE: tree induction for c estimation (Bekker & Davis, AAAI 2018).

P and U are taken together as one sample. In any part of the space the share of labeled rows, L / T,
is at most c, and equals c where all rows are positive. A decision tree looks for parts with a high
share on one fold; the other folds then bound c from below in each part,

    c ≥ L / T − √(c (1 − c) (1 − δ) / (δ T))    with probability 1 − δ,

and the highest bound is the estimate. The mean over the folds is taken, first with c = 0.5 in the
root, then again with that mean.
"""

from __future__ import annotations

import heapq
import math
from typing import Any, NamedTuple

import numpy as np

from adapu._model import Array

_PIECES = 4  # a split cuts a feature at its quartiles
_K = 5  # the authors': pulls the share in small parts down when a split is chosen
_MAX_SPLITS = 500
_LEAST_ROWS = 10


class Best(NamedTuple):
    """The part of the space with the highest bound, of one fold."""

    bound: float
    rows: float
    labeled: float


class Sample(NamedTuple):
    """Pieces of every feature that rows fall into, and weights."""

    codes: Array  # (n_rows, n_features): 4 · feature + piece
    weight: Array
    weight_labeled: Array

    def counts(self, rows: Array) -> tuple[Array, Array]:
        """Return the weight and the labeled weight of the rows in each piece of each feature."""
        n_features = self.codes.shape[1]
        codes = self.codes[rows].ravel()
        total, labeled = (
            np.bincount(codes, np.repeat(weight[rows], n_features), _PIECES * n_features)
            for weight in (self.weight, self.weight_labeled)
        )
        return total.reshape(-1, _PIECES), labeled.reshape(-1, _PIECES)


def tice(X: Array, labeled: Array, folds: Array, weight: Array) -> tuple[float, list[Best]]:
    """Return the label frequency in P ∪ U, and the best part of each fold."""
    codes = np.empty(X.shape, dtype=np.intp)
    for feature, column in enumerate(X.T):
        cuts = np.quantile(column, [0.25, 0.5, 0.75])
        # a cut at the lowest value would cut nothing off: of two values, the rarer stands alone
        cuts = np.where(cuts == column.min(), np.nextafter(cuts, np.inf), cuts)
        codes[:, feature] = _PIECES * feature + np.searchsorted(cuts, column, side="right")
    weight = weight * (weight.sum() / np.square(weight).sum())
    sample = Sample(codes, weight, weight * labeled)
    c = 0.5
    for _ in range(2):
        best = [_best_part(sample, folds == fold, c) for fold in range(int(folds.max()) + 1)]
        c = float(np.mean([part.bound for part in best]))
    return c, best


def tice_shares(
    c: float,
    best: list[Best],
    labeled: Array,
    weight: Array,
    n_samples: int,
    rng: np.random.Generator,
) -> tuple[Array, dict[str, Any]]:
    """Return the share of positives in U, then shares with the labels of the best parts redrawn."""
    drawn = np.array([c] * (n_samples + 1))
    for part in best:
        rows = max(round(part.rows), 1)
        share = part.labeled / part.rows
        drawn[1:] += (rng.binomial(rows, min(share, 1.0), n_samples) / rows - share) / len(best)
    c_drawn = np.clip(drawn, 1e-12, 1.0)
    n_p, n_u = weight[labeled].sum(), weight[~labeled].sum()
    return n_p * (1 - c_drawn) / (c_drawn * n_u), {
        "labeled_share_of_positives": c,
        "rows_of_best_part": [part.rows for part in best],
        "labeled_of_best_part": [part.labeled for part in best],
    }


def lower_bound(labeled: float, rows: float, delta: float, c: float) -> float:
    """Return what c is at least, with probability 1 − δ, after seeing some rows of a part."""
    return labeled / rows - math.sqrt(c * (1 - c) * (1 - delta) / (delta * rows))


def delta_of(rows: float) -> float:
    """Return the authors' δ for a number of rows."""
    return max(0.025, 1 / (1 + 0.004 * rows))


def _best_part(sample: Sample, in_tree: Array, c: float) -> Best:
    """Grow the tree on one fold, best part first; return the best of all parts on the others."""
    tree, others = np.flatnonzero(in_tree), np.flatnonzero(~in_tree)
    rows, labeled = (float(weight[others].sum()) for weight in sample[1:])
    delta = delta_of(rows)
    best = Best(max(lower_bound(labeled, rows, delta, c), labeled / rows), rows, labeled)
    queue = [(0.0, 0, tree, others)]
    for n_split in range(_MAX_SPLITS):
        if not queue:
            break
        _, _, tree, others = heapq.heappop(queue)
        total, share = sample.counts(tree)
        total_others, share_others = sample.counts(others)
        # what a part needs in labeled rows to raise the bound, were all of it labeled
        needed = c * (1 - c) * (1 - delta) / (delta * (1 - min(best.bound, 0.999)) ** 2)
        score = np.where(total > 0, share / (total + _K), 0.0).max(axis=1)
        score[share_others.max(axis=1) < min(needed, 1.0)] = -1
        score[(total_others > 0).sum(axis=1) < 2] = -1  # cuts nothing
        feature = int(np.argmax(score))
        if score[feature] <= 0:
            continue
        for piece in range(_PIECES):
            rows, labeled = total_others[feature, piece], share_others[feature, piece]
            if rows >= _LEAST_ROWS:
                bound = lower_bound(labeled, rows, delta, c)
                if bound > best.bound:
                    best = Best(float(bound), float(rows), float(labeled))
        for piece in range(_PIECES):
            rows, labeled = total[feature, piece], share[feature, piece]
            pure = labeled in (0.0, rows)
            if share_others[feature, piece] > needed and rows > _LEAST_ROWS and not pure:
                code = _PIECES * feature + piece
                parts = (part[sample.codes[part, feature] == code] for part in (tree, others))
                promise = -lower_bound(labeled, rows, delta, c)
                heapq.heappush(queue, (float(promise), _PIECES * n_split + piece + 1, *parts))
    return best
