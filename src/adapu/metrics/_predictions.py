"""Metrics of predicted classes: functions of the prior π and the rates TPR and q alone."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from adapu.metrics._sample import read_predictions, read_sample

# The formulas, on numbers. `pu_report` applies them to trivial classifiers too.


def zero_one_loss(prior: float, tpr: float, q: float, *, non_negative: bool = False) -> float:
    """Return π (1 − TPR) + (1 − π) FPR."""
    negatives_wrong = q - prior * tpr
    return prior * (1 - tpr) + (max(negatives_wrong, 0.0) if non_negative else negatives_wrong)


def accuracy(prior: float, tpr: float, q: float) -> float:
    """Return 1 − loss."""
    return 1 - zero_one_loss(prior, tpr, q)


def precision(prior: float, tpr: float, q: float) -> float:
    """Return π TPR / q, NaN where q is 0."""
    return prior * tpr / q if q > 0 else np.nan


def recall(prior: float, tpr: float, q: float) -> float:
    """Return TPR."""
    return tpr


def f1(prior: float, tpr: float, q: float) -> float:
    """Return 2 π TPR / (π + q): the harmonic mean of precision and recall."""
    return 2 * prior * tpr / (prior + q)


def lee_liu(prior: float, tpr: float, q: float) -> float:
    """Return TPR² / q, NaN where q is 0."""
    return tpr**2 / q if q > 0 else np.nan


def pu_zero_one_loss(
    s: Any,
    y_pred: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    non_negative: bool = False,
) -> float:
    """Share of rows whose class is predicted wrongly: π (1 − TPR) + q − π TPR.

    TPR is the share of the labeled rows that are predicted positive, and q that of the population.
    Unbiased; on few rows it may be negative. With `non_negative`, the part of the negatives,
    q − π TPR, is not less than 0: consistent, but too large on average.

    Parameters
    ----------
    s : array-like of shape (n_rows,)
        1 for a labeled positive and 0 (or −1, or False) for an unlabeled row, or any two labels,
        see `pos_label`.
    y_pred : array-like of shape (n_rows,)
        The predicted classes, in the labels of s: that of the unlabeled rows means negative.
    prior : float
        The share π of positives in the population, between 0 and 1, both excluded. In a single set
        it is at least the share of labeled rows.
    scenario : {"case-control", "single-set"}, default="case-control"
        ``"case-control"``: the unlabeled rows are a sample of the population, the labeled ones a
        separate sample of its positives. ``"single-set"``: all rows together are a sample of the
        population, and some of its positives, taken at random, were labeled.
    sample_weight : array-like of shape (n_rows,), default=None
        A weight of 2 counts a row twice, and one of 0 leaves it out.
    pos_label : label or None, default=None
        The label of the labeled positives. None means the larger of two numbers or booleans; text
        labels must name it.
    non_negative : bool, default=False
        Whether the part of the negatives is clipped at 0.

    Returns
    -------
    float
        The loss; smaller is better.

    Examples
    --------
    >>> from adapu.metrics import pu_zero_one_loss
    >>> s = [1, 1, 0, 0, 0, 0]
    >>> pu_zero_one_loss(s, [1, 0, 1, 0, 0, 0], prior=0.4)  # 0.4 × 0.5 + 0.25 − 0.4 × 0.5
    0.25
    >>> loss = pu_zero_one_loss(s, [1, 1, 1, 0, 0, 0], prior=0.4)  # 0 + 0.25 − 0.4
    >>> print(f"{loss:.2f}")
    -0.15
    >>> pu_zero_one_loss(s, [1, 1, 1, 0, 0, 0], prior=0.4, non_negative=True)
    0.0
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    tpr, q = sample.means(read_predictions(sample, y_pred))
    return zero_one_loss(sample.prior, tpr, q, non_negative=non_negative)


