"""The estimator as its users see it: labels, data, reproducibility, stages, weights, messages."""

import pickle
import tracemalloc
from fractions import Fraction
from unittest import mock

import naive
import numpy as np
import pandas as pd
import pytest
from helpers import assert_same_fit, dyadic_weights, pu_data
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from adapu import AdaPUClassifier
from adapu._validation import check_finite
from adapu.backends.cpu import CpuBackend
from adapu.calibration import fit_calibrator

NORMALIZATIONS = ["per-group", "over-all"]
STRATEGIES = [("random", 5), ("even", 5), ("quantile", 5), ("quantile", None)]


def classifier(**changes):
    options = {
        "prior": 0.4,
        "n_estimators": 20,
        "learning_rate": 0.2,
        "n_thresholds": 5,
        "random_state": 0,
    }
    return AdaPUClassifier(**(options | changes))


def assert_same_bits(a, b):
    """Two fitted models are the same in every array."""
    np.testing.assert_array_equal(a.stumps_, b.stumps_)
    np.testing.assert_array_equal(a.history_, b.history_)
    assert a.stop_reason_ == b.stop_reason_


def assert_close_fits(a, b, tolerance=1e-9):
    """Two fitted models chose the same stumps; their numbers agree but for rounding."""
    for name in ("feature", "threshold", "polarity"):
        np.testing.assert_array_equal(a.stumps_[name], b.stumps_[name])
    for name in ("alpha", "error", "step"):
        np.testing.assert_allclose(a.stumps_[name], b.stumps_[name], rtol=tolerance, atol=tolerance)
    for name in a.history_.dtype.names:
        np.testing.assert_allclose(
            a.history_[name], b.history_[name], rtol=tolerance, atol=tolerance, err_msg=name
        )


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("positive", "other", "pos_label"),
    [
        (1, 0, None),
        (1, -1, None),
        (True, False, None),
        (20, 10, None),
        (0, 1, 0),
        (False, True, False),
        ("fraud", "unknown", "fraud"),
        ("a", "b", "a"),
    ],
)
def test_any_two_labels(positive, other, pos_label):
    X, s = pu_data(seed=0)
    reference = classifier().fit(X, s)
    y = np.where(s == 1, np.array(positive), np.array(other))
    model = classifier(pos_label=pos_label).fit(X, y)
    assert_same_bits(model, reference)
    assert list(model.classes_) == [other, positive]
    margin = model.decision_function(X)
    assert set(np.sign(margin)) == {-1, 1}
    predicted = model.predict(X)
    assert predicted.dtype == model.classes_.dtype == y.dtype
    np.testing.assert_array_equal(predicted, np.where(margin > 0, y[0], y[-1]))
    assert model.predict_proba(X)[:, 1].argmax() in np.flatnonzero(margin > 0)


def test_labels_may_be_a_list_or_a_series():
    X, s = pu_data(seed=0)
    reference = classifier().fit(X, s)
    for y in (s.tolist(), pd.Series(s), s.astype(np.uint8), s.astype(np.float32)):
        assert_same_bits(classifier().fit(X, y), reference)


def test_text_labels_of_a_series():
    X, s = pu_data(seed=0)
    y = pd.Series(np.where(s == 1, "ill", "unknown"))
    model = classifier(pos_label="ill").fit(X, y)
    assert set(model.predict(X)) == {"ill", "unknown"}


def test_the_order_of_rows_of_classes_does_not_matter_to_columns():
    X, s = pu_data(seed=0)
    model = classifier(pos_label=0).fit(X, 1 - s)
    np.testing.assert_array_equal(model.classes_, [1, 0])
    margin, probability = model.decision_function(X), model.predict_proba(X)
    assert probability[np.argmax(margin), 1] == probability[:, 1].max() > 0.5


# ---------------------------------------------------------------- X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_order_does_not_matter(dtype):
    X, s = pu_data(seed=1, dtype=dtype)
    wide = np.zeros((2 * len(X), 2 * X.shape[1]), dtype=dtype)
    wide[::2, ::2] = X
    reference = classifier().fit(np.ascontiguousarray(X), s)
    for same in (np.asfortranarray(X), wide[::2, ::2], np.ascontiguousarray(X[::-1])[::-1]):
        model = classifier().fit(same, s)
        assert_same_bits(model, reference)
        np.testing.assert_array_equal(model.decision_function(same), model.decision_function(X))


