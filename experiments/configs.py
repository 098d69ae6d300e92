"""One config per table and figure: which fits it is made of.

A config is a list of series, a series one setting over several seeds. What several configs ask for
is run once: a cell is known by its data set, method, setting and seed, not by who asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from experiments import paper
from experiments.paper import BREAST, CIFAR10, DATA, EPSILON, UNSW

Setting = Mapping[str, Any]

FIVE_SEEDS = tuple(range(paper.N_SEEDS))
FORTY_SEEDS = tuple(range(40))
NORMALIZATIONS = ("per-group", "over-all")
ADAPU, ADAPU_CV = "AdaPU", "AdaPU-CV"
PN_METHODS = ("XGBoost", "GBDT", "AdaBoost")
NETWORK_METHODS = ("nnPU", "uPU")

# The paper does not say how large its mini-batches were. Kiryo et al. take 500 images of CIFAR-10.
BATCH_SIZE = {CIFAR10: 500, EPSILON: 1000, UNSW: 1000, BREAST: 100}
# The share of P and U that the grid of networks keeps for PU validation.
HELD_OUT = 0.2


@dataclass(frozen=True)
class Series:
    """Fits that differ in the seed alone: a line of a figure, a cell of a table."""

    column: str  # the data set, as the paper's tables name it
    label: str
    method: str
    setting: Setting
    seeds: tuple[int, ...] = FIVE_SEEDS

    @property
    def images(self) -> bool:
        """Whether it takes CIFAR-10's images; the others take features."""
        return self.method in NETWORK_METHODS


@dataclass(frozen=True)
class Config:
    """A table or a figure."""

    name: str
    title: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Cell:
    """One fit."""

    source: str  # where the rows come from, see `experiments.data`
    column: str
    method: str
    setting: str  # as sorted JSON, so that cells can be compared
    seed: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What the row of this cell is known by, see `experiments.store`."""
        return self.source, self.method, self.setting, self.seed


def cell(series: Series, seed: int, source: str) -> Cell:
    """One fit of a series."""
    setting = json.dumps(series.setting, sort_keys=True)
    return Cell(source, series.column, series.method, setting, seed)


# ------------------------------------------------------------------------------------ the series


def adapu(
    column: str,
    normalization: str = "per-group",
    *,
    label: str | None = None,
    beta: float | None = None,
    n_thresholds: int = paper.N_THRESHOLDS,
    thresholds: str = "random",
    seeds: tuple[int, ...] = FIVE_SEEDS,
) -> Series:
    """AdaPU, with the paper's β unless one is given."""
    setting = {
        "n_estimators": paper.N_ROUNDS,
        "learning_rate": paper.BETA[normalization][column] if beta is None else beta,
        "n_thresholds": n_thresholds,
        "thresholds": thresholds,
        "normalization": normalization,
    }
    return Series(column, label or f"AdaPU {normalization}", ADAPU, setting, seeds)


def adapu_cv(column: str, normalization: str) -> Series:
    """AdaPU with β chosen by 5-fold cross-validated PU loss."""
    setting = {
        "n_estimators": paper.N_ROUNDS,
        "n_thresholds": paper.N_THRESHOLDS,
        "thresholds": "random",
        "normalization": normalization,
        "cv": 5,
    }
    # forty-five fits each: one draw where there are thousands of features
    seeds = FIVE_SEEDS if column in (BREAST, UNSW) else (0,)
    return Series(column, f"AdaPU {normalization}", ADAPU_CV, setting, seeds)


def pn_boosting(column: str, method: str) -> Series:
    """A booster that learns from positives and negatives."""
    return Series(column, method, method, {"n_estimators": paper.N_ROUNDS})


def network(
    column: str,
    method: str,
    choice: paper.Network,
    *,
    label: str | None = None,
    held_out: float = 0.0,
    seeds: tuple[int, ...] = FIVE_SEEDS,
) -> Series:
    """A network; with `held_out`, that share of P and U is kept for PU validation."""
    setting = {
        "network": choice.network,
        "learning_rate": choice.learning_rate,
        "weight_decay": choice.weight_decay,
        "activation": paper.ACTIVATION[column],
        "batch_size": BATCH_SIZE[column],
        "epochs": paper.N_EPOCHS,
        "held_out": held_out,
    }
    return Series(column, label or method, method, setting, seeds)


def paper_network(column: str, method: str) -> Series:
    """The network with the hyper-parameters that the paper chose."""
    return network(column, method, paper.NETWORKS[method][column])


# ----------------------------------------------------------------------- the tables and figures


def accuracy() -> Iterator[Series]:
    """The paper's table of accuracies."""
    for column in DATA:
        yield from (paper_network(column, method) for method in NETWORK_METHODS)
        yield from (pn_boosting(column, method) for method in PN_METHODS)
        yield from (adapu(column, normalization) for normalization in ("over-all", "per-group"))


def networks() -> Iterator[Series]:
    """The paper's table of networks: the whole grid that it chose from."""
    for column in DATA:
        names = paper.RESNETS if column == CIFAR10 else paper.MLPS
        for method in NETWORK_METHODS:
            for name in names:
                for rate in paper.LEARNING_RATES:
                    for decay in paper.WEIGHT_DECAYS:
                        choice = paper.Network(name, decay, rate)
                        yield network(
                            column, method, choice, label=name, held_out=HELD_OUT, seeds=(0,)
                        )


