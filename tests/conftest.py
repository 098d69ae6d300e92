"""Settings of the whole run: warnings are errors, hypothesis draws the same examples every time."""

import os
from pathlib import Path

import hypothesis
import naive
import pytest

pytest.register_assert_rewrite("helpers")

hypothesis.settings.register_profile(
    "adapu",
    derandomize=True,
    deadline=None,
    max_examples=100,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("adapu")


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:  # numba's cache is not made for several writers; it is read once numba is imported
        caches = os.environ.get("NUMBA_CACHE_DIR") or config.rootpath / ".pytest_cache" / "numba"
        os.environ["NUMBA_CACHE_DIR"] = str(Path(caches) / worker)


@pytest.fixture(scope="session")
def compiled_naive():
    """The oracle's source, compiled: for data that plain Python would take minutes on."""
    return naive.jitted()
