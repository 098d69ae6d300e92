"""Each metric has its fully labeled twin's value: by hand, exactly in the limit, on average."""

import re
import subprocess
import sys
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as labeled
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from sklearn.exceptions import UndefinedMetricWarning

from adapu import metrics as pu

SCENARIOS = ["case-control", "single-set"]
OF_PREDICTIONS = {
    pu.pu_zero_one_loss: labeled.zero_one_loss,
    partial(pu.pu_zero_one_loss, non_negative=True): labeled.zero_one_loss,
    pu.pu_accuracy_score: labeled.accuracy_score,
    partial(pu.pu_precision_score, zero_division=0): partial(
        labeled.precision_score, zero_division=0
    ),
    pu.pu_recall_score: labeled.recall_score,
    pu.pu_f1_score: labeled.f1_score,
    partial(pu.lee_liu_score, zero_division=0): None,
}
OF_SCORES = {
    pu.pu_roc_auc_score: labeled.roc_auc_score,
    pu.pu_average_precision_score: labeled.average_precision_score,
}
OF_PROBABILITIES = {pu.pu_brier_score_loss: labeled.brier_score_loss}
CALIBRATION = [
    partial(pu.pu_calibration_error, n_bins=n_bins, strategy=strategy)
    for n_bins in (1, 3, 10)
    for strategy in ("uniform", "quantile")
]
CURVES = [
    partial(curve, clip=clip)
    for curve in (pu.pu_roc_curve, pu.pu_precision_recall_curve)
    for clip in (True, False)
]
ALL = [*OF_PREDICTIONS, *OF_SCORES, *OF_PROBABILITIES, *CALIBRATION, *CURVES]


def second(metric, scores):
    """What the metric takes beside s: scores in [0, 1], or the classes that they give."""
    return (np.asarray(scores) > 0.5).astype(int) if metric in OF_PREDICTIONS else scores


def assert_close(found, wanted, atol=1e-12):
    """Two numbers, or two curves."""
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=atol)


# ---------------------------------------------------------------- by hand


S = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
PRED = [1, 1, 1, 0, 1, 1, 0, 0, 0, 0]
SCORE = [0.9, 0.8, 0.6, 0.2, 0.8, 0.7, 0.3, 0.2, 0.1, 0.1]


@pytest.mark.parametrize(
    ("metric", "case_control", "single_set"),
    # TPR = 3/4 and q = 2/6 (case-control) or 5/10 (single set); π = 0.4 and 0.5
    [
        (pu.pu_zero_one_loss, 0.1 + 1 / 3 - 0.3, 0.125 + 0.5 - 0.375),
        (pu.pu_accuracy_score, 0.9 - 1 / 3 + 0.3, 0.75),
        (pu.pu_precision_score, 0.9, 0.75),
        (pu.pu_recall_score, 0.75, 0.75),
        (pu.pu_f1_score, 0.6 / (0.4 + 1 / 3), 0.75),
        (pu.lee_liu_score, 27 / 16, 9 / 8),
        # A = (6 + 5.5 + 4 + 2.5) / 24 = 3/4; π_U is 0.4 and (0.5 − 0.4) / 0.6 = 1/6
        (pu.pu_roc_auc_score, 0.55 / 0.6, (3 / 4 - 1 / 12) / (5 / 6)),
        # E₊[1 − 2p] = −1/4; the sum of p² is 1.28 over U, 1.85 over P
        (pu.pu_brier_score_loss, -0.1 + 1.28 / 6, -0.125 + 3.13 / 10),
    ],
)
def test_by_hand(metric, case_control, single_set):
    given = PRED if metric in (*OF_PREDICTIONS, pu.pu_precision_score, pu.lee_liu_score) else SCORE
    assert metric(S, given, prior=0.4) == pytest.approx(case_control, abs=1e-14)
    found = metric(S, given, prior=0.5, scenario="single-set")
    assert found == pytest.approx(single_set, abs=1e-14)


