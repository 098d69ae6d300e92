"""Epsilon from LIBSVM's text: bounded memory, caches that are whole or not there, bad files."""

import bz2
import errno
import hashlib
import os
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from adapu.datasets import _epsilon, _libsvm, load_epsilon

N_FEATURES, N_TRAIN, N_TEST = 12, 700, 300
DATA = os.environ.get("ADAPU_DATA", "")


def drawn(seed, n_rows):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_FEATURES))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X.round(6), rng.integers(0, 2, size=n_rows)


def text_of(X, y):
    """LIBSVM's text, as the official files have it: signed labels, a blank before the line end."""
    lines = []
    for row, label in zip(X, y, strict=True):
        values = " ".join(f"{j}:{value:g}" for j, value in enumerate(row.tolist(), start=1))
        lines.append(f"{2 * label - 1:+d} {values} \n")
    return "".join(lines).encode()


TRAIN, TEST = drawn(0, N_TRAIN), drawn(1, N_TEST)
TRAIN_TEXT, TEST_TEXT = text_of(*TRAIN), text_of(*TEST)


def set_published(monkeypatch, train=TRAIN_TEXT, test=TEST_TEXT):
    """Make these small files the published ones."""
    monkeypatch.delenv("ADAPU_DATA", raising=False)
    monkeypatch.setattr(_epsilon, "N_FEATURES", N_FEATURES)
    for name, text, n_rows in (("TRAIN", train, N_TRAIN), ("TEST", test, N_TEST)):
        checksum = hashlib.sha256(bz2.compress(text)).hexdigest()
        part = getattr(_epsilon, name)._replace(n_rows=n_rows, sha256=checksum)
        monkeypatch.setattr(_epsilon, name, part)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    set_published(monkeypatch)
    (tmp_path / "epsilon_normalized").write_bytes(TRAIN_TEXT)
    (tmp_path / "epsilon_normalized.t").write_bytes(TEST_TEXT)
    return tmp_path


def refuse_to_read(*args, **kwargs):
    raise AssertionError("the text was read again")


def assert_parts(data, n_train=N_TRAIN, n_test=N_TEST):
    for (X, y), n, found, labels in (
        (TRAIN, n_train, data.X_train, data.y_train),
        (TEST, n_test, data.X_test, data.y_test),
    ):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, X[:n].astype(np.float32))
        np.testing.assert_array_equal(labels, y[:n])
    assert data.prior == TRAIN[1][:n_train].mean()
    assert data.substitute == ""


@pytest.mark.parametrize("suffix", ["", ".bz2"])
def test_both_files(tmp_path, monkeypatch, suffix):
    set_published(monkeypatch)
    pack = bz2.compress if suffix else bytes
    (tmp_path / f"epsilon_normalized{suffix}").write_bytes(pack(TRAIN_TEXT))
    (tmp_path / f"epsilon_normalized.t{suffix}").write_bytes(pack(TEST_TEXT))
    assert_parts(load_epsilon(tmp_path, n_train=None))
    monkeypatch.setenv("ADAPU_DATA", str(tmp_path))
    assert_parts(load_epsilon(n_train=None))
    data = load_epsilon(tmp_path, n_train=300, n_test=7)
    assert_parts(data, 300, 7)
    assert repr(data).startswith("<Epsilon: 300 training and 7 test rows, 12 features, prior 0.")
    assert data.feature_names[:2] == ("x0", "x1")


def test_memory_is_that_of_a_chunk(tmp_path, monkeypatch):
    """A file of any length takes the memory of some rows of it."""
    monkeypatch.setattr(_libsvm, "CHUNK_ROWS", 32)
    line = b"+1 " + b" ".join(b"%d:0.0123456" % j for j in range(1, 301)) + b"\n"

    def peak(n_rows):
        path = tmp_path / f"{n_rows}"
        path.write_bytes(line * n_rows)
        tracemalloc.start()
        chunks = _libsvm.read_chunks(path, n_rows, 300, whole=True)
        _libsvm.save_chunks(chunks, tmp_path / "X.npy", tmp_path / "y.npy", n_rows, 300, 0)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return taken

    peak(10)  # what the first call imports
    short, long = peak(2 * _libsvm.CHUNK_ROWS), peak(12 * _libsvm.CHUNK_ROWS)
    assert long < 1.1 * short
    assert long < (tmp_path / str(12 * _libsvm.CHUNK_ROWS)).stat().st_size / 2
    assert np.load(tmp_path / "X.npy").shape == (12 * _libsvm.CHUNK_ROWS, 300)


# ---------------------------------------------------------------- the cache


