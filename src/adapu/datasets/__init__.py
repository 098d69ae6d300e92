"""The paper's data sets, the samples made of them, and data made up for tests of scale.

Nothing is downloaded: loaders read the published files from a folder of yours, check that they are
whole, and say where to get what is missing. Reading parquet files needs the extra ``data``.
"""

from adapu.datasets._breast_cancer import load_breast_cancer
from adapu.datasets._cifar10 import load_cifar10
from adapu.datasets._dataset import Dataset
from adapu.datasets._epsilon import load_epsilon
from adapu.datasets._labels import label_dependent, label_scar
from adapu.datasets._samplers import make_pn, make_pu
from adapu.datasets._synthetic import make_epsilon_like
from adapu.datasets._tabular import load_tabular
from adapu.datasets._unsw_nb15 import load_unsw_nb15

__all__ = [
    "Dataset",
    "label_dependent",
    "label_scar",
    "load_breast_cancer",
    "load_cifar10",
    "load_epsilon",
    "load_tabular",
    "load_unsw_nb15",
    "make_epsilon_like",
    "make_pn",
    "make_pu",
]
