"""The paper's samples: positive-unlabeled, and positive-negative of the same worth."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from adapu._model import Array
from adapu._validation import (
    SCENARIOS,
    check_choice,
    check_generator,
    check_integer,
    check_real,
    check_rows_match,
    check_two_classes,
)


def make_pu(
    X: Any,
    y: Any,
    n_positive: int | None = None,
    *,
    c: float | None = None,
    scenario: str = "case-control",
    pos_label: Any = None,
    random_state: Any = None,
    return_indices: bool = False,
) -> Any:
    """Make a positive-unlabeled sample of rows with true labels, as the paper does.

    P is drawn without replacement from the positives, each as likely as the others. In
    case-control U is all the rows, P among them, without their labels; in a single set U is the
    rows that are not in P.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of n_rows rows
        The rows.
    y : array-like of shape (n_rows,)
        The true labels, of two classes.
    n_positive : int, default=None
        The number of rows in P.
    c : float, default=None
        In place of `n_positive`: the share of the positives that is labeled, in (0, 1]. The number
        of rows in P is rounded to the nearest whole number.
    scenario : {"case-control", "single-set"}, default="case-control"
        Whether P comes beside the rows or out of them.
    pos_label : default=None
        The label of the positives. None means the larger of two numbers.
    random_state : None, int, Generator or RandomState, default=None
        An int makes the draw repeatable; :func:`make_pn` draws the same P from the same int.
    return_indices : bool, default=False
        Whether to return which row of X each row of the sample is.

    Returns
    -------
    X : same kind as the input
        P, then U in the order given.
    s : ndarray
        1 for the rows of P, 0 for those of U.
    indices : ndarray
        The rows of X that the sample is made of; only with `return_indices`.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.datasets import make_pu
    >>> X, y = np.arange(6)[:, None], np.array([0, 1, 1, 0, 1, 1])
    >>> X_pu, s = make_pu(X, y, 2, random_state=0)
    >>> X_pu.ravel(), s
    (array([4, 5, 0, 1, 2, 3, 4, 5]), array([1, 1, 0, 0, 0, 0, 0, 0]))
    >>> X_pu, s = make_pu(X, y, c=0.5, scenario="single-set", random_state=0)
    >>> X_pu.ravel(), s
    (array([4, 5, 0, 1, 2, 3]), array([1, 1, 0, 0, 0, 0]))
    """
    check_choice("scenario", scenario, SCENARIOS)
    positives, negatives = _classes(X, y, pos_label)
    if (n_positive is None) == (c is None):
        raise TypeError(
            "Either n_positive or c must be given, and not both; got "
            f"n_positive={n_positive!r} and c={c!r}."
        )
    if c is not None:
        check_real("c", c, 0, 1, high_included=True)
        n_positive = round(c * len(positives))
        if n_positive == 0:
            raise ValueError(
                f"c must label at least one of the {len(positives)} positives; got {c!r}."
            )
    P = _draw(check_generator(random_state), positives, n_positive, "n_positive", "positives")
    U = np.arange(len(positives) + len(negatives))
    if scenario == "single-set":
        U = np.delete(U, P)
    indices, s = np.concatenate([P, U]), np.repeat([1, 0], [len(P), len(U)])
    return (_take(X, indices), s, indices) if return_indices else (_take(X, indices), s)


def make_pn(
    X: Any,
    y: Any,
    n_positive: int,
    n_negative: int | None = None,
    *,
    pos_label: Any = None,
    random_state: Any = None,
    return_indices: bool = False,
) -> Any:
    """Make the positive-negative sample that the paper compares a positive-unlabeled one with.

    Both parts are drawn without replacement. With (π_n / 2π_p)² n_p negatives, PU learning from n_p
    positives and no end of unlabeled rows is expected to do about as well as learning from this
    sample (Niu et al., 2016); π_p is the share of positives in y, and π_n = 1 − π_p.

    Parameters
    ----------
    X, y, pos_label, random_state, return_indices
        As in :func:`make_pu`.
    n_positive : int
        The number of positives.
    n_negative : int, default=None
        The number of negatives. None means (π_n / 2π_p)² n_p, rounded to the nearest whole number
        (a half to the even one), and at least 1.

    Returns
    -------
    X : same kind as the input
        The positives, then the negatives.
    y : ndarray
        1 for positives, 0 for negatives.
    indices : ndarray
        The rows of X that the sample is made of; only with `return_indices`.

    References
    ----------
    G. Niu, M. C. du Plessis, T. Sakai, Y. Ma, M. Sugiyama, *Theoretical Comparisons of
    Positive-Unlabeled Learning against Positive-Negative Learning*, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.datasets import load_breast_cancer, make_pn
    >>> data = load_breast_cancer()
    >>> X, y = make_pn(data.X_train, data.y_train, 10, random_state=0)
    >>> y
    array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    """
    positives, negatives = _classes(X, y, pos_label)
    rng = check_generator(random_state)
    P = _draw(rng, positives, n_positive, "n_positive", "positives")
    if n_negative is None:
        ratio = Fraction(len(negatives), 2 * len(positives))  # exact: a half stays a half
        n_negative = max(1, round(ratio**2 * len(P)))
        if n_negative > len(negatives):
            raise ValueError(
                f"n_negative must be given: (π_n / 2π_p)² n_p is {n_negative:,}, and y has "
                f"{len(negatives):,} negatives."
            )
    N = _draw(rng, negatives, n_negative, "n_negative", "negatives")
    indices, labels = np.concatenate([P, N]), np.repeat([1, 0], [len(P), len(N)])
    return (_take(X, indices), labels, indices) if return_indices else (_take(X, indices), labels)


def _classes(X: Any, y: Any, pos_label: Any) -> tuple[Array, Array]:
    """Return the rows that are positive and the rows that are negative."""
    positive = check_two_classes(y, pos_label)
    check_rows_match(X, len(positive))
    return np.flatnonzero(positive), np.flatnonzero(~positive)


def _draw(rng: np.random.Generator, rows: Array, n: Any, name: str, of: str) -> Array:
    """Draw ``n`` of the rows without replacement."""
    check_integer(name, n, 1)
    if n > len(rows):
        raise ValueError(f"{name} must be at most the number of {of} in y, {len(rows)}; got {n!r}.")
    drawn: Array = rng.choice(rows, int(n), replace=False)
    return drawn


def _take(X: Any, rows: Array) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return np.asarray(X)[rows]
