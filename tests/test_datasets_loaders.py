"""Breast Cancer, UNSW-NB15, CIFAR-10 and the tabular sets: official files, checks, messages."""

import hashlib
import io
import os
import pickle
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer as bundled

from adapu.datasets import (
    Dataset,
    _cifar10,
    _tabular,
    _unsw_nb15,
    load_breast_cancer,
    load_cifar10,
    load_tabular,
    load_unsw_nb15,
)
from adapu.datasets._files import read_parquet
from adapu.datasets._pickles import read_pickle

DATA = os.environ.get("ADAPU_DATA", "")
real = pytest.mark.skipif(not DATA, reason="ADAPU_DATA names no folder with data")


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("ADAPU_DATA", raising=False)


def write_parquet(path, columns):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table(columns), path)


# ---------------------------------------------------------------- Breast Cancer


def test_breast_cancer_is_the_papers():
    data = load_breast_cancer()
    X, y = bundled(return_X_y=True)
    np.testing.assert_array_equal(np.vstack([data.X_train, data.X_test]), X)
    np.testing.assert_array_equal(np.r_[data.y_train, data.y_test], y)
    assert (len(data.X_train), len(data.X_test)) == (455, 114)
    assert data.feature_names[0] == "mean radius"
    assert len(data.feature_names) == 30
    assert data.prior == 269 / 455
    assert round(100 * data.y_test.mean(), 2) == 77.19
    assert data.substitute == ""


def test_a_dataset_says_what_it_is():
    X, y = np.zeros((4, 2)), np.array([0, 0, 0, 1])
    data = Dataset("Toy", X, y, X[:0], y[:0], ("a", "b"), "made up")
    assert repr(data) == "<Toy, substitute: 4 training and 0 test rows, 2 features, prior 0.250>"


# ---------------------------------------------------------------- UNSW-NB15

LARGER, SMALLER = (30, 20, 8, 5, 4, 3, 2, 2, 1, 1), (15, 10, 3, 2, 1, 1, 1, 1, 1, 1)
COLUMNS = ("id", "dur", "proto", "service", "state", *_unsw_nb15.FEATURES[1:])
TRAINING, TESTING = _unsw_nb15.CSV_NAMES


