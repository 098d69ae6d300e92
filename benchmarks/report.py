"""The page the bench writes: tables in Markdown, and the targets beside what was measured."""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
from collections.abc import Iterator
from typing import Any

import growth
import machine
import startup
from contestants import CONTESTANTS
from shapes import Result, faster_booster, fastest, ours

LINEAR = 8.8  # 8 times the rows may take 8 times the time, and a tenth more for the noise

Found = dict[str, Any]
Target = tuple[str, str, str, bool | None]


def page(options: argparse.Namespace, found: Found) -> str:
    """The whole report."""
    lines = list(_head(options, found))
    for result in found["shapes"]:
        lines += _shape(result, options)
    if "growth" in found:
        lines += ["## How adapu's time grows", ""]
        lines += [_growth_words(options), ""]
        lines += growth.table(found["growth"])
    if "startup" in found:
        lines += ["## Import and first fit", "", *startup.table(found["startup"])]
    lines += ["## Targets", "", *_targets(found)]
    if found["problems"]:
        lines += ["", "## NOT VALID", ""]
        lines += [f"- {problem}" for problem in found["problems"]]
    return "\n".join(lines) + "\n"


def _head(options: argparse.Namespace, found: Found) -> Iterator[str]:
    named = ", ".join(f"{name} {version}" for name, version in machine.versions().items())
    yield "# Speed of adapu beside its peers"
    yield ""
    if options.quick:
        yield "**Made with `--quick`: small data, to try the bench; the numbers mean nothing.**"
        yield ""
    yield f"- Command: `{shlex.join(['python', 'benchmarks/speed.py', *sys.argv[1:]])}`"
    yield f"- Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC"
    yield f"- Machine: {machine.cpu_model()}, {options.cores} cores; {options.threads} threads used"
    yield f"- Versions: {named}"
    yield (
        f"- Rounds: {options.rounds}, learning rate 0.1, labels s (1 labeled, 0 unlabeled). Every "
        "measurement runs in a process of its own, after a fit of tiny data. Times are the "
        f"fastest of {options.repeats} turns, contestants taking turns one after another; "
        "*slowest* is the slowest whole fit of those turns (AdaBoost has one turn). "
        f"One round is (fit of {options.rounds} − fit of {options.few} rounds) / "
        f"{options.rounds - options.few}."
    )
    yield (
        f"- {found['disturbed']} of {found['measurements']} measurements began while other "
        "processes kept the machine busy; *busy elsewhere* is how many cores others used during "
        "the fastest whole fit."
    )
    yield (
        "- ≈ marks a time continued in a straight line from the rounds that were really run. "
        "Peak memory is what the fit takes beyond the caller's X, over X.nbytes."
    )
    yield ""


def _shape(result: Result, options: argparse.Namespace) -> Iterator[str]:
    shape, floor, rows = result["shape"], result["floor"], result["rows"]
    yield f"## {shape.describe()}"
    yield ""
    if floor:
        rate = floor["nbytes"] / floor["values"] / 1e9
        yield (
            f"The floor: {options.threads} threads that only read X reach {rate:.1f} GB/s. One "
            f"pass over X takes {_ms(floor['values'])} as float32 and {_ms(floor['bytes'])} as "
            f"one byte per value."
        )
        yield ""
    yield (
        f"| | rounds run | fit, {options.rounds} rounds | slowest | busy elsewhere | one round | "
        f"÷ float32 pass | ÷ byte pass | peak memory ÷ X | predict {shape.n_predict:,} rows | AUC |"
    )
    yield "| --- |" + " ---: |" * 10
    yield f"| reading X once | | | | | | 1 | {_ratio(floor, 'values', 'bytes')} | | | |"
    for key, contestant in CONTESTANTS.items():
        yield f"| {contestant.title} | " + " | ".join(_cells(rows[key], floor, options)) + " |"
    yield ""
    yield "AUC: against the true classes of the predicted rows, to show that something was learned."
    yield ""