def test_average_precision_by_hand():
    # from the top: TPR 1/4, 2/4, 3/4, 3/4, ... and q 0, 1/6, 2/6, ...; at 0.2 they are 1 and 4/6
    steps = [1 / 4 * 1, 1 / 4 * 1, 1 / 4 * 0.4 * (3 / 4) / (2 / 6), 1 / 4 * 0.4 * 1 / (4 / 6)]
    assert pu.pu_average_precision_score(S, SCORE, prior=0.4) == pytest.approx(sum(steps))


def test_calibration_error_by_hand():
    # uniform, two bins: up to 0.5 sum of p 0.7 over U, 1 of 4 labeled; above 1.5 and 3 of 4
    wanted = abs(0.7 / 6 - 0.4 / 4) + abs(1.5 / 6 - 0.4 * 3 / 4)
    assert pu.pu_calibration_error(S, SCORE, prior=0.4, n_bins=2) == pytest.approx(wanted)
    # quantiles: of 0.1 0.1 0.2 0.3 0.7 0.8 a third lies up to 0.1, two thirds up to 0.3
    wanted = 0.2 / 6 + abs(0.5 / 6 - 0.4 / 4) + abs(1.5 / 6 - 0.4 * 3 / 4)
    found = pu.pu_calibration_error(S, SCORE, prior=0.4, n_bins=3, strategy="quantile")
    assert found == pytest.approx(wanted)


def test_raw_curves_by_hand():
    fpr, tpr, thresholds = pu.pu_roc_curve([1, 0, 0], [2, 1, 0], prior=0.5, clip=False)
    np.testing.assert_array_equal(fpr, [0, -1, 0, 1])
    np.testing.assert_array_equal(tpr, [0, 1, 1, 1])
    np.testing.assert_array_equal(thresholds, [np.inf, 2, 1, 0])
    precision, recall, thresholds = pu.pu_precision_recall_curve(
        [1, 0, 0], [2, 1, 0], prior=0.5, clip=False
    )
    np.testing.assert_array_equal(precision, [0.5, 1, np.inf, 1])
    np.testing.assert_array_equal(recall, [1, 1, 1, 0])
    np.testing.assert_array_equal(thresholds, [0, 1, 2])


# ---------------------------------------------------------------- the labeled twin, exactly


def scored_rows(seed, n=40):
    rng = np.random.default_rng(seed)
    scores = rng.choice(np.linspace(0, 1, 9), n)  # ties, and both ends
    y = (rng.random(n) < 0.2 + 0.6 * scores).astype(int)
    return y, scores, rng.integers(0, 4, n)


def naive_calibration_error(y, p, weight, borders):
    """The textbook's: over bins, the share times the distance of mean probability and rate."""
    error = 0.0
    for b in range(len(borders) + 1):
        rows = [i for i in range(len(p)) if sum(p[i] > border for border in borders) == b]
        total = sum(weight[i] for i in rows)
        if total:
            mean = sum(weight[i] * p[i] for i in rows) / total
            rate = sum(weight[i] * y[i] for i in rows) / total
            error += total / sum(weight) * abs(mean - rate)
    return error


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_with_every_positive_labeled_it_is_the_twin(seed, weighted):
    y, scores, weight = scored_rows(seed)
    weight = weight if weighted else np.ones(len(y))
    everything = {"prior": np.average(y, weights=weight), "scenario": "single-set"}
    for metric, twin in {**OF_PREDICTIONS, **OF_SCORES, **OF_PROBABILITIES}.items():
        if twin is not None:
            given = second(metric, scores)
            wanted = twin(y, given, sample_weight=weight)
            assert_close(metric(y, given, sample_weight=weight, **everything), wanted)
    for clip in (False, True):
        found = pu.pu_roc_curve(y, scores, sample_weight=weight, clip=clip, **everything)
        wanted = labeled.roc_curve(y, scores, sample_weight=weight, drop_intermediate=False)
        assert_close(found, wanted)
        found = pu.pu_precision_recall_curve(
            y, scores, sample_weight=weight, clip=clip, **everything
        )
        wanted = labeled.precision_recall_curve(
            y[weight > 0], scores[weight > 0], sample_weight=weight[weight > 0]
        )
        assert_close(found, wanted)
    error = naive_calibration_error(y, scores, weight, [0.25, 0.5, 0.75])
    found = pu.pu_calibration_error(y, scores, sample_weight=weight, n_bins=4, **everything)
    assert_close(found, error)
    borders = np.percentile(
        np.repeat(scores, weight.astype(int)), [25, 50, 75], method="inverted_cdf"
    )
    error = naive_calibration_error(y, scores, weight, borders)
    found = pu.pu_calibration_error(
        y, scores, sample_weight=weight, n_bins=4, strategy="quantile", **everything
    )
    assert_close(found, error)