def flows(counts, seed, copies=1):
    """The columns of a file with so many rows of each category; `copies` rows alike of each."""
    rng = np.random.default_rng(seed)
    category = np.repeat(np.arange(10), counts)
    rng.shuffle(category)
    n = len(category)
    values = rng.normal(size=(n, 39)).round(6)[np.arange(n) // copies]
    columns = {"id": np.arange(1, n + 1), **dict(zip(_unsw_nb15.FEATURES, values.T, strict=True))}
    columns |= {"proto": ["tcp"] * n, "service": ["-"] * n, "state": ["FIN"] * n}
    columns["attack_cat"] = [_unsw_nb15.CATEGORIES[c] for c in category]
    columns["label"] = (category > 0).astype(int)
    return {name: list(columns[name]) for name in (*COLUMNS, "attack_cat", "label")}


def write_csv(path, columns, bom=True):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8-sig" if bom else "utf-8")


def features_of(columns):
    return np.column_stack([columns[name] for name in _unsw_nb15.FEATURES])


@pytest.fixture
def unsw(tmp_path, monkeypatch):
    monkeypatch.setattr(_unsw_nb15, "LARGER", LARGER)
    monkeypatch.setattr(_unsw_nb15, "SMALLER", SMALLER)
    return tmp_path


def test_unsw_has_the_papers_features():
    assert len(_unsw_nb15.FEATURES) == len(set(_unsw_nb15.FEATURES)) == 39
    assert (sum(_unsw_nb15.LARGER), sum(_unsw_nb15.SMALLER)) == (175_341, 82_332)
    assert sum(_unsw_nb15.LARGER[1:]) == 119_341
    assert sum(_unsw_nb15.SMALLER[1:]) == 45_332


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("bom", [False, True])
def test_unsw_pair_under_either_naming(unsw, swapped, bom):
    larger, smaller = flows(LARGER, 0), flows(SMALLER, 1)
    write_csv(unsw / (TESTING if swapped else TRAINING), larger, bom)
    write_csv(unsw / (TRAINING if swapped else TESTING), smaller, bom)
    data = load_unsw_nb15(unsw)
    np.testing.assert_array_equal(data.X_train, features_of(larger))
    np.testing.assert_array_equal(data.X_test, features_of(smaller))
    np.testing.assert_array_equal(data.y_train, larger["label"])
    np.testing.assert_array_equal(data.y_test, smaller["label"])
    assert data.prior == 46 / 76
    assert data.feature_names == _unsw_nb15.FEATURES
    assert data.substitute == ""
    assert data.y_train.dtype == np.int64


def test_unsw_columns_may_be_in_any_order_and_quoted(unsw):
    larger, smaller = flows(LARGER, 0), flows(SMALLER, 1)
    larger["attack_cat"] = [f'" {name}"' for name in larger["attack_cat"]]
    write_csv(unsw / TRAINING, dict(reversed(larger.items())))
    write_csv(unsw / TESTING, smaller)
    np.testing.assert_array_equal(load_unsw_nb15(unsw).X_train, features_of(larger))


def test_unsw_parquet_pair(unsw):
    larger, smaller = flows(LARGER, 0), flows(SMALLER, 1)
    write_parquet(unsw / "unsw_nb15_train.parquet", larger)
    write_parquet(unsw / "unsw_nb15_test.parquet", smaller)
    data = load_unsw_nb15(unsw)
    np.testing.assert_array_equal(data.X_train, features_of(larger))
    np.testing.assert_array_equal(data.y_test, smaller["label"])


@pytest.mark.parametrize("name", [TRAINING, TESTING])
def test_unsw_smaller_partition_is_split_by_distinct_row(unsw, name):
    columns = flows(SMALLER, 1, copies=3)
    write_csv(unsw / name, columns)
    data, again = load_unsw_nb15(unsw), load_unsw_nb15(unsw)
    parts = [set(map(tuple, X)) for X in (data.X_train, data.X_test)]
    assert not parts[0] & parts[1]
    assert [len(part) for part in parts] == [8, 4]  # 68 % of the 12 distinct rows
    together = [
        (*map(float, x), int(label))
        for X, y in ((data.X_train, data.y_train), (data.X_test, data.y_test))
        for x, label in zip(X, y, strict=True)
    ]
    given = np.column_stack([features_of(columns), columns["label"]])
    assert Counter(together) == Counter(map(tuple, given.tolist()))
    np.testing.assert_array_equal(data.X_train, again.X_train)
    assert "disjoint parts of the partition of 36 rows, split by distinct row" in data.substitute
    assert "because the one of 76 rows is missing" in data.substitute


def test_unsw_missing_files(unsw):
    with pytest.raises(FileNotFoundError, match="No folder is named that has UNSW_NB15_training"):
        load_unsw_nb15()
    with pytest.raises(FileNotFoundError, match=r"lacks UNSW_NB15.* data from https://research\."):
        load_unsw_nb15(unsw)
    write_csv(unsw / TRAINING, flows(LARGER, 0))
    with pytest.raises(FileNotFoundError, match="lacks the partition with 36 rows, .*training-set"):
        load_unsw_nb15(unsw)
    write_csv(unsw / TRAINING, flows(SMALLER, 0))
    write_csv(unsw / TESTING, flows(SMALLER, 0))
    with pytest.raises(FileNotFoundError, match=r"lacks the partition with 76 rows, .* and .*"):
        load_unsw_nb15(unsw)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "truncated or another file: (a row cannot|it has)"),
        (lambda text: text.split("\r\n")[0], "it has 0 rows, the published partitions 76 and 36"),
        (lambda text: "", "it has no column 'dur'"),
        (lambda text: "a,b\r\n1,2\r\n", "it has no column 'dur'"),
        (lambda text: text.replace("Worms,1", "Fuzzers,1"), "rows of category Fuzzers, the publ"),
        (lambda text: text.replace("Worms,1", "Magic,1"), "a row cannot be read .*Magic"),
        (lambda text: text.replace("Worms,1", "Worms,0"), "label does not agree with .*attack_cat"),
        (lambda text: text.replace(",-,FIN,", ",-,FIN,nan,", 1), "truncated or another file"),
        (lambda text: text.replace("Worms,1", "Worms"), "truncated or another file"),
    ],
)
def test_unsw_damaged_csv(unsw, change, message):
    path = unsw / TESTING
    write_csv(path, flows(SMALLER, 1), bom=False)
    path.write_text(change(path.read_bytes().decode()), newline="")
    with pytest.raises(ValueError, match=message) as caught:
        load_unsw_nb15(unsw)
    assert str(path) in str(caught.value)


