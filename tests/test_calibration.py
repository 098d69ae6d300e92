"""Scores to probabilities: the mathematics, by simulation and against a plain twin."""

import dataclasses
import os

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from adapu import AdaPUClassifier
from adapu.calibration import IsotonicCalibrator, SigmoidCalibrator, fit_calibrator
from adapu.calibration._maps import calibrate
from adapu.datasets import load_tabular

METHODS = ["isotonic", "sigmoid"]
SCENARIOS = ["case-control", "single-set"]


def logistic_data(scenario, n_labeled=4_000, n_population=20_000, prior=0.3, seed=0):
    """Normal scores, N(2, 1) for positives and N(0, 1) for the rest: the posterior is logistic."""
    rng = np.random.default_rng(seed)
    y = rng.random(n_population) < prior
    scores = rng.normal(2 * y, 1)
    if scenario == "case-control":
        return (
            np.r_[np.ones(n_labeled, int), np.zeros(n_population, int)],
            np.r_[rng.normal(2, 1, n_labeled), scores],
        )
    s = np.zeros(n_population, int)
    s[rng.permutation(np.flatnonzero(y))[:n_labeled]] = 1
    return s, scores


def posterior(scores, prior=0.3):
    return expit(2 * scores - 2 + np.log(prior / (1 - prior)))


def population_mean(calibrator, s, scores, scenario, weight=None):
    population = (s == 0) | (scenario == "single-set")
    return np.average(
        calibrator.predict(scores[population]),
        weights=None if weight is None else weight[population],
    )


