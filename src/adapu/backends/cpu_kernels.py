"""The loops over rows, compiled by numba for the CPU backend.

Rows lie in blocks of at most 2,048, and within a block every feature is contiguous::

    columns[block, feature, row]          uint8 or uint16, codes
    margins[block, row]                   int64, in ticks
    weights[block, row]                   int64 or int32, fixed point

A kernel walks through a block's features in the order of memory, so that the processor can
fetch ahead, while the block's weights stay in the innermost cache. Weights are whole numbers:
their sums are exact, and the same in any order.

Nothing here is parallel: every kernel releases the interpreter lock and works on a range of
blocks or features, and the backend hands out ranges to threads.
"""

from __future__ import annotations

import numpy as np

from adapu._steps import N_STEPS, steps
from adapu._threads import compiled, reordering

# Thresholds that one sweep over a block compares at once: their sums stay in registers.
TILE = 5

# Bins of margins that one pass tells apart.
MARGIN_BIN_BITS = 12
MARGIN_BINS = 1 << MARGIN_BIN_BITS
LAST_CODE = N_STEPS - 1.0
LOWEST = np.int64(-(2**63))


@compiled
def fetch(X, rows, first_row, first_feature, values):
    """``values[f, i] = X[rows[first_row + i], first_feature + f]``, at the end the last row again.

    Rows are the outer loop: whether X lies by rows or by columns, a small piece of it is read from
    memory once.
    """
    n_features, n_rows = values.shape
    for i in range(n_rows):
        row = rows[min(first_row + i, rows.size - 1)]
        x = X[row, first_feature : first_feature + n_features]
        for f in range(n_features):
            values[f, i] = x[f]


@compiled
def widen_ranges(X, rows, first_feature, last_feature, low, high):
    """Widen the ranges from ``low[f]`` to ``high[f]`` by the values of ``X[rows]``."""
    lowest, highest = low[first_feature:last_feature], high[first_feature:last_feature]
    for row in rows:
        x = X[row, first_feature:last_feature]
        for f in range(x.size):
            lowest[f] = min(lowest[f], x[f])
            highest[f] = max(highest[f], x[f])


@compiled
def count_distinct(members, X, limit, first_feature, last_feature, counts, values, bits, tables):
    """Count the distinct values of each feature over all ``members``, up to ``limit``.

    A member holds the numbers of some rows of ``X``. ``values`` is room for some rows of some
    features, and ``bits`` the same memory as unsigned integers. ``tables`` has, for each of these
    features, room for an open hash table, its length a power of two and larger than ``limit``.
    A 0 marks a free slot, so zero itself, whose two signs are one value, is counted apart.
    """
    n_together, n_rows = values.shape
    mask = np.uint64(tables.shape[1] - 1)
    has_zero = np.empty(n_together, np.bool_)
    for first in range(first_feature, last_feature, n_together):
        n_features = min(n_together, last_feature - first)
        tables[:] = 0
        has_zero[:] = False
        count = counts[first : first + n_features]
        count[:] = 0
        for rows in members:
            for first_row in range(0, rows.size, n_rows):
                if count.min() >= limit:
                    break
                fetch(X, rows, first_row, first, values[:n_features])
                for f in range(n_features):
                    table = tables[f]
                    for i in range(n_rows):
                        if count[f] >= limit:
                            break
                        if values[f, i] == 0:
                            has_zero[f] = True
                            continue
                        value = np.uint64(bits[f, i])
                        slot = (value * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40) & mask
                        while table[slot] != 0 and table[slot] != value:
                            slot = slot + np.uint64(1) & mask
                        if table[slot] == 0:
                            table[slot] = value
                            count[f] += 1
        for f in range(n_features):
            count[f] = min(count[f] + has_zero[f], limit)


