"""The reporter on a small results file: it counts right, and says what is a substitute or empty."""

import numpy as np
import pytest

from experiments import store, tables
from experiments.configs import CONFIGS, Series, adapu, network, paper_network
from experiments.data import CIFAR10_IMAGES, EPSILON_LIKE, UNSW_SPLIT
from experiments.found import Results, mean_and_std, paper_accuracy
from experiments.paper import BREAST, CIFAR10, EPSILON, UNSW, Network

SENTENCE = "the rows are a part of another partition"


def row(series, seed, accuracy, *, source=None, substitute="", **more):
    return {
        "data": source or series.column,
        "method": series.method,
        "setting": dict(series.setting),
        "seed": seed,
        "test_accuracy": accuracy,
        "device": "cpu",
        "seconds": 1.0,
        "versions": {"adapu": "0"},
        "substitute": substitute,
        "features": [2, 2, -1, 5],
        "curves": {"test_loss": [0.5, 1 - accuracy], "train_loss": [0.4, 0.3]},
        **more,
    }


@pytest.fixture
def results(tmp_path):
    def make(*rows, also=()):
        files = []
        for name, lines in (("rows.jsonl", rows), ("kept.jsonl", also)):
            files.append(tmp_path / name)
            files[-1].unlink(missing_ok=True)
            with store.Writer(files[-1]) as writer:
                for line in lines:
                    writer.append(line)
        return Results(files)

    return make


def test_mean_and_std():
    assert mean_and_std(np.array([1.0, 3.0])) == (2.0, pytest.approx(2**0.5))
    assert mean_and_std(np.array([1.0])) == (1.0, None)


def test_a_cell_says_how_it_departs_from_the_protocol(results):
    series = adapu(BREAST)
    found = results(*(row(series, seed, 0.9 + seed / 100) for seed in range(5))).find(series)
    assert found.text() == "92.00 (1.58)"
    one = results(row(series, 3, 0.9)).find(series)
    assert one.text() == "90.00, 1 seed"
    net = paper_network(BREAST, "nnPU")
    short = Series(**{**vars(net), "setting": {**net.setting, "epochs": 7}})
    found = results(row(short, 0, 0.8)).find(net)
    assert found.text() == "80.00, 1 seed, 7 epochs"
    found = results(row(short, 0, 0.8), row(net, 0, 0.7)).find(net)
    assert found.text() == "70.00, 1 seed"  # as many epochs as asked, where there are such


def test_curves_go_on_where_boosting_stopped(results):
    series = adapu(BREAST)
    curves = results(row(series, 0, 0.9), row(series, 1, 0.8)).find(series).curves("test_loss")
    assert curves.shape == (2, 100)
    np.testing.assert_allclose(curves[:, 0], 50)
    np.testing.assert_allclose(curves[:, 1:], np.repeat([[10], [20]], 99, axis=1))


def test_the_real_set_goes_before_a_substitute(results):
    series = adapu(UNSW)
    real = row(series, 0, 0.7)
    split = row(series, 0, 0.9, source=UNSW_SPLIT, substitute=SENTENCE)
    assert results(split, real).find(series).source == UNSW
    both = results(split)
    assert both.find(series).source == UNSW_SPLIT
    assert both.substitutes([UNSW, BREAST]) == {UNSW: SENTENCE}
    page = "\n".join(tables.page(both))
    assert f"**UNSW-NB15†** is a substitute: {SENTENCE}" in page
    assert "| UNSW-NB15† |" in page and "| Epsilon† |" not in page


def test_the_first_file_goes_before_the_rows_that_are_kept(results):
    series = adapu(BREAST)
    found = results(row(series, 0, 0.9), also=[row(series, 0, 0.1), row(series, 1, 0.7)])
    assert found.find(series).accuracies.tolist() == [90, 70]


def test_empty_cells_have_their_reasons(results):
    failed = row(paper_network(BREAST, "uPU"), 0, 0.0, failed="it broke")
    del failed["test_accuracy"]
    missing = {"data": CIFAR10_IMAGES, "missing": "no images"}
    found = results(row(adapu(BREAST), 0, 0.9), missing, failed)
    assert found.reason(paper_network(CIFAR10, "nnPU")) == "no images"
    assert found.reason(paper_network(BREAST, "uPU")) == "it broke"
    assert "python -m experiments.run" in found.reason(adapu(CIFAR10))
    table = "\n".join(tables.accuracy(found))
    notes = [line for line in table.splitlines() if line.startswith("- [")]
    marks = {part.split("]")[0] for part in table.split("empty [")[1:]}
    assert marks == {str(i) for i in range(1, len(notes) + 1)}
    assert any("it broke" in note for note in notes) and any("no images" in n for n in notes)


def test_the_papers_number_stands_beside_ours():
    assert paper_accuracy(adapu(EPSILON, "over-all")) == (71.60, 1.08)
    assert paper_accuracy(paper_network(BREAST, "uPU")) == (76.84, 10.22)


def test_networks_are_chosen_on_test_accuracy_and_by_validation(results):
    good, valid = Network("MLP-1", 5e-8, 1e-3), Network("MLP-9", 5e-9, 1e-2)
    rows = [
        row(network(BREAST, "nnPU", one, held_out=0.2), 0, accuracy, validation_loss=loss)
        for one, accuracy, loss in ((good, 0.95, 0.3), (valid, 0.85, 0.1))
    ]
    page = "\n".join(tables.networks(results(*rows)))
    line = next(x for x in page.splitlines() if x.startswith("| nnPU | Breast Cancer"))
    assert "MLP-1, 0.001, 5e-08 | 95.00 | MLP-9, 0.01, 5e-09 | 85.00 | 2 of 30" in line


def test_beta_chosen_by_the_rows(results):
    cv = next(s for s in CONFIGS["chosen_beta"].series if s.column == BREAST)
    chosen = {"beta_after_all_rounds": 0.2, "chosen_beta": 0.5, "chosen_rounds": 7}
    rows = [row(cv, seed, 0.8, **chosen) for seed in range(2)]
    rows += [row(adapu(BREAST, beta=0.2), seed, 0.7 + seed / 10) for seed in range(5)]
    page = "\n".join(tables.chosen_beta(results(*rows)))
    line = next(x for x in page.splitlines() if x.startswith("| Breast Cancer | per-group"))
    assert "2 × 0.2 | 75.00 (7.07) | 2 × 0.5 (7 rounds) | 80.00 (0.00)" in line
    assert line.endswith("| 0.2 | 90.00 (15.81) |")


def test_feature_use_and_missing_panels_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    from experiments.figures import write_all

    series = [adapu(EPSILON, thresholds=name) for name in ("random", "even")]
    rows = [
        row(one, seed, 0.7, source=EPSILON_LIKE, substitute=SENTENCE)
        for one in series
        for seed in range(2)
    ]
    written = write_all(results(*rows), tmp_path / "figures", ["thresholds"])
    assert [path.name for path in written] == ["thresholds.png", "thresholds.svg"]
    assert all(path.stat().st_size > 1000 for path in written)
