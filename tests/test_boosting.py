"""Algorithm 1: the loss after every round, when boosting stops, and very long runs."""

import naive
import numpy as np
import pytest
from helpers import assert_same_fit, feasible, problems, pu_data
from hypothesis import given
from hypothesis import strategies as st

from adapu import AdaPUClassifier

NORMALIZATIONS = ["per-group", "over-all"]
SCENARIOS = ["case-control", "single-set"]


def exponential_losses(model, X, s, scenario="case-control", sample_weight=None):
    """L_exp of the margins before the first round and after every round."""
    X_p, v_p, X_u, v_u = naive.groups(X, s, scenario, sample_weight)
    stages = zip(
        model.staged_decision_function(X_p), model.staged_decision_function(X_u), strict=True
    )
    zero = np.zeros(len(X_p)), np.zeros(len(X_u))
    return np.array([naive.exponential_loss(*H, v_p, v_u, model.prior_) for H in (zero, *stages)])


@pytest.mark.parametrize("thresholds", ["random", "even", "quantile"])
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("learning_rate", [0.05, 1.0])
def test_loss_of_every_round(learning_rate, normalization, scenario, thresholds):
    """After the round the loss is (Z - E) e^(-step) + E e^step, and that is the next round's Z."""
    X, s = pu_data(seed=0)
    weight = np.random.default_rng(0).uniform(0.2, 2, size=len(X))
    model = AdaPUClassifier(
        0.4,
        n_estimators=40,
        learning_rate=learning_rate,
        normalization=normalization,
        scenario=scenario,
        thresholds=thresholds,
        random_state=0,
    ).fit(X, s, sample_weight=weight)
    assert model.n_iter_ > 0
    loss = exponential_losses(model, X, s, scenario, weight)
    Z, E, step = model.history_["Z"], model.history_["E"], model.stumps_["step"]
    np.testing.assert_allclose(Z, loss[:-1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose((Z - E) * np.exp(-step) + E * np.exp(step), loss[1:], 1e-9, 1e-9)


def test_over_all_with_full_steps_never_raises_the_loss():
    X, s = pu_data(seed=0)
    model = AdaPUClassifier(0.4, learning_rate=1.0, normalization="over-all", random_state=0)
    loss = exponential_losses(model.fit(X, s), X, s)
    assert loss[0] == pytest.approx(1.0)
    assert (np.diff(loss) <= 1e-12).all()
    Z, error = model.history_["Z"], model.history_["error"]
    kept = model.stumps_["polarity"] != 0
    expected = Z[kept] * 2 * np.sqrt(error[kept] * (1 - error[kept]))
    np.testing.assert_allclose(loss[1:][kept], expected, atol=1e-9)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_pu_zero_one_loss_is_unbiased(normalization):
    """One binary feature cut in its middle: the stump never depends on the draw, its loss does."""
    prior, among_positives, among_negatives = 0.4, 0.8, 0.3
    truth = prior * (1 - among_positives) + (1 - prior) * among_negatives
    n_p, n_u, n_draws = 200, 400, 300
    rng = np.random.default_rng(1)
    s = np.repeat([1, 0], [n_p, n_u])
    model = AdaPUClassifier(
        prior, n_estimators=1, thresholds="even", n_thresholds=1, normalization=normalization
    )
    losses = np.empty(n_draws)
    for draw in range(n_draws):
        y = np.concatenate([np.ones(n_p, bool), rng.random(n_u) < prior])
        X = rng.random(n_p + n_u) < np.where(y, among_positives, among_negatives)
        model.fit(X[:, None].astype(np.float64), s)
        assert model.stumps_["polarity"].tolist() == [1]
        losses[draw] = model.history_["zero_one_loss"][0]
    assert len(np.unique(losses)) > 100
    standard_error = losses.std(ddof=1) / np.sqrt(n_draws)
    assert abs(losses.mean() - truth) < 3 * standard_error
    assert standard_error < 0.005


def test_non_negative_loss_differs_where_the_estimate_is_negative():
    X, s = pu_data(seed=2)
    model = AdaPUClassifier(0.5, random_state=0).fit(X, s)
    rates, loss = model.history_, model.history_["zero_one_loss"]
    positive_part = 0.5 * (1 - rates["positives_called_positive"])
    negative_part = loss - positive_part
    expected = positive_part + np.maximum(negative_part, 0)
    np.testing.assert_allclose(rates["nn_zero_one_loss"], expected, atol=1e-12)
    assert (rates["nn_zero_one_loss"] > loss + 1e-3).any()


# ---------------------------------------------------------------- why it stops


def test_stops_when_the_total_weight_is_not_positive():
    """Per-group with large steps drives Z below 0: fewer rounds, no error."""
    X, s = pu_data(seed=3, n_positive=4, n_unlabeled=30)
    candidates = naive.even_thresholds(X, 9)
    options = {"prior": 0.5, "n_estimators": 200, "learning_rate": 1.0}
    expected = naive.fit(X, s, candidates, **options, fixed=True)
    assert expected.stop_reason == "total weight not positive"
    assert 0 < len(expected.stumps) < 200
    model = AdaPUClassifier(**options, thresholds="even", n_thresholds=9).fit(X, s)
    assert_same_fit(model, expected, threshold_atol=1e-15)
    assert (model.history_["Z"] > 0).all()
    assert exponential_losses(model, X, s)[-1] <= 0
    assert len(list(model.staged_predict(X))) == model.n_iter_


# P and U apart: with a prior of 1/2 no stump is better than chance without a negative nn-error.
APART = np.array([[1.0], [1.0], [0.0], [0.0]]), np.array([1, 1, 0, 0])


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(
    ("thresholds", "n_thresholds", "n_rounds", "reason"),
    [
        ("random", 3, 15, "n_estimators reached"),
        ("even", 3, 0, "no admissible stump"),
        ("quantile", None, 0, "no admissible stump"),
    ],
)
def test_nothing_admissible(thresholds, n_thresholds, n_rounds, reason, normalization):
    """Random candidates may do better next time; those that never change would not."""
    X, s = APART
    model = AdaPUClassifier(
        0.5,
        n_estimators=15,
        thresholds=thresholds,
        n_thresholds=n_thresholds,
        normalization=normalization,
        random_state=0,
    ).fit(X, s)
    assert (model.n_iter_, model.stop_reason_) == (n_rounds, reason)
    assert len(model.stumps_) == len(model.history_) == n_rounds
    for stump, row in zip(model.stumps_, model.history_, strict=True):
        assert (stump["feature"], stump["polarity"]) == (-1, 0)
        assert (stump["alpha"], stump["step"]) == (0, 0)
        assert np.isnan([stump["threshold"], stump["error"]]).all()
        assert np.isnan([row["error"], row["nn_error"]]).all()
        assert (row["Z"], row["E"]) == pytest.approx((1.0, 0.5))
        assert row["zero_one_loss"] == row["nn_zero_one_loss"] == pytest.approx(0.5)
    np.testing.assert_array_equal(model.decision_function(X), np.zeros(4))
    np.testing.assert_array_equal(model.feature_importances_, [0.0])
    assert len(list(model.staged_decision_function(X))) == n_rounds


def test_an_empty_round_between_others():
    X, s = pu_data(seed=4)
    model = AdaPUClassifier(
        0.4, learning_rate=1.0, n_thresholds=1, normalization="over-all", random_state=0
    ).fit(X, s)
    empty = np.flatnonzero(model.stumps_["polarity"] == 0)
    assert 0 < len(empty) < model.n_iter_ - 1
    assert (model.stumps_["polarity"][empty[0] + 1 :] != 0).any()
    stages = list(model.staged_decision_function(X))
    for t in empty[empty > 0]:
        np.testing.assert_array_equal(stages[t], stages[t - 1])
        for name in ("zero_one_loss", "positives_called_positive", "unlabeled_called_negative"):
            assert model.history_[name][t] == model.history_[name][t - 1]
    assert np.isfinite(model.history_["Z"]).all()


def test_the_floor_of_the_error():
    """x > 0.5 makes no error at all: alpha is 1/2 ln((1 - 0) / 1e-10), not infinite."""
    X, s = np.array([[1.0], [0.0], [1.0]]), np.array([1, 0, 0])
    for normalization in NORMALIZATIONS:
        model = AdaPUClassifier(
            0.5, n_estimators=1, normalization=normalization, thresholds="even", n_thresholds=1
        ).fit(X, s)
        assert model.stumps_["error"].tolist() == [0.0]
        assert model.stumps_["alpha"][0] == pytest.approx(0.5 * np.log(1e10), abs=1e-9)
        assert model.stumps_["step"][0] == pytest.approx(0.05 * np.log(1e10), abs=1e-9)


def test_steps_are_multiples_of_two_to_the_minus_40():
    X, s = pu_data(seed=5)
    model = AdaPUClassifier(0.4, learning_rate=0.137, random_state=0).fit(X, s)
    units = model.stumps_["step"] * 2.0**40
    np.testing.assert_array_equal(units, np.rint(units))
    np.testing.assert_allclose(
        model.stumps_["step"], 0.137 * model.stumps_["alpha"], rtol=0, atol=2.0**-41
    )


# ---------------------------------------------------------------- long runs


def assert_finite(model, X):
    kept = model.stumps_["polarity"] != 0
    assert np.isfinite(model.history_["Z"]).all()
    assert np.isfinite(model.history_["log_scale"]).all()
    assert np.isfinite(model.history_["E"]).all()
    for name in ("alpha", "error", "step"):
        assert np.isfinite(model.stumps_[name][kept]).all()
    for name in naive.Round._fields[4:]:
        assert np.isfinite(model.history_[name]).all()
    assert np.isfinite(model.decision_function(X)).all()
    probability = model.predict_proba(X)
    assert ((probability >= 0) & (probability <= 1)).all()


def test_ten_thousand_rounds_over_all():
    X, s = pu_data(seed=6, n_positive=40, n_unlabeled=120)
    model = AdaPUClassifier(
        0.4, n_estimators=10_000, learning_rate=1.0, normalization="over-all", random_state=0
    ).fit(X, s)
    assert (model.n_iter_, model.stop_reason_) == (10_000, "n_estimators reached")
    assert_finite(model, X)
    assert (model.stumps_["polarity"] != 0).sum() > 5_000
    stages = list(model.staged_decision_function(X[:5]))
    np.testing.assert_array_equal(stages[-1], model.decision_function(X[:5]))


@given(
    problem=problems(),
    scenario=st.sampled_from(SCENARIOS),
    normalization=st.sampled_from(NORMALIZATIONS),
    prior=st.sampled_from([0.1, 0.5, 0.8]),
)
def test_full_steps_on_drawn_data_stay_finite(problem, scenario, normalization, prior):
    """Over-all, Z = 2 Z sqrt(e (1 - e)) stays positive, so boosting never stops for it."""
    X, s, weight = problem
    prior = feasible(prior, s, weight, scenario)
    model = AdaPUClassifier(
        prior,
        n_estimators=120,
        learning_rate=1.0,
        n_thresholds=3,
        normalization=normalization,
        scenario=scenario,
        random_state=0,
    ).fit(X, s, sample_weight=weight)
    assert_finite(model, X)
    assert (model.history_["Z"] > 0).all()
    assert model.n_iter_ == 120 or normalization == "per-group"


@pytest.mark.parametrize("prior", [0.1, 0.9])
def test_margins_beyond_the_range_of_exp(prior):
    """Per-group may call every row the same for ever, so that e^H leaves the floats behind."""
    X, s = pu_data(seed=2, n_positive=1, n_unlabeled=3, n_features=1, shift=0.0)
    model = AdaPUClassifier(
        prior, n_estimators=5_000, learning_rate=1.0, n_thresholds=5, random_state=0
    ).fit(X, s)
    assert model.n_iter_ == 5_000
    assert_finite(model, X)
    assert np.abs(model.decision_function(X)).max() > 1_500
    assert (model.history_["Z"] > 0).all()
    # The identity of the loss in logarithms: what is after the round is the next round's Z.
    Z, E, step = model.history_["Z"], model.history_["E"], model.stumps_["step"]
    after = np.log((Z - E) * np.exp(-step) + E * np.exp(step)) + model.history_["log_scale"]
    np.testing.assert_allclose(
        after[:-1], np.log(Z[1:]) + model.history_["log_scale"][1:], rtol=1e-9, atol=1e-9
    )


def test_a_perfect_stump_for_ever():
    """E is 0 in every round and the margins grow by 11.5 each: nothing overflows."""
    X, s = np.array([[1.0], [0.0], [1.0]]), np.array([1, 0, 0])
    for normalization in NORMALIZATIONS:
        model = AdaPUClassifier(
            0.5, n_estimators=10_000, learning_rate=1.0, normalization=normalization,
            random_state=0,
        ).fit(X, s)  # fmt: skip
        assert_finite(model, X)
        assert model.n_iter_ > 20
        assert (model.stumps_["error"][:20] == 0).any()
