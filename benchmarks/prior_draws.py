"""Positive-unlabeled draws with a known prior, from simulated and from real data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Array = np.ndarray

PRIORS = (0.1, 0.3, 0.5)
FREQUENCIES = (0.1, 0.5)
SCENARIOS = ("case-control", "single-set")
SEEDS = (0, 1, 2)
REAL = ("spambase", "mushroom", "shuttle", "phishing")
SIMULATED = ("gaussians, near", "gaussians, far", "clusters")
MAX_ROWS = 10_000  # of the population in a draw
LEAST_LABELED = 100


@dataclass(frozen=True)
class Draw:
    """One setting and one seed; `label_frequency` is the c asked for, of which see `make`."""

    data: str
    prior: float
    label_frequency: float
    scenario: str
    seed: int

    @property
    def key(self) -> str:
        """A name that tells draws apart."""
        return f"{self.data} {self.prior} {self.label_frequency} {self.scenario} {self.seed}"


def draws(data: tuple[str, ...]) -> Iterator[Draw]:
    """All draws from these sets; the first seed of every setting comes before the second."""
    for seed in SEEDS:
        for name in data:
            for prior in PRIORS:
                for c in FREQUENCIES:
                    for scenario in SCENARIOS:
                        yield Draw(name, prior, c, scenario, seed)


def make(draw: Draw, folder: str | None) -> tuple[Array, Array, float]:
    """Return X, s and the share of positives in the population, to the row.

    Rows of each class are drawn without replacement, as many as the class allows and no more than
    `MAX_ROWS` together. The labeled rows are a share c of the positives, but at least
    `LEAST_LABELED`: where a set is small, c is larger than asked for. In case-control they are
    copied, and U is all rows drawn; in a single set they leave U.
    """
    rng = np.random.default_rng([draw.seed, 71])
    positives, negatives = classes(draw.data, folder, rng)
    n_rows = int(min(MAX_ROWS, len(positives) / draw.prior, len(negatives) / (1 - draw.prior)))
    n_positive = round(draw.prior * n_rows)
    n_labeled = max(LEAST_LABELED, round(draw.label_frequency * n_positive))
    P = rng.permutation(positives)[:n_positive]
    N = rng.permutation(negatives)[: n_rows - n_positive]
    if draw.scenario == "case-control":
        X = np.vstack([P[:n_labeled], P, N])
    else:
        X = np.vstack([P, N])
    s = (np.arange(len(X)) < n_labeled).astype(int)
    order = rng.permutation(len(X))
    return X[order], s[order], n_positive / n_rows


def classes(data: str, folder: str | None, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the positives and the negatives of a set."""
    if data in REAL:
        return real(data, folder)
    return simulated(data, rng)


def real(data: str, folder: str | None) -> tuple[Array, Array]:
    """Return the two classes of a real set, of which each row's label is in `target`."""
    import pandas as pd

    assert folder is not None
    frame = pd.read_parquet(Path(folder) / f"{data}.parquet")
    X = frame.drop(columns="target").to_numpy(np.float64)
    y = frame["target"].to_numpy() == 1
    return X[y], X[~y]


def simulated(data: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return enough rows of each class for any prior.

    Gaussians: twenty features, the means 2.5 or 4 deviations apart (Bayes' AUC 0.96 and 0.998),
    along a direction that no axis follows. Clusters: five clusters a class, on the corners of a
    hypercube of ten informative features, and ten features of noise.
    """
    n_positive, n_negative, n_features = 5_000, 9_000, 20
    if data == "clusters":
        corners = np.random.default_rng(5).choice([-1.5, 1.5], size=(10, 10))
        P, N = (
            rng.normal(size=(n, n_features))
            + np.pad(corners[rng.choice(own, size=n)], ((0, 0), (0, 10)))
            for n, own in ((n_positive, [0, 1, 2, 3, 4]), (n_negative, [5, 6, 7, 8, 9]))
        )
        return P, N
    distance = {"gaussians, near": 2.5, "gaussians, far": 4.0}[data]
    direction = np.random.default_rng(6).normal(size=n_features)
    shift = distance * direction / np.linalg.norm(direction)
    return (
        rng.normal(size=(n_positive, n_features)) + shift,
        rng.normal(size=(n_negative, n_features)),
    )


def data_folder() -> str | None:
    """The folder of the real sets: the environment's ADAPU_DATA."""
    return os.environ.get("ADAPU_DATA")
