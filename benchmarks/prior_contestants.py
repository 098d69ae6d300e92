"""Estimators of the prior that take part, each as a function of a draw."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from adapu.prior import estimate_prior, prior_from_prior_unlabeled

Array = np.ndarray
Answer = dict[str, Any]
KERNEL_ROWS = 400  # of each group, that the kernel methods of pu-toolbox look at

OURS = ("auto", "convex", "bbe", "dedpul", "elkan-noto", "tice")


def adapu(method: str) -> Callable[[Array, Array, str, int], Answer]:
    """One of adapu's methods, with its defaults."""

    def estimate(X: Array, s: Array, scenario: str, seed: int) -> Answer:
        found = estimate_prior(X, s, method=method, scenario=scenario, random_state=seed)
        return {"prior": found.prior, "low": found.interval[0], "high": found.interval[1]}

    return estimate


def pulearn(name: str) -> Callable[[Array, Array, str, int], Answer]:
    """One of pulearn's estimators, with its defaults, on standardised features.

    They take P and U for one sample. In case-control their answer is turned into the share of
    positives in U, so that they are not charged for the scenario.
    """

    def estimate(X: Array, s: Array, scenario: str, seed: int) -> Answer:
        from pulearn import priors

        prior = getattr(priors, name)().fit(StandardScaler().fit_transform(X), s).pi_
        if scenario == "case-control":
            labeled = float(np.mean(s))
            prior = max(prior - labeled, 0.0) / (1 - labeled)
        return {"prior": float(prior)}

    return estimate


def pu_toolbox(
    name: str, width_selection: str = "relative"
) -> Callable[[Array, Array, str, int], Answer]:
    """One of pu-toolbox's estimators, on standardised features.

    They estimate the share of positives in U, which in a single set is turned into the prior.
    `width_selection` is the kernel methods' own way to their width: the default is so narrow that
    rows in twenty dimensions seem unrelated, "mmd_grid" is that of the method's authors.
    """

    def estimate(X: Array, s: Array, scenario: str, seed: int) -> Answer:
        from pu_toolbox import prior as package

        X = StandardScaler().fit_transform(X)
        kernel = package.KernelMeanPriorEstimator(
            variant="km1" if name == "km1" else "km2",
            width_selection=width_selection,
            max_samples_per_group=KERNEL_ROWS,
            random_state=seed,
        )
        estimator = {
            "penl1": package.ClassPriorEstimator(),
            "km1": kernel,
            "km2": kernel,
            "recpe": package.ReCPEEstimator(base_estimator=kernel),
        }[name]
        share = float(estimator.fit(X, s).estimate())
        n_labeled = int(np.sum(s))
        return {
            "prior": prior_from_prior_unlabeled(
                share, n_labeled=n_labeled, n_unlabeled=len(s) - n_labeled, scenario=scenario
            )
        }

    return estimate


CONTESTANTS = {f"adapu {method}": adapu(method) for method in OURS} | {
    "pulearn label frequency": pulearn("LabelFrequencyPriorEstimator"),
    "pulearn histogram match": pulearn("HistogramMatchPriorEstimator"),
    "pulearn SCAR-EM": pulearn("ScarEMPriorEstimator"),
    "pu-toolbox penL1": pu_toolbox("penl1"),
    "pu-toolbox KM1": pu_toolbox("km1"),
    "pu-toolbox KM2": pu_toolbox("km2"),
    "pu-toolbox ReCPE": pu_toolbox("recpe"),
    "pu-toolbox KM1, mmd_grid": pu_toolbox("km1", "mmd_grid"),
    "pu-toolbox KM2, mmd_grid": pu_toolbox("km2", "mmd_grid"),
}
ONE_SEED = tuple(name for name in CONTESTANTS if "KM" in name or "ReCPE" in name)  # slow


def answer(name: str, X: Array, s: Array, scenario: str, seed: int) -> Answer:
    """Return what a contestant says, or why it says nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return CONTESTANTS[name](X, s, scenario, seed)
        except ImportError as error:
            return {"missing": str(error)}
        except Exception as error:  # a peer's failure is a result too
            return {"failed": f"{type(error).__name__}: {error}"}
