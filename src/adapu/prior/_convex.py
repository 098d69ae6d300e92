"""The prior as the flat part of a convex density.

Let t(x) be the share of P with a score above that of x. Over positives t is uniform on [0, 1],
whatever the classifier. Over U its density is

    f(t) = π + (1 − π) n(t),

with n the density over the negatives, which crowd near t = 1. If negatives vanish among the
highest scores, n(0) = 0, then f(0) = π. The same question, the share of true null hypotheses
among p-values, is best answered by the maximum-likelihood density that is monotone and convex
(Langaas, Lindqvist & Ferkingstad 2005): it takes strength from the whole curve, where a ratio of
counts above a cut has few rows (a high cut) or negatives among them (a low one).

Convex, rising densities are mixtures of the uniform density and of triangles, density
2 (t − θ) / (1 − θ)² at t > θ. Their weights are found by EM on t in bins; that of the uniform
density is π.
"""

from __future__ import annotations

import numpy as np

from adapu._model import Array
from adapu.prior._places import Places

_BINS = 40
_STEPS = 500  # of EM; ten times as many moved no estimate by more than 0.001
_MAX_CELLS = 400


def convex_share(places: Places) -> tuple[Array, dict[str, Array]]:
    """Return the share of positives in U of each sample, and the density at each end."""
    counts = binned_survival(places)
    components = _components()
    observed = counts / counts.sum(axis=1, keepdims=True)
    weights = np.full((len(counts), components.shape[1]), 0.5 / (components.shape[1] - 1))
    weights[:, 0] = 0.5
    for _ in range(_STEPS):
        # where U has no rows all weights may shrink to 0
        fitted = np.maximum(weights @ components.T, 1e-300)
        weights *= (observed / fitted) @ components
    density = weights @ components.T * _BINS
    # how far the curve lies from the counts, in units of what chance would do
    misfit = np.square(observed - density / _BINS) / np.maximum(density / _BINS, 1e-12)
    misfit = misfit.sum(axis=1) * counts.sum(axis=1) / _BINS
    return weights[:, 0], {"density_at_top": density[:, 0], "misfit": misfit}


def binned_survival(places: Places) -> Array:
    """Return the weight of U in each of equal bins of t, the share of P above it.

    The t of a row between two neighbours of P is known up to 1/(n_p + 1), that of a row tied with
    some of P up to their share more; its weight is spread evenly over what is possible.
    """
    coarse = -(-len(places.values) // _MAX_CELLS)
    edges = np.arange(0, len(places.values), coarse)
    positive = np.add.reduceat(places.positive, edges, axis=1)
    unlabeled = np.add.reduceat(places.unlabeled, edges, axis=1)
    above = np.cumsum(positive[:, ::-1], axis=1)[:, ::-1] - positive
    total = positive.sum(axis=1, keepdims=True) + 1
    low, width = above / total, (positive + 1) / total
    bounds = np.linspace(0, 1, _BINS + 1)
    below = np.empty((len(low), _BINS + 1))
    for place, bound in enumerate(bounds):
        below[:, place] = np.einsum("ij,ij->i", unlabeled, np.clip((bound - low) / width, 0, 1))
    return np.diff(below, axis=1)


def _components() -> Array:
    """Return the probability of each bin (row) under the uniform density and each triangle."""
    bounds = np.linspace(0, 1, _BINS + 1)
    starts = bounds[:-1]
    below = np.square(np.clip((bounds[:, None] - starts) / (1 - starts), 0, None))
    return np.hstack([np.full((_BINS, 1), 1 / _BINS), np.diff(below, axis=0)])
