"""What a fit runs on, what it is written down with, and how numbers are written."""

from __future__ import annotations

import datetime
import importlib
import importlib.metadata
import importlib.util
import platform
from collections.abc import Iterable
from typing import NamedTuple

DECIMALS = 5

# Which packages make a method's numbers.
PACKAGES = {
    "AdaPU": ("adapu", "numpy", "numba"),
    "AdaPU-CV": ("adapu", "numpy", "numba"),
    "XGBoost": ("adapu", "numpy", "xgboost"),
    "GBDT": ("adapu", "numpy", "scikit-learn"),
    "AdaBoost": ("adapu", "numpy", "scikit-learn"),
    "nnPU": ("adapu", "numpy", "torch"),
    "uPU": ("adapu", "numpy", "torch"),
}


class Resources(NamedTuple):
    """What one fit may use."""

    threads: int = 1
    device: str = "cpu"  # of networks
    precision: str = "float32"  # of networks


def rounded(values: Iterable[float]) -> list[float]:
    """Numbers as they are written down."""
    return [round(float(value), DECIMALS) for value in values]


def versions(method: str) -> dict[str, str]:
    """The versions of what makes a method's numbers."""
    return {"python": platform.python_version()} | {
        name: _version(name) for name in PACKAGES[method]
    }


def _version(distribution: str) -> str:
    """A version; that of the module where it was put on the path and not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(importlib.import_module(distribution), "__version__", "not installed"))


def device_name(device: str) -> str:
    """What a device is called in the results file."""
    if device == "cuda":
        return str(importlib.import_module("torch").cuda.get_device_name())
    return "cpu"


def now() -> str:
    """The time, to the second, in UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
