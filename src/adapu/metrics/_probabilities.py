"""Metrics of probabilities: what is linear in the class needs E₊ and E alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from adapu._model import Array
from adapu._validation import check_choice, check_integer
from adapu.metrics._sample import Sample, read_probabilities, read_sample


def pu_brier_score_loss(
    s: Any,
    y_prob: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    """Mean squared distance of the probability from the class, 1 or 0.

    With p the probability, E[(y − p)²] = π E₊[1 − 2p] + E[p²], for y² = y. Unbiased; on few rows
    it may be negative. The prior as everybody's probability has π (1 − π).

    Parameters
    ----------
    s, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_prob : array-like of shape (n_rows,)
        The probability of the positive class, from 0 to 1: ``predict_proba(X)[:, 1]``.

    Returns
    -------
    float
        The loss; smaller is better.

    Examples
    --------
    >>> from adapu.metrics import pu_brier_score_loss
    >>> s = [1, 1, 0, 0, 0, 0]
    >>> pu_brier_score_loss(s, [1, 1, 1, 1, 0, 0], prior=0.5)
    0.0
    >>> pu_brier_score_loss(s, [0.5] * 6, prior=0.5)
    0.25
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    p = read_probabilities(sample, y_prob)
    return sample.prior * sample.means(1 - 2 * p)[0] + sample.means(p**2)[1]


def pu_calibration_error(
    s: Any,
    y_prob: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    n_bins: int = 10,
    strategy: str = "uniform",
) -> float:
    """Expected calibration error: how far the probabilities in a bin are from the positives there.

    The sum over bins of |E[p in the bin] − π E₊[in the bin]|. Consistent; as absolute values do
    not cancel, noise adds to it, the more the smaller the bins. It says nothing about how well
    classes are told apart: the prior as everybody's probability has 0.

    Parameters
    ----------
    s, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_prob : array-like of shape (n_rows,)
        The probability of the positive class, from 0 to 1: ``predict_proba(X)[:, 1]``.
    n_bins : int, default=10
        The number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of equal shares of the population. A probability on the border of
        two bins belongs to the lower; equal probabilities share a bin.

    Returns
    -------
    float
        The error, from 0; smaller is better.

    Examples
    --------
    >>> from adapu.metrics import pu_calibration_error
    >>> s = [1, 1, 0, 0, 0, 0]
    >>> pu_calibration_error(s, [0.75, 0.75, 0.75, 0.75, 0, 0], prior=0.375)
    0.0
    >>> pu_calibration_error(s, [0.75, 0.75, 0.75, 0.75, 0, 0], prior=0.5)
    0.125
    """
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    p = read_probabilities(sample, y_prob)
    check_integer("n_bins", n_bins, 1)
    check_choice("strategy", strategy, ("uniform", "quantile"))
    if strategy == "uniform":
        borders = np.linspace(0, 1, n_bins + 1)[1:-1]
    else:
        borders = _quantiles(sample, p, n_bins)
    positives, expected = sample.sums(np.searchsorted(borders, p), n_bins, p)
    return float(np.abs(expected - sample.prior * positives).sum())


def _quantiles(sample: Sample, p: Array, n_bins: int) -> Array:
    """Return the borders of bins of equal shares of the population: values of p."""
    falling, _, q = sample.cumulative(p)
    rising, up_to = falling[::-1], (1 - np.r_[0.0, q[:-1]])[::-1]  # the share at most that high
    wanted = np.arange(1, n_bins) / n_bins
    borders: Array = rising[np.searchsorted(up_to, wanted - 1e-12)]  # met but for rounding is met
    return borders
