"""Epochs of Adam on the PU risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from adapu._model import Array
from adapu.metrics._sample import Sample
from adapu.neural._batches import count_batches, epoch_batches
from adapu.neural._device import autocast, fastest_convolutions, seeded
from adapu.neural._losses import Objective
from adapu.neural._standardizer import Standardizer, chunks

Tensor = Any  # torch is not looked into by the type checker

# The rows that are scored at once: their activations must fit into memory.
ROWS_AT_ONCE = {"cpu": 512, "cuda": 4096}


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """The training rows on the device, standardised, and which of them are P and U."""

    values: Tensor  # (n_rows, n_features)
    positives: Tensor  # the numbers of P's rows
    unlabeled: Tensor  # and of U's; in a single set every row
    positive_weight: Tensor | None
    unlabeled_weight: Tensor | None

    @property
    def device(self) -> Any:
        """Where they are."""
        return self.values.device

    def n_batches(self, batch_size: int) -> int:
        """Return the number of mini-batches of an epoch."""
        return count_batches(len(self.positives), len(self.unlabeled), batch_size)


class Epoch(NamedTuple):
    """What an epoch did."""

    risk: float  # the mean over its mini-batches
    corrections: float  # the share of mini-batches whose negative part was below −β
    scores: Array  # of all rows, after it


@dataclass(frozen=True)
class Plan:
    """How to train: the parameters of the estimator that concern it."""

    objective: Callable[..., Objective]
    learning_rate: float
    weight_decay: float
    batch_size: int
    n_epochs: int
    precision: str
    seed: int


def put_on_device(
    X: Array, standardizer: Standardizer, sample: Sample, weighted: bool, device: Any
) -> DeviceRows:
    """Return the rows of a sample on the device."""
    values = torch.empty(X.shape, dtype=torch.float32, device=device)
    for part in chunks(*X.shape):
        values[part] = standardizer.apply(X[part], device)
    groups = [np.flatnonzero(sample.labeled), np.flatnonzero(sample.weight_population)]
    # float64, for the smallest weight may be 2⁻⁵⁰⁰ of the largest
    weights = [torch.tensor(sample.weight[rows], device=device) for rows in groups]
    positives, unlabeled = (torch.tensor(rows, device=device) for rows in groups)
    if not weighted:
        return DeviceRows(values, positives, unlabeled, None, None)
    return DeviceRows(values, positives, unlabeled, *weights)


def train(
    network: Any, rows: DeviceRows, plan: Plan, on_batch: Callable[[], object]
) -> Iterator[Epoch]:
    """Train the network, which changes in place, and yield after each epoch.

    An epoch that leaves the risk, a weight or a score infinite or NaN is the last: the network gets
    back the weights of the epoch before. In the first epoch it is an error.
    """
    optimizer = torch.optim.Adam(
        network.parameters(),
        lr=plan.learning_rate,
        weight_decay=plan.weight_decay,
        fused=rows.device.type == "cuda",  # one kernel for all weights
    )
    order = np.random.default_rng(plan.seed)
    finite_state = None
    for number in range(1, plan.n_epochs + 1):
        with seeded(rows.device, plan.seed, number), fastest_convolutions():
            epoch = _run_epoch(network, optimizer, rows, plan, order, on_batch)
        if not (math.isfinite(epoch.risk) and is_finite(network, epoch.scores)):
            if finite_state is None:
                raise FloatingPointError(
                    "The risk, a weight or a score was not finite in the first epoch already: "
                    f"lower learning_rate, {plan.learning_rate:g}, or standardize the rows."
                )
            network.load_state_dict(finite_state)
            return
        finite_state = copied_state(network, rows.device)
        yield epoch


def _run_epoch(
    network: Any,
    optimizer: Any,
    rows: DeviceRows,
    plan: Plan,
    order: np.random.Generator,
    on_batch: Callable[[], object],
) -> Epoch:
    """Make one step per mini-batch, and score all rows."""
    network.train()
    n_batches = rows.n_batches(plan.batch_size)
    risk = torch.zeros((), dtype=torch.float64, device=rows.device)
    corrections = torch.zeros_like(risk)
    for numbers in epoch_batches(order, len(rows.positives), len(rows.unlabeled), n_batches):
        p, u = (torch.as_tensor(part).to(rows.device, non_blocking=True) for part in numbers)
        values = rows.values[torch.cat([rows.positives[p], rows.unlabeled[u]])]
        with autocast(rows.device, plan.precision):
            scores = checked_scores(network(values), len(values))
        objective = plan.objective(
            scores[: len(p)],
            scores[len(p) :],
            positive_weight=None if rows.positive_weight is None else rows.positive_weight[p],
            unlabeled_weight=None if rows.unlabeled_weight is None else rows.unlabeled_weight[u],
        )
        optimizer.zero_grad(set_to_none=True)
        objective.descent.backward()
        optimizer.step()
        risk += objective.risk.detach()
        corrections += objective.corrected
        on_batch()
    scores = score_rows(network, rows.values, plan.precision)
    return Epoch(risk.item() / n_batches, corrections.item() / n_batches, scores)


def checked_scores(scores: Tensor, n_rows: int) -> Tensor:
    """Return what a network answered as (n_rows,) float32."""
    if not torch.is_tensor(scores) or scores.numel() != n_rows:
        answer = tuple(scores.shape) if torch.is_tensor(scores) else type(scores).__name__
        raise ValueError(
            f"network must make a module that gives one score per row, ({n_rows},) or "
            f"({n_rows}, 1); it gave {answer}."
        )
    return scores.reshape(n_rows).float()


def score_rows(network: Any, values: Tensor, precision: str) -> Array:
    """Return the scores of rows on the device, as float64."""
    step = ROWS_AT_ONCE[values.device.type]
    network.eval()
    with torch.inference_mode(), autocast(values.device, precision):
        parts = [checked_scores(network(part), len(part)) for part in values.split(step)]
    return np.asarray(torch.cat(parts).cpu().numpy(), dtype=np.float64)


def is_finite(network: Any, scores: Array) -> bool:
    """Whether every weight of the network and every score is a finite number."""
    state = [value for value in network.state_dict().values() if value.is_floating_point()]
    weights = all(bool(torch.isfinite(value).all()) for value in state)
    return weights and bool(np.isfinite(scores).all())


def copied_state(network: Any, device: Any) -> dict[str, Tensor]:
    """Return a copy of the weights on a device."""
    state = network.state_dict()
    return {name: value.detach().to(device, copy=True) for name, value in state.items()}
