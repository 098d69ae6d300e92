"""Where the candidates lie: random, even and quantile thresholds, and the cuts between values."""

import naive
import numpy as np
import pytest
from helpers import dyadic_weights, pu_data, recorded_thresholds
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adapu import AdaPUClassifier
from adapu._cuts import quantile_cuts

DTYPES = [np.float32, np.float64]


def offered(X, s, sample_weight=None, **parameters):
    """The fitted model, and the thresholds of its rounds: (T, n_features, K)."""
    model = AdaPUClassifier(0.4, **({"n_estimators": 3, "random_state": 0} | parameters))
    with recorded_thresholds() as thresholds:
        model.fit(X, s, sample_weight=sample_weight)
    return model, np.array(thresholds)


def mixed(dtype, n_rows=60):
    """A continuous feature, a grid, a constant, a binary one, one far from 0."""
    rng = np.random.default_rng(0)
    columns = [
        rng.normal(size=n_rows),
        rng.integers(-3, 4, size=n_rows),
        np.full(n_rows, 2.5),
        rng.integers(0, 2, size=n_rows),
        1e6 + rng.random(n_rows),
    ]
    return np.column_stack(columns).astype(dtype), np.arange(n_rows) < 20


# ---------------------------------------------------------------- random


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_thresholds_lie_in_the_enlarged_range(dtype):
    X, s = mixed(dtype)
    _, thresholds = offered(X, s, n_estimators=200, n_thresholds=10)
    assert thresholds.shape == (200, 5, 10)
    np.testing.assert_array_equal(thresholds.astype(dtype), thresholds)
    for f in range(5):
        drawn = thresholds[:, f]
        low, high = naive.interval(X[:, f])
        if f == 2:
            assert (drawn == np.inf).all()
            continue
        rounding = np.finfo(dtype).eps * max(abs(low), abs(high))
        assert drawn.min() >= low - rounding
        assert drawn.max() <= high + rounding
        assert (drawn < X[:, f].min()).any()  # stumps that call everything the same
        assert (drawn >= X[:, f].max()).any()
        if f != 4:  # far from 0 the rounding leaves few values
            # 2000 draws of 65,536 steps: 30 pairs alike are to be expected
            assert len(np.unique(drawn)) > 1940
            assert stats.kstest(drawn.ravel(), "uniform", (low, high - low)).pvalue > 0.01


def test_random_thresholds_are_fresh_and_known_by_seed_and_round():
    X, s = mixed(np.float64)
    keep = [0, 1, 3, 4]
    _, first = offered(X[:, keep], s, n_estimators=30)
    _, longer = offered(X[:, keep], s, n_estimators=40)
    np.testing.assert_array_equal(longer[:30], first)
    _, other = offered(X[:, keep], s, n_estimators=30, random_state=1)
    low, high = np.array([naive.interval(X[:, f]) for f in keep]).T
    for draws in (first, other):
        share = (draws - low[:, None]) / (high - low)[:, None]
        assert len(np.unique(share.round(9))) > 0.98 * share.size
    assert (first == other).mean() < 0.01


def test_every_round_looks_at_the_same_range_of_p_and_u():
    """A labeled row far above and an unlabeled one far below count, a row of weight 0 does not."""
    X, s = pu_data(seed=0, n_features=1)
    X[0], X[-1], X[5] = 50.0, -30.0, 1e9
    weight = np.ones(len(X))
    weight[5] = 0
    _, thresholds = offered(X, s, weight, n_estimators=100)
    low, high = naive.interval(np.delete(X[:, 0], 5))
    assert -30 - (high - low) / 50 < thresholds.min() < -29
    assert 49 < thresholds.max() < 50 + (high - low) / 50


# ---------------------------------------------------------------- even


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_thresholds", [1, 2, 3, 10, 57])
def test_even_thresholds(n_thresholds, dtype):
    X, s = mixed(dtype)
    model, thresholds = offered(X, s, thresholds="even", n_thresholds=n_thresholds)
    expected = naive.even_thresholds(X, n_thresholds)
    assert model.n_iter_ > 0
    for one in thresholds:
        np.testing.assert_array_equal(one.astype(dtype), one)
        for f in range(5):
            rounding = 2 * np.finfo(dtype).eps * np.abs(X[:, f]).max()
            np.testing.assert_allclose(one[f], expected[f], rtol=0, atol=rounding)


