"""The estimator: what people call."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from adapu import _model
from adapu._boosting import CUTOFFS, MAX_ROUNDS, Boosted, Patience, boost
from adapu._codes import MAX_CODES
from adapu._folds import pu_holdout
from adapu._model import TICK, Array
from adapu._resolved_prior import resolved_prior
from adapu._rows import TrainingRows, checked_rows, forget_fit
from adapu._search import NORMALIZATIONS
from adapu._thresholds import STRATEGIES, Thresholds, make_thresholds
from adapu._validation import (
    SCENARIOS,
    as_real,
    check_choice,
    check_finite,
    check_flag,
    check_integer,
    check_jobs,
    check_real,
    check_true_labels,
    check_validation_fraction,
)

if TYPE_CHECKING:
    from adapu.backends._interface import MarginSample
    from adapu.backends.cpu import CpuBackend
    from adapu.calibration._maps import Calibrator


class AdaPUClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boosting for positive-unlabeled data: AdaPU on decision stumps.

    Some rows are known to be positive, and nobody labeled the others, which may be of either
    class. AdaPU runs AdaBoost's loop on an estimate of the exponential loss that needs no
    negatives: an unlabeled row counts as negative, and each labeled positive takes back, with a
    negative weight, what the positives hidden among the unlabeled were wrongly charged.

    Parameters
    ----------
    prior : float or None, default=None
        The share π of positives in the population, between 0 and 1, both excluded. None estimates
        it from the rows, see :func:`adapu.prior.estimate_prior`; a prior that you know is better.
    n_estimators : int, default=100
        The number of boosting rounds T. Boosting may stop earlier, see `stop_reason_`.
    learning_rate : float, default=0.1
        The shrinkage β of every stump's weight, greater than 0 and at most 1. Steps are whole
        multiples of 2⁻⁴⁰, about 10⁻¹², so rates below about 10⁻¹⁰ lose precision.
    n_thresholds : int or None, default=10
        The number K of candidate thresholds per feature and round, at most 65,535. With
        ``thresholds="quantile"`` there is no limit, and None means all cuts.
    thresholds : {"random", "even", "quantile"}, default="random"
        Where the candidates lie. ``"random"``: K fresh uniform draws per feature and round from an
        interval slightly larger than the feature's range, which has 65,536 equal steps.
        ``"even"``: K thresholds spread evenly over that interval, the same in every round.
        ``"quantile"``: at most 255 cuts between distinct values, placed at quantiles, of which each
        round draws K per feature.
    normalization : {"per-group", "over-all"}, default="per-group"
        How a stump's error is normalised: within each of the three groups of weights, or by their
        sum.
    scenario : {"case-control", "single-set"}, default="case-control"
        How the rows came about. ``"case-control"``: the unlabeled rows are a sample of the
        population, the labeled ones a separate sample of its positives. ``"single-set"``: all rows
        together are a sample of the population, and some of its positives were labeled.
    cutoff : {"zero", "prior"}, default="zero"
        Which margins mean positive. ``"zero"``: those above 0, as in the paper. ``"prior"``: those
        above the cut at which the share of the population that is called positive equals the
        prior. Shrunken steps may leave nearly all margins on one side of 0 although they rank the
        rows well; the cut at the prior then makes the better classes.
    early_stopping : bool, default=False
        Whether to hold out some rows and to stop when the PU loss on them gets no better.
    validation_fraction : float, int or None, default=0.1
        With `early_stopping`: the share of the rows, or their number, to hold out; P and U are
        divided alike, and copies of a row stay together. None watches the loss on the training
        rows instead.
    n_iter_no_change : int, default=10
        With `early_stopping`: stop when none of so many last rounds had a loss below that of the
        round before them.
    tol : float, default=1e-7
        With `early_stopping`: by how much a loss must be lower to count as lower.
    pos_label : label or None, default=None
        The label in y of the labeled positives. None means the larger of two numbers or booleans;
        text labels must name it.
    random_state : int, RandomState instance or None, default=None
        The seed of the thresholds. The same seed gives the same model to the last bit, whatever
        the number of threads.
    n_jobs : int or None, default=None
        The number of threads. None means 1 unless in a :obj:`joblib.parallel_config` context, −1
        means all processors.
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
    cutoff_ : float
        The margin H above which a row is called positive: `decision_function` returns
        H − `cutoff_`.
    calibrator_ : IsotonicCalibrator
        What turns `decision_function` into probabilities.
    n_iter_ : int
        The number of rounds that were run.
    stop_reason_ : str
        Why boosting ended: ``"n_estimators reached"``, ``"total weight not positive"`` (the
        estimated loss Z is not positive, nothing is left to reduce), ``"no admissible stump"``
        (under candidates that never change), or, with early stopping, ``"no better on held-out
        rows"`` or, where none are held out, ``"no better on training rows"``.
    stumps_ : structured ndarray of shape (n_iter_,)
        One stump per round. It says `polarity` where feature `feature` is greater than
        `threshold`, and −`polarity` elsewhere. `alpha` is its weight before shrinkage, `error`
        what the weight was computed from, `step` what it added to the margin. A round without an
        admissible stump has feature −1, polarity 0, alpha 0 and error NaN.
    history_ : structured ndarray of shape (n_iter_,)
        One line per round. `Z`, `E`: the total weight at the start of the round and the part that
        the stump has wrong (half of it in an empty round), both times e^(−`log_scale`), where
        `log_scale` is 0 unless margins grow into the hundreds. `error`, `nn_error`: the stump's,
        in the normalisation in use. After the round: `cutoff`, the margin above which a row is
        called positive; `zero_one_loss` and `nn_zero_one_loss`, the unbiased and the non-negative
        PU estimate of the training error; and the rates `positives_called_positive` and
        `unlabeled_called_negative`.
    validation_loss_ : ndarray of shape (n_iter_,), or None
        The non-negative PU loss after each round on the rows that early stopping held out, if it
        held out any.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The sum of `alpha` over each feature's stumps, as shares of the whole.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has string column names.

    References
    ----------
    Y. Zhao, M. Zhang, C. Zhang, W. Chen, N. Ye and M. Xu, "A Boosting Algorithm for
    Positive-Unlabeled Learning".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from adapu import AdaPUClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)  # y = 1: benign
    >>> positives = np.flatnonzero(y)[:50]  # 50 rows known to be benign ...
    >>> X_pu = np.vstack([X[positives], X])  # ... beside 569 rows without a label
    >>> s = np.r_[np.ones(50, int), np.zeros(569, int)]
    >>> clf = AdaPUClassifier(prior=y.mean(), random_state=0).fit(X_pu, s)
    >>> clf.stop_reason_  # the estimated loss has no room left, which is no error
    'total weight not positive'
    >>> clf.score(X, y) > 0.85  # against the true labels
    True
    """

    def __init__(
        self,
        prior: float | None = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        n_thresholds: int | None = 10,
        thresholds: str = "random",
        normalization: str = "per-group",
        scenario: str = "case-control",
        cutoff: str = "zero",
        early_stopping: bool = False,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.n_thresholds = n_thresholds
        self.thresholds = thresholds
        self.normalization = normalization
        self.scenario = scenario
        self.cutoff = cutoff
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows. float32 and float64 stay what they are, float16 is taken as float32, and
            anything else as float64.
        y : array-like of shape (n_rows,)
            1 for a labeled positive and 0 (or −1, or False) for an unlabeled row, or any two
            labels, see `pos_label`.
        sample_weight : array-like of shape (n_rows,), default=None
            Given the prior, a weight of 2 counts a row twice; one of 0 leaves it out, and so does
            one below 2⁻⁵⁰⁰ of the largest. An estimated prior also depends on the effective number
            of rows, (Σw)² / Σw².

        Returns
        -------
        AdaPUClassifier
            The fitted estimator.
        """
        forget_fit(self)
        self._check_parameters()
        rows = checked_rows(self, X, y, sample_weight)
        prior, interval = resolved_prior(rows, self.prior, self.scenario, self.n_jobs)
        n_thresholds = None if self.n_thresholds is None else int(self.n_thresholds)

        # numba is imported when it is needed, so that `import adapu` is quick
        from adapu._threads import announced_compilation
        from adapu.backends.cpu import CpuBackend

        with (
            announced_compilation(say if self.verbose else None),
            CpuBackend(
                rows.X,
                rows.positives,
                rows.unlabeled,
                sample_weight=rows.sample_weight,
                single_set=self.scenario == "single-set",
                n_threads=self._n_threads(),
            ) as backend,
        ):
            thresholds = make_thresholds(
                self.thresholds, backend, n_thresholds, rows.seed, rows.names
            )
            backend.encode(thresholds.encoding)
            boosted, backend = self._boost(backend, thresholds, rows, prior)
            margins = backend.margins()
        del backend  # the columns are no longer needed
        n_rounds = len(boosted.stumps)
        cutoff = float(boosted.history["cutoff"][-1]) if n_rounds else 0.0
        self.calibrator_ = calibrated(*margins, cutoff, prior)
        self.classes_, self.prior_, self.prior_interval_ = rows.classes, prior, interval
        self.cutoff_, self.n_iter_ = cutoff, n_rounds
        self.stumps_, self.history_, self.stop_reason_, self.validation_loss_ = boosted
        return self

    def _boost(
        self, backend: CpuBackend, thresholds: Thresholds, rows: TrainingRows, prior: float
    ) -> tuple[Boosted, CpuBackend]:
        """Boost on the prepared rows; the backend returned has the final margins."""
        patience, n_estimators = None, int(self.n_estimators)
        if self.early_stopping:
            patience = Patience(int(self.n_iter_no_change), float(self.tol))
            share = self.validation_fraction
            if share is not None:
                share = int(share) if isinstance(share, Integral) else float(share)
                held_out = pu_holdout(rows.labeled, rows.copies, share, rows.seed)
                backend = backend.holding_out(*rows.of_p_and_u(held_out))
        with _progress(n_estimators if self.verbose else 0) as on_round:
            boosted = boost(
                backend,
                thresholds,
                prior=prior,
                normalization=self.normalization,
                n_estimators=n_estimators,
                learning_rate=float(self.learning_rate),
                cutoff=self.cutoff,
                patience=patience,
                on_round=on_round,
            )
        n_rounds = len(boosted.stumps)
        if self.verbose and n_rounds < n_estimators:
            say(f"adapu: stopped after {n_rounds} rounds: {boosted.stop_reason}.")
        return boosted, backend

    def decision_function(self, X: Any) -> Array:
        """Return H − `cutoff_` of each row: above 0 where the row is taken for a positive.

        H is the margin, the sum of what the stumps say.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The margins, less the cutoff.
        """
        X = self._checked(X)
        return _model.decision_values(X, self.stumps_, self._n_threads(), self.cutoff_)

    def predict(self, X: Any) -> Array:
        """Return the class of each row, in the labels of y.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
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
        Where it is one half a row is as likely positive as not. `predict` cuts elsewhere, at
        `cutoff_`: take `predict` for as many positives as the prior says (``cutoff="prior"``) or
        for the paper's classes, and the probability where mistakes have a price.

        The margins of labeled rows look a little better on the rows that the model has learned from
        than on new ones. With few labeled rows, and no copies of them among the unlabeled,
        :class:`~adapu.calibration.PUCalibratedClassifier` is better calibrated.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The columns follow `classes_`: the second is that of the positive class.
        """
        return self._probabilities(self.decision_function(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy against **true** labels.

        Scored against the labeling s instead, a model is rewarded for agreeing with who was
        labeled: a hidden positive that it finds counts as a mistake. Without true labels, look at
        the PU losses in `history_`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
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
        margins = self.decision_function(X)
        truth = check_true_labels(y, self.classes_)
        return float(accuracy_score(truth, margins > 0, sample_weight=sample_weight))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Yield H − cutoff after each round; the last equals `decision_function` to the bit.

        Every round has its own cutoff, see `history_`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_rows,)
            The margins.
        """
        yield from _model.staged_decision_values(
            self._checked(X), self.stumps_, self.history_["cutoff"]
        )

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield the predicted classes after each round.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_rows,)
            The classes.
        """
        for margins in self.staged_decision_function(X):
            yield self._labels(margins)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Yield the probabilities after each round, by the calibration of the final model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_rows, 2)
            The probabilities.
        """
        for margins in self.staged_decision_function(X):
            yield self._probabilities(margins)

    @property
    def feature_importances_(self) -> Array:
        """Σ α of each feature's stumps, as shares of the whole; zeros where there is no stump."""
        check_is_fitted(self)
        return _model.feature_importances(self.stumps_, self.n_features_in_)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has succeeded; the checks before it leave attributes of their own."""
        return hasattr(self, "stumps_")

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        X = validate_data(self, X, dtype="numeric", ensure_all_finite=False, reset=False)
        rows, names = as_real(X), getattr(self, "feature_names_in_", None)
        check_finite(rows, names, n_threads=self._n_threads())
        return rows

    def _n_threads(self) -> int:
        check_jobs(self.n_jobs)  # it may have been changed since the fit
        n_jobs = None if self.n_jobs is None else int(self.n_jobs)
        return int(effective_n_jobs(n_jobs))

    def _probabilities(self, margins: Array) -> Array:
        positive = self.calibrator_.predict(margins)
        return np.column_stack([1 - positive, positive])

    def _labels(self, margins: Array) -> Array:
        return self.classes_[(margins > 0).astype(np.intp)]

    def _check_parameters(self) -> None:
        if self.prior is not None:
            check_real("prior", self.prior, 0, 1)
        check_integer("n_estimators", self.n_estimators, 1, MAX_ROUNDS)
        check_real("learning_rate", self.learning_rate, 0, 1, high_included=True)
        check_choice("thresholds", self.thresholds, STRATEGIES)
        check_choice("normalization", self.normalization, NORMALIZATIONS)
        check_choice("scenario", self.scenario, SCENARIOS)
        check_choice("cutoff", self.cutoff, CUTOFFS)
        check_flag("early_stopping", self.early_stopping)
        check_validation_fraction(self.validation_fraction)
        check_integer("n_iter_no_change", self.n_iter_no_change, 1)
        check_real("tol", self.tol, 0, math.inf, low_included=True)
        if self.n_thresholds is not None:
            check_integer("n_thresholds", self.n_thresholds, 1)
        elif self.thresholds != "quantile":
            raise ValueError(
                "n_thresholds=None, all candidates, goes with thresholds='quantile' only; got "
                f"thresholds={self.thresholds!r}. Give a whole number of at least 1."
            )
        if self.thresholds != "quantile":
            name = f"n_thresholds, with thresholds={self.thresholds!r},"
            check_integer(name, self.n_thresholds, 1, MAX_CODES - 1)
        check_jobs(self.n_jobs)
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, 0)

    def __sklearn_tags__(self) -> Tags:
        """Return the tags: binary only, and y = 0 does not mean negative."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def calibrated(
    positives: MarginSample, population: MarginSample, cutoff: float, prior: float
) -> Calibrator:
    """Return what turns H − ``cutoff`` into probabilities, learned from the training rows."""
    from adapu.calibration._maps import calibrate  # it imports much, so only when it is needed

    return calibrate(
        positives.ticks * TICK - cutoff,
        population.ticks * TICK - cutoff,
        prior=prior,
        positive_weight=positives.weight,
        population_weight=population.weight,
    )


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def _progress(n_rounds: int) -> Iterator[Callable[[Array], None]]:
    """Show a bar of ``n_rounds``; the function that moves it takes a line of history."""
    if not n_rounds:
        yield lambda line: None
        return
    from tqdm import tqdm

    with tqdm(total=n_rounds, desc="AdaPU", unit="round") as bar:

        def on_round(line: Array) -> None:
            loss = f"training PU loss {line['nn_zero_one_loss']:.4f}"
            bar.set_postfix_str(loss, refresh=False)
            bar.update()

        yield on_round
        bar.total = bar.n  # boosting may stop early, and is then done
        bar.refresh()
