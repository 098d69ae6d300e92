"""Scorers: the metrics in the form that scikit-learn's model selection takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.metrics import make_scorer

from adapu._validation import SCENARIOS, check_choice, check_real
from adapu.metrics import _predictions, _probabilities, _ranking

_RANKS = ("decision_function", "predict_proba")

# name: metric, what it is computed from, further arguments. "neg_": a loss, with its sign turned.
_SCORERS: dict[str, tuple[Callable[..., float], Any, dict[str, Any]]] = {
    "accuracy": (_predictions.pu_accuracy_score, "predict", {}),
    "precision": (_predictions.pu_precision_score, "predict", {}),
    "recall": (_predictions.pu_recall_score, "predict", {}),
    "f1": (_predictions.pu_f1_score, "predict", {}),
    "lee_liu": (_predictions.lee_liu_score, "predict", {}),
    "roc_auc": (_ranking.pu_roc_auc_score, _RANKS, {}),
    "average_precision": (_ranking.pu_average_precision_score, _RANKS, {}),
    "neg_zero_one_loss": (_predictions.pu_zero_one_loss, "predict", {}),
    "neg_nn_zero_one_loss": (_predictions.pu_zero_one_loss, "predict", {"non_negative": True}),
    "neg_brier_score": (_probabilities.pu_brier_score_loss, "predict_proba", {}),
    "neg_calibration_error": (_probabilities.pu_calibration_error, "predict_proba", {}),
}


def make_pu_scorer(
    name: str, *, prior: float, scenario: str = "case-control", pos_label: Any = None
) -> Any:
    """Return a scorer, ``scorer(estimator, X, s)``, that compares with the labeling s.

    It goes where scikit-learn takes ``scoring``. Larger is better: losses have their sign turned,
    and ``neg_`` in their name. Split s with stratified folds, as scikit-learn does by itself for
    classifiers, so that every fold has labeled rows. In case-control a fold takes its share of the
    labeled and of the unlabeled rows, and of a single set the like, so that the prior stays.

    Parameters
    ----------
    name : str
        ``"accuracy"``, ``"precision"``, ``"recall"``, ``"f1"`` or ``"lee_liu"``, from `predict`;
        ``"roc_auc"`` or ``"average_precision"``, from `decision_function` or else `predict_proba`;
        ``"neg_zero_one_loss"`` or the non-negative ``"neg_nn_zero_one_loss"``, from `predict`;
        ``"neg_brier_score"`` or ``"neg_calibration_error"``, from `predict_proba`.
    prior, scenario, pos_label
        As in :func:`pu_zero_one_loss`.

    Returns
    -------
    scorer
        A scorer as :func:`sklearn.metrics.make_scorer` makes them: it takes `sample_weight`, by
        metadata routing too, and can be pickled.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from adapu.metrics import make_pu_scorer
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[
    ...     rng.normal(2, 1, (100, 1)), rng.normal(0, 1, (300, 1)), rng.normal(2, 1, (100, 1))
    ... ]
    >>> s = np.repeat([1, 0], [100, 400])  # a quarter of the unlabeled rows is positive
    >>> scorer = make_pu_scorer("roc_auc", prior=0.25)
    >>> scores = cross_val_score(LogisticRegression(), X, s, scoring=scorer)
    >>> print(f"{scores.mean():.2f}")  # P(N(2, 1) > N(0, 1)) = 0.92
    0.93
    """
    check_choice("name", name, tuple(_SCORERS))
    check_real("prior", prior, 0, 1)
    check_choice("scenario", scenario, SCENARIOS)
    metric, response, arguments = _SCORERS[name]
    return make_scorer(
        metric,
        response_method=response,
        greater_is_better=not name.startswith("neg_"),
        prior=prior,
        scenario=scenario,
        pos_label=pos_label,
        **arguments,
    )
