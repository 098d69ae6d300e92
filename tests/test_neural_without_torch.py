"""Without PyTorch the package is whole, and `fit` says what to install."""

import sys

import pytest
from helpers import pu_data
from sklearn.base import clone

from adapu.neural import NeuralPUClassifier


def test_fit_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    X, s = pu_data(0)
    model = clone(NeuralPUClassifier(0.4, loss="upu"))
    with pytest.raises(ImportError, match=r"not installed: pip install 'adapu\[neural\]'\.$"):
        model.fit(X, s)
    assert not model.__sklearn_is_fitted__()
