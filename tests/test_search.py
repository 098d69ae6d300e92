"""Algorithm 2: which stump is chosen, against the oracle on drawn data and as whole fits."""

from unittest import mock

import naive
import numpy as np
import pytest
from helpers import (
    assert_choices,
    assert_same_fit,
    dyadic_weights,
    feasible,
    problems,
    pu_data,
    recorded_thresholds,
)
from hypothesis import given
from hypothesis import strategies as st

from adapu import AdaPUClassifier, _boosting, _search
from adapu._screening import screen

NORMALIZATIONS = ["per-group", "over-all"]
SCENARIOS = ["case-control", "single-set"]
STRATEGIES = [("random", 4), ("even", 4), ("quantile", 4), ("quantile", None)]


# ---------------------------------------------------------------- whole fits


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
def test_whole_fit_is_the_oracles_on_the_same_thresholds(
    thresholds, n_thresholds, normalization, scenario, weighted, dtype
):
    X, s = pu_data(seed=0, dtype=dtype)
    X[:, 1] = np.round(2 * X[:, 1])
    weight = np.random.default_rng(0).uniform(0, 2, size=len(X)) if weighted else None
    options = {
        "prior": 0.4,
        "n_estimators": 20,
        "learning_rate": 0.15,
        "normalization": normalization,
        "scenario": scenario,
    }
    model = AdaPUClassifier(
        thresholds=thresholds, n_thresholds=n_thresholds, random_state=0, **options
    )
    with recorded_thresholds() as offered:
        model.fit(X, s, sample_weight=weight)
    assert offered.fixed is (thresholds == "even" or n_thresholds is None)
    given = offered[0] if offered.fixed else offered
    expected = naive.fit(X, s, given, **options, sample_weight=weight, fixed=offered.fixed)
    assert len(expected.stumps) > 2
    assert_same_fit(model, expected)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(("thresholds", "n_thresholds"), [*STRATEGIES, ("quantile", 60)])
def test_many_rows_in_several_blocks(thresholds, n_thresholds, normalization, compiled_naive):
    X, s = pu_data(seed=1, n_positive=1300, n_unlabeled=5100, n_features=5, dtype=np.float32)
    weight = dyadic_weights(1, len(X))
    options = {
        "prior": 0.4,
        "n_estimators": 15,
        "learning_rate": 0.5,
        "normalization": normalization,
    }
    model = AdaPUClassifier(
        thresholds=thresholds, n_thresholds=n_thresholds, random_state=0, n_jobs=2, **options
    )
    with recorded_thresholds() as offered:
        model.fit(X, s, sample_weight=weight)
    given = offered[0] if offered.fixed else offered
    expected = compiled_naive.fit(X, s, given, **options, sample_weight=weight, fixed=offered.fixed)
    assert_same_fit(model, expected)


# ---------------------------------------------------------------- drawn data


@given(
    problem=problems(),
    strategy=st.sampled_from(STRATEGIES),
    normalization=st.sampled_from(NORMALIZATIONS),
    scenario=st.sampled_from(SCENARIOS),
    prior=st.sampled_from([0.1, 0.4, 0.5, 0.8]),
    learning_rate=st.sampled_from([0.01, 0.3, 1.0]),
)
def test_every_choice_is_one_the_oracle_may_make(
    problem, strategy, normalization, scenario, prior, learning_rate
):
    X, s, weight = problem
    thresholds, n_thresholds = strategy
    prior = feasible(prior, s, weight, scenario)
    model = AdaPUClassifier(
        prior,
        n_estimators=4,
        learning_rate=learning_rate,
        thresholds=thresholds,
        n_thresholds=n_thresholds,
        normalization=normalization,
        scenario=scenario,
        random_state=0,
    )
    with recorded_thresholds() as offered:
        model.fit(X, s, sample_weight=weight)
    assert_choices(model, X, s, offered, sample_weight=weight)


# ---------------------------------------------------------------- ties and bounds