def test_integers_and_lists_are_float64():
    X = np.random.default_rng(2).integers(0, 9, size=(40, 3))
    s = np.repeat([1, 0], 20)
    reference = classifier().fit(X.astype(np.float64), s)
    for same in (X, X.tolist(), X.astype(np.int8)):
        assert_same_bits(classifier().fit(same, s), reference)


def test_float16_is_float32():
    X, s = pu_data(seed=1, dtype=np.float16)
    model = classifier().fit(X, s)
    assert_same_bits(model, classifier().fit(X.astype(np.float32), s))
    np.testing.assert_array_equal(model.predict(X), model.predict(X.astype(np.float32)))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_x_is_not_altered(order, dtype):
    X, s = pu_data(seed=1, dtype=dtype)
    X = np.array(X, order=order)
    before = X.copy()
    weight = np.ones(len(X))
    for array in (X, s, weight):
        array.setflags(write=False)
    model = classifier(thresholds="quantile").fit(X, s, sample_weight=weight)
    for method in (model.decision_function, model.predict, model.predict_proba):
        method(X)
    list(model.staged_predict(X))
    np.testing.assert_array_equal(X, before)


def test_float32_thresholds_are_float32_numbers():
    X, s = pu_data(seed=1, dtype=np.float32)
    for thresholds, n_thresholds in STRATEGIES:
        model = classifier(thresholds=thresholds, n_thresholds=n_thresholds).fit(X, s)
        chosen = model.stumps_["threshold"][model.stumps_["polarity"] != 0]
        np.testing.assert_array_equal(chosen.astype(np.float32), chosen)


def test_dataframe_gives_feature_names():
    X, s = pu_data(seed=1)
    frame = pd.DataFrame(X, columns=["age", "dose", "weight"])
    model = classifier().fit(frame, s)
    assert model.feature_names_in_.tolist() == ["age", "dose", "weight"]
    assert model.n_features_in_ == 3
    assert_same_bits(model, classifier().fit(X, s))
    np.testing.assert_array_equal(model.predict(frame), classifier().fit(X, s).predict(X))
    assert not hasattr(classifier().fit(X, s), "feature_names_in_")


def test_float32_dataframe_stays_float32():
    X, s = pu_data(seed=1, dtype=np.float32)
    model = classifier().fit(pd.DataFrame(X, columns=list("abc")), s)
    assert_same_bits(model, classifier().fit(X, s))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
def test_columns_take_half_of_x_and_it_is_not_copied(thresholds, n_thresholds, order):
    rng = np.random.default_rng(2)
    X = np.asarray(rng.normal(size=(20_000, 120)), dtype=np.float32, order=order)
    s = np.arange(len(X)) < 1000
    model = classifier(thresholds=thresholds, n_thresholds=n_thresholds, n_estimators=2)
    few = np.array(X[950:1050, :2], order=order)
    model.fit(few, s[950:1050])  # compiles, which is not to be measured
    check_finite(X, None)  # likewise: large tables alone are checked by compiled code
    tracemalloc.start()
    try:
        model.fit(X, s)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.65 * X.nbytes  # a code has 16 bits at most; the rest is margins and weights


# ---------------------------------------------------------------- sides of a threshold


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
def test_rows_at_a_threshold_fall_left_in_fit_and_in_predict(thresholds, n_thresholds, dtype):
    """The values are a few neighbouring floats, so that thresholds and values coincide."""
    rng = np.random.default_rng(3)
    values = [dtype(1)]
    for _ in range(3):
        values.append(np.nextafter(values[-1], dtype(2)))
    X = rng.choice(np.array(values, dtype=dtype), size=(60, 2))
    X[:20, 0] = np.maximum(X[:20, 0], values[1])
    s = np.repeat([1, 0], [20, 40])
    model = classifier(
        thresholds=thresholds, n_thresholds=n_thresholds, normalization="over-all"
    ).fit(X, s)
    kept = model.stumps_[model.stumps_["polarity"] != 0]
    assert len(kept) > 0
    assert np.isin(kept["threshold"], X).any()
    # What fit did with the rows is in the history: the rates, and Z as a sum over margins.
    stages = list(model.staged_decision_function(X))
    for t, H in enumerate(stages):
        assert model.history_["positives_called_positive"][t] == np.mean(H[s == 1] > 0)
        assert model.history_["unlabeled_called_negative"][t] == pytest.approx(
            np.mean(H[s == 0] <= 0)
        )
        if t + 1 < len(stages):
            Z = naive.exponential_loss(H[s == 1], H[s == 0], np.ones(20), np.ones(40), 0.4)
            assert model.history_["Z"][t + 1] == pytest.approx(Z, abs=1e-12)
    expected = naive.decision_function([tuple_of(stump) for stump in model.stumps_], X)
    np.testing.assert_array_equal(model.decision_function(X), expected)


