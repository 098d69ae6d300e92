"""The report: trivial classifiers never look good in it, in words and in numbers."""

import numpy as np
import pytest

from adapu.metrics import (
    pu_accuracy_score,
    pu_average_precision_score,
    pu_brier_score_loss,
    pu_calibration_error,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_report,
    pu_roc_auc_score,
)

SCENARIOS = ["case-control", "single-set"]
S = np.repeat([1, 0], [60, 300])


def drawn(seed, scenario, prior):
    """s, and a score that tells the classes apart fairly well."""
    rng = np.random.default_rng(seed)
    if scenario == "single-set":
        y = rng.random(360) < prior
        s = (y & (rng.random(360) < 0.5)).astype(int)
    else:
        s, y = S, np.r_[np.ones(60, bool), rng.random(300) < prior]
    return s, 1 / (1 + np.exp(-rng.normal(np.where(y, 1.7, -1.7))))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_numbers_are_those_of_the_metrics(scenario):
    s, p = drawn(0, scenario, 0.4)
    pred = (p > 0.5).astype(int)
    keywords = {"prior": 0.4, "scenario": scenario, "sample_weight": np.arange(360) % 3}
    report = pu_report(s, pred, 2 * p, p, output_dict=True, **keywords)
    ones, zeros = np.ones(360), np.zeros(360)
    for name, metric, given, trivial in [
        ("accuracy", pu_accuracy_score, pred, (ones, zeros)),
        ("precision", pu_precision_score, pred, (ones,)),
        ("recall", pu_recall_score, pred, (ones, zeros)),
        ("f1", pu_f1_score, pred, (ones, zeros)),
        ("roc_auc", pu_roc_auc_score, p, (ones, zeros, zeros + 0.4)),
        ("average_precision", pu_average_precision_score, p, (ones, zeros, zeros + 0.4)),
        ("brier_score", pu_brier_score_loss, p, (ones, zeros, zeros + 0.4)),
        ("calibration_error", pu_calibration_error, p, (ones, zeros, zeros + 0.4)),
    ]:
        columns = ["value", "all_positive", "all_negative", "constant_prior"]
        for column, values in zip(columns, (given, *trivial), strict=False):
            found = report[name][column]
            assert found == pytest.approx(metric(s, values, **keywords), abs=1e-12), (name, column)
        assert set(report[name]) == set(columns)
    assert report["better_than_trivial"] is True
    assert report["verdict"] == "better than the trivial classifiers."
    assert (report["scenario"], report["prior"]) == (scenario, 0.4)
    kept = keywords["sample_weight"] > 0
    assert report["n_labeled"] == s[kept].sum()
    assert report["n_unlabeled"] == (1 - s)[kept].sum()


