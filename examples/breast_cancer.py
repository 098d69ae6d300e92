"""The paper's Breast Cancer experiment: ten known positives, everything else unlabeled.

Prints test accuracies beside the paper's and draws accuracy by round. The protocol: the first 455
rows of scikit-learn's bundled set train and the last 114 test; benign is the positive class; a
seed draws which ten training positives are known, and the unlabeled rows are the whole training
set without its labels; T = 100 rounds of K = 10 random thresholds, and the paper's β.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from adapu import AdaPUClassifier
from adapu.datasets import Dataset, load_breast_cancer, make_pu

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
except ImportError:
    sys.exit("The figure of this demo needs matplotlib: pip install 'adapu[plot]'")

N_KNOWN, N_ROUNDS, N_PAPER_SEEDS = 10, 100, 5


class Variant(NamedTuple):
    """One normalisation, with the paper's β for it and the accuracy the paper reports, in %."""

    normalization: str
    learning_rate: float
    paper_mean: float
    paper_std: float
    color: str


VARIANTS = (
    Variant("over-all", 0.0001, 93.86, 1.64, "#0072B2"),
    Variant("per-group", 0.001, 92.28, 2.09, "#D55E00"),
)
PAPER_XGBOOST = "77.19"  # says "positive" to everything


Floats = NDArray[np.float64]


def accuracy_by_round(data: Dataset, variant: Variant, seed: int) -> Floats:
    """Test accuracy in % after each round of one fit; if boosting stops early, the last holds."""
    X, s = make_pu(data.X_train, data.y_train, N_KNOWN, random_state=seed)
    classifier = AdaPUClassifier(
        prior=data.prior,
        n_estimators=N_ROUNDS,
        learning_rate=variant.learning_rate,
        n_thresholds=10,
        thresholds="random",
        normalization=variant.normalization,
        scenario="case-control",
        random_state=seed,
    )
    answers = classifier.fit(X, s).staged_predict(data.X_test)
    by_round = [100 * np.mean(answer == data.y_test) for answer in answers]
    return np.pad(by_round, (0, N_ROUNDS - len(by_round)), mode="edge")


def run(data: Dataset, n_seeds: int) -> Floats:
    """Test accuracies of shape (len(VARIANTS), n_seeds, N_ROUNDS)."""
    fits = tqdm([(v, seed) for v in VARIANTS for seed in range(n_seeds)], "fitting", unit="fit")
    accuracies = [accuracy_by_round(data, variant, seed) for variant, seed in fits]
    return np.reshape(accuracies, (len(VARIANTS), n_seeds, N_ROUNDS))


def table(results: Floats, all_positive: float) -> str:
    """Accuracies after the last round, beside the paper's."""
    counts = sorted({N_PAPER_SEEDS, results.shape[1]})
    rows = [["test accuracy in %", "beta", "paper, 5 seeds", *(f"ours, {n} seeds" for n in counts)]]
    for v, final in zip(VARIANTS, results[:, :, -1], strict=True):
        paper = f"{v.paper_mean:.2f} ({v.paper_std:.2f})"
        ours = [f"{final[:n].mean():.2f} ({final[:n].std(ddof=1):.2f})" for n in counts]
        rows.append([f"AdaPU, {v.normalization}", f"{v.learning_rate:g}", paper, *ours])
    rows.append(["everything positive", "-", PAPER_XGBOOST, *len(counts) * [f"{all_positive:.2f}"]])
    first, *rest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "   ".join([name.ljust(first), *map(str.rjust, cells, rest)]) for name, *cells in rows
    )


def reading(results: Floats) -> str:
    """What the table shows, in words."""
    final = results[:, :, -1]
    low, high, gap = final.min(), final.max(), abs(np.subtract(*final.mean(axis=1)))
    return (
        "Mean (standard deviation over seeds, ddof = 1) after the last round. Five seeds are few:\n"
        "with the draw of the ten known positives (and of the thresholds) the accuracy runs from\n"
        f"{low:.1f} to {high:.1f} % over {final.shape[1]} seeds, while the means of the two "
        f"variants are {gap:.1f} points apart."
    )


def draw(results: Floats, path: Path) -> None:
    """Draw a panel per variant: accuracy by round over all seeds and over five, and the paper's."""
    rounds = np.arange(1, N_ROUNDS + 1)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.8), sharey=True, layout="constrained")
    for ax, v, accuracies in zip(axes, VARIANTS, results, strict=True):
        n, c = len(accuracies), v.color
        mean, std = accuracies.mean(axis=0), accuracies.std(axis=0, ddof=1)
        five = accuracies[:N_PAPER_SEEDS].mean(axis=0)
        band = f"± 1 std, {n} seeds"
        ax.fill_between(rounds, mean - std, mean + std, color=c, alpha=0.2, lw=0, label=band)
        ax.plot(rounds, mean, color=c, lw=2, label=f"mean, {n} seeds")
        ax.plot(rounds, five, color=c, lw=1, ls=":", label=f"mean, {N_PAPER_SEEDS} seeds")
        ax.axhline(v.paper_mean, color="black", lw=1, ls="--", label=f"paper, {v.paper_mean} %")
        ax.set(title=f"{v.normalization}, β = {v.learning_rate:g}")
        ax.set(xlabel="boosting round", xlim=(1, N_ROUNDS))
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
    axes[0].set_ylabel("test accuracy (%)")
    figure.suptitle("AdaPU on Breast Cancer: 10 known positives, 455 unlabeled rows")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Run the experiment from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40, help="how many, at least 5 (default: 40)")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder (default: demo)")
    args = parser.parse_args()
    if args.seeds < N_PAPER_SEEDS:
        parser.error(f"--seeds must be at least {N_PAPER_SEEDS}, got {args.seeds}")
    args.out.mkdir(parents=True, exist_ok=True)
    path = (args.out / "breast_cancer.png").resolve()
    data = load_breast_cancer()
    results = run(data, args.seeds)
    print(table(results, 100 * np.mean(data.y_test == 1)), reading(results), sep="\n\n")
    draw(results, path)
    print(f"\nAccuracy by round: {path}")


if __name__ == "__main__":
    main()
