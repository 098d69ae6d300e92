"""Elkan & Noto (KDD 2008): c is the mean of P(s = 1 | x) over the labeled rows.

P and U are taken together as one sample in which s says who is labeled. If the classes do not
overlap, P(s = 1 | x) = c for every positive, with c the share of positives that are labeled. The
classifier may have been trained with any class weights, so its scores are first turned into
P(s = 1 | x) by a logistic curve (Platt).
"""

from __future__ import annotations

import numpy as np

from adapu._model import Array
from adapu.prior._places import Places

_STEPS = 100
_RIDGE = 1e-3  # keeps the slope finite where scores separate P from U


def elkan_noto_share(places: Places) -> tuple[Array, dict[str, Array]]:
    """Return the share of positives in U of each sample, and the label frequency in P ∪ U."""
    centre, spread = places.values.mean(), places.values.std() or 1.0
    z = (places.values - centre) / spread
    found = [_label_frequency(z, p, u) for p, u in zip(*places[1:], strict=True)]
    c = np.maximum(np.array(found), 1e-12)
    n_p, n_u = (group.sum(axis=1) for group in places[1:])
    return n_p * (1 - c) / (c * n_u), {"labeled_share_of_positives": c}


def _label_frequency(z: Array, positive: Array, unlabeled: Array) -> float:
    """Return the mean over P of P(s = 1 | z), by Newton's method."""
    design = np.column_stack([np.ones_like(z), z])
    weight = positive + unlabeled
    beta = np.array([np.log(positive.sum() / unlabeled.sum()), 0.0])
    objective = _penalised(design @ beta, beta, positive, weight)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(design @ beta)))
        gradient = design.T @ (positive - weight * p) - _RIDGE * beta
        hessian = (design.T * (weight * p * (1 - p))) @ design + _RIDGE * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        while (new := _penalised(design @ (beta + step), beta + step, positive, weight)) < (
            objective - 1e-9 * abs(objective)
        ):
            step /= 2
        beta, objective = beta + step, new
        if np.abs(step).max() < 1e-8:
            break
    return float(positive @ (1 / (1 + np.exp(-(design @ beta)))) / positive.sum())


def _penalised(logit: Array, beta: Array, positive: Array, weight: Array) -> float:
    """Return the logarithm of the likelihood, less the penalty on the coefficients."""
    likelihood = positive @ logit - weight @ np.logaddexp(0, logit)
    return float(likelihood - _RIDGE / 2 * beta @ beta)
