"""What may be asked for: parameters, labels and weights. Every message names the knob to turn."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Collection, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array, check_random_state, column_or_1d
from sklearn.utils.multiclass import type_of_target

from adapu._model import Array

SCENARIOS = ("case-control", "single-set")

# From so many values on, compiled code checks that they are finite.
LARGE = 1_000_000


def check_choice(name: str, value: object, allowed: Sequence[str]) -> None:
    """Raise a ValueError unless ``value`` is one of the names ``allowed``."""
    if not (isinstance(value, str) and value in allowed):
        names = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {names}; got {value!r}.")


def check_integer(name: str, value: object, low: int, high: float = math.inf) -> None:
    """Raise unless ``value`` is a whole number from ``low`` to ``high``."""
    allowed = f"a whole number of at least {low}" + (
        f" and at most {high:,}" if high < math.inf else ""
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {allowed}; got {value!r} of type {type(value).__name__}.")
    if not low <= int(value) <= high:
        raise ValueError(f"{name} must be {allowed}; got {value!r}.")


def check_flag(name: str, value: object) -> None:
    """Raise a TypeError unless ``value`` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(
            f"{name} must be True or False; got {value!r} of type {type(value).__name__}."
        )


def check_real(
    name: str,
    value: object,
    low: float,
    high: float,
    *,
    low_included: bool = False,
    high_included: bool = False,
) -> None:
    """Raise unless ``value`` is a number between ``low`` and ``high``, which may be included."""
    bounds = [f"at least {low:g}" if low_included else f"greater than {low:g}"]
    if high < math.inf:
        bounds.append(f"at most {high:g}" if high_included else f"less than {high:g}")
    else:
        bounds.append("finite")
    allowed = f"a number {' and '.join(bounds)}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {allowed}; got {value!r} of type {type(value).__name__}.")
    try:
        number = float(value)
    except OverflowError:  # of hundreds of digits
        raise ValueError(f"{name} must be {allowed}; got one beyond the range of floats.") from None
    inside = low < number < high
    if not (inside or (low_included and number == low) or (high_included and number == high)):
        raise ValueError(f"{name} must be {allowed}; got {value!r}.")


