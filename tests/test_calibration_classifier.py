"""PUCalibratedClassifier: right probabilities around any classifier, and nothing seen twice."""

import types

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from adapu import AdaPUClassifier, metrics
from adapu.calibration import PUCalibratedClassifier
from adapu.prior import _estimate, estimate_prior

PRIOR = 0.3
SCENARIOS = ["case-control", "single-set"]


def normal_data(scenario="case-control", n_labeled=400, n_population=3_000, copies=True, seed=0):
    """X, s and the posterior of X: one feature, N(2, 1) for positives and N(0, 1) for the rest."""
    rng = np.random.default_rng(seed)
    y = rng.random(n_population) < PRIOR
    X = rng.normal(2 * y[:, None], 1)
    labeled = rng.permutation(np.flatnonzero(y))[:n_labeled]
    if scenario == "single-set":
        s = np.zeros(n_population, int)
        s[labeled] = 1
    else:
        X = np.r_[X[labeled] if copies else rng.normal(2, 1, (n_labeled, 1)), X]
        s = np.repeat([1, 0], [n_labeled, n_population])
    return X, s, expit(2 * X[:, 0] - 2 + np.log(PRIOR / (1 - PRIOR)))


def calibration_error(p, posterior):
    """Like the metric, with the posterior in place of labels."""
    bins = np.searchsorted(np.arange(1, 10) / 10, p)
    return np.abs(np.bincount(bins, p - posterior)).sum() / len(p)


class FoldScale(LogisticRegression):
    """A classifier whose scores have another zero and another scale whenever it is fitted."""

    def fit(self, X, y):
        super().fit(X, y)
        self.scale_, self.zero_ = 1 + 50 * abs(X.sum()) % 7, 100 * X.sum() % 13
        return self

    def decision_function(self, X):
        return self.scale_ * super().decision_function(X) + self.zero_


class Memory(ClassifierMixin, BaseEstimator):
    """A classifier that refuses to score what it was trained on."""

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.seen_ = np.unique(y), {tuple(row) for row in X.tolist()}
        return self

    def decision_function(self, X):
        assert not self.seen_ & {tuple(row) for row in X.tolist()}
        return X[:, 0]


# ---------------------------------------------------------------- right probabilities


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    ("model", "method"),
    [
        (LogisticRegression(), "isotonic"),
        (LogisticRegression(), "sigmoid"),
        (FoldScale(), "isotonic"),
        (FoldScale(), "sigmoid"),
        (AdaPUClassifier(PRIOR, n_estimators=20, learning_rate=0.5, random_state=0), "isotonic"),
        (DecisionTreeClassifier(min_samples_leaf=100, random_state=0), "isotonic"),
    ],
)
def test_a_known_posterior_is_recovered(model, method, scenario, ensemble):
    X, s, posterior = normal_data(scenario)
    if isinstance(model, AdaPUClassifier):
        model = clone(model).set_params(scenario=scenario)
    calibrated = PUCalibratedClassifier(
        model, prior=PRIOR, scenario=scenario, ensemble=ensemble, method=method, random_state=0
    ).fit(X, s)
    p = calibrated.predict_proba(X)
    assert p.shape == (len(X), 2)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p >= 0).all()
    population = (s == 0) | (scenario == "single-set")
    assert p[population, 1].mean() == pytest.approx(PRIOR, abs=0.02)
    assert calibration_error(p[population, 1], posterior[population]) < 0.04
    assert len(calibrated.estimators_) == len(calibrated.calibrators_) == (5 if ensemble else 1)
    positive = p[:, 1] > 0.5
    np.testing.assert_array_equal(calibrated.predict(X), positive.astype(int))
    assert calibrated.score(X, positive.astype(int)) == 1


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_held_out_rows_average_to_the_prior(scenario):
    X, s, _ = normal_data(scenario)
    calibrated = PUCalibratedClassifier(
        LogisticRegression(), prior=PRIOR, scenario=scenario, ensemble=False, random_state=0
    ).fit(X, s)
    population = (s == 0) | (scenario == "single-set")
    assert calibrated.predict_proba(X[population])[:, 1].mean() == pytest.approx(PRIOR, abs=2e-3)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_prefit(scenario):
    X, s, posterior = normal_data(scenario)
    model = LogisticRegression().fit(*normal_data(scenario, seed=1)[:2])
    coefficients = model.coef_.copy()
    calibrated = PUCalibratedClassifier(model, prior=PRIOR, scenario=scenario, cv="prefit")
    p = calibrated.fit(X, s).predict_proba(X)[:, 1]
    population = (s == 0) | (scenario == "single-set")
    assert p[population].mean() == pytest.approx(PRIOR, abs=1e-9)
    assert np.abs(p - posterior)[population].mean() < 0.04
    assert calibrated.estimators_[0] is model
    np.testing.assert_array_equal(model.coef_, coefficients)
    with pytest.raises(NotFittedError):
        PUCalibratedClassifier(LogisticRegression(), prior=PRIOR, cv="prefit").fit(X, s)
    with pytest.raises(
        ValueError, match="must know the label of positives, 2; its classes are 0, 1"
    ):
        calibrated.fit(X, 2 * s)


