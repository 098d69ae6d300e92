"""Epsilon: 2,000 dense features, the PASCAL challenge's set for large-scale learning."""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adapu._model import Array
from adapu._validation import check_integer
from adapu.datasets._dataset import Dataset
from adapu.datasets._files import Folder, damaged, data_folder, find, not_found
from adapu.datasets._libsvm import Chunk, read_chunks, save_chunks

URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#epsilon"
N_FEATURES = 2000
NPZ_NAME = "epsilon_100x2000.npz"


class Part(NamedTuple):
    """One of the two published files."""

    name: str
    n_rows: int
    sha256: str  # of the compressed file


TRAIN = Part(
    "epsilon_normalized",
    400_000,
    "aff916d4f97f18d286558ca088d2a9f7e1fcee9376539a5aa6ef5b7ef9dfa978",
)
TEST = Part(
    "epsilon_normalized.t",
    100_000,
    "cb299295ad11e200696eaa3050f5d8cf700eaa9c65e6aa859bda959f8669458b",
)


def load_epsilon(
    data_dir: Folder | None = None,
    *,
    n_train: int | None = 40_000,
    n_test: int | None = None,
    cache_dir: Folder | None = None,
    verbose: int = 0,
) -> Dataset:
    """Load Epsilon from LIBSVM's files.

    The text is read once, a few rows at a time, and kept as a .npy file in `cache_dir`, of which
    the arrays returned are read-only memory maps: neither takes much memory. Take the rows you
    need (``X_train[rows]``) to have them in memory.

    Where there are no LIBSVM files but `epsilon_100x2000.npz`, its 100 training and 100 test rows
    are returned, and `substitute` says so.

    Parameters
    ----------
    data_dir : str or path, default=None
        The folder with `epsilon_normalized` and `epsilon_normalized.t`, plain or as `.bz2`. None
        means the folder that the environment variable ADAPU_DATA names.
    n_train, n_test : int or None, default=40_000, None
        How many rows of each file are read, from the top. None means all, 400,000 and 100,000. The
        paper trains on 40,000 rows, and does not say which.
    cache_dir : str or path, default=None
        The folder for the .npy files, 8,000 bytes per row. None means `data_dir`.
    verbose : int, default=0
        Whether a bar shows the progress of the first reading.

    Returns
    -------
    Dataset
        2,000 features, float32, every row of length one.

    Examples
    --------
    >>> from adapu.datasets import load_epsilon
    >>> load_epsilon("folder/with/both/files")  # doctest: +SKIP
    <Epsilon: 40,000 training and 100,000 test rows, 2,000 features, prior 0.498>
    """
    wanted = []
    for name, n_rows, part in (("n_train", n_train, TRAIN), ("n_test", n_test, TEST)):
        if n_rows is not None:
            check_integer(name, n_rows, 1, part.n_rows)
        wanted.append((part, part.n_rows if n_rows is None else int(n_rows)))
    folder = data_folder(data_dir)
    cache = folder if cache_dir is None else Path(cache_dir)
    npz = find(folder, NPZ_NAME)
    if npz is not None and not any(_source(folder, p) or _cached(cache, p, n) for p, n in wanted):
        return _from_npz(npz)
    (X_train, y_train), (X_test, y_test) = (
        _load(folder, cache, part, n_rows, verbose) for part, n_rows in wanted
    )
    return Dataset("Epsilon", X_train, y_train, X_test, y_test, _feature_names())


def _source(folder: Path | None, part: Part) -> Path | None:
    return find(folder, part.name, f"{part.name}.bz2")


def _cached(cache: Path | None, part: Part, n_rows: int) -> Path | None:
    """Return the smallest file of the cache that holds the first ``n_rows`` rows."""
    if cache is None or not cache.is_dir():
        return None
    pattern = re.compile(re.escape(part.name) + r"-(\d+)-rows\.npy")
    matches = filter(None, (pattern.fullmatch(path.name) for path in cache.iterdir()))
    sizes = sorted(size for size in (int(match[1]) for match in matches) if size >= n_rows)
    return _X_path(cache, part, sizes[0]) if sizes else None