def tuple_of(stump):
    return naive.Stump(*(stump[name].item() for name in naive.Stump._fields))


# ---------------------------------------------------------------- methods


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_scores_are_the_sum_of_the_steps(normalization):
    X, s = pu_data(seed=4)
    model = classifier(normalization=normalization, n_estimators=50).fit(X, s)
    fresh = np.random.default_rng(4).normal(size=(200, 3))
    stumps = [tuple_of(stump) for stump in model.stumps_]
    for rows in (X, fresh, fresh[:1], fresh[:, :].astype(np.float32)):
        np.testing.assert_array_equal(
            model.decision_function(rows), naive.decision_function(stumps, rows)
        )


def test_last_stage_is_the_plain_method():
    X, s = pu_data(seed=4)
    model = classifier(n_estimators=50).fit(X, s)
    for plain, staged in (
        (model.decision_function, model.staged_decision_function),
        (model.predict, model.staged_predict),
        (model.predict_proba, model.staged_predict_proba),
    ):
        stages = [stage.copy() for stage in staged(X)]
        assert len(stages) == model.n_iter_
        np.testing.assert_array_equal(stages[-1], plain(X))
        kept = list(staged(X))
        np.testing.assert_array_equal(kept, stages)  # a stage is not overwritten by the next


def test_every_stage_is_the_model_of_that_many_rounds():
    X, s = pu_data(seed=4)
    stages = list(classifier().fit(X, s).staged_decision_function(X))
    for t in (1, 2, 7):
        shorter = classifier(n_estimators=t).fit(X, s)
        np.testing.assert_array_equal(shorter.decision_function(X), stages[t - 1])


@pytest.mark.parametrize("cutoff", ["zero", "prior"])
@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_probabilities(early_stopping, scenario, cutoff):
    """Within [0, 1], never falling as the margin rises, with the prior as mean over p(x)."""
    X, s = pu_data(seed=4, n_positive=40, n_unlabeled=160)
    weight = dyadic_weights(0, len(X))
    model = classifier(
        n_estimators=60,
        learning_rate=1.0,
        scenario=scenario,
        cutoff=cutoff,
        early_stopping=early_stopping,
    ).fit(X, s, sample_weight=weight)
    margin, probability = model.decision_function(X), model.predict_proba(X)
    assert probability.shape == (len(X), 2)
    assert probability.min() >= 0
    assert probability.max() <= 1
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert (np.diff(probability[np.argsort(margin), 1]) >= 0).all()
    population = weight * ((s == 0) | (scenario == "single-set"))
    assert np.average(probability[:, 1], weights=population) == pytest.approx(0.4, abs=1e-9)
    expected = fit_calibrator(s, margin, prior=0.4, scenario=scenario, sample_weight=weight)
    np.testing.assert_allclose(probability[:, 1], expected.predict(margin), atol=1e-12)


def test_probabilities_are_calibrated():
    """Of the rows with about the same probability, such a share is positive."""
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.3
    X = rng.normal(size=(20_000, 2)) + y[:, None]
    P = rng.choice(np.flatnonzero(y), 1000, replace=False)
    X_pu, s = np.vstack([X[P], X]), np.repeat([1, 0], [1000, 20_000])
    model = classifier(prior=0.3, thresholds="quantile", n_estimators=100).fit(X_pu, s)
    p = model.predict_proba(X)[:, 1]
    tenth = np.minimum((10 * p).astype(int), 9)
    assert np.abs(np.bincount(tenth, p - y)).sum() / len(y) < 0.03


