"""The interval for the share of positives in U, from estimates on resampled rows."""

from __future__ import annotations

import numpy as np

from adapu._model import Array


def interval_of(shares: Array, confidence: float) -> tuple[float, float, float]:
    """Return the estimate and both ends; ``shares`` are the estimate, then the resampled ones."""
    share, replicates = shares[0], shares[1:]
    tail = (1 - confidence) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return share, min(low, share), max(high, share)
