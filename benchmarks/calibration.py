"""How well are probabilities calibrated that were learned from P and U alone? True labels say.

Run: ADAPU_DATA=folder python benchmarks/calibration.py. It writes results/calibration.md. pulearn
takes part where it is installed. With --parts it measures some parts of the page, and leaves the
others as they are.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from adapu import AdaPUClassifier
from adapu.calibration import PUCalibratedClassifier

DATA_SETS = ("Spambase", "Mushroom", "Shuttle", "a9a")
TARGET = 0.05
HERE = Path(__file__).parent
SETTINGS = {
    "quantile, over-all, β = 0.1": {
        "thresholds": "quantile", "normalization": "over-all", "learning_rate": 0.1
    },
    "defaults": {},
    "defaults, β = 0.5": {"learning_rate": 0.5},
}  # fmt: skip
MAIN = "quantile, over-all, β = 0.1"


# ---------------------------------------------------------------- data


def read(folder, name):
    """X and y of a file."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    if name == "mushroom":  # its numbers are categories
        X = pd.get_dummies(X.astype("category"))
    return X.to_numpy(np.float32), y


def split(folder, name, seed):
    """Training and test rows: a9a's own, a stratified fifth of the others."""
    if name == "a9a":
        return *read(folder, "a9a_train"), *read(folder, "a9a_test")
    X, y = read(folder, name.lower())
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
    return X, y, X_test, y_test


def with_labels(X, y, c, scenario, seed):
    """X and s: a share c of the positives is labeled, as copies or, in a single set, in place.

    Or they are labeled in one half of the rows, while the other half is U.
    """
    rng = np.random.default_rng(seed)
    if scenario == "apart":
        halves = np.array_split(rng.permutation(len(X)), 2)
        labeled = halves[0][y[halves[0]] == 1]
        labeled = labeled[: round(c * len(labeled))]
        return np.vstack([X[labeled], X[halves[1]]]), np.repeat(
            [1, 0], [len(labeled), len(halves[1])]
        )
    positives = np.flatnonzero(y)
    n_labeled = round(c * len(positives))
    labeled = rng.choice(positives, n_labeled, replace=False)
    if scenario == "case-control":
        return np.vstack([X[labeled], X]), np.repeat([1, 0], [n_labeled, len(X)])
    s = np.zeros(len(X), dtype=int)
    s[labeled] = 1
    return X, s


# ---------------------------------------------------------------- contestants: test probabilities


def own_link(model, X, s, X_test, **_):
    return 1 / (1 + np.exp(-2 * model.fit(X, s).decision_function(X_test)))


def cross_fitted(model, X, s, X_test, prior, scenario, seed, ensemble=True):
    calibrated = PUCalibratedClassifier(
        model, prior=prior, scenario=scenario, ensemble=ensemble, random_state=seed
    )
    return calibrated.fit(X, s).predict_proba(X_test)[:, 1]


def one_model(*arguments, **keywords):
    return cross_fitted(*arguments, **keywords, ensemble=False)


def own_probabilities(model, X, s, X_test, **_):
    return model.fit(X, s).predict_proba(X_test)[:, 1]


def elkan_noto(model, X, s, X_test, seed, **_):
    from pulearn import ElkanotoPuClassifier

    return ElkanotoPuClassifier(model, random_state=seed).fit(X, s).predict_proba(X_test)[:, 1]


def adapu(prior, scenario, seed, **parameters):
    return AdaPUClassifier(prior, scenario=scenario, random_state=seed, **parameters)


def trees(prior, scenario, seed, **_):
    return HistGradientBoostingClassifier(random_state=seed)


CONTESTANTS = {
    "AdaPU, calibrated on its training margins": (adapu, own_probabilities),
    "AdaPU in PUCalibratedClassifier": (adapu, cross_fitted),
    "AdaPU in PUCalibratedClassifier, `ensemble=False`": (adapu, one_model),
    "HGB in PUCalibratedClassifier": (trees, cross_fitted),
    "AdaPU, AdaBoost's link": (adapu, own_link),
    "HGB, labeled or not": (trees, own_probabilities),
    "pulearn Elkan-Noto on HGB": (trees, elkan_noto),
}
OURS = list(CONTESTANTS)[:4]  # the calibrated ones: AdaPU three times, then HGB


