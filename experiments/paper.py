"""The paper's own numbers: what it ran and what it found. Nothing here is measured by us."""

from __future__ import annotations

from typing import NamedTuple

CIFAR10, EPSILON, UNSW, BREAST = "CIFAR-10", "Epsilon", "UNSW-NB15", "Breast Cancer"
DATA = (CIFAR10, EPSILON, UNSW, BREAST)  # the columns of its table of accuracies

N_ROUNDS = 100
N_EPOCHS = 100
N_THRESHOLDS = 10
N_SEEDS = 5
BETAS = (0.0001, 0.001, 0.01, 0.1, 0.2, 0.5, 0.7, 0.9, 1.0)

N_POSITIVE = {CIFAR10: 1000, EPSILON: 1000, UNSW: 1000, BREAST: 10}
N_NEGATIVE = {CIFAR10: 562, EPSILON: 256, UNSW: 55, BREAST: 1}  # of the PN samples

BETA = {
    "per-group": {CIFAR10: 0.2, EPSILON: 0.2, UNSW: 0.1, BREAST: 0.001},
    "over-all": {CIFAR10: 0.01, EPSILON: 0.1, UNSW: 0.01, BREAST: 0.0001},
}


class Accuracy(NamedTuple):
    """Mean and standard deviation over five seeds, in %."""

    mean: float
    std: float


def _row(*cells: tuple[float, float]) -> dict[str, Accuracy]:
    return {data: Accuracy(*cell) for data, cell in zip(DATA, cells, strict=True)}


ACCURACY = {
    "nnPU": _row((87.17, 1.14), (70.38, 1.92), (74.61, 0.26), (90.35, 8.48)),
    "uPU": _row((82.97, 4.42), (61.53, 2.20), (74.54, 0.49), (76.84, 10.22)),
    "XGBoost": _row((85.29, 0.57), (63.78, 0.58), (77.46, 0.60), (77.19, 0.00)),
    "GBDT": _row((86.46, 0.36), (58.71, 1.58), (76.59, 1.26), (90.70, 2.82)),
    "AdaBoost": _row((86.10, 0.54), (63.83, 1.13), (77.13, 0.36), (75.96, 10.32)),
    "AdaPU over-all": _row((84.83, 0.13), (71.60, 1.08), (76.60, 0.0), (93.86, 1.64)),
    "AdaPU per-group": _row((85.77, 0.08), (72.01, 0.91), (76.60, 0.0), (92.28, 2.09)),
}


class Network(NamedTuple):
    """An architecture with the hyper-parameters that the paper chose on test accuracy."""

    network: str
    weight_decay: float
    learning_rate: float


NETWORKS = {
    "nnPU": {
        CIFAR10: Network("ResNet-18", 5e-8, 1e-4),
        EPSILON: Network("MLP-3", 5e-8, 1e-3),
        UNSW: Network("MLP-9", 5e-8, 1e-2),
        BREAST: Network("MLP-3", 5e-8, 1e-3),
    },
    "uPU": {
        CIFAR10: Network("ResNet-110", 5e-8, 1e-3),
        EPSILON: Network("MLP-9", 5e-9, 1e-2),
        UNSW: Network("MLP-9", 5e-8, 1e-2),
        BREAST: Network("MLP-3", 5e-8, 1e-4),
    },
}

# What it chose from.
MLPS = ("MLP-1", "MLP-3", "MLP-6", "MLP-7", "MLP-9")
RESNETS = ("ResNet-18", "ResNet-32", "ResNet-56", "ResNet-110")
ALL_CONV = "all-conv"
LEARNING_RATES = (1e-2, 1e-3, 1e-4)
WEIGHT_DECAYS = (5e-8, 5e-9)
ACTIVATION = {CIFAR10: "relu", EPSILON: "softsign", UNSW: "relu", BREAST: "relu"}
