"""The prior, the share of positives in U and the label frequency, by counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapu.prior import (
    label_frequency_from_prior,
    prior_from_label_frequency,
    prior_from_prior_unlabeled,
    prior_unlabeled_from_prior,
)

SCENARIOS = ["case-control", "single-set"]


@given(
    n_labeled=st.integers(1, 50),
    n_hidden=st.integers(0, 50),
    n_negative=st.integers(1, 50),
    scenario=st.sampled_from(SCENARIOS),
)
def test_by_counting(n_labeled, n_hidden, n_negative, scenario):
    n_unlabeled = n_hidden + n_negative
    n = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled, "scenario": scenario}
    in_sample = n_hidden + (n_labeled if scenario == "single-set" else 0)
    prior = in_sample / (n_unlabeled + (n_labeled if scenario == "single-set" else 0))
    share = n_hidden / n_unlabeled
    assert prior_from_prior_unlabeled(share, **n) == pytest.approx(prior)
    assert prior_unlabeled_from_prior(prior, **n) == pytest.approx(share, abs=1e-12)
    if in_sample:
        c = n_labeled / in_sample
        assert label_frequency_from_prior(prior, **n) == pytest.approx(c)
        assert prior_from_label_frequency(c, **n) == pytest.approx(prior)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_there_and_back_at_the_ends(scenario):
    """No conversion refuses for its rounding what another has returned."""
    for n_labeled in range(1, 60):
        for n_unlabeled in range(1, 60):
            n = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled, "scenario": scenario}
            lowest = n_labeled / (n_labeled + n_unlabeled) if scenario == "single-set" else 0.0
            for share in (0.0, 1.0):
                prior = prior_from_prior_unlabeled(share, **n)
                assert prior == pytest.approx(max(share, lowest), rel=1e-9)
                back = prior_unlabeled_from_prior(prior, **n)
                assert 0 <= back <= 1
                assert back == pytest.approx(share, abs=1e-9)
                if prior == 0:
                    continue
                c = label_frequency_from_prior(prior, **n)
                assert c <= 1 or scenario == "case-control"
                again = prior_from_label_frequency(c, **n)
                assert lowest <= again <= 1
                assert again == pytest.approx(prior, rel=1e-9)
                assert label_frequency_from_prior(again, **n) == pytest.approx(c, rel=1e-9)
                prior_unlabeled_from_prior(again, **n)


N = {"n_labeled": 20, "n_unlabeled": 80}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prior_from_prior_unlabeled(1.2, **N), "prior_unlabeled must be a number"),
        (lambda: prior_from_prior_unlabeled(np.nan, **N), "prior_unlabeled must be a number"),
        (lambda: prior_unlabeled_from_prior(-0.1, **N), "prior must be a number at least 0 and at"),
        (
            lambda: prior_unlabeled_from_prior(0.1, **N, scenario="single-set"),
            "prior must be at least the share of labeled rows in a single set, 0.2; got 0.1",
        ),
        (
            lambda: label_frequency_from_prior(0.1, **N, scenario="single-set"),
            "prior must be at least the share of labeled rows",
        ),
        (lambda: label_frequency_from_prior(0.0, **N), "prior must be a number greater than 0"),
        (lambda: prior_from_label_frequency(0, **N), "label_frequency must be a number greater"),
        (
            lambda: prior_from_label_frequency(0.2, **N),
            "label_frequency must be at least 0.25, where 20 rows are labeled and the sample has "
            "80; got 0.2",
        ),
        (
            lambda: prior_from_label_frequency(1.5, **N, scenario="single-set"),
            "label_frequency must be at least 0.2 and at most 1",
        ),
        (lambda: prior_from_prior_unlabeled(0.5, **N, scenario="both"), "scenario must be one of"),
        (
            lambda: prior_from_prior_unlabeled(0.5, n_labeled=0, n_unlabeled=3),
            "n_labeled must be a number greater than 0",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_share_of_zero_is_allowed():
    assert prior_from_prior_unlabeled(0, **N) == 0
    assert prior_from_prior_unlabeled(0.0, **N, scenario="single-set") == 0.2
    with pytest.raises(TypeError, match="prior must be a number"):
        prior_unlabeled_from_prior(True, **N)