def test_unsw_values_must_be_finite(unsw):
    columns = flows(SMALLER, 1)
    columns["rate"][3] = "inf"
    write_csv(unsw / TESTING, columns)
    with pytest.raises(ValueError, match="some of its values are not finite"):
        load_unsw_nb15(unsw)


def test_unsw_damaged_parquet(unsw):
    path = unsw / "unsw_nb15_test.parquet"
    columns = flows(SMALLER, 1)
    write_parquet(path, {**columns, "attack_cat": ["Magic"] * 36})
    with pytest.raises(ValueError, match="unknown category 'Magic'"):
        load_unsw_nb15(unsw)
    columns.pop("rate")
    write_parquet(path, columns)
    with pytest.raises(ValueError, match="it has no column 'rate'"):
        load_unsw_nb15(unsw)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ValueError, match="cannot be read as parquet"):
        load_unsw_nb15(unsw)


@real
def test_unsw_real_partition(tmp_path):
    pytest.importorskip("pyarrow")
    data = load_unsw_nb15(DATA)
    assert data.substitute
    assert len(data.X_train) + len(data.X_test) == 82_332
    assert data.y_train.sum() + data.y_test.sum() == 45_332
    assert not set(map(bytes, data.X_train)) & set(map(bytes, data.X_test))
    assert 0.66 < len(data.X_train) / 82_332 < 0.71
    assert abs(data.prior - data.y_test.mean()) < 0.03
    pd = pytest.importorskip("pandas")
    pd.read_parquet(f"{DATA}/unsw_nb15_test.parquet").to_csv(tmp_path / TRAINING, index=False)
    from_csv = load_unsw_nb15(tmp_path)
    for name in ("X_train", "y_train", "X_test", "y_test"):
        np.testing.assert_array_equal(getattr(from_csv, name), getattr(data, name))


# ---------------------------------------------------------------- CIFAR-10

N_BATCH = 20


def sha1(array):
    return hashlib.sha1(array.astype(np.uint8).tobytes()).hexdigest()


@pytest.fixture
def records(monkeypatch):
    """The records of six batches of a few images, made the published ones."""
    rng = np.random.default_rng(0)
    records = rng.integers(0, 256, size=(6 * N_BATCH, 3073), dtype=np.uint8)
    records[:, 0] = rng.integers(0, 10, size=len(records))
    set_published(monkeypatch, records)
    return records


def set_published(monkeypatch, records):
    parts = {"train": records[: 5 * N_BATCH, 0], "test": records[5 * N_BATCH :, 0]}
    batches = np.split(records, 6)
    for name, value in {
        "N_BATCH": N_BATCH,
        "N_TRAIN": 5 * N_BATCH,
        "N_TEST": N_BATCH,
        "PARQUET_ROWS": (50, 50, 20),
        "BATCHES": dict(zip(_cifar10.BATCHES, map(sha1, batches), strict=True)),
        "CLASSES_SHA1": {part: sha1(classes) for part, classes in parts.items()},
    }.items():
        monkeypatch.setattr(_cifar10, name, value)


def write_binary(folder, records):
    for name, batch in zip(_cifar10.BATCHES, np.split(records, 6), strict=True):
        batch.tofile(folder / f"{name}.bin")


