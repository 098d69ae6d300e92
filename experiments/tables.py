"""The tables, as Markdown. Nothing is trained here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np

from experiments import paper
from experiments.configs import CONFIGS, NETWORK_METHODS, NORMALIZATIONS, Series, adapu, adapu_cv
from experiments.found import Found, Results, mean_and_std, paper_accuracy
from experiments.paper import CIFAR10, DATA

Lines = Iterator[str]


class Footnotes:
    """Reasons, numbered as they come up."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def mark(self, reason: str) -> str:
        """The mark of an empty cell."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        return f"empty [{self.reasons.index(reason) + 1}]"

    def lines(self) -> Lines:
        """The reasons."""
        yield from (f"- [{i}] {reason}" for i, reason in enumerate(self.reasons, 1))
        if self.reasons:
            yield ""


def page(results: Results) -> Lines:
    """All tables."""
    yield "# The paper's experiments: tables"
    yield ""
    yield "- Written by `python -m experiments.report`, which trains nothing."
    yield f"- Rows: {len(results.rows):,}. {ran_on(results)}"
    yield "- Test accuracy in %, mean (standard deviation over the seeds, n − 1 below)."
    yield from substitutes(results)
    yield ""
    yield from accuracy(results)
    yield from breast_cancer(results)
    yield from chosen_beta(results)
    yield from networks(results)


def ran_on(results: Results) -> str:
    """Devices and versions of the rows."""
    devices: dict[str, float] = {}
    versions: dict[str, set[str]] = {}
    for row in results.rows:
        devices[row["device"]] = devices.get(row["device"], 0.0) + row["seconds"]
        for name, version in row["versions"].items():
            versions.setdefault(name, set()).add(version)
    spent = ", ".join(f"{s / 60:.0f} minutes on {d}" for d, s in sorted(devices.items()))
    used = ", ".join(f"{name} {' and '.join(sorted(v))}" for name, v in sorted(versions.items()))
    return f"Seconds of all fits added up: {spent}. Versions: {used}."


def substitutes(results: Results) -> Lines:
    """What stands in for what."""
    for column, sentence in results.substitutes(DATA).items():
        yield f"- **{column}†** is a substitute: {sentence}."


def header(cells: Iterable[str], n_text: int = 1) -> Lines:
    """The head of a table, whose first columns are text."""
    cells = list(cells)
    yield "| " + " | ".join(cells) + " |"
    yield "|" + n_text * " --- |" + (len(cells) - n_text) * " ---: |"


def marked(results: Results, column: str) -> str:
    """A column's name, with a dagger where a substitute fills it."""
    return column + ("†" if results.substitutes([column]) else "")


def accuracy(results: Results) -> Lines:
    """The table of accuracies."""
    yield "## Accuracy of every method"
    yield ""
    titles = [cell for column in DATA for cell in (marked(results, column), "paper")]
    yield from header(["method", *titles])
    notes = Footnotes()
    for label, row in rows_by_label(CONFIGS["accuracy"].series):
        cells = []
        for series in row:
            found, theirs = results.find(series), paper_accuracy(series)
            cells.append(found.text() if found else notes.mark(results.reason(series)))
            cells.append(f"{theirs.mean:.2f} ({theirs.std:.2f})" if theirs else "")
        yield f"| {label} | " + " | ".join(cells) + " |"
    yield ""
    yield (
        "Networks have the hyper-parameters that the paper chose. AdaBoost is scikit-learn's "
        "SAMME; the paper's was probably SAMME.R, which scikit-learn no longer has."
    )
    yield ""
    yield from notes.lines()


def rows_by_label(series: Iterable[Series]) -> Iterator[tuple[str, list[Series]]]:
    """Series that share a label, a row of a table, in the order of the paper's."""
    by_label: dict[str, list[Series]] = {}
    for one in series:
        by_label.setdefault(one.label, []).append(one)
    yield from ((label, by_label[label]) for label in paper.ACCURACY)