# ---------------------------------------------------------------- the labeled twin, on average

PRIOR = 0.3


def population(rng, n, y=None):
    """n rows: the class, a probability that is not calibrated and the class predicted with it."""
    y = (rng.random(n) < PRIOR).astype(int) if y is None else y
    score = 1 / (1 + np.exp(-rng.normal(1.6 * y - 0.9, 1.0)))
    return y, score, (score > 0.45).astype(int)


def pu_sample(rng, scenario, n, label_frequency):
    """s, scores and predictions of a PU sample of about n rows."""
    if scenario == "single-set":
        y, score, pred = population(rng, n)
        return (y * (rng.random(n) < label_frequency)).astype(int), score, pred
    n_labeled = int(n * PRIOR * label_frequency)
    _, score_p, pred_p = population(rng, n_labeled, np.ones(n_labeled))
    _, score_u, pred_u = population(rng, n - n_labeled)
    s = np.repeat([1, 0], [n_labeled, n - n_labeled])
    return s, np.r_[score_p, score_u], np.r_[pred_p, pred_u]


@pytest.fixture(scope="module")
def truth():
    return population(np.random.default_rng(1), 500_000)


@pytest.mark.parametrize("label_frequency", [0.2, 0.5])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_unbiased(truth, scenario, label_frequency):
    unbiased = [
        pu.pu_zero_one_loss,
        pu.pu_accuracy_score,
        pu.pu_recall_score,
        pu.pu_roc_auc_score,
        pu.pu_brier_score_loss,
    ]
    twins = {**OF_PREDICTIONS, **OF_SCORES, **OF_PROBABILITIES}
    rng = np.random.default_rng(2)
    found = []
    for _ in range(300):
        s, score, pred = pu_sample(rng, scenario, 150, label_frequency)
        found.append(
            [
                metric(
                    s, pred if metric in OF_PREDICTIONS else score, prior=PRIOR, scenario=scenario
                )
                for metric in unbiased
            ]
        )
    y, score, pred = truth
    for metric, values in zip(unbiased, np.transpose(found), strict=True):
        wanted = twins[metric](y, pred if metric in OF_PREDICTIONS else score)
        standard_error = values.std(ddof=1) / np.sqrt(len(values)) + 1e-3  # of both samples
        assert abs(values.mean() - wanted) < 4 * standard_error, metric


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_consistent(truth, scenario):
    s, score, pred = pu_sample(np.random.default_rng(3), scenario, 200_000, 0.5)
    keywords = {"prior": PRIOR, "scenario": scenario}
    y, true_score, true_pred = truth
    for metric, twin in {**OF_PREDICTIONS, **OF_SCORES, **OF_PROBABILITIES}.items():
        if twin is not None:
            given, true = (pred, true_pred) if metric in OF_PREDICTIONS else (score, true_score)
            assert metric(s, given, **keywords) == pytest.approx(twin(y, true), abs=0.008), metric
    precision, recall = labeled.precision_score(y, true_pred), labeled.recall_score(y, true_pred)
    found = pu.lee_liu_score(s, pred, scenario=scenario)
    assert found == pytest.approx(precision * recall / PRIOR, abs=0.03)
    for strategy in ("uniform", "quantile"):
        bins = {"n_bins": 5, "strategy": strategy}
        everything = {"prior": y.mean(), "scenario": "single-set"}
        wanted = pu.pu_calibration_error(y, true_score, **everything, **bins)  # tested above
        assert wanted > 0.05
        found = pu.pu_calibration_error(s, score, **keywords, **bins)
        assert found == pytest.approx(wanted, abs=0.01)
    for clip in (False, True):
        fpr, tpr, thresholds = pu.pu_roc_curve(s, score, clip=clip, **keywords)
        precision, recall, at = pu.pu_precision_recall_curve(s, score, clip=clip, **keywords)
        for cut in (0.2, 0.5, 0.8):
            place = np.searchsorted(-thresholds, -cut, side="right") - 1
            assert fpr[place] == pytest.approx((true_score[y == 0] >= cut).mean(), abs=0.01)
            assert tpr[place] == pytest.approx((true_score[y == 1] >= cut).mean(), abs=0.01)
            place = np.searchsorted(at, cut)
            assert precision[place] == pytest.approx(y[true_score >= cut].mean(), abs=0.02)
            assert recall[place] == pytest.approx((true_score[y == 1] >= cut).mean(), abs=0.01)


