"""Boosting for positive-unlabeled data."""

from adapu import datasets, metrics
from adapu._classifier import AdaPUClassifier

__all__ = ["AdaPUClassifier", "datasets", "metrics"]
__version__ = "0.1.0"
