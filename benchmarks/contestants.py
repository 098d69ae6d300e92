"""Who takes part: how each is built, how it scores rows, how many rounds it really ran."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LEARNING_RATE = 0.1


@dataclass(frozen=True)
class Contestant:
    """One library with one setting.

    build(rounds, threads) makes an unfitted model, score(model, X) is its cheapest public
    call for decision values, rounds_run(model) counts the rounds that added something.
    """

    key: str
    title: str
    package: str
    build: Callable[[int, int], Any]
    score: Callable[[Any, np.ndarray], np.ndarray]
    rounds_run: Callable[[Any], int]
    is_slow: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether this is adapu."""
        return self.package == "adapu"

    @property
    def is_installed(self) -> bool:
        """Whether the package can be found, without importing it."""
        return importlib.util.find_spec(self.package) is not None


def _adapu(normalization: str) -> Callable[[int, int], Any]:
    def build(rounds: int, threads: int) -> Any:
        return adapu_model(rounds, threads, normalization=normalization)

    return build


def adapu_model(
    rounds: int, threads: int, normalization: str = "per-group", n_thresholds: int = 10
) -> Any:
    """AdaPU as it is benched everywhere."""
    from adapu import AdaPUClassifier

    return AdaPUClassifier(
        prior=0.5,
        n_estimators=rounds,
        learning_rate=LEARNING_RATE,
        n_thresholds=n_thresholds,
        thresholds="random",
        normalization=normalization,
        random_state=0,
        n_jobs=threads,
    )


def adapu_rounds(model: Any) -> int:
    """Rounds that AdaPU ran, empty ones left out."""
    stumps = model.stumps_[: model.n_iter_]
    return int((stumps["feature"] >= 0).sum())


def _lightgbm(rounds: int, threads: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=rounds,
        learning_rate=LEARNING_RATE,
        num_leaves=2,
        n_jobs=threads,
        random_state=0,
        verbose=-1,
    )


def _xgboost(rounds: int, threads: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=rounds,
        learning_rate=LEARNING_RATE,
        tree_method="hist",
        max_depth=1,
        n_jobs=threads,
        random_state=0,
    )


def _hist_gradient_boosting(rounds: int, threads: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    del threads  # OpenMP's: set by the environment of the process
    return HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=LEARNING_RATE,
        max_leaf_nodes=2,
        early_stopping=False,
        random_state=0,
    )


def _adaboost(rounds: int, threads: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    del threads  # it has one thread
    return AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1),
        n_estimators=rounds,
        learning_rate=LEARNING_RATE,
        random_state=0,
    )


def _decision(model: Any, X: np.ndarray) -> np.ndarray:
    return model.decision_function(X)


CONTESTANTS = {
    one.key: one
    for one in (
        Contestant(
            "adapu-per-group",
            "adapu, per-group",
            "adapu",
            _adapu("per-group"),
            _decision,
            adapu_rounds,
        ),
        Contestant(
            "adapu-over-all",
            "adapu, over-all",
            "adapu",
            _adapu("over-all"),
            _decision,
            adapu_rounds,
        ),
        Contestant(
            "lightgbm",
            "LightGBM, num_leaves=2",
            "lightgbm",
            _lightgbm,
            lambda model, X: model.predict(X, raw_score=True),
            lambda model: model.booster_.num_trees(),
        ),
        Contestant(
            "xgboost",
            "XGBoost hist, max_depth=1",
            "xgboost",
            _xgboost,
            lambda model, X: model.predict(X, output_margin=True),
            lambda model: model.get_booster().num_boosted_rounds(),
        ),
        Contestant(
            "hgb",
            "HistGradientBoosting, max_leaf_nodes=2",
            "sklearn",
            _hist_gradient_boosting,
            _decision,
            lambda model: model.n_iter_,
        ),
        Contestant(
            "adaboost",
            "AdaBoost on stumps (one thread)",
            "sklearn",
            _adaboost,
            _decision,
            lambda model: len(model.estimators_),
            is_slow=True,
        ),
    )
}
BOOSTERS = ("lightgbm", "xgboost")  # the two whose faster one the fit is compared with
