"""A calibrated classifier around any other: PU, or a plain one trained on P against U."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags, column_or_1d, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from adapu._folds import identical_rows, pu_folds
from adapu._model import Array
from adapu._resolved_prior import resolved_prior
from adapu._rows import TrainingRows
from adapu._validation import (
    SCENARIOS,
    check_choice,
    check_classifier,
    check_flag,
    check_integer,
    check_jobs,
    check_labels,
    check_lengths,
    check_real,
    check_sample_weight,
    check_true_labels,
    draw_seed,
)
from adapu.calibration._maps import METHODS, Calibrator, calibrate_sample, is_constant
from adapu.metrics._sample import Sample

# how rows that are no table are checked; whether values may be missing is for the classifier to say
_ARRAY: dict[str, Any] = {"dtype": "numeric", "ensure_all_finite": False}


class PUCalibratedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Calibrated probabilities for any classifier, from positive and unlabeled rows alone.

    A copy of the classifier is trained on each part of the rows that leaves out one fold, and
    its scores of that fold, which it has not seen, are turned into probabilities by
    :func:`fit_calibrator`. Rows with the same values, such as the copies of labeled rows among the
    unlabeled ones, go to the same fold. The probability of a new row is the mean over the copies; a
    copy that has the same score for its whole fold gives everybody the prior.

    Parameters
    ----------
    estimator : classifier
        A PU classifier, or a plain one, which learns to tell labeled rows from unlabeled ones: how
        likely a row is to be labeled also tells how likely it is to be positive. The score is its
        `decision_function` or else its `predict_proba`.
    prior : float or None, default=None
        The share π of positives in the population, between 0 and 1, both excluded. None estimates
        it by :func:`adapu.prior.estimate_prior`, for which X must hold numbers.
    scenario : {"case-control", "single-set"}, default="case-control"
        The population is the unlabeled rows, or all rows together.
    method : {"isotonic", "sigmoid"}, default="isotonic"
        The shape of the function from scores to probabilities, see :func:`fit_calibrator`.
    cv : int or "prefit", default=5
        The number of folds. ``"prefit"``: `estimator` is fitted already and is not trained again,
        and `fit` takes rows that it was not trained on.
    ensemble : bool, default=True
        True keeps the copies, one per fold. False trains one classifier on all rows, which is
        smaller and quicker in `predict`, and reads its scores by their rank: a score above which
        it has a tenth of the population gets the probability which the copies' scores have there.
        Right for classifiers that rank their training rows like new ones, such as AdaPU, and wrong
        for those that know them by heart, such as a random forest.
    pos_label : label or None, default=None
        The label in y of the labeled positives. None means the larger of two numbers or booleans;
        text labels must name it.
    n_jobs : int or None, default=None
        The number of classifiers trained side by side. None means 1 unless in a
        :obj:`joblib.parallel_config` context, −1 means all processors.
    random_state : int, RandomState instance or None, default=None
        The seed of the folds, and of the estimate of the prior. The classifiers have their own.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The label of unlabeled rows, then that of positives. In `predict` the first means negative.
    prior_ : float
        The prior that was used.
    prior_interval_ : tuple of two floats, or None
        Where the prior was estimated, the interval that holds it with 90 % confidence.
    estimators_ : list
        The fitted classifiers: one per fold or, with ``ensemble=False`` or ``cv="prefit"``, one.
    calibrators_ : list of IsotonicCalibrator or SigmoidCalibrator
        What turns the scores of each of them into probabilities.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from adapu.calibration import PUCalibratedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)  # y = 1: benign
    >>> positives = np.flatnonzero(y)[:100]  # 100 rows known to be benign ...
    >>> X_pu = np.vstack([X[positives], X])  # ... beside 569 rows without a label
    >>> s = np.r_[np.ones(100, int), np.zeros(569, int)]
    >>> model = HistGradientBoostingClassifier(max_iter=20, random_state=0)
    >>> calibrated = PUCalibratedClassifier(model, prior=y.mean(), random_state=0).fit(X_pu, s)
    >>> p = calibrated.predict_proba(X)[:, 1]
    >>> bool(abs(p.mean() - y.mean()) < 0.05)
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        prior: float | None = None,
        scenario: str = "case-control",
        method: str = "isotonic",
        cv: int | str = 5,
        ensemble: bool = True,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the classifiers and calibrate their scores.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows. The classifier gets them as they are.
        y : array-like of shape (n_rows,)
            1 for a labeled positive and 0 (or −1, or False) for an unlabeled row, or any two
            labels, see `pos_label`.
        sample_weight : array-like of shape (n_rows,), default=None
            A weight of 2 counts a row twice, and one of 0 leaves it out, as far as the classifier
            does. An estimated prior also depends on the effective number of rows, (Σw)² / Σw².

        Returns
        -------
        PUCalibratedClassifier
            The fitted estimator.
        """
        self.__dict__.pop("calibrators_", None)  # should this fit fail, nothing of the last remains
        self._check_parameters()
        X, y = self._checked(X, y)
        given = weight = check_sample_weight(sample_weight, len(y))
        if weight is not None:
            if self.cv != "prefit" and not has_fit_parameter(self.estimator, "sample_weight"):
                raise ValueError(
                    "sample_weight needs an estimator whose fit takes it; that of "
                    f"{type(self.estimator).__name__} does not."
                )
            kept = np.flatnonzero(weight)
            X, y, weight = _some_rows(X, kept), y[kept], weight[kept]
            # regularisation makes their scale matter to many classifiers
            given = np.asarray(sample_weight, dtype=np.float64)[kept]
        positives, unlabeled, classes = check_labels(y, self.pos_label, None)
        labeled = np.zeros(len(y), dtype=bool)
        labeled[positives] = True
        seed = draw_seed(self.random_state)
        rows = TrainingRows(X, positives, unlabeled, weight, classes, None, seed)
        prior, interval = resolved_prior(rows, self.prior, self.scenario, self.n_jobs)
        counts = np.ones(len(y)) if weight is None else weight
        single_set = self.scenario == "single-set"
        sample = Sample(labeled, counts, prior, single_set, classes, None, len(y))
        if self.cv == "prefit":
            check_is_fitted(self.estimator)
            scores = positive_scores(self.estimator, X, classes)
            self._check_that_some_differ(scores)
            fitted = [(self.estimator, calibrate_sample(sample, scores, self.method))]
        else:
            fitted = self._cross_fitted(sample, X, y, given, seed)
        self.classes_, self.prior_, self.prior_interval_ = classes, prior, interval
        self.estimators_ = [estimator for estimator, _ in fitted]
        self.calibrators_ = [calibrator for _, calibrator in fitted]
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The columns follow `classes_`: the second is that of the positive class.
        """
        check_is_fitted(self)
        options = {"skip_check_array": True} if hasattr(X, "iloc") else _ARRAY
        X = validate_data(self, X, reset=False, **options)
        each = [
            calibrator.predict(positive_scores(estimator, X, self.classes_))
            for estimator, calibrator in zip(self.estimators_, self.calibrators_, strict=True)
        ]
        p = np.mean(each, axis=0)
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> Array:
        """Return the class of each row: the positive one where its probability exceeds one half.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes, in the labels of y.
        """
        positive = self.predict_proba(X)[:, 1] > 0.5
        return self.classes_[positive.astype(np.intp)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy against **true** labels.

        Without true labels, see :mod:`adapu.metrics`.

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
        predicted = self.predict(X) == self.classes_[1]
        truth = check_true_labels(y, self.classes_)
        return float(accuracy_score(truth, predicted, sample_weight=sample_weight))

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has succeeded; the checks before it leave attributes of their own."""
        return hasattr(self, "calibrators_")

    def __sklearn_tags__(self) -> Tags:
        """Return the tags: binary only, y = 0 is not negative, NaN as the estimator has it."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    def _check_parameters(self) -> None:
        check_classifier(self.estimator)
        if self.prior is not None:
            check_real("prior", self.prior, 0, 1)
        check_choice("scenario", self.scenario, SCENARIOS)
        check_choice("method", self.method, METHODS)
        if self.cv != "prefit":
            if isinstance(self.cv, str):
                raise ValueError(f"cv must be a number of folds or 'prefit'; got {self.cv!r}.")
            check_integer("cv", self.cv, 2)
        check_flag("ensemble", self.ensemble)
        check_jobs(self.n_jobs)

    def _checked(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Return X, a table as it is and anything else as an array, and y as a column."""
        if hasattr(X, "iloc"):
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            check_lengths(X, y)
            return X, y
        check_lengths(X, y)
        X, y = validate_data(self, X, y, ensure_min_samples=2, **_ARRAY)
        return X, y

    def _cross_fitted(
        self, sample: Sample, X: Any, y: Array, weight: Array | None, seed: int
    ) -> list[tuple[Any, Calibrator]]:
        """Return the classifiers with the calibrators of their scores."""
        n_folds, everything = int(self.cv), np.arange(len(y))
        folds = pu_folds(sample.labeled, _row_numbers(X), n_folds, seed)
        held_out = [np.flatnonzero(folds == fold) for fold in range(n_folds)]
        splits = [(np.flatnonzero(folds != fold), held_out[fold]) for fold in range(n_folds)]
        if not self.ensemble:
            splits.append((everything, everything))
        trained = Parallel(n_jobs=self.n_jobs)(
            delayed(_train_and_score)(clone(self.estimator), X, y, weight, sample.classes, *split)
            for split in splits
        )
        if self.ensemble:
            self._check_that_some_differ(*(scores for _, scores in trained))
            return [
                (estimator, calibrate_sample(sample.take(rows), scores, self.method))
                for (estimator, scores), rows in zip(trained, held_out, strict=True)
            ]
        whole, own = trained.pop()
        scores = np.empty(len(y))
        for (_, of_fold), rows in zip(trained, held_out, strict=True):
            scores[rows] = _translated(of_fold, sample.take(rows), own, sample)
        self._check_that_some_differ(scores)
        return [(whole, calibrate_sample(sample, scores, self.method))]

    def _check_that_some_differ(self, *scores: Array) -> None:
        """Raise a ValueError if each of the arrays of scores is constant."""
        if all(map(is_constant, scores)):
            folds = " of a fold" if len(scores) > 1 else ""
            raise ValueError(
                f"estimator must tell rows apart; {type(self.estimator).__name__} gives every row"
                f"{folds} the same score. Give more rows or features, or another estimator."
            )


