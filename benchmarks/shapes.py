"""All contestants on one shape: visits in turn, and what they add up to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import data
from contestants import BOOSTERS, CONTESTANTS, Contestant
from processes import Progress, WorkerError, say, work

Result = dict[str, Any]


def visits_per_shape(options: argparse.Namespace) -> int:
    """How many steps one shape takes, for the count of progress."""
    visits = 3  # write the data; the floor, before and after
    for contestant in CONTESTANTS.values():
        if contestant.is_installed:
            visits += 1 if contestant.is_slow else options.repeats
    return visits


def measure(
    shape: data.Shape, folder: Path, options: argparse.Namespace, progress: Progress
) -> Result:
    """Write the data, read it for the floor, let everyone visit in turn, read it again."""
    progress.step(f"{shape.key}: write the data")
    files = data.make(folder, shape)
    floors = [_floor(files, shape, options, progress)]
    answers: dict[str, list[Result]] = {key: [] for key in CONTESTANTS}
    failures: dict[str, str] = {}
    for repeat in range(options.repeats):
        for key, contestant in CONTESTANTS.items():
            if key in failures or not _takes_part(contestant, repeat):
                continue
            progress.step(f"{shape.key}, turn {repeat + 1}: {contestant.title}")
            try:
                answer = work(_visit(key, files, repeat, options), options.timeout)
                answers[key].append(answer)
                say("      " + _in_words(answer))
            except WorkerError as failure:
                failures[key] = str(failure)
    floors.append(_floor(files, shape, options, progress))
    for path in files.values():
        Path(path).unlink()
    rows = {
        key: _row(contestant, answers[key], failures.get(key), shape.nbytes, options)
        for key, contestant in CONTESTANTS.items()
    }
    return {"shape": shape, "floor": _best_floor(floors), "rows": rows}


def _in_words(answer: Result) -> str:
    """One visit in a line, for those who watch."""
    busy = "" if answer["busy"] is None else f", {answer['busy']:.2f} cores busy elsewhere"
    return f"fit {answer['fit']:.2f} s, predict {1000 * answer['predict']:.1f} ms{busy}"


def _takes_part(contestant: Contestant, repeat: int) -> bool:
    return contestant.is_installed and (repeat == 0 or not contestant.is_slow)


def _visit(key: str, files: dict[str, str], repeat: int, options: argparse.Namespace) -> Result:
    return {
        "kind": "visit",
        "contestant": key,
        "files": files,
        "rounds": options.rounds,
        "few": options.few,
        "few_first": repeat % 2 == 1,
        "threads": options.threads,
        "full": options.full,
        "budget": options.budget,
    }


def _floor(
    files: dict[str, str], shape: data.Shape, options: argparse.Namespace, progress: Progress
) -> Result:
    progress.step(f"{shape.key}: read X as fast as memory allows")
    try:
        job = {"kind": "floor", "files": files, "threads": options.threads}
        return work(job, options.timeout)
    except WorkerError:
        return {}


def _best_floor(floors: list[Result]) -> Result:
    """The faster of the reads; nothing if all failed."""
    found = [one for one in floors if one]
    return {name: min(one[name] for one in found) for name in found[0]} if found else {}


def _row(
    contestant: Contestant,
    answers: list[Result],
    failure: str | None,
    nbytes: int,
    options: argparse.Namespace,
) -> Result:
    """The visits of one contestant as one row: minima, the slowest fit, the largest peak."""
    if not contestant.is_installed:
        return {"problem": "not installed"}
    if failure is not None:
        return {"problem": f"failed, {failure}"}
    row: Result = {
        "fit": min(one["fit"] for one in answers),
        "slowest": max(one["fit"] for one in answers),
        "busy": min(answers, key=lambda one: one["fit"])["busy"],
        "predict": min(one["predict"] for one in answers),
        "beyond": max(one["beyond"] for one in answers if one["beyond"] is not None),
        "nbytes": nbytes,
        "memory_how": answers[0]["memory_how"],
        "auc": answers[0]["auc"],
        "asked": options.rounds,
        "ran": min(one["ran"] for one in answers),
        "estimated_from": answers[0].get("estimated_from"),
    }
    if row["estimated_from"]:
        row["one_round"] = answers[0]["one_round"]
    else:
        few = min(one["few"] for one in answers)
        row["one_round"] = _one_round(row["fit"], few, options)
        row["ran_few"] = min(one["ran_few"] for one in answers)
    row["whole"] = bool(row["estimated_from"]) or (
        row["ran"] == options.rounds and row["ran_few"] == options.few
    )
    return row


def _one_round(fit: float, few: float, options: argparse.Namespace) -> float:
    """The rounds between the two fits; where noise hides them, the whole fit's share."""
    if fit <= few:
        return fit / options.rounds
    return (fit - few) / (options.rounds - options.few)


def ours(result: Result) -> str | None:
    """The adapu row that counts: per-group if it ran every round, else over-all, else none."""
    for key, contestant in CONTESTANTS.items():
        if contestant.is_ours and result["rows"][key].get("whole"):
            return key
    return None


def fastest(result: Result, column: str, keys: tuple[str, ...] | None = None) -> str | None:
    """The peer with the smallest measured `column`, among `keys` or all peers."""
    rows = result["rows"]
    candidates = [
        key
        for key in keys or tuple(CONTESTANTS)
        if not CONTESTANTS[key].is_ours
        and rows[key].get("whole")
        and not rows[key]["estimated_from"]
    ]
    return min(candidates, key=lambda key: rows[key][column], default=None)


def faster_booster(result: Result, column: str) -> str | None:
    """The faster of LightGBM and XGBoost."""
    return fastest(result, column, BOOSTERS)
