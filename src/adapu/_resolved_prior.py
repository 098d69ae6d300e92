"""The prior that a fit uses: the one it was given, or an estimate from its rows."""

from __future__ import annotations

import warnings

import numpy as np

from adapu._rows import TrainingRows
from adapu._validation import check_single_set_prior

# The interval of an estimated prior is called wide from here on, and where it is wider than the
# prior is large: 0 to 0.23 around 0.13 says no more than that positives are the smaller class.
WIDE_INTERVAL = 0.25


def resolved_prior(
    rows: TrainingRows, prior: float | None, scenario: str, n_jobs: int | None
) -> tuple[float, tuple[float, float] | None]:
    """Return the prior, given or estimated, and the interval of an estimate.

    To be called by `fit` itself: its caller is who gets the warnings.
    """
    if prior is not None:
        if scenario == "single-set":
            check_single_set_prior(float(prior), rows.labeled_share, rows.positives.size)
        return float(prior), None
    # it imports much, for those who need it
    from adapu.prior._errors import NotEstimableError
    from adapu.prior._estimate import estimate_with_seed

    labeled = np.zeros(rows.X.shape[0], dtype=bool)
    labeled[rows.positives] = True
    try:
        estimate = estimate_with_seed(
            rows.X,
            labeled,
            scenario=scenario,
            sample_weight=rows.sample_weight,
            seed=rows.seed,
            n_jobs=n_jobs,
        )
    except NotEstimableError as error:
        lowest = rows.labeled_share if scenario == "single-set" else 0.0
        guess = max(0.5, lowest)
        warnings.warn(
            f"The prior could not be estimated: {error} It is taken to be {guess:.3g}, which "
            "is a guess; give prior= if you know it.",
            stacklevel=3,
        )
        return guess, (lowest, 1.0)
    low, high = estimate.interval
    if high - low > min(WIDE_INTERVAL, estimate.prior):
        warnings.warn(
            f"The prior was estimated as {estimate.prior:.3g}, but anything from {low:.3g} to "
            f"{high:.3g} suits these rows. Give prior= if you know it, or label more rows.",
            stacklevel=3,
        )
    return estimate.prior, (low, high)