def write_python(folder, records, as_python_2=True):
    """Pickles as published: keys and text are those of Python 2, protocol 2, a list of labels."""
    for name, batch in zip(_cifar10.BATCHES, np.split(records, 6), strict=True):
        held = {
            "batch_label": "training batch 1 of 5",
            "labels": batch[:, 0].tolist(),
            "data": batch[:, 1:],
            "filenames": ["leptodactylus_pentadactylus_s_000004.png"],
        }
        if as_python_2:
            held = {key.encode(): value for key, value in held.items()}
        (folder / name).write_bytes(pickle.dumps(held, protocol=2))


def write_images(folder, records):
    image = pytest.importorskip("PIL.Image")
    ends = np.cumsum([0, *_cifar10.PARQUET_ROWS])
    for name, start, end in zip(_cifar10.PARQUET_NAMES, ends[:-1], ends[1:], strict=True):
        encoded = []
        for record in records[start:end]:
            file = io.BytesIO()
            pixels = record[1:].reshape(3, 32, 32).transpose(1, 2, 0)
            image.fromarray(pixels).save(file, format="png")
            encoded.append(file.getvalue())
        write_parquet(folder / name, {"image": encoded, "label": records[start:end, 0]})


def assert_is(data, records, n_train=5 * N_BATCH):
    y = np.isin(records[:, 0], [0, 1, 8, 9])
    np.testing.assert_array_equal(data.X_train, records[:n_train, 1:])
    np.testing.assert_array_equal(data.X_test, records[n_train:, 1:])
    np.testing.assert_array_equal(data.y_train, y[:n_train])
    np.testing.assert_array_equal(data.y_test, y[n_train:])
    assert (data.X_train.dtype, data.y_train.dtype) == (np.uint8, np.int64)
    assert data.substitute == ""


@pytest.mark.parametrize("unpacked", [True, False])
def test_cifar_binary(tmp_path, records, unpacked):
    folder = tmp_path / "cifar-10-batches-bin" if unpacked else tmp_path
    folder.mkdir(exist_ok=True)
    write_binary(folder, records)
    data = load_cifar10(tmp_path)
    assert_is(data, records)
    assert (data.feature_names[0], data.feature_names[-1]) == ("red0", "blue1023")


@pytest.mark.parametrize("unpacked", [True, False])
@pytest.mark.parametrize("as_python_2", [True, False])
def test_cifar_pickles(tmp_path, records, unpacked, as_python_2):
    folder = tmp_path / "cifar-10-batches-py" if unpacked else tmp_path
    folder.mkdir(exist_ok=True)
    write_python(folder, records, as_python_2)
    assert_is(load_cifar10(tmp_path), records)


def test_cifar_parquet(tmp_path, records):
    write_images(tmp_path, records)
    assert_is(load_cifar10(tmp_path), records)


def test_cifar_ten_classes(tmp_path, records):
    write_binary(tmp_path, records)
    data = load_cifar10(tmp_path, binary=False)
    np.testing.assert_array_equal(np.r_[data.y_train, data.y_test], records[:, 0])


def test_cifar_takes_what_is_complete(tmp_path, records):
    write_binary(tmp_path, records)
    (tmp_path / "data_batch_3.bin").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks data_batch_3\.bin: get the data from"):
        load_cifar10(tmp_path)
    write_python(tmp_path, records)
    assert_is(load_cifar10(tmp_path), records)


def test_cifar_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="has data_batch_1.bin to test_batch.bin"):
        load_cifar10()
    with pytest.raises(FileNotFoundError, match=r"lacks data_batch_1.* https://www\.cs\.toronto"):
        load_cifar10(tmp_path)


