"""Best bin estimation (Garg, Wu, Smola, Balakrishnan & Lipton, NeurIPS 2021).

Let q_P and q_U be the shares of P and U with scores of at least z. Since q_U ≥ π q_P at every z,
q_U / q_P is an upper bound of π, tight where no negatives lie above z. The cut is the one with the
lowest upper confidence bound of the ratio,

    q_U / q_P + (1 + γ) / q_P · (√(ln(4/δ) / 2n_u) + √(ln(4/δ) / 2n_p)).
"""

from __future__ import annotations

import math

import numpy as np

from adapu._model import Array
from adapu.prior._places import Places

_DELTA, _GAMMA = 0.1, 0.01  # the authors'


def bbe_share(places: Places) -> tuple[Array, dict[str, Array]]:
    """Return the share of positives in U of each sample, and where the cut fell."""
    n_p, n_u = (group.sum(axis=1, keepdims=True) for group in places[1:])
    q_p, q_u = (
        np.cumsum(group[:, ::-1], axis=1)[:, ::-1] / n
        for group, n in ((places.positive, n_p), (places.unlabeled, n_u))
    )
    slack = np.sqrt(math.log(4 / _DELTA) / 2) * (1 / np.sqrt(n_u) + 1 / np.sqrt(n_p))
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(q_p > 0, (q_u + (1 + _GAMMA) * slack) / q_p, np.inf)
    best = np.argmin(bound, axis=1)
    rows = np.arange(len(best))
    return q_u[rows, best] / q_p[rows, best], {
        "cut": places.values[best],
        "labeled_above": q_p[rows, best],
        "unlabeled_above": q_u[rows, best],
        "upper_bound": np.minimum(bound[rows, best], 1.0),
    }