def test_a_margin_of_zero_is_not_positive():
    """P and U apart and a prior of 1/2: no stump is admissible, so every margin stays 0."""
    X, s = np.array([[1.0], [1.0], [0.0], [0.0]]), [1, 1, 0, 0]
    model = AdaPUClassifier(0.5, n_estimators=20, random_state=0).fit(X, s)
    assert (model.stumps_["polarity"] == 0).all()
    np.testing.assert_array_equal(model.decision_function(X), np.zeros(4))
    np.testing.assert_array_equal(model.predict(X), np.zeros(4))
    np.testing.assert_array_equal(model.predict_proba(X), np.full((4, 2), 0.5))  # the prior
    np.testing.assert_array_equal(model.feature_importances_, [0.0])
    assert (model.history_["positives_called_positive"] == 0).all()
    assert (model.history_["unlabeled_called_negative"] == 1).all()


def test_score_is_accuracy_and_warns_about_s():
    X, s = pu_data(seed=4)
    model = classifier().fit(X, s)
    assert model.score(X, s) == np.mean(model.predict(X) == s)
    assert "true" in AdaPUClassifier.score.__doc__
    assert "labeling" in AdaPUClassifier.score.__doc__


def test_not_fitted():
    for name in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(classifier(), name)([[0.0]])
    with pytest.raises(NotFittedError):
        list(classifier().staged_predict([[0.0]]))


def test_importances_are_the_shares_of_alpha():
    X, s = pu_data(seed=4)
    model = classifier(n_estimators=40).fit(X, s)
    expected = np.zeros(3)
    for stump in model.stumps_[model.stumps_["polarity"] != 0]:
        expected[stump["feature"]] += stump["alpha"]
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_changing_the_learning_rate_after_fit_changes_nothing():
    X, s = pu_data(seed=4)
    model = classifier().fit(X, s)
    before = model.decision_function(X)
    np.testing.assert_array_equal(model.set_params(learning_rate=1.0).decision_function(X), before)


def test_history_tells_the_losses_of_the_margins():
    X, s = pu_data(seed=4)
    model = classifier().fit(X, s)
    for row, H in zip(model.history_, model.staged_decision_function(X), strict=True):
        expected = naive.losses_and_rates(H[s == 1], H[s == 0], np.ones(12), np.ones(48), 0.4)
        found = [row[name] for name in naive.Round._fields[4:]]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_names_of_the_fitted_arrays():
    X, s = pu_data(seed=4)
    model = classifier().fit(X, s)
    assert model.stumps_.dtype.names == naive.Stump._fields
    assert set(model.history_.dtype.names) == {*naive.Round._fields, "log_scale", "cutoff"}
    assert (model.history_["log_scale"] == 0).all()
    assert model.prior_ == 0.4
    assert model.stop_reason_ == "n_estimators reached"
    assert model.n_iter_ == 20


# ---------------------------------------------------------------- weights and scenario


@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
def test_weight_2_is_the_row_twice(thresholds, n_thresholds, normalization, scenario):
    X, s = pu_data(seed=6, n_unlabeled=400, n_positive=40)
    times = np.random.default_rng(6).integers(0, 4, size=len(X))
    model = classifier(
        thresholds=thresholds,
        n_thresholds=n_thresholds,
        normalization=normalization,
        scenario=scenario,
    )
    weighted = clone(model).fit(X, s, sample_weight=times)
    assert_close_fits(weighted, model.fit(np.repeat(X, times, axis=0), np.repeat(s, times)))


@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
def test_weight_0_is_no_row(thresholds, n_thresholds, scenario):
    """Rows of weight 0 hold the extremes, a third label and a feature's only second value."""
    X, s = pu_data(seed=6)
    X = np.column_stack([X, np.ones(len(X))])
    weight = dyadic_weights(6, len(X)) + 0.25
    gone = np.arange(len(X)) % 4 == 3
    X[gone] *= 100
    y = np.where(gone, 7, s)
    weight[gone] = 0
    model = classifier(thresholds=thresholds, n_thresholds=n_thresholds, scenario=scenario)
    with_them = clone(model).fit(X, y, sample_weight=weight)
    without = model.fit(X[~gone], s[~gone], sample_weight=weight[~gone])
    assert_same_bits(with_them, without)
    np.testing.assert_array_equal(with_them.classes_, [0, 1])