def test_the_text_is_read_once(folder, monkeypatch):
    first = load_epsilon(folder, n_train=None)
    assert isinstance(first.X_train, np.memmap)
    assert not first.X_train.flags.writeable
    monkeypatch.setattr(_epsilon, "read_chunks", refuse_to_read)
    assert_parts(load_epsilon(folder, n_train=None))
    assert_parts(load_epsilon(folder, n_train=20, n_test=30), 20, 30)  # the head of what is there
    (folder / "epsilon_normalized").unlink()
    (folder / "epsilon_normalized.t").unlink()
    assert_parts(load_epsilon(folder, n_train=None))


def test_more_rows_than_the_cache_has_are_read(folder):
    load_epsilon(folder, n_train=10, n_test=10)
    assert_parts(load_epsilon(folder, n_train=600, n_test=20), 600, 20)


def test_a_cache_elsewhere(folder, tmp_path):
    cache = tmp_path / "cache" / "deep"
    before = sorted(path for path in folder.iterdir())
    assert_parts(load_epsilon(folder, n_train=50, n_test=40, cache_dir=cache), 50, 40)
    assert sorted(set(folder.iterdir()) - {cache.parent}) == before
    assert sorted(path.name for path in cache.iterdir()) == [
        "epsilon_normalized-50-labels.npy",
        "epsilon_normalized-50-rows.npy",
        "epsilon_normalized.t-40-labels.npy",
        "epsilon_normalized.t-40-rows.npy",
    ]


def test_a_newer_text_makes_the_cache_anew(folder):
    load_epsilon(folder, n_train=50, n_test=40)
    path = folder / "epsilon_normalized"
    path.write_bytes(text_of(-TRAIN[0], TRAIN[1]))
    later = (folder / "epsilon_normalized-50-rows.npy").stat().st_mtime + 10
    os.utime(path, (later, later))
    data = load_epsilon(folder, n_train=50, n_test=40)
    np.testing.assert_array_equal(data.X_train, -TRAIN[0][:50].astype(np.float32))


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_nothing_half_written_stays(folder, monkeypatch, error):
    before = sorted(folder.iterdir())

    def interrupted(source, n_rows, n_features, *, whole):
        chunks = _libsvm.read_chunks(source, n_rows, n_features, whole=whole)
        yield next(chunks)
        raise error("stop")

    with monkeypatch.context() as patch:
        patch.setattr(_epsilon, "read_chunks", interrupted)
        with pytest.raises(error, match="stop"):
            load_epsilon(folder, n_train=None)
    assert sorted(folder.iterdir()) == before
    with monkeypatch.context() as patch:  # after the rows, before the labels are there
        patch.setattr(np, "save", lambda *args: (_ for _ in ()).throw(error("stop")))
        with pytest.raises(error, match="stop"):
            load_epsilon(folder, n_train=None)
    assert sorted(folder.iterdir()) == before
    assert_parts(load_epsilon(folder, n_train=None))


@pytest.mark.parametrize("broken", [b"", b"\x93NUMPY", None])
def test_a_broken_cache_is_said_to_be_one(folder, broken):
    load_epsilon(folder, n_train=50, n_test=40)
    path = folder / "epsilon_normalized-50-rows.npy"
    path.write_bytes(path.read_bytes()[:-100] if broken is None else broken)
    with pytest.raises(ValueError, match=r"epsilon_normalized-50-rows\.npy.* remove it"):
        load_epsilon(folder, n_train=50, n_test=40)


def test_a_cache_of_something_else_is_said_to_be_one(folder):
    load_epsilon(folder, n_train=50, n_test=40)
    np.save(folder / "epsilon_normalized-50-rows.npy", np.zeros((50, 3)))
    with pytest.raises(ValueError, match="holds something else, remove it"):
        load_epsilon(folder, n_train=50, n_test=40)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_cannot_be_written_to(folder, monkeypatch, code):
    def refused(*args):
        raise OSError(code, "no")

    monkeypatch.setattr(_epsilon, "save_chunks", refused)
    with pytest.raises(PermissionError, match="cannot be written to: name a folder .* cache_dir"):
        load_epsilon(folder, n_train=50)


# ---------------------------------------------------------------- bad input


