"""Scores of a P-against-U classifier for rows that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from adapu._model import Array
from adapu.prior._errors import NotEstimableError

_PROBABILITY_FLOOR = 1e-9
_STEPS = 64
_MOST_FEATURES = 128


def default_classifier() -> Any:
    """Return the classifier that is used when none is given.

    Few, small trees: with a hundred labeled rows larger ones learn their noise. Balanced weights
    keep a P that is small beside U from being ignored.
    """
    return HistGradientBoostingClassifier(
        max_iter=50,
        max_leaf_nodes=8,
        min_samples_leaf=5,
        l2_regularization=1.0,
        early_stopping=False,
        class_weight="balanced",
    )


def coarse(X: Array) -> Array:
    """Return ``X`` with each feature in at most 64 steps of about equally many rows; NaN stays.

    The default classifier gets no better by finer ones, and fits several times as fast: left to
    itself it looks for 255 weighted quantiles of each feature in each fold.
    """
    steps = np.empty(X.shape, dtype=np.float32)
    levels = np.arange(1, _STEPS) / _STEPS
    for feature, column in enumerate(X.T):
        known = ~np.isnan(column) if X.dtype.kind == "f" else np.ones(len(column), dtype=bool)
        ordered = np.sort(column[known])
        n_distinct = 1 + np.count_nonzero(np.diff(ordered)) if len(ordered) else 0
        if n_distinct > _STEPS:
            cuts = np.unique(ordered[(levels * len(ordered)).astype(np.intp)])
        else:
            cuts = np.unique(ordered)
        steps[known, feature] = np.searchsorted(cuts, column[known], side="right")
        steps[~known, feature] = np.nan
    return steps


def cross_fitted_scores(
    estimator: Any,
    X: Array,
    labeled: Array,
    folds: Array,
    sample_weight: Array | None,
    seed: int,
    n_jobs: int | None,
) -> Array:
    """Return the score of each row from a classifier fitted on the other folds."""
    n_folds = int(folds.max()) + 1
    is_default = estimator is None
    if is_default:
        estimator, X = default_classifier(), coarse(X)
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_scores_of_fold)(
            _seeded(estimator, seed), X, labeled, folds == fold, sample_weight, is_default
        )
        for fold in range(n_folds)
    )
    scores = np.empty(len(labeled))
    for fold, of_fold in enumerate(found):
        scores[folds == fold] = of_fold
    if all(np.ptp(of_fold) == 0 for of_fold in found):
        raise NotEstimableError(
            f"{type(estimator).__name__} gives every row the same score, so nothing can be said "
            "about the prior: give more rows or features, or another estimator."
        )
    return scores


def _scores_of_fold(
    classifier: Any,
    X: Array,
    labeled: Array,
    held_out: Array,
    sample_weight: Array | None,
    is_default: bool,
) -> Array:
    keywords = {} if sample_weight is None else {"sample_weight": sample_weight[~held_out]}
    rows, new = X[~held_out], X[held_out]
    if is_default and X.shape[1] > _MOST_FEATURES:
        features = telling_features(rows, labeled[~held_out])
        rows, new = rows[:, features], new[:, features]
    if is_default:  # a feature of which no value is known makes it fail; a constant says as little
        rows[:, np.isnan(rows).all(axis=0)] = 0
    # OpenMP's threads wait for each other at every node of a tree: on small data, beside other
    # processes, that takes longer than the work. Folds side by side (n_jobs) do not wait.
    with threadpool_limits(1, user_api="openmp"):
        classifier.fit(rows, labeled[~held_out].astype(int), **keywords)
        scores = _scores(classifier, new)
    if not np.isfinite(scores).all():
        raise ValueError(f"{type(classifier).__name__} gives scores that are not finite.")
    return scores


def telling_features(X: Array, labeled: Array) -> Array:
    """Return the features whose means differ most between P and U, in their own order.

    The time of a fit grows with the features; of thousands, most have little to say.
    """
    known = ~np.isnan(X)
    values = np.where(known, X, 0)
    means = [
        values[group].sum(axis=0) / np.maximum(known[group].sum(axis=0), 1)
        for group in (labeled, ~labeled)
    ]
    deviation = np.sqrt(np.maximum(np.square(values).mean(axis=0) - values.mean(axis=0) ** 2, 0))
    difference = np.abs(means[0] - means[1]) / np.maximum(deviation, 1e-12)
    best = np.argsort(-difference, kind="stable")[:_MOST_FEATURES]
    return np.sort(best)


def _scores(classifier: Any, X: Array) -> Array:
    """Return the decision function or, in its place, the log-odds."""
    if hasattr(classifier, "decision_function"):
        return np.asarray(classifier.decision_function(X), dtype=np.float64)
    probability = np.asarray(classifier.predict_proba(X), dtype=np.float64)[:, 1]
    probability = np.clip(probability, _PROBABILITY_FLOOR, 1 - _PROBABILITY_FLOOR)
    log_odds: Array = np.log(probability / (1 - probability))
    return log_odds


def _seeded(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy; randomness that was left open is fixed by the seed."""
    copy = clone(estimator)
    parameters = copy.get_params()
    unset = [
        name
        for name, value in parameters.items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return copy.set_params(**dict.fromkeys(unset, seed))
