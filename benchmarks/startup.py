"""What a user waits for before the first fit: the import, and kernels from the cache."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

from processes import WorkerError, python, work

MODULES = ("adapu", "sklearn.ensemble")
IMPORT = "import time; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"


def import_times(threads: int, repeats: int, timeout: float) -> dict[str, float]:
    """Time each module's import in fresh interpreters, in turn, and answer the fastest.

    The first of each is thrown away: it may write bytecode or read a cold disk.
    """
    seconds: dict[str, list[float]] = {module: [] for module in MODULES}
    for _ in range(1 + repeats):
        for module in MODULES:
            done = python(["-c", IMPORT.format(module)], threads, timeout)
            seconds[module].append(float(done.stdout))
    return {module: min(found[1:]) for module, found in seconds.items()}


def first_fits(threads: int, timeout: float) -> list[dict[str, Any]]:
    """The first fit of two processes that share a numba cache, empty when the first starts."""
    job = {"kind": "first_fit", "threads": threads}
    with tempfile.TemporaryDirectory(prefix="adapu-bench-") as cache:
        return [work(job, timeout, NUMBA_CACHE_DIR=cache) for _ in range(2)]


def measure(threads: int, timeout: float) -> dict[str, Any]:
    """Both parts; what failed says so in place of its numbers."""
    answer: dict[str, Any] = {"failed": []}
    parts = {
        "imports": lambda: import_times(threads, 5, timeout),
        "first_fits": lambda: first_fits(threads, timeout),
    }
    for name, part in parts.items():
        try:
            answer[name] = part()
        except WorkerError as failure:
            answer["failed"].append(f"{name}: {failure}")
    return answer


def table(found: dict[str, Any]) -> Iterator[str]:
    """The lines of this part's tables."""
    if "imports" in found:
        ours, theirs = (found["imports"][module] for module in MODULES)
        yield from ("| fresh interpreter, best of 5 | seconds | ratio |", "| --- | ---: | ---: |")
        yield f"| `import sklearn.ensemble` | {theirs:.3f} | 1 |"
        yield f"| `import adapu` | {ours:.3f} | {ours / theirs:.2f} |"
        yield ""
    if "first_fits" in found:
        yield "| tiny data, 3 rounds | first fit | second fit | functions compiled |"
        yield "| --- | ---: | ---: | ---: |"
        titles = ("first process, empty cache", "second process, same cache")
        for title, fit in zip(titles, found["first_fits"], strict=True):
            yield (
                f"| {title} | {1000 * fit['first']:,.0f} ms | "
                f"{1000 * fit['second']:,.1f} ms | {fit['compiled']} |"
            )
        yield ""
    for line in found["failed"]:
        yield f"Failed: {line}"
        yield ""
