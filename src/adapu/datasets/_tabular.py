"""Tabular sets that papers on positive-unlabeled learning measure on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adapu._model import Array
from adapu._validation import check_choice
from adapu.datasets._dataset import Dataset
from adapu.datasets._files import (
    Folder,
    check_positives,
    check_rows,
    damaged,
    data_folder,
    find,
    not_found,
    read_parquet,
)

PMLB = "https://epistasislab.github.io/pmlb/"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html"
UCI = "https://archive.ics.uci.edu/dataset/327/phishing+websites"
MNIST = "http://yann.lecun.com/exdb/mnist/"

ALL = "all"


class File(NamedTuple):
    """A parquet file, and the counts that check it."""

    name: str
    n_rows: int
    n_positive: int


class Table(NamedTuple):
    """A set: its files, what is positive, and which columns are codes without an order."""

    title: str
    positive: str
    n_features: int
    train: File
    test: File | None = None
    categorical: tuple[str, ...] | str = ()
    url: str = PMLB


GERMAN_CATEGORICAL = (
    *("Status", "Credit-history", "Purpose", "Savings-account", "Employment", "Personal-status"),
    *("Debtors", "Property", "Installments", "Housing", "Job", "Telephone", "Foreign"),
)

TABLES = {
    "a9a": Table(
        "a9a",
        "income above 50,000 dollars",
        123,
        File("a9a_train.parquet", 32_561, 7_841),
        File("a9a_test.parquet", 16_281, 3_846),
        url=LIBSVM,
    ),
    "coil2000": Table(
        "COIL 2000",
        "has a caravan policy",
        85,
        File("coil2000.parquet", 9_822, 586),
        categorical=("MOSTYPE", "MOSHOOFD"),
    ),
    "connect_4": Table(
        "Connect-4",
        "the first player wins",
        42,
        File("connect_4.parquet", 67_557, 44_473),
        categorical=ALL,
    ),
    "german_credit": Table(
        "German Credit",
        "bad credit",
        20,
        File("german_credit.parquet", 1_000, 300),
        categorical=GERMAN_CATEGORICAL,
    ),
    "mnist": Table(
        "MNIST",
        "even digit",
        28 * 28,
        File("mnist_train.parquet", 60_000, 29_492),
        File("mnist_test.parquet", 10_000, 4_926),
        url=MNIST,
    ),
    "mushroom": Table(
        "Mushroom",
        "poisonous",
        22,
        File("mushroom.parquet", 8_124, 3_916),
        categorical=ALL,
    ),
    "phishing": Table(
        "Phishing",
        "labeled 1",
        46,
        File("phishing.parquet", 11_055, 6_157),
        url=UCI,
    ),
    "shuttle": Table(
        "Shuttle",
        "not class 1",
        9,
        File("shuttle.parquet", 58_000, 12_414),
    ),
    "spambase": Table(
        "Spambase",
        "spam",
        57,
        File("spambase.parquet", 4_601, 1_813),
    ),
    "tic_tac_toe": Table(
        "Tic-Tac-Toe",
        "x wins",
        9,
        File("tic_tac_toe.parquet", 958, 626),
        categorical=ALL,
    ),
}


def load_tabular(name: str, data_dir: Folder | None = None, *, one_hot: bool = False) -> Dataset:
    """Load one of the tabular sets from its parquet files.

    =================  =======  ========  ============================  ==========================
    name                  rows  features  positive (share)              codes without an order
    =================  =======  ========  ============================  ==========================
    ``a9a``             48,842       123  income above 50,000 $ (24 %)
    ``coil2000``         9,822        85  has a caravan policy (6 %)    MOSTYPE, MOSHOOFD
    ``connect_4``       67,557        42  the first player wins (66 %)  all
    ``german_credit``    1,000        20  bad credit (30 %)             13 of 20
    ``mnist``           70,000       784  even digit (49 %)
    ``mushroom``         8,124        22  poisonous (48 %)              all
    ``phishing``        11,055        46  labeled 1 (56 %)
    ``shuttle``         58,000         9  not class 1 (21 %)
    ``spambase``         4,601        57  spam (39 %)
    ``tic_tac_toe``        958         9  x wins (65 %)                 all
    =================  =======  ========  ============================  ==========================

    Parameters
    ----------
    name : str
        The name of the set.
    data_dir : str or path, default=None
        The folder with the set's parquet file, such as `spambase.parquet`, or with both of them,
        `a9a_train.parquet` and `a9a_test.parquet`. Their columns are the features and `target`;
        those of MNIST are `image` and `label`. None means the folder that the environment variable
        ADAPU_DATA names. Reading needs the extra `data`.
    one_hot : bool, default=False
        Whether each column of codes without an order becomes one column of zeros and ones per
        code. The other columns stay.

    Returns
    -------
    Dataset
        float64, MNIST uint8. `a9a` and `mnist` come with a test part; that of the others is empty,
        for none is published.

    Examples
    --------
    >>> from adapu.datasets import load_tabular
    >>> load_tabular("mushroom", one_hot=True)  # doctest: +SKIP
    <Mushroom: 8,124 training and 0 test rows, 117 features, prior 0.482>
    """
    check_choice("name", name, tuple(TABLES))
    table = TABLES[name]
    folder = data_folder(data_dir)
    read = _read_images if name == "mnist" else _read_table
    X_train, y_train, names = _read(folder, table, table.train, read)
    X_test, y_test = X_train[:0], y_train[:0]
    if table.test is not None:
        X_test, y_test, _ = _read(folder, table, table.test, read)
    if one_hot:
        X = np.concatenate([X_train, X_test])
        X, names = _one_hot(X, names, table.categorical)
        X_train, X_test = X[: len(X_train)], X[len(X_train) :]
    return Dataset(table.title, X_train, y_train, X_test, y_test, names)


Columns = tuple[Array, Array, tuple[str, ...]]  # X, y, the names of the features


def _read(
    folder: Path | None, table: Table, file: File, read: Callable[[Path], Columns]
) -> Columns:
    """Read one file, checked against the published counts."""
    path = find(folder, file.name)
    if path is None:
        raise not_found(f"{file.name} (a column per feature, and target)", table.url, folder)
    X, y, names = read(path)
    if X.shape[1] != table.n_features:
        raise damaged(path, f"it has {X.shape[1]:,} features, the published one {table.n_features}")
    check_rows(path, len(y), file.n_rows)
    check_positives(path, y, file.n_positive)
    return X, y, names


def _read_table(path: Path) -> Columns:
    """Read a file with a column per feature, and one for the labels."""
    columns = read_parquet(path)
    if "target" not in columns:
        raise damaged(path, "it has no column 'target'")
    y = columns.pop("target").astype(np.int64)
    X = np.empty((len(y), len(columns)))
    for j, column in enumerate(columns.values()):
        X[:, j] = column
    return X, y, tuple(columns)


def _read_images(path: Path) -> Columns:
    """Read MNIST: an image's bytes in one column, its digit in the other."""
    columns = read_parquet(path, ("image", "label"))
    if any(len(image) != 28 * 28 for image in columns["image"]):
        raise damaged(path, "its images do not all have 28 × 28 bytes")
    X = np.frombuffer(b"".join(columns["image"]), dtype=np.uint8).reshape(-1, 28 * 28)
    y = (columns["label"] % 2 == 0).astype(np.int64)
    return X, y, tuple(f"pixel{j}" for j in range(28 * 28))


def _one_hot(
    X: Array, names: tuple[str, ...], categorical: tuple[str, ...] | str
) -> tuple[Array, tuple[str, ...]]:
    """Turn each column of codes into a column of zeros and ones per code."""
    columns, expanded = [], []
    for column, name in zip(X.T, names, strict=True):
        if categorical != ALL and name not in categorical:
            columns.append(column)
            expanded.append(name)
            continue
        for code in np.unique(column):
            columns.append((column == code).astype(X.dtype))
            expanded.append(f"{name}={code:g}")
    return np.column_stack(columns), tuple(expanded)