def only_stump(X, s, **parameters):
    model = AdaPUClassifier(**({"n_estimators": 1, "thresholds": "quantile"} | parameters))
    if model.thresholds == "quantile":
        model.set_params(n_thresholds=None)
    return model.fit(X, s).stumps_[0]


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_equal_features_tie_and_the_lowest_wins(normalization):
    X, s = pu_data(seed=2, n_features=1)
    noise = np.random.default_rng(2).normal(size=(len(X), 1))
    X = np.hstack([0 * X + 1, noise, X, X, 2 * X])
    stump = only_stump(X, s, prior=0.4, normalization=normalization)
    assert stump["feature"] == 2


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(("difference", "chosen"), [(0.0, 0), (1e-13, 0), (1e-10, 1), (-1e-10, 0)])
def test_a_tie_is_as_wide_as_rounding(difference, chosen, normalization):
    """Feature 0 takes in the first unlabeled row, whose weight differs, feature 1 the second."""
    X = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    weight = [1.0, 1.0 + difference, 1.0, 1.0]
    model = AdaPUClassifier(
        0.2, n_estimators=1, thresholds="quantile", n_thresholds=None, normalization=normalization
    ).fit(X, [1, 0, 0, 0], sample_weight=weight)
    assert model.stumps_["feature"].tolist() == [chosen]
    assert model.stumps_["error"][0] == pytest.approx(1 / 3 - 0.2)


def test_equal_thresholds_tie_and_the_lowest_wins():
    """Even thresholds with no value between some of them: several have the same E."""
    X = np.array([[0.0], [0.0], [10.0], [10.0]])
    stump = only_stump(X, [0, 0, 1, 0], prior=0.3, thresholds="even", n_thresholds=7)
    assert stump["polarity"] == 1
    assert stump["threshold"] == 0.0  # of -10, -5, 0, 5, 10, 15, 20; 0 and 5 split alike


def test_a_stump_and_its_opposite_on_a_copy_that_is_turned_around():
    """-X offers the same splits with the sides exchanged; the lower feature still wins."""
    X, s = pu_data(seed=2, n_features=1)
    for columns in ([X, -X], [-X, X]):
        stump = only_stump(np.hstack(columns), s, prior=0.4)
        assert stump["feature"] == 0
        assert stump["polarity"] == (1 if columns[0] is X else -1)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_no_better_than_chance_is_refused(normalization):
    """P and U lie alike on both sides, so either stump has an error of exactly 1/2."""
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    for n_copies in (1, 3, 7):
        model = AdaPUClassifier(
            0.25, n_estimators=1, thresholds="even", n_thresholds=1, normalization=normalization
        ).fit(np.tile(X, (n_copies, 1)), [1, 1, 0, 0] * n_copies)
        assert model.stop_reason_ == "no admissible stump"


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_negative_to_everything_has_an_nn_error_of_exactly_zero(normalization):
    """It is admitted (prior below 1/2), whatever the rounding of the sums."""
    for n_positive in (1, 3, 7, 11):
        X, s = pu_data(seed=3, n_positive=n_positive, n_unlabeled=13, n_features=1)
        X = np.column_stack([X[:, 0] * 0 + 1, np.where(s == 1, -1.0, 1.0)])
        # the second feature parts P from U: the side of P has a negative nn-error
        stump = only_stump(X, s, prior=0.3, normalization=normalization)
        assert (stump["feature"], stump["polarity"]) == (0, 1)
        assert stump["threshold"] == np.inf
        assert stump["error"] == pytest.approx(0.3)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("n_unlabeled", [3, 7, 10, 49])
def test_an_error_of_zero_is_never_below_zero(n_unlabeled, normalization):
    """U has the share `prior` of its rows where P is: no error at all, but for rounding."""
    for n_inside in range(1, n_unlabeled):
        X = np.r_[np.ones(3), np.arange(n_unlabeled) < n_inside][:, None]
        model = AdaPUClassifier(
            n_inside / n_unlabeled,
            n_estimators=1,
            thresholds="even",
            n_thresholds=1,
            normalization=normalization,
        ).fit(X, np.arange(len(X)) < 3)
        assert model.stumps_["polarity"].tolist() == [1]
        assert 0 <= model.stumps_["error"][0] < 1e-12
        assert 0 <= model.history_["nn_error"][0] < 1e-12
        assert model.stumps_["alpha"][0] == pytest.approx(0.5 * np.log(1e10), abs=1e-9)


