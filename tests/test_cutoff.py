"""The cut on the margin: at zero, or where the share called positive is the prior."""

import naive
import numpy as np
import pytest
from helpers import dyadic_weights, pu_data
from hypothesis import given
from hypothesis import strategies as st

from adapu import AdaPUClassifier
from adapu._model import TICK
from adapu.backends.cpu_kernels import share_cut

SCENARIOS = ["case-control", "single-set"]


def cut_by_hand(margins, weights, share):
    """Try all cuts there are: below all margins, above all, and between any two neighbours."""
    kept = [(int(m), float(w)) for m, w in zip(margins, weights, strict=True) if w > 0]
    occurring = sorted({m for m, _ in kept})
    between = [(a + b) // 2 for a, b in zip(occurring[:-1], occurring[1:], strict=True)]
    cuts = [occurring[0] - 1, *between, occurring[-1]]
    total = sum(w for _, w in kept)
    above = [sum(w for m, w in kept if m > cut) for cut in cuts]
    distance = [abs(share * total - a) for a in above]
    return max(cut for cut, d in zip(cuts, distance, strict=True) if d == min(distance))


@given(
    margins=st.lists(
        st.integers(-5, 5) | st.integers(-(2**62), 2**62) | st.integers(-9000, 9000),
        min_size=1,
        max_size=30,
    ),
    share=st.sampled_from([1 / 64, 0.25, 0.375, 0.5, 0.75, 63 / 64]),
    data=st.data(),
)
def test_cut_of_drawn_margins(margins, share, data):
    weights = data.draw(
        st.lists(
            st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=len(margins), max_size=len(margins)
        ).filter(any)
    )
    found = share_cut(np.array(margins, dtype=np.int64), np.array(weights), share)
    assert found == cut_by_hand(margins, weights, share)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("thresholds", ["random", "quantile"])
def test_the_share_called_positive_is_the_prior(thresholds, weighted, scenario):
    X, s = pu_data(seed=0, n_positive=40, n_unlabeled=400)
    weight = dyadic_weights(0, len(X)) if weighted else None
    options = {"n_estimators": 30, "thresholds": thresholds, "random_state": 0}
    model = AdaPUClassifier(0.4, scenario=scenario, cutoff="prior", **options)
    model.fit(X, s, sample_weight=weight)
    _, _, X_u, v_u = naive.groups(X, s, scenario, weight)
    stumps = [naive.Stump(*stump.tolist()) for stump in model.stumps_]
    for t in range(1, model.n_iter_ + 1):
        ticks = [round(H / TICK) for H in naive.decision_function(stumps[:t], X_u)]
        assert model.history_["cutoff"][t - 1] == cut_by_hand(ticks, v_u, 0.4) * TICK
    assert model.cutoff_ == model.history_["cutoff"][-1]
    # the stumps do not depend on the cut, only what is made of them
    plain = AdaPUClassifier(0.4, scenario=scenario, **options).fit(X, s, sample_weight=weight)
    np.testing.assert_array_equal(model.stumps_, plain.stumps_)
    np.testing.assert_array_equal(model.history_["Z"], plain.history_["Z"])
    assert plain.cutoff_ == 0
    assert (plain.history_["cutoff"] == 0).all()
    np.testing.assert_array_equal(
        model.decision_function(X), plain.decision_function(X) - model.cutoff_
    )
    np.testing.assert_array_equal(model.predict(X) == 1, model.decision_function(X) > 0)
    called = np.average(model.predict(X_u), weights=v_u)
    largest_tie = max(np.asarray(v_u)[np.array(ticks) == m].sum() for m in ticks) / sum(v_u)
    assert abs(called - 0.4) <= largest_tie / 2 + 1e-12


def test_stages_have_cuts_of_their_own():
    X, s = pu_data(seed=1, n_positive=30, n_unlabeled=300)
    model = AdaPUClassifier(0.3, cutoff="prior", normalization="over-all", random_state=0).fit(X, s)
    stages = list(model.staged_decision_function(X))
    np.testing.assert_array_equal(stages[-1], model.decision_function(X))
    for t, (labels, margins) in enumerate(zip(model.staged_predict(X), stages, strict=True)):
        np.testing.assert_array_equal(labels, margins > 0)
        taken = labels[s == 0].mean()
        assert taken == pytest.approx(1 - model.history_["unlabeled_called_negative"][t])
        right = labels[s == 1].mean()
        assert right == pytest.approx(model.history_["positives_called_positive"][t])
        loss = 0.3 * (1 - right) + taken - 0.3 * right
        assert model.history_["zero_one_loss"][t] == pytest.approx(loss)


def test_a_weight_of_two_is_the_row_twice():
    X, s = pu_data(seed=2, n_positive=20, n_unlabeled=80)
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    options = {"cutoff": "prior", "thresholds": "quantile", "random_state": 0, "n_estimators": 20}
    weighted = AdaPUClassifier(0.4, **options).fit(X, s, sample_weight=weight)
    again = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = AdaPUClassifier(0.4, **options).fit(X[again], s[again])
    np.testing.assert_array_equal(weighted.history_["cutoff"], repeated.history_["cutoff"])


def test_the_cut_at_the_prior_mends_a_model_that_says_yes_to_all():
    """Every margin is above 0, and the ranking is good all the same."""
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.3
    X = rng.normal(size=(4000, 5)) + 1.2 * y[:, None]
    s = (y & (rng.random(4000) < 0.3)).astype(int)
    options = {
        "scenario": "single-set",
        "normalization": "over-all",
        "thresholds": "quantile",
        "learning_rate": 0.5,
        "random_state": 0,
    }
    at_zero = AdaPUClassifier(0.3, **options).fit(X, s)
    at_prior = AdaPUClassifier(0.3, cutoff="prior", **options).fit(X, s)
    assert at_prior.score(X, y) > at_zero.score(X, y)
    assert at_prior.score(X, y) > 0.85


@pytest.mark.parametrize(("prior", "called_positive"), [(0.2, False), (0.9, True)])
def test_one_margin_for_all_rows(prior, called_positive):
    """Nothing divides them: all rows are called what most of them are."""
    margins = np.full(20, 7)
    assert ((margins > share_cut(margins, np.ones(20), prior)) == called_positive).all()


def test_no_round_no_cut():
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    model = AdaPUClassifier(0.25, cutoff="prior", thresholds="even", n_thresholds=1)
    assert model.fit(X, [1, 1, 0, 0]).n_iter_ == 0
    assert model.cutoff_ == 0
    np.testing.assert_array_equal(model.predict(X), 0)