@pytest.mark.parametrize("prior", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_one_class_for_all(scenario, prior):
    for value, word in [(1, "positive"), (0, "negative")]:
        report = pu_report(S, np.full(360, value), prior=prior, scenario=scenario, output_dict=True)
        assert not report["better_than_trivial"]
        assert report["verdict"].startswith(f"trivial: every row is predicted {word}")
        for name in ("accuracy", "recall", "f1"):
            assert report[name]["value"] == pytest.approx(report[name][f"all_{word}"], abs=1e-12)
        text = pu_report(S, np.full(360, value), prior=prior, scenario=scenario)
        assert f"verdict: {report['verdict']}" in text


@pytest.mark.parametrize("prior", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_one_class_for_all_but_a_few(scenario, prior):
    """A row or two of the other class are no knowledge, though accuracy may exceed the prior's."""
    for value in (1, 0):
        for place in (-1, 0):  # an unlabeled, a labeled row
            pred = np.full(360, value)
            pred[place] = 1 - value
            report = pu_report(S, pred, prior=prior, scenario=scenario, output_dict=True)
            assert not report["better_than_trivial"]


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_coins(scenario, rate):
    """Predictions by chance pass one time in 44, as two standard errors mean."""
    rng = np.random.default_rng(5)
    passed = 0
    for _ in range(200):
        pred = (rng.random(360) < rate).astype(int)
        report = pu_report(S, pred, rng.random(360), prior=0.3, scenario=scenario, output_dict=True)
        passed += report["better_than_trivial"]
    assert passed <= 10


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_worse_than_chance(scenario):
    s, p = drawn(1, scenario, 0.4)
    keywords = {"prior": 0.4, "scenario": scenario}
    report = pu_report(s, (p < 0.5).astype(int), -p, output_dict=True, **keywords)
    assert "no better than chance" in report["verdict"]
    assert "rank no better than chance" in report["verdict"]


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_constant_scores(value):
    s, p = drawn(2, "case-control", 0.4)
    pred = (p > 0.5).astype(int)
    report = pu_report(s, pred, np.full(360, value), prior=0.4, output_dict=True)
    assert "same for every row" in report["verdict"]
    assert not report["better_than_trivial"]
    assert report["roc_auc"]["value"] == pytest.approx(0.5)
    assert report["average_precision"]["value"] == pytest.approx(0.4)


def test_what_counts_as_chance_does_not_depend_on_scenario_and_prior():
    """It is a matter of labeled and unlabeled rows alone."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        score = rng.normal(0.3 * S)  # about two standard errors
        verdicts = [
            pu_report(S, score > 0, score, output_dict=True, **keywords)["verdict"]
            for keywords in (
                {"prior": 0.2},
                {"prior": 0.8},
                {"prior": 0.6, "scenario": "single-set"},
            )
        ]
        for words in ("are predicted positive at a rate", "rank no better than chance"):
            assert len({words in verdict for verdict in verdicts}) == 1


def test_informed_but_no_more_accurate_than_one_class():
    s, p = drawn(3, "case-control", 0.05)
    report = pu_report(s, (p > 0.3).astype(int), prior=0.05, output_dict=True)
    assert "no better than trivial in accuracy" in report["verdict"]
    assert "calling every row negative has 0.950" in report["verdict"]
    s, p = np.tile(drawn(3, "case-control", 0.7), 10)
    report = pu_report(s, (p > 0.85).astype(int), prior=0.7, output_dict=True)
    assert "calling every row positive has 0.700" in report["verdict"]
    assert "no better than trivial in F1" in report["verdict"]


def test_probabilities_worse_than_the_prior():
    s, p = drawn(4, "case-control", 0.4)
    report = pu_report(s, (p > 0.5).astype(int), y_prob=1 - p, prior=0.4, output_dict=True)
    assert "no better than trivial in Brier score" in report["verdict"]
    assert "giving every row the prior has 0.240" in report["verdict"]


@pytest.mark.parametrize("copies", [2, 3])
def test_weights_change_what_is_counted_alone(copies):
    s, p = drawn(6, "single-set", 0.4)
    keywords = {"prior": 0.4, "scenario": "single-set"}
    weighted = pu_report(s, p > 0.5, y_prob=p, sample_weight=np.full(360, copies), **keywords)
    assert weighted == pu_report(s, p > 0.5, y_prob=p, **keywords)


@pytest.mark.parametrize(("scenario", "prior"), [("single-set", 0.6), ("case-control", 0.3)])
def test_rows_known_by_heart(scenario, prior):
    """Whoever calls the labeled rows positive, and no other, misses the positives among U."""
    report = pu_report(S, S, prior=prior, scenario=scenario, output_dict=True)
    assert report["accuracy"]["value"] > 1
    assert not report["better_than_trivial"]
    assert report["verdict"].startswith("impossible: only 0.")
    for words in ("learned from these rows", "may be few", "the prior or the scenario is wrong"):
        assert words in report["verdict"]
    text = pu_report(S, S, prior=prior, scenario=scenario)
    assert "outside [0, 1]: these are estimates, on few rows, on rows that the model has" in text


@pytest.mark.parametrize("tpr", [0.6, 0.9, 1.0])
@pytest.mark.parametrize("n", [40, 400])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_possible(scenario, n, tpr):
    """No negative is called positive, the limit of what may be: noise passes it now and then."""
    rng = np.random.default_rng(2)
    impossible = 0
    for _ in range(200):
        y = rng.random(n) < 0.5
        if scenario == "single-set":
            s = (y & (rng.random(n) < 0.4)).astype(int)
        else:
            s, y = np.repeat([1, 0], [n // 5, n]), np.r_[np.ones(n // 5, bool), y]
        predicted = y & (rng.random(len(y)) < tpr)
        report = pu_report(s, predicted, prior=0.5, scenario=scenario, output_dict=True)
        impossible += "impossible" in report["verdict"]
    assert impossible <= 12


def test_weights_change_the_noise_of_what_is_impossible():
    """Heavy rows are fewer rows: what many rows show to be impossible, few leave open."""
    s = np.repeat([1, 0], [50, 200])
    predicted = np.r_[np.ones(50), np.ones(40), np.zeros(160)].astype(int)
    keywords = {"prior": 0.3, "output_dict": True}
    assert "impossible" in pu_report(s, predicted, **keywords)["verdict"]
    weight = np.where(np.arange(250) % 10 == 0, 1.0, 1e-3)
    assert "impossible" not in pu_report(s, predicted, sample_weight=weight, **keywords)["verdict"]


def test_text():
    s, p = drawn(0, "case-control", 0.4)
    p = 0.5 * p + 0.5 * np.random.default_rng(1).random(360)  # no value is above 1
    text = pu_report(s, (p > 0.5).astype(int), y_prob=p, prior=0.4, digits=2)
    lines = text.splitlines()
    heads = ["value", "all positive", "all negative", "constant prior"]
    assert [head.strip() for head in lines[0].split("  ") if head] == heads
    rows = {line[:17].strip(): line[17:].split() for line in lines[2:-3]}
    assert rows["precision"][1:] == ["0.40", "-", "-"]
    assert rows["Brier score"][1:] == ["0.60", "0.40", "0.24"]
    assert len(rows) == 9
    assert len({len(line) for line in [lines[0], *lines[2:-3]]}) == 1  # columns line up
    assert lines[-2].startswith("60 labeled and 300 unlabeled rows (case-control), prior 0.40")
    assert lines[-1] == "verdict: better than the trivial classifiers."


def test_values_outside_0_and_1_are_explained():
    s, pred = [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]
    assert "outside [0, 1]: these are estimates" in pu_report(s, pred, prior=0.5)
    assert "outside" not in pu_report(s, pred, prior=0.2)
    below = pu_report(s, [0, 0, 1, 1, 1], [1, 1, 2, 2, 2], prior=0.5)
    assert "outside [0, 1]: these are estimates" in below


def test_digits():
    for wrong in (-1, 1.5, "3"):
        with pytest.raises((TypeError, ValueError), match="digits must be a whole number"):
            pu_report(S, S, prior=0.4, digits=wrong)


def test_bad_scores_and_probabilities():
    for keywords in ({"y_score": S[:-1]}, {"y_prob": S[:-1]}):
        with pytest.raises(
            ValueError, match=rf"{next(iter(keywords))} must hold one value per row"
        ):
            pu_report(S, S, prior=0.4, **keywords)
    with pytest.raises(ValueError, match="y_prob must hold probabilities"):
        pu_report(S, S, y_prob=3 * S, prior=0.4)
