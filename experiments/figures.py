"""The figures. Nothing is trained here."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from PIL import Image

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from experiments import paper
from experiments.configs import CONFIGS, Series
from experiments.found import Floats, Found, Results, paper_accuracy
from experiments.paper import DATA

# Okabe and Ito's colours, which the colour-blind can tell apart; each series has its own line too.
BLUE, ORANGE, GREEN, PINK, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"
COLORS = {
    "AdaPU per-group": ORANGE,
    "per-group": ORANGE,
    "over-all": BLUE,
    "nnPU": BLUE,
    "uPU": GREEN,
    "XGBoost": BLUE,
    "GBDT": GREEN,
    "AdaBoost": PINK,
    "random": ORANGE,
    "evenly spaced": BLUE,
}
LINES = {"nnPU": "--", "XGBoost": "--", "over-all": "--", "evenly spaced": "--"}
LINES |= {"uPU": "-.", "GBDT": "-.", "AdaBoost": (0, (1, 1))}

LOSS, ACCURACY = "zero-one loss (%)", "test accuracy (%)"
PAPER_LINE = "paper's final value, on the real set"

Draw = Callable[[Results], Figure]


def write_all(results: Results, folder: Path, names: Iterable[str] | None = None) -> list[Path]:
    """Draw the figures, all unless some are named; the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name in FIGURES if names is None else names:
        draw = FIGURES[name]
        # text stays text, and the same rows give the same bytes
        with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "adapu"}):
            figure = draw(results)
            figure.suptitle(CONFIGS[name].title, fontsize=13)
            png, svg = folder / f"{name}.png", folder / f"{name}.svg"
            figure.savefig(svg, metadata={"Date": None})
            save_png(figure, png)
            plt.close(figure)
        written += [png, svg]
    return written


def save_png(figure: Figure, path: Path) -> None:
    """Write a PNG of 256 colours, a third of the size of one with millions."""
    with io.BytesIO() as whole:
        figure.savefig(whole, format="png", dpi=110)
        image = Image.open(whole).convert("RGB")
    image.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


# ---------------------------------------------------------------------------------------- pieces


def series_of(name: str, column: str) -> list[Series]:
    """The series of a config on one data set."""
    return [series for series in CONFIGS[name].series if series.column == column]


def band(ax: Axes, label: str, curves: Floats) -> None:
    """A line for the mean over the seeds, and a band of a standard deviation to either side."""
    rounds = np.arange(1, curves.shape[1] + 1)
    mean, color = curves.mean(axis=0), COLORS[label]
    if len(curves) > 1:
        std = curves.std(axis=0, ddof=1)
        ax.fill_between(rounds, mean - std, mean + std, color=color, alpha=0.18, lw=0)
    ax.plot(rounds, mean, color=color, ls=LINES.get(label, "-"), lw=1.8, label=label)


def paper_line(ax: Axes, series: Series, label: str, *, loss: bool = False) -> None:
    """The paper's final value as a thin dotted line in the colour of its series."""
    theirs = paper_accuracy(series)
    if theirs is not None:
        value = 100 - theirs.mean if loss else theirs.mean
        ax.axhline(value, color=COLORS[label], lw=1, ls=":", alpha=0.9)


def empty(ax: Axes, reason: str) -> None:
    """Say in a panel why it is empty."""
    words, lines = reason.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 34:
            lines.append("")
        lines[-1] += f"{word} "
    ax.text(0.5, 0.5, "\n".join(lines), transform=ax.transAxes, ha="center", va="center")
    ax.set(xticks=[], yticks=[])


def curves_panel(
    ax: Axes,
    results: Results,
    series: Sequence[Series],
    curve: str,
    *,
    accuracy: bool = False,
    lines: bool = True,
) -> None:
    """One data set's curves, with the paper's final values."""
    found = [(one, results.find(one)) for one in series]
    if not any(rows for _, rows in found):
        empty(ax, results.reason(series[0]))
        return
    for one, rows in found:
        if rows is not None and has_curve(rows, curve):
            curves = rows.curves(curve)
            band(ax, one.label, 100 - curves if accuracy else curves)
            if lines:
                paper_line(ax, one, one.label, loss=not accuracy)
    ax.set_xlim(1, paper.N_ROUNDS)
    ax.grid(alpha=0.25)


