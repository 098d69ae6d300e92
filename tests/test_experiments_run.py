"""The runner on real fits: killed, resumed, and reported."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import report, run, store

ROOT = Path(__file__).parents[1]
BREAST_ADAPU = ["--data", "Breast Cancer", "--methods", "AdaPU"]


def command(out, *arguments):
    return [sys.executable, "-m", "experiments.run", "--out", str(out), *arguments]


def environment():
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}


def run_whole(out, *arguments):
    done = subprocess.run(
        command(out, *arguments),
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def answers(out):
    """What rows say, without what changes from run to run."""
    rows = store.finished(store.read(out / "rows.jsonl"))
    varying = ("date", "seconds")
    return {k: {n: v for n, v in row.items() if n not in varying} for k, row in rows.items()}


def test_a_killed_run_goes_on_without_losing_or_repeating_a_row(tmp_path):
    # ten fits in two processes, killed with no chance to clean up once some are written
    wanted = [*BREAST_ADAPU, "--only", "breast_cancer", "thresholds", "--seeds", "2"]
    wanted += ["--jobs", "2"]
    rows = tmp_path / "killed" / "rows.jsonl"
    process = subprocess.Popen(
        command(rows.parent, *wanted), cwd=ROOT, env=environment(), stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while not (rows.exists() and rows.read_bytes().count(b"\n") >= 2):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = store.read(rows)
    with rows.open("ab") as file:  # as if it had been killed while it wrote
        file.write(b'{"data":"Breast Cancer","method":"AdaPU","set')

    said = run_whole(rows.parent, *wanted)
    after = store.read(rows)
    assert after[: len(before)] == before  # nothing is lost
    assert f"of which {len(before)} are in" in said
    keys = [store.key(row) for row in after]
    assert len(keys) == len(set(keys)) == 10  # and nothing is there twice

    run_whole(tmp_path / "whole", *wanted)
    assert answers(rows.parent) == answers(tmp_path / "whole")
    size = rows.stat().st_size
    assert "10 fits, of which 10 are in" in run_whole(rows.parent, *wanted)
    assert rows.stat().st_size == size


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
