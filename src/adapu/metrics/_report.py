"""The report: each number beside that of classifiers which know nothing, and a verdict in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adapu._model import Array
from adapu._validation import check_integer
from adapu.metrics import _predictions
from adapu.metrics._probabilities import pu_brier_score_loss, pu_calibration_error
from adapu.metrics._ranking import pu_average_precision_score, pu_roc_auc_score
from adapu.metrics._sample import (
    Sample,
    read_predictions,
    read_probabilities,
    read_sample,
    read_scores,
)

_COLUMNS = ("value", "all_positive", "all_negative", "constant_prior")
_SURE = 2.0  # standard errors: what lies nearer to guessing counts as guessing

_OF_PREDICTIONS: dict[str, Callable[[float, float, float], float]] = {
    "accuracy": _predictions.accuracy,
    "precision": _predictions.precision,
    "recall": _predictions.recall,
    "f1": _predictions.f1,
    "lee_liu": _predictions.lee_liu,
}


def pu_report(
    s: Any,
    y_pred: Any,
    y_score: Any = None,
    y_prob: Any = None,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    digits: int = 3,
    output_dict: bool = False,
) -> str | dict[str, Any]:
    """Return the PU metrics beside those of trivial classifiers, and a verdict.

    On PU data calling everything positive has a recall of 1, and an F1 that looks like something.
    So each number stands beside what it is for whoever calls every row positive, calls every row
    negative, or gives every row the prior for a probability. The verdict says in words whether
    the predictions are one of these, cannot be told from chance (the rates of labeled and of
    unlabeled rows predicted positive are within two standard errors of each other, or the latter
    is larger), have an accuracy, F1 or Brier score that a trivial classifier reaches, or are
    impossible: by more than two standard errors, fewer rows of the population are predicted
    positive than there are positives among them, as on rows that the model knows by heart. Nothing
    is clipped but what average precision clips: on few rows an estimate may lie outside [0, 1].

    Parameters
    ----------
    s, y_pred, prior, scenario, sample_weight, pos_label
        As in :func:`pu_zero_one_loss`.
    y_score : array-like of shape (n_rows,), default=None
        Margins or probabilities of the positive class; adds ROC AUC and average precision. None
        means `y_prob`, where that is given.
    y_prob : array-like of shape (n_rows,), default=None
        Probabilities of the positive class; adds the Brier score and the calibration error.
    digits : int, default=3
        The number of digits after the point.
    output_dict : bool, default=False
        Whether to return a dict.

    Returns
    -------
    str or dict
        The text, or its fields: for each metric a dict with ``"value"`` and the values of the
        trivial classifiers, ``"all_positive"``, ``"all_negative"`` and ``"constant_prior"``, NaN
        where there is none; ``"n_labeled"``, ``"n_unlabeled"``, ``"scenario"``, ``"prior"`` and
        ``"predicted_positive"``, the share q of the population; ``"verdict"``, and
        ``"better_than_trivial"``, whether the verdict found nothing.

    Examples
    --------
    >>> from adapu.metrics import pu_report
    >>> s = [1] * 20 + [0] * 80
    >>> y_pred = [1] * 17 + [0] * 3 + [1] * 38 + [0] * 42
    >>> print(pu_report(s, y_pred, prior=0.4))
                    value    all positive    all negative
    <BLANKLINE>
    accuracy        0.805           0.400           0.600
    precision       0.716           0.400               -
    recall          0.850           1.000           0.000
    F1              0.777           0.571           0.000
    Lee-Liu         1.521           1.000               -
    <BLANKLINE>
    20 labeled and 80 unlabeled rows (case-control), prior 0.400, predicted positive 0.475
    verdict: better than the trivial classifiers.
    >>> report = pu_report(s, [1] * 100, prior=0.4, output_dict=True)
    >>> report["recall"]["value"]
    1.0
    >>> report["verdict"]
    'trivial: every row is predicted positive, which tells nothing apart.'
    >>> report["better_than_trivial"]
    False
    """
    check_integer("digits", digits, 0)
    keywords = {
        "prior": prior,
        "scenario": scenario,
        "sample_weight": sample_weight,
        "pos_label": pos_label,
    }
    sample = read_sample(s, **keywords)
    prior = sample.prior
    predicted = read_predictions(sample, y_pred)
    tpr, q = sample.means(predicted)
    report: dict[str, Any] = {
        name: _row(metric(prior, tpr, q), metric(prior, 1.0, 1.0), metric(prior, 0.0, 0.0))
        for name, metric in _OF_PREDICTIONS.items()
    }
    score = None
    if y_prob is not None:
        score = read_probabilities(sample, y_prob)
        y_score = y_prob if y_score is None else y_score
    if y_score is not None:
        score = read_scores(sample, "y_score", y_score)
        auc = pu_roc_auc_score(s, y_score, **keywords)
        average = pu_average_precision_score(s, y_score, **keywords)
        report["roc_auc"] = _row(auc, 0.5, 0.5, 0.5)
        report["average_precision"] = _row(average, prior, prior, prior)
    if y_prob is not None:
        brier = pu_brier_score_loss(s, y_prob, **keywords)
        error = pu_calibration_error(s, y_prob, **keywords)
        report["brier_score"] = _row(brier, 1 - prior, prior, prior * (1 - prior))
        report["calibration_error"] = _row(error, 1 - prior, prior, 0.0)
    findings = _of_predictions(sample, predicted, report)
    if score is not None:
        findings += _of_scores(sample, score, report)
    report |= {
        "n_labeled": int(sample.labeled.sum()),
        "n_unlabeled": int((~sample.labeled).sum()),
        "scenario": scenario,
        "prior": prior,
        "predicted_positive": q,
        "verdict": "; ".join(findings or ["better than the trivial classifiers"]) + ".",
        "better_than_trivial": not findings,
    }
    return report if output_dict else _text(report, digits)


def _row(*values: float) -> dict[str, float]:
    """Return the values under the names of their columns, NaN where one is missing."""
    padded = [*map(float, values), np.nan]
    return dict(zip(_COLUMNS, padded[: len(_COLUMNS)], strict=True))


def _of_predictions(sample: Sample, predicted: Array, report: dict[str, Any]) -> list[str]:
    """Return what speaks against the predictions."""
    for every, word in ((predicted, "positive"), (~predicted, "negative")):
        if every.all():
            return [f"trivial: every row is predicted {word}, which tells nothing apart"]
    # Predicted by chance, labeled and unlabeled rows are as often positive: the difference of the
    # rates has mean 0 and the variance r (1 − r) (1 / n_labeled + 1 / n_unlabeled).
    labeled, unlabeled = (_rate(sample, rows, predicted) for rows in _groups(sample))
    rate = _rate(sample, np.ones_like(predicted), predicted)
    noise = np.sqrt(rate * (1 - rate) * sum(1 / _size(sample, rows) for rows in _groups(sample)))
    if labeled - unlabeled <= _SURE * noise:
        return [
            "no better than chance: labeled rows are predicted positive at a rate of "
            f"{labeled:.3f}, unlabeled rows at one of {unlabeled:.3f}"
        ]
    findings = _impossible(sample, predicted)
    for name, shown in (("accuracy", "accuracy"), ("f1", "F1")):
        value, *trivial = (report[name][column] for column in _COLUMNS[:3])
        if value <= max(trivial):
            word = "positive" if trivial[0] >= trivial[1] else "negative"
            findings.append(
                f"no better than trivial in {shown}: {value:.3f}, where calling every row {word} "
                f"has {max(trivial):.3f}"
            )
    return findings


def _impossible(sample: Sample, predicted: Array) -> list[str]:
    """Return a finding if the part of the negatives in q, q − π TPR, is below 0 beyond noise."""
    # With a, the labeled share of the population (0 in case-control), q = a TPR + (1 − a) r, and
    # the rates TPR and r of labeled and of unlabeled rows are independent. So is a itself, of which
    # a single set has more or less by chance. A rate of 0 or 1 on few rows is not sure for being
    # so: variances are those of rates with a row added on either side.
    rates = np.array([_rate(sample, rows, predicted) for rows in _groups(sample)])
    sizes = np.array([_size(sample, rows) for rows in _groups(sample)])
    near = (sizes * rates + 1) / (sizes + 2)
    tpr_variance, r_variance = near * (1 - near) / sizes
    (tpr, q), a = sample.means(predicted), sample.means(sample.labeled)[1]
    noise = np.sqrt(
        (a - sample.prior) ** 2 * tpr_variance
        + (1 - a) ** 2 * r_variance
        + a * (1 - a) * (rates[0] - rates[1]) ** 2 / sizes.sum()
    )
    found = sample.prior * tpr
    if q - found >= -_SURE * noise:
        return []
    return [
        f"impossible: only {q:.3f} of the population is predicted positive, of which the prior "
        f"times the recall, {found:.3f}, would be positives: the model may have learned from these "
        "rows, they may be few, or the prior or the scenario is wrong"
    ]


def _of_scores(sample: Sample, scores: Array, report: dict[str, Any]) -> list[str]:
    """Return what speaks against the scores."""
    if scores.min() == scores.max():
        return [f"the score is the same for every row, {scores[0]:.3g}, and ranks nothing"]
    # Of scores that know nothing, A, the chance that a labeled row outscores an unlabeled one, has
    # mean 1/2 and the variance (n + 1) / (12 n_labeled n_unlabeled) of the rank-sum statistic.
    findings = []
    n_labeled, n_unlabeled = (_size(sample, rows) for rows in _groups(sample))
    weights = [sample.weight[rows].sum() for rows in _groups(sample)]
    unlabeled_share = weights[1] / sum(weights) if sample.single_set else 1.0
    excess = (report["roc_auc"]["value"] - 0.5) * (1 - sample.prior) / unlabeled_share  # A − 1/2
    noise = np.sqrt((n_labeled + n_unlabeled + 1) / (12 * n_labeled * n_unlabeled))
    if excess <= _SURE * noise:
        auc = report["roc_auc"]["value"]
        findings.append(f"the scores rank no better than chance: ROC AUC {auc:.3f}")
    if "brier_score" in report:
        brier = report["brier_score"]
        if brier["value"] >= brier["constant_prior"]:
            findings.append(
                f"no better than trivial in Brier score: {brier['value']:.3f}, where giving every "
                f"row the prior has {brier['constant_prior']:.3f}"
            )
    return findings


def _groups(sample: Sample) -> tuple[Array, Array]:
    """Return the masks of the labeled and of the unlabeled rows."""
    return sample.labeled, ~sample.labeled


def _rate(sample: Sample, rows: Array, predicted: Array) -> float:
    """Return the share of the rows that is predicted positive."""
    weight = sample.weight[rows]
    return float(weight @ predicted[rows] / weight.sum())


def _size(sample: Sample, rows: Array) -> float:
    """Return how many rows of equal weight are as noisy as these (Kish's effective size)."""
    weight = sample.weight[rows]
    return float(weight.sum() ** 2 / (weight**2).sum())


_SHOWN = {
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "lee_liu": "Lee-Liu",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "brier_score": "Brier score",
    "calibration_error": "calibration error",
}


def _text(report: dict[str, Any], digits: int) -> str:
    """Return the report as a table, the sample in a line, and the verdict."""
    names = [name for name in _SHOWN if name in report]
    columns = _COLUMNS if "roc_auc" in report else _COLUMNS[:3]
    width = max(len(_SHOWN[name]) for name in names)
    heads = [column.replace("_", " ") for column in columns]
    widths = [max(len(head) + 4, digits + 7) for head in heads]
    lines = [" " * width + "".join(f"{head:>{w}}" for head, w in zip(heads, widths, strict=True))]
    lines.append("")
    for name in names:
        cells = [report[name][column] for column in columns]
        shown = ["-" if np.isnan(cell) else f"{cell:.{digits}f}" for cell in cells]
        line = "".join(f"{cell:>{w}}" for cell, w in zip(shown, widths, strict=True))
        lines.append(f"{_SHOWN[name]:<{width}}{line}")
    values = [report[name]["value"] for name in names if name != "lee_liu"]
    if any(value < 0 or value > 1 for value in values):
        why = (
            "these are estimates, on few rows, on rows that the model has learned from, or with a "
            "wrong prior or scenario"
        )
        lines += ["", f"Some values are outside [0, 1]: {why}."]
    lines += [
        "",
        f"{report['n_labeled']:,} labeled and {report['n_unlabeled']:,} unlabeled rows "
        f"({report['scenario']}), prior {report['prior']:.{digits}f}, predicted positive "
        f"{report['predicted_positive']:.{digits}f}",
        f"verdict: {report['verdict']}",
    ]
    return "\n".join(lines)