def positive_scores(estimator: Any, X: Any, classes: Array) -> Array:
    """Return a fitted classifier's score of each row, larger for what looks more positive.

    Its own classes may be in another order than ``classes``, which are [other, positive].
    """
    name = next((n for n in ("decision_function", "predict_proba") if hasattr(estimator, n)), None)
    if name is None:
        raise TypeError(
            "estimator must have decision_function or predict_proba; "
            f"{type(estimator).__name__} has neither."
        )
    own = np.asarray(getattr(estimator, "classes_", classes)).tolist()
    positive = classes.tolist()[1]
    if positive not in own:
        raise ValueError(
            f"estimator must know the label of positives, {positive!r}; its classes are "
            f"{', '.join(map(repr, own))}."
        )
    column = own.index(positive)
    scores = np.asarray(getattr(estimator, name)(X))
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, column]
    elif column == 0:
        scores = -scores
    if scores.shape != (len(X),):
        raise ValueError(
            f"{name} of the estimator must give a score per row, {len(X)}; it gave an array of "
            f"shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise ValueError(
            f"{name} of the estimator must give finite scores; it gave {scores[row]:g} at row "
            f"{row}."
        )
    return scores.astype(np.float64)


def _train_and_score(
    estimator: Any,
    X: Any,
    y: Array,
    weight: Array | None,
    classes: Array,
    inside: Array,
    outside: Array,
) -> tuple[Any, Array]:
    """Return the classifier, trained on the rows inside, and its scores of those outside."""
    weights = {} if weight is None else {"sample_weight": weight[inside]}
    estimator.fit(_some_rows(X, inside), y[inside], **weights)
    return estimator, positive_scores(estimator, _some_rows(X, outside), classes)


