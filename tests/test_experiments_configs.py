"""The configs are the paper's experiments: its tables and figures, its settings, its numbers."""

import json

import pytest

from experiments import paper
from experiments.configs import (
    CONFIGS,
    HELD_OUT,
    NETWORK_METHODS,
    PN_METHODS,
    PRESETS,
    Selection,
    cells,
)
from experiments.networks import architecture
from experiments.paper import BREAST, CIFAR10, DATA, EPSILON, UNSW

SOURCES = {(column, images): column for column in DATA for images in (False, True)}


def settings(name, **wanted):
    """The settings of a config's series, by data set, of the series with these attributes."""
    return {
        column: [
            series.setting
            for series in CONFIGS[name].series
            if series.column == column
            and all(getattr(series, key) == value for key, value in wanted.items())
        ]
        for column in DATA
    }


def test_every_table_and_figure_of_the_paper_has_a_config():
    tables = {"accuracy", "networks"}
    figures = {"by_epoch", "pn_by_round", "thresholds", "betas", "normalization", "rates"}
    ours = {"breast_cancer", "chosen_beta"}
    assert set(CONFIGS) == tables | figures | ours


def test_the_papers_table_of_accuracies():
    """Typed in from the paper's page a second time, data set by data set."""
    by_data = {
        CIFAR10: "87.17 1.14 82.97 4.42 85.29 .57 86.46 .36 86.10 .54 84.83 .13 85.77 .08",
        EPSILON: "70.38 1.92 61.53 2.20 63.78 .58 58.71 1.58 63.83 1.13 71.60 1.08 72.01 .91",
        UNSW: "74.61 .26 74.54 .49 77.46 .60 76.59 1.26 77.13 .36 76.60 0 76.60 0",
        BREAST: "90.35 8.48 76.84 10.22 77.19 0 90.70 2.82 75.96 10.32 93.86 1.64 92.28 2.09",
    }
    methods = [*NETWORK_METHODS, *PN_METHODS, "AdaPU over-all", "AdaPU per-group"]
    assert list(paper.ACCURACY) == methods
    for column, text in by_data.items():
        numbers = [number for method in methods for number in paper.ACCURACY[method][column]]
        assert numbers == [float(word) for word in text.split()]


def test_the_papers_beta_and_samples():
    assert paper.BETA == {
        "per-group": {EPSILON: 0.2, UNSW: 0.1, BREAST: 0.001, CIFAR10: 0.2},
        "over-all": {EPSILON: 0.1, UNSW: 0.01, BREAST: 0.0001, CIFAR10: 0.01},
    }
    assert paper.N_POSITIVE == {EPSILON: 1000, UNSW: 1000, BREAST: 10, CIFAR10: 1000}
    for column, prior in ((EPSILON, 0.497), (UNSW, 0.681), (CIFAR10, 0.4)):
        formula = ((1 - prior) / (2 * prior)) ** 2 * 1000
        assert round(formula) == pytest.approx(paper.N_NEGATIVE[column], abs=1)


def test_the_papers_networks():
    assert paper.NETWORKS["nnPU"] == {
        CIFAR10: ("ResNet-18", 5e-8, 1e-4),
        EPSILON: ("MLP-3", 5e-8, 1e-3),
        UNSW: ("MLP-9", 5e-8, 1e-2),
        BREAST: ("MLP-3", 5e-8, 1e-3),
    }
    assert paper.NETWORKS["uPU"] == {
        CIFAR10: ("ResNet-110", 5e-8, 1e-3),
        EPSILON: ("MLP-9", 5e-9, 1e-2),
        UNSW: ("MLP-9", 5e-8, 1e-2),
        BREAST: ("MLP-3", 5e-8, 1e-4),
    }
    assert [paper.ACTIVATION[c] for c in (EPSILON, UNSW, BREAST)] == ["softsign", "relu", "relu"]


@pytest.mark.parametrize("column", DATA)
def test_accuracy_has_every_method_once_with_five_seeds(column):
    series = [one for one in CONFIGS["accuracy"].series if one.column == column]
    assert sorted(one.label for one in series) == sorted(paper.ACCURACY)
    assert all(one.seeds == (0, 1, 2, 3, 4) for one in series)
    adapu = [one.setting for one in series if one.method == "AdaPU"]
    assert [(s["n_estimators"], s["n_thresholds"]) for s in adapu] == [(100, 10), (100, 10)]
    assert all(s["learning_rate"] == paper.BETA[s["normalization"]][column] for s in adapu)


def test_the_grid_is_the_papers():
    grid = settings("networks", method="nnPU")
    assert {column: len(grid[column]) for column in DATA} == {
        CIFAR10: 4 * 3 * 2,
        EPSILON: 5 * 3 * 2,
        UNSW: 5 * 3 * 2,
        BREAST: 5 * 3 * 2,
    }
    assert all(one["held_out"] == HELD_OUT for column in DATA for one in grid[column])
    for method in NETWORK_METHODS:
        for column in DATA:
            chosen = paper.NETWORKS[method][column]
            assert chosen in [
                (s["network"], s["weight_decay"], s["learning_rate"]) for s in grid[column]
            ]


def test_architectures_are_the_estimators():
    assert architecture("MLP-9") == {"network": "mlp", "n_hidden_layers": 9, "width": 300}
    assert architecture("ResNet-110") == {"network": "resnet110"}
    assert architecture("all-conv") == {"network": "all-conv"}


def test_nine_betas_two_thresholds_forty_seeds():
    for column in DATA:
        per_group = [s for s in settings("betas")[column] if s["normalization"] == "per-group"]
        assert [s["learning_rate"] for s in per_group] == list(paper.BETAS)
        assert [s["thresholds"] for s in settings("thresholds")[column]] == ["random", "even"]
    forty = CONFIGS["breast_cancer"].series
    assert {(s.setting["n_thresholds"], s.setting["normalization"]) for s in forty} == {
        (k, name) for k in (1, 10) for name in ("per-group", "over-all")
    }
    assert all(s.seeds == tuple(range(40)) for s in forty)


def test_a_fit_that_several_configs_want_is_run_once():
    wanted = ("accuracy", "by_epoch", "pn_by_round", "betas", "normalization", "rates")
    together = cells(Selection(configs=wanted).series(), SOURCES)
    apart = [
        cell for name in wanted for cell in cells(Selection(configs=(name,)).series(), SOURCES)
    ]
    assert len(together) == len(set(together)) == len(set(apart)) < len(apart)


def test_data_that_are_missing_leave_their_cells_out():
    found = cells(Selection().series(), {(BREAST, False): BREAST})
    assert {cell.column for cell in found} == {BREAST}
    assert not {cell.method for cell in found} & set(NETWORK_METHODS)


def test_presets():
    columns = {
        name: {(c.column, c.method) for c in cells(preset.series(), SOURCES)}
        for name, preset in PRESETS.items()
    }
    assert (CIFAR10, "nnPU") not in columns["paper"]
    assert (UNSW, "nnPU") in columns["paper"]
    assert {column for column, _ in columns["quick"]} == {UNSW, BREAST}
    assert {method for _, method in columns["grid"]} == set(NETWORK_METHODS)
    assert columns["paper"] < columns["all"]


def test_fewer_epochs_are_another_setting():
    (short,) = {
        json.loads(cell.setting)["epochs"]
        for cell in cells(Selection(configs=("networks",), epochs=7).series(), SOURCES)
    }
    assert short == 7
