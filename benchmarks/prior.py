"""Estimators of the prior on draws with a known prior: `python benchmarks/prior.py`.

Needs pandas and pyarrow for the real sets (the folder in ADAPU_DATA) and, for the peers, pulearn
and pu-toolbox. Every estimate is appended to `results/prior.jsonl` as it comes, and a later run
goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from prior_contestants import CONTESTANTS, KERNEL_ROWS, ONE_SEED, answer
from prior_draws import (
    FREQUENCIES,
    LEAST_LABELED,
    MAX_ROWS,
    PRIORS,
    REAL,
    SCENARIOS,
    SEEDS,
    SIMULATED,
    data_folder,
    draws,
    make,
)

RESULTS = Path(__file__).parent / "results"
PEERS = ("pulearn", "pu-toolbox")
UNSTATED = {  # of the first 1,079 estimates, whose rows do not say what they were made with
    "Python": "3.11.7",
    "numpy": "2.4.6",
    "scikit-learn": "1.9.1",
    "pulearn": "0.2.0",
    "pu-toolbox": "1.11.0",
}
Row = dict[str, Any]


def main() -> None:
    """Measure what is missing and write the page."""
    options = read_options()
    folder = data_folder()
    data = options.data if folder else [name for name in options.data if name not in REAL]
    if len(data) < len(options.data):
        print("ADAPU_DATA is not set: the real sets are left out", file=sys.stderr)
    rows = read(options.rows)
    if not options.only_report:
        measure(options, data, folder, rows)
    options.out.write_text("\n".join(report(rows)) + "\n")


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = [*SIMULATED, *REAL]
    parser.add_argument("--data", nargs="+", default=every, choices=every, metavar="SET")
    parser.add_argument(
        "--contestants", nargs="+", default=list(CONTESTANTS), choices=CONTESTANTS, metavar="NAME"
    )
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="draws of each setting")
    parser.add_argument(
        "--scenarios", nargs="+", default=list(SCENARIOS), choices=SCENARIOS, metavar="SCENARIO"
    )
    parser.add_argument("--only-report", action="store_true", help="measure nothing")
    parser.add_argument("--rows", type=Path, default=RESULTS / "prior.jsonl")
    parser.add_argument("--out", type=Path, default=RESULTS / "prior.md")
    return parser.parse_args()


def read(path: Path) -> list[Row]:
    """The estimates of earlier runs; what was not installed then may be so now."""
    if not path.exists():
        return []
    rows = (json.loads(line) for line in path.read_text().splitlines())
    return [row for row in rows if "missing" not in row]


def measure(
    options: argparse.Namespace, data: list[str], folder: str | None, rows: list[Row]
) -> None:
    """Append the estimates that are not there yet, contestant by contestant."""
    done = {(row["contestant"], row["draw"]) for row in rows}
    for name in options.contestants:
        for draw in draws(tuple(data)):
            seeds = SEEDS[:1] if name in ONE_SEED else SEEDS[: options.seeds]
            asked = draw.seed in seeds and draw.scenario in options.scenarios
            if not asked or (name, draw.key) in done:
                continue
            X, s, prior = make(draw, folder)
            start = time.perf_counter()
            found = answer(name, X, s, draw.scenario, draw.seed)
            row = {
                "contestant": name,
                "draw": draw.key,
                "data": draw.data,
                "asked": [draw.prior, draw.label_frequency],
                "scenario": draw.scenario,
                "seed": draw.seed,
                "true": prior,
                "n_rows": len(s),
                "n_labeled": int(s.sum()),
                "seconds": round(time.perf_counter() - start, 3),
                "versions": versions_of(name),
                **found,
            }
            rows.append(row)
            with options.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")
            if "missing" in found:
                break
        print(f"{name}: done", file=sys.stderr)


def report(rows: list[Row]) -> Iterator[str]:
    """The page."""
    answered = [row for row in rows if "prior" in row]
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in answered:
        by_name[row["contestant"]].append(row)
    names = [name for name in CONTESTANTS if name in by_name]
    yield "# Estimating the prior from positive and unlabeled rows"
    yield ""
    yield "- Command: `python benchmarks/prior.py`"
    yield f"- Versions, as the estimates have them: {versions(answered)}"
    minutes = sum(row["seconds"] for row in answered) / 60
    yield f"- Estimates: {len(answered):,}, in {minutes:.0f} minutes on a busy core"
    yield ""
    yield from protocol()
    yield from who_ran_where(names, by_name)
    yield "## Mean absolute error, by data set"
    yield ""
    yield "Rows of different n are not of the same draws: see the table above and the one below."
    yield ""
    data = [name for name in (*SIMULATED, *REAL) if any(r["data"] == name for r in answered)]
    columns = [(name, lambda r, name=name: r["data"] == name) for name in data]
    yield from table(names, by_name, columns)
    common = set.intersection(*({row["draw"] for row in by_name[name]} for name in names))
    yield "## On the draws that all of them were asked about"
    yield ""
    yield f"{seeds_and_scenarios(answered, common)}; no other has an estimate by everybody."
    yield ""
    shared = {name: [r for r in by_name[name] if r["draw"] in common] for name in names}
    yield from table(names, shared, columns)
    cells = [
        (f"π {p}, c {c}", lambda r, p=p, c=c: r["asked"] == [p, c])
        for p in PRIORS
        for c in FREQUENCIES
    ]
    scenarios = [(name, lambda r, name=name: r["scenario"] == name) for name in SCENARIOS]
    yield "## By prior and label frequency"
    yield ""
    yield from table(names, by_name, cells)
    yield "## By scenario"
    yield ""
    yield from table(names, by_name, scenarios)
    yield "## Coverage of the 90 % intervals, and their mean width"
    yield ""
    for conditions in (columns, cells, scenarios):
        yield from intervals(names, by_name, conditions)
    yield from in_full(by_name["adapu auto"], columns, cells)
    yield from left_out(rows)


def protocol() -> Iterator[str]:
    """What was drawn, and how the contestants were asked."""
    yield "## What was done"
    yield ""
    yield (
        f"Each draw takes rows of both classes without replacement, in the proportion π, as many "
        f"as the set has and at most {MAX_ROWS:,} (`prior_draws.py`). Case-control: U is all of "
        "them, P is a share c of the positives, copied. Single set: the share c of the positives "
        f"is labeled and leaves U. At least {LEAST_LABELED} rows are labeled: where c of the "
        "positives are fewer, more are labeled, so that c is larger than the column says "
        "(Spambase at π = 0.1 and c = 0.1, for instance, has 310 positives and c = 0.32). "
        f"{len(SEEDS)} seeds a setting. The true value is the share of positives among the rows "
        "drawn, to the row."
    )
    yield ""
    yield (
        "Simulated sets have 20 features. Gaussians: means 2.5 (near) or 4 (far) deviations apart "
        "in a direction that no axis follows. Clusters: five a class, on corners of a cube in ten "
        "dimensions, and ten features of noise."
    )
    yield ""
    yield (
        "Peers run with their defaults on standardised features; pulearn's answers, which take P "
        "and U for one sample, are turned into the share in U for case-control, and pu-toolbox's, "
        "which are shares in U, into π for single sets. pu-toolbox's KM1, KM2 and ReCPE (on KM2) "
        f"look at {KERNEL_ROWS} rows of each group, and run on the first seed only: their kernel "
        "programs are slow. KM1 and KM2 run twice: with their default kernel width, at which rows "
        "in twenty dimensions seem unrelated, and with width_selection='mmd_grid', which is that "
        "of the method's authors. 'n' counts the estimates behind a row."
    )
    yield ""


def who_ran_where(names: list[str], by_name: dict[str, list[Row]]) -> Iterator[str]:
    """The seeds of each scenario that a contestant was asked about, and what it lacks of them."""
    rows = [row for name in names for row in by_name[name]]
    of_draw = {row["draw"]: (row["scenario"], row["seed"]) for row in rows}
    n_draws = Counter(of_draw.values())
    yield "## Who ran where"
    yield ""
    yield (
        f"Not every estimator ran on every one of the {len(of_draw)} draws, "
        f"{max(n_draws.values())} of each scenario and seed:"
    )
    yield ""
    yield f"| estimator | {' | '.join(SCENARIOS)} |"
    yield "| --- |" + " --- |" * len(SCENARIOS)
    for name in names:
        n_rows = Counter((row["scenario"], row["seed"]) for row in by_name[name])
        cells = [seeds_of(scenario, n_rows, n_draws) for scenario in SCENARIOS]
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""


def seeds_of(scenario: str, n_rows: Counter, n_draws: Counter) -> str:
    """The seeds of a scenario that were run, with the number of draws where some are missing."""
    found = []
    for seed in SEEDS:
        n, of = n_rows[scenario, seed], n_draws[scenario, seed]
        if n:
            found.append(f"{seed}" if n == of else f"{seed} ({n} of {of} draws)")
    if not found:
        return "did not run"
    return ("seed " if len(found) == 1 else "seeds ") + ", ".join(found)


def seeds_and_scenarios(rows: list[Row], common: set[str]) -> str:
    """Which scenarios and seeds some draws are of, in words."""
    found = sorted({(row["scenario"], row["seed"]) for row in rows if row["draw"] in common})
    named = " and ".join(f"{scenario}, seed {seed}" for scenario, seed in found)
    return f"{len(common)} draws, of {named} alone"


def table(names: list[str], by_name: dict[str, list[Row]], columns: list[Any]) -> Iterator[str]:
    """Mean absolute errors: a row per contestant, a column per condition, and over all."""
    yield "| estimator | n | " + " | ".join(title for title, _ in columns) + " | all | bias |"
    yield "| --- |" + " ---: |" * (len(columns) + 3)
    for name in names:
        rows = by_name[name]
        cells = [mean_error([r for r in rows if condition(r)]) for _, condition in columns]
        bias = np.mean([r["prior"] - r["true"] for r in rows])
        shown = " | ".join(cells)
        yield f"| {name} | {len(rows)} | {shown} | {mean_error(rows)} | {bias:+.3f} |"
    yield ""


def mean_error(rows: list[Row]) -> str:
    """Mean absolute error of some estimates."""
    if not rows:
        return ""
    return f"{np.mean([abs(r['prior'] - r['true']) for r in rows]):.3f}"


def intervals(names: list[str], by_name: dict[str, list[Row]], columns: list[Any]) -> Iterator[str]:
    """How often the 90 % intervals cover the truth, and how wide they are."""
    yield "| estimator | " + " | ".join(title for title, _ in columns) + " | all |"
    yield "| --- |" + " ---: |" * (len(columns) + 1)
    for name in names:
        rows = [r for r in by_name[name] if "low" in r]
        if rows:
            groups = [[r for r in rows if condition(r)] for _, condition in columns] + [rows]
            yield f"| {name} | " + " | ".join(map(coverage, groups)) + " |"
    yield ""


def in_full(rows: list[Row], data: list[Any], cells: list[Any]) -> Iterator[str]:
    """Error and coverage of one estimator on each data set, by prior and label frequency."""
    yield "## adapu auto in full"
    yield ""
    yield "Mean absolute error, and how many intervals hold the truth, both scenarios together."
    yield ""
    yield "| data | " + " | ".join(title for title, _ in cells) + " |"
    yield "| --- |" + " ---: |" * len(cells)
    for name, of_set in data:
        groups = [[r for r in rows if of_set(r) and in_cell(r)] for _, in_cell in cells]
        shown = (f"{mean_error(g)} ({sum(map(covers, g))} of {len(g)})" for g in groups)
        yield f"| {name} | " + " | ".join(shown) + " |"
    yield ""


def covers(row: Row) -> bool:
    """Whether the interval holds the truth."""
    return bool(row["low"] - 1e-9 <= row["true"] <= row["high"] + 1e-9)


def coverage(rows: list[Row]) -> str:
    """Share of intervals that hold the truth, and the mean width."""
    if not rows:
        return ""
    held = np.mean([covers(r) for r in rows])
    width = np.mean([r["high"] - r["low"] for r in rows])
    return f"{100 * held:.0f} % ({width:.3f})"


def left_out(rows: list[Row]) -> Iterator[str]:
    """Contestants that are not installed, and draws on which one failed."""
    missing = {row["contestant"]: row["missing"] for row in rows if "missing" in row}
    failed: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        if "failed" in row:
            failed[row["contestant"], row["failed"]] += 1
    if missing or failed:
        yield "## Left out"
        yield ""
        yield from (f"- {name}: not installed ({reason})" for name, reason in missing.items())
        yield from (f"- {name}: {n} draws, {why}" for (name, why), n in failed.items())
        yield ""


def versions_of(contestant: str) -> dict[str, str]:
    """What an estimate of this contestant is made with, here and now."""
    found = {"Python": platform.python_version()}
    for name in ("numpy", "scikit-learn", *PEERS):
        if name not in PEERS or contestant.startswith(name):
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                found[name] = "not installed"
    return found


def versions(rows: list[Row]) -> str:
    """What the estimates were made with, not what happens to be installed now."""
    used: dict[str, set[str]] = {name: set() for name in UNSTATED}
    for row in rows:
        for name, version in row.get("versions", UNSTATED).items():
            if name not in PEERS or row["contestant"].startswith(name):
                used[name].add(version)
    return ", ".join(f"{name} {' and '.join(sorted(found))}" for name, found in used.items())


if __name__ == "__main__":
    main()
