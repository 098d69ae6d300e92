"""The backend of this machine's cores.

It keeps the codes of the rows, in blocks and feature by feature (`cpu_kernels` draws the layout),
the labeled ones apart from the unlabeled.

Weights are fixed-point numbers: per group and round they are scaled to a sum below 2⁶¹ and
rounded to whole numbers. A sum of them is exact, so it depends neither on the order of the rows
nor on the number of threads, and the rounding, at most half a unit per row, is below that of
adding up floats. The quick sums over all candidates use the upper bits of each weight, as many
as let a block's sum fit into 32 bits, and say how far they may be off; the exact sums are then
needed for the few candidates only that might be the best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from functools import partial
from types import TracebackType
from typing import Any, Self

import numpy as np

from adapu._codes import Encoding, Grid
from adapu._cuts import MAX_CUTS, quantile_cuts
from adapu._model import TICK, Array, in_ticks
from adapu._threads import Workers, parts
from adapu.backends import cpu_kernels as kernels
from adapu.backends._interface import (
    MAX_DISTINCT,
    Candidates,
    MarginSample,
    Ranges,
    Sums,
    Totals,
)

MAX_BLOCK = 2048  # rows; a block's weights then stay in the innermost cache
BLOCK_MULTIPLE = 64  # rows that the compiled sums handle at a time
BLOCKS_PER_PART = 16  # blocks that are weighed together; fixed, so that threads change no sum
FEATURES_TOGETHER = 16  # features that are read from X together: a cache line of a row, or two
COARSE_BITS = 31  # of a block's sum
FINE_BITS = 61  # of a group's sum
# From this many thresholds on, a histogram of the codes is quicker than comparing one by one.
HISTOGRAM_FROM = 40
CODES_PER_POINT = 8  # a histogram of more codes than this for each threshold is too large


def _over_blocks(
    task: Callable[..., Any], arrays: tuple[Array, ...], workers: Workers, *, work_per_row: int
) -> list[Any]:
    """Run ``task`` on the same blocks of all ``arrays``, part by part; the results, in order."""
    n_blocks = len(arrays[0])
    n_parts = -(-n_blocks // BLOCKS_PER_PART)

    def some_parts(first: int, last: int) -> list[Any]:
        return [
            task(*(array[a:b].reshape(-1) for array in arrays))
            for a, b in parts(n_blocks, n_parts)[first:last]
        ]

    results = workers.spread(some_parts, n_parts, work=work_per_row * arrays[0].size)
    return [result for some in results for result in some]


class Rows:
    """Some rows of X in blocks: their columns, margins and sample weights."""

    def __init__(self, X: Array, rows: Array, sample_weight: Array | None) -> None:
        n_used = -(-rows.size // BLOCK_MULTIPLE) * BLOCK_MULTIPLE
        block_size = min(n_used, MAX_BLOCK)
        n_blocks = -(-n_used // block_size)
        self.X, self.index = X, rows
        self.n_rows, self.n_used = rows.size, n_used
        self.columns = np.empty((n_blocks, 0, block_size), np.uint8)  # until they are encoded
        self.margins = np.zeros((n_blocks, block_size), np.int64)
        # the last block is filled up with copies of the last row, which weigh nothing
        weight_dtype = np.uint8 if sample_weight is None else np.float64
        self.sample_weight = np.zeros((n_blocks, block_size), weight_dtype)
        flat = self.sample_weight.reshape(-1)
        flat[: rows.size] = 1 if sample_weight is None else sample_weight[rows]
        self.mass = float(flat.sum())
        self.all_weigh = bool(flat[: rows.size].all())
        self.held_out_weight: Array | None = None

    def forget_caller(self) -> None:
        """Let go of the caller's rows, once they are encoded."""
        del self.X, self.index

    def holding_out(self, held_out: Array) -> Rows:
        """Return the same rows at margin 0, in which those ``held_out`` carry no weight.

        The columns are shared.
        """
        other = copy(self)
        other.margins = np.zeros_like(self.margins)
        left_out = np.zeros(self.margins.size, dtype=bool)
        left_out[: self.n_rows] = held_out
        left_out = left_out.reshape(self.margins.shape)
        other.held_out_weight = np.where(left_out, self.sample_weight, 0).astype(np.float64)
        other.sample_weight = np.where(left_out, 0, self.sample_weight)
        other.mass = float(other.sample_weight.sum(dtype=np.float64))
        other.all_weigh = self.all_weigh and not left_out.any()
        return other

    def real(self, blocked: Array) -> Array:
        """Return ``blocked`` values of the rows as one line, without those that fill up."""
        return blocked.reshape(-1)[: self.n_rows]


