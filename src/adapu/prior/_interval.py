"""The interval for the share of positives in U, from estimates on resampled rows."""

from __future__ import annotations

import numpy as np

from adapu._model import Array

# The bootstrap resamples the scores of classifiers that stay as they are. Other classifiers, or the
# same fitted on more rows, may leave fewer negatives among the scores of positives. All methods
# estimate upper bounds, and tighter ones are lower, so the interval reaches further down than up.
# Plain percentiles missed the true share in a quarter of the draws of a data set with much overlap.
_STRETCH_DOWN = 1.5


def interval_of(shares: Array, confidence: float) -> tuple[float, float, float]:
    """Return the estimate and both ends; ``shares`` are the estimate, then the resampled ones.

    Resampling adds noise, and an estimate that looks for a lowest ratio falls with noise. So the
    resampled shares may all lie to one side, while the truth is as likely on the other: the wider
    side of the percentiles serves for both.
    """
    share, replicates = float(shares[0]), shares[1:]
    tail = (1 - confidence) / 2
    low, high = (float(end) for end in np.quantile(replicates, [tail, 1 - tail]))
    reach = max(share - low, high - share)
    return share, max(share - _STRETCH_DOWN * reach, 0.0), min(share + reach, 1.0)