def breast_cancer(results: Results) -> Lines:
    """Five and forty seeds."""
    yield "## Breast Cancer: five and forty seeds, K = 10 and K = 1"
    yield ""
    yield from header(["", "paper, 5 seeds", "5 seeds", "40 seeds", "lowest and highest of 40"])
    notes = Footnotes()
    for series in CONFIGS["breast_cancer"].series:
        k = series.setting["n_thresholds"]
        theirs = paper_accuracy(series) if k == paper.N_THRESHOLDS else None
        cells = [f"{theirs.mean:.2f} ({theirs.std:.2f})" if theirs else ""]
        found = results.find(series)
        if found is None:
            cells += 3 * [notes.mark(results.reason(series))]
        else:
            values = found.accuracies
            cells += [spread(values[: paper.N_SEEDS]), spread(values)]
            cells += [f"{values.min():.2f} to {values.max():.2f}"]
            if len(values) < len(series.seeds):
                cells[-2] += f", {len(values)} seeds"
        yield f"| {series.label}, K = {k} | " + " | ".join(cells) + " |"
    yield ""
    yield "The paper says K = 10; its authors' published code has K = 1."
    yield ""
    yield from notes.lines()


def spread(values: np.ndarray) -> str:
    """Mean and standard deviation."""
    mean, std = mean_and_std(values)
    return f"{mean:.2f}" + ("" if std is None else f" ({std:.2f})")


def chosen_beta(results: Results) -> Lines:
    """β by cross-validation beside the paper's."""
    yield "## β by 5-fold cross-validated PU loss, beside the paper's"
    yield ""
    yield (
        "After 100 rounds: the β with the lowest mean held-out loss after all rounds, by seed, "
        "and the accuracy that it leads to. With rounds: `AdaPUClassifierCV`, which also chooses "
        "when to stop. Best on test: the β with the highest mean accuracy, which no one without "
        "true labels could choose."
    )
    yield ""
    heads = ["data", "normalisation", "paper's β", "accuracy", "after 100 rounds", "accuracy"]
    yield from header([*heads, "with rounds", "accuracy", "best on test", "accuracy"], 2)
    notes = Footnotes()
    for column in DATA:
        for normalization in NORMALIZATIONS:
            cells = beta_cells(results, column, normalization, notes)
            yield f"| {marked(results, column)} | {normalization} | " + " | ".join(cells) + " |"
    yield ""
    yield from notes.lines()


def beta_cells(
    results: Results, column: str, normalization: str, notes: Footnotes
) -> Iterator[str]:
    """One line: each way to choose β, and the accuracy it leads to."""
    theirs = adapu(column, normalization)
    found = results.find(theirs)
    yield f"{paper.BETA[normalization][column]:g}"
    yield found.text() if found else notes.mark(results.reason(theirs))
    chosen = results.find(adapu_cv(column, normalization))
    by_beta = {
        beta: one
        for beta in paper.BETAS
        if (one := results.find(adapu(column, normalization, beta=beta)))
    }
    if chosen is None:
        yield from 4 * [notes.mark(results.reason(adapu_cv(column, normalization)))]
    else:
        yield listed(row["beta_after_all_rounds"] for row in chosen.rows)
        values = accuracies_at(by_beta, chosen)
        yield spread(values) if len(values) else notes.mark(results.reason(theirs))
        yield listed(
            f"{row['chosen_beta']:g} ({row['chosen_rounds']} rounds)" for row in chosen.rows
        )
        yield spread(chosen.accuracies)
    if by_beta:
        best = max(by_beta, key=lambda beta: by_beta[beta].accuracies.mean())
        yield f"{best:g}"
        yield by_beta[best].text()
    else:
        yield from 2 * [notes.mark(results.reason(theirs))]