def has_curve(found: Found, name: str) -> bool:
    """Whether the rows have a curve; that of a model without a single round is empty."""
    return all(name in row["curves"] for row in found.rows)


def legend(figure: Figure, axes: np.ndarray, *, dotted: bool = True) -> None:
    """One legend for all panels, below them."""
    handles: dict[str, object] = {}
    for ax in axes.flat:
        handles |= {
            label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
    if dotted:
        handles[PAPER_LINE] = plt.Line2D([], [], color="grey", ls=":", lw=1)
    shown = figure.legend(
        list(handles.values()),
        [*handles],
        loc="outside lower center",
        ncols=min(len(handles), 5),
        frameon=False,
    )
    for line in shown.get_lines():
        line.set_linewidth(1.8)  # the thick line is that of one panel


def grid(n_rows: int, n_columns: int, height: float = 2.9) -> tuple[Figure, np.ndarray]:
    """A figure of panels."""
    return plt.subplots(
        n_rows,
        n_columns,
        figsize=(3.3 * n_columns, height * n_rows + 0.7),
        layout="constrained",
        squeeze=False,
    )


def titles(results: Results, axes: Sequence[Axes]) -> None:
    """The data sets' names above a row of panels."""
    for ax, column in zip(axes, DATA, strict=True):
        ax.set_title(results.title(column), fontsize=9.5)


# --------------------------------------------------------------------------------------- figures


def by_epoch(results: Results) -> Figure:
    """Training and test zero-one loss by round or epoch."""
    figure, axes = grid(2, 4)
    titles(results, axes[0])
    for i, column in enumerate(DATA):
        series = series_of("by_epoch", column)
        curves_panel(axes[0, i], results, series, "train_loss", lines=False)
        curves_panel(axes[1, i], results, series, "test_loss")
        axes[1, i].set_xlabel("boosting round or epoch")
    axes[0, 0].set_ylabel(f"training {LOSS}")
    axes[1, 0].set_ylabel(f"test {LOSS}")
    legend(figure, axes)
    return figure


def pn_by_round(results: Results) -> Figure:
    """Test accuracy by round, against PN boosting."""
    return accuracy_by_round(results, "pn_by_round")


def normalization(results: Results) -> Figure:
    """Test accuracy by round, per-group against over-all."""
    return accuracy_by_round(results, "normalization")


def accuracy_by_round(results: Results, name: str) -> Figure:
    """A panel of test accuracies per data set."""
    figure, axes = grid(1, 4, height=3.2)
    titles(results, axes[0])
    for ax, column in zip(axes[0], DATA, strict=True):
        curves_panel(ax, results, series_of(name, column), "test_loss", accuracy=True)
        ax.set_xlabel("boosting round")
    axes[0, 0].set_ylabel(ACCURACY)
    legend(figure, axes)
    return figure


def thresholds(results: Results) -> Figure:
    """Test accuracy under random and even thresholds, and how often features were used."""
    figure, axes = grid(2, 4)
    titles(results, axes[0])
    for i, column in enumerate(DATA):
        series = series_of("thresholds", column)
        curves_panel(axes[0, i], results, series, "test_loss", accuracy=True, lines=False)
        axes[0, i].set_xlabel("boosting round")
        feature_use(axes[1, i], results, series)
    axes[0, 0].set_ylabel(ACCURACY)
    axes[1, 0].set_ylabel("times chosen (seed 0)")
    legend(figure, axes, dotted=False)
    return figure


def feature_use(ax: Axes, results: Results, series: Sequence[Series]) -> None:
    """Bars of how often each feature was chosen, most used first; the second series upside down."""
    uses = []
    for one in series:
        found = results.find(one)
        if found is None:
            empty(ax, results.reason(one))
            return
        features = np.array(found.rows[0]["features"], dtype=int)
        uses.append(np.sort(np.bincount(features[features >= 0]))[::-1])
    n_shown = max(np.count_nonzero(use) for use in uses) or 1
    for one, use, sign in zip(series, uses, (1, -1), strict=True):
        used = use[use > 0]
        ax.bar(np.arange(1, used.size + 1), sign * used, width=1.0, color=COLORS[one.label])
        ax.text(
            0.97,
            0.93 if sign > 0 else 0.07,
            f"{one.label}: {used.size} features in {used.sum()} rounds",
            transform=ax.transAxes,
            ha="right",
            va="top" if sign > 0 else "bottom",
            fontsize=8.5,
        )
    top = 1.35 * max(use.max(initial=1) for use in uses)
    ax.axhline(0, color=BLACK, lw=0.8)
    ax.set(xlim=(0.4, n_shown + 0.6), ylim=(-top, top), xlabel="features used, most used first")
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")


def betas(results: Results) -> Figure:
    """Test accuracy by round for nine values of β, one row per normalisation."""
    figure, axes = grid(2, 4)
    titles(results, axes[0])
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.92, len(paper.BETAS)))
    for i, name in enumerate(("per-group", "over-all")):
        for ax, column in zip(axes[i], DATA, strict=True):
            beta_panel(ax, results, column, name, shades)
        axes[i, 0].set_ylabel(f"{name}: {ACCURACY}")
    for ax in axes[1]:
        ax.set_xlabel("boosting round")
    legend(figure, axes)
    figure.supxlabel("thick, with a band: the β that the paper chose", fontsize=9.5)
    return figure


