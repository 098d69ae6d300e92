"""Columns as codes: a code exceeds a point exactly where the value exceeds the threshold."""

import naive
import numpy as np
import pytest
from helpers import problems, pu_data
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from adapu import AdaPUClassifier
from adapu._codes import Cuts
from adapu._thresholds import make_thresholds
from adapu.backends.cpu import CpuBackend

STRATEGIES = ["random", "even", "quantile"]
DTYPES = [np.float32, np.float64]


def backend_of(X):
    rows = np.arange(len(X))
    return CpuBackend(X, rows[:1], rows[1:], sample_weight=None, single_set=False, n_threads=1)


def encoding_of(X, strategy, n_thresholds=5):
    with backend_of(X) as backend:
        return make_thresholds(strategy, backend, n_thresholds, seed=0).encoding


def codes_of(X, encoding):
    """What a backend keeps of the values, (n_rows, n_features)."""
    with backend_of(X) as backend:
        backend.encode(encoding)
        columns = [
            rows.columns.swapaxes(1, 2).reshape(-1, X.shape[1])[: rows.n_rows]
            for rows in backend.rows
        ]
    return np.concatenate(columns)


def thresholds_of(encoding, feature, points):
    return encoding.thresholds(np.full(len(points), feature), np.asarray(points))


def assert_exact(X, encoding):
    """At the values, at the thresholds around them and their neighbours, and far away."""
    codes = codes_of(X, encoding)
    assert codes.dtype == encoding.code_dtype
    last = encoding.n_codes - 2
    for f, column in enumerate(X.T):
        around = codes[:, f].astype(int)[:, None] + [-2, -1, 0, 1]
        points = np.unique(np.clip([*around.ravel(), 0, last // 2, last], 0, last))
        thresholds = thresholds_of(encoding, f, points)
        assert thresholds.dtype == X.dtype
        if (column == column[0]).all():
            assert (thresholds == np.inf).all()
            assert (codes[:, f] == 0).all()
            other = np.array([np.finfo(X.dtype).min, np.finfo(X.dtype).max], X.dtype)[:, None]
            assert (codes_of(np.tile(other, X.shape[1]), encoding)[:, f] == 0).all()
            continue
        near = [
            thresholds,
            *(np.nextafter(thresholds, X.dtype.type(to)) for to in (-np.inf, np.inf)),
        ]
        extremes = np.array([np.finfo(X.dtype).min, np.finfo(X.dtype).max, 0], X.dtype)
        values = np.unique(np.concatenate([column, *near, extremes]))
        values = values[np.isfinite(values)]
        others = np.tile(X[:1], (len(values), 1))
        others[:, f] = values
        code = codes_of(others, encoding)[:, f]
        np.testing.assert_array_equal(values[:, None] > thresholds, code[:, None] > points)
        for threshold in thresholds:  # as a backend reads a stump that was chosen before
            point = encoding.point(f, float(threshold))
            np.testing.assert_array_equal(values > threshold, code > point)
        assert not (code > encoding.point(f, np.inf)).any()


@given(problem=problems(), strategy=st.sampled_from(STRATEGIES))
def test_codes_are_exact(problem, strategy):
    X = problem[0]
    assert_exact(X, encoding_of(X, strategy))


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data(), strategy=st.sampled_from(STRATEGIES))
def test_codes_of_any_floats_are_exact(data, strategy, dtype):
    width = np.dtype(dtype).itemsize * 8
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=width) | st.integers(-2, 2)
    X = np.array(data.draw(st.lists(numbers, min_size=2, max_size=12)), dtype=dtype)[:, None]
    assume((X != X[0]).any())
    try:
        encoding = encoding_of(X, strategy)
    except ValueError as error:
        assert "overflows" in str(error)
        assume(False)
    assert_exact(X, encoding)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_distinct", [2, 3, 1500])
@pytest.mark.parametrize("first", [0.0, 1.0, 2.0, -1.0, 1e6, 3e-39, 1e30])
def test_codes_of_neighbouring_floats_are_exact(first, n_distinct, dtype):
    """The padding of the range is a unit in the last place, and may be lost in rounding."""
    smallest = np.array([first], dtype)
    bits = smallest.view(np.uint32 if dtype == np.float32 else np.uint64)
    for start in (bits, bits - bits.dtype.type(n_distinct // 2 if first else 0)):
        column = (start + np.arange(n_distinct, dtype=bits.dtype)).view(dtype)
        assert_exact(column[:, None], encoding_of(column[:, None], "random"))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, np.int32])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_whole_numbers_are_coded_as_float64(strategy, dtype):
    X = np.random.default_rng(0).integers(0, 200, size=(300, 2)).astype(dtype)
    encoding = encoding_of(X, strategy)
    np.testing.assert_array_equal(codes_of(X, encoding), codes_of(X.astype(float), encoding))
    assert_exact(X.astype(np.float64), encoding)


def test_a_grid_has_65536_equal_steps_over_the_enlarged_range():
    X = np.random.default_rng(1).normal(size=(500, 1))
    grid = encoding_of(X, "random")
    low, high = naive.interval(X[:, 0])
    thresholds = thresholds_of(grid, 0, np.arange(65_535))
    expected = low + (high - low) * np.arange(1, 65_536) / 65_536
    np.testing.assert_allclose(thresholds, expected, rtol=0, atol=1e-13)
    assert thresholds[0] < X.min()
    assert thresholds[-1] > X.max()


@pytest.mark.parametrize("n_cuts", [1, 2, 3, 7, 8, 255, 256, 1000, 65_535])
def test_codes_are_numbers_of_cuts_below(n_cuts):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2)).astype(np.float32)
    encoding = encoding_of(X, "even", n_cuts)
    assert isinstance(encoding, Cuts)
    assert encoding.cuts.shape == (2, n_cuts)
    assert encoding.code_dtype == (np.uint8 if n_cuts <= 255 else np.uint16)
    below = (encoding.cuts[None] < X[:, :, None]).sum(axis=2)
    np.testing.assert_array_equal(codes_of(X, encoding), below)


def test_draws_are_uniform_on_the_steps():
    """In every digit, and one draw says nothing of the next."""
    X = np.random.default_rng(3).normal(size=(50, 7))
    with backend_of(X) as backend:
        strategy = make_thresholds("random", backend, 11, seed=5)
    points = np.array([strategy.draw(t).points for t in range(2000)])
    assert points.shape == (2000, 7, 11)
    assert (points.min(), points.max()) == (0, 65_534)
    for digit in (points >> 8, points & 255, (points[..., 1:] ^ points[..., :-1]) & 255):
        assert stats.chisquare(np.bincount(digit.ravel())).pvalue > 0.01
    assert abs(np.corrcoef(points[:, 0, 0], points[:, 1, 0])[0, 1]) < 0.07
    assert abs(np.corrcoef(points[1:, 0, 0], points[:-1, 0, 0])[0, 1]) < 0.07


@pytest.mark.parametrize("n_thresholds", [300, 65_535])
def test_any_number_of_even_thresholds_up_to_65535(n_thresholds):
    X, s = pu_data(seed=0)
    model = AdaPUClassifier(0.4, n_estimators=3, thresholds="even", n_thresholds=n_thresholds)
    H = model.fit(X, s).decision_function(X)
    assert model.n_iter_ == 3
    assert model.history_["positives_called_positive"][-1] == np.mean(H[s == 1] > 0)
