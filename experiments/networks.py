"""One fit of a network, epoch by epoch, and what PU validation says of it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapu.datasets import Dataset, make_pu
from adapu.metrics import pu_zero_one_loss
from experiments import paper
from experiments.configs import Cell
from experiments.machine import Resources, rounded

Result = dict[str, Any]


def fit_network(data: Dataset, cell: Cell, setting: dict[str, Any], on: Resources) -> Result:
    """A network on the paper's PU sample.

    With ``held_out`` that share of P and of U is kept from training, a row of P together with its
    copy in U, and the PU loss of the trained network on it is written down.
    """
    torch = importlib.import_module("torch")
    neural = importlib.import_module("adapu.neural")
    torch.set_num_threads(on.threads)
    X, s, rows = make_pu(
        data.X_train,
        data.y_train,
        paper.N_POSITIVE[cell.column],
        random_state=cell.seed,
        return_indices=True,
    )
    held_out = held_out_rows(s, rows, setting["held_out"], cell.seed)
    unlabeled_truth = data.y_train[rows[(s == 0) & ~held_out]]
    X_val, s_val = X[held_out], s[held_out]
    X, s = (X[~held_out], s[~held_out]) if held_out.any() else (X, s)
    curves: dict[str, list[float]] = {"test_loss": [], "train_loss": []}

    def on_epoch(model: Any, epoch: int) -> None:
        answers = model.training_scores_[s == 0] > 0
        curves["train_loss"].append(np.mean(answers != unlabeled_truth))
        curves["test_loss"].append(np.mean(model.predict(data.X_test) != data.y_test))

    model = neural.NeuralPUClassifier(
        data.prior,
        loss=cell.method.lower(),
        learning_rate=setting["learning_rate"],
        weight_decay=setting["weight_decay"],
        batch_size=setting["batch_size"],
        n_epochs=setting["epochs"],
        activation=setting["activation"],
        device=on.device,
        precision=on.precision,
        random_state=cell.seed,
        **architecture(setting["network"]),
    ).fit(X, s, on_epoch=on_epoch)
    result: Result = {
        "test_accuracy": 1 - curves["test_loss"][model.n_iter_ - 1],
        "train_accuracy": 1 - curves["train_loss"][model.n_iter_ - 1],
        "n_rounds": model.n_iter_,
        "stop_reason": model.stop_reason_,
        "curves": {name: rounded(curve) for name, curve in curves.items()}
        | {
            "train_pu_loss": rounded(model.history_["zero_one_loss"]),
            "positives_called_positive": rounded(model.history_["positives_called_positive"]),
            "unlabeled_called_negative": rounded(model.history_["unlabeled_called_negative"]),
        },
    }
    if held_out.any():
        loss = pu_zero_one_loss(s_val, model.predict(X_val), prior=data.prior, non_negative=True)
        result["validation_loss"] = round(float(loss), 5)
        result["curves"] = {"test_loss": result["curves"]["test_loss"]}  # the grid is large
    return result


def architecture(name: str) -> dict[str, Any]:
    """The parameters of a network of the paper: "MLP-3", "ResNet-18", "all-conv"."""
    if name.startswith("MLP-"):
        return {"network": "mlp", "n_hidden_layers": int(name.removeprefix("MLP-")), "width": 300}
    return {"network": name if name == paper.ALL_CONV else name.lower().replace("-", "")}


def held_out_rows(
    s: NDArray[np.int64], rows: NDArray[np.int64], share: float, seed: int
) -> NDArray[np.bool_]:
    """Which rows of a PU sample to hold out: a share of P with its copies in U, and of the rest."""
    rng = np.random.default_rng([seed, 1])
    labeled = np.unique(rows[s == 1])
    others = np.setdiff1d(rows[s == 0], labeled)
    chosen = [
        rng.choice(part, round(share * part.size), replace=False) for part in (labeled, others)
    ]
    return np.isin(rows, np.concatenate(chosen))