# ---------------------------------------------------------------- measures


def calibration_error(y, p, n_bins=10):
    """Σ over bins of equal width of |Σ (p − y)| / n: the twin of `adapu.metrics`' from labels."""
    bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p)
    return np.abs(np.bincount(bins, p - y)).sum() / len(y)


def quantile_calibration_error(y, p, n_bins=15):
    """The same in bins of equal numbers of rows; equal probabilities share a bin."""
    borders = np.quantile(p, np.arange(1, n_bins) / n_bins, method="inverted_cdf")
    return np.abs(np.bincount(np.searchsorted(borders, p), p - y)).sum() / len(y)


def noise(y, p, seed, n_draws=20):
    """The calibration error that p has for y drawn from p itself: of a perfect forecast."""
    rng = np.random.default_rng(seed)
    p = np.clip(p, 0, 1)
    return np.mean([calibration_error(rng.random(len(p)) < p, p) for _ in range(n_draws)])


def measure(y, p, seed):
    return {
        "error": calibration_error(y, p),
        "quantile error": quantile_calibration_error(y, p),
        "noise": noise(y, p, seed),
        "Brier": np.mean((p - y) ** 2),
        "mean": p.mean(),
        "outside": np.mean((p < 0) | (p > 1)),
        "AUC": roc_auc_score(y, p),
    }


def run(folder, name, c, seed, scenario, setting, contestants, estimated=False):
    """One draw of labels, everybody on it, given the true prior or left to estimate it."""
    X, y, X_test, y_test = split(folder, name, seed)
    prior = y.mean()
    given = None if estimated else prior
    X, s = with_labels(X, y, c, scenario, seed)
    scenario = "case-control" if scenario == "apart" else scenario
    about = {
        "data": name,
        "c": c,
        "scenario": scenario,
        "seed": seed,
        "setting": setting,
        "prior": prior,
    }
    lines = []
    for contestant in contestants:
        make, probabilities = CONTESTANTS[contestant]
        model = make(given, scenario, seed, **SETTINGS[setting])
        p = probabilities(model, X, s, X_test, prior=given, scenario=scenario, seed=seed)
        named = {contestant: p}
        if probabilities is elkan_noto:  # it leaves [0, 1]
            named[f"{contestant}, clipped"] = np.clip(p, 0, 1)
        lines += [
            about | {"contestant": title} | measure(y_test, values, seed)
            for title, values in named.items()
        ]
    return lines


# ---------------------------------------------------------------- tables


def table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def cell(values, target=None):
    """Mean (largest), in bold where the mean misses the target."""
    text = f"{values.mean():.3f} ({values.max():.3f})"
    return f"**{text}**" if target is not None and values.mean() > target else text


def errors(frame, index, column="error"):
    """A line per value of `index`, a column per data set and c."""
    columns = list(frame.groupby(["data", "c"], sort=False).groups)
    rows = []
    for key, part in frame.groupby(index, sort=False):
        by = part.groupby(["data", "c"])[column]
        name = key if isinstance(key, str) else ", ".join(map(str, key))
        rows.append([name] + [cell(by.get_group(one), TARGET) for one in columns])
    return table([""] + [f"{data}, c = {c}" for data, c in columns], rows)


def averages(frame, index="contestant"):
    rows = []
    for key, part in frame.groupby(index, sort=False):
        means = part[["error", "quantile error", "noise", "Brier", "AUC", "outside"]].mean()
        off = (part["mean"] - part["prior"]).abs().mean()
        name = key if isinstance(key, str) else ", ".join(key)
        rows.append([name, *(f"{value:.3f}" for value in (*means[:5], off, means["outside"]))])
    header = ["", "error", "in quantile bins", "noise", "Brier", "AUC", "\\|mean − prior\\|"]
    return table([*header, "outside [0, 1]"], rows)


HEAD = f"""# Calibration

`python benchmarks/calibration.py` wrote this page. Expected calibration error against the **true**
labels of test rows, in ten bins of equal width; nobody saw a true label before. The training rows
are U, and a share c of their positives is labeled: in case-control as copies beside U, in a single
set in place. The true prior is given, but in the last part. Mean over the seeds, the largest in
brackets; bold where the mean exceeds {TARGET}. HGB is HistGradientBoostingClassifier of
scikit-learn, trained on labeled against unlabeled rows. AdaPU's setting, where none is named, is
{MAIN}.
"""


