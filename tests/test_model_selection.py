"""Cross-validated beta and number of rounds."""

import numpy as np
import pytest
from helpers import pu_data
from sklearn.base import clone

from adapu import AdaPUClassifier, model_selection
from adapu._folds import identical_rows, pu_folds
from adapu._validation import draw_seed
from adapu.metrics import pu_zero_one_loss
from adapu.model_selection import PAPER_LEARNING_RATES, AdaPUClassifierCV

SCENARIOS = ["case-control", "single-set"]


def distinct_grid_data(seed, n_positive=50, n_unlabeled=400):
    """Few values per feature in every large part of the rows, few copies."""
    X, s = pu_data(seed, n_positive, n_unlabeled, n_features=4)
    X = np.clip(np.round(2 * X), -2, 4)
    return np.column_stack([X, np.random.default_rng(seed).permutation(len(X)) % 7]), s


@pytest.mark.parametrize("cutoff", ["zero", "prior"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_curves_are_those_of_fits_on_the_other_folds(scenario, cutoff):
    X, s = distinct_grid_data(0)
    options = {
        "prior": 0.4,
        "scenario": scenario,
        "cutoff": cutoff,
        "thresholds": "quantile",
        "n_thresholds": None,
        "n_estimators": 15,
        "normalization": "over-all",
        "random_state": 0,
    }
    rates = [0.05, 0.5]
    model = AdaPUClassifierCV(learning_rates=rates, cv=3, **options).fit(X, s)
    assert model.loss_curves_.shape == (2, 3, 15)
    folds = pu_folds(s == 1, identical_rows(X), 3, draw_seed(0))
    for fold in range(3):
        out = folds == fold
        for r, rate in enumerate(rates):
            alone = AdaPUClassifier(learning_rate=rate, **options).fit(X[~out], s[~out])
            expected = [
                pu_zero_one_loss(s[out], p, prior=0.4, scenario=scenario, non_negative=True)
                for p in alone.staged_predict(X[out])
            ]
            found = model.loss_curves_[r, fold]
            np.testing.assert_allclose(found[: alone.n_iter_], expected, atol=1e-12)
            assert (found[alone.n_iter_ :] == found[alone.n_iter_ - 1]).all()


def test_the_lowest_mean_loss_is_chosen_and_learned_from_all_rows():
    X, s = pu_data(seed=1, n_positive=80, n_unlabeled=600, n_features=5)
    options = {"cutoff": "prior", "n_estimators": 60, "random_state": 3}
    model = AdaPUClassifierCV(0.4, **options).fit(X, s)
    mean = model.loss_curves_.mean(axis=1)
    r, t = np.unravel_index(mean.argmin(), mean.shape)
    assert model.learning_rate_ == PAPER_LEARNING_RATES[r]
    assert model.n_estimators_ == t + 1
    assert model.best_score_ == pytest.approx(-mean.min())
    alone = AdaPUClassifier(
        0.4, **(options | {"learning_rate": model.learning_rate_, "n_estimators": t + 1})
    ).fit(X, s)
    np.testing.assert_array_equal(model.stumps_, alone.stumps_)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    assert model.cutoff_ == alone.cutoff_


def test_results_are_like_those_of_a_search():
    X, s = pu_data(seed=1, n_positive=40, n_unlabeled=300)
    model = AdaPUClassifierCV(0.4, learning_rates=(0.1, 0.3, 1), cv=4, random_state=0).fit(X, s)
    table = model.cv_results_
    splits = np.array([table[f"split{fold}_test_score"] for fold in range(4)])
    np.testing.assert_allclose(table["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(table["std_test_score"], splits.std(axis=0))
    assert table["rank_test_score"].min() == 1
    best = int(np.argmin(table["rank_test_score"]))
    assert table["params"][best] == {
        "learning_rate": model.learning_rate_,
        "n_estimators": model.n_estimators_,
    }
    for r, n in enumerate(table["param_n_estimators"]):
        np.testing.assert_array_equal(-splits[:, r], model.loss_curves_[r, :, n - 1])
        assert model.loss_curves_[r].mean(axis=0).argmin() == n - 1
    assert (table["mean_fit_time"] > 0).all()
    assert set(table) >= {"std_fit_time", "param_learning_rate"}
    for name in ("mean_score_time", "std_score_time"):  # losses are taken inside the fits
        np.testing.assert_array_equal(table[name], np.zeros(3))
    assert model.best_index_ == best
    assert model.best_params_ == table["params"][best]
    assert model.best_score_ == table["mean_test_score"][best]


def test_fits_side_by_side_change_no_bit():
    X, s = pu_data(seed=2, n_positive=50, n_unlabeled=3000, n_features=6)
    X, s = np.vstack([X, X[:50]]), np.append(s, np.zeros(50, int))
    options = {"learning_rates": (0.1, 0.5), "random_state": 0, "cutoff": "prior"}
    one = AdaPUClassifierCV(0.4, **options).fit(X, s)
    four = AdaPUClassifierCV(0.4, n_jobs=4, **options).fit(X, s)
    np.testing.assert_array_equal(one.loss_curves_, four.loss_curves_)
    np.testing.assert_array_equal(one.stumps_, four.stumps_)


@pytest.mark.parametrize("integer", [np.int8, np.uint8, np.uint64])
def test_whole_numbers_of_numpy(integer):
    X, s = pu_data(seed=2, n_positive=20, n_unlabeled=80)
    numbers = {"cv": 3, "n_estimators": 100, "n_thresholds": 100, "n_jobs": 2}
    rates = (0.1, 0.5)
    model = AdaPUClassifierCV(0.4, learning_rates=rates, random_state=0, **numbers).fit(X, s)
    same = clone(model).set_params(**{name: integer(value) for name, value in numbers.items()})
    same.set_params(learning_rates=np.array(rates)).fit(X, s)
    np.testing.assert_array_equal(same.loss_curves_, model.loss_curves_)
    np.testing.assert_array_equal(same.stumps_, model.stumps_)


def test_no_fold_learns_from_a_copy_of_its_own_rows():
    """U holds copies of P: were they apart, memory alone would give no loss."""
    rng = np.random.default_rng(0)
    P = rng.normal(size=(30, 3))  # no feature says anything
    X = np.vstack([P, P, rng.normal(size=(270, 3))])
    s = np.repeat([1, 0], [30, 300])
    folds = pu_folds(s == 1, identical_rows(X), 5, 0)
    np.testing.assert_array_equal(folds[:30], folds[30:60])
    model = AdaPUClassifierCV(0.3, thresholds="quantile", random_state=0).fit(X, s)
    assert model.loss_curves_.mean(axis=1).min() > 0.2


def test_weights():
    X, s = pu_data(seed=3, n_positive=40, n_unlabeled=300)
    weight = np.ones(len(X))
    weight[::7] = 0
    options = {"learning_rates": (0.1,), "thresholds": "quantile", "random_state": 0}
    weighted = AdaPUClassifierCV(0.4, **options).fit(X, s, sample_weight=weight)
    alone = AdaPUClassifierCV(0.4, **options).fit(X[weight > 0], s[weight > 0])
    np.testing.assert_array_equal(weighted.loss_curves_, alone.loss_curves_)


def test_a_row_far_out_is_held_out_without_harm():
    """Its margin runs away from those of the fold's other rows, whose weights must not vanish."""
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(60, 1)), np.repeat([1, 0], [20, 40])
    X[0] = 1e6
    model = AdaPUClassifierCV(1e-4, random_state=0).fit(X, s)
    assert np.isfinite(model.loss_curves_).all()
    assert np.isfinite(model.decision_function(X)).all()


def test_public_names():
    assert model_selection.__all__ == ["PAPER_LEARNING_RATES", "AdaPUClassifierCV"]


def test_verbose_says_what_was_chosen(capsys):
    X, s = pu_data(seed=3, n_positive=40)
    AdaPUClassifierCV(0.4, learning_rates=(0.5,), cv=2, verbose=1, random_state=0).fit(X, s)
    said = capsys.readouterr().err
    assert "2/2" in said
    assert "adapu: chose learning_rate=0.5 and " in said


def test_parameters_are_its_own():
    model = AdaPUClassifierCV(0.3, learning_rates=(0.1,), cv=7, cutoff="prior")
    parameters = clone(model).get_params()
    assert parameters["cv"] == 7
    assert "learning_rate" not in parameters
    assert "early_stopping" not in parameters
    assert (
        repr(model) == "AdaPUClassifierCV(cutoff='prior', cv=7, learning_rates=(0.1,), prior=0.3)"
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cv": 1}, "cv must be a whole number of at least 2; got 1"),
        ({"cv": 13}, r"cv needs .* distinct labeled positive rows.*; cv is 13, and there are 12\."),
        ({"learning_rates": ()}, "learning_rates must be a sequence of at least one number"),
        ({"learning_rates": "0.1"}, "learning_rates must be a sequence of at least one number"),
        ({"learning_rates": iter([0.1])}, "learning_rates must be a sequence of at least one"),
        ({"learning_rates": 0.1}, "learning_rates must be a sequence of at least one number"),
        ({"learning_rates": (0.1, 2)}, "each of learning_rates must be a number greater than 0"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, s = pu_data(seed=0)
    with pytest.raises((TypeError, ValueError), match=message):
        AdaPUClassifierCV(0.4, **parameters).fit(X, s)
