"""DEDPUL: difference of estimated densities of scores (Ivanov, ICMLA 2020).

r = f_P / f_U, the ratio of the densities of scores in P and in U, is estimated by kernels, smoothed
by running medians and made monotone. A row of U is positive with probability min(1, π r), and π is
a fixed point of their mean. It is reached from π = 1; where the ratio nowhere says "surely
negative", no fixed point but 0 exists, and the bend of the curve is taken instead.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d, median_filter

from adapu._model import Array
from adapu.prior._places import Places

_POINTS = 1_000  # quantiles of U at which the ratio is looked at
_GRID = 2_048
_BANDWIDTH_POSITIVE, _BANDWIDTH_UNLABELED = 0.1, 0.05  # in standard deviations; the author's
_CAP = 50.0
_STEP = 0.001
_MAX_EXCESS = 0.05


def dedpul_share(places: Places) -> tuple[Array, dict[str, Array]]:
    """Return the share of positives in U of each sample, and how it was found."""
    found = [_share(density_ratio(places.values, p, u)) for p, u in zip(*places[1:], strict=True)]
    fixed, bend, converged = (np.array(column) for column in zip(*found, strict=True))
    return np.where(converged, fixed, bend), {
        "fixed_point": fixed,
        "bend": bend,
        "converged": converged,
    }


def density_ratio(values: Array, positive: Array, unlabeled: Array) -> Array:
    """Return f_P / f_U at equally likely scores of U, from the lowest score, rising."""
    n_points = min(_POINTS, max(int(unlabeled.sum()), 20))
    rank = np.cumsum(unlabeled) - unlabeled / 2
    points = np.interp((np.arange(n_points) + 0.5) / n_points * unlabeled.sum(), rank, values)
    f_p = _density(values, positive, points, _BANDWIDTH_POSITIVE)
    f_u = _density(values, unlabeled, points, _BANDWIDTH_UNLABELED)
    ratio: Array = np.minimum(f_p / np.maximum(f_u, 1e-12), _CAP)
    ratio = median_filter(ratio, 5, mode="nearest")
    # above the middle between P and U the ratio may not fall
    middle = (values @ positive / positive.sum() + values @ unlabeled / unlabeled.sum()) / 2
    high = points >= middle
    ratio[high] = np.maximum.accumulate(ratio[high])
    ratio = median_filter(ratio, 2 * (n_points // 20) + 1, mode="nearest")
    ratio.sort()  # what is left to fall
    return ratio


def _share(ratio: Array) -> tuple[float, float, bool]:
    """Return the fixed point of π = mean of min(1, π r), the bend, and which of them holds."""
    sums = np.concatenate([[0.0], np.cumsum(ratio)])

    def mean_positive(prior: Array) -> Array:
        n_below = np.searchsorted(ratio, 1 / np.maximum(prior, 1e-300))
        answer: Array = (prior * sums[n_below] + len(ratio) - n_below) / len(ratio)
        return answer

    fixed = 1.0
    for _ in range(1_000):
        if fixed * ratio[-1] < 1:  # no row is surely positive any more
            break
        new = float(mean_positive(np.array(fixed)))
        if abs(new - fixed) < 1e-5:
            break
        fixed = new
    priors = 1 - np.arange(0, 1, _STEP)
    excess = priors - mean_positive(priors)
    curvature = np.where(excess[1:-1] < _MAX_EXCESS, np.diff(excess, 2), -np.inf)
    bend = float(priors[1:-1][np.argmax(curvature)])
    converged = bend <= fixed or (int((excess < 0).sum()) > 1 and fixed > _STEP)
    return fixed, bend, converged


def _density(values: Array, weight: Array, points: Array, bandwidth: float) -> Array:
    """Return a kernel estimate of the density of weighted values, at some points."""
    mean = values @ weight / weight.sum()
    deviation = np.sqrt(np.square(values - mean) @ weight / weight.sum()) or 1.0
    sigma = bandwidth * deviation
    low, high = values[0] - 4 * sigma, values[-1] + 4 * sigma
    step = (high - low) / _GRID
    cells = np.minimum(((values - low) / step).astype(np.intp), _GRID - 1)
    counts = np.bincount(cells, weight, _GRID)
    smooth = gaussian_filter1d(counts, sigma / step, mode="constant", truncate=5.0)
    centres = low + (np.arange(_GRID) + 0.5) * step
    density: Array = np.interp(points, centres, smooth) / (weight.sum() * step)
    return density