def pu_accuracy_score(
    s: Any,
    y_pred: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    """Share of rows whose class is predicted: 1 − :func:`pu_zero_one_loss`.

    Unbiased; on few rows it may exceed 1. To call everything positive has an accuracy of π, to call
    nothing positive one of 1 − π.

    Parameters
    ----------
    s, y_pred, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.

    Returns
    -------
    float
        The accuracy; larger is better.

    Examples
    --------
    >>> from adapu.metrics import pu_accuracy_score
    >>> s = [1, 1, 0, 0, 0, 0]
    >>> pu_accuracy_score(s, [1, 0, 1, 0, 0, 0], prior=0.4)
    0.75
    >>> pu_accuracy_score(s, [1, 1, 1, 1, 1, 1], prior=0.4)
    0.4
    """
    return 1 - pu_zero_one_loss(
        s,
        y_pred,
        prior=prior,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
    )


def pu_precision_score(
    s: Any,
    y_pred: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    zero_division: Any = "warn",
) -> float:
    """Share of positives among the rows predicted positive: π TPR / q.

    Consistent; it is not clipped and may exceed 1. To call everything positive has a precision
    of π. Where no row of the population is predicted positive, q = 0, it is undefined.

    Parameters
    ----------
    s, y_pred, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    zero_division : {"warn", 0.0, 1.0, np.nan}, default="warn"
        The value where precision is undefined; ``"warn"`` means 0 and a warning.

    Returns
    -------
    float
        The precision; larger is better.

    Examples
    --------
    >>> from adapu.metrics import pu_precision_score
    >>> s = [1, 1, 0, 0, 0, 0]
    >>> pu_precision_score(s, [1, 0, 1, 0, 0, 0], prior=0.4)
    0.8
    >>> pu_precision_score(s, [0, 0, 0, 0, 0, 0], prior=0.4, zero_division=0)
    0.0
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    value = precision(sample.prior, *sample.means(read_predictions(sample, y_pred)))
    return _or_zero_division(value, zero_division, "Precision")


def pu_recall_score(
    s: Any,
    y_pred: Any,
    *,
    prior: float | None = None,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    """Share of the positives that are predicted positive: TPR, that of the labeled rows.

    Unbiased, and no PU metric is easier to fool: to call everything positive has a recall of 1.

    Parameters
    ----------
    s, y_pred, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    prior : float or None, default=None
        Not used; it is here so that all metrics can be called alike.

    Returns
    -------
    float
        The recall; larger is better.

    Examples
    --------
    >>> from adapu.metrics import pu_recall_score
    >>> pu_recall_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0])
    0.5
    """
    sample = read_sample(
        s,
        prior=prior,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
        needs_prior=False,
    )
    return sample.means(read_predictions(sample, y_pred))[0]


def pu_f1_score(
    s: Any,
    y_pred: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    """Harmonic mean of precision and recall: 2 π TPR / (π + q).

    Consistent; it is not clipped and may exceed 1. To call everything positive has an F1 of
    2 π / (π + 1), to call nothing positive one of 0.

    Parameters
    ----------
    s, y_pred, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.

    Returns
    -------
    float
        The F1 score; larger is better.

    Examples
    --------
    >>> from adapu.metrics import pu_f1_score
    >>> score = pu_f1_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], prior=0.4)
    >>> print(f"{score:.4f}")  # 2 × 0.4 × 0.5 / (0.4 + 0.25)
    0.6154
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    return f1(sample.prior, *sample.means(read_predictions(sample, y_pred)))


def lee_liu_score(
    s: Any,
    y_pred: Any,
    *,
    prior: float | None = None,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    zero_division: Any = "warn",
) -> float:
    """Lee and Liu's criterion TPR² / q, which equals precision × recall / π.

    Consistent, and it needs no prior. A perfect classifier scores 1 / π, calling everything
    positive 1, and calling rows positive by chance at a rate q scores q. Where no row of the
    population is predicted positive, q = 0, it is undefined.

    Parameters
    ----------
    s, y_pred, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    prior : float or None, default=None
        Not used; it is here so that all metrics can be called alike.
    zero_division : {"warn", 0.0, 1.0, np.nan}, default="warn"
        The value where the score is undefined; ``"warn"`` means 0 and a warning.

    Returns
    -------
    float
        The score; larger is better.

    References
    ----------
    W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic
    Regression", ICML 2003.

    Examples
    --------
    >>> from adapu.metrics import lee_liu_score
    >>> lee_liu_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0])
    2.0
    >>> lee_liu_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1])
    1.0
    """
    sample = read_sample(
        s,
        prior=prior,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
        needs_prior=False,
    )
    value = lee_liu(sample.prior, *sample.means(read_predictions(sample, y_pred)))
    return _or_zero_division(value, zero_division, "Lee and Liu's score")


def _or_zero_division(value: float, zero_division: Any, what: str) -> float:
    """Return ``value``, or what ``zero_division`` says where it is undefined."""
    warn = isinstance(zero_division, str) and zero_division == "warn"
    if not (warn or zero_division in (0, 1) or zero_division != zero_division):
        raise ValueError(
            f"zero_division must be one of 'warn', 0.0, 1.0, nan; got {zero_division!r}."
        )
    if not np.isnan(value):
        return float(value)
    if warn:
        warnings.warn(
            f"{what} is undefined and set to 0: no row of the population is predicted positive. "
            "Say with zero_division what it should be.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return 0.0
    return float(zero_division)
