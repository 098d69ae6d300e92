"""AdaPUClassifier(prior=None): the prior is estimated inside fit."""

import warnings

import numpy as np
import pytest
from helpers import pu_data

from adapu import AdaPUClassifier
from adapu._validation import draw_seed
from adapu.model_selection import AdaPUClassifierCV
from adapu.prior import estimate_prior


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
    estimate = estimate_prior(X, s, scenario=scenario, random_state=draw_seed(0))
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
    assert model.prior_interval_ == (0.0, 1.0)


def test_a_prior_below_the_labeled_share_is_refused_in_a_single_set():
    X, s = pu_data(seed=0, n_positive=30, n_unlabeled=70)
    with pytest.raises(ValueError, match=r"prior must be at least the share .* 0\.3, .* got 0\.2"):
        AdaPUClassifier(0.2, scenario="single-set").fit(X, s)
    weight = np.where(s == 1, 1.0, 9.0)
    AdaPUClassifier(0.2, scenario="single-set").fit(X, s, sample_weight=weight)
    AdaPUClassifier(0.2).fit(X, s)
