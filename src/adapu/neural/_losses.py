"""The PU risk of a mini-batch, and what a step goes down on.

With the mean over P of a surrogate loss ℓ(f) or ℓ(−f), and that over U of ℓ(−f),

    positive part  π · E_P[ℓ(f)]
    negative part  E_U[ℓ(−f)] − π · E_P[ℓ(−f)]

their sum estimates the risk E[ℓ(y f(x))] without bias (uPU). The negative part estimates a mean of
losses, which no mean of losses can be below 0: where it is, the network has learned P by heart.
nnPU counts it as max(negative part, −β), and where it is below −β makes a step up on it, γ times as
long, in place of one down on the risk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.nn import functional

Tensor = Any  # torch is not looked into by the type checker

#: ℓ(z), large where z is negative, by the name of the loss.
SURROGATES: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": lambda z: torch.sigmoid(-z),
    "logistic": lambda z: functional.softplus(-z),
}


class Objective(NamedTuple):
    """What one mini-batch asks for."""

    descent: Tensor  # the step goes down on this
    risk: Tensor  # the estimated risk
    corrected: Tensor  # whether the negative part was below −β


def pu_objective(
    positives: Tensor,
    unlabeled: Tensor,
    prior: float,
    *,
    loss: str = "nnpu",
    surrogate: str = "sigmoid",
    beta: float = 0.0,
    gamma: float = 1.0,
    positive_weight: Tensor | None = None,
    unlabeled_weight: Tensor | None = None,
) -> Objective:
    """Return the objective, given the scores f of a batch's rows of P and of U."""
    ell = SURROGATES[surrogate]
    positive = prior * _mean(ell(positives), positive_weight)
    negative = _mean(ell(-unlabeled), unlabeled_weight)
    negative = negative - prior * _mean(ell(-positives), positive_weight)
    risk = positive + negative
    if loss == "upu":
        return Objective(risk, risk, torch.zeros_like(risk, dtype=torch.bool))
    below = negative < -beta
    # torch.where keeps a GPU from waiting for Python to learn which branch it is
    return Objective(
        torch.where(below, -gamma * negative, risk),
        positive + negative.clamp(min=-beta),
        below,
    )


def _mean(losses: Tensor, weight: Tensor | None) -> Tensor:
    if weight is None:
        return losses.mean()
    return (weight * losses).sum() / weight.sum()