def test_cifar_damaged_binary(tmp_path, records):
    write_binary(tmp_path, records)
    path = tmp_path / "data_batch_2.bin"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="it has 61,459 bytes, the published one 61,460"):
        load_cifar10(tmp_path)
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(ValueError, match=r"data_batch_2\.bin.*the SHA-1 of the images of data_b"):
        load_cifar10(tmp_path)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([1, 2], "does not hold 'data' and 'labels'"),
        ({b"data": np.zeros((20, 3072), np.uint8)}, "does not hold 'data' and 'labels'"),
        ({b"data": np.zeros((19, 3072), np.uint8), b"labels": [0] * 20}, r"shapes \(19, 3072\)"),
        ({b"data": np.zeros((20, 3072)), b"labels": [0] * 20}, "does not hold whole numbers"),
        ({b"data": np.zeros((20, 3072), np.uint8), b"labels": [0] * 20}, "the SHA-1 of the images"),
    ],
)
def test_cifar_damaged_pickles(tmp_path, records, held, message):
    write_python(tmp_path, records)
    (tmp_path / "test_batch").write_bytes(pickle.dumps(held, protocol=2))
    with pytest.raises(ValueError, match=message):
        load_cifar10(tmp_path)


def test_cifar_damaged_parquet(tmp_path, records):
    write_images(tmp_path, records)
    path = tmp_path / "cifar10_test.parquet"
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(file, format="png")
    for images, message in [
        ([b"no image"] * 20, "an image cannot be read"),
        ([file.getvalue()] * 20, r"an image has the shape \(8, 8, 3\), not \(32, 32, 3\)"),
        ([b""] * 19, "it has 19 rows, the published one 20"),
    ]:
        write_parquet(path, {"image": images, "label": [0] * len(images)})
        with pytest.raises(ValueError, match=message):
            load_cifar10(tmp_path)


def test_cifar_features(tmp_path, records):
    rng = np.random.default_rng(0)
    held = {
        "X_train": rng.random((100, 7), dtype=np.float32),
        "X_test": rng.random((20, 7), dtype=np.float32),
        "classes_train": records[:100, 0],
        "classes_test": records[100:, 0].astype(np.int64),
    }
    path = tmp_path / "features.npz"
    np.savez(path, **held)
    data = load_cifar10(features=path)
    np.testing.assert_array_equal(data.X_train, held["X_train"])
    np.testing.assert_array_equal(data.X_test, held["X_test"])
    y = np.isin(records[:, 0], [0, 1, 8, 9])
    np.testing.assert_array_equal(np.r_[data.y_train, data.y_test], y)
    assert data.feature_names == tuple(f"feature{j}" for j in range(7))
    for change, message in [
        ({"X_train": held["X_train"][:-1]}, r"X_train has the shape \(99, 7\), not 100 rows"),
        ({"X_test": held["X_test"][:, 1:]}, r"X_test has the shape \(20, 6\)"),
        ({"classes_test": held["classes_test"][::-1]}, "classes_test are not those of CIFAR-10"),
        ({"X_test": np.array([None] * 20)}, "cannot be read as features .*pickle"),
    ]:
        np.savez(path, **{**held, **change})
        with pytest.raises(ValueError, match=message):
            load_cifar10(features=path)
    held.pop("classes_test")
    np.savez(path, **held)
    with pytest.raises(ValueError, match="cannot be read as features .*classes_test"):
        load_cifar10(features=path)
    with pytest.raises(FileNotFoundError, match="features must name an .npz file"):
        load_cifar10(features=tmp_path / "none.npz")