# ---------------------------------------------------------------- folds, rows, weights


def test_no_classifier_scores_a_copy_of_a_row_it_was_trained_on():
    X, s, _ = normal_data()
    calibrated = PUCalibratedClassifier(Memory(), prior=PRIOR, random_state=0).fit(X, s)
    assert sum(len(one.seen_) for one in calibrated.estimators_) == 4 * len(np.unique(X))


@pytest.mark.parametrize("ensemble", [True, False])
def test_the_same_bits_for_any_number_of_jobs(ensemble):
    X, s, _ = normal_data(n_labeled=100, n_population=500)
    model = PUCalibratedClassifier(
        LogisticRegression(), prior=PRIOR, ensemble=ensemble, random_state=3
    )
    one, two = clone(model).fit(X, s), clone(model).set_params(n_jobs=2).fit(X, s)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    other = clone(model).set_params(random_state=4).fit(X, s)
    assert (one.predict_proba(X) != other.predict_proba(X)).any()


def test_rows_of_weight_zero_are_left_out():
    X, s, _ = normal_data(n_labeled=100, n_population=500)
    weight = np.random.default_rng(0).choice([0.0, 1.0, 2.0], len(s))
    model = PUCalibratedClassifier(LogisticRegression(), prior=PRIOR, random_state=0)
    X_with = np.where(weight[:, None] == 0, np.nan, X)
    with_zeros = clone(model).fit(X_with, s, weight)
    kept = weight > 0
    without = clone(model).fit(X[kept], s[kept], weight[kept])
    np.testing.assert_array_equal(with_zeros.predict_proba(X), without.predict_proba(X))
    plain = clone(model).fit(X[kept], s[kept])
    assert (plain.predict_proba(X) != without.predict_proba(X)).any()
    ones = clone(model).fit(X[kept], s[kept], np.ones(kept.sum()))
    np.testing.assert_array_equal(ones.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True), ("unknown", "a"), (7, 2)])
def test_labels_of_every_kind(labels, ensemble):
    """Other classifiers sort their classes, so that the positives may come first."""
    X, s, _ = normal_data(n_labeled=100, n_population=500)
    model = PUCalibratedClassifier(GaussianNB(), prior=PRIOR, ensemble=ensemble, random_state=0)
    pos_label = labels[1] if labels[1] in ("a", 2) else None
    other = clone(model).set_params(pos_label=pos_label).fit(X, np.where(s == 1, *labels[::-1]))
    assert other.classes_.tolist() == list(labels)
    found, wanted = other.predict_proba(X), model.fit(X, s).predict_proba(X)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert set(other.predict(X).tolist()) == set(labels)
    assert other.score(X, np.where(found[:, 1] > 0.5, *labels[::-1])) == 1


def test_tables_stay_tables():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = rng.random(800) < PRIOR
    X = pd.DataFrame(
        {
            "size": rng.normal(size=800) + y,
            "kind": pd.Categorical(np.where(rng.random(800) < 0.2 + 0.6 * y, "round", "flat")),
        }
    )
    labeled = np.flatnonzero(y)[:100]
    X = pd.concat([X.iloc[labeled], X], ignore_index=True)
    X.loc[3, "size"] = np.nan
    s = np.repeat([1, 0], [100, 800])
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype")
    calibrated = PUCalibratedClassifier(model, prior=PRIOR, cv=2, random_state=0).fit(X, s)
    assert calibrated.feature_names_in_.tolist() == ["size", "kind"]
    assert calibrated.estimators_[0].feature_names_in_.tolist() == ["size", "kind"]
    assert calibrated.predict_proba(X)[:, 1].mean() == pytest.approx(0.36, abs=0.1)
    with pytest.raises(ValueError, match="feature names should match"):
        calibrated.predict_proba(X.rename(columns={"kind": "sort"}))


