"""Boosting for positive-unlabeled data."""

from adapu._classifier import AdaPUClassifier

__all__ = ["AdaPUClassifier"]
__version__ = "0.1.0"