def _translated(scores: Array, sample: Sample, own: Array, whole: Sample) -> Array:
    """Return ``scores``, of a part of the rows, as scores on the scale of ``own``, of all rows.

    Above a score and above its translation lie equal shares of the population. Boosting with early
    stops, for one, gives scores whose zero and scale differ from fold to fold; ranks remain.
    """
    values, below = _ranks(scores, sample)
    own_values, own_below = _ranks(own, whole)
    return np.interp(np.interp(scores, values, below), own_below, own_values)


def _ranks(scores: Array, sample: Sample) -> tuple[Array, Array]:
    """Return the population's distinct scores, rising, and the share below, ties counting half."""
    values, places = np.unique(scores, return_inverse=True)
    shares = np.bincount(places, sample.weight_population, len(values))
    there = shares > 0
    values, shares = values[there], shares[there] / shares.sum()
    return values, shares.cumsum() - shares / 2


def _row_numbers(X: Any) -> Array:
    """Return a number per row, the same for rows with the same values; a table may hold text."""
    if hasattr(X, "iloc"):
        codes = [X.iloc[:, j].factorize()[0] for j in range(X.shape[1])]
        return identical_rows(np.column_stack(codes))
    return identical_rows(X)


def _some_rows(X: Any, rows: Array) -> Any:
    """Return some rows of a table or an array."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