def test_the_wrong_scenario_shows(truth):
    s, score, _ = pu_sample(np.random.default_rng(4), "single-set", 100_000, 0.9)
    wanted = labeled.roc_auc_score(truth[0], truth[1])
    assert pu.pu_roc_auc_score(s, score, prior=PRIOR) > wanted + 0.1
    found = pu.pu_roc_auc_score(s, score, prior=PRIOR, scenario="single-set")
    assert found == pytest.approx(wanted, abs=0.01)


# ---------------------------------------------------------------- what must not matter


@st.composite
def weighted_samples(draw):
    n = draw(st.integers(2, 12))
    s = np.array([1, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    levels = st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.7, 0.9, 1.0])
    scores = np.array(draw(st.lists(levels, min_size=n, max_size=n)))
    more = draw(st.lists(st.integers(0, 3), min_size=n - 2, max_size=n - 2))
    return s, scores, np.array([*draw(st.tuples(st.integers(1, 3), st.integers(1, 3))), *more])


@pytest.mark.parametrize("metric", ALL)
@settings(max_examples=40)
@given(sample=weighted_samples(), scenario=st.sampled_from(SCENARIOS))
def test_a_weight_of_2_is_a_row_twice_and_of_0_none(metric, sample, scenario):
    s, scores, weight = sample
    values = second(metric, scores)
    keywords = {"prior": 0.95, "scenario": scenario}
    if scenario == "single-set" and np.average(s, weights=weight) > 0.95:
        return
    found = metric(s, values, sample_weight=weight, **keywords)
    assert_close(found, metric(np.repeat(s, weight), np.repeat(values, weight), **keywords))
    assert_close(metric(s, values, sample_weight=0.3 * weight, **keywords), found)
    order = np.random.default_rng(0).permutation(len(s))
    assert_close(metric(s[order], values[order], sample_weight=weight[order], **keywords), found)