@real
def test_cifar_real():
    """The checksums published for the binary files hold for what is made of the images."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("PIL")
    paths = [Path(DATA) / name for name in _cifar10.PARQUET_NAMES]
    records = _cifar10._decoded(paths[2], 10_000)  # one batch: all six take a while
    assert sha1(records) == _cifar10.BATCHES["test_batch"]
    labels = [read_parquet(path, ("label",))["label"] for path in paths]
    assert sha1(np.concatenate(labels[:2])) == _cifar10.CLASSES_SHA1["train"]
    assert sha1(labels[2]) == _cifar10.CLASSES_SHA1["test"]


# ---------------------------------------------------------------- pickles


class Evil:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_runs_nothing(tmp_path, protocol):
    target = tmp_path / "touched"
    for evil, name in [
        (Evil(os.system, f"touch {target}"), "system"),
        (Evil(eval, f"open({str(target)!r}, 'w')"), "eval"),
        (Evil(getattr, 1, "real"), "getattr"),
        (Evil(np.save, str(target), np.zeros(2)), "save"),
        (Evil(pickle.loads, pickle.dumps(Evil(os.mkdir, str(target)))), "loads"),
        (Evil(Evil, os.mkdir, str(target)), "Evil"),
    ]:
        path = tmp_path / "data_batch_1"
        path.write_bytes(pickle.dumps({b"data": [evil, np.zeros(3)]}, protocol=protocol))
        with pytest.raises(
            ValueError, match=f"refused as a pickle of arrays .it asks for .*{name}"
        ):
            read_pickle(path)
        assert not target.exists()


def test_a_dotted_name_is_refused(tmp_path):
    path = tmp_path / "p"
    path.write_bytes(b"\x80\x04\x8c\x05numpy\x8c\x0endarray.tofile\x93.")
    with pytest.raises(ValueError, match=r"it asks for numpy\.ndarray\.tofile"):
        read_pickle(path)


@pytest.mark.parametrize("protocol", range(5))
def test_arrays_come_back(tmp_path, protocol):
    held = {b"data": np.arange(6, dtype=np.uint8).reshape(2, 3), "text": "a", "n": [1, 2.5, None]}
    path = tmp_path / "p"
    path.write_bytes(pickle.dumps(held, protocol=protocol))
    read = read_pickle(path)
    np.testing.assert_array_equal(read[b"data"], held[b"data"])
    assert (read["text"], read["n"]) == (held["text"], held["n"])


def test_python_2_wrote_the_official_ones(tmp_path):
    """Text of Python 2 is bytes, and NumPy's module had another name then."""
    text = pickle.dumps({b"data": np.arange(4, dtype=np.uint8)}, protocol=2)
    path = tmp_path / "p"
    path.write_bytes(text.replace(b"numpy._core.multiarray", b"numpy.core.multiarray"))
    np.testing.assert_array_equal(read_pickle(path)[b"data"], np.arange(4))
    path.write_bytes(b"\x80\x02U\x04data.")
    assert read_pickle(path) == b"data"


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x02}q", b"\x80\x02c"])
def test_what_is_no_pickle(tmp_path, content):
    path = tmp_path / "p"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="truncated or another file"):
        read_pickle(path)


# ---------------------------------------------------------------- tabular sets


@pytest.fixture
def toy(monkeypatch):
    """A table of two columns, one of codes, in place of Mushroom."""
    train, test = _tabular.File("train.parquet", 4, 1), _tabular.File("test.parquet", 2, 1)
    table = _tabular.Table("Toy", "yes", 2, train, test, categorical=("kind",))
    monkeypatch.setitem(_tabular.TABLES, "mushroom", table)


def write_toy(folder, **changes):
    train = {"size": [1.5, 2.5, 3.5, 4.5], "kind": [0, 2, 2, 7], "target": [0, 1, 0, 0]}
    test = {"size": [5.5, 6.5], "kind": [9, 0], "target": [1, 0]}
    write_parquet(folder / "train.parquet", {**train, **changes})
    write_parquet(folder / "test.parquet", test)


