"""Data for the tests, and the comparisons of a fitted model with the oracle."""

import math
from contextlib import contextmanager
from unittest import mock

import naive
import numpy as np
from hypothesis import strategies as st

from adapu import _classifier
from adapu._model import STUMP_DTYPE


def pu_data(seed, n_positive=12, n_unlabeled=48, n_features=3, shift=1.0, dtype=np.float64):
    """Overlapping normal classes: X with the labeled positives first, and s (1 labeled, 0 not)."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_unlabeled) < 0.4
    P = rng.normal(size=(n_positive, n_features)) + shift
    U = rng.normal(size=(n_unlabeled, n_features)) + shift * hidden[:, None]
    X = np.vstack([P, U]).astype(dtype)
    return X, np.repeat([1, 0], [n_positive, n_unlabeled])


def dyadic_weights(seed, n_rows):
    """Sample weights whose sums are exact in any order; some are 0."""
    return np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 1.0, 2.0, 3.0], size=n_rows)


def stumps_of(rows):
    """Records of (feature, threshold, polarity, step in units of 2^-40)."""
    stumps = np.zeros(len(rows), STUMP_DTYPE)
    for stump, (feature, threshold, polarity, units) in zip(stumps, rows, strict=True):
        stump["feature"], stump["threshold"], stump["polarity"] = feature, threshold, polarity
        stump["step"] = units * naive.STEP_UNIT if polarity else 0.0
        stump["alpha"] = 2 * stump["step"]
    return stumps


def valid(candidates):
    """Which of the points are candidates, (n_features, K)."""
    return np.arange(candidates.points.shape[1]) < candidates.n_valid[:, None]


def all_thresholds(candidates):
    """(n_features, K) thresholds in float64, NaN where there is no candidate."""
    thresholds = np.full(candidates.points.shape, np.nan)
    features, ks = np.nonzero(valid(candidates))
    thresholds[features, ks] = candidates.thresholds(features, ks)
    return thresholds


class Offered(list):
    """The thresholds of every round, (n_features, K) each, and whether they never change."""

    fixed = None


@contextmanager
def recorded_thresholds():
    """What a fit in the block is offered."""
    original, offered = _classifier.make_thresholds, Offered()

    class Recorder:
        def __init__(self, strategy):
            self.strategy, self.fixed = strategy, strategy.fixed
            offered.fixed = strategy.fixed

        def draw(self, t):
            assert t == len(offered)
            candidates = self.strategy.draw(t)
            offered.append(all_thresholds(candidates))
            return candidates

        @property
        def encoding(self):
            return self.strategy.encoding

    def make_thresholds(*arguments):
        return Recorder(original(*arguments))

    with mock.patch.object(_classifier, "make_thresholds", make_thresholds):
        yield offered


def assert_same_fit(model, expected, threshold_atol=0.0):
    """The fitted estimator has the oracle's stumps, alpha, history and reason to stop."""
    assert model.stop_reason_ == expected.stop_reason
    assert model.n_iter_ == len(model.stumps_) == len(model.history_) == len(expected.stumps)
    stumps = np.array(
        [tuple(stump) for stump in expected.stumps],
        dtype=[(name, "f8") for name in naive.Stump._fields],
    )
    np.testing.assert_array_equal(model.stumps_["feature"], stumps["feature"])
    np.testing.assert_array_equal(model.stumps_["polarity"], stumps["polarity"])
    np.testing.assert_allclose(
        model.stumps_["threshold"], stumps["threshold"], rtol=0, atol=threshold_atol
    )
    for name in ("alpha", "error", "step"):
        np.testing.assert_allclose(
            model.stumps_[name], stumps[name], rtol=1e-9, atol=1e-9, err_msg=name
        )
    assert_same_history(model.history_, expected.history)


def assert_same_history(history, expected):
    scale = np.exp(history["log_scale"])
    for name in naive.Round._fields:
        found = history[name] * scale if name in ("Z", "E") else history[name]
        wanted = [getattr(one, name) for one in expected]
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=name)


# ---------------------------------------------------------------- drawn data

SCALES = {np.float32: [1.0, 1e-30, 1e30, 1e-42], np.float64: [1.0, 1e-200, 1e200, 1e-310]}


