"""A PU sample and the two expectations that all metrics are made of.

E₊ is the mean over the labeled rows, which are drawn from p(x | y = 1). E is the mean over rows
drawn from p(x): the unlabeled ones in case-control, all of them in a single set. What needs the
negatives follows from p(x) = π p(x | y = 1) + (1 − π) p(x | y = −1), for instance

    (1 − π) FPR = q − π TPR,    where TPR = E₊[predicted positive], q = E[predicted positive].
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from adapu._model import Array
from adapu._validation import (
    SCENARIOS,
    check_choice,
    check_labels,
    check_real,
    check_sample_weight,
    check_single_set_prior,
    known_labels,
)

_SCORES = ("scores", "y_score", "y_prob")  # what may have come as a column per class


@dataclass(frozen=True)
class Sample:
    """The rows that count; those of weight 0 have been left out."""

    labeled: Array
    weight: Array
    prior: float  # NaN: none given, none needed
    single_set: bool
    classes: Array  # [other, positive]
    kept: Array | None  # which of the rows given count; None: all
    n_given: int

    @property
    def weight_positive(self) -> Array:
        """The weights behind E₊."""
        return self.weight * self.labeled

    @property
    def weight_population(self) -> Array:
        """The weights behind E."""
        return self.weight if self.single_set else self.weight * ~self.labeled

    def means(self, values: Array) -> tuple[float, float]:
        """Return E₊[values] and E[values]; of a mask, the rates TPR and q."""
        positive, population = self.weight_positive, self.weight_population
        return (
            float(positive @ values / positive.sum()),
            float(population @ values / population.sum()),
        )

    def sums(self, places: Array, n_places: int, values: Array) -> tuple[Array, Array]:
        """Return E₊[1 at place] and E[values at place] for each of the places."""
        positive, population = self.weight_positive, self.weight_population
        return (
            np.bincount(places, positive, n_places) / positive.sum(),
            np.bincount(places, population * values, n_places) / population.sum(),
        )

    def take(self, rows: Array) -> Sample:
        """Return some of the sample's rows, by their places, as a sample of their own."""
        return replace(
            self, labeled=self.labeled[rows], weight=self.weight[rows], kept=None, n_given=len(rows)
        )

    def cumulative(self, scores: Array) -> tuple[Array, Array, Array]:
        """Return the distinct scores, falling, and (TPR, q) of "positive from this score on"."""
        values, places = np.unique(scores, return_inverse=True)
        rates = []
        for weight in (self.weight_positive, self.weight_population):
            sums = np.bincount(places, weight, len(values))[::-1].cumsum()
            rates.append(sums / sums[-1])  # the last is 1 to the bit
        return values[::-1], rates[0], rates[1]


def read_sample(
    s: Any,
    *,
    prior: Any,
    scenario: Any,
    sample_weight: Any,
    pos_label: Any,
    needs_prior: bool = True,
) -> Sample:
    """Return the sample, having checked all that can be checked without predictions."""
    check_choice("scenario", scenario, SCENARIOS)
    if needs_prior or prior is not None:
        check_real("prior", prior, 0, 1)
    s = _column("s", s)
    _check_none_missing("s", s)
    if s.size == 0:
        raise ValueError("s must hold at least one labeled and one unlabeled row; it is empty.")
    if s.dtype.kind == "O":
        if all(isinstance(label, Real) for label in s.tolist()):
            s = np.array(s.tolist())
        elif not all(isinstance(label, str) for label in s.tolist()):
            raise ValueError(
                "s must hold two labels of one kind, numbers, booleans or text; it holds "
                f"{reprlib.repr(s.tolist())}."
            )
    if type_of_target(s, input_name="s").startswith("continuous"):
        wrong = next(value for value in s.tolist() if value != int(value))
        raise ValueError(
            f"s must hold two labels, labeled positive and unlabeled; it holds {wrong!r}. Scores "
            "and predictions come second."
        )
    weight = check_sample_weight(sample_weight, s.size)
    kept = None if weight is None or weight.all() else weight > 0
    try:
        positives, _, classes = check_labels(s, pos_label, kept, "s")
    except ValueError as error:
        if len(set((s if kept is None else s[kept]).tolist())) > 1:
            raise
        raise ValueError(
            f"{error} In cross-validation use StratifiedKFold, which gives every fold both."
        ) from None
    labeled = np.zeros(s.size, dtype=bool)
    labeled[positives] = True
    weight = np.ones(s.size) if weight is None else weight
    if kept is not None:
        labeled, weight = labeled[kept], weight[kept]
    single_set = scenario == "single-set"
    if single_set and prior is not None:
        labeled_share = float(weight[labeled].sum() / weight.sum())
        check_single_set_prior(float(prior), labeled_share, len(positives))
    prior = np.nan if prior is None else float(prior)
    return Sample(labeled, weight, prior, single_set, classes, kept, s.size)


