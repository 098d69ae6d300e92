"""Neural networks trained on the unbiased and the non-negative PU risk.

They need PyTorch, the extra ``neural``, which is imported only by `fit`.
"""

from adapu.neural._classifier import NeuralPUClassifier

__all__ = ["NeuralPUClassifier"]