def check_validation_fraction(value: object) -> None:
    """Raise unless ``value`` is a share of the rows, a number of them, or None."""
    if value is None:
        return
    allowed = (
        "validation_fraction must be a share between 0 and 1, both excluded, a number of rows of "
        "at least 1, or None"
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{allowed}; got {value!r} of type {type(value).__name__}.")
    if not (int(value) >= 1 if isinstance(value, Integral) else 0 < float(value) < 1):
        raise ValueError(f"{allowed}; got {value!r}.")


def check_single_set_prior(prior: float, labeled_share: float, n_labeled: int) -> None:
    """Raise a ValueError if a single set has more labeled positives than the prior has positives.

    ``labeled_share`` is the share of the set's weight that is labeled. One of the labeled rows may
    be too many: a fold gets up to one more than its part of a set that the prior is right for.
    """
    if prior < labeled_share * (1 - 1 / n_labeled - 1e-9):
        raise ValueError(
            "prior must be at least the share of labeled rows in a single set, "
            f"{labeled_share:.6g}, for each of them is a positive of the population; got {prior!r}."
            " If the unlabeled rows alone are a sample of the population, the scenario is "
            "'case-control'."
        )


def as_real(X: Array) -> Array:
    """Return ``X`` as the compiled loops take it: as it is, unless its dtype is unknown to them."""
    if X.dtype.kind in "biu" or X.dtype in (np.float32, np.float64):
        native = X.dtype.newbyteorder("=")
        return np.asarray(X) if X.dtype == native else X.astype(native)
    with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused then
        return X.astype(np.float32 if X.dtype == np.float16 else np.float64)


def check_finite(
    X: Array,
    names: Array | None,
    kept: Array | None = None,
    *,
    allow_nan: bool = False,
    n_threads: int = 1,
) -> None:
    """Raise a ValueError that says where ``X`` is not finite; rows that are not ``kept`` may be."""
    if X.dtype.kind != "f" or _clearly_finite(X, n_threads):  # one quick pass for nearly every X
        return
    for first in range(0, X.shape[0], 1024):  # some rows at a time: no mask as large as X
        some = X[first : first + 1024]
        wrong = np.isinf(some) if allow_nan else ~np.isfinite(some)
        if kept is not None:
            wrong &= kept[first : first + 1024, None]
        if wrong.any():
            row, feature = (int(i[0]) for i in np.nonzero(wrong))
            what = "NaN" if np.isnan(X[first + row, feature]) else "infinity"
            name = f" ({names[feature]!r})" if names is not None else ""
            hint = " or NaN." if allow_nan else ". Impute missing values, or leave such rows out."
            raise ValueError(
                f"Input X contains {what}, at row {first + row} in feature {feature}{name}: every "
                f"value must be a finite number{hint}"
            )


def _clearly_finite(X: Array, n_threads: int) -> bool:
    """Return True only if all of ``X`` is finite, and nearly always then."""
    if X.size >= LARGE and X.dtype in (np.float32, np.float64) and X.flags.forc:
        from adapu._finite import all_finite  # numba is imported when it is needed

        return all_finite(X, n_threads)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


def check_classifier(estimator: Any) -> None:
    """Raise a TypeError unless ``estimator`` can be fitted and gives scores."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"estimator must be a scikit-learn classifier, an instance with fit; got {estimator!r}."
        )
    if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
        raise TypeError(
            "estimator must have decision_function or predict_proba, for its scores are needed; "
            f"{type(estimator).__name__} has neither."
        )


def draw_seed(random_state: Any) -> int:
    """Return a seed drawn from ``random_state``."""
    try:
        return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    except ValueError:
        raise ValueError(
            "random_state must be None, a seed from 0 to 4294967295 or a RandomState instance; got "
            f"{random_state!r}."
        ) from None


def check_generator(random_state: Any) -> np.random.Generator:
    """Return a generator: a new one from a seed or a RandomState, or the one given."""
    if isinstance(random_state, np.random.RandomState):
        random_state = draw_seed(random_state)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, a seed of at least 0, a Generator or a RandomState "
            f"instance; got {random_state!r}."
        ) from None


def check_jobs(n_jobs: object) -> None:
    """Raise unless ``n_jobs`` is None or a whole number other than 0."""
    allowed = "n_jobs must be None or a whole number other than 0"
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool | np.bool_) or not isinstance(n_jobs, Integral):
        raise TypeError(f"{allowed}; got {n_jobs!r} of type {type(n_jobs).__name__}.")
    if int(n_jobs) == 0:
        raise ValueError(f"{allowed}; got 0.")


def check_sample_weight(sample_weight: Any, n_rows: int) -> Array | None:
    """Return the weights scaled to at most 1, or None where none are given.

    A weight below 2⁻⁵⁰⁰ of the largest counts as 0.
    """
    if sample_weight is None:
        return None
    options = {"ensure_2d": False, "allow_nd": True, "ensure_min_samples": 0}
    try:
        with np.errstate(over="ignore"):  # what is beyond float64 is refused as infinite
            weights: Array = check_array(
                sample_weight, dtype=np.float64, ensure_all_finite=False, **options
            )
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold a finite number per row: {error}") from None
    if weights.ndim == 0:
        raise ValueError(
            f"sample_weight must hold one number per row, {n_rows}; got a single number, "
            f"{weights:g}."
        )
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D: sample_weight must hold one number per row; got an array "
            f"of shape {weights.shape}."
        )
    if weights.size != n_rows:
        raise ValueError(
            f"sample_weight must hold one number per row, {n_rows}; got {weights.size}."
        )
    finite = np.isfinite(weights)
    if not finite.all():
        row = int(np.argmin(finite))
        what = "NaN" if np.isnan(weights[row]) else "infinity"
        raise ValueError(
            f"sample_weight must hold a finite number per row; it is {what} at row {row}."
        )
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight must not be negative; it is {weights[row]:g} at row {row}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    _, exponent = np.frexp(weights.max())
    weights = np.ldexp(weights, -int(exponent))  # a power of two: no digit is lost
    weights[weights < 2.0**-500] = 0.0
    return weights


def check_pos_label(pos_label: object) -> None:
    """Raise a TypeError unless ``pos_label`` is None or one label."""
    several = isinstance(pos_label, Collection) and not isinstance(pos_label, str | bytes)
    if pos_label is not None and (several or _is_missing(pos_label)):
        shown = " ".join(reprlib.repr(pos_label).split())  # on one line
        raise TypeError(
            f"pos_label must be None or one label, such as 1 or 'positive'; got {shown} of type "
            f"{type(pos_label).__name__}."
        )


def check_labels(
    y: Any, pos_label: object, kept: Array | None, name: str = "y"
) -> tuple[Array, Array, Array]:
    """Return the rows labeled positive, the unlabeled rows, and the classes as [other, positive].

    Rows outside the mask ``kept`` are neither, whatever their label. Messages call y ``name``.
    """
    check_pos_label(pos_label)
    y = _column_of_labels(y, warn=True)
    missing = _are_missing(y)
    if kept is not None:
        missing &= kept
    if missing.any():
        raise ValueError(
            f"{name} has a missing label at row {int(np.argmax(missing))}; give unlabeled rows a "
            "label of their own, such as 0 or 'unlabeled'."
        )
    labels = y if kept is None else y[kept]
    if labels.dtype.kind == "O" and all(isinstance(label, Real) for label in labels):
        labels = np.array(labels.tolist())  # numbers in a column of objects
    assert_all_finite(labels, input_name=name)
    kind = type_of_target(labels, input_name=name)
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}. {name} must hold two labels of one kind, labeled "
            f"positive and unlabeled, for every row; it holds {reprlib.repr(labels.tolist())}."
        )
    classes = np.unique(labels)
    if classes.size > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{kind}: {name} must hold two labels, labeled positive and unlabeled; it "
            f"holds {classes.size}, among them {_some(classes)}."
        )
    positive = _positive_label(classes, pos_label, name)
    others = classes[classes != positive]
    where = "" if kept is None else " (rows of weight 0 left out)"
    if others.size == classes.size:
        raise ValueError(
            f"{name} has no positive row, only one class{where}: none equals {positive!r}, {name} "
            f"holds {_some(classes)}. Label at least one row as positive, or name the label with "
            "pos_label."
        )
    if not others.size:
        raise ValueError(
            f"{name} has no unlabeled row, only one class{where}: every label is {positive!r}. "
            "Rows of unknown class must carry another label, such as 0."
        )
    classes = np.array([others[0], positive], dtype=classes.dtype)
    rows = [np.flatnonzero(labels == label) for label in classes]
    if kept is not None:
        kept_rows = np.flatnonzero(kept)
        rows = [kept_rows[places] for places in rows]
    unlabeled, positives = (numbers.astype(_index_dtype(y.size)) for numbers in rows)
    return positives, unlabeled, classes


def check_true_labels(y: Any, classes: Array) -> Array:
    """Return which rows are truly positive: those with the label ``classes[1]``.

    The others must carry ``classes[0]`` or, where labels are numbers, 0 or −1.
    """
    y = _column_of_labels(y)
    other, positive = classes.tolist()
    missing = _are_missing(y)
    if missing.any():
        raise ValueError(
            f"y has a missing label at row {int(np.argmax(missing))}; it must hold the true label "
            f"of every row, {positive!r} for positive and {other!r} for negative."
        )
    known = known_labels(classes)
    for label in dict.fromkeys(y.tolist()):
        if label not in known:
            raise ValueError(
                f"y must hold true labels, {positive!r} for positive and {other!r} for negative; "
                f"got {label!r}."
            )
    truly_positive: Array = y == positive
    return truly_positive


def check_two_classes(y: Any, pos_label: object) -> Array:
    """Return which rows are truly positive, given the true labels of all rows."""
    check_pos_label(pos_label)
    y = _column_of_labels(y)
    if _are_missing(y).any():
        raise ValueError("y must hold a true label for every row; some are missing.")
    try:
        classes = np.unique(y)
    except TypeError:  # text beside numbers
        raise ValueError(
            f"y must hold true labels of one kind; it holds {reprlib.repr(y.tolist())}."
        ) from None
    if classes.size != 2:
        raise ValueError(
            f"y must hold true labels of two classes; it holds {classes.size}"
            + (f": {_some(classes)}." if classes.size else ".")
        )
    truly_positive: Array = y == _positive_label(classes, pos_label, "y")
    return truly_positive


def check_rows_match(X: Any, n_rows: int) -> None:
    """Raise a ValueError unless X has as many rows as there are labels."""
    found = X.shape[0] if getattr(X, "shape", ()) else len(X)
    if found != n_rows:
        raise ValueError(f"X must have one row per label of y, {n_rows}; got {found}.")


def check_lengths(X: Any, y: Any) -> None:
    """Raise a ValueError where X and y have rows, and not as many."""
    n_rows, n_labels = _length(X), _length(y)
    if n_rows != n_labels and None not in (n_rows, n_labels):
        raise ValueError(f"y must hold one label per row of X, {n_rows}; got {n_labels}.")


def known_labels(classes: Array) -> list[Any]:
    """Return the labels that say positive or negative, given the classes of a labeling s.

    Where the positive label is a number above 0, both 0 and −1 say "negative", whichever s has.
    """
    other, positive = classes.tolist()
    either = [0, -1] if isinstance(positive, Real) and float(positive) > 0 else []
    return [other, positive, *either]


def _column_of_labels(y: Any, *, warn: bool = False) -> Array:
    """Return ``y`` as one column, in which the labels that are missing still are."""
    if isinstance(y, list | tuple) and any(_is_missing(label) for label in y):
        y = np.array(y, dtype=object)  # beside text, NumPy would make the text "nan" of NaN
    column: Array = column_or_1d(y, warn=warn)
    return column


def _are_missing(labels: Array) -> Array:
    """Return which of the labels are None, NaN, NaT or pandas' NA."""
    if labels.dtype.kind in "OT":  # objects, and NumPy's texts of any length
        return np.array([_is_missing(label) for label in labels], dtype=bool)
    missing: Array = labels != labels
    return missing


def _is_missing(label: Any) -> bool:
    """Whether ``label`` is None or, as NaN and pandas' NA, does not surely equal itself."""
    try:
        return label is None or not bool(label == label)
    except TypeError:  # NA is neither true nor false
        return True
    except ValueError:  # an array, which is no label, but there
        return False


def _length(values: Any) -> int | None:
    """Return how many rows there are, or None if ``values`` are neither a list nor an array."""
    if isinstance(values, list | tuple):
        return len(values)
    shape = getattr(values, "shape", ())
    return int(shape[0]) if shape else None


def _index_dtype(n_rows: int) -> type[np.signedinteger[Any]]:
    """Return a dtype that holds the number of any row, in as little memory as may be."""
    return np.int32 if n_rows <= np.iinfo(np.int32).max else np.int64


def _positive_label(classes: Array, pos_label: object, name: str) -> Any:
    """Return the label of the positives: ``pos_label``, or the larger of two numbers."""
    if pos_label is not None:
        if classes.size == 2 and not (classes == pos_label).any():
            raise ValueError(
                f"pos_label must be a label of {name}, {_some(classes)}; got {pos_label!r}."
            )
        return pos_label
    labels = classes.tolist()
    if not all(isinstance(label, Real) for label in labels):
        raise ValueError(
            f"{name} has text labels, {_some(classes)}: say with pos_label which one marks the "
            f"labeled positives, {' or '.join(f'pos_label={label!r}' for label in labels)}."
        )
    # one number alone: 0, −1 and False mean unlabeled, as they do beside another
    return labels[-1] if len(labels) == 2 or labels[0] > 0 else 1


def _some(classes: Array) -> str:
    """Return a few of the classes, as Python would write them."""
    return ", ".join(repr(label) for label in classes.tolist()[:5])
