"""Metrics from positive and unlabeled rows, each the twin of one that needs true labels.

Every function takes s (labeled positive or not), predictions or scores, the ``prior`` and the
``scenario``. Each has the expectation of its twin, or tends to it with the number of rows; on few
rows it may leave [0, 1], and is clipped only where its documentation says so.
"""

from adapu.metrics._predictions import (
    lee_liu_score,
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_zero_one_loss,
)
from adapu.metrics._probabilities import pu_brier_score_loss, pu_calibration_error
from adapu.metrics._ranking import (
    pu_average_precision_score,
    pu_precision_recall_curve,
    pu_roc_auc_score,
    pu_roc_curve,
)
from adapu.metrics._report import pu_report
from adapu.metrics._scorers import make_pu_scorer

__all__ = [
    "lee_liu_score",
    "make_pu_scorer",
    "pu_accuracy_score",
    "pu_average_precision_score",
    "pu_brier_score_loss",
    "pu_calibration_error",
    "pu_f1_score",
    "pu_precision_recall_curve",
    "pu_precision_score",
    "pu_recall_score",
    "pu_report",
    "pu_roc_auc_score",
    "pu_roc_curve",
    "pu_zero_one_loss",
]