class Group:
    """One of 𝒫⁺, 𝒫⁻ and 𝒰⁻: rows, and the weights e^{sign · H} that they carry."""

    def __init__(self, members: list[Rows], sign: int) -> None:
        self.members, self.sign = members, sign
        self.mass = sum(rows.mass for rows in members)
        self.n_rows = sum(rows.margins.size for rows in members)
        self.fine = [np.empty(rows.margins.shape, np.int64) for rows in members]
        self.coarse = [np.empty(rows.margins.shape, np.int32) for rows in members]
        self.total = 0  # of the numbers in `fine`
        self.shift = 0  # the bits that `coarse` has less than `fine`

    def weigh(self, cut: int, workers: Workers) -> tuple[float, float, float]:
        """Weigh the rows at their margins.

        Returns the total as a share of the mass, its log scale (the true total is e^{log scale}
        times as large), and the share of the mass with a margin above ``cut``.
        """
        log_scale = max(self._largest_exponent(rows, workers) for rows in self.members)

        def exponential(margins: Array, sample_weight: Array, out: Array) -> tuple[float, ...]:
            kernels.exponents(margins, self.sign * TICK, log_scale, out)
            np.exp(out, out=out)
            total, called_positive = kernels.times_sample_weight(out, sample_weight, margins, cut)
            return total, called_positive, out.max()

        weights = [fine.view(np.float64) for fine in self.fine]  # in place
        parts_of_rows = [
            part
            for rows, out in zip(self.members, weights, strict=True)
            for part in _over_blocks(
                exponential, (rows.margins, rows.sample_weight, out), workers, work_per_row=8
            )
        ]
        totals, called_positive, largest = zip(*parts_of_rows, strict=True)
        _, exponent = math.frexp(sum(totals))
        scale = math.ldexp(1.0, FINE_BITS - exponent)
        bits = math.ceil(max(largest) * scale).bit_length()
        block_size = max(rows.margins.shape[1] for rows in self.members)
        self.shift = max(0, bits + (block_size - 1).bit_length() - COARSE_BITS)

        def fixed_point(weights: Array, fine: Array, coarse: Array) -> int:
            return kernels.to_fixed_point(weights, scale, self.shift, fine, coarse)  # type: ignore[no-any-return]

        self.total = sum(
            sum(_over_blocks(fixed_point, arrays, workers, work_per_row=1))
            for arrays in zip(weights, self.fine, self.coarse, strict=True)
        )
        return self.total / (scale * self.mass), log_scale, sum(called_positive) / self.mass

    def _largest_exponent(self, rows: Rows, workers: Workers) -> float:
        """Return the largest of sign · H among the rows that weigh something.

        A row held out may have a margin so far beyond theirs that they would vanish beside it.
        """
        if rows.all_weigh:  # what fills up the last block is then no further out than its last row
            extreme = rows.margins.max() if self.sign > 0 else -rows.margins.min()
            return float(extreme) * TICK

        def largest(margins: Array, sample_weight: Array) -> int:
            return kernels.largest(margins, sample_weight, self.sign)  # type: ignore[no-any-return]

        arrays = rows.margins, rows.sample_weight
        return float(max(_over_blocks(largest, arrays, workers, work_per_row=1))) * TICK

    @property
    def coarse_share(self) -> float:
        """What 1 in `coarse` is of the total."""
        return math.ldexp(1.0, self.shift) / self.total

    @property
    def slack(self) -> float:
        """How far a sum of `coarse` may be off: each row was rounded down by less than a unit."""
        return self.coarse_share * self.n_rows if self.shift else 0.0