def test_in_scikit_learns_hands():
    X, s, _ = normal_data(n_labeled=100, n_population=500)
    model = PUCalibratedClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), prior=PRIOR, cv=3, random_state=0
    )
    scorer = metrics.make_pu_scorer("neg_brier_score", prior=PRIOR)
    scores = cross_val_score(model, X, s, scoring=scorer, cv=3, error_score="raise")
    assert (scores > -PRIOR * (1 - PRIOR)).all()


# ---------------------------------------------------------------- the prior


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1)])
def test_an_unknown_prior_is_estimated(monkeypatch, labels):
    X, s, _ = normal_data(n_labeled=100, n_population=500)
    calls = []

    def estimate_with_seed(X, s, *, scenario, sample_weight, seed, n_jobs):
        assert sample_weight is None
        assert n_jobs is None
        calls.append((X, s, scenario, seed))
        return types.SimpleNamespace(prior=0.25, interval=(0.2, 0.3))

    monkeypatch.setattr(_estimate, "estimate_with_seed", estimate_with_seed)
    model = PUCalibratedClassifier(LogisticRegression(), random_state=0)
    calibrated = model.fit(X, np.where(s == 1, *labels[::-1]))
    [(rows, labeling, scenario, seed)] = calls
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labeling, s)
    assert scenario == "case-control"
    assert isinstance(seed, int)
    assert calibrated.prior_ == 0.25
    assert calibrated.prior_interval_ == (0.2, 0.3)
    known = PUCalibratedClassifier(LogisticRegression(), prior=0.25, random_state=0).fit(X, s)
    np.testing.assert_array_equal(calibrated.predict_proba(X), known.predict_proba(X))
    assert known.prior_interval_ is None


def test_a_prior_that_few_rows_leave_open_is_said():
    X, s, _ = normal_data(n_labeled=3, n_population=40, copies=False)
    model = PUCalibratedClassifier(LogisticRegression(), cv=2, random_state=0)
    with pytest.warns(UserWarning, match=r"prior was estimated as .*, but anything from"):
        model.fit(X, s)


def test_a_prior_cannot_be_estimated_from_text():
    X, s, _ = normal_data(n_labeled=20, n_population=100)
    table = pd.DataFrame({"x": np.where(X[:, 0] > 0, "high", "low")})
    with pytest.raises(ValueError, match="X must hold numbers alone, .* 'high'|'low'.* Encode"):
        PUCalibratedClassifier(LogisticRegression(), random_state=0).fit(table, s)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_estimate_near_the_truth(scenario):
    X, s, _ = normal_data(scenario)
    model = PUCalibratedClassifier(LogisticRegression(), scenario=scenario, random_state=0)
    assert model.fit(X, s).prior_ == pytest.approx(PRIOR, abs=0.08)
    estimate = estimate_prior(X, s, scenario=scenario, random_state=0)
    assert (model.prior_, model.prior_interval_) == (estimate.prior, estimate.interval)


# ---------------------------------------------------------------- bad input


