"""The candidate thresholds of each round: random, evenly spaced, or at quantiles.

Round t draws from a counter-based generator keyed by (seed, t). What a round draws depends on
nothing that happened before, so a resumed or a distributed fit draws the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from adapu._codes import Cuts, Encoding, Grid
from adapu._model import Array
from adapu.backends._interface import Backend, Candidates, Ranges

STRATEGIES = ("random", "even", "quantile")


class Thresholds(Protocol):
    """A strategy: its cuts, what it offers of them in each round, and whether that changes."""

    fixed: bool

    @property
    def encoding(self) -> Encoding:
        """All the cuts, by which columns are coded."""
        ...

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``, counted from 0."""
        ...


def make_thresholds(
    strategy: str,
    backend: Backend,
    n_thresholds: int | None,
    seed: int,
    names: Array | None = None,
) -> Thresholds:
    """Return the strategy with this name, for the rows of ``backend``."""
    if strategy == "quantile":
        cuts = backend.quantile_cuts()
        _refuse_constants(np.isnan(cuts[:, 0]))
        return QuantileThresholds(cuts, n_thresholds, seed)
    assert n_thresholds is not None
    intervals = enlarged_ranges(backend.ranges(), names)
    if strategy == "random":
        return RandomThresholds(intervals, n_thresholds, seed)
    return EvenThresholds(intervals, n_thresholds)


def round_bits(seed: int, t: int) -> np.random.Philox:
    """Return the generator of round ``t``."""
    return np.random.Philox(key=np.array([seed, t], dtype=np.uint64))


class Intervals(NamedTuple):
    """Where the thresholds of each feature lie: from ``start`` over ``width``, in float64.

    The interval of a feature with one value is endless, so that all its thresholds are ∞.
    """

    start: Array
    width: Array
    dtype: np.dtype[Any]  # of X, and so of the thresholds


def enlarged_ranges(ranges: Ranges, names: Array | None = None) -> Intervals:
    """Return each feature's range, made v_r/(n_f − 1) wider at both ends.

    The padding lets a threshold fall beyond all values: a stump that gives one answer to all. A
    feature with one value has only these constant stumps, and every value is on the left of ∞.
    ``names`` are the features' names, for the messages.
    """
    low, high = ranges.low.astype(np.float64), ranges.high.astype(np.float64)
    constant = ranges.n_distinct == 1
    _refuse_constants(constant)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        padding = (high - low) / (ranges.n_distinct - 1)
        start, end = low - padding, high + padding
        fits = np.isfinite((high - low).astype(ranges.dtype))
        enlarged_fits = np.isfinite(np.array([start, end]).astype(ranges.dtype)).all(axis=0)
        # the largest value lies inside, even where the padding is lost in rounding
        width = np.maximum(end - start, np.nextafter(high - start, np.inf))
    too_wide = ~(fits & enlarged_fits & np.isfinite(width)) & ~constant
    if too_wide.any():
        feature = int(np.flatnonzero(too_wide)[0])
        name = "" if names is None else f" ({names[feature]!r})"
        what, beyond = "range", ""
        if fits[feature]:
            what = "range, enlarged for thresholds beyond its values,"
            beyond = f", and {padding[feature]:.6g} are added at both ends"
        raise ValueError(
            f"X has a feature whose {what} overflows {ranges.dtype}: feature {feature}{name} "
            f"goes from {low[feature]:.6g} to {high[feature]:.6g}{beyond}. Rescale it, take its "
            "logarithm, or use thresholds='quantile'."
        )
    start[constant], width[constant] = low[constant], np.inf
    return Intervals(start, width, ranges.dtype)


def _refuse_constants(constant: Array) -> None:
    if constant.all():
        each = f"each of its {constant.size} features" if constant.size > 1 else "its only feature"
        raise ValueError(
            f"X must have a feature that varies; {each} has the same value in every row (rows of "
            "weight 0 left out)."
        )


class RandomThresholds:
    """K fresh uniform draws per feature and round, among the cuts between 65,536 steps."""

    fixed = False

    def __init__(self, intervals: Intervals, n_thresholds: int, seed: int) -> None:
        self.encoding = Grid(*intervals)
        self.shape, self.seed = (intervals.start.size, n_thresholds), seed
        self.n_valid = np.full(intervals.start.size, n_thresholds)

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``."""
        n_draws = self.shape[0] * self.shape[1]
        # four numbers of 16 bits out of one of 64
        words = round_bits(self.seed, t).random_raw(-(-n_draws // 4)).astype("<u8", copy=False)
        points = words.view("<u2")[:n_draws].reshape(self.shape)
        # 65,536 steps have 65,535 cuts between them; the last two draws mean the last cut
        np.minimum(points, self.encoding.n_codes - 2, out=points)
        return Candidates(points, self.n_valid, self.encoding)


class EvenThresholds:
    """K thresholds spread evenly, both ends of the interval included; one alone in the middle."""

    fixed = True

    def __init__(self, intervals: Intervals, n_thresholds: int) -> None:
        start, width, dtype = intervals
        n_features = start.size
        share = np.linspace(0, 1, n_thresholds) if n_thresholds > 1 else np.array([0.5])
        cuts = np.full((n_features, n_thresholds), np.inf, dtype)
        varies = np.isfinite(width)
        cuts[varies] = start[varies, None] + share * width[varies, None]
        self.encoding = Cuts(cuts)
        every = np.arange(n_thresholds, dtype=self.encoding.code_dtype)
        self.candidates = Candidates(
            np.tile(every, (n_features, 1)), np.full(n_features, n_thresholds), self.encoding
        )

    def draw(self, t: int) -> Candidates:
        """Return the same candidates in every round."""
        return self.candidates


class QuantileThresholds:
    """K of a feature's quantile cuts per round, or all of them."""

    def __init__(self, cuts: Array, n_thresholds: int | None, seed: int) -> None:
        # a feature with one value has no cut; it offers the constant stumps, at ∞
        self.n_cuts = np.maximum((~np.isnan(cuts)).sum(axis=1), 1)
        most = int(self.n_cuts.max())
        cuts = cuts[:, :most]
        self.encoding = Cuts(np.where(np.isnan(cuts), np.inf, cuts).astype(cuts.dtype))
        self.every = np.tile(np.arange(most, dtype=np.uint8), (len(cuts), 1))
        self.n_thresholds = most if n_thresholds is None else min(n_thresholds, most)
        self.n_valid = np.minimum(self.n_cuts, self.n_thresholds)
        self.seed = seed
        self.fixed = self.n_thresholds == most

    def draw(self, t: int) -> Candidates:
        """Return the candidates of round ``t``, drawn without replacement."""
        points = self.every
        if not self.fixed:
            # the first K steps of a Fisher-Yates shuffle of every feature's cuts at once
            points = points.copy()
            n_features, most = points.shape
            generator = np.random.Generator(round_bits(self.seed, t))
            share = generator.random((n_features, self.n_thresholds))
            every = np.arange(n_features)
            for k in range(self.n_thresholds):
                left = np.maximum(self.n_cuts - k, 1)
                other = np.minimum(k + (share[:, k] * left).astype(np.int64), most - 1)
                points[every, k], points[every, other] = points[every, other], points[every, k]
        return Candidates(points[:, : self.n_thresholds], self.n_valid, self.encoding)
