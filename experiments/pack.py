"""Pack what a machine without pyarrow needs: `python -m experiments.pack`.

Reads UNSW-NB15 from the folder in ADAPU_DATA and writes it to `experiments/cache/`, which git
ignores, as one compressed .npz file. Breast Cancer comes with scikit-learn and synthetic Epsilon is
made where it is needed, so this is all that the tabular networks need on another machine.
"""

from __future__ import annotations

import argparse

import numpy as np

from adapu.datasets import load_unsw_nb15
from experiments.data import PACKED_UNSW


def main() -> None:
    """Pack from the command line."""
    argparse.ArgumentParser(prog="experiments.pack", description=__doc__).parse_args()
    data = load_unsw_nb15()
    PACKED_UNSW.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        PACKED_UNSW,
        name=data.name,
        X_train=data.X_train,
        y_train=data.y_train,
        X_test=data.X_test,
        y_test=data.y_test,
        feature_names=np.array(data.feature_names),
        substitute=data.substitute,
    )
    print(f"{PACKED_UNSW}: {PACKED_UNSW.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