@pytest.mark.parametrize("n_distinct", [2, 3, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_values_are_counted_to_1024(n_distinct, dtype):
    """The lowest even threshold is v_min - v_r / (n_f - 1). -0 and 0 are one value."""
    rng = np.random.default_rng(1)
    values = np.concatenate([np.arange(n_distinct), rng.integers(0, n_distinct, 3000)])
    X = rng.permutation(values).astype(dtype)[:, None] - dtype(1)
    X[X == 0] *= rng.choice([-1, 1], size=np.sum(X == 0)).astype(dtype)
    _, thresholds = offered(X, np.arange(len(X)) % 2, thresholds="even", n_thresholds=2)
    padding = (n_distinct - 1) / (min(n_distinct, 1024) - 1)
    np.testing.assert_allclose(thresholds[0, 0], [-1 - padding, n_distinct - 2 + padding], 1e-6)


# ---------------------------------------------------------------- quantile


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_all_quantile_cuts(weighted, dtype):
    X, s = mixed(dtype)
    weight = dyadic_weights(1, len(X)) if weighted else None
    _, thresholds = offered(X, s, weight, thresholds="quantile", n_thresholds=None)
    expected = naive.all_quantile_thresholds(X, weight)
    for one in thresholds:
        np.testing.assert_array_equal(one[:, : expected.shape[1]], expected)
        assert np.isnan(one[:, expected.shape[1] :]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_quantile_cuts_of_many_values(dtype):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=5000), rng.integers(0, 400, size=5000) ** 2])
    X = X.astype(dtype)
    s = np.arange(5000) < 700
    for weight in (None, dyadic_weights(2, 5000)):
        _, thresholds = offered(
            X, s, weight, thresholds="quantile", n_thresholds=None, n_estimators=1
        )
        expected = naive.all_quantile_thresholds(X, weight)
        assert expected.shape == thresholds[0].shape == (2, 255)
        np.testing.assert_array_equal(thresholds[0], expected)


@pytest.mark.parametrize("n_thresholds", [1, 7, 50, 300])
def test_some_quantile_cuts_are_drawn_without_repetition(n_thresholds):
    X, s = mixed(np.float64)
    _, thresholds = offered(X, s, thresholds="quantile", n_thresholds=n_thresholds, n_estimators=40)
    every = naive.all_quantile_thresholds(X)
    for one in thresholds:
        for drawn, cuts in zip(one, every, strict=True):
            kept, cuts = drawn[~np.isnan(drawn)], cuts[~np.isnan(cuts)]
            assert len(kept) == min(n_thresholds, len(cuts))
            assert len(np.unique(kept)) == len(kept)
            assert np.isin(kept, cuts).all()
    if n_thresholds == 7:
        assert (np.sort(thresholds[0, 0]) != np.sort(thresholds[1, 0])).any()


def test_every_quantile_cut_is_drawn_as_often():
    X, s = pu_data(seed=3, n_positive=5, n_unlabeled=6, n_features=2)  # ten cuts each
    _, thresholds = offered(
        X, s, thresholds="quantile", n_thresholds=3, n_estimators=2000, normalization="over-all"
    )
    for f in range(2):
        _, counts = np.unique(thresholds[:, f], return_counts=True)
        assert len(counts) == 10
        assert stats.chisquare(counts).pvalue > 0.01


@pytest.mark.parametrize("n_rows", [2560, 1_024_000])
@pytest.mark.parametrize("weight", [0.7, 1 / 3, 1.4])
def test_equal_weights_cut_where_no_weights_do(weight, n_rows):
    """Every level is reached exactly, and the sums of such weights are rounded."""
    column = np.random.default_rng(0).permutation(n_rows).astype(np.float64)
    expected = quantile_cuts(column, np.ones(n_rows, np.uint8))  # no weights, to the backend
    np.testing.assert_array_equal(expected, np.arange(1, 256) * n_rows / 256 - 0.5)
    np.testing.assert_array_equal(quantile_cuts(column, np.full(n_rows, weight)), expected)
    if n_rows == 2560:
        np.testing.assert_array_equal(naive.quantile_cuts(column, [weight] * n_rows), expected)


@pytest.mark.parametrize("weight", [0.7, 1 / 3, 1.4])
def test_twice_the_weight_cuts_like_the_rows_twice(weight):
    column = np.random.default_rng(0).permutation(2560).astype(np.float64)
    times = np.where(column % 2 == 0, 2, 1)
    expected = quantile_cuts(np.repeat(column, times), np.full(times.sum(), weight))
    np.testing.assert_array_equal(quantile_cuts(column, weight * times), expected)
    np.testing.assert_array_equal(naive.quantile_cuts(column, weight * times), expected)


def test_quantile_cuts_of_a_fit_with_equal_weights():
    X, s = np.random.default_rng(0).permutation(2560).astype(np.float64)[:, None], np.arange(2560)
    options = {"thresholds": "quantile", "n_thresholds": None, "n_estimators": 1}
    _, expected = offered(X, s < 500, **options)
    for weight in (0.7, 1 / 3, 1.4):
        _, found = offered(X, s < 500, np.full(2560, weight), **options)
        np.testing.assert_array_equal(found, expected)


@given(data=st.data(), dtype=st.sampled_from(DTYPES), weighted=st.booleans())
def test_cuts_of_drawn_columns(data, dtype, weighted):
    width = np.dtype(dtype).itemsize * 8
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=width) | st.integers(-2, 2)
    column = np.array(data.draw(st.lists(numbers, min_size=1, max_size=20)), dtype=dtype)
    weight = np.ones(len(column))
    if weighted:
        weights = st.sampled_from([0.25, 0.5, 1.0, 2.0])
        weight = np.array(data.draw(st.lists(weights, min_size=len(column), max_size=len(column))))
    cuts = quantile_cuts(column, weight)
    assert cuts.dtype == dtype
    if len(np.unique(column)) == 1:
        assert cuts.size == 0
        return
    np.testing.assert_array_equal(cuts, naive.quantile_cuts(column, weight))
    # between any two neighbours lies exactly one cut
    values = np.unique(column)
    np.testing.assert_array_equal(np.searchsorted(cuts, values), np.arange(len(values)))
