"""Speed of adapu beside its peers, in one run: `make bench` or `python benchmarks/speed.py`.

Prints Markdown tables on stdout, progress on stderr, and writes the tables to a file. Nothing
here asserts a time; it ends with a status other than 0 if adapu did not run every round.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import data
import growth
import report
import shapes
import startup
from contestants import CONTESTANTS
from processes import HERE, Progress, say

PARTS = ("shapes", "growth", "startup")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line; `cores`, `rounds` and `few` are added to it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small data, to try it in a minute")
    parser.add_argument("--full", action="store_true", help="run every round of the slow peer too")
    parser.add_argument("--shapes", nargs="+", choices=data.SHAPES, default=list(data.SHAPES))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="for everyone")
    parser.add_argument("--repeats", type=int, default=None, help="turns (default 3; quick: 2)")
    parser.add_argument("--budget", type=float, default=20, help="seconds for the slow peer's fit")
    parser.add_argument("--patience", type=float, default=None, help="seconds to wait in all")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for one process")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "speed.md")
    options = parser.parse_args(arguments)
    options.cores = os.cpu_count()
    options.rounds, options.few = 100, 20
    options.repeats = options.repeats or (2 if options.quick else 3)
    if options.patience is None:
        options.patience = 0 if options.quick else 300
    if options.threads < 1 or options.repeats < 1:
        parser.error("--threads and --repeats take whole numbers from 1 on")
    return options


def measurements(options: argparse.Namespace) -> int:
    """How many lines of progress there will be."""
    counts = {
        "shapes": len(options.shapes) * shapes.visits_per_shape(options),
        "growth": len(growth.BASE),
        "startup": 1,
    }
    return sum(counts[part] for part in options.parts)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run the parts asked for and gather what they found."""
    found: dict[str, Any] = {"shapes": [], "problems": []}
    has_adapu = CONTESTANTS["adapu-per-group"].is_installed
    if not has_adapu:
        found["problems"].append("adapu is not installed")
    progress = Progress(measurements(options), options.patience)
    if "shapes" in options.parts:
        with tempfile.TemporaryDirectory(prefix="adapu-bench-") as folder:
            for key in options.shapes:
                shape = data.quick(data.SHAPES[key]) if options.quick else data.SHAPES[key]
                say(shape.describe())
                found["shapes"].append(shapes.measure(shape, Path(folder), options, progress))
    if "growth" in options.parts and has_adapu:
        found["growth"] = growth.measure(options, progress)
    if "startup" in options.parts and has_adapu:
        progress.step("import and first fit")
        found["startup"] = startup.measure(options.threads, options.timeout)
    found["problems"] += _problems(found)
    found["disturbed"], found["measurements"] = progress.disturbed, progress.done
    return found


def warn_of_early_stops(found: dict[str, Any]) -> None:
    """Say on stderr which settings of adapu are in the tables but do not count."""
    for result in found["shapes"]:
        for key, row in result["rows"].items():
            if CONTESTANTS[key].is_ours and row.get("whole") is False:
                title = f"{CONTESTANTS[key].title}, {result['shape'].title}"
                say(f"DOES NOT COUNT: {title}: {row['ran']} whole rounds of {row['asked']}")


def _problems(found: dict[str, Any]) -> list[str]:
    """Why numbers of adapu may not be used: failures, rounds not run or empty."""
    problems = []
    for result in found["shapes"]:
        title = result["shape"].title
        if shapes.ours(result) is None:
            problems.append(f"{title}: no setting of adapu ran every round")
        for key, row in result["rows"].items():
            failed = row.get("problem", "")
            if CONTESTANTS[key].is_ours and failed.startswith("failed"):
                problems.append(f"{title}: {CONTESTANTS[key].title} {failed}")
    grown = found.get("growth", {})
    problems += growth.not_whole(grown)
    problems += [f"growth with {axis}: {a['failed']}" for axis, a in grown.items() if "failed" in a]
    return problems + found.get("startup", {}).get("failed", [])


def main() -> int:
    """Measure, print, write; 1 if a number of adapu must not be used."""
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the data is removed
    found = measure(options)
    text = report.page(options, found)
    print(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    say(f"Written to {os.path.relpath(options.out)}")
    warn_of_early_stops(found)
    for problem in found["problems"]:
        say(f"NOT VALID: {problem}")
    return 1 if found["problems"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; nothing was written")
