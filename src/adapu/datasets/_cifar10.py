"""CIFAR-10: small photographs, vehicles against animals.

It is published in several containers. All are brought into the form of the binary one, 3,073 bytes
per image: the class, then the red, the green and the blue plane, row by row. So the published
checksums of the binary files check every container.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from adapu._model import Array
from adapu.datasets._dataset import Dataset
from adapu.datasets._files import (
    Folder,
    check_rows,
    damaged,
    data_folder,
    find,
    not_found,
    optional,
    read_parquet,
)
from adapu.datasets._pickles import read_pickle

URL = "https://www.cs.toronto.edu/~kriz/cifar.html"
VEHICLES = (0, 1, 8, 9)  # airplane, automobile, ship, truck
N_PIXELS = 3 * 32 * 32
N_TRAIN, N_TEST, N_BATCH = 50_000, 10_000, 10_000

# SHA-1 of the files of the binary container.
BATCHES = {
    "data_batch_1": "aadd24acce27caa71bf4b10992e9e7b2d74c2540",
    "data_batch_2": "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795",
    "data_batch_3": "1dd00a74ab1d17a6e7d73e185b69dbf31242f295",
    "data_batch_4": "aab85764eb3584312d3c7f65fd2fd016e36a258e",
    "data_batch_5": "26e2849e66a845b7f1e4614ae70f4889ae604628",
    "test_batch": "67eb016db431130d61cd03c7ad570b013799c88c",
}
# SHA-1 of the classes, a byte each, in the same order.
CLASSES_SHA1 = {
    "train": "5c835b665b57b5f5bae871e74b597ee67d9cd3ed",
    "test": "7f416532c1a04077b0160beabea50e2811c8ddd7",
}
PARQUET_NAMES = ("cifar10_train_1.parquet", "cifar10_train_2.parquet", "cifar10_test.parquet")
PARQUET_ROWS = (25_000, 25_000, 10_000)

Batch = tuple[Path, Array]  # where it comes from, and its images as rows of 3,073 bytes


def load_cifar10(
    data_dir: Folder | None = None, *, features: Folder | None = None, binary: bool = True
) -> Dataset:
    """Load CIFAR-10 as the paper does: airplanes, automobiles, ships and trucks are positive.

    Parameters
    ----------
    data_dir : str or path, default=None
        The folder with the published batches, binary (`data_batch_1.bin` to `test_batch.bin`) or
        for Python (`data_batch_1` to `test_batch`), themselves or in the folder that unpacking
        makes; or with `cifar10_train_1.parquet`, `cifar10_train_2.parquet` and
        `cifar10_test.parquet`, lossless images (these need the extra `data`). None means the
        folder that the environment variable ADAPU_DATA names. Pickles are read without running
        code.
    features : str or path, default=None
        An .npz file with features to be used in place of the pixels, computed from them by
        whatever network: `X_train` and `X_test` with 50,000 and 10,000 rows in the published
        order, and the classes 0 to 9 of these rows, `classes_train` and `classes_test`, which
        prove the order. No other file is needed then.
    binary : bool, default=True
        Whether y says positive or not. False gives the ten classes, to train a network on.

    Returns
    -------
    Dataset
        3,072 features, uint8: the red, the green and the blue plane. ``X.reshape(-1, 3, 32, 32)``
        gives images. With `features`, what that file holds.

    Examples
    --------
    >>> from adapu.datasets import load_cifar10
    >>> load_cifar10("folder/with/the/batches")  # doctest: +SKIP
    <CIFAR-10: 50,000 training and 10,000 test rows, 3,072 features, prior 0.400>
    """
    if features is not None:
        X_train, classes_train, X_test, classes_test = _read_features(Path(features))
        names = tuple(f"feature{j}" for j in range(X_train.shape[1]))
    else:
        images = np.empty((N_TRAIN + N_TEST, N_PIXELS), dtype=np.uint8)
        classes = np.empty(N_TRAIN + N_TEST, dtype=np.uint8)
        batches = _batches(data_folder(data_dir))
        for i, ((path, records), name) in enumerate(zip(batches, BATCHES, strict=True)):
            _check(path, records, name)
            part = slice(i * N_BATCH, (i + 1) * N_BATCH)
            classes[part], images[part] = records[:, 0], records[:, 1:]
        X_train, X_test = images[:N_TRAIN], images[N_TRAIN:]
        classes_train, classes_test = classes[:N_TRAIN], classes[N_TRAIN:]
        names = tuple(f"{c}{i}" for c in ("red", "green", "blue") for i in range(32 * 32))
    if binary:
        classes_train, classes_test = (
            np.isin(classes, VEHICLES) for classes in (classes_train, classes_test)
        )
    y_train, y_test = classes_train.astype(np.int64), classes_test.astype(np.int64)
    return Dataset("CIFAR-10", X_train, y_train, X_test, y_test, names)


def _batches(folder: Path | None) -> Iterator[Batch]:
    """Return the six batches of the first container that is complete."""
    containers = (
        ([f"{name}.bin" for name in BATCHES], "cifar-10-batches-bin", _read_binary),
        (list(BATCHES), "cifar-10-batches-py", _read_python),
        (list(PARQUET_NAMES), ".", _read_parquet),
    )
    missing = []
    for names, unpacked, read in containers:
        paths = [find(folder, name, f"{unpacked}/{name}") for name in names]
        found = [path for path in paths if path is not None]
        if len(found) == len(names):
            return read(found)
        if found:  # a part of this container: what is missing of it is what to look for
            missing += [name for name, path in zip(names, paths, strict=True) if path is None]
    files = (
        ", ".join(missing) or "data_batch_1.bin to test_batch.bin (or data_batch_1 to test_batch)"
    )
    raise not_found(files, URL, folder)


def _read_binary(paths: list[Path]) -> Iterator[Batch]:
    for path in paths:
        size, expected = path.stat().st_size, N_BATCH * (1 + N_PIXELS)
        if size != expected:
            raise damaged(path, f"it has {size:,} bytes, the published one {expected:,}")
        yield path, np.fromfile(path, dtype=np.uint8).reshape(-1, 1 + N_PIXELS)


def _read_python(paths: list[Path]) -> Iterator[Batch]:
    for path in paths:
        batch = read_pickle(path)
        try:
            pixels, classes = (
                np.asarray(batch[key.encode()] if key.encode() in batch else batch[key])
                for key in ("data", "labels")
            )
        except (KeyError, TypeError, ValueError):
            raise damaged(path, "it does not hold 'data' and 'labels'") from None
        if pixels.shape != (N_BATCH, N_PIXELS) or classes.shape != (N_BATCH,):
            shapes = f"shapes {pixels.shape} and {classes.shape}"
            raise damaged(path, f"it holds arrays of {shapes}, not {N_BATCH:,} images")
        if pixels.dtype != np.uint8 or classes.dtype.kind not in "iu":
            raise damaged(path, "it does not hold whole numbers")
        yield path, np.column_stack([classes.astype(np.uint8), pixels])


def _read_parquet(paths: list[Path]) -> Iterator[Batch]:
    sizes = zip(paths, PARQUET_ROWS, strict=True)
    records = np.concatenate([_decoded(path, n_rows) for path, n_rows in sizes])
    ends = np.cumsum(PARQUET_ROWS)
    for first in range(0, len(records), N_BATCH):
        last = first + N_BATCH - 1
        yield paths[np.searchsorted(ends, last, side="right")], records[first : last + 1]


def _decoded(path: Path, n_rows: int) -> Array:
    """Return the images of one parquet file as rows of 3,073 bytes."""
    image = optional("PIL.Image", f"Reading {path.name}")
    columns = read_parquet(path, ("image", "label"))
    check_rows(path, len(columns["label"]), n_rows)
    records = np.empty((n_rows, 1 + N_PIXELS), dtype=np.uint8)
    records[:, 0] = columns["label"]
    for record, encoded in zip(records, columns["image"], strict=True):
        try:
            pixels = np.asarray(image.open(io.BytesIO(encoded)))
        except OSError as error:
            raise damaged(path, f"an image cannot be read ({error})") from None
        if pixels.shape != (32, 32, 3):
            raise damaged(path, f"an image has the shape {pixels.shape}, not (32, 32, 3)")
        record[1:] = pixels.transpose(2, 0, 1).ravel()
    return records


def _check(path: Path, records: Array, name: str) -> None:
    """Raise a ValueError unless a batch is the published one."""
    found = hashlib.sha1(records.tobytes(), usedforsecurity=False).hexdigest()
    if found != BATCHES[name]:
        raise damaged(
            path, f"the SHA-1 of the images of {name} is {found}, the published one {BATCHES[name]}"
        )


def _read_features(path: Path) -> tuple[Array, Array, Array, Array]:
    """Return the features and the classes of both parts."""
    if not path.is_file():
        raise FileNotFoundError(
            f"features must name an .npz file of CIFAR-10's features; there is none at "
            f"{os.fspath(path)!r}."
        )
    names = ("X_train", "classes_train", "X_test", "classes_test")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            X_train, classes_train, X_test, classes_test = (arrays[name] for name in names)
    except Exception as error:  # a broken zip file raises errors of many kinds
        raise damaged(path, f"it cannot be read as features ({error})") from None
    for X, classes, part, n_rows in (
        (X_train, classes_train, "train", N_TRAIN),
        (X_test, classes_test, "test", N_TEST),
    ):
        if X.ndim != 2 or len(X) != n_rows or X.shape[1] != X_train.shape[1]:
            raise damaged(path, f"X_{part} has the shape {X.shape}, not {n_rows:,} rows")
        as_bytes = np.asarray(classes).astype(np.uint8).tobytes()
        if hashlib.sha1(as_bytes, usedforsecurity=False).hexdigest() != CLASSES_SHA1[part]:
            raise damaged(path, f"classes_{part} are not those of CIFAR-10 in the published order")
    return X_train, classes_train, X_test, classes_test
