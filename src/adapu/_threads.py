"""Compiled functions, and threads to run them side by side.

The compiled loops release the interpreter lock, so ordinary threads serve. That leaves numba's
own threading layers out of the picture: nothing global is set, several fits may run at once in
one process, and a forked worker is as safe as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import event


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, and keep the machine code for the next process."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache folder is writable
        return numba.njit(nogil=True)(function)


def parts(n_items: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut ``range(n_items)`` into ``n_parts`` ranges of nearly equal length."""
    edges = [n_items * part // n_parts for part in range(n_parts + 1)]
    return [(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True) if a < b]


def spread(
    task: Callable[[int, int], Any], n_items: int, n_parts: int, pool: Executor | None
) -> list[Any]:
    """Run ``task(first, last)`` on the parts of ``range(n_items)``; their results, in order."""
    ranges = parts(n_items, n_parts)
    if pool is None or len(ranges) < 2:
        return [task(first, last) for first, last in ranges]
    return list(pool.map(task, *zip(*ranges, strict=True)))


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
