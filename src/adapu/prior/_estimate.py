"""`estimate_prior`: rows in, prior and interval out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from adapu._folds import TooFewRowsError, identical_rows, pu_folds
from adapu._model import Array
from adapu._validation import (
    as_real,
    check_choice,
    check_classifier,
    check_finite,
    check_integer,
    check_jobs,
    check_real,
    draw_seed,
)
from adapu.metrics._sample import read_sample
from adapu.prior._auto import auto_share
from adapu.prior._bbe import bbe_share
from adapu.prior._conversions import label_frequency_from_prior, prior_from_prior_unlabeled
from adapu.prior._convex import convex_share
from adapu.prior._crossfit import cross_fitted_scores
from adapu.prior._dedpul import dedpul_share
from adapu.prior._elkan_noto import elkan_noto_share
from adapu.prior._errors import NotEstimableError
from adapu.prior._interval import interval_of
from adapu.prior._places import Places, place_scores, resample
from adapu.prior._tice import tice, tice_shares

_SHARES: dict[str, Callable[[Places], tuple[Array, dict[str, Array]]]] = {
    "auto": auto_share,
    "convex": convex_share,
    "elkan-noto": elkan_noto_share,
    "bbe": bbe_share,
    "dedpul": dedpul_share,
}
_LEAST_ROWS, _MOST_ROWS, _MOST_VALUES = 2_000, 20_000, 8_000_000  # of max_rows="auto"
_MOST_FOLDS = 5  # where the rows decide
METHODS = (*_SHARES, "tice")


@dataclass(frozen=True)
class PriorEstimate:
    """An estimated prior and what it rests on; ``float()`` gives the prior.

    Attributes
    ----------
    prior : float
        π, the share of positives in the population p(x).
    interval : tuple of two floats
        The lower and the upper end of the interval for the prior.
    confidence : float
        What the interval was asked to be.
    method : str
        The method used.
    scenario : str
        ``"case-control"`` or ``"single-set"``.
    prior_unlabeled : float
        The share of positives among the unlabeled rows.
    label_frequency : float
        c, the number of labeled rows over that of positives in the sample.
    diagnostics : dict
        The method's own numbers, and how many rows it looked at.

    Examples
    --------
    >>> from adapu.prior import PriorEstimate
    >>> estimate = PriorEstimate(
    ...     prior=0.31,
    ...     interval=(0.27, 0.34),
    ...     confidence=0.9,
    ...     method="auto",
    ...     scenario="case-control",
    ...     prior_unlabeled=0.31,
    ...     label_frequency=0.2,
    ...     diagnostics={},
    ... )
    >>> print(estimate)
    prior 0.310, 90% interval 0.270 to 0.340 (auto, case-control)
    >>> float(estimate)
    0.31
    """

    prior: float
    interval: tuple[float, float]
    confidence: float
    method: str
    scenario: str
    prior_unlabeled: float
    label_frequency: float
    diagnostics: dict[str, Any] = dataclasses.field(repr=False, compare=False)

    def __float__(self) -> float:
        return self.prior

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"prior {self.prior:.3f}, {self.confidence:.0%} interval {low:.3f} to {high:.3f} "
            f"({self.method}, {self.scenario})"
        )


class _Rows(NamedTuple):
    """The rows that an estimate looks at."""

    X: Array
    labeled: Array
    weight: Array | None
    groups: Array


def estimate_prior(
    X: Any,
    s: Any,
    *,
    method: str = "auto",
    scenario: str = "case-control",
    estimator: Any = None,
    cv: int = 5,
    confidence: float = 0.9,
    n_bootstrap: int = 100,
    max_rows: int | str | None = "auto",
    pos_label: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> PriorEstimate:
    """Estimate the share of positives in the population from labeled and unlabeled rows.

    All methods take the labeled rows for a fair sample of the positives (SCAR), and need a region
    where positives are found and negatives are not; where there is none, they give an upper bound
    of the prior. All but TIcE look at scores of a classifier of P against U. Each row's score comes
    from a fit that saw neither the row nor a copy of it.

    - ``"convex"``: the share of P above a row's score has, over U, a density that rises from π as
      negatives set in. It is fitted by the best convex curve, and π is its flat start (Langaas,
      Lindqvist & Ferkingstad 2005, for p-values).
    - ``"bbe"``: the lowest ratio of the shares of U and P above a cut, the cut chosen by a
      confidence bound (Garg et al. 2021).
    - ``"dedpul"``: fixed point of the mean probability of being positive, by the ratio of the
      densities of scores (Ivanov 2020).
    - ``"elkan-noto"``: mean probability of being labeled over the labeled rows (2008). An upper
      bound for the prior, as soon as classes overlap.
    - ``"tice"``: highest share of labeled rows in any part of a decision tree, less a margin
      (Bekker & Davis 2018). An upper bound, far above the prior where few rows are labeled.
    - ``"auto"`` is the mean of ``"convex"`` and ``"bbe"``. The first errs low where few rows are
      labeled, the second high where classes overlap; ``benchmarks/results/prior.md`` has the
      errors of each method.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        The rows, labeled and unlabeled. NaN is allowed if the estimator allows it, as the default
        does.
    s : array-like of shape (n_rows,)
        Whether each row is labeled positive: two labels, as for `AdaPUClassifier`.
    method : {"auto", "convex", "elkan-noto", "tice", "bbe", "dedpul"}, default="auto"
        The method, see above.
    scenario : {"case-control", "single-set"}, default="case-control"
        Whether U is a sample of the population, or P and U together.
    estimator : classifier, default=None
        Any scikit-learn classifier with ``decision_function`` or ``predict_proba``. None: a small
        HistGradientBoostingClassifier with balanced class weights, in each fold on those 128
        features whose means differ most between P and U, if there are more.
    cv : int, default=5
        The number of folds.
    confidence : float, default=0.9
        What the interval aims to cover the true prior with. The intervals of ``"elkan-noto"`` and
        ``"tice"`` lie around an upper bound and cover the prior far less often: asked for 90 %,
        they did in 31 % and 39 % of the draws of ``benchmarks/results/prior.md``, and the others in
        89 % to 96 %.
    n_bootstrap : int, default=100
        The number of samples that the interval is made from.
    max_rows : int, "auto" or None, default="auto"
        A sample of at most so many rows is looked at, half of them labeled at most, as far as there
        are enough others. "auto": 20,000 rows, fewer where there are more than 400 features (8
        million values), but 2,000 at least. None: all.
    pos_label : label, default=None
        The label that marks labeled positives; None: the larger of two numbers.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights. Rows of weight 0 do not count. A weight of 2 counts a row twice in every share; how
        sure the estimate is rests on the effective number of rows, (Σw)² / Σw².
    random_state : int, RandomState instance or None, default=None
        Decides folds, samples and the classifier's randomness.
    n_jobs : int or None, default=None
        The number of folds fitted side by side. The result does not depend on it.

    Returns
    -------
    PriorEstimate
        The prior, its interval and diagnostics.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.prior import estimate_prior
    >>> rng = np.random.default_rng(0)
    >>> P = rng.normal(3, 1, size=(200, 3))
    >>> U = np.vstack([rng.normal(3, 1, size=(300, 3)), rng.normal(0, 1, size=(700, 3))])
    >>> X, s = np.vstack([P, U]), np.repeat([1, 0], [200, 1000])
    >>> estimate = estimate_prior(X, s, random_state=0)
    >>> round(float(estimate), 1)
    0.3
    >>> low, high = estimate.interval
    >>> low < 0.3 < high
    True
    """
    check_integer("cv", cv, 2)
    return estimate_with_seed(
        X,
        s,
        method=method,
        scenario=scenario,
        estimator=estimator,
        cv=cv,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        max_rows=max_rows,
        pos_label=pos_label,
        sample_weight=sample_weight,
        seed=draw_seed(random_state),
        n_jobs=n_jobs,
    )


def estimate_with_seed(
    X: Any,
    s: Any,
    *,
    seed: int,
    method: str = "auto",
    scenario: str = "case-control",
    estimator: Any = None,
    cv: int | None = None,
    confidence: float = 0.9,
    n_bootstrap: int = 100,
    max_rows: int | str | None = "auto",
    pos_label: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> PriorEstimate:
    """Return what `estimate_prior` returns, given the seed that it draws from `random_state`.

    A `fit` has drawn that seed already, so that both find the same prior. ``cv=None`` makes five
    folds, or as many as the distinct rows allow. Raises a NotEstimableError where the rows say
    nothing about the prior, and another ValueError where something is wrong with the input.
    """
    check_choice("method", method, METHODS)
    check_real("confidence", confidence, 0, 1)
    check_integer("n_bootstrap", n_bootstrap, 20)
    check_jobs(n_jobs)
    if estimator is not None:
        check_classifier(estimator)
    sample = read_sample(
        s,
        prior=None,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
        needs_prior=False,
    )
    X = _read_rows(X, sample.n_given, sample.kept)
    if method == "tice":
        try:
            check_finite(X, None, sample.kept)
        except ValueError as error:
            raise ValueError(f"method 'tice' takes no missing values. {error}") from None
    # weights of mean 1: where all are equal, it is as if there were none
    weight = None if sample_weight is None else sample.weight / sample.weight.mean()
    most_rows = _most_rows(max_rows, X.shape[1])
    rows = _bounded(X, sample.kept, sample.labeled, weight, most_rows, seed)
    folds = _folds(rows, cv, seed)
    shares, diagnostics = _shares(method, rows, folds, estimator, n_bootstrap, seed, n_jobs)
    half_a_row = 0.5 / len(sample.labeled)
    shares = np.clip(shares, half_a_row, 1 - half_a_row)
    share, low, high = interval_of(shares, confidence)
    low, high = max(low, half_a_row), min(high, 1 - half_a_row)
    n: dict[str, Any] = {
        "n_labeled": float(sample.weight[sample.labeled].sum()),
        "n_unlabeled": float(sample.weight[~sample.labeled].sum()),
        "scenario": scenario,
    }
    prior = prior_from_prior_unlabeled(share, **n)
    return PriorEstimate(
        prior=prior,
        interval=(prior_from_prior_unlabeled(low, **n), prior_from_prior_unlabeled(high, **n)),
        confidence=float(confidence),
        method=method,
        scenario=scenario,
        prior_unlabeled=share,
        label_frequency=label_frequency_from_prior(prior, **n),
        diagnostics=diagnostics,
    )


def _folds(rows: _Rows, cv: int | None, seed: int) -> Array:
    """Return the fold of each row: of `cv` folds or, where that is None, of at most five."""
    if cv is not None:
        return pu_folds(rows.labeled, rows.groups, cv, seed)
    for n_folds in range(_MOST_FOLDS, 1, -1):
        try:
            return pu_folds(rows.labeled, rows.groups, n_folds, seed)
        except TooFewRowsError:
            continue
    for group, what in ((rows.labeled, "labeled"), (~rows.labeled, "unlabeled")):
        n_distinct = len(np.unique(rows.groups[group]))
        if n_distinct < 2:
            raise NotEstimableError(
                f"At least 2 distinct {what} rows are needed; there is {n_distinct}."
            )
    raise NotEstimableError(
        "No 2 folds can have unlabeled rows each, for copies of a row share a fold."
    )


def _shares(
    method: str,
    rows: _Rows,
    folds: Array,
    estimator: Any,
    n_bootstrap: int,
    seed: int,
    n_jobs: int | None,
) -> tuple[Array, dict[str, Any]]:
    """Return the share of positives in U, the shares of resampled rows, and the diagnostics."""
    labeled = rows.labeled
    weight = np.ones(len(labeled)) if rows.weight is None else rows.weight
    used = {"n_labeled_used": int(labeled.sum()), "n_unlabeled_used": int((~labeled).sum())}
    rng = np.random.default_rng([seed, 1])
    if method == "tice":
        c, best = tice(rows.X, labeled, folds, weight)
        shares, diagnostics = tice_shares(c, best, labeled, weight, n_bootstrap, rng)
        return shares, diagnostics | used
    scores = cross_fitted_scores(estimator, rows.X, labeled, folds, rows.weight, seed, n_jobs)
    sample = place_scores(scores, labeled, weight)
    share, numbers = _SHARES[method](sample.places)
    resampled, _ = _SHARES[method](resample(sample, n_bootstrap, rng))
    diagnostics = {name: column[0].item() for name, column in numbers.items()}
    return np.concatenate([share, resampled]), diagnostics | used


def _most_rows(max_rows: int | str | None, n_features: int) -> int | None:
    """Return how many rows are looked at, or None for all."""
    if max_rows is None:
        return None
    if isinstance(max_rows, str):
        check_choice("max_rows", max_rows, ("auto",))
        return int(np.clip(_MOST_VALUES // n_features, _LEAST_ROWS, _MOST_ROWS))
    check_integer("max_rows", max_rows, 20)
    return max_rows


def _read_rows(X: Any, n_rows: int, kept: Array | None) -> Array:
    """Return the rows as numbers; NaN may be among them, infinity not where a row counts."""
    try:
        rows: Array = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
        if rows.dtype.kind == "O":  # a table with a column of categories
            rows = rows.astype(np.float64)
        if rows.dtype.kind not in "biuf":
            raise TypeError(f"it has values of dtype {rows.dtype}.")
    except (TypeError, ValueError) as error:
        if getattr(X, "ndim", 2) != 2:
            raise  # it speaks of the shape
        why = str(error).rstrip(".")
        raise ValueError(
            f"X must hold numbers alone, for the prior to be estimated from them: {why}. Encode "
            "categories and dates as numbers, or give the classifier the prior if you know it."
        ) from None
    if len(rows) != n_rows:
        raise ValueError(f"X must hold one row per label in s, {n_rows}; got {len(rows)}.")
    check_finite(rows, None, kept, allow_nan=True)
    return as_real(rows)


def _bounded(
    X: Array,
    kept: Array | None,
    labeled: Array,
    weight: Array | None,
    max_rows: int | None,
    seed: int,
) -> _Rows:
    """Return all rows that count or, where they are too many, a sample; half are labeled at most.

    X has all rows, ``labeled`` and ``weight`` are those of the rows that count.
    """
    places = None if kept is None else np.flatnonzero(kept)
    if max_rows is not None and len(labeled) > max_rows:
        rng = np.random.default_rng([seed, 0])
        P, U = np.flatnonzero(labeled), np.flatnonzero(~labeled)
        n_labeled = min(len(P), max(max_rows // 2, max_rows - len(U)))
        n_unlabeled = min(len(U), max_rows - n_labeled)
        drawn = [rng.permutation(group)[:n] for group, n in ((P, n_labeled), (U, n_unlabeled))]
        rows = np.sort(np.concatenate(drawn))
        places, labeled = rows if places is None else places[rows], labeled[rows]
        weight = None if weight is None else weight[rows]
    X = X if places is None else X[places]
    groups = identical_rows(X)
    if groups.max() == 0:
        raise NotEstimableError("All rows of X are the same: nothing tells P and U apart.")
    return _Rows(X, labeled, weight, groups)
