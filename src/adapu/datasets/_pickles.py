"""Pickles that hold arrays, read without running what else a pickle may ask for."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from adapu.datasets._files import damaged

_RECONSTRUCT = np.empty(0).__reduce__()[0]


def _latin1(text: str, encoding: str) -> bytes:
    return text.encode("latin1")


# A pickled array is a call of _reconstruct(ndarray, ...), in a module whose name depends on the
# version of NumPy; the bytes of Python 3, in an old protocol, are a call of encode.
_ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _latin1,
}


class _ArrayUnpickler(pickle.Unpickler):
    """Builds containers, numbers, text and arrays, and refuses all else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what a pickle calls by name, where it is needed to build an array."""
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(
                f"it asks for {module}.{name}, which arrays do not need"
            ) from None


def read_pickle(path: Path) -> Any:
    """Return what a pickle of arrays holds; text of Python 2 becomes bytes."""
    try:
        with path.open("rb") as file:
            return _ArrayUnpickler(file, encoding="bytes").load()
    except Exception as error:  # a broken pickle raises errors of many kinds
        raise damaged(path, f"it is refused as a pickle of arrays ({error})") from None