class Strange(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are what it is told to give."""

    def __init__(self, scores=None):
        self.scores = scores

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.scores(X)


class Tired(LogisticRegression):
    """A classifier that gives some of its copies, by the rows of their folds, one score for all."""

    def __init__(self, share=0.5):
        super().__init__()
        self.share = share

    def fit(self, X, y):
        super().fit(X, y)
        self.tired_ = abs(X.sum()) % 1 < self.share
        return self

    def decision_function(self, X):
        return np.zeros(len(X)) if self.tired_ else super().decision_function(X)


class Mute(ClassifierMixin, BaseEstimator):
    """A classifier that has labels only."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"prior": 1.0}, ValueError, "prior must be a number greater than 0"),
        ({"prior": "high"}, TypeError, "prior must be a number greater than 0"),
        ({"scenario": "pu"}, ValueError, "scenario must be one of"),
        ({"method": "beta"}, ValueError, "method must be one of 'isotonic', 'sigmoid'"),
        ({"cv": 1}, ValueError, "cv must be a whole number of at least 2; got 1"),
        ({"cv": "loo"}, ValueError, "cv must be a number of folds or 'prefit'; got 'loo'"),
        ({"cv": [(0, 1)]}, TypeError, "cv must be a whole number of at least 2"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
        ({"random_state": "x"}, ValueError, "random_state must be"),
        ({"ensemble": "yes"}, TypeError, "ensemble must be True or False; got 'yes'"),
        ({"pos_label": 5}, ValueError, "pos_label must be a label of y"),
        (
            {"cv": 21},
            ValueError,
            "cv needs .* labeled positive rows.* cv is 21, and there are 20",
        ),
        (
            {"scenario": "single-set", "prior": 0.05},
            ValueError,
            "prior must be at least the share of labeled rows in a single set, 0.1666",
        ),
        (
            {"estimator": Strange(lambda X: np.zeros(len(X)))},
            ValueError,
            "estimator must tell rows apart; Strange gives every row of a fold the same score",
        ),
        (
            {"estimator": Strange(lambda X: np.zeros(len(X))), "ensemble": False},
            ValueError,
            "estimator must tell rows apart; Strange gives every row the same score",
        ),
        (
            {"estimator": Strange(lambda X: np.zeros(3))},
            ValueError,
            r"decision_function of the estimator must give a score per row, 24; .* shape \(3,\)",
        ),
        (
            {"estimator": Strange(lambda X: np.zeros((len(X), 3)))},
            ValueError,
            r"decision_function of the estimator must give a score per row, 24; .* \(24, 3\)",
        ),
        (
            {"estimator": Strange(lambda X: np.r_[0.0, np.nan, np.arange(len(X) - 2)])},
            ValueError,
            "decision_function of the estimator must give finite scores; it gave nan at row 1",
        ),
        ({"estimator": Mute()}, TypeError, "estimator must have .* Mute has neither"),
    ],
)
def test_bad_input(changes, error, message):
    X, s, _ = normal_data(n_labeled=20, n_population=100, copies=False)
    keywords = {"estimator": LogisticRegression(), "prior": 0.3} | changes
    model = PUCalibratedClassifier(keywords.pop("estimator"), **keywords)
    with pytest.raises(error, match=message):
        model.fit(X, s)
    with pytest.raises(NotFittedError):
        model.predict_proba(X)


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_a_fold_of_constant_scores_gets_the_prior(method):
    X, s, _ = normal_data(n_labeled=100, n_population=500)
    model = PUCalibratedClassifier(Tired(), prior=PRIOR, method=method, random_state=0).fit(X, s)
    tired = [one.tired_ for one in model.estimators_]
    assert 0 < sum(tired) < 5
    each = [
        calibrator.predict(estimator.decision_function(X))
        for estimator, calibrator in zip(model.estimators_, model.calibrators_, strict=True)
    ]
    for p, is_tired in zip(each, tired, strict=True):
        assert (np.ptp(p) < 1e-12) == is_tired
        if is_tired:
            np.testing.assert_allclose(p, PRIOR, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], np.mean(each, axis=0))
    for ensemble in (True, False):
        constant = clone(model).set_params(estimator=Tired(share=1), ensemble=ensemble)
        with pytest.raises(ValueError, match="estimator must tell rows apart; Tired gives every"):
            constant.fit(X, s)
    fitted = Tired(share=1).fit(X, s)
    with pytest.raises(ValueError, match="Tired gives every row the same score"):
        PUCalibratedClassifier(fitted, prior=PRIOR, cv="prefit").fit(X, s)


@pytest.mark.parametrize("wrong", [None, "logistic", LogisticRegression])
def test_no_classifier(wrong):
    X, s, _ = normal_data(n_labeled=20, n_population=100)
    with pytest.raises(TypeError, match="estimator must be a scikit-learn classifier, an instance"):
        PUCalibratedClassifier(wrong, prior=0.3).fit(X, s)


def test_bad_rows_and_labels():
    X, s, _ = normal_data(n_labeled=20, n_population=100)
    model = PUCalibratedClassifier(LogisticRegression(), prior=0.3)
    with pytest.raises(ValueError, match="y must hold one label per row of X, "):
        model.fit(X, s[:-1])
    with pytest.raises(ValueError, match="y has no positive row"):
        model.fit(X, 0 * s)
    with pytest.raises(ValueError, match="y must hold two labels"):
        model.fit(X, np.arange(len(s)) % 3)
    with pytest.raises(ValueError, match="sample_weight must hold one number per row"):
        model.fit(X, s, [1.0])
    pipeline = make_pipeline(LogisticRegression())
    with pytest.raises(ValueError, match="sample_weight needs an estimator .* Pipeline does not"):
        PUCalibratedClassifier(pipeline, prior=0.3).fit(X, s, np.ones(len(s)))
    with pytest.raises(ValueError, match="features"):
        model.fit(X, s).predict_proba(np.c_[X, X])
    with pytest.raises(ValueError, match="y must hold true labels"):
        model.score(X, np.full(len(s), 3))


def test_a_failed_fit_leaves_nothing_of_the_last_one():
    X, s, _ = normal_data(n_labeled=20, n_population=100)
    model = PUCalibratedClassifier(LogisticRegression(), prior=0.3).fit(X, s)
    with pytest.raises(ValueError, match="no positive row"):
        model.fit(X, 0 * s)
    with pytest.raises(NotFittedError):
        model.predict(X)
