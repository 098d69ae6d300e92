"""The fitted stumps as step functions, stage by stage, and as importances."""

import naive
import numpy as np
import pytest
from helpers import stumps_of
from hypothesis import given
from hypothesis import strategies as st

from adapu._model import (
    decision_values,
    feature_importances,
    staged_decision_values,
)


def as_naive(stumps):
    return [naive.Stump(*stump.tolist()) for stump in stumps]


GRID = st.integers(-3, 3).map(float)
STUMPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        GRID | st.just(np.inf),
        st.sampled_from([-1, 0, 1]),
        st.integers(0, 2**44),
    ),
    max_size=30,
).map(stumps_of)


@given(stumps=STUMPS, rows=st.lists(st.tuples(GRID, GRID, GRID), min_size=1, max_size=12))
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_scores_are_exact_in_every_order(stumps, rows, dtype):
    """Feature by feature, round by round, and as the oracle adds them up: the same bits."""
    X = np.array(rows, dtype=dtype)
    expected = naive.decision_function(as_naive(stumps), X)
    np.testing.assert_array_equal(decision_values(X, stumps, 1), expected)
    np.testing.assert_array_equal(decision_values(np.asfortranarray(X), stumps, 2), expected)
    stages = list(staged_decision_values(X, stumps))
    assert len(stages) == len(stumps)
    for t, stage in enumerate(stages):
        np.testing.assert_array_equal(stage, naive.decision_function(as_naive(stumps[: t + 1]), X))
    np.testing.assert_array_equal(decision_values(X, stumps[::-1], 1), expected)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 4095, 20_000])
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_any_number_of_rows_and_threads(n_rows, n_threads):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(n_rows, 3)).astype(np.float64)
    stumps = stumps_of(
        [(f, v, p, u) for f, v, p, u in zip(
            rng.integers(0, 3, 40), rng.integers(-4, 4, 40), rng.choice([-1, 1], 40),
            rng.integers(0, 2**42, 40), strict=True,
        )]
    )  # fmt: skip
    expected = list(staged_decision_values(X, stumps))[-1]
    np.testing.assert_array_equal(decision_values(X, stumps, n_threads), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("n_stumps", [1, 2, 3, 31, 32, 33, 34, 63, 64, 65, 100, 257])
def test_few_and_many_thresholds_of_a_feature(n_stumps, dtype):
    """Values on, below, between and above the thresholds, some of which coincide."""
    rng = np.random.default_rng(n_stumps)
    for spread in (3 * n_stumps, max(1, n_stumps // 2)):
        thresholds = rng.integers(0, spread, n_stumps)
        signs, units = rng.choice([-1, 1], n_stumps), rng.integers(1, 2**42, n_stumps)
        stumps = stumps_of(list(zip(0 * signs, thresholds, signs, units, strict=True)))
        values = np.concatenate([thresholds, thresholds - 1, thresholds + 1, [-9, spread + 9]])
        X = np.column_stack([values, values]).astype(dtype)
        expected = naive.decision_function(as_naive(stumps), X)
        np.testing.assert_array_equal(decision_values(X, stumps, 1), expected)


def test_no_stump_at_all():
    X = np.ones((3, 2))
    none = stumps_of([])
    np.testing.assert_array_equal(decision_values(X, none, 1), np.zeros(3))
    assert list(staged_decision_values(X, none)) == []
    np.testing.assert_array_equal(feature_importances(none, 2), np.zeros(2))
    empty = stumps_of([(-1, np.nan, 0, 0)] * 2)
    np.testing.assert_array_equal(decision_values(X, empty, 1), np.zeros(3))
    np.testing.assert_array_equal(list(staged_decision_values(X, empty)), np.zeros((2, 3)))
    np.testing.assert_array_equal(feature_importances(empty, 2), np.zeros(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_beside_a_threshold(dtype):
    """The float below and the threshold itself go left, the float above goes right."""
    for threshold in (dtype(0.1), dtype(-3.7), dtype(1e-30), dtype(0)):
        X = np.array(
            [np.nextafter(threshold, dtype(-np.inf)), threshold, np.nextafter(threshold, dtype(9))]
        )[:, None]
        stumps = stumps_of([(0, float(threshold), 1, 2**40)])
        np.testing.assert_array_equal(decision_values(X, stumps, 1), [-1, -1, 1])
        np.testing.assert_array_equal(next(staged_decision_values(X, stumps)), [-1, -1, 1])


def test_importances():
    stumps = stumps_of([(2, 0.0, 1, 9), (0, 0.0, -1, 9), (-1, np.nan, 0, 0), (2, 1.0, 1, 9)])
    stumps["alpha"] = [3, 1, 0, 4]
    np.testing.assert_allclose(feature_importances(stumps, 4), [1 / 8, 0, 7 / 8, 0])
