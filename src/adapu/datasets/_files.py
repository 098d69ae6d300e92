"""Where data files lie, how they are read, and how caches are written."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from adapu._model import Array

Folder = str | os.PathLike[str]

VARIABLE = "ADAPU_DATA"


def data_folder(data_dir: Folder | None) -> Path | None:
    """Return the folder named by ``data_dir`` or else by ADAPU_DATA; None where neither names one.

    A folder that is named must exist.
    """
    if data_dir is not None:
        name, given = "data_dir", os.fspath(data_dir)
    else:
        name, given = f"The environment variable {VARIABLE}", os.environ.get(VARIABLE, "")
        if not given:
            return None
    folder = Path(given)
    if not folder.is_dir():
        raise FileNotFoundError(f"{name} must name a folder; there is none at {given!r}.")
    return folder


def find(folder: Path | None, *names: str) -> Path | None:
    """Return the first of ``names`` that is a file in ``folder``."""
    paths = [] if folder is None else [folder / name for name in names]
    return next((path for path in paths if path.is_file()), None)


def not_found(files: str, url: str, folder: Path | None) -> FileNotFoundError:
    """Return the error that says which files are missing, where they are, and where they go."""
    if folder is None:
        return FileNotFoundError(
            f"No folder is named that has {files}: get the data from {url}, put them into a "
            f"folder, and name it with data_dir or the environment variable {VARIABLE}."
        )
    return FileNotFoundError(
        f"{str(folder)!r} lacks {files}: get the data from {url} and put them there, or name "
        f"another folder with data_dir or the environment variable {VARIABLE}."
    )


def optional(module: str, needed_for: str) -> Any:
    """Import a module of the extra ``data``."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"{needed_for} needs {module.partition('.')[0]}, which is not installed: "
            "pip install 'adapu[data]'."
        ) from None


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> dict[str, Array]:
    """Return the columns of a parquet file by name; all of them unless ``columns`` names some."""
    parquet = optional("pyarrow.parquet", f"Reading {path.name}")
    with path.open("rb") as file:
        try:
            table = parquet.ParquetFile(file)
        except ValueError as error:  # pyarrow's ArrowInvalid is one
            raise damaged(path, f"it cannot be read as parquet ({error})") from None
        names = table.schema_arrow.names
        for name in columns or ():
            if name not in names:
                raise damaged(path, f"it has no column {name!r}")
        try:
            read = table.read(columns=None if columns is None else list(columns))
        except (OSError, ValueError) as error:
            raise damaged(path, f"it cannot be read as parquet ({error})") from None
        return {name: read.column(name).to_numpy() for name in read.column_names}


def damaged(path: Path, why: str) -> ValueError:
    """Return the error for a file that is not what its name says."""
    return ValueError(f"{str(path)!r} is truncated or another file: {why}.")


def check_rows(path: Path, n_rows: int, expected: int) -> None:
    """Raise a ValueError unless a file has as many rows as was published."""
    if n_rows != expected:
        raise damaged(path, f"it has {n_rows:,} rows, the published one {expected:,}")


def check_positives(path: Path, y: Array, expected: int) -> None:
    """Raise a ValueError unless a file has as many positives as was published."""
    positives = int(np.sum(y == 1))
    if positives != expected:
        raise damaged(path, f"it has {positives:,} positives, the published one {expected:,}")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside ``path``, whose file takes the place of ``path`` at the end.

    After an exception it is removed instead, so that ``path`` is never a file half written.
    """
    temporary = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