@st.composite
def drawn_scores(draw):
    """Few scores with ties, labeled ones beyond the others, weights of any size."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_labeled, n_unlabeled = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    n_values = draw(st.integers(1, 8))
    scores = rng.choice(rng.normal(size=n_values), n_labeled + n_unlabeled)
    scores = scores + draw(st.sampled_from([0.0, 0.7])) * np.repeat(
        [1, 0], [n_labeled, n_unlabeled]
    )
    weight = rng.choice(draw(st.sampled_from([[1.0], [0.5, 1, 3], [1e-6, 1, 1e6]])), scores.size)
    s = np.repeat([1, 0], [n_labeled, n_unlabeled])
    prior = draw(st.sampled_from([0.001, 0.2, 0.5, 0.77, 0.999]))
    scenario = draw(st.sampled_from(SCENARIOS))
    share = weight[s == 1].sum() / weight.sum()
    if scenario == "single-set" and prior < share:
        prior = share + (1 - share) / 2
    return s, scores, weight, prior, scenario


# ---------------------------------------------------------------- the twin, and what it maximises


@given(drawn_scores())
def test_isotonic_is_its_naive_twin(data):
    s, scores, weight, prior, scenario = data
    population = (s == 0) | (scenario == "single-set")
    found = calibrate(
        scores[s == 1],
        scores[population],
        prior=prior,
        positive_weight=weight[s == 1],
        population_weight=weight[population],
    )
    wanted = naive.most_likely_probabilities(
        scores[s == 1].tolist(),
        weight[s == 1].tolist(),
        scores[population].tolist(),
        weight[population].tolist(),
        prior,
    )
    values = np.array(list(wanted))
    np.testing.assert_allclose(found.predict(values), list(wanted.values()), rtol=1e-6, atol=1e-9)


@given(drawn_scores(), st.sampled_from(METHODS))
def test_within_bounds_rising_and_right_on_average(data, method):
    s, scores, weight, prior, scenario = data
    if scores.min() == scores.max():
        return
    calibrator = fit_calibrator(
        s, scores, prior=prior, scenario=scenario, sample_weight=weight, method=method
    )
    grid = np.linspace(scores.min() - 1, scores.max() + 1, 501)
    for p in (calibrator.predict(grid), calibrator.predict(np.sort(scores))):
        assert ((p >= 0) & (p <= 1)).all()
        assert (np.diff(p) >= 0).all()
    mean = population_mean(calibrator, s, scores, scenario, weight)
    assert mean == pytest.approx(prior, abs=1e-9)


def test_no_other_rising_function_makes_the_labeled_scores_likelier():
    rng = np.random.default_rng(1)
    population = rng.integers(0, 6, 60)
    positive = rng.integers(2, 7, 20)
    calibrator = calibrate(positive, population, prior=0.5)
    values = np.arange(6)
    q = np.bincount(population) / 60
    p = np.bincount(np.minimum(positive, 5), minlength=6) / 20
    g = calibrator.predict(values)
    best = p @ np.log(np.maximum(g, 1e-300))
    assert (g == 1).any()
    for _ in range(2_000):
        other = np.sort(rng.random(6)) ** rng.choice([0.3, 1, 3])
        other = g + rng.choice([1, 0.1, 0.01]) * (other - g)
        other *= 0.5 / (q @ other)
        if other.max() <= 1:
            assert p @ np.log(np.maximum(other, 1e-300)) <= best + 1e-12


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_sigmoid_has_the_least_logistic_loss(scenario):
    s, scores = logistic_data(scenario, 300, 2_000)
    population = (s == 0) | (scenario == "single-set")
    found = fit_calibrator(s, scores, prior=0.3, scenario=scenario, method="sigmoid")

    def loss(slope, offset):
        """π E₊[log(1 + e^−z) − log(1 + e^z)] + E[log(1 + e^z)], unbiased for the labeled twin."""
        z = slope * (scores - found.centre) / found.spread + offset
        positive = 0.3 * np.mean(np.logaddexp(0, -z[s == 1]) - np.logaddexp(0, z[s == 1]))
        return positive + np.mean(np.logaddexp(0, z[population]))

    least = loss(found.slope, found.offset)
    for step in (1e-1, 1e-2, 1e-3):
        for angle in np.linspace(0, 2 * np.pi, 17):
            other = found.slope + step * np.cos(angle), found.offset + step * np.sin(angle)
            assert loss(*other) >= least


# ---------------------------------------------------------------- simulation


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_known_posterior_is_recovered(scenario, method):
    s, scores = logistic_data(scenario)
    calibrator = fit_calibrator(s, scores, prior=0.3, scenario=scenario, method=method)
    error = np.abs(calibrator.predict(scores) - posterior(scores))
    assert error[s == 0].mean() < 0.02
    # the other scenario would be wrong by much
    if scenario == "single-set":
        wrong = fit_calibrator(s, scores, prior=0.3, method=method)
        assert np.abs(wrong.predict(scores) - posterior(scores))[s == 0].mean() > 0.03


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scores_on_any_scale(scenario):
    """The isotonic one depends on the order of scores alone, the sigmoid not on their unit."""
    s, scores = logistic_data(scenario, 200, 1_000)
    keywords = {"prior": 0.3, "scenario": scenario}
    plain = fit_calibrator(s, scores, **keywords).predict(scores)
    for other in (np.exp(scores), scores * 1e200, scores * 1e-200, scores**3):
        same = fit_calibrator(s, other, **keywords).predict(other)
        np.testing.assert_array_equal(same, plain)
    plain = fit_calibrator(s, scores, **keywords, method="sigmoid").predict(scores)
    for other in (scores * 1e200, scores * 1e-200, 3 * scores + 5):
        same = fit_calibrator(s, other, **keywords, method="sigmoid").predict(other)
        np.testing.assert_allclose(same, plain, atol=1e-9)


def test_too_good_labeled_scores_do_not_push_probabilities_up():
    """Scores of training rows: labeled ones are too high. The mean stays, the order stays."""
    s, scores = logistic_data("case-control", 1_000, 5_000)
    scores = np.where(s == 1, scores + 0.5, scores)
    p = fit_calibrator(s, scores, prior=0.3).predict(scores[s == 0])
    assert p.mean() == pytest.approx(0.3, abs=1e-9)
    assert p.max() == 1


# ---------------------------------------------------------------- ties, ends, weights


def test_ties_and_steps_by_hand():
    # q: a quarter each at 1, 2, 3, 4. p: 0.4 times 0, ¼, 0, ¾. The ratio: 0, 0.2, 0.2, 1.2
    s = np.repeat([1, 0], [4, 8])
    scores = np.array([2, 4, 4, 4, 1, 2, 3, 4, 1, 2, 3, 4])
    calibrator = fit_calibrator(s, scores, prior=0.4)
    # 1.2 becomes 1, which is a mean of 0.25, and 0.15 is left for two quarters
    np.testing.assert_allclose(calibrator.probabilities, [0, 0.3, 1])
    np.testing.assert_array_equal(calibrator.borders, [1.5, 3.5])
    p = calibrator.predict(np.array([-9, 1, 1.49, 1.5, 2, 3, 3.49, 3.5, 9]))
    np.testing.assert_allclose(p, [0, 0, 0, 0.3, 0.3, 0.3, 0.3, 1, 1])


def test_labeled_scores_above_all_others():
    """Even probability 1 for every score from the lowest labeled one on is too little."""
    s = np.repeat([1, 0], [2, 10])
    scores = np.r_[20, 9, np.arange(10)]
    p = fit_calibrator(s, scores, prior=0.4).predict(np.arange(10))
    np.testing.assert_allclose(p, np.r_[np.full(9, 3 / 9), 1])


def test_labeled_scores_below_all_others():
    """Scores that are upside down tell nothing that a rising function could say."""
    s = np.repeat([1, 0], [2, 10])
    scores = np.r_[-3, -2, np.arange(10)]
    for method in METHODS:
        p = fit_calibrator(s, scores, prior=0.4, method=method).predict(scores)
        np.testing.assert_allclose(p, 0.4)


def test_borders_between_neighbouring_floats():
    low, high = 1.0, np.nextafter(1.0, 2)
    scores = np.array([high, high, low, low, high])
    calibrator = fit_calibrator([1, 1, 0, 0, 0], scores, prior=0.25)
    np.testing.assert_allclose(calibrator.predict(np.array([low, high])), [0, 0.75])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_weight_of_two_is_a_row_twice(scenario, method):
    s, scores = logistic_data(scenario, 40, 200)
    scores = scores.round(1)
    weight = np.random.default_rng(0).integers(0, 4, s.size)
    keywords = {"prior": 0.4, "scenario": scenario, "method": method}
    weighted = fit_calibrator(s, scores, sample_weight=weight, **keywords)
    repeated = fit_calibrator(np.repeat(s, weight), np.repeat(scores, weight), **keywords)
    scaled = fit_calibrator(s, scores, sample_weight=weight * 1e-9, **keywords)
    for other in (repeated, scaled):
        np.testing.assert_allclose(other.predict(scores), weighted.predict(scores), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_does_not_matter(method):
    s, scores = logistic_data("case-control", 60, 300)
    order = np.random.default_rng(0).permutation(s.size)
    one = fit_calibrator(s, scores, prior=0.3, method=method).predict(scores)
    other = fit_calibrator(s[order], scores[order], prior=0.3, method=method).predict(scores)
    np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_equal_margins_of_a_model_that_learned_nothing(method):
    calibrator = calibrate(np.zeros(3), np.zeros(5), prior=0.2, method=method)
    np.testing.assert_allclose(calibrator.predict(np.array([-1.0, 0.0, 1.0])), 0.2)


def test_calibrators_are_numbers_that_stay():
    s, scores = logistic_data("case-control", 50, 200)
    isotonic = fit_calibrator(s, scores, prior=0.3)
    assert isinstance(isotonic, IsotonicCalibrator)
    assert isotonic.borders.size == isotonic.probabilities.size - 1
    for numbers in (isotonic.borders, isotonic.probabilities):
        assert (np.diff(numbers) > 0).all()
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 0
    sigmoid = fit_calibrator(s, scores, prior=0.3, method="sigmoid")
    assert all(isinstance(number, float) for number in dataclasses.astuple(sigmoid))
    for calibrator, kind in ((isotonic, IsotonicCalibrator), (sigmoid, SigmoidCalibrator)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            calibrator.extra = 1
        again = kind(**{f.name: getattr(calibrator, f.name) for f in dataclasses.fields(kind)})
        np.testing.assert_array_equal(again.predict(scores), calibrator.predict(scores))


# ---------------------------------------------------------------- bad input

S, SCORES = [1, 1, 0, 0], [2.0, 3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prior": 1}, "prior must be a number greater than 0 and less than 1; got 1"),
        ({"prior": 0.2, "scenario": "single-set"}, "prior must be at least the share of labeled"),
        ({"scenario": "pn"}, "scenario must be one of 'case-control', 'single-set'; got 'pn'"),
        ({"method": "platt"}, "method must be one of 'isotonic', 'sigmoid'; got 'platt'"),
        ({"scores": [1.0, 2.0]}, "scores must hold one value per row of s, 4; got 2"),
        ({"scores": [1.0, 2.0, np.nan, 0.0]}, "scores must not have missing values"),
        (
            {"scores": [1.0, 2.0, np.inf, 0.0]},
            "scores must hold finite numbers; it is inf at row 2",
        ),
        ({"scores": [5.0] * 4}, "scores must not be constant.* every row has 5"),
        ({"scores": np.ones((4, 2))}, "scores must hold one value per row; .* Take the column"),
        ({"s": [0, 0, 0, 0]}, "s has no positive row"),
        ({"s": [1, 1, 1, 1]}, "s has no unlabeled row"),
        ({"s": ["a", "a", "b", "b"]}, "s has text labels"),
        ({"sample_weight": [1, 1, 1]}, "sample_weight must hold one number per row, 4; got 3"),
        ({"sample_weight": [1, 0, 0, 1], "scores": [1, 2, 3, 1]}, "scores must not be constant"),
    ],
)
def test_bad_input(changes, message):
    keywords = {"s": S, "scores": SCORES, "prior": 0.4} | changes
    with pytest.raises(ValueError, match=message):
        fit_calibrator(keywords.pop("s"), keywords.pop("scores"), **keywords)


# ---------------------------------------------------------------- AdaPU's own training margins


@pytest.mark.skipif("ADAPU_DATA" not in os.environ, reason="ADAPU_DATA names no folder of data")
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", ["spambase", "mushroom"])
def test_training_margins_of_adapu_on_real_data(name, scenario):
    pytest.importorskip("pyarrow")
    data = load_tabular(name)
    X, y = data.X_train, data.y_train
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        test, train = np.split(rng.permutation(len(X)), [len(X) // 5])
        labeled = rng.permutation(train[y[train] == 1])[: int(0.1 * y[train].sum())]
        if scenario == "case-control":
            rows, s = np.r_[labeled, train], np.repeat([1, 0], [labeled.size, train.size])
        else:
            rows, s = train, np.isin(train, labeled).astype(int)
        prior = y[train].mean()
        model = AdaPUClassifier(
            prior, thresholds="quantile", normalization="over-all", scenario=scenario,
            random_state=seed,
        ).fit(X[rows], s)  # fmt: skip
        calibrator = fit_calibrator(
            s, model.decision_function(X[rows]), prior=prior, scenario=scenario
        )
        p = calibrator.predict(model.decision_function(X[test]))
        bins = np.searchsorted(np.arange(1, 10) / 10, p)
        errors.append(np.abs(np.bincount(bins, p - y[test])).sum() / test.size)
    assert np.mean(errors) <= 0.05
