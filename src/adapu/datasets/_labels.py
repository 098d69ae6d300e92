"""Labels for a single set: which of its positives are labeled, and what that depends on."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import column_or_1d

from adapu._model import Array
from adapu._validation import check_generator, check_real, check_rows_match, check_two_classes


def label_scar(y: Any, c: float, *, pos_label: Any = None, random_state: Any = None) -> Array:
    """Label positives completely at random: each with probability c, whatever its features.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The true labels, of two classes.
    c : float
        P(labeled | positive), in (0, 1].
    pos_label : default=None
        The label of the positives. None means the larger of two numbers.
    random_state : None, int, Generator or RandomState, default=None
        An int makes the draw repeatable.

    Returns
    -------
    s : ndarray of shape (n_rows,)
        1 for labeled rows, all of them positive; 0 for the others.

    Examples
    --------
    >>> from adapu.datasets import label_scar
    >>> label_scar([1, 0, 1, 1, 0, 1], 0.5, random_state=0)
    array([0, 0, 0, 1, 0, 0])
    """
    positive = check_two_classes(y, pos_label)
    check_real("c", c, 0, 1, high_included=True)
    return _label(positive, np.full(len(positive), float(c)), random_state)


def label_dependent(
    X: Any,
    y: Any,
    c: float,
    *,
    strength: float = 2.0,
    score: Any = None,
    pos_label: Any = None,
    random_state: Any = None,
    return_propensity: bool = False,
) -> Any:
    """Label positives with a probability that depends on their features.

    The propensity of a positive is e(x) = 1 / (1 + exp(−a − `strength` · z(x))), where z is its
    score, standardised over the positives, and a is such that the mean of e over the positives
    is c.

    Parameters
    ----------
    X : array-like or sparse matrix of n_rows rows
        The rows.
    y : array-like of shape (n_rows,)
        The true labels, of two classes.
    c : float
        The mean propensity of the positives, in (0, 1).
    strength : float, default=2.0
        How much the propensity depends on the score. Above 0 positives with a high score are
        labeled more often, which are the clear cases; below 0 those with a low score, which are
        near the negatives; 0 is :func:`label_scar`.
    score : array-like of shape (n_rows,), callable or None, default=None
        The score of each row, or a function of X that returns it. None means the margin of a
        logistic regression on standardised features, fitted to the true labels.
    pos_label : default=None
        The label of the positives. None means the larger of two numbers.
    random_state : None, int, Generator or RandomState, default=None
        An int makes the draw repeatable.
    return_propensity : bool, default=False
        Whether to return the propensities.

    Returns
    -------
    s : ndarray of shape (n_rows,)
        1 for labeled rows, all of them positive; 0 for the others.
    propensity : ndarray of shape (n_rows,)
        e(x) for positives, 0 for negatives; only with `return_propensity`.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.datasets import label_dependent
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 1, 1]
    >>> s, propensity = label_dependent(
    ...     X, y, 0.5, score=X[:, 0], random_state=0, return_propensity=True
    ... )
    >>> s, propensity.round(2)
    (array([0, 0, 0, 1]), array([0.  , 0.08, 0.5 , 0.92]))
    """
    positive = check_two_classes(y, pos_label)
    check_rows_match(X, len(positive))
    check_real("c", c, 0, 1)
    if isinstance(strength, bool | np.bool_) or not isinstance(strength, Real):
        raise TypeError(f"strength must be a number; got {strength!r}.")
    if not math.isfinite(strength):
        raise ValueError(f"strength must be a finite number; got {strength!r}.")
    z = _scores(X, positive, score)[positive]
    if z.std() > 0:
        z = (z - z.mean()) / z.std()
    elif strength != 0:
        raise ValueError(
            "score must differ between positives where strength is not 0; it is "
            f"{z[0]:g} for every one."
        )
    propensity = np.zeros(len(positive))
    propensity[positive] = _logistic_with_mean(float(strength) * z, float(c))
    s = _label(positive, propensity, random_state)
    return (s, propensity) if return_propensity else s


def _label(positive: Array, propensity: Array, random_state: Any) -> Array:
    """Label each positive with its own probability."""
    rng = check_generator(random_state)
    if isinstance(random_state, Integral):
        # y may have been drawn from default_rng(random_state): labels take another stream of the
        # same seed, or the same numbers would decide on both.
        rng = np.random.default_rng(np.random.SeedSequence(int(random_state)).spawn(1)[0])
    labels: Array = (positive & (rng.random(len(positive)) < propensity)).astype(np.int64)
    return labels


def _scores(X: Any, positive: Array, score: Any) -> Array:
    """Return the score of each row."""
    if score is None:
        return _margin(X, positive)
    given = score(X) if callable(score) else score
    try:
        scores: Array = column_or_1d(given).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("score must hold a number per row, or be a function of X.") from None
    if len(scores) != len(positive):
        raise ValueError(
            f"score must hold a number per row of X, {len(positive)}; got {len(scores)}."
        )
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise ValueError(f"score must hold finite numbers; it is {scores[row]:g} at row {row}.")
    return scores


def _margin(X: Any, positive: Array) -> Array:
    """Return the margin of a logistic regression that is fitted to the true labels."""
    from sklearn.linear_model import LogisticRegression  # cost time: only where needed
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler(with_mean=not issparse(X))
    model = make_pipeline(scaler, LogisticRegression(max_iter=1000))
    margin: Array = model.fit(X, positive).decision_function(X)
    return margin


def _logistic_with_mean(z: Array, c: float) -> Array:
    """Return 1 / (1 + exp(−a − z)), with the a at which the mean is c."""
    from scipy.optimize import brentq  # cost time: only where needed
    from scipy.special import expit, logit

    # At a = logit(c) − max z every value is at most c, at a = logit(c) − min z at least c.
    low, high = logit(c) - z.max(), logit(c) - z.min()
    a = low if low == high else brentq(lambda a: expit(a + z).mean() - c, low - 1, high + 1)
    values: Array = expit(a + z)
    return values