def accuracies_at(by_beta: dict[float, Found], chosen: Found) -> np.ndarray:
    """The test accuracies of the same seeds at the β that was chosen for each."""
    found = []
    for row in chosen.rows:
        at = by_beta.get(row["beta_after_all_rounds"])
        same_seed = [r for r in at.rows if r["seed"] == row["seed"]] if at else []
        found += [100 * r["test_accuracy"] for r in same_seed]
    return np.array(found)


def listed(values: Iterable[object]) -> str:
    """Values in a row; repeated ones once, with how often."""
    parts = []
    for text, group in groupby(
        sorted(f"{v:g}" if isinstance(v, float) else str(v) for v in values)
    ):
        n = len(list(group))
        parts.append(f"{n} × {text}" if n > 1 else text)
    return ", ".join(parts)


def networks(results: Results) -> Lines:
    """The grid of networks, and what is chosen from it on test accuracy and by PU validation."""
    yield "## Networks and hyper-parameters"
    yield ""
    yield (
        "The grid is the paper's: depth × learning rate × weight decay. **On test accuracy** is "
        "how the paper chose, and it says so: an optimistic estimate that no one could have made "
        "without the test labels. Beside it what PU validation would have chosen: all networks of "
        "the grid are trained on 80 % of P and of U, and the non-negative PU zero-one loss of the "
        "last epoch is taken on the other 20 %. A choice is network, learning rate, weight decay."
    )
    yield ""
    heads = ["loss", "data", "paper's choice", "on test accuracy", "accuracy"]
    yield from header([*heads, "by PU validation", "accuracy", "fits"], 4)
    notes = Footnotes()
    by_loss = {
        (method, column): [
            s for s in CONFIGS["networks"].series if (s.method, s.column) == (method, column)
        ]
        for method in NETWORK_METHODS
        for column in DATA
    }
    for (method, column), series in by_loss.items():
        found = [one for one in map(results.find, series) if one]
        theirs = paper.NETWORKS[method][column]
        cells = [method, marked(results, column), described(theirs)]
        if found:
            best = max(found, key=lambda one: one.accuracies.mean())
            valid = min(found, key=lambda one: np.mean([r["validation_loss"] for r in one.rows]))
            for one in (best, valid):
                cells += [described(choice_of(one)), one.text()]
            cells.append(f"{len(found)} of {len(series)}")
        else:
            cells += 5 * [notes.mark(grid_reason(results, series[0]))]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield from notes.lines()
    yield from by_depth(results, by_loss)


def grid_reason(results: Results, series: Series) -> str:
    """Why a part of the grid was not run."""
    if series.column == CIFAR10:
        return (
            "48 ResNets of 100 epochs take a GPU for days; those that the paper chose are in the "
            "table of accuracies"
        )
    return results.reason(series).replace("experiments.run", "experiments.run --preset grid")


def by_depth(results: Results, by_loss: dict[tuple[str, str], list[Series]]) -> Lines:
    """The best accuracy of each depth."""
    yield "Highest test accuracy of each depth, over learning rates and weight decays:"
    yield ""
    yield from header(["loss", "data", *paper.MLPS], 2)
    for (method, column), series in by_loss.items():
        found = [one for one in map(results.find, series) if one]
        if column == CIFAR10 or not found:
            continue
        cells = []
        for name in paper.MLPS:
            values = [one.accuracies.mean() for one in found if one.series.label == name]
            cells.append(f"{max(values):.2f}" if values else "")
        yield f"| {method} | {marked(results, column)} | " + " | ".join(cells) + " |"
    yield ""


def choice_of(found: Found) -> paper.Network:
    """The hyper-parameters of a series."""
    setting = found.series.setting
    return paper.Network(setting["network"], setting["weight_decay"], setting["learning_rate"])


def described(choice: paper.Network) -> str:
    """A choice in a table's cell."""
    return f"{choice.network}, {choice.learning_rate:g}, {choice.weight_decay:g}"