@given(sample=weighted_samples(), scenario=st.sampled_from(SCENARIOS))
def test_identities(sample, scenario):
    s, scores, weight = sample
    keywords = {"prior": 0.9, "scenario": scenario, "sample_weight": weight}
    if scenario == "single-set" and np.average(s, weights=weight) > 0.9:
        return
    fpr, tpr, _ = pu.pu_roc_curve(s, scores, clip=False, **keywords)
    auc = pu.pu_roc_auc_score(s, scores, **keywords)
    assert auc == pytest.approx(trapezoid(tpr, fpr))
    assert pu.pu_roc_auc_score(s, -scores, **keywords) == pytest.approx(1 - auc)
    fpr, tpr, _ = pu.pu_roc_curve(s, scores, **keywords)
    for rate in (fpr, tpr):
        assert rate[0] == 0
        assert rate[-1] == 1
        assert (np.diff(rate) >= 0).all()
    precision, recall, _ = pu.pu_precision_recall_curve(s, scores, **keywords)
    assert ((precision >= 0) & (precision <= 1)).all()
    assert 0 <= pu.pu_average_precision_score(s, scores, **keywords) <= 1
    predicted = scores > 0.5
    loss = pu.pu_zero_one_loss(s, predicted, **keywords)
    assert pu.pu_zero_one_loss(s, predicted, non_negative=True, **keywords) >= max(loss, 0)
    classes = pu.pu_brier_score_loss(s, predicted, **keywords)
    assert classes == pytest.approx(loss)


@pytest.mark.parametrize("metric", ALL)
def test_how_the_labels_are_written(metric):
    s, scores = np.array(S), np.array(SCORE)
    values = second(metric, scores)
    wanted = metric(s, values, prior=0.4)

    def found(s, codes, **keywords):
        coded = np.array(codes)[values] if metric in OF_PREDICTIONS else values
        return metric(s, coded, prior=0.4, **keywords)

    for other, positive in [(0, 1), (-1, 1), (False, True), (0.0, 1.0), (-1, 2)]:
        assert_close(found(np.where(s == 1, positive, other), [other, positive]), wanted)
    text = np.where(s == 1, "a positive", "unknown")
    assert_close(found(text, ["unknown", "a positive"], pos_label="a positive"), wanted)
    assert_close(found(1 - s, [1, 0], pos_label=0), wanted)
    assert_close(found(np.where(s == 1, 1, -1), [0, 1]), wanted)  # 0 and −1 both mean negative
    assert_close(found(s, [-1, 1]), wanted)
    assert_close(found(s == 1, [0, 1]), wanted)
    assert_close(found(list(s), [0, 1]), wanted)
    index = np.arange(len(s))[::-1]  # positions count, not an index
    assert_close(found(pd.Series(s, index=index), [0, 1]), wanted)
    for dtype in ("Int64", "boolean", object):
        assert_close(found(pd.Series(s == 1, dtype=dtype), [0, 1]), wanted)
    assert_close(metric(s, pd.Series(values, index=index), prior=0.4), wanted)
    assert_close(metric(s, list(values), prior=0.4, sample_weight=[1.0] * len(s)), wanted)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_constant_scores(scenario, value):
    keywords = {"prior": 0.5, "scenario": scenario}
    constant = np.full(len(S), value)
    assert pu.pu_roc_auc_score(S, constant, **keywords) == pytest.approx(0.5)
    assert pu.pu_average_precision_score(S, constant, **keywords) == pytest.approx(0.5)
    assert pu.pu_brier_score_loss(S, constant, **keywords) == pytest.approx(0.5 - value + value**2)
    for metric in CALIBRATION:
        assert metric(S, constant, **keywords) == pytest.approx(abs(0.5 - value))
    assert_close(pu.pu_roc_curve(S, constant, **keywords), ([0, 1], [0, 1], [np.inf, value]))


@pytest.mark.parametrize("metric", [pu.pu_precision_score, pu.lee_liu_score])
def test_no_row_predicted_positive(metric):
    none, only_labeled = np.zeros(len(S)), np.array(S)
    for nothing in (none, only_labeled):  # in case-control q is over the unlabeled rows
        with pytest.warns(UndefinedMetricWarning, match="no row of the population is predicted"):
            assert metric(S, nothing, prior=0.4) == 0
        assert metric(S, nothing, prior=0.4, zero_division=0) == 0
        assert metric(S, nothing, prior=0.4, zero_division=1.0) == 1
        assert np.isnan(metric(S, nothing, prior=0.4, zero_division=np.nan))
    assert metric(S, only_labeled, prior=0.4, scenario="single-set") > 0
    for wrong in ("wurn", 0.5, None):
        with pytest.raises(ValueError, match=r"zero_division.*'warn', 0.0, 1.0, nan; got"):
            metric(S, none, prior=0.4, zero_division=wrong)


