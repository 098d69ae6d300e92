"""Rows as the networks see them: less U's mean, divided by U's standard deviation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from adapu._model import Array

CHUNK_BYTES = 2**27  # of float64: no copy as large as X is made on the way

# A deviation below this share of the mean is the rounding of a constant.
SMALLEST_DEVIATION = 1e-12
# So many deviations from the mean is as far as a row can be: sums of float32 stay finite.
LARGEST_VALUE = 1e9


@dataclass(frozen=True, eq=False)
class Standardizer:
    """What is taken away from each feature, and what the rest is divided by.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
        A feature that is constant has scale 1.
    """

    mean: Array
    scale: Array

    def apply(self, X: Array, device: Any) -> Any:
        """Return the rows on the device in float32.

        The arithmetic is in float64, for counts may reach billions.
        """
        if X.dtype != np.uint8:
            X = X.astype(np.float64)
        rows = torch.tensor(X, device=device)
        mean, scale = (torch.tensor(v, device=device) for v in (self.mean, self.scale))
        return ((rows - mean) / scale).clamp(-LARGEST_VALUE, LARGEST_VALUE).float()


def fit_standardizer(X: Array, rows: Array, weight: Array | None, n_channels: int) -> Standardizer:
    """Return the standardizer of these rows of X.

    With ``n_channels`` equal to the number of features each feature has its own mean; with fewer,
    so many successive groups of features, the channels of an image, have one each.
    """
    n_features = X.shape[1]
    share = np.ones(rows.size) if weight is None else weight
    share = share / share.sum()
    mean, square = np.zeros(n_features), np.zeros(n_features)
    with np.errstate(over="ignore", invalid="ignore"):
        for part in chunks(rows.size, n_features):
            mean += share[part] @ X[rows[part]].astype(np.float64)
        mean = _per_channel(mean, n_channels)
        for part in chunks(rows.size, n_features):
            square += share[part] @ (X[rows[part]] - mean) ** 2
        deviation = np.sqrt(_per_channel(square, n_channels))
    if not np.isfinite(deviation).all():
        feature = int(np.argmin(np.isfinite(deviation)))
        raise ValueError(
            f"X must have features of finite deviation; the squares of feature {feature} overflow. "
            "Scale it, or give its logarithm."
        )
    constant = deviation <= SMALLEST_DEVIATION * np.abs(mean)
    return Standardizer(mean, np.where(constant, 1.0, deviation))


def no_standardizer(n_features: int) -> Standardizer:
    """Return the standardizer that changes nothing."""
    return Standardizer(np.zeros(n_features), np.ones(n_features))


def chunks(n_rows: int, n_features: int) -> Iterator[slice]:
    """Yield slices of rows that are small in memory."""
    step = max(1, CHUNK_BYTES // (8 * n_features))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


def _per_channel(values: Array, n_channels: int) -> Array:
    """Return the mean of each channel's features, for each of them."""
    grouped = values.reshape(n_channels, -1)
    return np.repeat(grouped.mean(axis=1), grouped.shape[1])