def test_missing_files_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("ADAPU_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="data_dir or the environment variable") as caught:
        load_epsilon()
    assert "epsilon_normalized or epsilon_normalized.bz2" in str(caught.value)
    assert _epsilon.URL in str(caught.value)
    with pytest.raises(FileNotFoundError, match="lacks epsilon_normalized or .*csie.ntu.edu.tw"):
        load_epsilon(tmp_path)
    with pytest.raises(FileNotFoundError, match="data_dir must name a folder; there is none at"):
        load_epsilon(tmp_path / "nowhere")
    monkeypatch.setenv("ADAPU_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="ADAPU_DATA must name a folder; there is none at"):
        load_epsilon()


def test_one_missing_file_is_named(folder):
    (folder / "epsilon_normalized.t").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks epsilon_normalized\.t or"):
        load_epsilon(folder, n_train=10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "cannot be read|do not all have length one|ends"),
        (lambda text: b"".join(text.splitlines(True)[:-1]), "ends after 699 of 700 rows"),
        (lambda text: text + text.splitlines(True)[0], "has more than 700 rows"),
        (lambda text: b"", "ends after 0 of 700 rows"),
        (lambda text: text.replace(b" 12:", b" 13:"), "cannot be read .*13 features"),
        (lambda text: text.replace(b" 12:", b" 12:x"), "cannot be read"),
        (lambda text: re.sub(rb" 12:\S+", b" 12:9", text, count=1), "do not all have length one"),
        (lambda text: text.replace(b" 3:0.", b" 3:nan 4:", 1), "cannot be read"),
        (lambda text: b"+1 1:nan\n" + text, "do not all have length one"),
        (lambda text: text.replace(b"+1 ", b"2 "), "labels are not all 1 or -1"),
        (lambda text: bytes(range(256)) * 10_000, "cannot be read"),
    ],
)
def test_damaged_text(folder, change, message):
    (folder / "epsilon_normalized").write_bytes(change(TRAIN_TEXT))
    with pytest.raises(ValueError, match=message) as caught:
        load_epsilon(folder, n_train=None)
    assert str(folder / "epsilon_normalized") in str(caught.value)
    assert not list(folder.glob("*.part")) + list(folder.glob("*.npy"))


@pytest.mark.parametrize("change", [lambda packed: packed[:-20], lambda packed: packed + b"0"])
def test_damaged_archives_have_another_checksum(folder, change):
    (folder / "epsilon_normalized").unlink()
    (folder / "epsilon_normalized.bz2").write_bytes(change(bz2.compress(TRAIN_TEXT)))
    with pytest.raises(ValueError, match="its SHA-256 is [0-9a-f]{64}, the published one"):
        load_epsilon(folder, n_train=10)


def test_a_truncated_archive_is_refused_by_the_reader(tmp_path):
    path = tmp_path / "file.bz2"
    path.write_bytes(bz2.compress(TRAIN_TEXT)[:-20])
    with pytest.raises(ValueError, match="cannot be read"):
        list(_libsvm.read_chunks(path, N_TRAIN, N_FEATURES, whole=True))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_train": 0}, ValueError, "n_train must be a whole number of at least 1 and at most"),
        ({"n_train": 701}, ValueError, "at most 700; got 701"),
        ({"n_test": 2.5}, TypeError, "n_test must be a whole number"),
    ],
)
def test_bad_arguments(folder, arguments, error, message):
    with pytest.raises(error, match=message):
        load_epsilon(folder, **{"n_train": 10, **arguments})


# ---------------------------------------------------------------- the 200 rows


@pytest.mark.skipif(not DATA, reason="ADAPU_DATA names no folder with data")
def test_real_rows(tmp_path, monkeypatch):
    """The real rows stand in where there is nothing else, and survive the official format."""
    data = load_epsilon(DATA)
    assert data.substitute.startswith("100 training and 100 test rows of 400,000 and 100,000")
    assert repr(data).startswith("<Epsilon, substitute: 100 training and 100 test rows, 2,000")
    assert data.y_train.sum() == 46
    for name, X, y in (
        ("epsilon_normalized", data.X_train, data.y_train),
        ("epsilon_normalized.t", data.X_test, data.y_test),
    ):
        (tmp_path / name).write_bytes(text_of(X, y))
    monkeypatch.setattr(_epsilon, "TRAIN", _epsilon.TRAIN._replace(n_rows=100))
    monkeypatch.setattr(_epsilon, "TEST", _epsilon.TEST._replace(n_rows=100))
    read = load_epsilon(tmp_path, n_train=None)
    for name in ("X_train", "y_train", "X_test", "y_test"):
        np.testing.assert_array_equal(getattr(read, name), getattr(data, name))
    assert read.substitute == ""


def test_a_damaged_npz(tmp_path, monkeypatch):
    monkeypatch.setattr(_epsilon, "N_FEATURES", N_FEATURES)
    path = tmp_path / "epsilon_100x2000.npz"
    parts = {"X_train": TRAIN[0], "y_train": 2 * TRAIN[1] - 1, "X_test": TEST[0]}
    for arrays, message in [
        (parts, "cannot be read"),
        ({**parts, "y_test": np.ones(3)}, r"shapes \(300, 12\) and \(3,\)"),
        ({**parts, "y_test": np.zeros(N_TEST)}, "labels are not all 1 or -1"),
        ({**parts, "y_test": np.ones(N_TEST), "X_test": 2 * TEST[0]}, "length one"),
    ]:
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=message):
            load_epsilon(tmp_path)
    Path(path).write_bytes(b"PK")
    with pytest.raises(ValueError, match="cannot be read"):
        load_epsilon(tmp_path)
