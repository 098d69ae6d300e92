"""The sums over rows: the compiled kernels against plain loops."""

import math

import naive
import numpy as np
import pytest
from helpers import all_thresholds, problems, stumps_of, valid
from hypothesis import given
from hypothesis import strategies as st

from adapu._codes import Cuts
from adapu._thresholds import make_thresholds
from adapu.backends.cpu import CpuBackend

SCENARIOS = ["case-control", "single-set"]
STRATEGIES = ["random", "even", "quantile"]


def backend_of(X, s, weight=None, *, scenario="case-control", n_threads=1):
    """Rows that are not encoded yet."""
    s = np.asarray(s)
    return CpuBackend(
        X,
        np.flatnonzero(s == 1),
        np.flatnonzero(s == 0),
        sample_weight=weight,
        single_set=scenario == "single-set",
        n_threads=n_threads,
    )


def encode(backend, strategy="random", n_thresholds=6):
    """Encode the rows for a strategy, and return the candidates of its first round."""
    thresholds = make_thresholds(strategy, backend, n_thresholds, seed=0)
    backend.encode(thresholds.encoding)
    return thresholds.draw(0)


def moving(candidates, n_rounds, seed=0):
    """Stumps on the candidates' thresholds, some rounds empty."""
    rng = np.random.default_rng(seed)
    thresholds = all_thresholds(candidates)
    rows = []
    for _ in range(n_rounds):
        f = rng.integers(len(thresholds))
        v = rng.choice(thresholds[f][~np.isnan(thresholds[f])])
        rows.append((f, v, rng.choice([-1, 0, 1], p=[0.4, 0.2, 0.4]), rng.integers(0, 2**40)))
    return stumps_of(rows)


def groups_by_hand(X, s, weight, stumps, scenario):
    """Rows, and sample weight times e^(-H), e^H, e^H of P, P, U, as shares of the mass."""
    X_p, v_p, X_u, v_u = naive.groups(X, s, scenario, weight)
    known = [naive.Stump(*stump.tolist()) for stump in stumps]
    H_p, H_u = naive.decision_function(known, X_p), naive.decision_function(known, X_u)
    shares = [v_p * np.exp(-H_p), v_p * np.exp(H_p), v_u * np.exp(H_u)]
    masses = [math.fsum(v_p), math.fsum(v_p), math.fsum(v_u)]
    shares = [share / mass for share, mass in zip(shares, masses, strict=True)]
    positive = naive.share_positive(H_p, v_p), naive.share_positive(H_u, v_u)
    return (X_p, X_p, X_u), shares, positive


def above_by_hand(rows, shares, thresholds):
    """(3, n_features, K): the weight of each group's rows with x > threshold."""
    result = np.zeros((3, *thresholds.shape))
    for g in range(3):
        for f, k in np.ndindex(*thresholds.shape):
            inside = [share for x, share in zip(rows[g], shares[g], strict=True)
                      if x[f] > thresholds[f, k]]  # fmt: skip
            result[g, f, k] = math.fsum(inside)
    return result


def check_sums(backend, candidates, X, s, weight, stumps, scenario):
    """Totals, quick sums within their slack, and exact sums, against plain loops."""
    rows, shares, positive = groups_by_hand(X, s, weight, stumps, scenario)
    totals = backend.totals()
    scale = np.exp(totals.log_scale)
    expected_totals = [math.fsum(share) for share in shares]
    np.testing.assert_allclose(totals.weight * scale, expected_totals, rtol=1e-12)
    np.testing.assert_allclose(totals.called_positive, positive, rtol=1e-12, atol=1e-15)
    above = above_by_hand(rows, shares, all_thresholds(candidates))
    expected = above / np.reshape(expected_totals, (3, 1, 1))
    exists = valid(candidates)
    features, ks = np.nonzero(exists)
    exact = backend.exact_sums(candidates, features, ks)
    assert exact.above.dtype == np.int64
    np.testing.assert_array_equal(exact.slack, 0)
    np.testing.assert_allclose(exact.shares(), expected[:, exists], rtol=0, atol=1e-13)
    quick = backend.sums(candidates)
    off = np.abs(quick.shares()[:, exists] - exact.shares())
    assert (off <= quick.slack[:, None] + 1e-15).all()
    assert (quick.slack <= 1e-3).all()


# ---------------------------------------------------------------- drawn data


