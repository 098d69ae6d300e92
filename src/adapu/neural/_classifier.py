"""The estimator: a neural network that learns from positive and unlabeled rows."""

from __future__ import annotations

import copy
import importlib
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from adapu._model import Array
from adapu._resolved_prior import resolved_prior
from adapu._rows import TrainingRows, checked_rows, forget_fit
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
from adapu.metrics._predictions import zero_one_loss
from adapu.metrics._sample import Sample

if TYPE_CHECKING:
    from adapu.neural._training import DeviceRows, Epoch, Plan

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


OnEpoch = Callable[["NeuralPUClassifier", int], object]


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
        Adam's step size, greater than 0 and at most 1.
    weight_decay : float, default=5e-8
        So many times the weights are added to their gradient, from 0 to 1.
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
        whose risk, weights and scores were finite, and a warning is given.
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
        The weights after each epoch, on the CPU; empty unless `keep_epochs`.
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
        on_epoch: OnEpoch | None = None,
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
            deviation; batch norm is not. A weight of 0 leaves a row out, as does one below 2⁻⁵⁰⁰ of
            the largest.
        on_epoch : callable, default=None
            Called as ``on_epoch(model, epoch)`` after each epoch, from 1 on, with this estimator,
            which predicts with the weights of that epoch and has `history_` and `training_scores_`
            up to it: to look at test rows by epoch, with no weights kept.

        Returns
        -------
        NeuralPUClassifier
            The fitted estimator.
        """
        forget_fit(self)
        self._check_parameters()
        require_torch()
        rows = checked_rows(self, self._flat(X), y, sample_weight)
        self._check_features(rows.X.shape[1])
        prior, self.prior_interval_ = resolved_prior(rows, self.prior, self.scenario, None)
        sample = sample_of(rows, prior, single_set=self.scenario == "single-set")
        self.classes_, self.prior_ = rows.classes, prior
        try:
            self._train(rows, sample, on_epoch)
        except BaseException:
            forget_fit(self)
            raise
        return self

    def _train(self, rows: TrainingRows, sample: Sample, on_epoch: OnEpoch | None) -> None:
        """Train a network; after each epoch all that is fitted is of that epoch."""
        from adapu.neural._training import train

        device_rows = self._on_device(rows, sample)
        network = self._new_network(rows, device_rows.device)
        plan = self._plan(rows.seed)
        self.history_: Array = np.empty(0, EPOCH_DTYPE)
        self.epoch_states_: list[dict[str, Any]] = []
        with progress(self, device_rows.n_batches(plan.batch_size)) as bar:
            for epoch in train(network, device_rows, plan, bar.update):
                self._record(epoch, network, sample)
                loss = self.history_["nn_zero_one_loss"][-1]
                bar.set_postfix_str(f"epoch {self.n_iter_}, training PU loss {loss:.4f}", False)
                if on_epoch is not None:
                    self._calibrate(sample)
                    on_epoch(self, self.n_iter_)
        self._calibrate(sample)
        self.stop_reason_ = "n_epochs reached"
        if self.n_iter_ < self.n_epochs:
            self.stop_reason_ = "risk not finite"
            warnings.warn(
                f"The risk, a weight or a score was not finite in epoch {self.n_iter_ + 1}: "
                f"training stopped, and the network is that of epoch {self.n_iter_}. Lower "
                f"learning_rate, {self.learning_rate:g}, or standardize the rows.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _on_device(self, rows: TrainingRows, sample: Sample) -> DeviceRows:
        """Standardise the rows that count, and put them where the network is trained."""
        from adapu.neural._device import find_device
        from adapu.neural._standardizer import fit_standardizer, no_standardizer
        from adapu.neural._training import put_on_device

        n_features = rows.X.shape[1]
        X = rows.X if sample.kept is None else rows.X[sample.kept]
        self.standardizer_ = no_standardizer(n_features)
        if self.standardize:
            population = np.flatnonzero(sample.weight_population)
            n_channels = 3 if self.network in IMAGE_NETWORKS else n_features
            self.standardizer_ = fit_standardizer(
                X, population, sample.weight_population[population], n_channels
            )
        weighted = rows.sample_weight is not None
        return put_on_device(X, self.standardizer_, sample, weighted, find_device(self.device))

    def _new_network(self, rows: TrainingRows, device: Any) -> Any:
        """Return the network with its first weights."""
        import torch

        from adapu.neural._device import seeded
        from adapu.neural._networks import make_network

        if isinstance(self.network, torch.nn.Module):
            raise TypeError(
                "network must be a name or a function that makes a module, so that every fit "
                f"starts anew; got a module, {type(self.network).__name__}."
            )
        n_features = rows.X.shape[1]
        with seeded(device, rows.seed, 0):  # the epochs are numbered from 1
            if callable(self.network):
                network = self.network(n_features)
            else:
                network = make_network(
                    self.network,
                    n_features,
                    int(self.n_hidden_layers),
                    int(self.width),
                    self.activation,
                )
        if not isinstance(network, torch.nn.Module):
            raise TypeError(
                "network must be a name or a function that returns a torch.nn.Module; it returned "
                f"{network!r}."
            )
        layout = torch.channels_last if device.type == "cuda" else torch.preserve_format
        return network.to(device, memory_format=layout)

    def _plan(self, seed: int) -> Plan:
        """Return what the training needs to know."""
        from adapu.neural._losses import pu_objective
        from adapu.neural._training import Plan

        return Plan(
            partial(
                pu_objective,
                prior=self.prior_,
                loss=self.loss,
                surrogate=self.surrogate,
                beta=float(self.nn_beta),
                gamma=float(self.nn_gamma),
            ),
            float(self.learning_rate),
            float(self.weight_decay),
            int(self.batch_size),
            int(self.n_epochs),
            self.precision,
            seed,
        )

    def _record(self, epoch: Epoch, network: Any, sample: Sample) -> None:
        """Keep what is known after an epoch."""
        from adapu.neural._training import copied_state

        self.network_ = network
        tpr, q = sample.means(epoch.scores > 0)
        losses = [zero_one_loss(self.prior_, tpr, q, non_negative=nn) for nn in (False, True)]
        line = np.array([(epoch.risk, epoch.corrections, *losses, tpr, 1 - q)], EPOCH_DTYPE)
        self.history_ = np.concatenate([self.history_, line])
        self.n_iter_ = len(self.history_)
        self.training_scores_ = np.full(sample.n_given, np.nan)
        self.training_scores_[slice(None) if sample.kept is None else sample.kept] = epoch.scores
        if self.keep_epochs:
            self.epoch_states_.append(copied_state(network, "cpu"))

    def _calibrate(self, sample: Sample) -> None:
        """Learn what turns scores into probabilities from those of the training rows."""
        from adapu.calibration._maps import calibrate  # it imports much, so only when needed

        scores = self.training_scores_
        if sample.kept is not None:
            scores = scores[sample.kept]
        population = sample.weight_population > 0
        self.calibrator_ = calibrate(
            scores[sample.labeled],
            scores[population],
            prior=self.prior_,
            positive_weight=sample.weight[sample.labeled],
            population_weight=sample.weight[population],
        )

    def decision_function(self, X: Any) -> Array:
        """Return the score of each row: above 0 where the row is taken for a positive.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores.
        """
        X = self._checked(X)
        return self._scores(self._network_on_device(), X)

    def predict(self, X: Any) -> Array:
        """Return the class of each row, in the labels of y.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            ``classes_[1]`` where `decision_function` is above 0, ``classes_[0]`` elsewhere.
        """
        return self._labels(self.decision_function(X))

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, calibrated on the training rows.

        It never falls as `decision_function` rises, and averages to the prior over the population.
        Where it is one half a row is as likely positive as not; `predict` cuts at a score of 0,
        which need not be the same place.

        A network may score the labeled rows that it has learned from far better than new ones:
        then :class:`~adapu.calibration.PUCalibratedClassifier` is better calibrated.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The columns follow `classes_`: the second is that of the positive class.
        """
        return self._probabilities(self.decision_function(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy against **true** labels.

        Without true labels, look at the PU losses in `history_` or see :mod:`adapu.metrics`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.
        y : array-like of shape (n_rows,)
            Their true labels, with the values of `classes_`: the first of them means negative. With
            numbers, 0 and −1 both do.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights of the rows.

        Returns
        -------
        float
            The share of rows whose class is predicted.
        """
        scores = self.decision_function(X)
        truth = check_true_labels(y, self.classes_)
        return float(accuracy_score(truth, scores > 0, sample_weight=sample_weight))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Yield the scores after each epoch; the last equal `decision_function` to the bit.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.

        Yields
        ------
        ndarray of shape (n_rows,)
            The scores.
        """
        X = self._checked(X)
        if not self.epoch_states_:
            raise ValueError(
                "keep_epochs must be True in fit for staged predictions, which need the weights of "
                "every epoch; it was False. fit(..., on_epoch=...) looks at each epoch without "
                "keeping them."
            )
        network = copy.deepcopy(self._network_on_device())
        for state in self.epoch_states_:
            network.load_state_dict(state)
            yield self._scores(network, X)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield the predicted classes after each epoch.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.

        Yields
        ------
        ndarray of shape (n_rows,)
            The classes.
        """
        for scores in self.staged_decision_function(X):
            yield self._labels(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Yield the probabilities after each epoch, by the calibration of the final network.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_rows, 3, 32, 32) for images
            The rows.

        Yields
        ------
        ndarray of shape (n_rows, 2)
            The probabilities.
        """
        for scores in self.staged_decision_function(X):
            yield self._probabilities(scores)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has succeeded, or is at the end of an epoch."""
        return hasattr(self, "network_")

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the network on the CPU, so that any machine can load it."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "network_" in state:
            state["network_"] = copy.deepcopy(state["network_"]).cpu()
        return state

    def _network_on_device(self) -> Any:
        from adapu.neural._device import find_device

        check_choice("device", self.device, DEVICES)
        return self.network_.to(find_device(self.device))

    def _scores(self, network: Any, X: Array) -> Array:
        """Return the scores, some rows at a time."""
        from adapu.neural._standardizer import chunks
        from adapu.neural._training import score_rows

        device = next(network.parameters()).device
        scores = np.empty(X.shape[0])
        for part in chunks(*X.shape):
            values = self.standardizer_.apply(X[part], device)
            scores[part] = score_rows(network, values, self.precision)
        return scores

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        X = self._flat(X)
        X = validate_data(self, X, dtype="numeric", ensure_all_finite=False, reset=False)
        rows = as_real(X)
        check_finite(rows, getattr(self, "feature_names_in_", None))
        return rows

    def _flat(self, X: Any) -> Any:
        """Return images as rows, and anything else as it is."""
        if len(getattr(X, "shape", ())) != 4:
            return X
        X = np.asarray(X)
        if X.shape[1:] != (3, 32, 32) and self.network in IMAGE_NETWORKS:
            raise ValueError(
                f"X must have the shape (n_rows, 3, 32, 32), colours first, or (n_rows, 3072) for "
                f"network={self.network!r}; got {X.shape}."
            )
        return X.reshape(X.shape[0], -1)

    def _check_features(self, n_features: int) -> None:
        if self.network in IMAGE_NETWORKS and n_features != N_PIXELS:
            raise ValueError(
                f"X must have {N_PIXELS} features, three planes of 32 × 32 pixels, for "
                f"network={self.network!r}; got {n_features}."
            )

    def _probabilities(self, scores: Array) -> Array:
        positive = self.calibrator_.predict(scores)
        return np.column_stack([1 - positive, positive])

    def _labels(self, scores: Array) -> Array:
        return self.classes_[(scores > 0).astype(np.intp)]

    def _check_parameters(self) -> None:
        if self.prior is not None:
            check_real("prior", self.prior, 0, 1)
        check_choice("loss", self.loss, LOSSES)
        check_choice("surrogate", self.surrogate, SURROGATE_NAMES)
        check_real("nn_beta", self.nn_beta, 0, math.inf, low_included=True)
        check_real("nn_gamma", self.nn_gamma, 0, 1, low_included=True, high_included=True)
        if not callable(self.network):
            check_choice("network", self.network, NETWORKS)
        check_integer("n_hidden_layers", self.n_hidden_layers, 1)
        check_integer("width", self.width, 1)
        check_choice("activation", self.activation, ACTIVATION_NAMES)
        check_flag("standardize", self.standardize)
        check_real("learning_rate", self.learning_rate, 0, 1, high_included=True)
        check_real("weight_decay", self.weight_decay, 0, 1, low_included=True, high_included=True)
        check_integer("batch_size", self.batch_size, 2)
        check_integer("n_epochs", self.n_epochs, 1)
        check_choice("scenario", self.scenario, SCENARIOS)
        check_flag("keep_epochs", self.keep_epochs)
        check_choice("device", self.device, DEVICES)
        check_choice("precision", self.precision, PRECISIONS)
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, 0)

    def __sklearn_tags__(self) -> Tags:
        """Return the tags: binary only, and y = 0 does not mean negative."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def require_torch() -> None:
    """Raise an ImportError that says what to install unless there is PyTorch."""
    try:
        importlib.import_module("torch")
    except ModuleNotFoundError:
        raise ImportError(
            "NeuralPUClassifier needs PyTorch, which is not installed: pip install 'adapu[neural]'."
        ) from None


def sample_of(rows: TrainingRows, prior: float, *, single_set: bool) -> Sample:
    """Return the rows that count, as metrics and calibration take them."""
    n_rows = rows.X.shape[0]
    labeled, counts = np.zeros(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
    labeled[rows.positives] = True
    counts[rows.positives] = counts[rows.unlabeled] = True
    weight = np.ones(n_rows) if rows.sample_weight is None else rows.sample_weight
    kept = None if counts.all() else counts
    if kept is not None:
        labeled, weight = labeled[kept], weight[kept]
    return Sample(labeled, weight, prior, single_set, rows.classes, kept, n_rows)


@contextmanager
def progress(model: NeuralPUClassifier, n_batches: int) -> Iterator[Any]:
    """Show a bar of all mini-batches of a fit, if the model is to be verbose."""
    from tqdm import tqdm

    with tqdm(
        total=int(model.n_epochs) * n_batches,
        desc={"nnpu": "nnPU", "upu": "uPU"}[model.loss],
        unit="batch",
        disable=not model.verbose,
    ) as bar:
        yield bar
        bar.total = bar.n  # the training may have stopped early, and is then done
        bar.refresh()
