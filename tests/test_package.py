"""What importing the package costs, and what a second process finds compiled."""

import json
import os
import subprocess
import sys

import pytest

import adapu


def run(code, **environment):
    """The JSON that a fresh Python prints in its last line."""
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


def test_public_names():
    assert sorted(adapu.__all__) == adapu.__all__
    assert {"AdaPUClassifier", "AdaPUClassifierCV", "metrics", "prior"} <= set(adapu.__all__)
    assert all(hasattr(adapu, name) for name in adapu.__all__)


def test_import_is_light():
    """scikit-learn loads pandas by itself where it is installed; adapu adds nothing heavy."""
    loaded, theirs = (
        set(run(f"import {name}, json, sys; print(json.dumps(sorted(sys.modules)))"))
        for name in ("adapu", "sklearn.ensemble")
    )
    heavy = {"numba", "llvmlite", "torch", "pandas", "matplotlib", "dask", "cupy", "tqdm"}
    assert not heavy & (loaded - theirs)
    assert "adapu" in loaded


FIT_AND_COUNT = """
import json, sys
import numpy as np
from adapu import AdaPUClassifier

margins = []
for seed in {seeds}:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    s = np.arange(60) < 20
    for thresholds in ("random", "quantile"):
        model = AdaPUClassifier(0.4, n_estimators=10, thresholds=thresholds, random_state=seed)
        margins.append(model.fit(X, s).decision_function(X).tolist())

from numba.core.dispatcher import Dispatcher

kernels = {{
    id(value): value
    for name, module in list(sys.modules.items()) if name.startswith("adapu")
    for value in list(vars(module).values()) if isinstance(value, Dispatcher)
}}.values()
print(json.dumps({{
    "hits": sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels),
    "misses": sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels),
    "margins": margins,
}}))
"""


def test_a_second_process_does_not_compile_again(tmp_path):
    """Neither for the same fit nor for other data of the same kind."""
    first = run(FIT_AND_COUNT.format(seeds=[0]), NUMBA_CACHE_DIR=str(tmp_path))
    second = run(FIT_AND_COUNT.format(seeds=[0, 1, 2, 3]), NUMBA_CACHE_DIR=str(tmp_path))
    assert first["misses"] > 0
    assert second["misses"] == 0
    assert second["hits"] == first["misses"]
    assert first["margins"] == second["margins"][:2]


@pytest.mark.parametrize("verbose", [0, 1])
def test_the_first_compile_is_said_in_one_line(tmp_path, verbose):
    code = f"""
import contextlib, io, json
import numpy as np
from adapu import AdaPUClassifier

X, s = np.arange(20.0)[:, None], np.arange(20) % 3 == 0
said = io.StringIO()
with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
    for _ in range(2):
        AdaPUClassifier(0.5, n_estimators=3, random_state=0, verbose={verbose}).fit(X, s)
lines = [line for line in said.getvalue().splitlines() if "compil" in line.lower()]
print(json.dumps(len(lines)))
"""
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == verbose
