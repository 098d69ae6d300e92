"""Each way to the prior: against plain loops, and against samples whose answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from adapu.prior._bbe import bbe_share
from adapu.prior._convex import binned_survival, convex_share
from adapu.prior._crossfit import coarse, telling_features
from adapu.prior._dedpul import dedpul_share, density_ratio
from adapu.prior._elkan_noto import elkan_noto_share
from adapu.prior._interval import interval_of
from adapu.prior._places import place_scores, resample
from adapu.prior._tice import delta_of, lower_bound, tice


def placed(p, u, weight=None):
    """Scores of P and U at their places."""
    scores = np.concatenate([p, u]).astype(float)
    labeled = np.arange(len(scores)) < len(p)
    return place_scores(scores, labeled, np.ones(len(scores)) if weight is None else weight)


def mixed(seed, share, n_positive=500, n_unlabeled=4000, shift=4.0):
    """Scores of P, and of U with a share of positives: normal, `shift` deviations apart."""
    rng = np.random.default_rng(seed)
    n_hidden = round(share * n_unlabeled)
    u = rng.normal(size=n_unlabeled)
    u[:n_hidden] += shift
    return rng.normal(size=n_positive) + shift, u


@st.composite
def scores(draw):
    """A few scores of P and of U, many of them tied."""
    few = st.lists(st.integers(-5, 5), min_size=1, max_size=25)
    return np.array(draw(few)), np.array(draw(few))


# ---------------------------------------------------------------- places


@given(sample=scores())
def test_places_count_the_rows(sample):
    p, u = sample
    places = placed(p, u).places
    for value, n_p, n_u in zip(places.values, places.positive[0], places.unlabeled[0], strict=True):
        assert n_p == pytest.approx((p == value).sum())
        assert n_u == pytest.approx((u == value).sum())


def test_many_places_are_merged_in_order():
    rng = np.random.default_rng(0)
    p, u = rng.normal(size=3000) + 1, rng.normal(size=9000)
    sample = placed(p, u)
    values = sample.places.values
    assert len(values) <= 2000
    assert (np.diff(values) > 0).all()
    order = np.argsort(np.concatenate([p, u]))
    assert (np.diff(sample.place[order]) >= 0).all()
    assert sample.places.positive.sum() == pytest.approx(3000)


def test_weights_add_up_to_the_effective_number_of_rows():
    weight = np.array([1.0, 3.0, 2.0, 2.0, 2.0])
    places = placed([1, 2], [0, 1, 2], weight).places
    assert places.positive.sum() == pytest.approx(16 / 10)
    assert places.unlabeled.sum() == pytest.approx(3)


def test_resampling_keeps_expectation_and_spread():
    sample = placed([1, 1, 2, 3], [0, 0, 1, 2, 2, 3])
    drawn = resample(sample, 4000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.positive.mean(axis=0), sample.places.positive[0], atol=0.06)
    np.testing.assert_allclose(drawn.unlabeled.mean(axis=0), sample.places.unlabeled[0], atol=0.06)
    np.testing.assert_allclose(drawn.unlabeled.sum(axis=1), 6)
    np.testing.assert_allclose(drawn.unlabeled[:, 0].var(), 6 * 1 / 3 * 2 / 3, rtol=0.1)


# ---------------------------------------------------------------- convex


@given(sample=scores())
def test_survival_as_in_plain_loops(sample):
    p, u = sample
    counts = np.zeros(40)
    for score in u:
        low = (p > score).sum() / (len(p) + 1)
        high = ((p >= score).sum() + 1) / (len(p) + 1)
        for k in range(40):
            overlap = min(high, (k + 1) / 40) - max(low, k / 40)
            counts[k] += max(overlap, 0) / (high - low)
    np.testing.assert_allclose(binned_survival(placed(p, u).places)[0], counts, atol=1e-9)


def test_survival_of_positives_is_uniform():
    rng = np.random.default_rng(1)
    counts = binned_survival(placed(rng.normal(size=4000), rng.normal(size=40_000)).places)[0]
    # of P's 4000 rows a bin holds 100 ± 10
    np.testing.assert_allclose(counts, 1000, atol=400)
    np.testing.assert_allclose(np.cumsum(counts), 1000 * np.arange(1, 41), atol=1500)


def test_survival_hardly_depends_on_merging():
    p, u = mixed(2, 0.4, 3000, 6000)
    merged = binned_survival(placed(p, u).places)[0]
    exact = np.histogram([(p > score).mean() for score in u], bins=40, range=(0, 1))[0]
    np.testing.assert_allclose(np.cumsum(merged), np.cumsum(exact), atol=30)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.95])
@pytest.mark.parametrize("shift", [2.5, 4.0])
def test_convex_finds_the_share(share, shift):
    errors = [
        convex_share(placed(*mixed(seed, share, shift=shift)).places)[0][0] - share
        for seed in range(5)
    ]
    # P's own noise makes the curve's start a little low: 500 rows, 50 of them in its first tenth
    assert abs(np.mean(errors)) < 0.03 + 0.04 * share


def test_convex_where_U_has_no_positives():
    share, _ = convex_share(placed(np.arange(5000.0), -1 - np.arange(5000.0)).places)
    assert share[0] == pytest.approx(0, abs=1e-6)


def test_convex_curve_is_the_most_likely():
    """Another search, over second differences that must not be negative, does no better."""
    places = placed(*mixed(3, 0.3, 200, 600, shift=2.0)).places
    counts = binned_survival(places)[0]
    share, diagnostics = convex_share(places)
    assert diagnostics["density_at_top"][0] == pytest.approx(share[0], abs=0.02)
    bounds = np.linspace(0, 1, 41)
    triangles = np.diff(
        np.clip((bounds[:, None] - bounds[:-1]) / (1 - bounds[:-1]), 0, 1) ** 2, axis=0
    )
    components = np.hstack([np.full((40, 1), 1 / 40), triangles])

    def loss(logits):
        weights = np.exp(logits - logits.max())
        return -counts @ np.log(components @ (weights / weights.sum()))

    best = minimize(
        loss, np.zeros(41), method="L-BFGS-B", options={"maxfun": 10**6, "maxiter": 10**4}
    )
    weights = np.exp(best.x) / np.exp(best.x).sum()
    assert share[0] == pytest.approx(weights[0], abs=0.01)


# ---------------------------------------------------------------- BBE


@given(sample=scores())
def test_bbe_as_in_plain_loops(sample):
    p, u = sample
    slack = np.sqrt(np.log(40) / 2) * (len(p) ** -0.5 + len(u) ** -0.5)
    best = (np.inf, None)
    for cut in sorted({*p.tolist(), *u.tolist()}):
        q_p, q_u = (p >= cut).mean(), (u >= cut).mean()
        if q_p > 0:
            best = min(best, (q_u / q_p + 1.01 * slack / q_p, q_u / q_p), key=lambda pair: pair[0])
    share, diagnostics = bbe_share(placed(p, u).places)
    assert share[0] == pytest.approx(best[1])
    assert diagnostics["upper_bound"][0] == pytest.approx(min(best[0], 1))


def test_bbe_finds_the_share():
    assert bbe_share(placed(*mixed(4, 0.3, shift=5.0)).places)[0][0] == pytest.approx(0.3, abs=0.03)


# ---------------------------------------------------------------- DEDPUL


def test_density_ratio_rises_and_is_near_the_true_one():
    p, u = mixed(5, 0.4, 5000, 5000)
    places = placed(p, u).places
    ratio = density_ratio(places.values, places.positive[0], places.unlabeled[0])
    assert (np.diff(ratio) >= 0).all()
    assert ratio[: len(ratio) // 4].max() < 0.05
    assert np.median(ratio[-len(ratio) // 5 :]) == pytest.approx(1 / 0.4, rel=0.2)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_dedpul_finds_the_share(share):
    found, diagnostics = dedpul_share(placed(*mixed(6, share)).places)
    assert found[0] == pytest.approx(share, abs=0.04)
    chosen = "fixed_point" if diagnostics["converged"][0] else "bend"
    assert found[0] == diagnostics[chosen][0]


def test_dedpul_of_equal_scores():
    """Where P and U look alike, U may well be all positive."""
    rng = np.random.default_rng(7)
    found, _ = dedpul_share(placed(rng.normal(size=1000), rng.normal(size=1000)).places)
    assert found[0] > 0.7


# ---------------------------------------------------------------- Elkan and Noto


def test_elkan_noto_of_separate_classes():
    """P(s = 1 | x) is c on the one side and 0 on the other."""
    p = np.full(200, 1.0)
    u = np.repeat([1.0, 0.0], [300, 500])
    share, diagnostics = elkan_noto_share(placed(p, u).places)
    assert diagnostics["labeled_share_of_positives"][0] == pytest.approx(0.4, abs=1e-3)
    assert share[0] == pytest.approx(300 / 800, abs=2e-3)


def test_elkan_noto_does_not_depend_on_the_scale_of_scores():
    p, u = mixed(8, 0.3)
    one, other = (elkan_noto_share(placed(a * p + 3, a * u + 3).places)[0] for a in (1, 1000))
    np.testing.assert_allclose(one, other, rtol=1e-6)


# ---------------------------------------------------------------- TIcE


def test_lower_bound_by_hand():
    assert lower_bound(40, 100, 0.2, 0.5) == pytest.approx(0.4 - (0.25 * 0.8 / 20) ** 0.5)
    assert delta_of(0) == 1
    assert delta_of(1e6) == 0.025


def test_tice_finds_the_pure_part():
    rng = np.random.default_rng(9)
    X = rng.uniform(size=(8000, 3))
    positive = (X[:, 0] > 0.5) & (X[:, 1] > 0.25)
    labeled = positive & (rng.random(8000) < 0.4)
    c, best = tice(X, labeled, rng.integers(5, size=8000), np.ones(8000))
    assert 0.3 < c <= 0.41
    for part in best:
        assert part.labeled / part.rows == pytest.approx(0.4, abs=0.12)


def test_tice_splits_flags():
    """A rare flag stands alone, though all its quartiles are 0."""
    rng = np.random.default_rng(10)
    flag = rng.random(6000) < 0.2
    labeled = flag & (rng.random(6000) < 0.5)
    X = np.column_stack([flag, rng.random(6000) < 0.9]).astype(float)
    c, _ = tice(X, labeled, rng.integers(5, size=6000), np.ones(6000))
    assert 0.4 < c <= 0.52


# ---------------------------------------------------------------- the rest


def test_coarse_keeps_order_and_missing_values():
    rng = np.random.default_rng(11)
    X = np.column_stack([rng.normal(size=1000), rng.integers(3, size=1000), np.full(1000, np.nan)])
    X[::7, 0] = np.nan
    steps = coarse(X)
    assert (np.isnan(steps) == np.isnan(X)).all()
    known = ~np.isnan(X[:, 0])
    order = np.argsort(X[known, 0])
    assert (np.diff(steps[known, 0][order]) >= 0).all()
    assert len(np.unique(steps[known, 0])) == 64
    assert len(np.unique(steps[:, 1])) == 3


def test_the_most_telling_features_are_taken():
    rng = np.random.default_rng(12)
    labeled = np.arange(300) < 60
    X = rng.normal(size=(300, 500))
    X[:60, 100:210] += 2
    X[rng.random(X.shape) < 0.1] = np.nan
    features = telling_features(X, labeled)
    assert len(features) == 128
    assert (np.diff(features) > 0).all()
    assert set(range(100, 210)) <= set(features.tolist())


def test_interval_by_hand():
    shares = np.concatenate([[0.5], np.linspace(0.4, 0.6, 101)])
    assert interval_of(shares, 0.9) == pytest.approx((0.5, 0.5 - 1.5 * 0.09, 0.59))
    # where resampling only lowers the estimate, the truth may be as far above
    shares[1:] -= 0.15
    assert interval_of(shares, 0.9) == pytest.approx((0.5, 0.5 - 1.5 * 0.24, 0.74))
    assert interval_of(np.array([0.9, 0.1, 0.2]), 0.8)[1:] == (0.0, 1.0)
