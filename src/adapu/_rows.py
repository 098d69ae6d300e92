"""The rows of a fit, once they are checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from adapu._folds import identical_rows
from adapu._model import Array
from adapu._validation import (
    as_real,
    check_finite,
    check_labels,
    check_lengths,
    check_sample_weight,
    draw_seed,
)


@dataclass(frozen=True)
class TrainingRows:
    """What `fit` was given; rows of weight 0 are neither among P nor among U."""

    X: Array
    positives: Array  # the numbers of P's rows
    unlabeled: Array  # and of U's
    sample_weight: Array | None
    classes: Array  # [other, positive]
    names: Array | None  # of the features
    seed: int

    @property
    def labeled(self) -> Array:
        """Whether a row is labeled, for the rows of P and then those of U."""
        return np.arange(self.positives.size + self.unlabeled.size) < self.positives.size

    @cached_property
    def copies(self) -> Array:
        """A number per row, the same for identical rows, for those of P and then those of U."""
        numbers = identical_rows(self.X)[np.concatenate([self.positives, self.unlabeled])]
        without_gaps: Array = np.unique(numbers, return_inverse=True)[1]
        return without_gaps

    @property
    def labeled_share(self) -> float:
        """The share of the rows' weight that is labeled."""
        if self.sample_weight is None:
            return self.positives.size / (self.positives.size + self.unlabeled.size)
        return float(self.sample_weight[self.positives].sum() / self.sample_weight.sum())

    def of_p_and_u(self, values: Any) -> tuple[Array, Array]:
        """Divide ``values``, for the rows of P and then those of U, between the two."""
        return values[: self.positives.size], values[self.positives.size :]


def checked_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Check the arguments of the `fit` of an estimator with `pos_label` and `random_state`."""
    options = {"dtype": "numeric", "ensure_all_finite": False, "ensure_min_samples": 2}
    if y is None:
        validate_data(estimator, X, y, **options)  # which says that y is missing
    check_lengths(X, y)
    # without y, for the labels of rows of weight 0 are not looked at
    X = as_real(validate_data(estimator, X, **options))
    names = getattr(estimator, "feature_names_in_", None)
    sample_weight = check_sample_weight(sample_weight, X.shape[0])
    kept = None if sample_weight is None else sample_weight > 0
    check_finite(X, names, kept)
    positives, unlabeled, classes = check_labels(y, estimator.pos_label, kept)
    seed = draw_seed(estimator.random_state)
    return TrainingRows(X, positives, unlabeled, sample_weight, classes, names, seed)


def forget_fit(estimator: Any) -> None:
    """Drop all that a fit has set: should the next one fail, nothing of the last one remains."""
    for name in [name for name in vars(estimator) if name.endswith("_") and name[0] != "_"]:
        delattr(estimator, name)