def test_weights_count_in_proportion_only():
    X, s = pu_data(seed=6)
    weight = np.random.default_rng(6).uniform(0.5, 2, size=len(X))
    assert_close_fits(
        classifier().fit(X, s, sample_weight=weight),
        classifier().fit(X, s, sample_weight=1000 * weight),
    )
    plain = classifier().fit(X, s)
    assert_same_bits(plain, classifier().fit(X, s, sample_weight=np.ones(len(X))))
    for scale in (3.0, 1e-300, 1e300, 1e307):
        assert_close_fits(plain, classifier().fit(X, s, sample_weight=np.full(len(X), scale)))


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(("thresholds", "n_thresholds"), [("random", 5), ("even", 5)])
def test_single_set_counts_the_labeled_rows_as_unlabeled_too(
    thresholds, n_thresholds, normalization
):
    X, s = pu_data(seed=7)
    options = {
        "thresholds": thresholds,
        "n_thresholds": n_thresholds,
        "normalization": normalization,
    }
    weight = np.random.default_rng(7).uniform(0.5, 2, size=len(X))
    single = classifier(scenario="single-set", **options).fit(X, s, sample_weight=weight)
    twice = classifier(**options).fit(
        np.vstack([X[s == 1], X]),
        np.repeat([1, 0], [np.sum(s), len(X)]),
        sample_weight=np.r_[weight[s == 1], weight],
    )
    assert_close_fits(single, twice)
    case_control = classifier(**options).fit(X, s, sample_weight=weight)
    assert (case_control.stumps_["error"] != single.stumps_["error"]).any()


# ---------------------------------------------------------------- reproducibility


@pytest.mark.parametrize(("thresholds", "n_thresholds"), STRATEGIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_gives_the_same_bits(thresholds, n_thresholds, dtype):
    X, s = pu_data(seed=8, n_positive=700, n_unlabeled=9000, n_features=9, dtype=dtype)
    weight = np.random.default_rng(8).uniform(0.5, 2, size=len(X))
    models = [
        classifier(n_jobs=n_jobs, thresholds=thresholds, n_thresholds=n_thresholds).fit(
            X, s, sample_weight=weight
        )
        for n_jobs in (1, 2, 3, None, -1)
    ]
    for model in models[1:]:
        assert_same_bits(model, models[0])
        np.testing.assert_array_equal(model.decision_function(X), models[0].decision_function(X))


@pytest.mark.parametrize(("thresholds", "n_thresholds"), [("random", 5), ("quantile", 5)])
def test_the_seed_decides(thresholds, n_thresholds):
    X, s = pu_data(seed=8)
    model = classifier(thresholds=thresholds, n_thresholds=n_thresholds)
    assert_same_bits(clone(model).fit(X, s), clone(model).fit(X, s))
    other = clone(model).set_params(random_state=1).fit(X, s)
    assert (other.stumps_["threshold"] != model.fit(X, s).stumps_["threshold"]).any()
    shared = np.random.RandomState(5)
    first = clone(model).set_params(random_state=shared).fit(X, s)
    second = clone(model).set_params(random_state=shared).fit(X, s)
    assert (first.stumps_["threshold"] != second.stumps_["threshold"]).any()
    again = clone(model).set_params(random_state=np.random.RandomState(5)).fit(X, s)
    assert_same_bits(again, first)


def test_without_a_seed_two_fits_differ():
    X, s = pu_data(seed=8)
    a, b = (classifier(random_state=None).fit(X, s) for _ in range(2))
    assert (a.stumps_["threshold"] != b.stumps_["threshold"]).any()


def test_fit_leaves_the_global_random_state_alone():
    X, s = pu_data(seed=8)
    np.random.seed(3)
    expected = np.random.random()
    np.random.seed(3)
    classifier().fit(X, s)
    assert np.random.random() == expected


def test_several_fits_at_once_give_what_each_gives_alone():
    jobs = [(seed, n_jobs) for seed in range(8) for n_jobs in (1, 2)]
    X, s = pu_data(seed=9, n_positive=200, n_unlabeled=3000, n_features=6)

    def fit(seed, n_jobs):
        return classifier(random_state=seed, n_jobs=n_jobs).fit(X, s)

    alone = [fit(*job) for job in jobs]
    together = Parallel(n_jobs=4, backend="threading")(delayed(fit)(*job) for job in jobs)
    for a, b in zip(alone, together, strict=True):
        assert_same_bits(a, b)


def test_several_predictions_at_once():
    X, s = pu_data(seed=9, n_positive=200, n_unlabeled=3000, n_features=6)
    model = classifier().fit(X, s)
    expected = model.decision_function(X)
    found = Parallel(n_jobs=4, backend="threading")(
        delayed(model.decision_function)(X) for _ in range(16)
    )
    for one in found:
        np.testing.assert_array_equal(one, expected)


def test_the_thread_count_of_numba_is_restored():
    import numba

    X, s = pu_data(seed=9)
    before = numba.get_num_threads()
    classifier(n_jobs=1).fit(X, s).predict(X)
    assert numba.get_num_threads() == before


def test_clone_and_pickle():
    X, s = pu_data(seed=9)
    model = classifier(pos_label=1).fit(X, s)
    assert not hasattr(clone(model), "stumps_")
    assert clone(model).get_params() == model.get_params()
    back = pickle.loads(pickle.dumps(model))
    assert_same_bits(back, model)
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))


