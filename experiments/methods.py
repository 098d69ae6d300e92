"""One fit of each kind: from a cell's data to what its row says."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapu import AdaPUClassifier, AdaPUClassifierCV
from adapu.datasets import Dataset, make_pn, make_pu
from experiments import paper
from experiments.configs import ADAPU, ADAPU_CV, NETWORK_METHODS, PN_METHODS, Cell
from experiments.machine import Resources, rounded
from experiments.networks import fit_network

Result = dict[str, Any]
Fit = Callable[[Dataset, Cell, dict[str, Any], Resources], Result]


def fit_method(method: str) -> Fit:
    """The function that fits a method."""
    if method in NETWORK_METHODS:
        return fit_network
    return {ADAPU: fit_adapu, ADAPU_CV: fit_adapu_cv}.get(method, fit_pn)


# ---------------------------------------------------------------------------------------- AdaPU


def fit_adapu(data: Dataset, cell: Cell, setting: dict[str, Any], on: Resources) -> Result:
    """AdaPU on the paper's PU sample; also the stump's feature of every round."""
    X, s = make_pu(
        data.X_train, data.y_train, paper.N_POSITIVE[cell.column], random_state=cell.seed
    )
    model = AdaPUClassifier(data.prior, random_state=cell.seed, n_jobs=on.threads, **setting)
    return boosted(model.fit(X, s), data)


def fit_adapu_cv(data: Dataset, cell: Cell, setting: dict[str, Any], on: Resources) -> Result:
    """AdaPU whose β and number of rounds are chosen by cross-validation on the PU sample.

    Beside the choice of the estimator, which stops boosting where the loss is lowest, stands the
    paper's: the β whose loss is lowest after all rounds.
    """
    X, s = make_pu(
        data.X_train, data.y_train, paper.N_POSITIVE[cell.column], random_state=cell.seed
    )
    model = AdaPUClassifierCV(data.prior, random_state=cell.seed, n_jobs=on.threads, **setting)
    result = boosted(model.fit(X, s), data)
    mean_loss = model.loss_curves_.mean(axis=1)
    return result | {
        "betas": [float(beta) for beta in model.cv_results_["param_learning_rate"]],
        "loss_after_all_rounds": rounded(mean_loss[:, -1]),
        "lowest_loss": rounded(mean_loss.min(axis=1)),
        "rounds_to_lowest_loss": model.cv_results_["param_n_estimators"].tolist(),
        "chosen_beta": model.learning_rate_,
        "chosen_rounds": model.n_estimators_,
        "beta_after_all_rounds": float(model.cv_results_["param_learning_rate"][best(mean_loss)]),
    }


def best(mean_loss: NDArray[np.float64]) -> int:
    """The first setting with the lowest loss after all rounds."""
    return int(mean_loss[:, -1].argmin())


def boosted(model: AdaPUClassifier, data: Dataset) -> Result:
    """What a fitted model does, round by round."""
    history = model.history_
    return {
        "test_accuracy": float(model.score(data.X_test, data.y_test)),
        "train_accuracy": float(model.score(data.X_train, data.y_train)),
        "n_rounds": model.n_iter_,
        "stop_reason": model.stop_reason_,
        "features": model.stumps_["feature"].tolist(),
        "curves": {
            "test_loss": losses(model.staged_predict(data.X_test), data.y_test),
            "train_loss": losses(model.staged_predict(data.X_train), data.y_train),
            "train_pu_loss": rounded(history["zero_one_loss"]),
            "positives_called_positive": rounded(history["positives_called_positive"]),
            "unlabeled_called_negative": rounded(history["unlabeled_called_negative"]),
        },
    }


def losses(answers: Iterable[Any], truth: NDArray[np.int64]) -> list[float]:
    """The true zero-one loss of each round's answers."""
    return rounded(np.mean(answer != truth) for answer in answers)


# ---------------------------------------------------------------------------------- PN boosting


def fit_pn(data: Dataset, cell: Cell, setting: dict[str, Any], on: Resources) -> Result:
    """A booster at its defaults on the paper's PN sample."""
    X, y = make_pn(
        data.X_train, data.y_train, paper.N_POSITIVE[cell.column], random_state=cell.seed
    )
    model, by_round = PN_FITS[cell.method](X, y, data, cell.seed, on.threads, setting)
    return {
        "test_accuracy": float(np.mean(model.predict(data.X_test) == data.y_test)),
        "train_accuracy": float(np.mean(model.predict(data.X_train) == data.y_train)),
        "n_positive": int(np.sum(y == 1)),
        "n_negative": int(np.sum(y == 0)),
        "curves": {"test_loss": by_round},
    }


def fit_xgboost(
    X: Any, y: Any, data: Dataset, seed: int, threads: int, setting: dict[str, Any]
) -> tuple[Any, list[float]]:
    """XGBoost, which keeps the test error of every round itself."""
    xgboost = importlib.import_module("xgboost")
    model = xgboost.XGBClassifier(
        random_state=seed, n_jobs=threads, eval_metric="error", **setting
    ).fit(X, y, eval_set=[(data.X_test, data.y_test)], verbose=False)
    return model, rounded(model.evals_result()["validation_0"]["error"])


def fit_sklearn(name: str) -> Callable[..., tuple[Any, list[float]]]:
    """One of scikit-learn's boosters."""

    def fit(
        X: Any, y: Any, data: Dataset, seed: int, threads: int, setting: dict[str, Any]
    ) -> tuple[Any, list[float]]:
        kind = getattr(importlib.import_module("sklearn.ensemble"), name)
        model = kind(random_state=seed, **setting).fit(X, y)
        return model, losses(model.staged_predict(data.X_test), data.y_test)

    return fit


PN_FITS = dict(
    zip(
        PN_METHODS,
        (
            fit_xgboost,
            fit_sklearn("GradientBoostingClassifier"),
            fit_sklearn("AdaBoostClassifier"),
        ),
        strict=True,
    )
)
