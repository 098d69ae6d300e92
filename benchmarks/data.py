"""Seeded synthetic data with the shapes of Epsilon and UNSW-NB15, written in chunks.

Every set has `n_labeled` rows that are known positives and `n_unlabeled` rows, half of them
positive, in random order; s is 1 where a row is labeled and 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

PRIOR = 0.5
CHUNK_BYTES = 64 * 2**20

Array = np.ndarray
Rows = Callable[[np.random.Generator, Array, int], Array]


def dense_rows(rng: np.random.Generator, y: Array, n_features: int) -> Array:
    """Rows of length one with gaussian entries, like Epsilon's.

    Every tenth feature is shifted by the class, the shift fading from one to the next, and
    twenty latent factors correlate the features.
    """
    loadings = np.random.default_rng(20).standard_normal((20, n_features), dtype=np.float32)
    rows = rng.standard_normal((len(y), n_features), dtype=np.float32)
    rows += 0.15 * (rng.standard_normal((len(y), 20), dtype=np.float32) @ loadings)
    informative = np.arange(0, n_features, 10)
    shift = (0.6 / np.sqrt(1 + np.arange(len(informative)) / 4)).astype(np.float32)
    rows[:, informative] += np.where(y, 0.5, -0.5).astype(np.float32)[:, None] * shift
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def traffic_rows(rng: np.random.Generator, y: Array, n_features: int) -> Array:
    """Columns like UNSW-NB15's: skewed and heavy-tailed, with ties, zeros and few values.

    Columns come in turn from five kinds: counts of packets and bytes, heavy-tailed rates,
    small counts, a handful of levels, flags. The class moves each kind by a different amount.
    """
    n, kinds = len(y), 5
    rows = np.empty((n, n_features), dtype=np.float32)
    for j in range(n_features):
        pull = 0.8 / (1 + j // kinds)
        sign = 1 if j % 2 == 0 else -1
        lean = np.where(y, sign * pull, 0.0)
        if j % kinds == 0:
            column = np.floor(np.exp(rng.normal(3 + lean, 1.5)))
        elif j % kinds == 1:
            column = np.exp(rng.normal(5 + lean, 2.0)) * (rng.random(n) > 0.4)
        elif j % kinds == 2:
            column = np.minimum(rng.geometric(1 / (1 + np.exp(1 + lean))), 63)
        elif j % kinds == 3:
            levels = np.array([0, 29, 31, 60, 62, 252, 254])
            column = levels[rng.binomial(len(levels) - 1, 1 / (1 + np.exp(-lean)))]
        else:
            column = rng.random(n) < 0.1 + 0.3 / (1 + np.exp(-lean))
        rows[:, j] = column
    return rows


@dataclass(frozen=True)
class Shape:
    """One data set of the bench: its size and how its rows are drawn."""

    key: str
    title: str
    n_labeled: int
    n_unlabeled: int
    n_features: int
    n_predict: int
    rows: Rows

    @property
    def n_rows(self) -> int:
        """Labeled and unlabeled rows together."""
        return self.n_labeled + self.n_unlabeled

    @property
    def nbytes(self) -> int:
        """Size of X in float32."""
        return 4 * self.n_rows * self.n_features

    def describe(self) -> str:
        """The shape in words, for a heading."""
        return (
            f"{self.title}: {self.n_labeled:,} labeled + {self.n_unlabeled:,} unlabeled rows "
            f"× {self.n_features:,} features, float32, {self.nbytes / 2**20:,.0f} MiB"
        )


SHAPES = {
    "epsilon": Shape("epsilon", "Epsilon's shape", 1_000, 40_000, 2_000, 100_000, dense_rows),
    "unsw": Shape("unsw", "UNSW-NB15's shape", 1_000, 175_340, 39, 100_000, traffic_rows),
}


def quick(shape: Shape) -> Shape:
    """A small version of `shape`, to try the bench in a minute."""
    return replace(
        shape,
        title=shape.title + ", made small",
        n_labeled=400,
        n_unlabeled=shape.n_unlabeled // 10,
        n_features=min(shape.n_features, 200),
        n_predict=10_000,
    )


def labels(rng: np.random.Generator, n_labeled: int, n_unlabeled: int) -> tuple[Array, Array]:
    """Draw (s, y) for rows in random order; every labeled row is positive."""
    s = np.zeros(n_labeled + n_unlabeled, dtype=np.int64)
    s[rng.choice(len(s), size=n_labeled, replace=False)] = 1
    y = rng.random(len(s)) < PRIOR
    return s, y | (s == 1)


def write(folder: Path, name: str, shape: Shape, y: Array, seed: int) -> Path:
    """Write the rows of `y` as `folder/name.npy`, C order, float32, a chunk at a time."""
    path = folder / f"{name}.npy"
    size = (len(y), shape.n_features)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=size)
    step = max(1, CHUNK_BYTES // (4 * shape.n_features))
    for number, start in enumerate(range(0, len(y), step)):
        chunk = slice(start, start + step)
        rng = np.random.default_rng([seed, number])
        X[chunk] = shape.rows(rng, y[chunk], shape.n_features)
    X.flush()
    return path


def make(folder: Path, shape: Shape, seed: int = 0) -> dict[str, str]:
    """Write X and s to fit on and X and y to predict; answer where they are."""
    rng = np.random.default_rng([seed, 1])
    s, y = labels(rng, shape.n_labeled, shape.n_unlabeled)
    y_new = rng.random(shape.n_predict) < PRIOR
    files = {
        "X": write(folder, f"{shape.key}_X", shape, y, seed=seed + 2),
        "s": folder / f"{shape.key}_s.npy",
        "X_new": write(folder, f"{shape.key}_X_new", shape, y_new, seed=seed + 3),
        "y_new": folder / f"{shape.key}_y_new.npy",
    }
    np.save(files["s"], s)
    np.save(files["y_new"], y_new)
    return {name: str(path) for name, path in files.items()}


def in_memory(n_rows: int, n_features: int, seed: int = 0) -> tuple[Array, Array]:
    """Dense X and s with one labeled row in ten, for the table of growth."""
    rng = np.random.default_rng([seed, 5])
    s, y = labels(rng, n_rows // 10, n_rows - n_rows // 10)
    return dense_rows(rng, y, n_features), s


def part_of(X: Array, n_rows: int, n_features: int) -> Array:
    """The upper left part of X, C order."""
    return np.ascontiguousarray(X[:n_rows, :n_features])


def load(path: str) -> Array:
    """An array that was written by `make`, wholly in memory."""
    return np.load(path)


def tiny(n_features: int = 10) -> tuple[Array, Array]:
    """A few float32 rows: enough to load libraries and kernels, start threads, compile."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, n_features), dtype=np.float32)
    s = (rng.random(400) < 0.2).astype(np.int64)
    X[s == 1] += 1
    return X, s
