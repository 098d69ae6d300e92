"""The estimator: a neural network that learns from positive and unlabeled rows."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from adapu._model import Array
from adapu._resolved_prior import resolved_prior
from adapu._rows import TrainingRows, checked_rows
from adapu._validation import (
    SCENARIOS,
    as_real,
    check_choice,
    check_finite,
    check_flag,
    check_integer,
    check_real,
    check_true_labels,
)

if TYPE_CHECKING:
    from adapu.neural._training import DeviceRows, Plan

LOSSES = ("nnpu", "upu")
SURROGATE_NAMES = ("sigmoid", "logistic")
IMAGE_NETWORKS = ("resnet18", "resnet32", "resnet56", "resnet110", "all-conv")
NETWORKS = ("mlp", *IMAGE_NETWORKS)
ACTIVATION_NAMES = ("relu", "softsign")
DEVICES = ("cpu", "cuda", "auto")
PRECISIONS = ("float32", "bfloat16")

N_PIXELS = 3 * 32 * 32

#: One line of `history_`.
EPOCH_DTYPE = np.dtype(
    [
        ("risk", np.float64),
        ("corrections", np.float64),
        ("zero_one_loss", np.float64),
        ("nn_zero_one_loss", np.float64),
        ("positives_called_positive", np.float64),
        ("unlabeled_called_negative", np.float64),
    ]
)


class NeuralPUClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A neural network trained by Adam on the unbiased or the non-negative PU risk.

    uPU estimates the risk of a classifier from labeled positives and unlabeled rows without bias:
    π E_P[ℓ(f)] + E_U[ℓ(−f)] − π E_P[ℓ(−f)]. A flexible network can make the last two terms, which
    stand for the loss on negatives, as negative as it likes by learning P by heart. nnPU takes them
    for 0 once they fall below 0, and then makes a step that raises them again.

    Needs PyTorch: ``pip install 'adapu[neural]'``.

    Parameters
    ----------
    prior : float or None, default=None
        The share π of positives in the population, between 0 and 1, both excluded. None estimates
        it from the rows, see :func:`adapu.prior.estimate_prior`; a prior that you know is better.
    loss : {"nnpu", "upu"}, default="nnpu"
        The risk: non-negative, or unbiased.
    surrogate : {"sigmoid", "logistic"}, default="sigmoid"
        The loss ℓ(z) of a row with margin z: 1 / (1 + e^z), or ln(1 + e^−z).
    nn_beta : float, default=0.0
        nnPU's β, at least 0: the negative part may fall to −β before it is corrected.
    nn_gamma : float, default=1.0
        nnPU's γ, from 0 to 1: the gradient of a correction is multiplied by it.
    network : str or callable, default="mlp"
        ``"mlp"``, a perceptron with batch norm; for 32 × 32 colour images ``"resnet18"``,
        ``"resnet32"``, ``"resnet56"``, ``"resnet110"`` or ``"all-conv"``; or a function that is
        given the number of features and returns a :class:`torch.nn.Module`, which is given
        standardised rows (n, n_features), float32, and returns a score per row.
    n_hidden_layers : int, default=3
        The number of hidden layers of ``"mlp"``.
    width : int, default=300
        The units in each of them.
    activation : {"relu", "softsign"}, default="relu"
        What follows the batch norm in each of them.
    standardize : bool, default=True
        Whether U's mean is taken away from each feature, and the rest divided by U's standard
        deviation; with the networks for images, from each colour.
    learning_rate : float, default=0.001
        Adam's step size.
    weight_decay : float, default=5e-8
        So many times the weights are added to their gradient.
    batch_size : int, default=500
        The rows of a mini-batch, P's and U's together. Every mini-batch has the same ratio of them,
        and at least one of each.
    n_epochs : int, default=100
        How many times all rows are used.
    scenario : {"case-control", "single-set"}, default="case-control"
        How the rows came about. ``"case-control"``: the unlabeled rows are a sample of the
        population, the labeled ones a separate sample of its positives. ``"single-set"``: all rows
        together are a sample of the population, and some of its positives were labeled; then U is
        all rows.
    pos_label : label or None, default=None
        The label in y of the labeled positives. None means the larger of two numbers or booleans;
        text labels must name it.
    keep_epochs : bool, default=False
        Whether to keep the weights of every epoch, in `epoch_states_`, for staged predictions. The
        default perceptron on 30 features takes 0.8 MB per epoch, ``"resnet18"`` 45 MB.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where to train and to predict. ``"auto"`` takes a GPU where there is one. It may be changed
        after `fit`.
    precision : {"float32", "bfloat16"}, default="float32"
        What layers compute in; weights, the last layer and the loss are float32 in either case.
        bfloat16 makes convolutions on a recent GPU several times faster.
    random_state : int, RandomState instance or None, default=None
        The seed of weights and mini-batches. On a CPU the same seed, with the same number of
        PyTorch's threads, gives the same network to the last bit. PyTorch's own generators are left
        as they were.
    verbose : int, default=0
        1 shows a progress bar with the current PU loss on the training rows, the
        `nn_zero_one_loss` of `history_`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The label of unlabeled rows, then that of positives. In `predict` the first means negative.
    prior_ : float
        The prior that was used.
    prior_interval_ : tuple of two floats, or None
        Where the prior was estimated, the interval that holds it with 90 % confidence.
    network_ : torch.nn.Module
        The network.
    standardizer_ : Standardizer
        What is done to rows before they reach the network: `mean` and `scale`.
    calibrator_ : IsotonicCalibrator
        What turns `decision_function` into probabilities.
    n_iter_ : int
        The number of epochs.
    stop_reason_ : str
        ``"n_epochs reached"``, or ``"risk not finite"``: the network is then that of the last epoch
        whose risk and weights were finite, and a warning is given.
    history_ : structured ndarray of shape (n_iter_,)
        One line per epoch. `risk`: the mean over its mini-batches; nnPU's has the negative part at
        −β at least. `corrections`: the share of mini-batches whose negative part was below that.
        After the epoch, on all training rows: `zero_one_loss` and `nn_zero_one_loss`, the unbiased
        and the non-negative PU estimate of the training error; and the rates
        `positives_called_positive` and `unlabeled_called_negative`.
    training_scores_ : ndarray of shape (n_rows,)
        The scores of the training rows after the last epoch, NaN where the sample weight is 0. They
        may differ from `decision_function` by rounding.
    epoch_states_ : list of dict
        With `keep_epochs`: the weights after each epoch, on the CPU.
    n_features_in_ : int
        The number of features seen in `fit`; 3,072 for images.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has string column names.

    References
    ----------
    R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama, "Positive-Unlabeled Learning with
    Non-Negative Risk Estimator", NIPS 2017.

    M. C. du Plessis, G. Niu and M. Sugiyama, "Convex Formulation for Learning from Positive and
    Unlabeled Data", ICML 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from adapu.datasets import make_pu
    >>> from adapu.neural import NeuralPUClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)  # y = 1: benign
    >>> X_pu, s = make_pu(X, y, 100, random_state=0)  # 100 rows known to be benign, and all rows
    >>> clf = NeuralPUClassifier(prior=y.mean(), width=20, n_epochs=30, random_state=0)
    >>> clf.fit(X_pu, s).score(X, y) > 0.85  # against the true labels
    True
    """

    def __init__(
        self,
        prior: float | None = None,
        *,
        loss: str = "nnpu",
        surrogate: str = "sigmoid",
        nn_beta: float = 0.0,
        nn_gamma: float = 1.0,
        network: str | Callable[[int], Any] = "mlp",
        n_hidden_layers: int = 3,
        width: int = 300,
        activation: str = "relu",
        standardize: bool = True,
        learning_rate: float = 1e-3,
        weight_decay: float = 5e-8,
        batch_size: int = 500,
        n_epochs: int = 100,
        scenario: str = "case-control",
        pos_label: Any = None,
        keep_epochs: bool = False,
        device: str = "cpu",
        precision: str = "float32",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.loss = loss
        self.surrogate = surrogate
        self.nn_beta = nn_beta
        self.nn_gamma = nn_gamma
        self.network = network
        self.n_hidden_layers = n_hidden_layers
        self.width = width
        self.activation = activation
        self.standardize = standardize
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.scenario = scenario
        self.pos_label = pos_label
        self.keep_epochs = keep_epochs
        self.device = device
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        on_epoch: Callable[[NeuralPUClassifier, int], object] | None = None,
    ) -> Self:
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows. Images may also be given flat, 3,072 features: the red, the green and the
            blue plane.
        y : array-like of shape (n_rows,)
            1 for a labeled positive and 0 (or −1, or False) for an unlabeled row, or any two
            labels, see `pos_label`.
        sample_weight : array-like of shape (n_rows,), default=None
            The means of losses are weighted by it, within each mini-batch, as are U's mean and
            deviation; batch norm is not. A weight of 0 leaves a row out.
        on_epoch : callable, default=None
            Called as ``on_epoch(model, epoch)`` after each epoch, from 1 on, with this estimator,
            which predicts with the weights of that epoch and has `history_` and `training_scores_`
            up to it: to look at test rows by epoch, with no weights kept.

        Returns
        -------
        NeuralPUClassifier
            The fitted estimator.
        """
        raise NotImplementedError
