"""The interval for the share of positives in U, from estimates on resampled rows."""

from __future__ import annotations

import numpy as np

from adapu._model import Array

# The bootstrap resamples scores of classifiers that stay as they are. Another classifier, or one
# fitted on more rows, may leave fewer negatives among the positives' scores; all methods estimate
# upper bounds, and tighter ones are lower. So the interval is stretched towards lower shares only.
# On the draws of benchmarks/prior.py, the classes that overlap most were covered too seldom without
# it; the upper end needed nothing.
_STRETCH_DOWN = 1.5


def interval_of(shares: Array, confidence: float) -> tuple[float, float, float]:
    """Return the estimate and both ends; ``shares`` are the estimate, then the resampled ones."""
    share, replicates = float(shares[0]), shares[1:]
    tail = (1 - confidence) / 2
    low, high = (float(end) for end in np.quantile(replicates, [tail, 1 - tail]))
    return share, max(share - _STRETCH_DOWN * max(share - low, 0.0), 0.0), max(high, share)
