"""LIBSVM text to dense arrays on disk, a few rows in memory at a time."""

from __future__ import annotations

import bz2
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np

from adapu._model import Array
from adapu.datasets._files import damaged, replacing

CHUNK_ROWS = 256
LONGEST_LINE = 2**20  # bytes: a file without line ends must not be read as one line

Chunk = tuple[Array, Array]


def read_chunks(source: Path, n_rows: int, n_features: int, *, whole: bool) -> Iterator[Chunk]:
    """Yield the first ``n_rows`` rows as dense float32, with their labels, some at a time.

    A file that has fewer rows is refused, and one that has more where it is to be read ``whole``.
    """
    from sklearn.datasets import load_svmlight_file  # costs time: only where needed

    read, wanted = 0, n_rows + whole
    with _open(source) as file:
        lines = iter(lambda: file.readline(LONGEST_LINE), b"")
        while read < wanted:
            try:
                text = b"".join(islice(lines, min(CHUNK_ROWS, wanted - read)))
                if not text:
                    break
                sparse, y = load_svmlight_file(
                    io.BytesIO(text), n_features=n_features, dtype=np.float32, zero_based=False
                )
            except (EOFError, OSError, ValueError) as error:
                rows = f"rows {read:,} to {read + CHUNK_ROWS - 1:,}"
                raise damaged(source, f"{rows} cannot be read ({error})") from None
            read += len(y)
            if read > n_rows:
                raise damaged(source, f"it has more than {n_rows:,} rows")
            yield sparse.toarray(), y
    if read < n_rows:
        raise damaged(source, f"it ends after {read:,} of {n_rows:,} rows")


def save_chunks(
    chunks: Iterable[Chunk], X_path: Path, y_path: Path, n_rows: int, n_features: int, verbose: int
) -> None:
    """Write rows and labels to two .npy files.

    Both appear complete or not at all, and X_path last: where it is, y_path is too.
    """
    from tqdm import tqdm  # costs time: only where needed

    y, filled = np.empty(n_rows), 0
    bar = tqdm(total=n_rows, desc=f"writing {X_path.name}", unit="row", disable=not verbose)
    with bar, replacing(X_path) as X_temporary:
        size = (n_rows, n_features)
        X = np.lib.format.open_memmap(X_temporary, mode="w+", dtype=np.float32, shape=size)
        for rows, labels in chunks:
            part = slice(filled, filled + len(labels))
            X[part], y[part] = rows, labels
            filled = part.stop
            bar.update(len(labels))
        X.flush()
        del X  # some systems replace no file that is open
        with replacing(y_path) as y_temporary, y_temporary.open("wb") as file:
            np.save(file, y)


def _open(source: Path) -> IO[bytes]:
    return bz2.open(source) if source.suffix == ".bz2" else source.open("rb")