def peers(frame):
    return f"""{errors(frame, "contestant")}

The same fits, means over all data sets, c and seeds. *noise*: the error that a perfect forecast
with these probabilities would have, on as many test rows.

{averages(frame)}
"""


def single_set(frame):
    return f"""{errors(frame, "contestant")}

{averages(frame)}
"""


def settings(frame):
    return f"""With copies of P in U both scenarios have the same sums and so, but for where
quantile cuts lie, the same model.

{errors(frame, ["setting", "scenario"])}
"""


def apart(frame):
    return f"""U is one half of the training rows, and P comes from the other half. No copy in U
holds P's margins back: on training rows they look the better, compared with new positives, the
fewer rows P has.

{errors(frame, "contestant")}
"""


def estimated(frame):
    return f"""Nobody is given the prior: `prior=None` estimates it from the training rows. By what
the estimate is off, the mean of the probabilities is off too, \\|mean − prior\\|.

{errors(frame, ["contestant", "scenario"])}

{averages(frame, ["contestant", "scenario"])}
"""


# key: heading of the part, and what it says
PARTS = {
    "peers": ("Everybody, case-control", peers),
    "single-set": ("A single set", single_set),
    "settings": ("AdaPU calibrated on its training margins: settings and scenarios", settings),
    "apart": ("No row of P in U, case-control", apart),
    "estimated": ("The prior estimated", estimated),
}


def draws_of(part, n_seeds, names):
    """What `run` is asked for, draw by draw."""
    draws = [(data, c, seed) for data in DATA_SETS for c in (0.1, 0.5) for seed in range(n_seeds)]
    both = ("case-control", "single-set")
    return {
        "peers": [(*draw, both[0], MAIN, names) for draw in draws],
        "single-set": [(*draw, both[1], MAIN, OURS) for draw in draws],
        "settings": [
            (*draw, scenario, setting, OURS[:1])
            for setting in SETTINGS
            for scenario in both
            for draw in draws
        ],
        "apart": [(*draw, "apart", MAIN, OURS[:3]) for draw in draws],
        "estimated": [
            (*draw, scenario, MAIN, [OURS[0], OURS[3]], True) for scenario in both for draw in draws
        ],
    }[part]


def sections(text):
    """The parts of a page by their headings, without the number of seeds."""
    found = re.split(r"^## ", text, flags=re.M)[1:]
    return {re.sub(r", \d+ seeds?$", "", one.split("\n", 1)[0]): f"## {one}" for one in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--jobs", type=int, default=1, help="draws side by side")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "calibration.md")
    arguments = parser.parse_args()
    if "ADAPU_DATA" not in os.environ:
        sys.exit("calibration: set ADAPU_DATA to the folder that holds the data sets.")
    folder = Path(os.environ["ADAPU_DATA"])
    names, skipped = list(CONTESTANTS), ""
    if importlib.util.find_spec("pulearn") is None:
        names = [name for name in names if "pulearn" not in name]
        skipped = "Skipped: pulearn's Elkan-Noto, because pulearn is not installed.\n\n"

    tasks = {part: draws_of(part, arguments.seeds, names) for part in arguments.parts}
    n_tasks, done = sum(map(len, tasks.values())), 0
    known = sections(arguments.out.read_text(encoding="utf-8")) if arguments.out.exists() else {}
    parallel = Parallel(n_jobs=arguments.jobs, return_as="generator")
    for part, of_part in tasks.items():
        lines = []
        for some in parallel(delayed(run)(folder, *task) for task in of_part):
            lines += some
            done += 1
            print(f"\rcalibration: {done} of {n_tasks} draws", end="", file=sys.stderr, flush=True)
        heading, body = PARTS[part]
        note = skipped if part == "peers" else ""
        title = f"## {heading}, {arguments.seeds} seeds"
        known[heading] = f"{title}\n\n{note}{body(pd.DataFrame(lines))}"
    print(file=sys.stderr)
    parts = [known[heading].strip() for heading, _ in PARTS.values() if heading in known]
    text = "\n\n".join([HEAD.strip(), *parts]) + "\n"
    arguments.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
