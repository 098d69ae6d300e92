"""Bad input: one clear sentence that names the argument, what was given and what is allowed."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from helpers import pu_data
from sklearn.exceptions import NotFittedError

from adapu import AdaPUClassifier
from adapu._validation import check_labels, check_two_classes
from adapu.model_selection import AdaPUClassifierCV

X, S = pu_data(seed=0, n_positive=6, n_unlabeled=14)
ONES = np.ones(len(X))


def refused(match, *arguments, parameters=None, longest=700, **keywords):
    """`fit` raises with a message, case aside, that has every one of the patterns in `match`."""
    model = AdaPUClassifier(
        **({"prior": 0.5, "n_estimators": 3, "random_state": 0} | (parameters or {}))
    )
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit(*(arguments or (X, S)), **keywords)
    message = str(caught.value)
    for pattern in [match] if isinstance(match, str) else match:
        assert re.search(pattern, message, re.IGNORECASE | re.DOTALL), (pattern, message)
    assert len(message) < longest
    assert not hasattr(model, "stumps_")


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize("prior", [0, 1, 0.0, 1.0, -0.1, 1.5, np.nan, np.inf])
def test_prior_outside_its_range(prior):
    refused([r"prior", r"\b0\b", r"\b1\b", re.escape(str(prior))], parameters={"prior": prior})


@pytest.mark.parametrize("prior", ["0.4", [0.4], np.array([0.4, 0.5]), 0.4 + 0j])
def test_prior_not_a_number(prior):
    refused([r"prior", r"\b0\b", r"\b1\b"], parameters={"prior": prior})


@pytest.mark.parametrize(
    "prior", [10**400, -(10**400), Fraction(10**400, 3)], ids=["large", "negative", "fraction"]
)
def test_a_number_beyond_the_range_of_floats(prior):
    beyond = "got one beyond the range of floats"
    refused(["prior must be a number greater than 0 and", beyond], parameters={"prior": prior})
    refused(["tol must be a number at least 0", beyond], parameters={"tol": prior})


@pytest.mark.parametrize("prior", [np.float32(0.25), np.float64(0.25), 0.25])
def test_any_real_number_is_a_prior(prior):
    assert AdaPUClassifier(prior, n_estimators=2).fit(X, S).prior_ == 0.25


@pytest.mark.parametrize(
    ("name", "values", "allowed"),
    [
        ("n_estimators", [0, -1, 1.5, "10", None, np.nan], [r"integer|whole", r"1|positive"]),
        ("learning_rate", [0, -0.1, np.nan, np.inf, "0.1", None, [0.1]], [r"0|positive"]),
        ("n_thresholds", [0, -3, 2.5, "10", np.nan], [r"integer|whole", r"1|positive"]),
        ("thresholds", ["randm", None, 3, ["random"]], ["random", "even", "quantile"]),
        ("normalization", ["group", None, 1, "over_all"], ["per-group", "over-all"]),
        ("scenario", ["censoring", None, 0], ["case-control", "single-set"]),
        ("n_jobs", [0, 1.5, "2"], []),
        ("verbose", ["yes", -1, None], []),
    ],
)
def test_parameter_out_of_range_or_unknown(name, values, allowed):
    for value in values:
        shown = re.escape(str(value)) if not isinstance(value, list) else ""
        refused([name, shown, *allowed], parameters={name: value})


@pytest.mark.parametrize("random_state", ["text", -1, 1.5])
def test_random_state(random_state):
    refused("seed", parameters={"random_state": random_state})


def test_verbose_may_be_a_boolean(capfd):
    AdaPUClassifier(0.5, n_estimators=2, verbose=True).fit(X, S)
    assert capfd.readouterr().err
    AdaPUClassifier(0.5, n_estimators=2, verbose=False).fit(X, S)
    assert not capfd.readouterr().err


@pytest.mark.parametrize("thresholds", ["random", "even"])
def test_all_thresholds_are_the_quantile_cuts_only(thresholds):
    refused(
        ["n_thresholds", "None", "quantile"],
        parameters={"n_thresholds": None, "thresholds": thresholds},
    )


@pytest.mark.parametrize("thresholds", ["random", "even"])
def test_more_thresholds_than_codes(thresholds):
    refused(
        ["n_thresholds", thresholds, "65,535", "65536"],
        parameters={"n_thresholds": 65_536, "thresholds": thresholds},
    )
    most = {"n_thresholds": 65_535, "thresholds": thresholds, "n_estimators": 1}
    assert AdaPUClassifier(0.5, **most).fit(X, S).n_iter_ == 1


def test_quantile_thresholds_have_no_limit():
    AdaPUClassifier(0.5, n_thresholds=65_536, thresholds="quantile", n_estimators=1).fit(X, S)


def test_n_jobs_that_was_changed_after_fit():
    model = AdaPUClassifier(0.5, n_estimators=3).fit(X, S)
    for wrong, error in ((0, ValueError), ("2", TypeError), (1.5, TypeError)):
        model.set_params(n_jobs=wrong)
        for method in (model.predict, model.predict_proba, model.decision_function):
            with pytest.raises(error, match="n_jobs must be None or a whole number other than 0"):
                method(X)


# ---------------------------------------------------------------- y


@pytest.mark.parametrize("y", [np.zeros(20), np.ones(20), np.full(20, "a"), np.full(20, 7)])
def test_one_label(y):
    refused(r"label|class|positive|unlabeled", X, y)


def test_three_labels():
    refused([r"label|class", r"\b3\b|three|0.*1.*2", "two|2|binary"], X, np.arange(20) % 3)
    refused([r"label|class"], X, np.array(list("abca" * 5)), parameters={"pos_label": "a"})


def test_no_positive_and_no_unlabeled():
    refused("positive", X, np.zeros(20), parameters={"pos_label": 1})
    refused("unlabeled", X, np.ones(20), parameters={"pos_label": 1})
    refused("positive", X, S, sample_weight=np.where(S == 1, 0.0, 1.0))
    refused("unlabeled", X, S, sample_weight=np.where(S == 1, 1.0, 0.0))


def test_single_set_needs_unlabeled_rows_too():
    refused("unlabeled", X, np.ones(20), parameters={"pos_label": 1, "scenario": "single-set"})


def test_text_labels_without_pos_label():
    y = np.where(S == 1, "fraud", "unknown")
    refused(["pos_label", "fraud", "unknown"], X, y)
    refused(["pos_label", "fraud", "unknown"], X, y.astype(object))
    refused("pos_label", X, pd.Series(y))


@pytest.mark.parametrize("pos_label", [2, "1", -1])
def test_pos_label_that_is_not_there(pos_label):
    refused(["pos_label", re.escape(str(pos_label))], X, S, parameters={"pos_label": pos_label})


@pytest.mark.parametrize(
    "pos_label",
    [(0, 1), ["p"], {1}, {}, np.array([0, 1]), pd.Series([1, 0]), pd.NA, np.nan],
    ids=lambda pos_label: type(pos_label).__name__,
)
def test_pos_label_that_is_no_label(pos_label):
    message = [r"^pos_label must be None or one label, .* got", type(pos_label).__name__]
    refused(message, X, S, parameters={"pos_label": pos_label})
    refused(message, X, np.where(S == 1, "p", "u"), parameters={"pos_label": pos_label})
    with pytest.raises(TypeError, match="pos_label must be None or one label"):
        check_two_classes(S, pos_label)


ROW_6 = "y has a missing label at row 6; give unlabeled rows a label of their own, such as 0 or"


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("positive", ["fraud", 1, True])
@pytest.mark.parametrize(
    "container", [list, tuple, pd.Series, pd.Categorical, partial(np.array, dtype=object)]
)
def test_unlabeled_rows_without_a_label(container, positive, missing):
    y = container([positive if labeled else missing for labeled in S])
    parameters = {"pos_label": positive if isinstance(positive, str) else None}
    refused(ROW_6, X, y, parameters=parameters)


@pytest.mark.parametrize("dtype", ["float32", "Float64", "Int64", "boolean", "string", "category"])
def test_unlabeled_rows_without_a_label_in_columns_of_pandas(dtype):
    labels = [("ill" if dtype == "string" else 1) if labeled else None for labeled in S]
    refused(ROW_6, X, pd.Series(labels, dtype=dtype), parameters={"pos_label": labels[0]})


def test_a_missing_label_beside_two_others():
    y = np.where(S == 1, "ill", "unknown").tolist()
    for missing in (None, np.nan, pd.NA):
        y[6] = missing
        refused(ROW_6, X, y, parameters={"pos_label": "ill"})
        # a row of weight 0 may have any label, or none
        weight = np.arange(20) != 6
        model = AdaPUClassifier(0.5, n_estimators=3, pos_label="ill", random_state=0)
        assert model.fit(X, y, weight).classes_.tolist() == ["unknown", "ill"]
    y[6] = "nan"
    refused("holds 3", X, y, parameters={"pos_label": "ill"})


def test_a_missing_label_is_named_by_its_argument():
    with pytest.raises(ValueError, match="^s has a missing label at row 1; give unlabeled rows"):
        check_labels([1, None], None, None, "s")


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("labels", [("ill", "unknown"), (1, 0)])
def test_a_missing_true_label(labels, missing):
    y = np.where(S == 1, *labels).tolist()
    model = AdaPUClassifier(0.5, n_estimators=3, pos_label=labels[0]).fit(X, y)
    y[6] = missing
    message = (
        f"y has a missing label at row 6; it must hold the true label of every row, {labels[0]!r} "
        f"for positive and {labels[1]!r} for negative."
    )
    for column in (y, pd.Series(y), pd.Series(y, dtype="category"), np.array(y, dtype=object)):
        with pytest.raises(ValueError, match=re.escape(message)):
            model.score(X, column)
        with pytest.raises(ValueError, match="y must hold a true label for every row"):
            check_two_classes(column, labels[0])


def test_true_labels_of_two_kinds():
    model = AdaPUClassifier(0.5, n_estimators=3).fit(X, S)
    y = np.array([*S[:-1], "text"], dtype=object)
    with pytest.raises(ValueError, match="y must hold true labels, 1 for positive .* got 'text'"):
        model.score(X, y)
    with pytest.raises(ValueError, match="y must hold true labels of one kind; it holds"):
        check_two_classes(y, 1)


def test_labels_that_are_no_labels():
    refused("", X, np.where(S == 1, np.nan, 0.0))
    refused(
        ["y must hold two labels", r"it holds \[0\.\d+"], X, np.random.default_rng(0).random(20)
    )
    refused(["y must hold two labels", "object"], X, np.array([1, object()] * 10, dtype=object))
    refused("", X, None)
    refused("", X, np.column_stack([S, S]))
    refused("", X, np.array([1, "a"] * 10, dtype=object))


# ---------------------------------------------------------------- X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_in_x(bad, dtype):
    wrong = X.astype(dtype)
    wrong[7, 1] = bad
    refused("NaN|inf", wrong, S)
    model = AdaPUClassifier(0.5, n_estimators=3).fit(X.astype(dtype), S)
    for method in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match=r"(?i)NaN|inf"):
            method(wrong)


@pytest.mark.parametrize(
    "wrong",
    [X[:, 0], X[:, :, None], X[:0], X[:, :0], np.float64(1.0), X + 1j, scipy.sparse.csr_array(X)],
    ids=["1d", "3d", "no rows", "no features", "scalar", "complex", "sparse"],
)
def test_x_of_another_shape(wrong):
    refused("", wrong, S, longest=10_000)  # scikit-learn shows complex values


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no longer float")
def test_x_beyond_float64():
    wrong = X.astype(np.longdouble)
    AdaPUClassifier(0.5, n_estimators=3).fit(wrong, S).predict(wrong)
    wrong[7, 1] = np.longdouble("1e400")
    refused("infinity, at row 7 in feature 1", wrong, S)
    model = AdaPUClassifier(0.5, n_estimators=3).fit(X, S)
    with pytest.raises(ValueError, match="infinity, at row 7 in feature 1"):
        model.predict(wrong)


def test_x_of_text():
    refused("", np.full((20, 2), "text"), S)
    refused("", None, S)


def test_lengths_that_differ():
    refused([r"y must hold one label per row of X, 20; got 19\."], X, S[:19])
    refused([r"y must hold one label per row of X, 20; got 19\."], X.tolist(), S[:19].tolist())
    refused([r"\b20\b", r"\b19\b"], X[:19], S)
    refused("sample_weight|weights", X, S, sample_weight=ONES[:19])
    refused("sample_weight|weights", X, S, sample_weight=np.ones((20, 2)))


def test_every_feature_constant():
    refused("constant|same value", np.ones((20, 3)), S)
    refused("each of its 3 features has the same value", np.full((20, 3), [1.0, 2.0, 3.0]), S)
    refused("its only feature has the same value", np.ones((20, 1)), S)
    varied = np.ones((20, 3))
    varied[3, 1] = 5.0
    AdaPUClassifier(0.5, n_estimators=2).fit(varied, S)
    # what varies only in rows of weight 0 does not vary
    refused("constant|same value", varied, S, sample_weight=np.where(np.arange(20) == 3, 0.0, 1.0))


@pytest.mark.parametrize("thresholds", ["random", "even"])
@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 3e38), (np.float64, 1.5e308)])
def test_a_range_that_overflows(dtype, large, thresholds):
    """The enlarged range must fit into the dtype of X: nothing can be drawn from it otherwise."""
    wrong = X.astype(dtype)
    wrong[0, 1], wrong[1, 1] = large, -large
    name = np.dtype(dtype).name
    told = f"whose range overflows {name}: feature 1 goes from {-large:g} to {large:g}. Rescale"
    refused(re.escape(told), wrong, S, parameters={"thresholds": thresholds})
    # the padding alone overflows
    few = np.where(wrong > 0, large, 0).astype(dtype)
    told = f"goes from 0 to {large:g}, and {large:g} are added at both ends. Rescale"
    pattern = [f"whose range, enlarged .*, overflows {name}: feature 0", re.escape(told)]
    refused(pattern, few, S, parameters={"thresholds": thresholds})


@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 3e38), (np.float64, 1.5e308)])
def test_quantile_cuts_need_no_range(dtype, large):
    wide = X.astype(dtype)
    wide[0, 1], wide[1, 1] = large, -large
    model = AdaPUClassifier(0.5, n_estimators=3, thresholds="quantile").fit(wide, S)
    assert np.isfinite(model.decision_function(wide)).all()


def test_a_range_that_overflows_in_a_dataframe():
    frame = pd.DataFrame(X, columns=["age", "dose", "weight"])
    frame.loc[0, "dose"], frame.loc[1, "dose"] = 1.5e308, -1.5e308
    refused("range|overflow", frame, S)


# ---------------------------------------------------------------- sample weights


def test_sample_weights():
    refused([r"sample_weight|weights", "negative"], sample_weight=np.where(S == 1, -1.0, 1.0))
    refused([r"sample_weight|weights", "zero|0|positive"], sample_weight=0 * ONES)
    for bad, what in ((np.nan, "NaN"), (np.inf, "infinity")):
        weight = ONES.copy()
        weight[4] = bad
        message = rf"^sample_weight must hold a finite number per row; it is {what} at row 4\.$"
        refused(message, sample_weight=weight)
    refused("^sample_weight must hold a finite number", sample_weight=np.full(20, "heavy"))


@pytest.mark.parametrize("single", [3.0, 3, np.float64(3), np.array(3)])
def test_one_sample_weight_for_all(single):
    refused(r"^sample_weight must .* per row, 20; got a single number, 3\.", sample_weight=single)


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no longer float")
def test_a_sample_weight_beyond_float64():
    weight = np.full(20, np.longdouble("1e400"))
    refused("sample_weight must hold a finite number .* infinity at row 0", sample_weight=weight)


# ---------------------------------------------------------------- nothing half-written


@pytest.mark.parametrize(
    ("bad_X", "bad_y"),
    [
        (X, np.arange(20) % 3),
        (X, np.zeros(20)),
        (np.full((20, 3), np.nan), S),
        (np.ones((20, 3)), S),
        (np.where(X > 0, 1.5e308, -1.5e308), S),
    ],
    ids=["three labels", "one label", "NaN", "constant", "overflow"],
)
def test_after_a_fit_that_failed_the_model_is_not_fitted(bad_X, bad_y):
    model = AdaPUClassifier(0.5, n_estimators=3)
    with pytest.raises(ValueError):
        model.fit(bad_X, bad_y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(NotFittedError):
        next(model.staged_predict(X))
    for name in ("classes_", "prior_", "stumps_", "history_", "n_iter_", "stop_reason_"):
        assert not hasattr(model, name), name
    model.fit(X, S).predict(X)  # nor does it stay fitted to what it was given before
    with pytest.raises(ValueError):
        model.fit(bad_X, bad_y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def fitted_names(model):
    return {name for name in vars(model) if name.endswith("_")}


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("cross_validated", [False, True])
def test_a_second_fit_that_fails_leaves_nothing_of_the_first(cross_validated, early_stopping):
    frame = pd.DataFrame(X, columns=["age", "dose", "weight"])
    options = {"n_estimators": 3, "random_state": 0}
    if cross_validated:
        model = AdaPUClassifierCV(0.5, learning_rates=(0.1,), cv=2, **options)
    else:
        model = AdaPUClassifier(0.5, early_stopping=early_stopping, **options)
    first = fitted_names(model.fit(frame, S))
    assert first >= {"classes_", "prior_", "stumps_", "history_", "calibrator_", "n_iter_"}
    assert ("loss_curves_" in first) == cross_validated
    with pytest.raises(ValueError):
        model.fit(X[:, :2], np.zeros(20))
    assert fitted_names(model) == {"n_features_in_"}  # which X has been looked at
    assert model.n_features_in_ == 2
    assert fitted_names(model.fit(frame, S)) == first
    with pytest.raises(ValueError):
        model.set_params(prior=2.0).fit(frame, S)
    assert fitted_names(model) == set()
    with pytest.raises(NotFittedError):
        model.predict(X)


# ---------------------------------------------------------------- predict


@pytest.fixture(scope="module")
def fitted():
    return AdaPUClassifier(0.5, n_estimators=3).fit(X, S)


@pytest.mark.parametrize(
    "name",
    [
        "predict",
        "predict_proba",
        "decision_function",
        "staged_predict",
        "staged_predict_proba",
        "staged_decision_function",
    ],
)
def test_another_number_of_features(fitted, name):
    with pytest.raises(ValueError, match=r"(?s)2 features.*3 features"):
        list(getattr(fitted, name)(X[:, :2]))
    with pytest.raises(ValueError, match=r"(?i)2D|1D|dimension"):
        list(getattr(fitted, name)(X[0]))


def test_other_feature_names():
    frame = pd.DataFrame(X, columns=["age", "dose", "weight"])
    model = AdaPUClassifier(0.5, n_estimators=3).fit(frame, S)
    with pytest.raises(ValueError, match=r"(?s)feature names.*size"):
        model.predict(frame.rename(columns={"dose": "size"}))
    with pytest.raises(ValueError, match=r"(?s)feature names.*order"):
        model.predict(frame[["dose", "age", "weight"]])


def test_a_stage_is_refused_when_it_is_asked_for_not_later(fitted):
    """A generator checks X at its first stage, and once."""
    with pytest.raises(ValueError, match="features"):
        next(iter(fitted.staged_predict(X[:, :2])))


@pytest.mark.parametrize("odd", [np.nan, 7.0, None, "text"])
def test_rows_of_weight_zero_may_have_any_label(odd):
    y = S.astype(object if odd is None or odd == "text" else float)
    y[0], weight = odd, np.arange(20) > 0
    model = AdaPUClassifier(0.5, n_estimators=3, random_state=0).fit(X, y, weight)
    alone = AdaPUClassifier(0.5, n_estimators=3, random_state=0).fit(X[1:], S[1:])
    np.testing.assert_array_equal(model.stumps_, alone.stumps_)
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_numbers_in_a_column_of_objects():
    model = AdaPUClassifier(0.5, n_estimators=3).fit(X, pd.Series(S, dtype=object))
    assert model.classes_.tolist() == [0, 1]
    assert model.classes_.dtype.kind == "i"


def test_rows_of_weight_zero_may_hold_anything():
    """They count as if they were not there, and a value that is not finite is found behind them."""
    rng = np.random.default_rng(8)
    wild, s = rng.normal(size=(3000, 3)), (np.arange(3000) % 5 == 0).astype(int)
    weight = np.ones(3000)
    wild[[7, 2500], [1, 2]], weight[[7, 2500]] = [np.nan, np.inf], 0.0
    kept = weight > 0
    model = AdaPUClassifier(0.5, n_estimators=5, random_state=0)
    stumps = model.fit(wild, s, sample_weight=weight).stumps_
    np.testing.assert_array_equal(model.fit(wild[kept], s[kept]).stumps_, stumps)
    wild[2600, 0] = np.inf
    with pytest.raises(ValueError, match="infinity, at row 2600 in feature 0"):
        model.fit(wild, s, sample_weight=weight)