def _X_path(cache: Path, part: Part, n_rows: int) -> Path:
    return cache / f"{part.name}-{n_rows}-rows.npy"


def _y_path(X_path: Path) -> Path:
    return X_path.with_name(X_path.name.replace("-rows.npy", "-labels.npy"))


def _load(
    folder: Path | None, cache: Path | None, part: Part, n_rows: int, verbose: int
) -> tuple[Array, Array]:
    """Return the first rows of one file from the cache, which is filled if need be."""
    source = _source(folder, part)
    X_path = _cached(cache, part, n_rows)
    fresh = X_path is not None and (
        source is None or X_path.stat().st_mtime >= source.stat().st_mtime
    )
    if X_path is None or not fresh:
        if source is None or cache is None:
            raise not_found(f"{part.name} or {part.name}.bz2", URL, folder)
        X_path = _X_path(cache, part, n_rows)
        _fill(source, part, X_path, n_rows, verbose)
    try:
        X = np.load(X_path, mmap_mode="r")
        y = np.load(_y_path(X_path))
    except (EOFError, OSError, ValueError) as error:
        raise damaged(X_path, f"this cache cannot be read ({error}), remove it") from None
    if X.shape[1:] != (N_FEATURES,) or X.dtype != np.float32 or len(X) != len(y):
        raise damaged(X_path, "this cache holds something else, remove it")
    return X[:n_rows], (y[:n_rows] == 1).astype(np.int64)


def _fill(source: Path, part: Part, X_path: Path, n_rows: int, verbose: int) -> None:
    """Read a file of text into the cache."""
    if source.suffix == ".bz2":
        with source.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != part.sha256:
            raise damaged(source, f"its SHA-256 is {found}, the published one {part.sha256}")
    chunks = read_chunks(source, n_rows, N_FEATURES, whole=n_rows == part.n_rows)
    try:
        X_path.parent.mkdir(parents=True, exist_ok=True)
        save_chunks(_checked(source, chunks), X_path, _y_path(X_path), n_rows, N_FEATURES, verbose)
    except OSError as error:
        if not isinstance(error, PermissionError) and error.errno != errno.EROFS:
            raise
        raise PermissionError(
            f"{str(X_path.parent)!r} cannot be written to: name a folder for Epsilon's .npy files "
            "with cache_dir."
        ) from None


def _checked(source: Path, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Pass chunks on, once their rows have length one and labels are 1 or −1."""
    for rows, y in chunks:
        lengths = np.linalg.norm(rows, axis=1)
        if not np.all(np.abs(lengths - 1) < 1e-3):  # a length of NaN fails as well
            raise damaged(source, "its rows do not all have length one")
        if not np.all(np.abs(y) == 1):
            raise damaged(source, "its labels are not all 1 or -1")
        yield rows, y


def _from_npz(path: Path) -> Dataset:
    """Return the 200 rows that stand in for Epsilon."""
    names = ("X_train", "y_train", "X_test", "y_test")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            X_train, y_train, X_test, y_test = (arrays[name] for name in names)
    except Exception as error:  # a broken zip file raises errors of many kinds
        raise damaged(path, f"it cannot be read ({error})") from None
    for X, y in ((X_train, y_train), (X_test, y_test)):
        if X.shape != (len(y), N_FEATURES):
            raise damaged(path, f"its arrays have shapes {X.shape} and {y.shape}")
        for _ in _checked(path, [(X, y)]):
            pass
    return Dataset(
        name="Epsilon",
        X_train=X_train,
        y_train=(y_train == 1).astype(np.int64),
        X_test=X_test,
        y_test=(y_test == 1).astype(np.int64),
        feature_names=_feature_names(),
        substitute=(
            f"{len(y_train):,} training and {len(y_test):,} test rows of {TRAIN.n_rows:,} and "
            f"{TEST.n_rows:,}, because LIBSVM's files are missing: enough to try the code on, not "
            "to measure anything"
        ),
    )


def _feature_names() -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(N_FEATURES))