def test_fit_again_forgets_the_first_fit():
    X, s = pu_data(seed=9)
    model = classifier().fit(pd.DataFrame(X, columns=list("abc")), s)
    model.fit(X[:, :2], s)
    assert_same_bits(model, classifier().fit(X[:, :2], s))
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    assert len(model.feature_importances_) == 2


def test_parameters_are_kept_as_given():
    model = AdaPUClassifier(0.3)
    assert model.get_params() == {
        "prior": 0.3,
        "n_estimators": 100,
        "learning_rate": 0.1,
        "n_thresholds": 10,
        "thresholds": "random",
        "normalization": "per-group",
        "scenario": "case-control",
        "cutoff": "zero",
        "early_stopping": False,
        "validation_fraction": 0.1,
        "n_iter_no_change": 10,
        "tol": 1e-7,
        "pos_label": None,
        "random_state": None,
        "n_jobs": None,
        "verbose": 0,
    }
    assert AdaPUClassifier().prior is None
    with pytest.raises(TypeError):
        AdaPUClassifier(0.3, 10)


INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int64, np.uint64]


@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize(
    ("thresholds", "n_thresholds"), [("random", 100), ("even", 100), ("quantile", 7)]
)
def test_whole_numbers_of_numpy(thresholds, n_thresholds, integer):
    """Products and negatives of short or unsigned numbers are others than Python's."""
    X, s = pu_data(seed=9, n_positive=40, n_unlabeled=200)
    numbers = {
        "n_estimators": 100,
        "n_thresholds": n_thresholds,
        "n_iter_no_change": 3,
        "validation_fraction": 60,
        "n_jobs": 2,
        "verbose": 0,
    }
    options = {"thresholds": thresholds, "early_stopping": True, "normalization": "over-all"}
    model = classifier(**options, **numbers).fit(X, s)
    assert model.stop_reason_ == "no better on held-out rows"
    same = classifier(**options, **{name: integer(value) for name, value in numbers.items()})
    assert_same_bits(same.fit(X, s), model)
    np.testing.assert_array_equal(same.validation_loss_, model.validation_loss_)
    np.testing.assert_array_equal(same.predict(X), model.predict(X))


@pytest.mark.parametrize("real", [np.float16, np.float32, np.float64, np.longdouble, Fraction])
def test_any_kind_of_number_is_a_learning_rate_and_a_tolerance(real):
    X, s = pu_data(seed=9, n_positive=40, n_unlabeled=200)
    given = {
        "learning_rate": real(0.3),
        "tol": real(0.001),
        "validation_fraction": real(0.3),
        "prior": real(0.4),
    }
    options = {"early_stopping": True, "n_iter_no_change": 3}
    model = classifier(**options, **given).fit(X, s)
    plain = classifier(**options, **{name: float(value) for name, value in given.items()})
    assert_same_bits(model, plain.fit(X, s))
    assert model.prior_ == plain.prior_