@given(
    problem=problems(),
    scenario=st.sampled_from(SCENARIOS),
    strategy=st.sampled_from(STRATEGIES),
    n_rounds=st.integers(0, 5),
)
def test_sums_of_drawn_rows(problem, scenario, strategy, n_rounds):
    X, s, weight = problem
    with backend_of(X, s, weight, scenario=scenario) as backend:
        candidates = encode(backend, strategy)
        stumps = moving(candidates, n_rounds)
        backend.advance(stumps)
        check_sums(backend, candidates, X, s, weight, stumps, scenario)


@given(problem=problems())
def test_description_of_drawn_rows(problem):
    X, s, weight = problem
    with backend_of(X, s, weight) as backend:
        ranges, cuts = backend.ranges(), backend.quantile_cuts()
    assert ranges.dtype == cuts.dtype == X.dtype
    np.testing.assert_array_equal(ranges.low, X.min(axis=0))
    np.testing.assert_array_equal(ranges.high, X.max(axis=0))
    n_distinct = [len({float(x) for x in column}) for column in X.T]
    np.testing.assert_array_equal(ranges.n_distinct, n_distinct)
    for f, column in enumerate(X.T):
        expected = [cut for cut in naive.quantile_cuts(column, weight) if math.isfinite(cut)]
        np.testing.assert_array_equal(cuts[f, : len(expected)], expected)
        assert np.isnan(cuts[f, len(expected) :]).all()


# ---------------------------------------------------------------- sizes around those of a block


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_rows", [2, 63, 64, 65, 127, 2047, 2048, 2049, 4097, 9000])
def test_block_boundaries(n_rows, strategy):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows + 3, 2)).astype(np.float32)
    s = np.arange(len(X)) < 3
    weight = rng.uniform(0.5, 2, size=len(X))
    for labels in (s.astype(int), 1 - s):  # many unlabeled rows, then many labeled ones
        with backend_of(X, labels, weight) as backend:
            candidates = encode(backend, strategy, 3)
            stumps = moving(candidates, 4)
            backend.advance(stumps)
            check_sums(backend, candidates, X, labels, weight, stumps, "case-control")


@pytest.mark.parametrize("n_thresholds", [1, 4, 5, 6, 39, 40, 41, 200, 255, 256, 700])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_any_number_of_cuts(n_thresholds, strategy):
    """From some number on the sums come from a histogram of the codes."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=600), rng.integers(0, 5, 600), np.ones(600)])
    s = (np.arange(600) < 100).astype(int)
    with backend_of(X, s) as backend:
        candidates = encode(backend, strategy, n_thresholds)
        stumps = moving(candidates, 3)
        backend.advance(stumps)
        check_sums(backend, candidates, X, s, None, stumps, "case-control")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_weights_of_many_sizes(strategy):
    """Margins from -30 to 30: the heavy rows decide, the light ones vanish without harm."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    s = (np.arange(300) < 80).astype(int)
    weight = np.exp(rng.normal(size=300, scale=5))
    with backend_of(X, s, weight) as backend:
        candidates = encode(backend, strategy)
        stumps = moving(candidates, 40)
        stumps["step"] *= 8
        backend.advance(stumps)
        check_sums(backend, candidates, X, s, weight, stumps, "case-control")


