"""AdaPUClassifier(prior=None): the prior is estimated inside fit."""

import types
import warnings

import numpy as np
import pandas as pd
import pytest
from helpers import pu_data
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from adapu import AdaPUClassifier, PUCalibratedClassifier
from adapu.metrics import make_pu_scorer
from adapu.model_selection import AdaPUClassifierCV
from adapu.prior import _estimate, estimate_prior
from adapu.prior._crossfit import cross_fitted_scores


def separated(seed=0, n_positive=500, n_unlabeled=2000, prior=0.3):
    """Classes far apart: P, then U with a share of positives."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_unlabeled) < prior
    y = np.concatenate([np.ones(n_positive, bool), hidden])
    X = rng.normal(size=(len(y), 4)) + 3 * y[:, None]
    return X, np.repeat([1, 0], [n_positive, n_unlabeled]), y


@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
def test_it_is_the_estimate_of_the_same_seed(scenario):
    X, s, y = separated()
    model = AdaPUClassifier(scenario=scenario, random_state=0).fit(X, s)
    estimate = estimate_prior(X, s, scenario=scenario, random_state=0)
    assert model.prior_ == estimate.prior
    assert model.prior_interval_ == estimate.interval
    truth = y[s == 0].mean() if scenario == "case-control" else y.mean()
    assert model.prior_ == pytest.approx(truth, abs=0.04)
    given = AdaPUClassifier(model.prior_, scenario=scenario, random_state=0).fit(X, s)
    np.testing.assert_array_equal(model.stumps_, given.stumps_)
    assert given.prior_interval_ is None


@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
def test_rows_of_weight_0_do_not_count(scenario):
    X, s, _ = separated()
    weight = np.ones(len(X))
    weight[::3] = 0
    weighted = AdaPUClassifier(scenario=scenario, random_state=0).fit(X, s, sample_weight=weight)
    alone = AdaPUClassifier(scenario=scenario, random_state=0).fit(X[weight > 0], s[weight > 0])
    assert weighted.prior_ == alone.prior_
    assert weighted.prior_interval_ == alone.prior_interval_
    np.testing.assert_array_equal(weighted.stumps_, alone.stumps_)


def test_threads_change_no_bit():
    X, s, _ = separated()
    priors = [AdaPUClassifier(random_state=0, n_jobs=n).fit(X, s).prior_ for n in (1, 2)]
    assert priors[0] == priors[1]


def test_cross_validation_estimates_once():
    X, s, _ = separated()
    model = AdaPUClassifierCV(learning_rates=(0.1,), cv=2, random_state=0).fit(X, s)
    assert model.prior_ == AdaPUClassifier(random_state=0).fit(X, s).prior_


def test_a_wide_interval_is_said():
    X, s = pu_data(seed=0, n_positive=8, n_unlabeled=30)
    with pytest.warns(UserWarning, match=r"estimated as 0\.\d+, but anything from .* to .* suits"):
        model = AdaPUClassifier(random_state=0, n_estimators=2).fit(X, s)
    low, high = model.prior_interval_
    assert 0 < low <= model.prior_ <= high <= 1
    X, s, _ = separated()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdaPUClassifier(random_state=0, n_estimators=2).fit(X, s)


@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
def test_a_guess_where_nothing_can_be_estimated(scenario):
    X, s = pu_data(seed=0, n_positive=1, n_unlabeled=1)
    X, s = np.vstack([X, X[:1], X[:1]]), np.append(s, [1, 1])
    with pytest.warns(UserWarning, match=r"could not be estimated: .* which is a guess"):
        model = AdaPUClassifier(scenario=scenario, random_state=0).fit(X, s)
    assert model.prior_ == (0.5 if scenario == "case-control" else 0.75)
    assert model.prior_interval_ == (0.0 if scenario == "case-control" else 0.75, 1.0)


@pytest.mark.parametrize("what", ["labeled", "unlabeled"])
def test_what_an_estimate_lacks_is_said(what):
    """Copies of a row count once; `cv` is no argument of fit."""
    X, s = pu_data(seed=0, n_positive=8, n_unlabeled=30)
    few = s == (what == "labeled")
    X[few] = X[few][0]
    with pytest.warns(
        UserWarning, match=rf"At least 2 distinct {what} rows are needed; there is 1"
    ) as said:
        AdaPUClassifier(random_state=0, n_estimators=2).fit(X, s)
    assert "cv" not in str(said[0].message)


def test_folds_of_which_one_would_lack_unlabeled_rows():
    """Four copies of a labeled row are one of them; both unlabeled rows are in the other."""
    X = np.array([0.0, 0, 0, 0, 1, 2, 3, 1, 2])[:, None]
    s = np.array([1, 1, 1, 1, 1, 1, 1, 0, 0])
    with pytest.warns(UserWarning, match="No 2 folds can have unlabeled rows each") as said:
        model = AdaPUClassifier(random_state=0, n_estimators=2).fit(X, s)
    assert "cv" not in str(said[0].message)
    assert model.prior_ == 0.5


def folds_of(monkeypatch, X, s, weight=None):
    """How many folds the estimate inside a fit is made with."""
    counts = []

    def counting(estimator, X, labeled, folds, *others):
        counts.append(int(folds.max()) + 1)
        return cross_fitted_scores(estimator, X, labeled, folds, *others)

    monkeypatch.setattr(_estimate, "cross_fitted_scores", counting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the interval is wide
        AdaPUClassifier(random_state=0, n_estimators=2).fit(X, s, sample_weight=weight)
    return counts


@pytest.mark.parametrize("n_positive", [2, 3, 20])
def test_a_row_k_times_and_a_weight_of_k_have_as_many_folds(monkeypatch, n_positive):
    X, s = pu_data(seed=0, n_positive=n_positive, n_unlabeled=40)
    plain = folds_of(monkeypatch, X, s)
    assert plain == [min(n_positive, 5)]
    assert folds_of(monkeypatch, np.repeat(X, 4, axis=0), np.repeat(s, 4)) == plain
    assert folds_of(monkeypatch, X, s, np.full(len(s), 4.0)) == plain


@pytest.mark.parametrize("wrong", ["text", "inf", "estimator"])
def test_wrong_input_is_no_reason_to_guess(monkeypatch, wrong):
    X, s, _ = separated(n_positive=40, n_unlabeled=100)
    message = {"text": "X must hold numbers alone.*could not convert", "inf": "X contains infinity"}
    if wrong == "estimator":  # an error nobody thought of

        def broken(*_):
            raise ValueError("Something else.")

        monkeypatch.setattr(_estimate, "cross_fitted_scores", broken)
        with pytest.raises(ValueError, match="Something else"):
            AdaPUClassifier(random_state=0).fit(X, s)
        return
    X = pd.DataFrame(X)
    X[0] = pd.Categorical(np.where(X[0] > 0, "a", "b")) if wrong == "text" else X[0] / 0
    model = PUCalibratedClassifier(HistGradientBoostingClassifier(max_iter=2), random_state=0)
    with pytest.raises(ValueError, match=message[wrong]):
        model.fit(X, s)


@pytest.mark.parametrize(
    ("prior", "interval", "wide"),
    [
        (0.135, (0.0, 0.232), True),
        (0.05, (0.01, 0.08), True),
        (0.5, (0.4, 0.66), True),
        (0.135, (0.09, 0.16), False),
        (0.05, (0.03, 0.07), False),
        (0.5, (0.4, 0.6), False),
    ],
)
def test_which_intervals_are_wide(monkeypatch, prior, interval, wide):
    """Those of a quarter, and those wider than the prior is large."""
    found = types.SimpleNamespace(prior=prior, interval=interval)
    monkeypatch.setattr(_estimate, "estimate_with_seed", lambda *_, **__: found)
    X, s = pu_data(seed=0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        AdaPUClassifier(random_state=0, n_estimators=2).fit(X, s)
    assert len(said) == wide


def test_a_prior_below_the_labeled_share_is_refused_in_a_single_set():
    X, s = pu_data(seed=0, n_positive=30, n_unlabeled=70)
    with pytest.raises(ValueError, match=r"prior must be at least the share .* 0\.3, .* got 0\.2"):
        AdaPUClassifier(0.2, scenario="single-set").fit(X, s)
    weight = np.where(s == 1, 1.0, 9.0)
    AdaPUClassifier(0.2, scenario="single-set").fit(X, s, sample_weight=weight)
    AdaPUClassifier(0.2).fit(X, s)


def test_a_prior_of_the_whole_set_suits_its_folds():
    """All positives are labeled, and a fold may have one more than its part of them."""
    X, s = pu_data(seed=0, n_positive=31, n_unlabeled=72)
    model = AdaPUClassifier(31 / 103, scenario="single-set", n_estimators=3, random_state=0)
    scorer = make_pu_scorer("accuracy", prior=31 / 103, scenario="single-set")
    shares = [s[test].mean() for _, test in StratifiedKFold(5).split(X, s)]
    assert max(shares) > 31 / 103
    scores = cross_val_score(model, X, s, cv=5, scoring=scorer, error_score="raise")
    assert np.isfinite(scores).all()
    PUCalibratedClassifier(model, prior=31 / 103, scenario="single-set", random_state=0).fit(X, s)
