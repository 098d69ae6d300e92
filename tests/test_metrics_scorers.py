"""The scorers, in the hands of scikit-learn."""

import pickle

import numpy as np
import pytest
import sklearn
from helpers import pu_data
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.svm import LinearSVC

from adapu import AdaPUClassifier, metrics

# name: metric, response, sign, further arguments
SCORERS = {
    "accuracy": (metrics.pu_accuracy_score, "predict", 1, {}),
    "precision": (metrics.pu_precision_score, "predict", 1, {}),
    "recall": (metrics.pu_recall_score, "predict", 1, {}),
    "f1": (metrics.pu_f1_score, "predict", 1, {}),
    "lee_liu": (metrics.lee_liu_score, "predict", 1, {}),
    "roc_auc": (metrics.pu_roc_auc_score, "decision_function", 1, {}),
    "average_precision": (metrics.pu_average_precision_score, "decision_function", 1, {}),
    "neg_zero_one_loss": (metrics.pu_zero_one_loss, "predict", -1, {}),
    "neg_nn_zero_one_loss": (metrics.pu_zero_one_loss, "predict", -1, {"non_negative": True}),
    "neg_brier_score": (metrics.pu_brier_score_loss, "predict_proba", -1, {}),
    "neg_calibration_error": (metrics.pu_calibration_error, "predict_proba", -1, {}),
}
X, S = pu_data(seed=0, n_positive=40, n_unlabeled=120)
MODEL = AdaPUClassifier(0.4, n_estimators=8, random_state=0)
KEYWORDS = [
    {"prior": 0.4, "scenario": "case-control"},
    {"prior": 0.55, "scenario": "single-set"},
]


@pytest.fixture(scope="module")
def fitted():
    return clone(MODEL).fit(X, S)


@pytest.mark.parametrize("keywords", KEYWORDS)
@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_is_its_metric(fitted, name, keywords):
    metric, response, sign, more = SCORERS[name]
    scorer = metrics.make_pu_scorer(name, **keywords)
    values = getattr(fitted, response)(X)
    values = values[:, 1] if response == "predict_proba" else values
    weight = np.arange(len(S)) % 4
    for extra in ({}, {"sample_weight": weight}):
        wanted = sign * metric(S, values, **keywords, **more, **extra)
        assert scorer(fitted, X, S, **extra) == wanted
        assert pickle.loads(pickle.dumps(scorer))(fitted, X, S, **extra) == wanted


@pytest.mark.parametrize("name", SCORERS)
def test_larger_is_better(name):
    """A model of the truth beats one that was shown the labels upside down."""
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.4
    rows = np.where(y, 1.5, -1.5)[:, None] + rng.normal(size=(600, 1))
    s = np.r_[np.ones(100, int), np.zeros(600, int)]
    X = np.r_[rng.normal(1.5, 1, (100, 1)), rows]
    good, bad = LogisticRegression().fit(rows, y), LogisticRegression().fit(rows, ~y)
    scorer = metrics.make_pu_scorer(name, prior=0.4)
    assert scorer(good, X, s) > scorer(bad, X, s)


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True), ("unknown", "a")])
@pytest.mark.parametrize("name", SCORERS)
def test_labels_of_every_kind(name, labels):
    """Text in alphabetical order puts the positives first in other classifiers' classes_."""
    pos_label = "a" if labels[1] == "a" else None
    s = np.where(S == 1, labels[1], labels[0])
    scorer = metrics.make_pu_scorer(name, prior=0.4, pos_label=pos_label)
    plain = metrics.make_pu_scorer(name, prior=0.4)
    model = clone(MODEL).set_params(pos_label=pos_label)
    assert scorer(model.fit(X, s), X, s) == plain(clone(MODEL).fit(X, S), X, S)
    weights = dict(zip(labels, (1, 3), strict=True))
    other = LogisticRegression(class_weight=weights).fit(X, s)
    same = LogisticRegression(class_weight={0: 1, 1: 3}).fit(X, S)
    assert scorer(other, X, s) == pytest.approx(plain(same, X, S), rel=1e-3)


@pytest.mark.parametrize("keywords", KEYWORDS)
def test_cross_validation(keywords):
    scoring = {name: metrics.make_pu_scorer(name, **keywords) for name in SCORERS}
    results = cross_validate(MODEL, X, S, scoring=scoring, cv=3, error_score="raise")
    folds = StratifiedKFold(3).split(X, S)
    for fold, (train, test) in enumerate(folds):
        model = clone(MODEL).fit(X[train], S[train])
        for name, scorer in scoring.items():
            assert results[f"test_{name}"][fold] == scorer(model, X[test], S[test])
    assert results["test_roc_auc"].mean() > 0.6
    one = cross_val_score(MODEL, X, S, scoring=scoring["roc_auc"], cv=3, error_score="raise")
    np.testing.assert_array_equal(one, results["test_roc_auc"])


def test_grid_search_chooses_by_the_scorer():
    scorer = metrics.make_pu_scorer("neg_nn_zero_one_loss", prior=0.4)
    search = GridSearchCV(
        MODEL, {"learning_rate": [1e-6, 0.5], "prior": [0.02, 0.4]}, scoring=scorer, cv=3,
        error_score="raise",
    ).fit(X, S)  # fmt: skip
    assert search.best_params_["prior"] == 0.4
    assert (search.cv_results_["mean_test_score"] <= 0).all()
    assert search.score(X, S) == scorer(search.best_estimator_, X, S)


def test_sample_weight_is_routed():
    weight = np.where(np.arange(len(S)) % 2, 1.0, 3.0)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = metrics.make_pu_scorer("roc_auc", prior=0.4)
        model = clone(MODEL).set_fit_request(sample_weight=False)
        scorer.set_score_request(sample_weight=True)
        found = cross_val_score(
            model, X, S, scoring=scorer, cv=2, params={"sample_weight": weight}, error_score="raise"
        )
    for (train, test), value in zip(StratifiedKFold(2).split(X, S), found, strict=True):
        margins = clone(MODEL).fit(X[train], S[train]).decision_function(X[test])
        wanted = metrics.pu_roc_auc_score(S[test], margins, prior=0.4, sample_weight=weight[test])
        assert value == wanted


def test_the_response_that_the_estimator_has():
    machine = LinearSVC().fit(X, S)
    assert metrics.make_pu_scorer("roc_auc", prior=0.4)(machine, X, S) > 0.5
    with pytest.raises(AttributeError, match="predict_proba"):
        metrics.make_pu_scorer("neg_brier_score", prior=0.4)(machine, X, S)


def test_a_fold_without_labeled_rows(fitted):
    scorer = metrics.make_pu_scorer("roc_auc", prior=0.4)
    with pytest.raises(ValueError, match="s has no positive row.* In cross-validation use Strat"):
        scorer(fitted, X[S == 0], S[S == 0])
    with pytest.raises(ValueError, match="s has no unlabeled row.* In cross-validation use Strat"):
        scorer(fitted, X[S == 1], S[S == 1])


@pytest.mark.parametrize("name", ["auc", "pu_roc_auc_score", None, ["f1"]])
def test_wrong_name(name):
    with pytest.raises(ValueError, match="name must be one of") as caught:
        metrics.make_pu_scorer(name, prior=0.4)
    assert all(repr(allowed) in str(caught.value) for allowed in SCORERS)


def test_wrong_parameters_are_said_at_once():
    with pytest.raises(ValueError, match="prior must be"):
        metrics.make_pu_scorer("f1", prior=1.2)
    with pytest.raises(ValueError, match="scenario must be"):
        metrics.make_pu_scorer("f1", prior=0.2, scenario="censoring")