def test_tabular(tmp_path, toy):
    write_toy(tmp_path)
    data = load_tabular("mushroom", tmp_path)
    np.testing.assert_array_equal(data.X_train, [[1.5, 0], [2.5, 2], [3.5, 2], [4.5, 7]])
    np.testing.assert_array_equal(data.X_test, [[5.5, 9], [6.5, 0]])
    assert (data.y_train.tolist(), data.y_test.tolist()) == ([0, 1, 0, 0], [1, 0])
    assert data.feature_names == ("size", "kind")
    data = load_tabular("mushroom", tmp_path, one_hot=True)
    assert data.feature_names == ("size", "kind=0", "kind=2", "kind=7", "kind=9")
    np.testing.assert_array_equal(data.X_train[1], [2.5, 0, 1, 0, 0])
    np.testing.assert_array_equal(data.X_test[0], [5.5, 0, 0, 0, 1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": [0, 1, 1, 0]}, "it has 2 positives, the published one 1"),
        ({"more": [0, 0, 0, 0]}, "it has 3 features, the published one 2"),
        ({"size": [1] * 3, "kind": [0] * 3, "target": [0, 0, 1]}, "it has 3 rows, the published"),
    ],
)
def test_tabular_wrong_file(tmp_path, toy, changes, message):
    write_toy(tmp_path, **changes)
    with pytest.raises(ValueError, match=message):
        load_tabular("mushroom", tmp_path)


def test_tabular_damaged_file(tmp_path, toy):
    write_parquet(tmp_path / "train.parquet", {"size": [1.0]})
    with pytest.raises(ValueError, match="it has no column 'target'"):
        load_tabular("mushroom", tmp_path)
    (tmp_path / "train.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="cannot be read as parquet"):
        load_tabular("mushroom", tmp_path)


def test_tabular_images(tmp_path, monkeypatch):
    train, test = _tabular.File("train.parquet", 3, 2), _tabular.File("test.parquet", 1, 0)
    monkeypatch.setitem(
        _tabular.TABLES, "mnist", _tabular.TABLES["mnist"]._replace(train=train, test=test)
    )
    images = np.random.default_rng(0).integers(0, 256, size=(4, 784), dtype=np.uint8)
    encoded = [image.tobytes() for image in images]
    write_parquet(tmp_path / "train.parquet", {"image": encoded[:3], "label": [4, 7, 0]})
    write_parquet(tmp_path / "test.parquet", {"image": encoded[3:], "label": [9]})
    data = load_tabular("mnist", tmp_path)
    np.testing.assert_array_equal(np.vstack([data.X_train, data.X_test]), images)
    assert (data.y_train.tolist(), data.y_test.tolist()) == ([1, 0, 1], [0])
    write_parquet(tmp_path / "test.parquet", {"image": [b"short"], "label": [9]})
    with pytest.raises(ValueError, match="do not all have 28 × 28 bytes"):
        load_tabular("mnist", tmp_path)


def test_tabular_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"lacks spambase.parquet \(a column per feature"):
        load_tabular("spambase", tmp_path)
    with pytest.raises(FileNotFoundError, match="No folder is named that has a9a_train.parquet"):
        load_tabular("a9a")
    with pytest.raises(ValueError, match="name must be one of 'a9a', .*; got 'iris'"):
        load_tabular("iris", tmp_path)


@real
@pytest.mark.parametrize("name", _tabular.TABLES)
def test_tabular_real(name):
    pytest.importorskip("pyarrow")
    table = _tabular.TABLES[name]
    data = load_tabular(name, DATA)
    assert data.X_train.shape == (table.train.n_rows, table.n_features)
    assert data.X_test.shape[1] == table.n_features
    assert data.y_train.sum() == table.train.n_positive
    assert len(data.feature_names) == table.n_features
    if not table.categorical:
        return
    hot = load_tabular(name, DATA, one_hot=True)
    codes = [
        (column, name in table.categorical or table.categorical == _tabular.ALL)
        for column, name in zip(data.X_train.T, data.feature_names, strict=True)
    ]
    assert hot.X_train.shape[1] == sum(len(set(c)) if coded else 1 for c, coded in codes)
    if table.categorical == _tabular.ALL:
        assert (hot.X_train.sum(axis=1) == table.n_features).all()


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("pyarrow", lambda folder: load_tabular("mushroom", folder)),
        ("pyarrow", load_unsw_nb15),
        ("PIL", load_cifar10),
    ],
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, toy, records, module, call):
    for name in ("train.parquet", "unsw_nb15_test.parquet", *_cifar10.PARQUET_NAMES):
        (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=rf"needs {module}.*pip install 'adapu\[data\]'"):
        call(tmp_path)