def by_epoch() -> Iterator[Series]:
    """Zero-one loss by round or epoch, AdaPU against the networks."""
    for column in DATA:
        yield adapu(column)
        yield from (paper_network(column, method) for method in NETWORK_METHODS)


def pn_by_round() -> Iterator[Series]:
    """Test accuracy by round against PN boosting."""
    for column in DATA:
        yield adapu(column)
        yield from (pn_boosting(column, method) for method in PN_METHODS)


def thresholds() -> Iterator[Series]:
    """Random against evenly spaced thresholds; the paper shows CIFAR-10 and Epsilon."""
    for column in DATA:
        yield adapu(column, label="random")
        yield adapu(column, label="evenly spaced", thresholds="even")


def betas() -> Iterator[Series]:
    """The nine values of β."""
    for column in DATA:
        for normalization in NORMALIZATIONS:
            for beta in paper.BETAS:
                yield adapu(column, normalization, beta=beta)


def normalization() -> Iterator[Series]:
    """Over-all against per-group."""
    for column in DATA:
        yield from (adapu(column, name, label=name) for name in NORMALIZATIONS)


def breast_cancer() -> Iterator[Series]:
    """Five and forty seeds, K = 10 and K = 1."""
    for n_thresholds in (10, 1):
        for name in ("over-all", "per-group"):
            yield adapu(BREAST, name, n_thresholds=n_thresholds, seeds=FORTY_SEEDS)


def chosen_beta() -> Iterator[Series]:
    """β by cross-validation."""
    for column in DATA:
        yield from (adapu_cv(column, name) for name in NORMALIZATIONS)


_CONFIGS = {
    "accuracy": ("Accuracy of every method", accuracy),
    "networks": ("Networks and hyper-parameters", networks),
    "by_epoch": ("Zero-one loss by round or epoch, AdaPU and networks", by_epoch),
    "pn_by_round": ("Test accuracy by round, AdaPU and PN boosting", pn_by_round),
    "thresholds": ("Random and evenly spaced thresholds", thresholds),
    "betas": ("Nine values of β", betas),
    "normalization": ("Per-group and over-all normalisation", normalization),
    "rates": ("Positives called positive, unlabeled called negative", normalization),
    "breast_cancer": ("Breast Cancer: five and forty seeds, K = 10 and K = 1", breast_cancer),
    "chosen_beta": ("β by cross-validation beside the paper's", chosen_beta),
}
FIGURES = ("by_epoch", "pn_by_round", "thresholds", "betas", "normalization", "rates")
CONFIGS = {name: Config(name, title, tuple(make())) for name, (title, make) in _CONFIGS.items()}


# ----------------------------------------------------------------------------------- selections


@dataclass(frozen=True)
class Selection:
    """Which of the series to run, and how much of each."""

    configs: tuple[str, ...] = tuple(CONFIGS)
    columns: tuple[str, ...] = DATA
    methods: tuple[str, ...] = (ADAPU, ADAPU_CV, *PN_METHODS, *NETWORK_METHODS)
    n_seeds: int | None = None
    epochs: int | None = None
    image_networks: bool = True  # those on CIFAR-10's images
    large_networks: tuple[int, ...] | None = None  # the seeds of networks on many rows; None: all

    def series(self) -> Iterator[Series]:
        """The series selected, cut down as asked."""
        for name in self.configs:
            for one in CONFIGS[name].series:
                if one.column in self.columns and one.method in self.methods:
                    yield from self._reduced(one)

    def _reduced(self, series: Series) -> Iterator[Series]:
        if series.images and series.column == CIFAR10 and not self.image_networks:
            return
        seeds = series.seeds[: self.n_seeds]
        if series.images and series.column != BREAST and self.large_networks is not None:
            seeds = tuple(seed for seed in seeds if seed in self.large_networks)
        if series.images and self.epochs is not None:
            series = replace(series, setting={**series.setting, "epochs": self.epochs})
        if seeds:
            yield replace(series, seeds=seeds)


WITHOUT_GRID = tuple(name for name in CONFIGS if name != "networks")
PRESETS = {
    # what two cores do in under an hour: networks on many rows with one seed, none on images;
    # with a GPU (`--device cuda`) all of them
    "paper": Selection(configs=WITHOUT_GRID, image_networks=False, large_networks=(0,)),
    "quick": Selection(
        configs=WITHOUT_GRID, columns=(UNSW, BREAST), image_networks=False, large_networks=()
    ),
    # the grid of ResNets would take a GPU for days
    "grid": Selection(configs=("networks",), image_networks=False),
    "all": Selection(),
}


def cells(series: Iterable[Series], sources: Mapping[tuple[str, bool], str]) -> list[Cell]:
    """Every fit once, data set by data set; `sources` says what fills a column here."""
    found: dict[Cell, None] = {}
    for one in series:
        source = sources.get((one.column, one.images))
        if source is not None:
            found.update({cell(one, seed, source): None for seed in one.seeds})
    order = {column: i for i, column in enumerate(reversed(DATA))}
    return sorted(found, key=lambda c: (order[c.column], c.source))
