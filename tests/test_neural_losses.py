"""The PU risk and its gradient against plain loops, and what the theory says of it."""

import naive
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs PyTorch, the extra neural")

from adapu.neural._losses import SURROGATES, pu_objective  # noqa: E402

scores = st.lists(st.floats(-6, 6, width=32), min_size=1, max_size=8)
names = st.sampled_from(sorted(SURROGATES))


def leaf(values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def objective(f_p, f_u, prior, v_p=None, v_u=None, **options):
    """The objective in float64 and its gradient on the scores."""
    f_p, f_u = leaf(f_p), leaf(f_u)
    found = pu_objective(
        f_p,
        f_u,
        prior,
        positive_weight=None if v_p is None else torch.tensor(v_p),
        unlabeled_weight=None if v_u is None else torch.tensor(v_u),
        **options,
    )
    found.descent.backward()
    return found, f_p.grad.numpy(), f_u.grad.numpy()


def assert_like_the_loops(f_p, f_u, prior, name, loss, beta, gamma, v_p=None, v_u=None):
    found, on_p, on_u = objective(
        f_p, f_u, prior, v_p, v_u, loss=loss, surrogate=name, beta=beta, gamma=gamma
    )
    v_p = np.ones(len(f_p)) if v_p is None else v_p
    v_u = np.ones(len(f_u)) if v_u is None else v_u
    negative = naive.pu_parts(f_p, f_u, v_p, v_u, prior, name)[1]
    if loss == "nnpu" and abs(negative + beta) < 1e-12:
        return  # rounding decides
    risk, expected_p, expected_u = naive.pu_step(f_p, f_u, v_p, v_u, prior, name, loss, beta, gamma)
    assert found.risk.item() == pytest.approx(risk, abs=1e-12)
    np.testing.assert_allclose(on_p, expected_p, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(on_u, expected_u, rtol=1e-9, atol=1e-12)
    assert bool(found.corrected) == (loss == "nnpu" and negative < -beta)


@given(
    scores,
    scores,
    st.floats(0.05, 0.95),
    names,
    st.sampled_from(["nnpu", "upu"]),
    st.floats(0, 0.3),
    st.floats(0, 1),
)
@example([-5.0], [-5.0], 0.9, "sigmoid", "nnpu", 0.0, 0.5)  # the negative part is positive
@example([5.0, 4.0], [-5.0], 0.9, "sigmoid", "nnpu", 0.1, 0.5)  # and here below −β
@example([5.0, 4.0], [-5.0], 0.9, "logistic", "nnpu", 0.0, 1.0)
def test_risk_and_gradient(f_p, f_u, prior, name, loss, beta, gamma):
    assert_like_the_loops(f_p, f_u, prior, name, loss, beta, gamma)


@given(st.integers(0, 10_000), names, st.sampled_from(["nnpu", "upu"]))
def test_weighted_means(seed, name, loss):
    rng = np.random.default_rng(seed)
    n_p, n_u = rng.integers(1, 6, size=2)
    weights = rng.choice([0.5, 1.0, 2.0], n_p), rng.choice([0.5, 1.0, 2.0], n_u)
    f_p, f_u = rng.normal(1, 2, n_p), rng.normal(-1, 2, n_u)
    assert_like_the_loops(f_p, f_u, 0.6, name, loss, 0.05, 0.7, *weights)


def test_a_weight_of_two_is_a_row_twice():
    weighted = objective([1.0, -0.5], [0.3, -2.0], 0.4, [2.0, 1.0], [1.0, 3.0])[0]
    repeated = objective([1.0, 1.0, -0.5], [0.3, -2.0, -2.0, -2.0], 0.4)[0]
    assert weighted.risk.item() == pytest.approx(repeated.risk.item(), abs=1e-15)


@pytest.mark.parametrize("name", sorted(SURROGATES))
def test_while_the_negative_part_is_above_minus_beta_the_two_are_one(name):
    """And below it they part: the risk stays above π E_P[ℓ(f)] − β and the step turns round."""
    rng = np.random.default_rng(0)
    f_p, f_u = rng.normal(size=5), rng.normal(size=30)
    both = [objective(f_p, f_u, 0.3, loss=loss, surrogate=name) for loss in ("nnpu", "upu")]
    assert not both[0][0].corrected
    assert both[0][0].risk == both[1][0].risk
    for found, expected in zip(both[0][1:], both[1][1:], strict=True):
        np.testing.assert_array_equal(found, expected)
    f_p, f_u = f_p + 5, f_u - 5  # P learned by heart, all of U called negative
    both = [objective(f_p, f_u, 0.3, loss=loss, surrogate=name) for loss in ("nnpu", "upu")]
    assert both[0][0].corrected
    assert both[1][0].risk < 0 < both[0][0].risk
    assert (both[0][2] < 0).all()  # a step against it raises f on U: fewer negatives
    assert (both[1][2] > 0).all()  # where uPU goes on lowering it


@pytest.mark.parametrize("name", sorted(SURROGATES))
def test_a_step_raises_a_negative_part_that_is_too_low(name):
    f_p, f_u = np.array([4.0, 5.0]), np.array([-4.0, -3.0, -5.0])
    _, on_p, on_u = objective(f_p, f_u, 0.8, surrogate=name)
    ones = np.ones(2), np.ones(3)
    before = naive.pu_parts(f_p, f_u, *ones, 0.8, name)[1]
    after = naive.pu_parts(f_p - 0.1 * on_p, f_u - 0.1 * on_u, *ones, 0.8, name)[1]
    assert before < after < 0


@pytest.mark.parametrize("name", sorted(SURROGATES))
def test_upu_is_unbiased_and_nnpu_is_not_below_it(name):
    """The mean over draws of P and U is the risk, of a classifier that may be any function."""
    rng = np.random.default_rng(1)
    f_of_positives, f_of_negatives = rng.normal(1, 2, 50), rng.normal(-2, 1, 70)
    prior = 0.3
    risk = prior * np.mean([naive.surrogate(name, f) for f in f_of_positives])
    risk += (1 - prior) * np.mean([naive.surrogate(name, -f) for f in f_of_negatives])
    found = {"upu": [], "nnpu": []}
    for _ in range(1000):
        f_p = rng.choice(f_of_positives, 3)
        hidden = rng.random(8) < prior
        f_u = np.where(hidden, rng.choice(f_of_positives, 8), rng.choice(f_of_negatives, 8))
        for loss, risks in found.items():
            f = torch.tensor(f_p), torch.tensor(f_u)
            risks.append(pu_objective(*f, prior, loss=loss, surrogate=name).risk.item())
    upu, nnpu = np.array(found["upu"]), np.array(found["nnpu"])
    error = upu.std() / np.sqrt(upu.size)
    assert abs(upu.mean() - risk) < 4 * error
    assert error < 0.05 * risk  # so that the line above says something
    assert (nnpu >= upu - 1e-15).all()
    assert (nnpu - upu).mean() > 0.01 * risk  # draws so small are often below 0
