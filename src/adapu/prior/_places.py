"""Scores of P and U as weights at places of one axis, which is all that estimators look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adapu._model import Array

_MAX_PLACES = 2_000  # beyond, neighbours are merged: the steps are finer than any estimate


class Places(NamedTuple):
    """Weights of P and U at rising scores: of one sample, or one sample in each row.

    Weights of a group add up to its effective number of rows, (Σw)² / Σw².
    """

    values: Array  # (n_places,)
    positive: Array  # (n_samples, n_places)
    unlabeled: Array  # (n_samples, n_places)


class Sample(NamedTuple):
    """One sample at its places, with what it takes to resample its rows."""

    places: Places
    place: Array  # of each row
    labeled: Array
    weight: Array


def place_scores(scores: Array, labeled: Array, weight: Array) -> Sample:
    """Return the sample at its distinct scores, neighbours merged where they are many."""
    weight = weight.astype(np.float64)
    for group in (labeled, ~labeled):
        weight[group] *= weight[group].sum() / np.square(weight[group]).sum()
    values, place = np.unique(scores, return_inverse=True)
    if len(values) > _MAX_PLACES:
        share = sum(
            np.bincount(place, weight * group, len(values)) / weight[group].sum()
            for group in (labeled, ~labeled)
        )
        middle = (np.cumsum(share) - share / 2) / 2
        merged = np.unique((middle * _MAX_PLACES).astype(np.intp), return_inverse=True)[1]
        values = np.bincount(merged, share * values) / np.bincount(merged, share)
        place = merged[place]
    positive, unlabeled = (
        np.bincount(place, weight * group, len(values))[None] for group in (labeled, ~labeled)
    )
    return Sample(Places(values, positive, unlabeled), place, labeled, weight)


def resample(sample: Sample, n_samples: int, rng: np.random.Generator) -> Places:
    """Return samples of as many rows of P and of U, drawn with replacement."""
    n_places = len(sample.places.values)
    drawn = []
    for group in (sample.labeled, ~sample.labeled):
        place, weight = sample.place[group], sample.weight[group]
        weights = np.empty((n_samples, n_places))
        for row in weights:
            rows = rng.integers(len(place), size=len(place))
            row[:] = np.bincount(place[rows], weight[rows], n_places)
        drawn.append(weights)
    return Places(sample.places.values, *drawn)
