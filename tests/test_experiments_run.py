"""The runner on real fits: killed, resumed, and reported."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import data, report, run, store

ROOT = Path(__file__).parents[1]
BREAST_ADAPU = ["--data", "Breast Cancer", "--methods", "AdaPU"]


def command(out, *arguments):
    return [sys.executable, "-m", "experiments.run", "--out", str(out), *arguments]


def environment():
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}


def finished(path):
    """What rows say, without what changes from run to run."""
    rows = store.finished(store.read(path))
    varying = ("date", "seconds", "threads")
    return {k: {n: v for n, v in row.items() if n not in varying} for k, row in rows.items()}


def test_a_killed_run_goes_on_without_losing_or_repeating_a_row(tmp_path, capsys):
    # five fits in two processes, killed with no chance to clean up once one is written
    wanted = [*BREAST_ADAPU, "--only", "breast_cancer", "thresholds", "--seeds", "1"]
    rows = tmp_path / "rows.jsonl"
    process = subprocess.Popen(
        [*command(tmp_path, *wanted), "--jobs", "2"],
        cwd=ROOT,
        env=environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 300
        while not (rows.exists() and b"\n" in rows.read_bytes()):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = store.read(rows)
    with rows.open("ab") as file:  # as if it had been killed while it wrote
        file.write(b'{"data":"Breast Cancer","method":"AdaPU","set')

    arguments = ["--out", str(tmp_path), *wanted]
    run.main(arguments)
    after = store.read(rows)
    assert after[: len(before)] == before  # nothing is lost
    assert f"5 fits, of which {len(before)} are in" in capsys.readouterr().err
    keys = [store.key(row) for row in after]
    assert len(keys) == len(set(keys)) == 5  # and nothing is there twice

    size = rows.stat().st_size
    run.main(arguments)
    assert "5 fits, of which 5 are in" in capsys.readouterr().err
    assert rows.stat().st_size == size
    run.main(["--out", str(tmp_path / "whole"), *wanted])
    assert finished(rows) == finished(tmp_path / "whole" / "rows.jsonl")


def test_from_fits_to_tables_and_figures(tmp_path, capsys):
    run.main(
        ["--out", str(tmp_path), "--data", "Breast Cancer", "--seeds", "2"]
        + ["--methods", "AdaPU", "GBDT", "AdaBoost", "--only", "accuracy"]
    )
    rows = store.read(tmp_path / "rows.jsonl")
    assert len(rows) == 2 * (2 + 2)
    adapu = next(row for row in rows if row["method"] == "AdaPU")
    assert adapu["test_accuracy"] == pytest.approx(1 - adapu["curves"]["test_loss"][-1], abs=1e-5)
    assert len(adapu["features"]) == adapu["n_rounds"] == len(adapu["curves"]["train_loss"])
    assert {"adapu", "numba", "numpy", "python"} <= set(adapu["versions"])
    boosted = next(row for row in rows if row["method"] == "GBDT")
    assert (boosted["n_positive"], boosted["n_negative"]) == (10, 1)

    report.main(["--out", str(tmp_path), "--alone", "--figures", "pn_by_round"])
    page = (tmp_path / "tables.md").read_text()
    mean = 100 * sum(row["test_accuracy"] for row in rows if row["method"] == "GBDT") / 2
    line = next(line for line in page.splitlines() if line.startswith("| GBDT |"))
    assert f"{mean:.2f}" in line and "2 seeds" in line and "90.70 (2.82)" in line
    drawn = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert drawn == ["pn_by_round.png", "pn_by_round.svg"]


def test_a_failure_is_written_down_and_tried_again(tmp_path, monkeypatch):
    arguments = ["--out", str(tmp_path), *BREAST_ADAPU, "--only", "accuracy", "--seeds", "1"]

    def broken(todo, options, writer):
        for cell in todo:
            writer.append(run.fit(cell, run.Resources(device="cpu")))
        return len(todo)

    def fails(method):
        def fit(*arguments):
            raise FloatingPointError("the first epoch is not finite")

        return fit

    monkeypatch.setattr(run, "run", broken)
    monkeypatch.setattr(run, "fit_method", fails)
    run.main(arguments)
    rows = store.read(tmp_path / "rows.jsonl")
    assert {row["failed"] for row in rows} == {"FloatingPointError: the first epoch is not finite"}
    monkeypatch.undo()
    run.main(arguments)
    assert len(store.finished(store.read(tmp_path / "rows.jsonl"))) == len(rows) == 2


def test_missing_data_leave_cells_empty_and_the_reason_is_written_once(tmp_path, monkeypatch):
    monkeypatch.setenv("ADAPU_DATA", str(tmp_path))
    data.load_unsw.cache_clear()
    arguments = ["--out", str(tmp_path / "out"), "--data", "UNSW-NB15", "--only", "accuracy"]
    for _ in range(2):
        run.main(arguments)
    (row,) = store.read(tmp_path / "out" / "rows.jsonl")
    assert row["missing"] == "the files of UNSW-NB15 are not there"
    assert str(tmp_path) not in json.dumps(row)


@pytest.mark.parametrize("text", ["0", "-1", "two"])
def test_bad_counts_are_refused(text, capsys):
    with pytest.raises(SystemExit):
        run.main(["--jobs", text])
    assert "must be a whole number of at least 1" in capsys.readouterr().err
