"""One measurement in a process of its own: `python worker.py '<job as JSON>'`.

The answer is the last line of stdout, as JSON. speed.py starts these; nobody else needs to.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from contestants import CONTESTANTS, Contestant, adapu_model, adapu_rounds
from data import Array, in_memory, load, part_of, tiny
from machine import BusyElsewhere, PeakMemory, read_seconds, stopwatch

PREDICT_REPEATS = 7
SLOW_PREDICT_ROWS = 10_000


def warm_up(contestant: Contestant, threads: int) -> None:
    """Fit and score tiny data, so that nothing is imported or compiled on the clock."""
    X, s = tiny()
    model = contestant.build(3, threads)
    model.fit(X, s)
    contestant.score(model, X)


class Fits:
    """Timed fits of one contestant on one X and s, by number of rounds."""

    def __init__(self, contestant: Contestant, X: Array, s: Array, threads: int) -> None:
        self.contestant, self.X, self.s, self.threads = contestant, X, s, threads
        self.beyond: dict[int, int] = {}
        self.busy: dict[int, float | None] = {}
        self.memory_how = ""

    def run(self, rounds: int) -> tuple[float, Any]:
        """Fit once; answer the seconds and the model."""
        model = self.contestant.build(rounds, self.threads)
        gc.collect()
        with PeakMemory() as memory, BusyElsewhere() as busy:
            start = time.perf_counter()
            model.fit(self.X, self.s)
            seconds = time.perf_counter() - start
        self.beyond[rounds], self.memory_how = memory.beyond, memory.how
        self.busy[rounds] = busy.cores
        return seconds, model


def visit(job: dict[str, Any]) -> dict[str, Any]:
    """Fit with all rounds and with few, in the order asked for, and score new rows."""
    contestant = CONTESTANTS[job["contestant"]]
    X, s = load(job["files"]["X"]), load(job["files"]["s"])
    warm_up(contestant, job["threads"])
    fits = Fits(contestant, X, s, job["threads"])
    if contestant.is_slow and not job["full"]:
        answer, model = estimate(fits, job["rounds"], job["few"], job["budget"])
    else:
        answer, model = measure(fits, job["rounds"], job["few"], job["few_first"])
    answer |= {"memory_how": fits.memory_how}
    return answer | score(contestant, model, job, estimated="estimated_from" in answer)


def measure(fits: Fits, rounds: int, few: int, few_first: bool) -> tuple[dict[str, Any], Any]:
    """Both fits as they are; memory counts where the whole fit came first."""
    seconds, ran = {}, {}
    for number in (few, rounds) if few_first else (rounds, few):
        seconds[number], last = fits.run(number)
        ran[number] = fits.contestant.rounds_run(last)
        if number == rounds:
            model = last
    answer = {
        "fit": seconds[rounds],
        "few": seconds[few],
        "busy": fits.busy[rounds],
        "ran": ran[rounds],
        "ran_few": ran[few],
        "beyond": None if few_first else fits.beyond[rounds],
    }
    return answer, model


def estimate(fits: Fits, rounds: int, few: int, budget: float) -> tuple[dict[str, Any], Any]:
    """As many rounds as fit the budget in seconds, continued in a straight line.

    If all of them fit, they are measured like everybody's.
    """
    first, model = fits.run(1)
    if rounds * first <= budget:
        return measure(fits, rounds, few, few_first=False)
    number = int(max(2, budget / first))
    seconds, model = fits.run(number)
    one_round = (seconds - first) / (number - 1)
    answer = {
        "fit": first + (rounds - 1) * one_round,
        "one_round": one_round,
        "busy": fits.busy[number],
        "estimated_from": number,
        "ran": fits.contestant.rounds_run(model),
        "beyond": fits.beyond[number],
    }
    return answer, model


def score(
    contestant: Contestant, model: Any, job: dict[str, Any], estimated: bool
) -> dict[str, Any]:
    """Time decision values of the new rows, and say how well they rank the true classes.

    A model with an estimated fit scores fewer rows with fewer rounds, scaled to all of both.
    """
    from sklearn.metrics import roc_auc_score

    X_new, y_new = load(job["files"]["X_new"]), load(job["files"]["y_new"])
    if not estimated:
        seconds = stopwatch(lambda: contestant.score(model, X_new), PREDICT_REPEATS)
        auc = roc_auc_score(y_new, contestant.score(model, X_new))
        return {"predict": seconds, "auc": float(auc)}
    part = X_new[:SLOW_PREDICT_ROWS]
    scale = len(X_new) / len(part) * job["rounds"] / contestant.rounds_run(model)
    return {"predict": scale * stopwatch(lambda: contestant.score(model, part)), "auc": None}


def floor(job: dict[str, Any]) -> dict[str, Any]:
    """Seconds to read X once, as float32 and as one byte per value."""
    X = load(job["files"]["X"])
    return read_seconds(X, job["threads"]) | {"nbytes": X.nbytes}


def growth(job: dict[str, Any]) -> dict[str, Any]:
    """Whole fits of adapu for each cell of one axis: best seconds, and whether it was whole."""
    warm_up(CONTESTANTS["adapu-" + job["normalization"]], job["threads"])
    largest = {name: max(cell[name] for cell in job["cells"]) for name in ("rows", "features")}
    X, s = in_memory(largest["rows"], largest["features"])
    return {"cells": [_grown(cell, X, s, job) for cell in job["cells"]]}


def _grown(cell: dict[str, int], X: Array, s: Array, job: dict[str, Any]) -> dict[str, Any]:
    part = part_of(X, cell["rows"], cell["features"])
    model = adapu_model(cell["T"], job["threads"], job["normalization"], cell["K"])
    seconds = stopwatch(lambda: model.fit(part, s[: cell["rows"]]), job["repeats"])
    return cell | {"seconds": seconds, "ran": adapu_rounds(model)}


def first_fit(job: dict[str, Any]) -> dict[str, Any]:
    """Seconds of the first and the second fit of this process, and what numba compiled."""
    from numba.core import event

    X, s = tiny()
    model = adapu_model(3, job["threads"])
    with event.install_recorder("numba:compile") as recorder:
        first = stopwatch(lambda: model.fit(X, s))
    second = stopwatch(lambda: model.fit(X, s))
    return {
        "first": first,
        "second": second,
        "compiled": sum(one.is_start for _, one in recorder.buffer),
    }


JOBS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "visit": visit,
    "floor": floor,
    "growth": growth,
    "first_fit": first_fit,
}


def main() -> None:
    """Do the job named on the command line."""
    job = json.loads(sys.argv[1])
    print(json.dumps(JOBS[job["kind"]](job)), flush=True)


if __name__ == "__main__":
    main()
