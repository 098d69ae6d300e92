"""Run the fits behind the tables and figures: `python -m experiments.run`.

Each finished fit is one line of the results file. A run that was stopped, or killed, goes on where
it was; what failed is tried again. Fits run side by side in processes of their own.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from experiments import store
from experiments.configs import (
    ADAPU,
    ADAPU_CV,
    CONFIGS,
    NETWORK_METHODS,
    PN_METHODS,
    PRESETS,
    Cell,
    Selection,
    Series,
    cells,
)
from experiments.data import MissingData, load, prepare, source
from experiments.machine import Resources, device_name, now, versions
from experiments.methods import fit_method
from experiments.paper import DATA

METHODS = (ADAPU, ADAPU_CV, *PN_METHODS, *NETWORK_METHODS)


def main(arguments: list[str] | None = None) -> None:
    """Run what is selected and not there yet."""
    options = read_options(arguments)
    if options.data_dir is not None:
        os.environ["ADAPU_DATA"] = str(options.data_dir)
    rows = options.out / "rows.jsonl"
    with store.Writer(rows) as writer:
        known = store.read(rows)
        series = list(selection(options).series())
        sources = find_sources(series, writer, store.missing(known))
        finished = store.finished(known)
        wanted = cells(series, sources)
        todo = [cell for cell in wanted if cell.key not in finished]
        say(f"{len(wanted)} fits, of which {len(wanted) - len(todo)} are in {rows}")
        if options.list:
            for cell in todo:
                print(cell.source, cell.method, cell.setting, f"seed {cell.seed}", sep="  ")
            return
        try:
            failed = run(todo, options, writer)
        except KeyboardInterrupt:
            sys.exit(f"stopped; the same command goes on from {rows}")
    if failed:
        say(f"{failed} fits failed; {rows} says why. A later run tries them again.")


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="experiments.run", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=Path("paper"), help="folder of rows.jsonl (default: paper)")
    add("--preset", choices=PRESETS, default="paper", help="what to run (default: paper)")
    add("--only", nargs="+", choices=CONFIGS, metavar="CONFIG", help="tables and figures to run")
    add("--data", nargs="+", choices=DATA, metavar="SET", help="data sets to run")
    add("--methods", nargs="+", choices=METHODS, metavar="METHOD", help="methods to run")
    add("--seeds", type=positive, metavar="N", help="only the first N seeds of each setting")
    add("--epochs", type=positive, metavar="N", help="other than 100 epochs for networks")
    add("--jobs", type=positive, default=1, metavar="N", help="fits side by side (default: 1)")
    add("--threads", type=positive, metavar="N", help="per fit (default: cores / jobs)")
    add("--device", choices=("cpu", "cuda"), default="cpu", help="of networks (default: cpu)")
    add("--precision", choices=("float32", "bfloat16"), default="float32", help="of networks")
    add("--data-dir", type=Path, metavar="FOLDER", help="instead of ADAPU_DATA")
    add("--list", action="store_true", help="say what would be run, and run nothing")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text!r}")
    return int(text)


def selection(options: argparse.Namespace) -> Selection:
    """What the command line selects: the preset, narrowed."""
    chosen = PRESETS[options.preset]
    if options.device == "cuda" and options.preset != "grid":
        chosen = replace(chosen, image_networks=True, large_networks=None)
    if options.only:
        chosen = replace(chosen, configs=tuple(options.only))
    if options.data:
        chosen = replace(chosen, columns=tuple(options.data))
    if options.methods:
        chosen = replace(chosen, methods=tuple(options.methods))
    return replace(chosen, n_seeds=options.seeds, epochs=options.epochs)


def find_sources(
    series: list[Series], writer: store.Writer, known: dict[str, str]
) -> dict[tuple[str, bool], str]:
    """What fills each column here; a reason that is new goes into the results file."""
    found = {}
    for column, images in dict.fromkeys((one.column, one.images) for one in series):
        name = column
        try:
            name = found[column, images] = source(column, images=images)
            prepare(name)
        except MissingData as missing:
            found.pop((column, images), None)
            if known.get(name) != str(missing):
                writer.append({"data": name, "missing": str(missing), "date": now()})
                known[name] = str(missing)  # images and features of a set may lack the same files
            say(f"left out: {name}, because {missing}")
    return found


def run(todo: list[Cell], options: argparse.Namespace, writer: store.Writer) -> int:
    """Fit every cell and write its row as it comes; the number of failures."""
    threads = options.threads or max(1, (os.cpu_count() or 1) // options.jobs)
    resources = Resources(threads, options.device, options.precision)
    failed = 0
    with progress(len(todo)) as tick:
        for row in fitted(todo, resources, options.jobs):
            writer.append(row)
            failed += "failed" in row
            tick(f"{row['data']} {row['method']} seed {row['seed']}")
    return failed


def fitted(todo: list[Cell], on: Resources, n_jobs: int) -> Iterator[store.Row]:
    """The rows as they are done: one after the other here, or in processes side by side."""
    if n_jobs == 1:
        yield from (fit(cell, on) for cell in todo)
        return
    context = multiprocessing.get_context("spawn")  # threads and CUDA do not survive a fork
    pool = ProcessPoolExecutor(n_jobs, context, initializer=end_with_parent)
    try:
        futures = [pool.submit(fit, cell, on) for cell in todo]
        yield from (future.result() for future in as_completed(futures))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def end_with_parent() -> None:
    """Leave when the parent is gone, and quietly when the keyboard says so."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=watch, daemon=True).start()


def fit(cell: Cell, on: Resources) -> store.Row:
    """The row of one cell; a failure is a row that says why."""
    setting = json.loads(cell.setting)
    row = {
        "data": cell.source,
        "method": cell.method,
        "setting": setting,
        "seed": cell.seed,
        "date": now(),
    }
    try:
        data = load(cell.source)
        start = time.perf_counter()
        result = fit_method(cell.method)(data, cell, setting, on)
    except Exception as error:  # whatever it is, the other fits go on
        traceback.print_exc(file=sys.stderr)
        return row | {"failed": f"{type(error).__name__}: {error}"}
    row["seconds"] = round(time.perf_counter() - start, 2)
    uses_device = cell.method in NETWORK_METHODS
    return row | {
        "threads": on.threads,
        "device": device_name(on.device if uses_device else "cpu"),
        **({"precision": on.precision} if uses_device else {}),
        "versions": versions(cell.method),
        "substitute": data.substitute,
        "n_train": len(data.y_train),
        "n_test": len(data.y_test),
        "prior": round(data.prior, 5),
        **result,
    }


@contextmanager
def progress(n_fits: int) -> Iterator[Callable[[str], None]]:
    """A bar of fits, or a line per fit where tqdm is not installed."""
    if importlib.util.find_spec("tqdm"):
        from tqdm import tqdm

        with tqdm(total=n_fits, desc="fitting", unit="fit", smoothing=0.05) as bar:

            def tick(what: str) -> None:
                bar.set_postfix_str(what, refresh=False)
                bar.update()

            yield tick
        return
    done = 0

    def line(what: str) -> None:
        nonlocal done
        done += 1
        say(f"{done} of {n_fits}: {what}")

    yield line


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
