"""The candidate thresholds of each round: random, evenly spaced, or at quantiles.

Round t draws from a counter-based generator keyed by (seed, t). What a round draws depends on
nothing that happened before, so a resumed or a distributed fit draws the same.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from adapu._cuts import MAX_CUTS, NEVER_ABOVE
from adapu._model import Array
from adapu.backends._interface import Candidates, Description

STRATEGIES = ("random", "even", "quantile")


class Thresholds(Protocol):
    """A strategy: what it offers in each round, and whether that ever changes."""

    fixed: bool

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``, counted from 0."""
        ...


def make_thresholds(
    strategy: str, description: Description, n_thresholds: int | None, seed: int
) -> Thresholds:
    """Return the strategy with this name."""
    if description.cuts is not None:
        _refuse_constants(np.isnan(description.cuts[:, 0]))
        return QuantileThresholds(description.cuts, n_thresholds, seed)
    assert n_thresholds is not None
    low, high = enlarged_range(description)
    dtype = description.dtype
    if strategy == "random":
        return RandomThresholds(low, high, dtype, n_thresholds, seed)
    return EvenThresholds(low, high, dtype, n_thresholds)


def round_generator(seed: int, t: int) -> np.random.Generator:
    """Return the generator of round ``t``."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, t], dtype=np.uint64)))


def enlarged_range(description: Description) -> tuple[Array, Array]:
    """Return the interval of thresholds of each feature, v_r/(n_f − 1) wider at both ends.

    The margin lets a threshold fall beyond all values: a stump that gives one answer to all. A
    feature with one value has no range, only these constant stumps: its interval is (∞, ∞), and
    every value is on the left of ∞.
    """
    assert description.low is not None
    assert description.high is not None
    assert description.n_distinct is not None
    low, high = description.low.astype(np.float64), description.high.astype(np.float64)
    constant = description.n_distinct == 1
    _refuse_constants(constant)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        margin = (high - low) / (description.n_distinct - 1)
        low, high = low - margin, high + margin
        must_fit = np.array([low, high, high - low]).astype(description.dtype)
    too_wide = ~np.isfinite(must_fit).all(axis=0) & ~constant
    if too_wide.any():
        feature = int(np.flatnonzero(too_wide)[0])
        raise ValueError(
            f"X has a feature whose range overflows {description.dtype}: feature {feature} goes "
            f"from {description.low[feature]:.6g} to {description.high[feature]:.6g}. Rescale it, "
            "take its logarithm, or use thresholds='quantile'."
        )
    low[constant] = high[constant] = np.inf
    return low, high


def _refuse_constants(constant: Array) -> None:
    if constant.all():
        raise ValueError(
            f"X must have a feature that varies; each of its {constant.size} features has the same "
            "value in every row (rows of weight 0 left out)."
        )


class RandomThresholds:
    """K fresh uniform draws per feature and round."""

    fixed = False

    def __init__(
        self, low: Array, high: Array, dtype: np.dtype[Any], n_thresholds: int, seed: int
    ) -> None:
        self.low, self.high, self.dtype = low, high, dtype
        self.n_thresholds, self.seed = n_thresholds, seed

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``."""
        share = round_generator(self.seed, t).random((self.low.size, self.n_thresholds))
        thresholds = _at(share, self.low, self.high, self.dtype)
        return Candidates(thresholds, thresholds)


class EvenThresholds:
    """K thresholds spread evenly, both ends of the interval included; one alone in the middle."""

    fixed = True

    def __init__(self, low: Array, high: Array, dtype: np.dtype[Any], n_thresholds: int) -> None:
        share = np.linspace(0, 1, n_thresholds) if n_thresholds > 1 else np.array([0.5])
        thresholds = _at(share[None, :], low, high, dtype)
        self.candidates = Candidates(thresholds, thresholds)

    def draw(self, t: int) -> Candidates:
        """Return the same candidates in every round."""
        return self.candidates


class QuantileThresholds:
    """K of a feature's quantile cuts per round, or all of them."""

    def __init__(self, cuts: Array, n_thresholds: int | None, seed: int) -> None:
        # a feature with one value has no cut; it offers the constant stumps, at ∞
        self.n_cuts = np.maximum((~np.isnan(cuts)).sum(axis=1), 1)
        self.cuts = np.where(np.isnan(cuts[:, :1]) & (np.arange(MAX_CUTS) == 0), np.inf, cuts)
        most = int(self.n_cuts.max())
        self.n_thresholds = most if n_thresholds is None else min(n_thresholds, most)
        self.seed = seed
        self.fixed = self.n_thresholds == most

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``, drawn without replacement."""
        n_features = self.cuts.shape[0]
        number = np.tile(np.arange(MAX_CUTS, dtype=np.uint8), (n_features, 1))
        if not self.fixed:
            # the first K steps of a Fisher-Yates shuffle of every feature's cuts at once
            share = round_generator(self.seed, t).random((n_features, self.n_thresholds))
            every = np.arange(n_features)
            for k in range(self.n_thresholds):
                left = np.maximum(self.n_cuts - k, 1)
                other = np.minimum(k + (share[:, k] * left).astype(np.int64), MAX_CUTS - 1)
                number[every, k], number[every, other] = number[every, other], number[every, k]
        number = number[:, : self.n_thresholds]
        thresholds = np.take_along_axis(self.cuts, number.astype(np.intp), axis=1)
        points = np.where(np.isfinite(thresholds), number, NEVER_ABOVE).astype(np.uint8)
        return Candidates(thresholds, points)


def _at(share: Array, low: Array, high: Array, dtype: np.dtype[Any]) -> Array:
    """Return the thresholds at a ``share`` of each interval, rounded to the dtype of X."""
    finite = np.isfinite(low)[:, None]
    start = np.where(finite, low[:, None], 0.0)
    width = np.where(finite, high[:, None], 0.0) - start
    return np.where(finite, start + share * width, np.inf).astype(dtype)
