"""The oracle against numbers worked out by hand, and against its own compiled copy."""

import math

import naive
import numpy as np
import pytest
from helpers import pu_data


def test_weights_of_the_three_groups():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    _, v_p, _, v_u = naive.groups(X, [1, 0, 0, 0], sample_weight=[2.0, 1.0, 0.0, 3.0])
    w_plus, w_minus, w_u = naive.initial_weights(v_p, v_u, 0.3)
    assert (w_plus, w_minus) == ([0.3], [-0.3])
    np.testing.assert_array_equal(w_u, [0.25, 0.75])


def test_single_set_takes_every_row_as_unlabeled():
    X = np.array([[0.0], [1.0], [2.0]])
    X_p, _, X_u, v_u = naive.groups(X, [0, 1, 0], "single-set")
    assert X_p.ravel().tolist() == [1.0]
    assert X_u.ravel().tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_array_equal(v_u, [1, 1, 1])


# P at 0 and 2, U at 0, 1, 2, 3, prior 0.4: w+ = 0.2, w- = -0.2, w_u = 0.25; Z = 1.
# Positive at x > 1.5: m+ = 0.2, m- = -0.2, m_u = 0.5. Positive at x <= 1.5: the same by symmetry.
P, U = np.array([0.0, 2.0]), np.array([0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("threshold", "polarity", "m_plus", "m_minus", "m_u"),
    [
        (1.5, 1, 0.2, -0.2, 0.5),
        (1.5, -1, 0.2, -0.2, 0.5),
        (2.0, 1, 0.4, 0.0, 0.25),  # x = threshold lies on the left
        (2.0, -1, 0.0, -0.4, 0.75),
        (0.0, 1, 0.2, -0.2, 0.75),
        (math.inf, 1, 0.4, 0.0, 0.0),  # negative everywhere
        (math.inf, -1, 0.0, -0.4, 1.0),  # positive everywhere
    ],
)
def test_one_stump_by_hand(threshold, polarity, m_plus, m_minus, m_u):
    w_plus, w_minus, w_u = naive.initial_weights(np.ones(2), np.ones(4), 0.4)
    m = naive.misclassified(P, U, w_plus, w_minus, w_u, threshold, polarity)
    assert m == pytest.approx((m_plus, m_minus, m_u))
    over_all = naive.errors(*m, 0.4, -0.4, 1.0, 0.4, False)
    assert over_all == pytest.approx((m_plus + m_minus + m_u, m_u + m_minus))
    per_group = naive.errors(*m, 0.4, -0.4, 1.0, 0.4, True)
    assert per_group == pytest.approx((m_plus + m_u + m_minus, m_u + m_minus))


def test_normalisations_differ_once_the_weights_move():
    # e^H = 2 everywhere: W+ = 0.2, W- = -0.8, W_u = 2, so Z = 1.4
    m = (0.1, -0.4, 1.0)
    assert naive.errors(*m, 0.2, -0.8, 2.0, 0.4, False) == pytest.approx((0.7 / 1.4, 0.6 / 1.4))
    assert naive.errors(*m, 0.2, -0.8, 2.0, 0.4, True) == pytest.approx((0.2 + 0.3, 0.3))


@pytest.mark.parametrize(
    ("error", "nn_error", "expected"),
    [
        (0.2, 0.1, True),
        (0.0, 0.0, True),
        (-9e-13, -9e-13, True),
        (-2e-12, 0.1, False),
        (0.2, -2e-12, False),
        (0.5, 0.1, False),
        (0.5 - 1e-13, 0.1, False),
        (0.5 - 1e-11, 0.1, True),
    ],
)
def test_admissible(error, nn_error, expected):
    assert naive.is_admissible(error, nn_error) is expected


def test_alpha_has_a_floor_under_the_error():
    assert naive.alpha_of(0.1) == pytest.approx(0.5 * math.log(9))
    assert naive.alpha_of(0.0) == pytest.approx(0.5 * math.log(1e10))


def test_ties_go_to_the_lowest_feature_then_threshold_then_left_positive():
    E = np.full((2, 2, 2), 0.3)
    good = np.full((2, 2, 2), 0.2)
    assert naive.first_of_the_best(E, good, good, 1e-12) == (0, 0, 0)
    E[1, 1, 1] -= 5e-13
    assert naive.first_of_the_best(E, good, good, 1e-12) == (0, 0, 0)
    E[0, 0, 0] = 0.4
    assert naive.first_of_the_best(E, good, good, 1e-12) == (0, 0, 1)
    refused = good.copy()
    refused[0] = 0.6
    assert naive.first_of_the_best(E, refused, good, 1e-12) == (1, 0, 0)
    E[1, 1, 1] -= 1e-9
    assert naive.first_of_the_best(E, refused, good, 1e-12) == (1, 1, 1)


def test_weights_are_multiplied():
    w = naive.updated(np.array([1.0, 2.0]), -1, np.array([0.0, 1.0]), 0.5, 1, math.log(2))
    np.testing.assert_allclose(w, [0.5, 4.0])


def test_thresholds_by_hand():
    X = np.array([[0.0, 5.0], [4.0, 5.0], [2.0, 5.0], [2.0, 5.0]])
    assert naive.interval(X[:, 0]) == (-2.0, 6.0)
    np.testing.assert_array_equal(
        naive.even_thresholds(X, 5), [[-2.0, 0.0, 2.0, 4.0, 6.0], [np.inf] * 5]
    )
    np.testing.assert_array_equal(naive.even_thresholds(X, 1), [[2.0], [np.inf]])
    np.testing.assert_array_equal(naive.all_quantile_thresholds(X), [[1.0, 3.0], [np.inf, np.nan]])


def test_values_are_counted_up_to_1024():
    values = np.arange(3000.0)
    assert naive.interval(values) == pytest.approx((-2999 / 1023, 2999 + 2999 / 1023))


def test_quantile_cuts_of_many_values():
    cuts = naive.quantile_cuts(np.arange(2560.0))
    assert cuts == [10 * j - 0.5 for j in range(1, 256)]
    weight = np.where(np.arange(2560) < 1280, 3.0, 1.0)
    assert sum(cut < 1279 for cut in naive.quantile_cuts(np.arange(2560.0), weight)) == 191


def test_a_cut_lies_between_neighbours():
    a = np.float32(1.0)
    for _ in range(3):
        b = np.nextafter(a, np.float32(2))
        assert a <= naive.cut_between(a, b) < b
        a = b


def test_positive_rows_alone_in_their_half():
    # One positive at 1 and U at 0 and 1, prior 1/2: x > 0.5 is without error, so alpha is capped.
    X, s = np.array([[1.0], [0.0], [1.0]]), [1, 0, 0]
    fit = naive.fit(X, s, [[0.5]], prior=0.5, n_estimators=2, learning_rate=0.5)
    stump, row = fit.stumps[0], fit.history[0]
    assert stump[:3] == (0, 0.5, 1)
    assert stump.alpha == pytest.approx(0.5 * math.log(1e10))
    assert stump.step == pytest.approx(0.25 * math.log(1e10))
    assert (row.Z, row.E) == (1.0, 0.0)
    assert row[4:] == (0.0, 0.0, 1.0, 0.5)
    assert fit.history[1].Z == pytest.approx(math.exp(-stump.step))
    assert naive.decision_function(fit.stumps[:1], X).tolist() == [
        stump.step, -stump.step, stump.step
    ]  # fmt: skip


def test_adaboost_by_hand():
    # Four rows, one of them on the wrong side: e = 1/4, then e = 1/6 with the other polarity's cut.
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [-1, 1, -1, 1]
    fit = naive.adaboost(
        X, y, np.ones(4), np.array([[[0.5, 2.5]]] * 2), n_estimators=2, learning_rate=1.0
    )
    assert [(stump.threshold, stump.polarity) for stump in fit] == [(0.5, 1), (2.5, 1)]
    assert [stump.error for stump in fit] == pytest.approx([1 / 4, 1 / 6])


def test_compiled_copy_is_the_same(compiled_naive):
    X, s = pu_data(seed=1)
    thresholds = naive.random_thresholds(X, 10, 4, np.random.default_rng(1))
    for normalization in ("per-group", "over-all"):
        options = {
            "prior": 0.4,
            "n_estimators": 10,
            "learning_rate": 0.3,
            "normalization": normalization,
        }
        plain = naive.fit(X, s, thresholds, **options)
        compiled = compiled_naive.fit(X, s, thresholds, **options)
        assert [stump[:3] for stump in plain.stumps] == [stump[:3] for stump in compiled.stumps]
        np.testing.assert_allclose(plain.history, compiled.history, rtol=1e-12)