@compiled
def encode_on_grid(start, width, X, rows, first_feature, last_feature, columns, values):
    """Write the codes of ``X[rows]`` on a grid of steps; ``values`` is room for a small piece."""
    n_blocks, _, block_size = columns.shape
    n_together, n_rows = values.shape
    for block in range(n_blocks):
        for first_row in range(0, block_size, n_rows):
            for first in range(first_feature, last_feature, n_together):
                n_features = min(n_together, last_feature - first)
                fetch(X, rows, block * block_size + first_row, first, values[:n_features])
                for f in range(n_features):
                    feature = first + f
                    feature_start, feature_width = start[feature], width[feature]
                    codes = columns[block, feature, first_row : first_row + n_rows]
                    for i in range(n_rows):
                        step = steps(values[f, i], feature_start, feature_width)
                        # rows that the grid was not made for may lie before or beyond it
                        step = step if step > 0.0 else 0.0
                        codes[i] = np.int32(step if step < LAST_CODE else LAST_CODE)


@compiled
def encode_by_cuts(cuts, X, rows, first_feature, last_feature, columns, values):
    """Write the number of the feature's cuts below each value of ``X[rows]``.

    ``cuts[f]`` is ascending, its length one less than a power of two; ``values`` is room for a
    small piece.
    """
    n_blocks, _, block_size = columns.shape
    n_together, n_rows = values.shape
    half = np.uint32((cuts.shape[1] + 1) // 2)
    for block in range(n_blocks):
        for first_row in range(0, block_size, n_rows):
            for first in range(first_feature, last_feature, n_together):
                n_features = min(n_together, last_feature - first)
                fetch(X, rows, block * block_size + first_row, first, values[:n_features])
                for f in range(n_features):
                    cut = cuts[first + f]
                    codes = columns[block, first + f, first_row : first_row + n_rows]
                    for i in range(n_rows):
                        x = values[f, i]
                        below = np.uint32(0)
                        step = half
                        while step > 0:  # a binary search without a branch
                            below += step * np.uint32(cut[below + step - np.uint32(1)] < x)
                            step >>= np.uint32(1)
                        codes[i] = below


@compiled
def largest(margins, sample_weight, sign):
    """Return the largest of ``sign · margins`` among the rows with a sample weight above 0."""
    found = LOWEST
    for i in range(margins.size):
        found = max(found, sign * margins[i] if sample_weight[i] > 0 else LOWEST)
    return found


@compiled
def exponents(margins, factor, shift, out):
    """``out = factor · margins − shift``, at most 0: a row beyond the shift weighs nothing."""
    for i in range(margins.size):
        out[i] = min(factor * margins[i] - shift, 0.0)


@reordering
def times_sample_weight(weights, sample_weight, margins, cut):
    """Multiply ``weights`` by ``sample_weight`` in place.

    Returns the sum of the weights, and the sample weight of the rows with a margin above ``cut``.
    """
    total = 0.0
    called_positive = 0.0
    for i in range(weights.size):
        weights[i] *= sample_weight[i]
        total += weights[i]
        called_positive += sample_weight[i] * (margins[i] > cut)
    return total, called_positive


@compiled
def to_fixed_point(weights, scale, shift, fine, coarse):
    """``fine = round(scale · weights)``, ``coarse = fine / 2^shift`` rounded down; sum of fine.

    ``fine`` may be the memory of ``weights`` itself.
    """
    total = np.int64(0)
    for i in range(weights.size):
        fixed = np.int64(np.rint(weights[i] * scale))
        fine[i] = fixed
        coarse[i] = fixed >> shift
        total += fixed
    return total


@compiled
def share_cut(margins, sample_weight, share):
    """Return the cut above which the weight is as close to ``share`` of the whole as may be.

    It lies in the middle between two margins that occur, or at one end with all rows or none above
    it. Of two shares that are equally close it leaves the smaller one above.
    """
    low, high, total = margins.max(), margins.min(), 0.0
    for i in range(margins.size):
        if sample_weight[i] > 0:
            low, high = min(low, margins[i]), max(high, margins[i])
            total += sample_weight[i]
    # The pivot is the margin at which the weight from above reaches the share. A window that holds
    # it is cut into bins, and the bin that holds it is the next window, until a bin is one margin.
    shift = 0
    while (high - low) >> shift >= MARGIN_BINS:
        shift += 1
    pivot, n_bins, above = low, MARGIN_BINS, 0.0
    while True:
        weight = np.zeros(n_bins)
        for i in range(margins.size):
            b = (margins[i] - pivot) >> shift
            if 0 <= b < n_bins:
                weight[b] += sample_weight[i]
        b = n_bins - 1
        while b > 0 and above + weight[b] < share * total:
            above += weight[b]
            b -= 1
        pivot += b << shift
        if shift == 0:
            break
        n_bins = 1 << min(shift, MARGIN_BIN_BITS)
        shift = max(0, shift - MARGIN_BIN_BITS)
    above, at, next_lower, next_higher = 0.0, 0.0, low - 1, high
    for i in range(margins.size):
        m, w = margins[i], sample_weight[i]
        if w > 0 and m > pivot:
            above += w
            next_higher = min(next_higher, m)
        elif w > 0 and m == pivot:
            at += w
        elif w > 0:
            next_lower = max(next_lower, m)
    if share * total - above <= above + at - share * total:
        a, b = pivot, next_higher
    else:
        a, b = next_lower, pivot
    if a < low or b == a:
        return a  # an end: all rows are above it, or none
    return (a >> 1) + (b >> 1) + (a & b & 1)


@compiled
def coarse_sums(columns, weights, n_rows, points, first_feature, last_feature, sums):
    """Add to ``sums[f, k]`` the weight of the rows with ``code > points[f, k]``, in 32 bits.

    A block's sum fits into 32 bits by the choice of the weights. ``n_rows`` are in use, the rest of
    the last block fills up. The second axis of ``points`` and ``sums`` is a multiple of ``TILE``.
    """
    n_blocks, _, block_size = columns.shape
    for block in range(n_blocks):
        n_here = min(block_size, n_rows - block * block_size)
        w = weights[block]
        for f in range(first_feature, last_feature):
            x = columns[block, f]
            for k in range(0, points.shape[1], TILE):
                v0, v1, v2 = points[f, k], points[f, k + 1], points[f, k + 2]
                v3, v4 = points[f, k + 3], points[f, k + 4]
                s0 = s1 = s2 = s3 = s4 = np.int32(0)
                for i in range(n_here):
                    # w · (x > v) without a branch, so that the loop becomes vector code
                    xi, wi = x[i], w[i]
                    s0 = np.int32(s0 + (wi if xi > v0 else np.int32(0)))
                    s1 = np.int32(s1 + (wi if xi > v1 else np.int32(0)))
                    s2 = np.int32(s2 + (wi if xi > v2 else np.int32(0)))
                    s3 = np.int32(s3 + (wi if xi > v3 else np.int32(0)))
                    s4 = np.int32(s4 + (wi if xi > v4 else np.int32(0)))
                sums[f, k] += s0
                sums[f, k + 1] += s1
                sums[f, k + 2] += s2
                sums[f, k + 3] += s3
                sums[f, k + 4] += s4


@compiled
def fine_sums(columns, weights, features, points, first, last, sums):
    """Add to ``sums[j]`` the weight of the rows with a code above ``points[j]``, exactly."""
    n_blocks, _, block_size = columns.shape
    for j in range(first, last):
        point = points[j]
        total = np.int64(0)
        for block in range(n_blocks):
            x = columns[block, features[j]]
            w = weights[block]
            for i in range(block_size):
                total += w[i] if x[i] > point else np.int64(0)
        sums[j] += total


@compiled
def histogram_sums(columns, weights, first_feature, last_feature, sums):
    """Add to ``sums[f, c]`` the weight of the rows with ``code > c``, exactly, for every c."""
    n_blocks, _, block_size = columns.shape
    n_codes = sums.shape[1]
    histogram = np.empty(n_codes, np.int64)
    for f in range(first_feature, last_feature):
        histogram[:] = 0
        for block in range(n_blocks):
            x = columns[block, f]
            w = weights[block]
            for i in range(block_size):
                histogram[x[i]] += w[i]
        above = np.int64(0)
        for code in range(n_codes - 1, 0, -1):
            above += histogram[code]
            sums[f, code - 1] += above


@compiled
def advance(columns, feature, point, step, first_block, last_block, margins):
    """Move margins by ``step`` where the code is above ``point``, and by ``−step`` elsewhere."""
    for block in range(first_block, last_block):
        x = columns[block, feature]
        margin = margins[block]
        for i in range(x.size):
            margin[i] += step if x[i] > point else -step
