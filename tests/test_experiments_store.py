"""The results file: nothing finished is lost or there twice, and a torn line is dropped."""

import json

import pytest

from experiments import merge, store


def row(seed, **more):
    return {
        "data": "Breast Cancer",
        "method": "AdaPU",
        "setting": {"learning_rate": 0.1, "normalization": "per-group"},
        "seed": seed,
        "test_accuracy": 0.9,
        **more,
    }


def write(path, *rows):
    with store.Writer(path) as writer:
        for one in rows:
            writer.append(one)
    return path


def seeds(path):
    return [one["seed"] for one in store.read(path)]


def test_rows_come_back(tmp_path):
    path = write(tmp_path / "new" / "rows.jsonl", row(0), row(1))
    assert store.read(path) == [row(0), row(1)]
    assert store.read(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize("kept", range(1, len(json.dumps(row(1), separators=(",", ":"))) + 1))
def test_a_line_torn_anywhere_is_dropped_and_written_over(tmp_path, kept):
    path = write(tmp_path / "rows.jsonl", row(0))
    torn = json.dumps(row(1), separators=(",", ":")).encode()[:kept]  # without its newline
    path.write_bytes(path.read_bytes() + torn)
    assert seeds(path) == [0]
    write(path, row(2))
    assert seeds(path) == [0, 2]


def test_a_broken_line_in_the_middle_is_told(tmp_path):
    path = write(tmp_path / "rows.jsonl", row(0))
    path.write_bytes(b'{"data": \n' + path.read_bytes())
    with pytest.raises(ValueError, match="line 1 of .* is not JSON"):
        store.read(path)


def test_one_writer_at_a_time(tmp_path):
    path = tmp_path / "rows.jsonl"
    with store.Writer(path), pytest.raises(RuntimeError, match="another run is writing"):
        store.Writer(path).__enter__()
    write(path, row(0))  # once the first is done


def test_a_key_is_data_method_setting_and_seed():
    same = row(0, setting={"normalization": "per-group", "learning_rate": 0.1}, seconds=3)
    assert store.key(same) == store.key(row(0))
    others = [row(1), row(0, data="Epsilon"), row(0, method="nnPU"), row(0, setting={})]
    assert len({store.key(one) for one in [row(0), *others]}) == 5


def test_failures_and_missing_data_do_not_count_as_finished():
    failed = {**row(0), "failed": "ValueError: no"}
    del failed["test_accuracy"]
    missing = {"data": "CIFAR-10 images", "missing": "the files are not there"}
    rows = [failed, missing, row(1), row(1, seconds=9)]
    assert list(store.finished(rows).values()) == [row(1)]  # of two, the first
    assert store.failures(rows) == {store.key(row(0)): "ValueError: no"}
    assert store.missing(rows) == {"CIFAR-10 images": "the files are not there"}


def test_merge_takes_each_row_once(tmp_path, capsys):
    target = write(tmp_path / "here.jsonl", row(0), row(1))
    failed = {key: value for key, value in row(7).items() if key != "test_accuracy"}
    gpu = write(tmp_path / "gpu.jsonl", row(1, device="GPU"), row(2), {**failed, "failed": "no"})
    again = write(tmp_path / "again.jsonl", row(2), row(3))
    for n_added in (2, 0):
        merge.main([str(target), str(gpu), str(again)])
        assert f"{n_added} rows were added" in capsys.readouterr().out
        assert seeds(target) == [0, 1, 2, 3]
    assert "device" not in store.read(target)[1]  # what was there stays


def test_merge_wants_files_that_exist(tmp_path, capsys):
    with pytest.raises(SystemExit):
        merge.main([str(tmp_path / "rows.jsonl"), str(tmp_path / "none.jsonl")])
    assert "none.jsonl" in capsys.readouterr().err
    assert not (tmp_path / "rows.jsonl").exists()