def read_predictions(sample: Sample, y_pred: Any) -> Array:
    """Return which of the sample's rows are predicted positive."""
    y_pred = _of_sample(sample, "y_pred", y_pred)
    other, positive = sample.classes.tolist()
    allowed = known_labels(sample.classes)
    for label in set(y_pred.tolist()):
        if label not in allowed:
            raise ValueError(
                f"y_pred must hold predicted labels, {positive!r} for positive and {other!r} for "
                f"not; it holds {label!r}. Metrics of scores are pu_roc_auc_score, "
                "pu_average_precision_score and, for probabilities, pu_brier_score_loss."
            )
    predicted: Array = y_pred == positive
    return predicted


def read_scores(sample: Sample, name: str, scores: Any) -> Array:
    """Return the scores of the sample's rows, as float64."""
    column = _of_sample(sample, name, scores)
    if column.dtype.kind not in "biuf":
        try:
            column = np.array([float(value) for value in column])
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} must hold a number per row; got values such as {column.tolist()[0]!r}."
            ) from None
    column = column.astype(np.float64)
    finite = np.isfinite(column)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(
            f"{name} must hold finite numbers; it is {column[row]:g} at row {_given(sample, row)}."
        )
    return column


def read_probabilities(sample: Sample, y_prob: Any) -> Array:
    """Return the probabilities of the positive class of the sample's rows."""
    column = read_scores(sample, "y_prob", y_prob)
    outside = (column < 0) | (column > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueError(
            "y_prob must hold probabilities of the positive class, from 0 to 1; it is "
            f"{float(column[row])!r} at row {_given(sample, row)}."
        )
    return column


def _of_sample(sample: Sample, name: str, values: Any) -> Array:
    """Return one value for each of the sample's rows."""
    column = _column(name, values)
    if column.size != sample.n_given:
        raise ValueError(
            f"{name} must hold one value per row of s, {sample.n_given}; got {column.size}."
        )
    column = column if sample.kept is None else column[sample.kept]
    _check_none_missing(name, column, sample)
    return column


def _given(sample: Sample | None, row: int) -> int:
    """Return the place of a row of the sample among the rows given."""
    return row if sample is None or sample.kept is None else int(np.flatnonzero(sample.kept)[row])


def _column(name: str, values: Any) -> Array:
    """Return ``values`` as one column."""
    try:
        column: Array = column_or_1d(values)
    except (TypeError, ValueError):
        shape: tuple[int, ...] = getattr(values, "shape", ())
        got = f"an array of shape {shape}" if shape else reprlib.repr(values)
        if len(shape) == 1:
            got = f"an array of dtype {getattr(values, 'dtype', 'unknown')}"
        two = len(shape) == 2 and shape[1] == 2 and name in _SCORES
        hint = " Take the column of the positives, such as predict_proba(X)[:, 1]." if two else ""
        raise ValueError(f"{name} must hold one value per row; got {got}.{hint}") from None
    return column


def _check_none_missing(name: str, column: Array, sample: Sample | None = None) -> None:
    """Raise a ValueError that says where a value is None, NaN or pandas' NA."""
    if column.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in column], dtype=bool)
    else:
        missing = column != column
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(
            f"{name} must not have missing values; it is {column[row]} at row "
            f"{_given(sample, row)}."
        )


def _is_missing(value: object) -> bool:
    """Whether ``value`` is None or, as NaN and pandas' NA, does not surely equal itself."""
    try:
        return value is None or not bool(value == value)
    except TypeError:
        return True
