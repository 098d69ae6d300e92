"""Choosing β and the number of rounds by cross-validated PU loss."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from adapu._boosting import Boosted, boost
from adapu._classifier import AdaPUClassifier, say
from adapu._folds import pu_folds
from adapu._model import Array
from adapu._rows import TrainingRows
from adapu._thresholds import Thresholds
from adapu._validation import check_integer, check_real

if TYPE_CHECKING:
    from adapu.backends.cpu import CpuBackend

__all__ = ["PAPER_LEARNING_RATES", "AdaPUClassifierCV"]

#: The values of β that the paper chooses from.
PAPER_LEARNING_RATES = (0.0001, 0.001, 0.01, 0.1, 0.2, 0.5, 0.7, 0.9, 1.0)


class AdaPUClassifierCV(AdaPUClassifier):
    """AdaPU with β and the number of rounds chosen by cross-validation, from PU data alone.

    For each value of β and each fold, a model learns from the other folds, and after every round
    its non-negative PU zero-one loss is taken on the fold. The β and the number of rounds with the
    lowest mean loss are used for the final model, which learns from all rows. The number of rounds
    costs nothing to choose: it is read off the loss by round of the same fits.

    Rows that are copies of one another share a fold, so no model is asked about a row that it has
    seen; U often holds copies of P's rows.

    Parameters
    ----------
    prior : float or None, default=None
        As in :class:`~adapu.AdaPUClassifier`; an estimate is made once, from all rows.
    learning_rates : sequence of float, default=(0.0001, 0.001, 0.01, 0.1, 0.2, 0.5, 0.7, 0.9, 1.0)
        The values of β to choose from; the default is the paper's.
    cv : int, default=5
        The number of folds.
    n_estimators : int, default=100
        The largest number of rounds.
    n_thresholds, thresholds, normalization, scenario, cutoff, pos_label, random_state
        As in :class:`~adapu.AdaPUClassifier`.
    n_jobs : int or None, default=None
        The number of fits that run side by side, on one copy of the rows.
    verbose : int, default=0
        1 shows a progress bar, and says what was chosen.

    Attributes
    ----------
    learning_rate_ : float
        The β that was chosen.
    n_estimators_ : int
        The number of rounds that was chosen.
    best_params_ : dict
        Both under their names: ``"learning_rate"`` and ``"n_estimators"``.
    best_index_ : int
        The place of this choice in `cv_results_`.
    best_score_ : float
        The mean score of this choice, its negative PU loss.
    cv_results_ : dict of str to ndarray
        One entry per value of β, at its own best number of rounds, with the keys of scikit-learn's
        searches: ``params``, ``param_learning_rate``, ``param_n_estimators``,
        ``split0_test_score``, ..., ``mean_test_score``, ``std_test_score``, ``rank_test_score``,
        ``mean_fit_time``, ``std_fit_time``, ``mean_score_time`` and ``std_score_time``. Scores are
        negative PU losses. They are taken round by round inside the fits, whose times hold theirs:
        the times to score are 0.
    loss_curves_ : ndarray of shape (n_learning_rates, cv, n_estimators)
        The held-out PU loss by round. Where boosting stopped early the last loss is repeated.
    stumps_, history_, ...
        What :class:`~adapu.AdaPUClassifier` has, of the final model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from adapu.model_selection import AdaPUClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> s = y * (np.random.default_rng(0).random(len(y)) < 0.5)  # half of the benign are labeled
    >>> clf = AdaPUClassifierCV(
    ...     prior=y.mean(), learning_rates=[0.1, 0.5], scenario="single-set", random_state=0
    ... )
    >>> clf.fit(X, s).score(X, y) > 0.9  # against the true labels
    True
    >>> clf.cv_results_["mean_test_score"].shape
    (2,)
    >>> sorted(clf.best_params_)
    ['learning_rate', 'n_estimators']
    """

    def __init__(
        self,
        prior: float | None = None,
        *,
        learning_rates: Sequence[float] = PAPER_LEARNING_RATES,
        cv: int = 5,
        n_estimators: int = 100,
        n_thresholds: int | None = 10,
        thresholds: str = "random",
        normalization: str = "per-group",
        scenario: str = "case-control",
        cutoff: str = "zero",
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            prior,
            n_estimators=n_estimators,
            n_thresholds=n_thresholds,
            thresholds=thresholds,
            normalization=normalization,
            scenario=scenario,
            cutoff=cutoff,
            pos_label=pos_label,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.learning_rates = learning_rates
        self.cv = cv

    def _boost(
        self, backend: CpuBackend, thresholds: Thresholds, rows: TrainingRows, prior: float
    ) -> tuple[Boosted, CpuBackend]:
        """Cross-validate, and boost on all rows with what was chosen."""
        rates = [float(rate) for rate in self.learning_rates]
        folds = pu_folds(rows.labeled, rows.copies, int(self.cv), rows.seed)
        curves, seconds = self._curves(backend, thresholds, rows, prior, rates, folds)
        n_rounds = curves.mean(axis=1).argmin(axis=1) + 1  # of the lowest, the first
        scores = -np.take_along_axis(curves, (n_rounds - 1)[:, None, None], axis=2)[:, :, 0]
        best = int(scores.mean(axis=1).argmax())
        self.loss_curves_ = curves
        self.cv_results_ = results(rates, n_rounds, scores, seconds)
        self.learning_rate_, self.n_estimators_ = rates[best], int(n_rounds[best])
        self.best_index_, self.best_score_ = best, float(scores[best].mean())
        self.best_params_ = self.cv_results_["params"][best]
        if self.verbose:
            say(
                f"adapu: chose learning_rate={self.learning_rate_:g} and {self.n_estimators_} "
                f"rounds, with a PU loss of {-self.best_score_:.4f}."
            )
        boosted = boost(
            backend,
            thresholds,
            prior=prior,
            normalization=self.normalization,
            n_estimators=self.n_estimators_,
            learning_rate=self.learning_rate_,
            cutoff=self.cutoff,
        )
        return boosted, backend

    def _curves(
        self,
        backend: CpuBackend,
        thresholds: Thresholds,
        rows: TrainingRows,
        prior: float,
        rates: list[float],
        folds: Array,
    ) -> tuple[Array, Array]:
        """Return the held-out loss by rate, fold and round, and the seconds of each fit."""
        from tqdm import tqdm

        n_folds, n_estimators = int(self.cv), int(self.n_estimators)
        curves = np.empty((len(rates), n_folds, n_estimators))
        seconds = np.empty((len(rates), n_folds))

        def one(task: tuple[int, int]) -> None:
            rate, fold = task
            start = time.perf_counter()
            boosted = boost(
                backend.holding_out(*rows.of_p_and_u(folds == fold), n_threads=1),
                thresholds,
                prior=prior,
                normalization=self.normalization,
                n_estimators=n_estimators,
                learning_rate=rates[rate],
                cutoff=self.cutoff,
            )
            loss = boosted.validation_loss
            assert loss is not None
            # a model without a stump calls nothing positive
            curves[rate, fold] = loss[-1] if loss.size else prior
            curves[rate, fold, : loss.size] = loss
            seconds[rate, fold] = time.perf_counter() - start

        tasks = list(np.ndindex(seconds.shape))
        with ThreadPoolExecutor(self._n_threads()) as pool:
            done = pool.map(one, tasks)
            for _ in tqdm(done, "AdaPU", len(tasks), disable=not self.verbose, unit="fit"):
                pass
        return curves, seconds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("cv", self.cv, 2)
        rates = self.learning_rates
        if np.ndim(rates) != 1 or not len(rates):  # neither is an iterator, good for one use alone
            raise ValueError(
                f"learning_rates must be a sequence of at least one number; got {rates!r}."
            )
        for rate in rates:
            check_real("each of learning_rates", rate, 0, 1, high_included=True)


def results(rates: list[float], n_rounds: Array, scores: Array, seconds: Array) -> dict[str, Any]:
    """Return the table of a search, with the keys of scikit-learn's."""
    table: dict[str, Any] = {
        "params": [
            {"learning_rate": rate, "n_estimators": int(n)}
            for rate, n in zip(rates, n_rounds, strict=True)
        ],
        "param_learning_rate": np.ma.array(rates),
        "param_n_estimators": np.ma.array(n_rounds),
    }
    table |= {f"split{fold}_test_score": column for fold, column in enumerate(scores.T)}
    return table | {
        "mean_test_score": scores.mean(axis=1),
        "std_test_score": scores.std(axis=1),
        "rank_test_score": rankdata(-scores.mean(axis=1), method="min").astype(np.int32),
        "mean_fit_time": seconds.mean(axis=1),
        "std_fit_time": seconds.std(axis=1),
        "mean_score_time": np.zeros(len(rates)),
        "std_score_time": np.zeros(len(rates)),
    }
