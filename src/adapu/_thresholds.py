"""The candidate thresholds of each round: random, evenly spaced, or at quantiles.

Round t draws from a counter-based generator keyed by (seed, t). What a round draws depends on
nothing that happened before, so a resumed or a distributed fit draws the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

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
    strategy: str,
    description: Description,
    n_thresholds: int | None,
    seed: int,
    names: Array | None = None,
) -> Thresholds:
    """Return the strategy with this name."""
    if description.cuts is not None:
        _refuse_constants(np.isnan(description.cuts[:, 0]))
        return QuantileThresholds(description.cuts, n_thresholds, seed)
    assert n_thresholds is not None
    intervals = enlarged_ranges(description, names)
    if strategy == "random":
        return RandomThresholds(intervals, n_thresholds, seed)
    return EvenThresholds(intervals, n_thresholds)


def round_generator(seed: int, t: int) -> np.random.Generator:
    """Return the generator of round ``t``."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, t], dtype=np.uint64)))


class Intervals(NamedTuple):
    """Where the thresholds of each feature lie: from ``start`` over ``width``."""

    start: Array
    width: Array
    dtype: np.dtype[Any]  # of X; thresholds are rounded to it

    def at(self, share: Array) -> Array:
        """Return the thresholds at a ``share`` of each interval; ``share`` is used up."""
        share *= self.width[:, None]
        share += self.start[:, None]
        return share.astype(self.dtype, copy=False)


def enlarged_ranges(description: Description, names: Array | None = None) -> Intervals:
    """Return each feature's range, made v_r/(n_f − 1) wider at both ends.

    The padding lets a threshold fall beyond all values: a stump that gives one answer to all. A
    feature with one value has no range, only these constant stumps: its interval is the point ∞,
    and every value is on the left of ∞. ``names`` are the features' names, for the messages.
    """
    assert description.low is not None
    assert description.high is not None
    assert description.n_distinct is not None
    low, high = description.low.astype(np.float64), description.high.astype(np.float64)
    constant = description.n_distinct == 1
    _refuse_constants(constant)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        padding = (high - low) / (description.n_distinct - 1)
        start, end = low - padding, high + padding
        must_fit = np.array([start, end, high - low]).astype(description.dtype)
        width = end - start
    too_wide = ~(np.isfinite(must_fit).all(axis=0) & np.isfinite(width)) & ~constant
    if too_wide.any():
        feature = int(np.flatnonzero(too_wide)[0])
        name = "" if names is None else f" ({names[feature]!r})"
        raise ValueError(
            f"X has a feature whose range overflows {description.dtype}: feature {feature}{name} "
            f"goes from {low[feature]:.6g} to {high[feature]:.6g}. Rescale it, take its logarithm, "
            "or use thresholds='quantile'."
        )
    start[constant], width[constant] = np.inf, 0.0
    return Intervals(start, width, description.dtype)


def _refuse_constants(constant: Array) -> None:
    if constant.all():
        raise ValueError(
            f"X must have a feature that varies; each of its {constant.size} features has the same "
            "value in every row (rows of weight 0 left out)."
        )


class RandomThresholds:
    """K fresh uniform draws per feature and round."""

    fixed = False

    def __init__(self, intervals: Intervals, n_thresholds: int, seed: int) -> None:
        self.intervals, self.n_thresholds, self.seed = intervals, n_thresholds, seed

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``."""
        shape = self.intervals.start.size, self.n_thresholds
        thresholds = self.intervals.at(round_generator(self.seed, t).random(shape))
        return Candidates(thresholds, thresholds)


class EvenThresholds:
    """K thresholds spread evenly, both ends of the interval included; one alone in the middle."""

    fixed = True

    def __init__(self, intervals: Intervals, n_thresholds: int) -> None:
        share = np.linspace(0, 1, n_thresholds) if n_thresholds > 1 else np.array([0.5])
        thresholds = intervals.at(np.tile(share, (intervals.start.size, 1)))
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