def _cells(row: Result, floor: dict[str, float], options: argparse.Namespace) -> list[str]:
    if "problem" in row:
        return [row["problem"].replace("|", "/")] + [""] * 9
    number, about = row["estimated_from"], "≈ " if row["estimated_from"] else ""
    rounds = f"{row['ran']}" + (f" of {options.rounds}" if not row["whole"] or number else "")
    memory = f"{row['beyond'] / row['nbytes']:.2f}"
    return [
        rounds if row["whole"] else f"**{rounds}: stopped early or empty rounds**",
        about + _s(row["fit"]),
        "" if number else _s(row["slowest"]),
        "" if row["busy"] is None else f"{row['busy']:.2f}",
        about + _ms(row["one_round"]),
        about + _times(row["one_round"], floor.get("values")),
        about + _times(row["one_round"], floor.get("bytes")),
        memory if row["memory_how"] == "VmHWM" else f"≥ {memory}",
        about + _ms(row["predict"]),
        "" if row["auc"] is None else f"{row['auc']:.3f}",
    ]


def _growth_words(options: argparse.Namespace) -> str:
    base = growth.SMALL if options.quick else growth.BASE
    return (
        f"Whole fits of adapu, {growth.NORMALIZATION}, from {base['rows']:,} rows × "
        f"{base['features']:,} features, K = {base['K']}, T = {base['T']}; fastest of "
        f"{options.repeats}. In brackets: the factor over the cell before."
    )


def _targets(found: Found) -> Iterator[str]:
    yield "| | target | measured | reached |"
    yield "| --- | ---: | ---: | --- |"
    words = {True: "yes", False: "**no**", None: ""}
    for what, target, measured, reached in targets(found):
        yield f"| {what} | {target} | {measured} | {words[reached]} |"


def targets(found: Found) -> Iterator[Target]:
    """What was to be reached, what was measured, and whether it was reached (None: no target)."""
    for result in found["shapes"]:
        yield from _shape_targets(result)
    for axis in ("rows", "features"):
        answer = found.get("growth", {}).get(axis, {})
        if "cells" in answer:
            yield (
                f"8 times the {axis}: time",
                f"linear, ≤ {LINEAR} ×",
                f"{growth.overall(answer):.2f} ×",
                (growth.overall(answer) <= 8.8),
            )
    begun = found.get("startup", {})
    if "imports" in begun:
        ratio = begun["imports"]["adapu"] / begun["imports"]["sklearn.ensemble"]
        yield "`import adapu` ÷ `import sklearn.ensemble`", "≤ 1.3", f"{ratio:.2f}", ratio <= 1.3
    if "first_fits" in begun:
        compiled = begun["first_fits"][1]["compiled"]
        yield "functions compiled in a second process", "0", f"{compiled}", compiled == 0


def _shape_targets(result: Result) -> Iterator[Target]:
    """The ratios of one shape; fit and round have a target at Epsilon's only."""
    key, rows, shape = ours(result), result["rows"], result["shape"]
    if key is None:
        yield f"{shape.title}: everything", "a whole run of adapu", "none", False
        return
    big = shape.key == "epsilon"
    columns = (
        ("fit", "whole fit", 8.0 if big else None, faster_booster(result, "fit")),
        ("one_round", "one round", 3.0 if big else None, faster_booster(result, "one_round")),
        ("predict", f"predict {shape.n_predict:,} rows", 3.0, fastest(result, "predict")),
    )
    name = CONTESTANTS[key].title
    for column, words, target, peer in columns:
        if peer is None:
            continue
        ratio = rows[peer][column] / rows[key][column]
        aim = ", aim 10" if column == "fit" else ""
        yield (
            f"{shape.title}: {words}, {name} vs {CONTESTANTS[peer].title}",
            "" if target is None else f"≥ {target:g} × faster{aim}",
            f"{ratio:.1f} ×",
            None if target is None else ratio >= target,
        )
    memory = rows[key]["beyond"] / rows[key]["nbytes"]
    yield (
        f"{shape.title}: peak memory beyond X ÷ X, {name}",
        "≤ 1.2",
        f"{memory:.2f}",
        memory <= 1.2,
    )


def _s(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"


def _ms(seconds: float) -> str:
    milliseconds = 1000 * seconds
    digits = 3 if milliseconds < 1 else 2 if milliseconds < 10 else 1
    return f"{milliseconds:,.{digits}f} ms"


def _times(seconds: float, floor: float | None) -> str:
    return "" if not floor else f"{seconds / floor:,.1f}"


def _ratio(floor: dict[str, float], above: str, below: str) -> str:
    return f"{floor[above] / floor[below]:.1f}" if floor else ""
