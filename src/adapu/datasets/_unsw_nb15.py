"""UNSW-NB15: flows of a network, normal or part of an attack."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adapu._model import Array
from adapu.datasets._dataset import Dataset
from adapu.datasets._files import Folder, damaged, data_folder, find, not_found, read_parquet

URL = "https://research.unsw.edu.au/projects/unsw-nb15-dataset"

# The names of the two partitions are swapped in some copies: the rows tell which is which.
CSV_NAMES = ("UNSW_NB15_training-set.csv", "UNSW_NB15_testing-set.csv")
PARQUET_NAMES = ("unsw_nb15_train.parquet", "unsw_nb15_test.parquet")

# fmt: off
FEATURES = (
    "dur", "spkts", "dpkts", "sbytes", "dbytes", "rate", "sttl", "dttl", "sload", "dload", "sloss",
    "dloss", "sinpkt", "dinpkt", "sjit", "djit", "swin", "stcpb", "dtcpb", "dwin", "tcprtt",
    "synack", "ackdat", "smean", "dmean", "trans_depth", "response_body_len", "ct_srv_src",
    "ct_state_ttl", "ct_dst_ltm", "ct_src_dport_ltm", "ct_dst_sport_ltm", "ct_dst_src_ltm",
    "is_ftp_login", "ct_ftp_cmd", "ct_flw_http_mthd", "ct_src_ltm", "ct_srv_dst", "is_sm_ips_ports",
)
# fmt: on

# Rows of each category, as published: they check a file, and the first is what is not an attack.
CATEGORIES = (
    *("Normal", "Generic", "Exploits", "Fuzzers", "DoS"),
    *("Reconnaissance", "Analysis", "Backdoor", "Shellcode", "Worms"),
)
LARGER = (56_000, 40_000, 33_393, 18_184, 12_264, 10_491, 2_000, 1_746, 1_133, 130)
SMALLER = (37_000, 18_871, 11_132, 6_062, 4_089, 3_496, 677, 583, 378, 44)


class Partition(NamedTuple):
    """The rows of one file."""

    path: Path
    X: Array
    y: Array
    larger: bool


def load_unsw_nb15(data_dir: Folder | None = None) -> Dataset:
    """Load UNSW-NB15 as the paper does: its 39 numeric columns, attacks positive.

    The partition of 175,341 rows trains and the one of 82,332 tests, whichever of the two names
    they bear: copies differ in what they call training and testing set. The paper's counts are one
    below each.

    Where only the smaller partition is there, it is split, and `substitute` says so. Over a third
    of its rows are copies of others, so the split is by distinct row: rows with the same 39 values
    go to one side together. It is the same split every time, 68 to 32 like the partitions.

    Parameters
    ----------
    data_dir : str or path, default=None
        The folder with `UNSW_NB15_training-set.csv` and `UNSW_NB15_testing-set.csv`, or with
        `unsw_nb15_train.parquet` and `unsw_nb15_test.parquet` (these need the extra `data`). None
        means the folder that the environment variable ADAPU_DATA names.

    Returns
    -------
    Dataset
        39 features, float64.

    Examples
    --------
    >>> from adapu.datasets import load_unsw_nb15
    >>> load_unsw_nb15("folder/with/the/csv/pair")  # doctest: +SKIP
    <UNSW-NB15: 175,341 training and 82,332 test rows, 39 features, prior 0.681>
    """
    folder = data_folder(data_dir)
    paths = [find(folder, name) for name in CSV_NAMES]
    if not any(paths):
        paths = [find(folder, name) for name in PARQUET_NAMES]
    if not any(paths):
        raise not_found(f"{CSV_NAMES[0]} and {CSV_NAMES[1]} (or {PARQUET_NAMES[1]})", URL, folder)
    partitions = [_read(path) for path in paths if path is not None]
    larger = next((p for p in partitions if p.larger), None)
    smaller = next((p for p in partitions if not p.larger), None)
    if smaller is None or (larger is None and len(partitions) == 2):
        found = " and ".join(repr(str(p.path)) for p in partitions)
        rows = sum(SMALLER) if smaller is None else sum(LARGER)
        raise FileNotFoundError(
            f"UNSW-NB15 lacks the partition with {rows:,} rows, {found} being the other one: get "
            f"both files from {URL} and put them into {str(folder)!r}."
        )
    if larger is None:
        return _split(smaller)
    return Dataset("UNSW-NB15", larger.X, larger.y, smaller.X, smaller.y, FEATURES)


def _read(path: Path) -> Partition:
    """Read one file, checked against the published counts."""
    X, category, y = _read_csv(path) if path.suffix == ".csv" else _read_columns(path)
    counts = np.bincount(category, minlength=len(CATEGORIES))
    for published in (LARGER, SMALLER):
        if len(X) != sum(published):
            continue
        for name, count, expected in zip(CATEGORIES, counts, published, strict=True):
            if count != expected:
                raise damaged(
                    path,
                    f"it has {count:,} rows of category {name}, the published one {expected:,}",
                )
        if not np.array_equal(y, category != 0):
            raise damaged(path, "its column label does not agree with its column attack_cat")
        if not np.isfinite(X).all():
            raise damaged(path, "some of its values are not finite")
        return Partition(path, X, y, larger=published is LARGER)
    raise damaged(
        path,
        f"it has {len(X):,} rows, the published partitions {sum(LARGER):,} and {sum(SMALLER):,}",
    )


def _read_csv(path: Path) -> tuple[Array, Array, Array]:
    """Return the features, the numbers of the categories and the labels of a CSV file."""
    with path.open(encoding="utf-8-sig") as file:  # the official files begin with a BOM
        names = [name.strip() for name in file.readline().split(",")]
        for name in (*FEATURES, "attack_cat", "label"):
            if name not in names:
                raise damaged(path, f"it has no column {name!r}")
        columns = [names.index(name) for name in (*FEATURES, "attack_cat", "label")]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no rows: the count will tell
            try:
                values = np.loadtxt(
                    file,
                    delimiter=",",
                    comments=None,
                    quotechar='"',
                    usecols=columns,
                    converters={names.index("attack_cat"): _category},
                    ndmin=2,
                    encoding="utf-8",
                )
            except ValueError as error:
                raise damaged(path, f"a row cannot be read ({error})") from None
    values = values.reshape(-1, len(columns))
    n = len(FEATURES)
    return np.ascontiguousarray(values[:, :n]), values[:, n].astype(int), values[:, -1].astype(int)


def _read_columns(path: Path) -> tuple[Array, Array, Array]:
    """Return the features, the numbers of the categories and the labels of a parquet file."""
    columns = read_parquet(path, (*FEATURES, "attack_cat", "label"))
    X = np.column_stack([columns[name].astype(np.float64) for name in FEATURES])
    try:
        category = np.array([_category(name) for name in columns["attack_cat"]], dtype=int)
    except ValueError as error:
        raise damaged(path, str(error)) from None
    return X, category, columns["label"].astype(int)


def _category(name: str) -> int:
    """Return the number of a category of attacks."""
    if name.strip() not in CATEGORIES:
        raise ValueError(f"unknown category {name!r}")
    return CATEGORIES.index(name.strip())


def _split(partition: Partition) -> Dataset:
    """Split one partition in two parts that have no row in common, however often it occurs."""
    distinct, group = np.unique(partition.X, axis=0, return_inverse=True)
    share = sum(LARGER) / (sum(LARGER) + sum(SMALLER))
    shuffled = np.random.RandomState(0).permutation(len(distinct))  # its stream never changes
    trains = np.zeros(len(distinct), dtype=bool)
    trains[shuffled[: round(share * len(distinct))]] = True
    rows = trains[group.ravel()]
    X, y = partition.X, partition.y
    return Dataset(
        name="UNSW-NB15",
        X_train=X[rows],
        y_train=y[rows],
        X_test=X[~rows],
        y_test=y[~rows],
        feature_names=FEATURES,
        substitute=(
            f"training and test rows are disjoint parts of the partition of {sum(SMALLER):,} rows, "
            f"split by distinct row, because the one of {sum(LARGER):,} rows is missing"
        ),
    )
