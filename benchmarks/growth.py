"""How adapu's time grows: rows, features, K and T, each doubled three times."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from processes import Progress, WorkerError, work

BASE = {"rows": 20_000, "features": 200, "K": 10, "T": 50}
SMALL = {"rows": 2_000, "features": 50, "K": 10, "T": 20}
DOUBLINGS = 3
NORMALIZATION = "per-group"


def cells(axis: str, base: dict[str, int]) -> list[dict[str, int]]:
    """The base and its doublings along one axis."""
    return [base | {axis: base[axis] * 2**step} for step in range(DOUBLINGS + 1)]


def measure(options: argparse.Namespace, progress: Progress) -> dict[str, dict[str, Any]]:
    """Each axis in a process of its own; answer cells, or what failed, by axis."""
    base = SMALL if options.quick else BASE
    found: dict[str, dict[str, Any]] = {}
    for axis in base:
        progress.step(f"growth with {axis}")
        job = {
            "kind": "growth",
            "cells": cells(axis, base),
            "normalization": NORMALIZATION,
            "threads": options.threads,
            "repeats": options.repeats,
        }
        try:
            found[axis] = work(job, options.timeout)
        except WorkerError as failure:
            found[axis] = {"failed": str(failure)}
    return found


def not_whole(found: dict[str, dict[str, Any]]) -> list[str]:
    """The cells that stopped early or had empty rounds, in words."""
    return [
        f"growth with {axis}: {cell['ran']} of {cell['T']} rounds at {axis} = {cell[axis]:,}"
        for axis, answer in found.items()
        for cell in answer.get("cells", ())
        if cell["ran"] != cell["T"]
    ]


def table(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """One row per axis: the time of each cell and its factor over the one before."""
    yield "| doubled | base | ×2 | ×4 | ×8 | time at ×8 over base |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for axis, answer in found.items():
        if "failed" in answer:
            yield f"| {axis} | failed, {answer['failed']} | | | | |"
            continue
        row, before = [], None
        for cell in answer["cells"]:
            factor = "" if before is None else f" (×{cell['seconds'] / before:.2f})"
            row.append(f"{1000 * cell['seconds']:,.0f} ms{factor}")
            before = cell["seconds"]
        row.append(f"{overall(answer):.2f}")
        yield f"| {axis}, from {answer['cells'][0][axis]:,} | " + " | ".join(row) + " |"
    yield ""


def overall(answer: dict[str, Any]) -> float:
    """Time of the last cell over that of the first."""
    return answer["cells"][-1]["seconds"] / answer["cells"][0]["seconds"]
