"""What the boosting loop asks of a backend, and the shape of the answers.

A backend holds the rows, as codes, and their margins, in ticks of 2⁻⁴⁰. The loop never sees a row:
it gets sums of weights over the three groups 𝒫⁺, 𝒫⁻ and 𝒰⁻, always in this order on the first
axis.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from adapu._codes import Encoding
from adapu._model import Array

# Distinct values are counted up to here; beyond it the padding of a range is below a thousandth.
MAX_DISTINCT = 1024


class Ranges(NamedTuple):
    """The features, as far as random and even thresholds need them."""

    dtype: np.dtype[np.floating]
    low: Array  # (n_features,) the smallest value
    high: Array  # (n_features,) the largest value
    n_distinct: Array  # (n_features,) distinct values, at most MAX_DISTINCT


class Candidates(NamedTuple):
    """The thresholds of one round, as numbers of cuts.

    A row is above a candidate where its code exceeds the candidate's point.
    """

    points: Array  # (n_features, K)
    n_valid: Array  # (n_features,) how many of a feature's points are candidates: the first ones
    encoding: Encoding

    def thresholds(self, features: Array, ks: Array) -> Array:
        """Return the thresholds of the candidates ``(features[j], ks[j])``, in the dtype of X."""
        return self.encoding.thresholds(features, self.points[features, ks])


class Totals(NamedTuple):
    """The weights of the groups, each divided by its prior factor and scaled by e^{−log_scale}.

    But for the scale, a group's weight starts at 1; with it, it stays within the range of floats
    however large the margins grow.
    """

    weight: Array  # (3,)
    log_scale: Array  # (3,)
    called_positive: Array  # (2,) share of P, and of U, with a margin above the cut


class Sums(NamedTuple):
    """The weight of each group above each candidate, in whole numbers.

    They may be in memory that the backend uses again in the next round.
    """

    above: Array  # (3, ...) of int64
    unit: Array  # (3,) what 1 is, as a share of the group's total
    slack: Array  # (3,) how far a share may be off; 0 where the sums are exact

    def shares(self) -> Array:
        """Return the sums as shares of the groups' totals."""
        return self.above * self.unit.reshape(-1, *[1] * (self.above.ndim - 1))


class MarginSample(NamedTuple):
    """Margins of some rows, in ticks, and the rows' sample weights."""

    ticks: Array
    weight: Array


class Backend(Protocol):
    """The verbs of a backend."""

    def ranges(self) -> Ranges:
        """Each feature's range and number of distinct values."""
        ...

    def quantile_cuts(self) -> Array:
        """Quantile cuts in the dtype of X, (n_features, 255), ascending, then NaN."""
        ...

    def encode(self, encoding: Encoding) -> None:
        """Keep the columns as codes. What comes before needs X, what follows does not."""
        ...

    def totals(self, cut: int = 0) -> Totals:
        """The groups' weights at the present margins, and the shares of P and U above ``cut``."""
        ...

    def margin_cut(self, share: float) -> int:
        """The cut above which U has a weight as close to ``share`` of the whole as may be."""
        ...

    def margins(self) -> tuple[MarginSample, MarginSample]:
        """The margins of P and of U, the rows held out among them."""
        ...

    @property
    def holds_out(self) -> bool:
        """Whether some rows are held out: their margins move, and they weigh nothing."""
        ...

    def held_out_called_positive(self, cut: int) -> Array:
        """The shares of P and of U above ``cut`` among the rows held out, (2,)."""
        ...

    def sums(self, candidates: Candidates) -> Sums:
        """Sums above every candidate, (3, n_features, K), quick and perhaps with some slack."""
        ...

    def exact_sums(self, candidates: Candidates, features: Array, ks: Array) -> Sums:
        """Exact sums, (3, m), above the candidates ``(features[j], ks[j])``."""
        ...

    def advance(self, stumps: Array) -> None:
        """Bring the margins up to date with all the rounds in ``stumps``.

        Asking twice changes nothing, and a backend that has missed rounds catches up.
        """
        ...
