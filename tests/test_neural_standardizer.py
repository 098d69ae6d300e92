"""Mean and deviation of U against plain loops."""

import naive
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, the extra neural")

from adapu.neural import _standardizer  # noqa: E402
from adapu.neural._standardizer import LARGEST_VALUE, fit_standardizer  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(_standardizer, "CHUNK_BYTES", 8 * 12 * 5)


@pytest.mark.parametrize("n_channels", [12, 3, 1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int64, bool])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_the_loops_have_it(n_channels, dtype, weighted):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype is bool else 200, size=(23, 12)).astype(dtype)
    X[:, 4] = 1  # a constant
    rows = np.arange(3, 23)
    v = rng.choice([0.5, 1.0, 2.0], 23) if weighted else np.ones(23)
    fitted = fit_standardizer(X, rows, v[rows] if weighted else None, n_channels)
    expected = naive.standardized(X, rows, v, n_channels)
    found = fitted.apply(X, CPU)
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_counts_in_the_billions_keep_their_digits():
    X = 3e9 + np.arange(10.0)[:, None] * [1, 1e-1]
    fitted = fit_standardizer(X, np.arange(10), None, 2)
    found = fitted.apply(X, CPU).numpy()
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found.std(axis=0), 1, rtol=1e-5)


def test_a_constant_is_told_in_spite_of_rounding():
    X = np.full((1000, 1), 0.1)
    fitted = fit_standardizer(X, np.arange(1000), None, 1)
    assert fitted.scale[0] == 1
    assert abs(fitted.apply(X, CPU)).max() < 1e-6


def test_rows_far_outside_stay_finite():
    fitted = fit_standardizer(np.arange(5.0)[:, None], np.arange(5), None, 1)
    found = fitted.apply(np.array([[1e300], [-1e300]]), CPU)
    assert found.ravel().tolist() == [LARGEST_VALUE, -LARGEST_VALUE]


def test_a_deviation_that_overflows_is_said():
    X = np.column_stack([np.arange(4.0), [1e200, -1e200, 1e200, 0]])
    with pytest.raises(ValueError, match="squares of feature 1 overflow"):
        fit_standardizer(X, np.arange(4), None, 2)