def test_works_inside_cross_validation():
    X, s = pu_data(seed=9, n_positive=40)
    scores = cross_val_score(classifier(), X, s, cv=3, error_score="raise")
    assert len(scores) == 3


# ---------------------------------------------------------------- what it says


def test_verbose_shows_a_progress_bar_with_the_loss(capfd):
    X, s = pu_data(seed=9)
    classifier(verbose=1, n_estimators=30).fit(X, s)
    output = capfd.readouterr()
    said = output.out + output.err
    assert "30" in said
    assert "loss" in said
    assert "%" in said


def test_silent_by_default(capfd):
    X, s = pu_data(seed=9)
    classifier().fit(X, s).predict(X)
    output = capfd.readouterr()
    assert output.out + output.err == ""


def test_verbose_changes_no_bit(capfd):
    X, s = pu_data(seed=9)
    assert_same_bits(classifier(verbose=1).fit(X, s), classifier().fit(X, s))
    capfd.readouterr()


# ---------------------------------------------------------------- fits known from the data alone


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scenario", ["case-control", "single-set"])
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("thresholds", ["even", "quantile"])
def test_whole_fit_is_the_oracles(thresholds, weighted, normalization, scenario, dtype):
    X, s = pu_data(seed=10, dtype=dtype)
    X[:, 2] = np.round(X[:, 2] * 2)
    weight = dyadic_weights(10, len(X)) if weighted else None
    present = weight > 0 if weighted else np.full(len(X), True)
    if thresholds == "even":
        n_thresholds, candidates = 7, naive.even_thresholds(X[present], 7)
    else:
        n_thresholds, candidates = None, naive.all_quantile_thresholds(X, weight)
    options = {
        "prior": 0.4,
        "n_estimators": 25,
        "learning_rate": 0.1,
        "normalization": normalization,
        "scenario": scenario,
    }
    model = AdaPUClassifier(**options, thresholds=thresholds, n_thresholds=n_thresholds)
    model.fit(X, s, sample_weight=weight)
    expected = naive.fit(X, s, candidates, **options, sample_weight=weight, fixed=True)
    assert len(expected.stumps) > 2
    # Even thresholds may differ in the last bit, where no value lies between.
    assert_same_fit(model, expected, threshold_atol=4 * np.finfo(dtype).eps * np.abs(X).max())


def test_a_prior_too_small_for_a_single_set_is_refused_before_columns_are_looked_at():
    X, s = pu_data(seed=3)
    with mock.patch.object(CpuBackend, "__init__", side_effect=AssertionError) as looked_at:
        with pytest.raises(ValueError, match="prior must be at least the share of labeled rows"):
            classifier(prior=0.1, scenario="single-set").fit(X, s)
        assert not looked_at.called
        with pytest.raises(AssertionError):
            classifier(prior=0.1).fit(X, s)


@pytest.mark.parametrize(("codes", "truth"), [((-1, 1), (0, 1)), ((0, 1), (-1, 1))])
def test_score_takes_either_code_for_negative(codes, truth):
    X, s = pu_data(seed=3)
    model = AdaPUClassifier(0.4, random_state=0).fit(X, np.where(s == 1, codes[1], codes[0]))
    y = np.where(model.decision_function(X) > 0, truth[1], truth[0])
    y[:6] = np.where(y[:6] == truth[1], truth[0], truth[1])
    assert model.score(X, y) == pytest.approx(1 - 6 / len(X))


def test_score_refuses_labels_it_does_not_know():
    X, s = pu_data(seed=3)
    model = AdaPUClassifier(0.4, pos_label="pos").fit(X, np.where(s == 1, "pos", "unl"))
    with pytest.raises(ValueError, match=r"'pos' for positive and 'unl' for negative; got 'neg'"):
        model.score(X, np.where(s == 1, "pos", "neg"))


def test_an_early_stop_is_said(capfd):
    X, s = pu_data(seed=3)
    model = AdaPUClassifier(0.4, learning_rate=1.0, verbose=1, random_state=0).fit(X, s)
    said = capfd.readouterr().err
    assert model.n_iter_ < 100
    assert f"stopped after {model.n_iter_} rounds: {model.stop_reason_}" in said
    assert f"{model.n_iter_}/{model.n_iter_}" in said
    assert f"{model.history_['nn_zero_one_loss'][-1]:.4f}" in said