def test_totals_beyond_the_range_of_exp():
    X, s = np.array([[0.0], [1.0], [0.0], [1.0]]), [1, 1, 0, 0]
    with backend_of(X, s) as backend:
        encode(backend)
        backend.advance(stumps_of([(0, 0.5, 1, 1000 * 2**40)]))
        totals = backend.totals()
    np.testing.assert_array_equal(totals.log_scale, [1000, 1000, 1000])
    np.testing.assert_allclose(totals.weight, [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(totals.called_positive, [0.5, 0.5])


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("polarity", [-1, 1])
@pytest.mark.parametrize("far", [np.arange(300) < 12, np.arange(300) >= 288], ids=["first", "last"])
def test_rows_that_weigh_nothing_do_not_set_the_scale(far, polarity, scenario):
    """Rows held out, or of weight 0, 4000 beyond the others, which beside e^4000 would vanish."""
    rng = np.random.default_rng(6)
    X, s = rng.normal(size=(300, 2)), (np.arange(300) % 3 == 0).astype(int)
    X[far, 0] = 1e6
    stumps = stumps_of([(0, 1e5, polarity, 2000 * 2**40), (1, 0.0, 1, 2**39)])
    weight = np.where(far, 0.0, 1.0)
    _, shares, _ = groups_by_hand(X, s, weight, stumps[1:], scenario)
    common = np.array([2000.0, -2000.0, -2000.0]) * polarity  # ln of what the first stump gives
    for held_out in (True, False):
        with backend_of(X, s, None if held_out else weight, scenario=scenario) as backend:
            backend.encode(Cuts(np.array([[1e5], [0.0]])))
            if held_out:
                backend = backend.holding_out(far[s == 1], far[s == 0])
            backend.advance(stumps)
            totals = backend.totals()
        found = totals.weight * np.exp(totals.log_scale - common)
        np.testing.assert_allclose(found, [math.fsum(share) for share in shares], rtol=1e-12)


# ---------------------------------------------------------------- order, threads, repeats


def everything(backend, candidates):
    features, ks = np.nonzero(valid(candidates))
    totals, sums = backend.totals(), backend.sums(candidates)
    exact = backend.exact_sums(candidates, features, ks)
    return [*totals, sums.above.copy(), sums.unit, sums.slack, *exact]


def assert_all_equal(a, b):
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_threads_and_memory_order_change_no_bit(strategy):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150_000, 3)).astype(np.float32)
    s = (np.arange(len(X)) < 3000).astype(int)
    weight = rng.uniform(0.5, 2, size=len(X))
    results = []
    for rows, n_threads in ((X, 1), (X, 2), (np.asfortranarray(X), 2), (X, 3), (X, 16)):
        with backend_of(rows, s, weight, n_threads=n_threads) as backend:
            candidates = encode(backend, strategy)
            backend.advance(moving(candidates, 5))
            results.append(everything(backend, candidates))
    for result in results[1:]:
        assert_all_equal(result, results[0])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_of_rows_changes_no_bit(strategy):
    """Sums are exact but for what the totals were scaled by, so small data agree to the bit."""
    rng = np.random.default_rng(3)
    X, s = rng.normal(size=(500, 3)), (np.arange(500) < 100).astype(int)
    results = []
    for order in (np.arange(500), rng.permutation(500)):
        with backend_of(X[order], s[order]) as backend:
            candidates = encode(backend, strategy)
            backend.advance(moving(candidates, 5))
            results.append(everything(backend, candidates))
    assert_all_equal(*results)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_advance_takes_no_step_twice_and_catches_up(strategy):
    rng = np.random.default_rng(4)
    X, s = rng.normal(size=(200, 3)), (np.arange(200) < 40).astype(int)

    def after(*counts):
        with backend_of(X, s) as backend:
            candidates = encode(backend, strategy)
            stumps = moving(candidates, 6)
            for count in counts:
                backend.advance(stumps[:count])
            return everything(backend, candidates)

    once = after(1, 2, 3, 4, 5, 6)
    assert_all_equal(after(6), once)
    assert_all_equal(after(2, 2, 2, 5, 6, 6), once)
    assert_all_equal(after(6, 3, 1, 6), once)
    assert not all(np.array_equal(a, b) for a, b in zip(after(5), once, strict=True))


def test_the_callers_rows_are_not_kept():
    X, s = np.random.default_rng(5).normal(size=(50, 2)), np.arange(50) % 2
    with backend_of(X, s) as backend:
        candidates = encode(backend)
        before = everything(backend, candidates)
        X[:] = 0
        assert_all_equal(everything(backend, candidates), before)


def test_a_threshold_of_infinity_is_below_no_value():
    X = np.column_stack([np.ones(20), np.arange(20.0)])
    s = (np.arange(20) < 5).astype(int)
    for strategy in STRATEGIES:
        with backend_of(X, s) as backend:
            candidates = encode(backend, strategy, 3)
            assert all_thresholds(candidates)[0, 0] == np.inf
            backend.totals()
            np.testing.assert_array_equal(backend.sums(candidates).above[:, 0, 0], 0)
            backend.advance(stumps_of([(0, np.inf, 1, 2**40)]))
            np.testing.assert_array_equal(backend.totals().called_positive, [0, 0])
            backend.advance(stumps_of([(0, np.inf, 1, 2**40), (0, np.inf, -1, 2**41)]))
            np.testing.assert_array_equal(backend.totals().called_positive, [1, 1])
