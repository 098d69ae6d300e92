"""Boosting for positive-unlabeled data."""

from adapu import calibration, datasets, metrics, model_selection, neural, prior
from adapu._classifier import AdaPUClassifier
from adapu.calibration import PUCalibratedClassifier
from adapu.model_selection import AdaPUClassifierCV

__all__ = [
    "AdaPUClassifier",
    "AdaPUClassifierCV",
    "PUCalibratedClassifier",
    "calibration",
    "datasets",
    "metrics",
    "model_selection",
    "neural",
    "prior",
]
__version__ = "0.1.0"
