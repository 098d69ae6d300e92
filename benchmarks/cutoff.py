"""Where to cut the margin: at zero or at the prior, with β as given or cross-validated.

    ADAPU_DATA=folder python benchmarks/cutoff.py

PU-Bench's protocol: a fifth of the rows is held out for the test, U is the whole training set, P a
share c = 0.1 of its positives, copied; the true prior is given. Writes results/cutoff.md.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from adapu import AdaPUClassifier, AdaPUClassifierCV
from adapu.datasets import load_tabular, make_pu

RESULTS = Path(__file__).parent / "results"
QUANTILE = {"thresholds": "quantile", "normalization": "over-all"}
METHODS = {
    "as in the paper, β = 0.1, cut at zero": (AdaPUClassifier, {}),
    "the same, cut at the prior": (AdaPUClassifier, {"cutoff": "prior"}),
    "quantile, over-all, β = 0.1, cut at zero": (AdaPUClassifier, QUANTILE),
    "quantile, over-all, β = 0.1, cut at the prior": (
        AdaPUClassifier,
        QUANTILE | {"cutoff": "prior"},
    ),
    "the same, stopped early": (
        AdaPUClassifier,
        QUANTILE | {"cutoff": "prior", "early_stopping": True},
    ),
    "the same, β and rounds cross-validated": (AdaPUClassifierCV, QUANTILE | {"cutoff": "prior"}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=["spambase", "mushroom", "phishing"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "cutoff.md")
    options = parser.parse_args()
    if "ADAPU_DATA" not in os.environ:
        parser.error("ADAPU_DATA must name the folder of the data sets; it is not set.")
    lines = [
        "# Where to cut the margin",
        "",
        f"`python benchmarks/cutoff.py --seeds {options.seeds}` wrote this page: test accuracy and "
        "ROC AUC against true labels, mean (standard deviation) over the seeds, by PU-Bench's "
        "protocol at c = 0.1 with the true prior.",
    ]
    for name in options.sets:
        lines += ["", f"## {name}", "", "| | accuracy | ROC AUC | called positive | fit |"]
        lines += ["| --- | ---: | ---: | ---: | ---: |"]
        for title, (kind, parameters) in METHODS.items():
            found = np.array(
                [one(name, kind, parameters, s, options) for s in range(options.seeds)]
            )
            mean, std = found.mean(axis=0), found.std(axis=0)
            lines.append(
                f"| {title} | {mean[0]:.3f} ({std[0]:.3f}) | {mean[1]:.3f} ({std[1]:.3f}) "
                f"| {mean[2]:.2f} | {mean[3]:.2f} s |"
            )
            print(lines[-1], flush=True)
    options.out.write_text("\n".join(lines) + "\n")


def one(name, kind, parameters, seed, options):
    """Accuracy, AUC, share called positive and seconds of one method on one draw."""
    data = load_tabular(name, one_hot=True)
    X, X_test, y, y_test = train_test_split(
        data.X_train, data.y_train, test_size=0.2, stratify=data.y_train, random_state=seed
    )
    X_pu, s = make_pu(X, y, c=0.1, random_state=seed)
    model = kind(y.mean(), random_state=seed, n_jobs=options.jobs, **parameters)
    start = time.perf_counter()
    model.fit(X_pu, s)
    seconds = time.perf_counter() - start
    margin = model.decision_function(X_test)
    called = margin > 0
    return (called == y_test).mean(), roc_auc_score(y_test, margin), called.mean(), seconds


if __name__ == "__main__":
    main()
