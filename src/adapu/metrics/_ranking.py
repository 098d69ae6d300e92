"""Metrics of scores: functions of (TPR, q) at every threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from adapu._model import Array
from adapu.metrics._sample import read_sample, read_scores


def pu_roc_curve(
    s: Any,
    y_score: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    clip: bool = True,
) -> tuple[Array, Array, Array]:
    """Return the ROC curve, the negatives' rate being (q − π TPR) / (1 − π).

    That estimate is unbiased at every threshold, but between thresholds it may fall, below 0 and
    above 1. With `clip` it is replaced by the nearest curve that rises from 0 to 1 (an isotonic
    regression), which can be plotted and integrated as usual. The area under the curve as
    estimated, `clip=False`, is :func:`pu_roc_auc_score`.

    Parameters
    ----------
    s, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_score : array-like of shape (n_rows,)
        The larger, the more probably positive: margins or probabilities of the positive class.
    clip : bool, default=True
        Whether the false positive rate is made to rise, and to stay within [0, 1].

    Returns
    -------
    fpr : ndarray of shape (n_thresholds + 1,)
        The false positive rate, predicting positive where the score is at least the threshold.
    tpr : ndarray of shape (n_thresholds + 1,)
        The true positive rate.
    thresholds : ndarray of shape (n_thresholds + 1,)
        Infinity, then the distinct scores, falling.

    Examples
    --------
    >>> from adapu.metrics import pu_roc_curve
    >>> s, y_score = [1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.9, 0.8, 0.3, 0.2]
    >>> fpr, tpr, thresholds = pu_roc_curve(s, y_score, prior=0.5)
    >>> fpr
    array([0. , 0. , 0. , 0.5, 1. ])
    >>> tpr
    array([0. , 0.5, 1. , 1. , 1. ])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.3, 0.2])
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    thresholds, tpr, q = sample.cumulative(read_scores(sample, "y_score", y_score))
    tpr, q = np.r_[0.0, tpr], np.r_[0.0, q]
    fpr: Array = (q - sample.prior * tpr) / (1 - sample.prior)
    fpr[-1] = 1.0  # whatever the rounding
    if clip:
        fpr = isotonic_regression(fpr, y_min=0.0, y_max=1.0)
    return fpr, tpr, np.r_[np.inf, thresholds]


def pu_precision_recall_curve(
    s: Any,
    y_score: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    clip: bool = True,
) -> tuple[Array, Array, Array]:
    """Return precision, π TPR / q, and recall, TPR, at every threshold.

    Consistent. Precision exceeds 1 where the false positive rate is estimated below 0, above all
    at the highest thresholds, where q rests on few rows; with `clip` it is 1 there.

    Parameters
    ----------
    s, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_score : array-like of shape (n_rows,)
        The larger, the more probably positive: margins or probabilities of the positive class.
    clip : bool, default=True
        Whether precision is at most 1. Without, it is infinite where no row of the population
        reaches the threshold and a labeled one does.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        The precision, predicting positive where the score is at least the threshold; then 1.
    recall : ndarray of shape (n_thresholds + 1,)
        The recall, falling; then 0.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, rising.

    Examples
    --------
    >>> from adapu.metrics import pu_precision_recall_curve
    >>> s, y_score = [1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.9, 0.8, 0.3, 0.2]
    >>> precision, recall, thresholds = pu_precision_recall_curve(s, y_score, prior=0.375)
    >>> precision
    array([0.375, 0.5  , 0.75 , 0.75 , 1.   ])
    >>> recall
    array([1. , 1. , 1. , 0.5, 0. ])
    >>> thresholds
    array([0.2, 0.3, 0.8, 0.9])
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    thresholds, tpr, q = sample.cumulative(read_scores(sample, "y_score", y_score))
    precision = np.divide(sample.prior * tpr, q, out=np.full_like(q, np.inf), where=q > 0)
    if clip:
        precision = np.minimum(precision, 1.0)
    return np.r_[precision[::-1], 1.0], np.r_[tpr[::-1], 0.0], thresholds[::-1]


def pu_roc_auc_score(
    s: Any,
    y_score: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    """Area under the ROC curve: the chance that a positive outscores a negative.

    That a positive outscores an unlabeled row has the chance A = π_U / 2 + (1 − π_U) AUC, ties
    counting half, since a share π_U of the unlabeled rows is positive: π in case-control, and
    (π − l) / (1 − l) in a single set, of which the share l is labeled. Solved for the AUC this is
    unbiased; on few rows it may exceed 1. Equal scores have 0.5.

    Parameters
    ----------
    s, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_score : array-like of shape (n_rows,)
        The larger, the more probably positive: margins or probabilities of the positive class.

    Returns
    -------
    float
        The area; larger is better.

    Examples
    --------
    >>> from adapu.metrics import pu_roc_auc_score
    >>> s, y_score = [1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.9, 0.5, 0.3, 0.2]
    >>> pu_roc_auc_score(s, y_score, prior=0.25)  # A = 0.8125
    0.9166666666666666
    >>> pu_roc_auc_score(s, [1, 1, 1, 1, 1, 1], prior=0.25)
    0.5
    """
    fpr, tpr, _ = pu_roc_curve(
        s,
        y_score,
        prior=prior,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
        clip=False,
    )
    # In both scenarios this is (A − π_U / 2) / (1 − π_U). Over p(x) the area under TPR against q
    # is A in case-control, l / 2 + (1 − l) A in a single set; against TPR it is one half.
    return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2))


def pu_average_precision_score(
    s: Any,
    y_score: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    """Average precision: the sum over thresholds of the recall gained times the precision there.

    Consistent. The precision at each threshold, π TPR / q, is clipped at 1, see
    :func:`pu_precision_recall_curve`, and so the sum lies within [0, 1]. Equal scores have π.

    Parameters
    ----------
    s, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_score : array-like of shape (n_rows,)
        The larger, the more probably positive: margins or probabilities of the positive class.

    Returns
    -------
    float
        The average precision; larger is better.

    Examples
    --------
    >>> from adapu.metrics import pu_average_precision_score
    >>> s, y_score = [1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.9, 0.8, 0.3, 0.2]
    >>> pu_average_precision_score(s, y_score, prior=0.375)
    0.75
    """
    precision, recall, _ = pu_precision_recall_curve(
        s,
        y_score,
        prior=prior,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
    )
    return float(-np.sum(np.diff(recall) * precision[:-1]))
