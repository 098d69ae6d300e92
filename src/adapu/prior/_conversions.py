"""The prior, the share of positives in U and the label frequency, each from another.

In case-control U is a sample of the population, so the share of positives in U is the prior π. In
a single set P was taken out of the sample, and U has fewer positives:

    π (n_p + n_u) = n_p + π_U n_u.

The label frequency c is n_p over the number of positives in the sample: π n_u of them in
case-control, π (n_p + n_u) in a single set.
"""

from __future__ import annotations

from adapu._validation import SCENARIOS, check_choice, check_real

_ROUNDING = 1e-9  # what one conversion returns, another takes: a bound passed by so much is met


def prior_from_prior_unlabeled(
    prior_unlabeled: float, *, n_labeled: float, n_unlabeled: float, scenario: str = "case-control"
) -> float:
    """Return the share of positives in the population, from that in the unlabeled rows.

    Parameters
    ----------
    prior_unlabeled : float
        The share of positives among the unlabeled rows, from 0 to 1.
    n_labeled, n_unlabeled : float
        The numbers of rows, or the sums of their weights.
    scenario : {"case-control", "single-set"}, default="case-control"
        Whether U is the sample of the population, or P and U together.

    Returns
    -------
    float
        The prior.

    Examples
    --------
    >>> from adapu.prior import prior_from_prior_unlabeled
    >>> prior_from_prior_unlabeled(0.25, n_labeled=20, n_unlabeled=80)
    0.25
    >>> prior_from_prior_unlabeled(0.25, n_labeled=20, n_unlabeled=80, scenario="single-set")
    0.4
    """
    check_real("prior_unlabeled", prior_unlabeled, 0, 1, low_included=True, high_included=True)
    _check_counts(n_labeled, n_unlabeled, scenario)
    if scenario == "case-control":
        return float(prior_unlabeled)
    prior = (n_labeled + prior_unlabeled * n_unlabeled) / (n_labeled + n_unlabeled)
    return min(float(prior), 1.0)


def prior_unlabeled_from_prior(
    prior: float, *, n_labeled: float, n_unlabeled: float, scenario: str = "case-control"
) -> float:
    """Return the share of positives in the unlabeled rows, from that in the population.

    Parameters
    ----------
    prior : float
        The share of positives in the population, from 0 to 1; in a single set at least the share
        of labeled rows.
    n_labeled, n_unlabeled : float
        The numbers of rows, or the sums of their weights.
    scenario : {"case-control", "single-set"}, default="case-control"
        Whether U is the sample of the population, or P and U together.

    Returns
    -------
    float
        The share of positives in U.

    Examples
    --------
    >>> from adapu.prior import prior_unlabeled_from_prior
    >>> prior_unlabeled_from_prior(0.4, n_labeled=20, n_unlabeled=80)
    0.4
    >>> prior_unlabeled_from_prior(0.4, n_labeled=20, n_unlabeled=80, scenario="single-set")
    0.25
    """
    check_real("prior", prior, 0, 1, low_included=True, high_included=True)
    _check_counts(n_labeled, n_unlabeled, scenario)
    if scenario == "case-control":
        return float(prior)
    n_rows = n_labeled + n_unlabeled
    if prior < n_labeled / n_rows * (1 - _ROUNDING):
        raise ValueError(
            "prior must be at least the share of labeled rows in a single set, "
            f"{n_labeled / n_rows:.6g}; got {prior!r}."
        )
    return min(float(max(prior * n_rows - n_labeled, 0.0) / n_unlabeled), 1.0)


def prior_from_label_frequency(
    label_frequency: float, *, n_labeled: float, n_unlabeled: float, scenario: str = "case-control"
) -> float:
    """Return the prior at which the labeled rows are this share of the positives.

    Parameters
    ----------
    label_frequency : float
        c, the number of labeled rows over that of positives in the sample: in case-control those
        in U, so that c may be above 1; in a single set those in P and U, P(s = 1 | y = 1).
    n_labeled, n_unlabeled : float
        The numbers of rows, or the sums of their weights.
    scenario : {"case-control", "single-set"}, default="case-control"
        Whether U is the sample of the population, or P and U together.

    Returns
    -------
    float
        The prior.

    Examples
    --------
    >>> from adapu.prior import prior_from_label_frequency
    >>> prior_from_label_frequency(0.5, n_labeled=20, n_unlabeled=100)
    0.4
    >>> prior_from_label_frequency(0.5, n_labeled=20, n_unlabeled=80, scenario="single-set")
    0.4
    """
    check_real("label_frequency", label_frequency, 0, float("inf"))
    _check_counts(n_labeled, n_unlabeled, scenario)
    n_sample = n_unlabeled if scenario == "case-control" else n_labeled + n_unlabeled
    prior = n_labeled / (label_frequency * n_sample)
    lowest = n_labeled / n_sample
    single_set = scenario == "single-set"
    if prior > 1 + _ROUNDING or (single_set and label_frequency > 1 + _ROUNDING):
        highest = " and at most 1" if single_set else ""
        raise ValueError(
            f"label_frequency must be at least {lowest:.6g}{highest}, where {n_labeled:g} rows are "
            f"labeled and the sample has {n_sample:g}; got {label_frequency!r}."
        )
    prior = min(float(prior), 1.0)
    return max(prior, lowest) if single_set else prior


def label_frequency_from_prior(
    prior: float, *, n_labeled: float, n_unlabeled: float, scenario: str = "case-control"
) -> float:
    """Return the number of labeled rows over that of positives in the sample.

    Parameters
    ----------
    prior : float
        The share of positives in the population, in (0, 1]; in a single set at least the share of
        labeled rows.
    n_labeled, n_unlabeled : float
        The numbers of rows, or the sums of their weights.
    scenario : {"case-control", "single-set"}, default="case-control"
        Whether U is the sample of the population, or P and U together.

    Returns
    -------
    float
        The label frequency c; in case-control it may be above 1.

    Examples
    --------
    >>> from adapu.prior import label_frequency_from_prior
    >>> label_frequency_from_prior(0.4, n_labeled=20, n_unlabeled=100)
    0.5
    >>> label_frequency_from_prior(0.4, n_labeled=20, n_unlabeled=80, scenario="single-set")
    0.5
    """
    check_real("prior", prior, 0, 1, high_included=True)
    prior_unlabeled_from_prior(
        prior, n_labeled=n_labeled, n_unlabeled=n_unlabeled, scenario=scenario
    )
    n_sample = n_unlabeled if scenario == "case-control" else n_labeled + n_unlabeled
    frequency = float(n_labeled / (prior * n_sample))
    return min(frequency, 1.0) if scenario == "single-set" else frequency


def _check_counts(n_labeled: float, n_unlabeled: float, scenario: str) -> None:
    check_choice("scenario", scenario, SCENARIOS)
    check_real("n_labeled", n_labeled, 0, float("inf"))
    check_real("n_unlabeled", n_unlabeled, 0, float("inf"))
