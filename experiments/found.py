"""Rows looked up by the series that tables and figures are made of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments import paper, store
from experiments.configs import ADAPU, NETWORK_METHODS, PN_METHODS, Series
from experiments.data import EPSILON_LIKE, SOURCES, SUBSTITUTES, UNSW_SPLIT
from experiments.paper import CIFAR10

Floats = NDArray[np.float64]

SHORT_SUBSTITUTES = {
    UNSW_SPLIT: "substitute: a split of the smaller partition",
    EPSILON_LIKE: "substitute: synthetic rows",
}


@dataclass(frozen=True)
class Found:
    """The rows of a series, by seed."""

    series: Series
    source: str
    rows: tuple[store.Row, ...]

    @property
    def accuracies(self) -> Floats:
        """Test accuracies in %."""
        return np.array([100 * row["test_accuracy"] for row in self.rows])

    @property
    def epochs(self) -> int | None:
        """For networks, how many they were trained for."""
        epochs: int | None = self.rows[0]["setting"].get("epochs")
        return epochs

    def curves(self, name: str) -> Floats:
        """A curve in %, (n_seeds, n_rounds); where boosting stopped early the last value holds."""
        curves = [row["curves"].get(name) or [1 - row["test_accuracy"]] for row in self.rows]
        longest = self.epochs or paper.N_ROUNDS
        padded = [np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves]
        return 100 * np.array(padded)

    def text(self) -> str:
        """Mean and standard deviation, and what is unlike the paper's protocol."""
        mean, std = mean_and_std(self.accuracies)
        notes = []
        if len(self.rows) != len(self.series.seeds):
            notes.append("1 seed" if len(self.rows) == 1 else f"{len(self.rows)} seeds")
        if self.epochs not in (None, paper.N_EPOCHS):
            notes.append(f"{self.epochs} epochs")
        spread = "" if std is None else f" ({std:.2f})"
        return f"{mean:.2f}{spread}" + "".join(f", {note}" for note in notes)


class Results:
    """The rows of some results files; of two with the same key, that of the first file."""

    def __init__(self, files: Iterable[Path]) -> None:
        lines = [row for file in files for row in store.read(file)]
        self.rows = list(store.finished(lines).values())
        self._missing, self._failures = store.missing(lines), store.failures(lines)
        self._by_setting: dict[tuple[str, str, str], dict[int, list[store.Row]]]
        self._by_setting = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            setting = dict(row["setting"])
            epochs = setting.pop("epochs", 0)
            self._by_setting[row["data"], row["method"], _text(setting)][epochs].append(row)

    def find(self, series: Series) -> Found | None:
        """The rows of a series: of the real data set before a substitute.

        Networks that were trained for fewer epochs than asked stand in where there are no others.
        """
        setting = dict(series.setting)
        asked = setting.pop("epochs", 0)
        for source in SOURCES[series.column]:
            by_epochs = self._by_setting.get((source, series.method, _text(setting)))
            if by_epochs:
                epochs = asked if asked in by_epochs else max(by_epochs)
                rows = [row for row in by_epochs[epochs] if row["seed"] in series.seeds]
                if rows:
                    return Found(series, source, tuple(sorted(rows, key=lambda row: row["seed"])))
        return None

    def source(self, column: str) -> str:
        """What fills a column; boosters' rows where CIFAR-10 has both kinds."""
        present = {row["data"] for row in self.rows}
        return next((name for name in SOURCES[column] if name in present), column)

    def reason(self, series: Series) -> str:
        """Why a series has no rows."""
        for (source, method, _, _), why in self._failures.items():
            if source in SOURCES[series.column] and method == series.method:
                return why
        names = (series.column, f"{series.column} images", *SOURCES[series.column])
        # CIFAR-10 alone has two kinds of data: its images for networks, features for boosters
        kinds = [name for name in names if series.images == name.endswith("images")]
        for name in kinds if series.column == CIFAR10 else names:
            if name in self._missing:
                return self._missing[name]
        return "not run: " + (
            "needs a GPU (python -m experiments.run --device cuda)"
            if series.images and series.column == CIFAR10
            else "python -m experiments.run"
        )

    def substitutes(self, columns: Iterable[str]) -> dict[str, str]:
        """The sentence of each column that a substitute fills."""
        sentences = {row["data"]: row["substitute"] for row in self.rows}
        sources = {column: self.source(column) for column in columns}
        return {c: sentences[s] for c, s in sources.items() if s in SUBSTITUTES}

    def title(self, column: str) -> str:
        """A column's name, with what stands in for it."""
        substitute = SHORT_SUBSTITUTES.get(self.source(column))
        return f"{column}\n({substitute})" if substitute else column


def mean_and_std(values: Floats) -> tuple[float, float | None]:
    """Mean and standard deviation (n − 1 below the sum of squares); one value has none."""
    std = float(values.std(ddof=1)) if values.size > 1 else None
    return float(values.mean()), std


def paper_accuracy(series: Series) -> paper.Accuracy | None:
    """The accuracy that the paper's table has for a series, if it is in there."""
    if series.method in (*NETWORK_METHODS, *PN_METHODS):
        name = series.method
    elif series.method == ADAPU:
        name = f"AdaPU {series.setting['normalization']}"
    else:
        return None
    return paper.ACCURACY[name][series.column]


def _text(setting: dict[str, object]) -> str:
    return json.dumps(setting, sort_keys=True)