def test_a_constant_feature_offers_the_constant_stumps():
    """Positive to everything costs 1 - prior, which a large prior makes the best there is."""
    X, s = pu_data(seed=3, n_positive=5, n_unlabeled=8, n_features=1)
    X = np.column_stack([np.full(13, 7.0), np.where(s == 1, -1.0, 1.0)])
    for thresholds in ("random", "even", "quantile"):
        stump = only_stump(X, s, prior=0.8, thresholds=thresholds)
        assert (stump["feature"], stump["threshold"], stump["polarity"]) == (0, np.inf, -1)
        assert stump["error"] == pytest.approx(0.2)


# ---------------------------------------------------------------- the AdaBoost limit


@pytest.mark.parametrize("learning_rate", [0.3, 1.0])
@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
def test_without_the_negative_weights_it_is_adaboost(thresholds, n_thresholds, learning_rate):
    """P- left out, true negatives in place of U, over-all: discrete AdaBoost."""
    X, y = pu_data(seed=4, n_positive=25, n_unlabeled=40)
    original = _boosting.group_weights

    def without_p_minus(totals, prior):
        weights = original(totals, prior)
        total = weights.total * [1, 0, 1]
        return weights._replace(total=total, Z=float(total.sum()))

    model = AdaPUClassifier(
        0.45,
        n_estimators=25,
        learning_rate=learning_rate,
        thresholds=thresholds,
        n_thresholds=n_thresholds,
        normalization="over-all",
        random_state=0,
    )
    with (
        recorded_thresholds() as offered,
        mock.patch.object(_boosting, "group_weights", without_p_minus),
    ):
        model.fit(X, y)
    expected = naive.adaboost(
        X,
        np.where(y == 1, 1, -1),
        np.where(y == 1, 0.45 / 25, 1 / 40),
        np.array(offered),
        n_estimators=25,
        learning_rate=learning_rate,
    )
    assert model.n_iter_ == 25
    stumps = np.array([tuple(stump) for stump in expected])
    found = np.array(model.stumps_.tolist())
    np.testing.assert_array_equal(found[:, :3], stumps[:, :3])
    np.testing.assert_allclose(found[:, 3:], stumps[:, 3:], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("seed", range(20))
def test_screening_keeps_what_plain_loops_keep(seed, normalization):
    rng = np.random.default_rng(seed)
    prior, unit = 0.4, np.array([1e-3, 2e-3, 5e-4])
    above = rng.integers(0, [[[1000]], [[500]], [[2000]]], size=(3, 7, 5), endpoint=True)
    n_valid = rng.integers(1, 5, size=7, endpoint=True)
    W = np.array([prior, -prior, 1.0]) * rng.uniform(0.5, 1.5, 3)
    weights = _search.Weights(W, W.sum(), 0.0, 0.0)
    c = _search.error_coefficients(weights, prior, normalization)
    room, nn_room, E_room = rooms = rng.choice([0.0, 0.01, 0.1], 3)
    found, lowest = np.empty(35, np.int64), np.empty(35)
    n_found, bound = screen(
        above, unit, n_valid, W, W.sum(), c, 1e-12, np.array(rooms), found, lowest
    )
    shares = above * unit[:, None, None]
    E, error, nn_error = _search.mistakes(shares, weights, c)
    inside = np.minimum(error + 1e-12, 0.5 - 1e-12 - error)
    exists = np.arange(5) < n_valid[:, None]
    surely = (inside > room) & (nn_error + 1e-12 > nn_room) & exists
    maybe = (inside >= -room) & (nn_error + 1e-12 >= -nn_room) & exists
    expected = E[surely].min() + E_room if surely.any() else np.inf
    assert bound == pytest.approx(expected, abs=1e-12)
    kept = found[:n_found][lowest[:n_found] <= bound + 1e-12]
    wanted = np.flatnonzero((maybe & (E <= bound + 1e-12)).any(axis=0))
    np.testing.assert_array_equal(kept, wanted)
