"""Early stopping on rows held out."""

import numpy as np
import pytest
from helpers import pu_data

from adapu import AdaPUClassifier
from adapu._boosting import Patience
from adapu._folds import identical_rows, pu_holdout
from adapu._validation import draw_seed
from adapu.metrics import pu_zero_one_loss

SCENARIOS = ["case-control", "single-set"]


def held_out_of(X, s, share, random_state=0):
    """The rows that a fit with this seed holds out; X has the rows of P first, as the fit has."""
    return pu_holdout(s == 1, identical_rows(X), share, draw_seed(random_state))


def grid_data(seed, n_positive=60, n_unlabeled=600):
    """Few values per feature, all of them in any large part of the rows."""
    X, s = pu_data(seed, n_positive, n_unlabeled, n_features=4)
    return np.clip(np.round(X), -1, 2), s


@pytest.mark.parametrize("cutoff", ["zero", "prior"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_held_out_loss_is_that_of_the_rows_held_out(scenario, cutoff):
    X, s = pu_data(seed=0, n_positive=80, n_unlabeled=500)
    model = AdaPUClassifier(
        0.4,
        scenario=scenario,
        cutoff=cutoff,
        early_stopping=True,
        validation_fraction=0.25,
        random_state=0,
    ).fit(X, s)
    held_out = held_out_of(X, s, 0.25)
    assert held_out[s == 1].mean() == pytest.approx(0.25, abs=0.01)
    assert held_out[s == 0].mean() == pytest.approx(0.25, abs=0.01)
    for loss, predicted in zip(
        model.validation_loss_, model.staged_predict(X[held_out]), strict=True
    ):
        expected = pu_zero_one_loss(
            s[held_out], predicted, prior=0.4, scenario=scenario, non_negative=True
        )
        assert loss == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("thresholds", ["even", "quantile"])
def test_rows_held_out_teach_nothing(thresholds, scenario):
    """The stumps are those of a fit on the other rows, where these have the same values."""
    X, s = pu_data(0, 40, 300, n_features=3)
    X = np.clip(np.round(X), -1, 2)
    X[:, 0] = np.tile([-1.0, 0.0, 1.0, 2.0], 85)  # copies stay together, so make rows distinct
    X = np.column_stack([X, np.random.default_rng(0).permutation(len(X)) % 5])
    parameters = {
        "thresholds": thresholds,
        "n_thresholds": None if thresholds == "quantile" else 10,
        "scenario": scenario,
        "normalization": "over-all",
        "random_state": 0,
    }
    model = AdaPUClassifier(0.4, early_stopping=True, validation_fraction=0.2, **parameters)
    model.fit(X, s)
    kept = ~held_out_of(X, s, 0.2)
    alone = AdaPUClassifier(0.4, n_estimators=model.n_iter_, **parameters).fit(X[kept], s[kept])
    np.testing.assert_array_equal(model.stumps_["feature"], alone.stumps_["feature"])
    np.testing.assert_array_equal(model.stumps_["threshold"], alone.stumps_["threshold"])
    np.testing.assert_allclose(model.stumps_["alpha"], alone.stumps_["alpha"], rtol=1e-9)
    np.testing.assert_allclose(model.history_["Z"], alone.history_["Z"], rtol=1e-9)


def test_no_copy_of_a_row_held_out_is_learned_from():
    X, s = grid_data(seed=1)
    groups = identical_rows(X)
    held_out = held_out_of(X, s, 0.2)
    assert len(np.unique(groups)) < len(X) / 2
    assert not np.intersect1d(groups[held_out], groups[~held_out]).size


@pytest.mark.parametrize("n_iter_no_change", [1, 5])
def test_it_stops_by_the_rule(n_iter_no_change):
    X, s = pu_data(seed=3, n_positive=60, n_unlabeled=400)
    model = AdaPUClassifier(
        0.4,
        n_estimators=1000,
        early_stopping=True,
        n_iter_no_change=n_iter_no_change,
        normalization="over-all",
        random_state=0,
    ).fit(X, s)
    assert model.stop_reason_ == "no better on held-out rows"
    loss, n = model.validation_loss_, n_iter_no_change
    assert len(loss) == model.n_iter_ == len(model.stumps_) < 1000
    over = [min(loss[t - n + 1 : t + 1]) >= loss[t - n] - 1e-7 for t in range(n, len(loss))]
    assert over == [False] * (len(over) - 1) + [True]


def test_patience():
    patience = Patience(n_iter_no_change=2, tol=0.1)
    assert not patience.is_over(np.array([0.5, 0.5]))
    assert patience.is_over(np.array([0.5, 0.5, 0.5]))
    assert not patience.is_over(np.array([0.5, 0.5, 0.3]))
    assert patience.is_over(np.array([0.5, 0.45, 0.41]))
    assert not patience.is_over(np.array([0.9, 0.5, 0.39, 0.5]))


def test_without_rows_held_out_it_watches_the_training_loss():
    X, s = pu_data(seed=3, n_positive=60, n_unlabeled=400)
    model = AdaPUClassifier(
        0.4,
        n_estimators=1000,
        early_stopping=True,
        validation_fraction=None,
        normalization="over-all",
        random_state=0,
    ).fit(X, s)
    assert model.validation_loss_ is None
    assert model.stop_reason_ == "no better on training rows"
    loss = model.history_["nn_zero_one_loss"]
    assert min(loss[-10:]) >= loss[-11] - 1e-7


def test_off_by_default():
    X, s = pu_data(seed=3)
    assert AdaPUClassifier(0.4, random_state=0).fit(X, s).validation_loss_ is None


def test_a_number_of_rows():
    X, s = pu_data(seed=4, n_positive=100, n_unlabeled=900)
    held_out = held_out_of(X, s, 200)
    assert (held_out[s == 1].sum(), held_out[s == 0].sum()) == (20, 180)
    model = AdaPUClassifier(0.4, early_stopping=True, validation_fraction=200, random_state=0).fit(
        X, s
    )
    same = AdaPUClassifier(0.4, early_stopping=True, validation_fraction=0.2, random_state=0)
    np.testing.assert_array_equal(model.stumps_, same.fit(X, s).stumps_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_change_no_bit(n_jobs):
    X, s = pu_data(seed=5, n_positive=100, n_unlabeled=20_000, n_features=8)
    results = [
        AdaPUClassifier(0.4, early_stopping=True, cutoff="prior", random_state=0, n_jobs=n)
        .fit(X, s)
        .validation_loss_
        for n in (n_jobs, 3)
    ]
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"early_stopping": "auto"}, "early_stopping must be True or False; got 'auto'"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a share between 0 and 1, both"),
        ({"validation_fraction": 0}, "a number of rows of at least 1, or None; got 0."),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number of at least 1; got 0"),
        ({"tol": -1.0}, "tol must be a number at least 0 and finite; got -1.0"),
        ({"cutoff": "best"}, "cutoff must be one of 'zero', 'prior'; got 'best'"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, s = pu_data(seed=0)
    with pytest.raises((TypeError, ValueError), match=message):
        AdaPUClassifier(0.4, **parameters).fit(X, s)


def test_too_few_rows_to_hold_any_out():
    X, s = pu_data(seed=0, n_positive=1)
    with pytest.raises(ValueError, match="early_stopping needs .* labeled positive rows.* are 1"):
        AdaPUClassifier(0.4, early_stopping=True).fit(X, s)
    X, s = pu_data(seed=0)
    with pytest.raises(ValueError, match="validation_fraction must leave rows to learn from"):
        AdaPUClassifier(0.4, early_stopping=True, validation_fraction=len(X)).fit(X, s)
