"""The results file: one JSON line per finished cell, appended and never changed.

A line counts when its newline is written. A run that is killed while it writes leaves a torn last
line; readers pass it over and the next writer cuts it off, so no finished row is lost or run twice.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

Row = dict[str, Any]
Key = tuple[str, str, str, int]


def key(row: Row) -> Key:
    """What a row is the answer to: data set, method, setting, seed."""
    setting = json.dumps(row["setting"], sort_keys=True)
    return row["data"], row["method"], setting, row["seed"]


def read(path: Path) -> list[Row]:
    """All whole lines of a results file, failures among them; none where there is no file."""
    if not path.exists():
        return []
    *lines, _torn = path.read_bytes().split(b"\n")  # what follows the last newline is torn or empty
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
        except ValueError:
            raise ValueError(
                f"line {number} of {str(path)!r} is not JSON; only the last line of a results file "
                "may be torn. Restore the file, or delete that line."
            ) from None
    return rows


def finished(rows: Iterable[Row]) -> dict[Key, Row]:
    """The finished rows by key; of two with the same key, the first."""
    found: dict[Key, Row] = {}
    for row in rows:
        if "test_accuracy" in row:
            found.setdefault(key(row), row)
    return found


def failures(rows: Iterable[Row]) -> dict[Key, str]:
    """Why cells have no result: the last reason of each."""
    return {key(row): row["failed"] for row in rows if "failed" in row}


def missing(rows: Iterable[Row]) -> dict[str, str]:
    """Why data sets could not be had: the last reason of each."""
    return {row["data"]: row["missing"] for row in rows if "missing" in row}


class Writer:
    """Appends rows to a results file that no one else may write meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Writer:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self.path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise RuntimeError(f"another run is writing {str(self.path)!r}; let it end.") from None
        self._cut_torn_line()
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def append(self, row: Row) -> None:
        """Write one row; it is on the disk when this returns."""
        self._file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _cut_torn_line(self) -> None:
        self._file.seek(0)
        whole = self._file.read().rfind(b"\n") + 1
        self._file.truncate(whole)


def merged(target: Iterable[Row], *others: Iterable[Row]) -> Iterator[Row]:
    """The finished rows of the others that the target lacks, each once."""
    known = set(finished(target))
    for rows in others:
        for found, row in finished(rows).items():
            if found not in known:
                known.add(found)
                yield row
