"""Compiled functions, and threads to run them side by side.

The compiled loops release the interpreter lock, so ordinary threads serve. That leaves numba's
own threading layers out of the picture: nothing global is set, several fits may run at once in
one process, and a forked worker is as safe as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import numba
from numba.core import event


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile ``function`` on its first call, and keep the machine code for the next process."""
    options |= {"nogil": True, "error_model": "numpy"}  # x / 0 is ∞, without a check
    dispatcher: Callable[..., Any]
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache folder is writable
        dispatcher = numba.njit(**options)(function)
    return dispatcher


def reordering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function whose sums of floats may be reordered, so that they become vector code.

    The order is then that of the machine code: the same in every run, whatever the threads.
    """
    return compiled(function, fastmath={"reassoc", "nsz", "nnan"})


def parts(n_items: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut ``range(n_items)`` into ``n_parts`` ranges of nearly equal length."""
    edges = [n_items * part // n_parts for part in range(n_parts + 1)]
    return [(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True) if a < b]


class Workers:
    """Some threads, the calling one among them, and the judgement whether a task is worth them."""

    # Work is counted in comparisons of a value with a threshold, of which a core does billions in a
    # second. With less than this, waking another thread costs more than it saves.
    WORTH_WAKING = 1_000_000

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self.pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None

    def spread(self, task: Callable[[int, int], Any], n_items: int, *, work: int) -> list[Any]:
        """Run ``task(first, last)`` on parts of ``range(n_items)``; the results, in order."""
        if self.pool is None or work < self.WORTH_WAKING:
            return [task(0, n_items)]
        # several parts a thread: when one is held up, the others take over what is left
        ranges = parts(n_items, 4 * self.n_threads)
        results: list[Any] = [None] * len(ranges)
        waiting: SimpleQueue[int] = SimpleQueue()
        for number in range(len(ranges)):
            waiting.put(number)

        def work_off() -> None:
            with suppress(Empty):
                while True:
                    number = waiting.get_nowait()
                    results[number] = task(*ranges[number])

        others = [self.pool.submit(work_off) for _ in range(self.n_threads - 1)]
        work_off()
        for other in others:
            other.result()
        return results

    def close(self) -> None:
        """Let the threads end."""
        if self.pool:
            self.pool.shutdown()


class _Announcer(event.Listener):
    """Says once that functions are being compiled."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say: Callable[[str], None] | None = say

    def on_start(self, event: Any) -> None:
        if self.say:
            self.say("adapu: compiling for this kind of data, once on this machine (seconds) ...")
        self.say = None

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def announced_compilation(say: Callable[[str], None] | None) -> Iterator[None]:
    """Call ``say`` with one line at the first compilation inside the block, if there is one."""
    if say is None:
        yield
        return
    with event.install_listener("numba:compile", _Announcer(say)):
        yield
