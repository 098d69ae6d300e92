"""The four data sets, or what stands in for them.

Rows of a results file name the source their data came from, so a number from a substitute can never
pass for one from the real set. Files are read from the folder in ADAPU_DATA, and what
`experiments.pack` packed from `cache/` beside this file.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

from adapu.datasets import (
    Dataset,
    load_breast_cancer,
    load_cifar10,
    load_epsilon,
    load_unsw_nb15,
    make_epsilon_like,
)
from experiments.paper import BREAST, CIFAR10, EPSILON, UNSW

CACHE = Path(__file__).parent / "cache"
PACKED_UNSW = CACHE / "unsw_nb15.npz"

UNSW_SPLIT, EPSILON_LIKE = "UNSW-NB15 split", "Epsilon-like"
CIFAR10_IMAGES, CIFAR10_FEATURES = "CIFAR-10 images", "CIFAR-10 features"

# What may stand in a column of the paper's tables, the real set first.
SOURCES = {
    CIFAR10: (CIFAR10_FEATURES, CIFAR10_IMAGES),
    EPSILON: (EPSILON, EPSILON_LIKE),
    UNSW: (UNSW, UNSW_SPLIT),
    BREAST: (BREAST,),
}
SUBSTITUTES = (EPSILON_LIKE, UNSW_SPLIT)

N_TRAIN_EPSILON, N_TEST_EPSILON_LIKE = 40_000, 20_000


class MissingData(Exception):
    """A data set cannot be had here; the message says why, in words fit for a table."""


def source(column: str, *, images: bool) -> str:
    """The name of the source that fills a column of the paper's tables on this machine.

    Networks take CIFAR-10's images, boosters the features of a network.
    """
    if column == CIFAR10:
        return CIFAR10_IMAGES if images else CIFAR10_FEATURES
    if column == EPSILON:
        return EPSILON if _epsilon_is_here() else EPSILON_LIKE
    if column == UNSW:
        return UNSW_SPLIT if load_unsw().substitute else UNSW
    return BREAST


@lru_cache(maxsize=1)  # one set at a time: cells are run set by set
def load(name: str) -> Dataset:
    """The data of a source; MissingData where they cannot be had."""
    try:
        return _LOADERS[name]()
    except (FileNotFoundError, ImportError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        raise MissingData(_REASONS.get(name, f"the files of {name} are not there")) from error


def prepare(name: str) -> None:
    """See that the data of a source can be had, and have what is computed from them cached."""
    if name not in (BREAST, EPSILON_LIKE):  # these can always be had
        load(name)
        load.cache_clear()


@lru_cache(maxsize=1)
def load_unsw() -> Dataset:
    """UNSW-NB15, or the split of its smaller partition."""
    if not PACKED_UNSW.is_file() or os.environ.get("ADAPU_DATA"):
        try:
            return load_unsw_nb15()
        except (FileNotFoundError, ImportError) as error:
            print(f"{UNSW}: {error}", file=sys.stderr)
            raise MissingData(f"the files of {UNSW} are not there") from error
    return read_packed(PACKED_UNSW)


def read_packed(path: Path) -> Dataset:
    """A data set that `experiments.pack` wrote."""
    with np.load(path, allow_pickle=False) as arrays:
        return Dataset(
            name=str(arrays["name"]),
            X_train=arrays["X_train"],
            y_train=arrays["y_train"],
            X_test=arrays["X_test"],
            y_test=arrays["y_test"],
            feature_names=tuple(map(str, arrays["feature_names"])),
            substitute=str(arrays["substitute"]),
        )


def _epsilon_is_here() -> bool:
    try:
        return not load_epsilon(n_train=1, n_test=1).substitute
    except FileNotFoundError:
        return False


def _load_epsilon() -> Dataset:
    return load_epsilon(n_train=N_TRAIN_EPSILON, verbose=1)


def _make_epsilon_like() -> Dataset:
    X_train, y_train = make_epsilon_like(N_TRAIN_EPSILON)
    X_test, y_test = make_epsilon_like(N_TEST_EPSILON_LIKE, random_state=1)
    return Dataset(
        name=EPSILON,
        X_train=X_train,
        y_train=y_train,
        X_test=X_test,
        y_test=y_test,
        feature_names=tuple(f"feature{j}" for j in range(X_train.shape[1])),
        substitute=(
            "the rows are synthetic, made by adapu.datasets.make_epsilon_like to resemble "
            "Epsilon's, whose files are missing"
        ),
    )


def _load_cifar10_features() -> Dataset:
    """CIFAR-10 with the features of the all-convolutional net in place of its pixels."""
    from experiments.cifar10_features import cifar10_features  # it imports torch

    return load_cifar10(features=cifar10_features())


_LOADERS = {
    BREAST: load_breast_cancer,
    UNSW: load_unsw,
    UNSW_SPLIT: load_unsw,
    EPSILON: _load_epsilon,
    EPSILON_LIKE: _make_epsilon_like,
    CIFAR10_IMAGES: load_cifar10,
    CIFAR10_FEATURES: _load_cifar10_features,
}
_REASONS = {
    CIFAR10_IMAGES: "the files of CIFAR-10 are not there",
    CIFAR10_FEATURES: "CIFAR-10's files, or the network that makes its features, are not there",
}
