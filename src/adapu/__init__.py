"""Boosting for positive-unlabeled data."""

from adapu import metrics
from adapu._classifier import AdaPUClassifier

__all__ = ["AdaPUClassifier", "metrics"]
__version__ = "0.1.0"