def beta_panel(
    ax: Axes, results: Results, column: str, normalization: str, shades: np.ndarray
) -> None:
    """The nine lines of one data set; the paper's β is the thick one."""
    series = [
        one for one in series_of("betas", column) if one.setting["normalization"] == normalization
    ]
    found = [results.find(one) for one in series]
    if not any(found):
        empty(ax, results.reason(series[0]))
        return
    for one, rows, shade in zip(series, found, shades, strict=True):
        if rows is None:
            continue
        beta = one.setting["learning_rate"]
        chosen = beta == paper.BETA[normalization][column]
        curves = 100 - rows.curves("test_loss")
        mean, rounds = curves.mean(axis=0), np.arange(1, curves.shape[1] + 1)
        if chosen and len(curves) > 1:
            std = curves.std(axis=0, ddof=1)
            ax.fill_between(rounds, mean - std, mean + std, color=shade, alpha=0.2, lw=0)
        ax.plot(rounds, mean, color=shade, lw=3 if chosen else 1.3, label=f"β = {beta:g}")
    theirs = paper_accuracy(series[0])
    if theirs is not None:
        ax.axhline(theirs.mean, color="grey", lw=1, ls=":")
    ax.set_xlim(1, paper.N_ROUNDS)
    ax.grid(alpha=0.25)


def rates(results: Results) -> Figure:
    """Positives called positive and unlabeled called negative, on the training rows."""
    figure, axes = grid(2, 4)
    titles(results, axes[0])
    for i, column in enumerate(DATA):
        series = series_of("rates", column)
        for ax, curve in zip(
            axes[:, i], ("positives_called_positive", "unlabeled_called_negative"), strict=True
        ):
            curves_panel(ax, results, series, curve, lines=False)
            ax.set_ylim(-3, 103)
        axes[1, i].set_xlabel("boosting round")
    axes[0, 0].set_ylabel("positives called\npositive (%)")
    axes[1, 0].set_ylabel("unlabeled called\nnegative (%)")
    legend(figure, axes, dotted=False)
    return figure


FIGURES: dict[str, Draw] = {
    "by_epoch": by_epoch,
    "pn_by_round": pn_by_round,
    "thresholds": thresholds,
    "betas": betas,
    "normalization": normalization,
    "rates": rates,
}