@st.composite
def problems(draw):
    """Few rows with ties, constants, duplicates, one positive or one unlabeled, any scale."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    n_positive, n_unlabeled = draw(st.integers(1, 6)), draw(st.integers(1, 10))
    n_rows = n_positive + n_unlabeled
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["grid", "constant", "continuous", "neighbours", "copy"]))
        if kind == "copy" and columns:
            columns.append(columns[0])
            continue
        column = {
            "grid": rng.integers(-2, 3, size=n_rows),
            "constant": np.ones(n_rows),
            "continuous": rng.normal(size=n_rows),
            "neighbours": 1 + np.finfo(dtype).eps * rng.integers(0, 3, size=n_rows),
            "copy": rng.integers(0, 2, size=n_rows),
        }[kind]
        scale = draw(st.sampled_from(SCALES[dtype]))
        columns.append((column * scale).astype(dtype))
    X = np.column_stack(columns)
    if draw(st.booleans()):
        X = X[rng.integers(0, n_rows, size=n_rows)]  # the same row more than once
    if (X == X[0]).all():
        X[0, 0] = -X[0, 0] if X[0, 0] else 1
    s = rng.permutation(np.repeat([1, 0], [n_positive, n_unlabeled]))
    weight = None
    if draw(st.booleans()):
        weight = rng.choice([0.5, 1.0, 2.0, 1e-3, 1e3], size=n_rows)
    return X, s, weight


def feasible(prior, s, weight, scenario):
    """The prior, or in a single set at least the share of its labeled rows."""
    if scenario == "case-control":
        return prior
    return max(prior, min(0.999, float(np.average(s == 1, weights=weight))))


# ---------------------------------------------------------------- one round at a time


def assert_choices(model, X, s, thresholds, *, sample_weight=None):
    """Every stump is what the oracle may choose of each round's thresholds, given those before.

    The oracle's own weights follow from the model's stumps alone. Two sums of the same numbers in
    another order differ by `slack`, so a candidate within it of a bound may be admitted or refused
    and one within it of a tie may tie or not; beyond it the choice is forced.
    """
    per_group = model.normalization == "per-group"
    assert thresholds.fixed or model.thresholds != "even"
    assert thresholds.fixed or model.n_thresholds is not None
    X_p, v_p, X_u, v_u = naive.groups(X, s, model.scenario, sample_weight)
    w_plus, w_minus, w_u = naive.initial_weights(v_p, v_u, model.prior)
    for t in range(model.n_iter_ + 1):
        absolute = sum(naive.total_absolute(w) for w in (w_plus, w_minus, w_u))
        Z = naive.total(w_plus) + naive.total(w_minus) + naive.total(w_u)
        noise = 1e-13 * absolute
        stopped = t == model.n_iter_
        if stopped and model.stop_reason_ == "n_estimators reached":
            assert t == model.n_estimators
            return
        if stopped and model.stop_reason_ == "total weight not positive":
            assert noise >= Z
            assert per_group
            return
        slack = 1e-13 if per_group else noise / max(Z, 1e-300)
        if not per_group and naive.TOLERANCE * absolute + noise >= Z:
            slack = np.inf  # what is left of the weights is no more than their rounding
        E, error, nn_error = naive.candidates(
            X_p, X_u, w_plus, w_minus, w_u, thresholds[t], model.prior, per_group or slack == np.inf
        )
        surely = admissible(error, nn_error, slack)
        maybe = admissible(error, nn_error, -slack)
        if stopped:
            assert model.stop_reason_ == "no admissible stump"
            assert thresholds.fixed
            assert not surely.any()
            return
        stump, row = model.stumps_[t], model.history_[t]
        scale = math.exp(row["log_scale"])
        assert abs(row["Z"] * scale - Z) <= (noise if slack < np.inf else 20 * noise)
        if stump["polarity"] == 0:
            assert not surely.any()
            assert not thresholds.fixed
            assert_empty(stump, row)
            continue
        assert per_group or 0 <= stump["error"] < 0.5
        place = place_of(stump, thresholds[t])
        assert maybe[place]
        assert abs(row["E"] * scale - E[place]) <= noise
        assert abs(stump["error"] - max(error[place], 0.0)) <= slack
        assert abs(row["nn_error"] - max(nn_error[place], 0.0)) <= slack
        assert abs(stump["alpha"] - naive.alpha_of(stump["error"])) <= 1e-10
        assert stump["step"] == naive.step_of(stump["alpha"], model.learning_rate)
        tie = naive.TOLERANCE * absolute
        if surely.any():
            assert E[place] <= E[surely].min() + tie + noise
        earlier = np.arange(E.size).reshape(E.shape) < np.ravel_multi_index(place, E.shape)
        assert not (earlier & surely & (E[maybe].min() + tie - noise > E)).any()
        f, v, polarity, step = (
            stump["feature"], stump["threshold"], stump["polarity"], stump["step"]
        )  # fmt: skip
        w_plus = naive.updated(w_plus, +1, X_p[:, f], v, polarity, step)
        w_minus = naive.updated(w_minus, -1, X_p[:, f], v, polarity, step)
        w_u = naive.updated(w_u, -1, X_u[:, f], v, polarity, step)


def admissible(error, nn_error, slack):
    """Admissible even where `slack` were taken from the candidate (NaN: no candidate)."""
    low, high = -naive.TOLERANCE + slack, 0.5 - naive.TOLERANCE - slack
    return (error >= low) & (error < high) & (nn_error >= low)


def place_of(stump, thresholds):
    """(feature, k, side) of a stump among this round's candidates."""
    k = np.flatnonzero(thresholds[stump["feature"]] == stump["threshold"])
    assert len(k) > 0, f"{stump} is none of the candidates"
    return int(stump["feature"]), int(k[0]), (int(stump["polarity"]) + 1) // 2


def assert_empty(stump, row):
    assert stump["feature"] == -1
    assert stump["polarity"] == 0
    assert stump["alpha"] == stump["step"] == 0
    for value in (stump["threshold"], stump["error"], row["error"], row["nn_error"]):
        assert np.isnan(value)
    assert row["E"] == row["Z"] / 2  # it abstains