def test_results_are_plain_numbers():
    for metric in [*OF_PREDICTIONS, *OF_SCORES, *OF_PROBABILITIES, *CALIBRATION]:
        values = second(metric, SCORE)
        wanted = metric(S, values, prior=0.375)
        for prior in (np.float64(0.375), np.float32(0.375), Fraction(3, 8)):
            found = metric(S, values, prior=prior)
            assert type(found) is float
            assert found == wanted


# ---------------------------------------------------------------- bad input


def refused(patterns, metric, *arguments, **keywords):
    with pytest.raises((ValueError, TypeError)) as caught:
        metric(*arguments, **({"prior": 0.4} | keywords))
    message = str(caught.value)
    for pattern in patterns:
        assert re.search(pattern, message), (pattern, message)
    assert len(message) < 400
    assert "\n" not in message


@pytest.mark.parametrize("metric", [*ALL, pu.pu_report])
class TestBadInput:
    def values(self, metric):
        return PRED if metric is pu.pu_report else second(metric, SCORE)

    @pytest.mark.parametrize("prior", [0, 1, -0.1, 1.5, np.nan, "0.4"])
    def test_prior(self, metric, prior):
        refused(
            [r"prior must be", "0", "1", str(prior)], metric, S, self.values(metric), prior=prior
        )

    def test_prior_below_the_labeled_share(self, metric):
        values = self.values(metric)
        keywords = {"scenario": "single-set", "prior": 0.29}
        refused(["prior", r"\b0\.4\b", r"\b0\.29\b", "case-control"], metric, S, values, **keywords)
        weight = np.where(np.array(S) == 1, 1.5, 1.0)
        keywords |= {"prior": 0.35, "sample_weight": weight}
        refused(["prior", r"0\.5\b", r"0\.35"], metric, S, values, **keywords)
        # neither rounding nor a row that a fold has too many is a reason to refuse
        for prior in (0.4, 0.3, np.nextafter(0.3, 0)):
            metric(S, values, prior=prior, scenario="single-set")
        metric(S, values, prior=0.29)  # in case-control the labeled share says nothing

    @pytest.mark.parametrize("scenario", ["censoring", None, "single_set"])
    def test_scenario(self, metric, scenario):
        patterns = ["scenario must be", "case-control", "single-set", repr(scenario)]
        refused(patterns, metric, S, self.values(metric), scenario=scenario)

    def test_one_kind_of_row(self, metric):
        values = self.values(metric)
        refused([r"^s has no positive row", "use StratifiedKFold"], metric, np.zeros(10), values)
        refused([r"^s has no unlabeled row", "use StratifiedKFold"], metric, np.ones(10), values)
        weight = np.array(S)
        refused([r"^s has no unlabeled row", "weight 0"], metric, S, values, sample_weight=weight)
        refused([r"^s has no positive", "weight 0"], metric, S, values, sample_weight=1 - weight)

    def test_s(self, metric):
        values = self.values(metric)
        refused(["^s must hold", "empty"], metric, [], [])
        refused(["s must hold two labels", r"0\.9"], metric, SCORE, values)
        refused(["s must hold two labels", "holds 3"], metric, [2, *S[1:]], values)
        refused(["^s must not have missing", "nan", "row 9"], metric, [*S[:9], np.nan], values)
        refused(["^s must not have missing", "None", "row 9"], metric, [*S[:9], None], values)
        series = pd.Series([*S[:9], pd.NA], dtype="Int64")
        refused(["^s must not have missing", "row 9"], metric, series, values)
        refused([r"^s must hold one value", r"\(10, 2\)\.$"], metric, np.zeros((10, 2)), values)
        refused([r"^s must hold"], metric, 1, values)
        refused([r"s must hold two labels"], metric, ["a", *S[1:]], values)
        mixed = np.array(["a", *S[1:]], dtype=object)
        refused([r"^s must hold two labels of one kind"], metric, mixed, values)
        text = np.where(np.array(S) == 1, "p", "u")
        refused(["s has text labels", "pos_label"], metric, text, values)
        refused(["pos_label must be a label of s", "'q'"], metric, text, values, pos_label="q")

    def test_length(self, metric):
        values = list(self.values(metric))
        refused([r"^y_\w+ must hold one value per row of s, 10; got 9"], metric, S, values[:9])
        refused([r"^y_\w+", r"\(10, 3\)"], metric, S, np.zeros((10, 3)))
        two = [r"^y_\w+", r"\(10, 2\)"]  # of scores the second column may be what is meant
        if metric in OF_PREDICTIONS or metric is pu.pu_report:
            refused([*two, r"\)\.$"], metric, S, np.zeros((10, 2)))
        else:
            refused([*two, r"\[:, 1\]\.$"], metric, S, np.zeros((10, 2)))
        refused(["sample_weight", "10; got 9"], metric, S, values, sample_weight=np.ones(9))

    def test_sample_weight(self, metric):
        values = self.values(metric)
        for wrong, pattern in [(-1, "negative"), (np.nan, "NaN"), (np.inf, "infinity")]:
            weight = [*[1.0] * 9, wrong]
            refused(["sample_weight", pattern], metric, S, values, sample_weight=weight)
        refused(["sample_weight", "zero"], metric, S, values, sample_weight=np.zeros(10))

    def test_missing_values(self, metric):
        for wrong in (np.nan, None):
            refused([r"^y_\w+ must", "row 9"], metric, S, [*self.values(metric)[:9], wrong])


