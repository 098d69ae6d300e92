"""What this machine is and can do: names, versions, memory of this process, bandwidth."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

PACKAGES = {
    "adapu": "adapu",
    "numpy": "numpy",
    "numba": "numba",
    "scikit-learn": "sklearn",
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
}
STATUS = Path("/proc/self/status")
SYSTEM = Path("/proc/stat")
PROBE = 0.5  # seconds of looking at what other processes do
CLEAR_REFS = Path("/proc/self/clear_refs")


def cpu_model() -> str:
    """The processor's name, as well as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def versions() -> dict[str, str]:
    """Version of Python and of each package of the bench."""
    found = {"python": platform.python_version()}
    for distribution, module in PACKAGES.items():
        found[distribution] = _version(distribution, module)
    return found


def _version(distribution: str, module: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:
        return getattr(importlib.import_module(module), "__version__", "not installed, on the path")
    except ImportError:
        return "not installed"


def thread_environment(threads: int) -> dict[str, str]:
    """This process's environment with every threading library told `threads`."""
    names = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM")
    return os.environ | {f"{name}_NUM_THREADS": str(threads) for name in names}


def _status_bytes(field: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def _max_rss_bytes() -> int:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class PeakMemory:
    """Peak memory of this process while a block runs, beyond what it held before.

    Where Linux allows, the peak is set back first; elsewhere the peak of the whole process is
    taken, so what ran before the block hides a lower peak: `how` says which.
    """

    def __enter__(self) -> PeakMemory:
        try:
            CLEAR_REFS.write_text("5")
            self.before, self.how = _status_bytes("VmRSS"), "VmHWM"
        except (OSError, KeyError):
            self.before, self.how = _max_rss_bytes(), "ru_maxrss"
        return self

    def __exit__(self, *exc: object) -> None:
        peak = _status_bytes("VmHWM") if self.how == "VmHWM" else _max_rss_bytes()
        self.beyond = max(0, peak - self.before)


def _busy_seconds() -> float:
    """Processor time the whole machine has used since it started, lent and stolen included."""
    ticks = [int(word) for word in SYSTEM.read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK")


class BusyElsewhere:
    """How many cores other processes kept busy while a block ran; None if no one can tell."""

    def __enter__(self) -> BusyElsewhere:
        self.start, self.own, self.cores = time.perf_counter(), time.process_time(), None
        try:
            self.all: float | None = _busy_seconds()
        except (OSError, ValueError, IndexError):
            self.all = None
        return self

    def __exit__(self, *exc: object) -> None:
        if self.all is not None:
            others = _busy_seconds() - self.all - (time.process_time() - self.own)
            self.cores = max(0.0, others / (time.perf_counter() - self.start))


def wait_for_quiet(patience: float, allowed: float = 0.1) -> bool:
    """Wait until others keep fewer than `allowed` cores busy; False if patience ran out."""
    give_up = time.monotonic() + patience
    while True:
        with BusyElsewhere() as busy:
            time.sleep(PROBE)
        if busy.cores is None or busy.cores < allowed:
            return True
        if time.monotonic() > give_up:
            return False


def stopwatch(call: Callable[[], object], repeats: int = 1) -> float:
    """Seconds of the fastest of `repeats` calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def _numpy_reader(threads: int) -> Callable[[np.ndarray], object]:
    pool = ThreadPoolExecutor(threads)

    def read(words: np.ndarray) -> object:
        return sum(pool.map(np.sum, np.array_split(words, threads)))

    return read


def _numba_reader(threads: int) -> Callable[[np.ndarray], object]:
    import numba

    @numba.njit(nogil=True)
    def total(words: np.ndarray) -> int:
        acc = 0
        for i in range(words.size):
            acc += words[i]
        return acc

    pool = ThreadPoolExecutor(threads)

    def read(words: np.ndarray) -> object:
        return sum(pool.map(total, np.array_split(words, 4 * threads)))

    read(np.zeros(64, dtype=np.int64))
    return read


def read_seconds(X: np.ndarray, threads: int, repeats: int = 15) -> dict[str, float]:
    """Fastest parallel read of X, and of as many bytes as X has values.

    Whole 8-byte words are added up, by NumPy and by a numba kernel, in `threads` threads.
    """
    raw = X.reshape(-1).view(np.uint8)
    words = raw[: len(raw) // 8 * 8].view(np.int64)
    byte_words = words[: max(1, X.size // 8)]
    readers = [_numpy_reader(threads)]
    if importlib.util.find_spec("numba"):
        readers.append(_numba_reader(threads))
    return {
        "values": min(stopwatch(lambda r=read: r(words), repeats) for read in readers),
        "bytes": min(stopwatch(lambda r=read: r(byte_words), repeats) for read in readers),
    }
