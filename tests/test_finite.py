"""The compiled check that all values are finite, against NumPy's."""

import numpy as np
import pytest

from adapu import AdaPUClassifier
from adapu._finite import CHUNK, all_finite
from adapu._validation import LARGE, check_finite

SIZES = (1, 7, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_as_numpy_says(dtype, order, n_threads):
    rng = np.random.default_rng(0)
    info = np.finfo(dtype)
    odd = [np.nan, -np.nan, np.inf, -np.inf, info.max, info.min, info.tiny, -0.0, info.tiny / 4]
    for n in SIZES:
        for value in [None, *odd]:
            X = np.asarray(rng.normal(size=(n, 3)), dtype, order=order)
            if value is not None:
                X[rng.integers(n), rng.integers(3)] = value
            assert all_finite(X, n_threads) == np.isfinite(X).all(), (n, value)


@pytest.mark.parametrize("layout", ["C", "F", "every other column"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_large_tables_say_where(layout, n_threads):
    n_rows = LARGE // 4 + 1
    X = np.zeros((n_rows, 8 if layout == "every other column" else 4), np.float32)
    X = X[:, ::2] if layout == "every other column" else np.asarray(X, order=layout)
    check_finite(X, None, n_threads=n_threads)
    X[n_rows - 2, 3] = np.inf
    with pytest.raises(ValueError, match=f"infinity, at row {n_rows - 2} in feature 3"):
        check_finite(X, None, n_threads=n_threads)
    X[70_001, 0] = np.nan
    with pytest.raises(ValueError, match="NaN, at row 70001 in feature 0"):
        check_finite(X, None, n_threads=n_threads)


def test_values_whose_sum_overflows_are_finite():
    X = np.full((LARGE // 2, 2), np.finfo(np.float32).max, np.float32)
    check_finite(X, None)


def test_predict_of_many_rows_says_where():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(50, 5)), np.arange(50) < 10
    model = AdaPUClassifier(0.5, n_estimators=3, n_jobs=2, random_state=0).fit(X, s)
    X = np.tile(X, (LARGE // 250 + 1, 1))
    X[1234, 2] = np.nan
    with pytest.raises(ValueError, match="NaN, at row 1234 in feature 2"):
        model.predict(X)