class CpuBackend:
    """Rows and margins on this machine's cores.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The caller's rows, of any real dtype and memory order; they are only read.
    positives, unlabeled : ndarray of int
        The rows of P and of U.
    sample_weight : ndarray of shape (n_rows,) or None
        None means 1 for every row.
    single_set : bool
        Whether U in the formulas is every row, the labeled ones included.
    n_threads : int
        Threads that work at a time.
    """

    def __init__(
        self,
        X: Array,
        positives: Array,
        unlabeled: Array,
        *,
        sample_weight: Array | None,
        single_set: bool,
        n_threads: int,
    ) -> None:
        self.dtype: np.dtype[Any] = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        self.n_features = X.shape[1]
        self.workers = Workers(n_threads)
        p = Rows(X, positives, sample_weight)
        u = Rows(X, unlabeled, sample_weight)
        self.rows = [p, u]
        self.n_slots = p.margins.size + u.margins.size
        self.single_set = single_set
        self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.workers.close()

    def ranges(self) -> Ranges:
        """Each feature's range and number of distinct values."""
        low = np.full(self.n_features, np.inf, self.dtype)
        high = -low
        n_distinct = np.empty(self.n_features, np.int64)
        members = tuple(rows.index for rows in self.rows)
        X = self.rows[0].X
        bits: Any = np.uint32 if self.dtype == np.float32 else np.uint64

        def look(first: int, last: int) -> None:
            for index in members:
                kernels.widen_ranges(X, index, first, last, low, high)
            values = np.empty((FEATURES_TOGETHER, MAX_DISTINCT // 2), self.dtype)
            tables = np.empty((FEATURES_TOGETHER, 2 * MAX_DISTINCT), np.uint64)
            kernels.count_distinct(
                *(members, X, MAX_DISTINCT, first, last, n_distinct),
                *(values, values.view(bits), tables),
            )

        self._spread_features(look)
        return Ranges(self.dtype, low, high, n_distinct)

    def quantile_cuts(self) -> Array:
        """Quantile cuts in the dtype of X, (n_features, 255), ascending, then NaN."""
        found = np.full((self.n_features, MAX_CUTS), np.nan, self.dtype)
        sample_weight = np.concatenate([rows.real(rows.sample_weight) for rows in self.rows])

        def cut(first: int, last: int) -> None:
            for start in range(first, last, FEATURES_TOGETHER):
                n_features = min(FEATURES_TOGETHER, last - start)
                values = [np.empty((n_features, rows.n_rows), self.dtype) for rows in self.rows]
                for rows, out in zip(self.rows, values, strict=True):
                    kernels.fetch(rows.X, rows.index, 0, start, out)
                for f in range(n_features):
                    cuts = quantile_cuts(np.concatenate([v[f] for v in values]), sample_weight)
                    found[start + f, : cuts.size] = cuts

        self._spread_features(cut)
        return found

    def encode(self, encoding: Encoding) -> None:
        """Keep the columns as codes, and let go of X."""
        self.encoding = encoding
        for rows in self.rows:
            n_blocks, _, block_size = rows.columns.shape
            shape = n_blocks, self.n_features, block_size
            rows.columns = np.empty(shape, encoding.code_dtype)
        if isinstance(encoding, Grid):
            encode = partial(kernels.encode_on_grid, encoding.start, encoding.width)
        else:
            encode = partial(kernels.encode_by_cuts, _searchable(encoding.cuts))

        def encode_some(first: int, last: int) -> None:
            values = np.empty((FEATURES_TOGETHER, BLOCK_MULTIPLE), self.dtype)
            for rows in self.rows:
                encode(rows.X, rows.index, first, last, rows.columns, values)

        self._spread_features(encode_some)
        for rows in self.rows:
            rows.forget_caller()

    def holding_out(
        self, positives: Array, unlabeled: Array, *, n_threads: int | None = None
    ) -> CpuBackend:
        """Return a backend of the same rows, before the first round, that learns from some of them.

        The masks say which rows of P and of U are held out: their margins move along, and
        `held_out_called_positive` asks for them. The columns are shared, and so are the threads,
        unless it shall have ``n_threads`` of its own.
        """
        other = copy(self)
        if n_threads is not None:
            other.workers = Workers(n_threads)
        other.rows = [
            rows.holding_out(mask)
            for rows, mask in zip(self.rows, (positives, unlabeled), strict=True)
        ]
        other._begin()
        return other

    def _begin(self) -> None:
        p, u = self.rows
        in_u = [p, u] if self.single_set else [u]
        self.groups = [Group([p], -1), Group([p], +1), Group(in_u, +1)]
        self.above = np.empty((3, self.n_features, 0), np.int64)  # used again in every round
        self.n_rounds = 0

    def totals(self, cut: int = 0) -> Totals:
        """The groups' weights at the present margins, and the shares of P and U above ``cut``."""
        weighed = [group.weigh(cut, self.workers) for group in self.groups]
        weight, log_scale, called_positive = np.array(weighed).T
        return Totals(weight, log_scale, called_positive[1:])  # of P, which is twice a group, and U

    def margin_cut(self, share: float) -> int:
        """The cut above which U has a weight as close to ``share`` of the whole as may be."""
        members = self.groups[2].members
        return int(
            kernels.share_cut(
                np.concatenate([rows.real(rows.margins) for rows in members]),
                np.concatenate([rows.real(rows.sample_weight) for rows in members]),
                share,
            )
        )

    def margins(self) -> tuple[MarginSample, MarginSample]:
        """The margins of P and of U, the rows held out among them."""

        def of(members: list[Rows]) -> MarginSample:
            weights = [rows.sample_weight for rows in members]
            for number, rows in enumerate(members):
                if rows.held_out_weight is not None:
                    weights[number] = weights[number] + rows.held_out_weight
            return MarginSample(
                np.concatenate([rows.real(rows.margins) for rows in members]),
                np.concatenate([r.real(w) for r, w in zip(members, weights, strict=True)]),
            )

        return of(self.groups[0].members), of(self.groups[2].members)

    @property
    def holds_out(self) -> bool:
        """Whether some rows are held out."""
        return any(rows.held_out_weight is not None for rows in self.rows)

    def held_out_called_positive(self, cut: int) -> Array:
        """The shares of P and of U above ``cut`` among the rows held out."""
        shares = []
        for members in (self.groups[0].members, self.groups[2].members):
            above = mass = 0.0
            for rows in members:
                assert rows.held_out_weight is not None
                above += float(rows.held_out_weight[rows.margins > cut].sum())
                mass += float(rows.held_out_weight.sum())
            shares.append(above / mass)
        return np.array(shares)

    def sums(self, candidates: Candidates) -> Sums:
        """Sums above every candidate, quick and within the slack that comes with them."""
        n_points = candidates.points.shape[1]
        if n_points >= HISTOGRAM_FROM and self.encoding.n_codes <= CODES_PER_POINT * n_points:
            return self._histogram_sums(candidates)
        n_padded = -(-n_points // kernels.TILE) * kernels.TILE
        points = np.ascontiguousarray(candidates.points)  # one layout, one compilation
        if n_padded > n_points:
            points = np.pad(points, ((0, 0), (0, n_padded - n_points)), mode="edge")
        if self.above.shape[2] != n_padded:
            self.above = np.empty((3, self.n_features, n_padded), np.int64)
        sums = self.above
        sums.fill(0)

        def add_up(first: int, last: int) -> None:
            for group, out in zip(self.groups, sums, strict=True):
                for rows, weights in zip(group.members, group.coarse, strict=True):
                    kernels.coarse_sums(
                        rows.columns, weights, rows.n_used, points, first, last, out
                    )

        self.workers.spread(add_up, self.n_features, work=self.n_features * self.n_slots * n_points)
        unit = np.array([group.coarse_share for group in self.groups])
        slack = np.array([group.slack for group in self.groups])
        return Sums(sums[:, :, :n_points], unit, slack)

    def exact_sums(self, candidates: Candidates, features: Array, ks: Array) -> Sums:
        """Exact sums above the candidates ``(features[j], ks[j])``."""
        features = np.ascontiguousarray(features)  # one layout, one compilation
        points = candidates.points[features, ks]
        sums = np.zeros((3, features.size), np.int64)

        def add_up(first: int, last: int) -> None:
            for group, out in zip(self.groups, sums, strict=True):
                for rows, weights in zip(group.members, group.fine, strict=True):
                    kernels.fine_sums(rows.columns, weights, features, points, first, last, out)

        self.workers.spread(add_up, features.size, work=self.n_slots * features.size)
        return self._exact(sums)

    def advance(self, stumps: Array) -> None:
        """Bring the margins up to date with all the rounds in ``stumps``.

        Asking twice changes nothing, and a backend that has missed rounds catches up.
        """
        for stump in stumps[self.n_rounds :]:
            if stump["polarity"]:
                self._add(stump)
        self.n_rounds = max(self.n_rounds, len(stumps))

    def _add(self, stump: Array) -> None:
        feature = int(stump["feature"])
        step = int(stump["polarity"]) * in_ticks(float(stump["step"]))
        point = self.encoding.point(feature, float(stump["threshold"]))
        for rows in self.rows:

            def add(first: int, last: int, rows: Rows = rows) -> None:
                kernels.advance(rows.columns, feature, point, step, first, last, rows.margins)

            self.workers.spread(add, len(rows.margins), work=rows.margins.size)

    def _histogram_sums(self, candidates: Candidates) -> Sums:
        above = np.zeros((3, self.n_features, self.encoding.n_codes), np.int64)

        def add_up(first: int, last: int) -> None:
            for group, out in zip(self.groups, above, strict=True):
                for rows, weights in zip(group.members, group.fine, strict=True):
                    kernels.histogram_sums(rows.columns, weights, first, last, out)

        self.workers.spread(add_up, self.n_features, work=self.n_features * 10 * self.n_slots)
        return self._exact(
            np.take_along_axis(above, candidates.points[None].astype(np.intp), axis=2)
        )

    def _exact(self, sums: Array) -> Sums:
        return Sums(sums, 1.0 / np.array([group.total for group in self.groups]), np.zeros(3))

    def _spread_features(self, task: Callable[[int, int], None]) -> None:
        """Run ``task`` on ranges of features, each of which looks at every row once."""
        self.workers.spread(task, self.n_features, work=self.n_features * self.n_slots)


def _searchable(cuts: Array) -> Array:
    """Return the cuts with so many ∞ behind them that a search may halve them to the end."""
    n_cuts = cuts.shape[1]
    room = 2 ** n_cuts.bit_length() - 1 - n_cuts
    return np.pad(cuts, ((0, 0), (0, room)), constant_values=np.inf)
