"""What every loader returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adapu._model import Array


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set with true labels, in a training and a test part.

    Parameters
    ----------
    name : str
        What it is called in tables.
    X_train, X_test : ndarray of shape (n_rows, n_features)
        The rows; no rows in `X_test` where no test part is published.
    y_train, y_test : ndarray of shape (n_rows,)
        The true labels: 1 for positive, 0 for negative.
    feature_names : tuple of str
        One name per feature.
    substitute : str, default=""
        Empty where the rows are the published ones in the published parts. Otherwise a sentence
        that says what stands in for them, to be shown wherever a number from these data is shown.

    Examples
    --------
    >>> from adapu.datasets import load_breast_cancer
    >>> data = load_breast_cancer()
    >>> data
    <Breast Cancer: 455 training and 114 test rows, 30 features, prior 0.591>
    >>> data.substitute
    ''
    """

    name: str
    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array
    feature_names: tuple[str, ...]
    substitute: str = ""

    @property
    def prior(self) -> float:
        """The share of positives in the training part."""
        return float(np.mean(self.y_train == 1))

    def __repr__(self) -> str:
        label = ", substitute" if self.substitute else ""
        return (
            f"<{self.name}{label}: {len(self.y_train):,} training and {len(self.y_test):,} test "
            f"rows, {len(self.feature_names):,} features, prior {self.prior:.3f}>"
        )