@pytest.mark.parametrize("metric", OF_PREDICTIONS)
def test_scores_for_predictions(metric):
    refused(["y_pred must hold", "1 for positive", r"0\.\d", "pu_roc_auc"], metric, S, SCORE)
    refused(["y_pred must hold", "'yes'"], metric, S, ["yes"] * 10)


@pytest.mark.parametrize("metric", [*OF_SCORES, *OF_PROBABILITIES, *CALIBRATION])
def test_scores_that_are_no_finite_numbers(metric):
    refused([r"^y_\w+ must hold a number", "'a'"], metric, S, ["a"] * 10)
    refused([r"^y_\w+ must hold", "None"], metric, S, None)
    refused([r"^y_\w+ must hold", "complex"], metric, S, np.array(SCORE) + 1j)
    refused([r"^y_\w+ must hold finite", "inf", "row 9"], metric, S, [*SCORE[:9], np.inf])
    weight = [0, *[1] * 9]  # rows are counted as they were given
    values = [np.nan, *SCORE[1:8], -np.inf, 0]
    refused(["must hold finite", "-inf at row 8"], metric, S, values, sample_weight=weight)
    values[8] = None
    refused(["must not have missing", "at row 8"], metric, S, values, sample_weight=weight)


@pytest.mark.parametrize("metric", [*OF_PROBABILITIES, *CALIBRATION])
def test_probabilities_outside_their_range(metric):
    for wrong in (-0.01, 1.3, 1.0000000001):
        patterns = ["^y_prob must hold probabilities", "0 to 1", str(wrong), "row 9"]
        refused(patterns, metric, S, [*SCORE[:9], wrong])


def test_bins():
    for wrong in (0, -1, 2.5, "3", None):
        refused(["n_bins must be", "1"], pu.pu_calibration_error, S, SCORE, n_bins=wrong)
    patterns = ["strategy must be", "uniform", "quantile"]
    refused(patterns, pu.pu_calibration_error, S, SCORE, strategy="even")


def test_import_is_light():
    code = "import adapu.metrics, sys; sys.exit('numba' in sys.modules or 'tqdm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0
