"""Breast Cancer, which comes with scikit-learn."""

from __future__ import annotations

from adapu.datasets._dataset import Dataset

N_TRAIN = 455


def load_breast_cancer() -> Dataset:
    """Load Breast Cancer (diagnostic, Wisconsin) as the paper does.

    The set comes with scikit-learn. In the order of the file, the first 455 rows train and the
    last 114 test; benign is positive.

    Returns
    -------
    Dataset
        30 features, float64.

    Examples
    --------
    >>> from adapu.datasets import load_breast_cancer
    >>> data = load_breast_cancer()
    >>> data.X_train.shape, data.X_test.shape, round(data.prior, 3)
    ((455, 30), (114, 30), 0.591)
    """
    from sklearn.datasets import load_breast_cancer as bundled  # costs time: only where needed

    bunch = bundled()
    X, y = bunch.data, bunch.target
    return Dataset(
        name="Breast Cancer",
        X_train=X[:N_TRAIN],
        y_train=y[:N_TRAIN],
        X_test=X[N_TRAIN:],
        y_test=y[N_TRAIN:],
        feature_names=tuple(map(str, bunch.feature_names)),
    )
