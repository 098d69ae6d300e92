"""Start measurements in fresh processes, and say on stderr how far the bench is."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from machine import thread_environment, wait_for_quiet

HERE = Path(__file__).resolve().parent
STDERR_LINES = 12


class WorkerError(Exception):
    """A measuring process died or gave no answer; its text is the reason in one line."""


def say(text: str) -> None:
    """One line of progress."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """Counts the measurements of the whole bench: `[ 3/41   1:25]`.

    Before each it waits for other processes to leave the machine, `patience` seconds in all.
    """

    def __init__(self, total: int, patience: float) -> None:
        self.total, self.patience = total, patience
        self.done, self.disturbed, self.start = 0, 0, time.monotonic()

    def step(self, text: str) -> None:
        """Say which measurement starts now, and wait for quiet."""
        self.done += 1
        minutes, seconds = divmod(int(time.monotonic() - self.start), 60)
        say(f"[{self.done:3d}/{self.total}  {minutes:2d}:{seconds:02d}] {text}")
        if wait_for_quiet(0):
            return
        if self.patience > 0:
            say("      waiting for other processes to leave this machine")
            start = time.monotonic()
            is_quiet = wait_for_quiet(self.patience)
            self.patience -= time.monotonic() - start
            if is_quiet:
                return
            say("      patience is over: measured all the same, from here on")
        self.disturbed += 1


def python(
    arguments: list[str], threads: int, timeout: float, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run this Python with `arguments`; raise WorkerError with what it last said."""
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            env=thread_environment(threads) | environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise WorkerError(f"no answer within {timeout:.0f} s") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()[-STDERR_LINES:]
        for line in lines:
            say("      | " + line)
        reason = lines[-1].strip() if lines else "it said nothing"
        raise WorkerError(f"exit status {done.returncode}: {reason}")
    return done


def work(job: dict[str, Any], timeout: float, **environment: str) -> dict[str, Any]:
    """Do one job of worker.py in its own process and answer what it measured."""
    arguments = [str(HERE / "worker.py"), json.dumps(job)]
    done = python(arguments, job["threads"], timeout, **environment)
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError) as error:
        raise WorkerError("it ended without an answer") from error
