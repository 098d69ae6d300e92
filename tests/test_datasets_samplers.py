"""Samples, labels and rows that are made up: exact counts, the right probabilities, seeds."""

import math
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression

from adapu.datasets import (
    label_dependent,
    label_scar,
    load_breast_cancer,
    make_epsilon_like,
    make_pn,
    make_pu,
)

Y = np.repeat([0, 1, 0, 1], [20, 15, 10, 25])
X = np.arange(70.0)[:, None] + np.array([0.0, 0.5])


# ---------------------------------------------------------------- positive-unlabeled


def test_case_control_is_p_beside_all_rows():
    X_pu, s, rows = make_pu(X, Y, 7, random_state=3, return_indices=True)
    np.testing.assert_array_equal(s, np.repeat([1, 0], [7, 70]))
    np.testing.assert_array_equal(rows[7:], np.arange(70))
    np.testing.assert_array_equal(X_pu, X[rows])
    assert len(set(rows[:7])) == 7
    assert (Y[rows[:7]] == 1).all()


def test_single_set_takes_p_out_of_the_rows():
    X_pu, s, rows = make_pu(X, Y, 7, scenario="single-set", random_state=3, return_indices=True)
    np.testing.assert_array_equal(s, np.repeat([1, 0], [7, 63]))
    np.testing.assert_array_equal(np.sort(rows), np.arange(70))
    assert (np.diff(rows[7:]) > 0).all()  # U keeps its order
    np.testing.assert_array_equal(X_pu, X[rows])
    assert (Y[rows[:7]] == 1).all()


def test_draws_are_the_papers_protocol():
    """The draw that the demo and the tests of the paper's numbers have always made."""
    data = load_breast_cancer()
    for seed in range(5):
        known = np.random.default_rng(seed).choice(
            np.flatnonzero(data.y_train == 1), 10, replace=False
        )
        X_pu, s = make_pu(data.X_train, data.y_train, 10, random_state=seed)
        np.testing.assert_array_equal(X_pu, np.vstack([data.X_train[known], data.X_train]))
        np.testing.assert_array_equal(s, np.repeat([1, 0], [10, 455]))


def test_every_positive_is_as_likely():
    counts = np.zeros(70)
    for seed in range(2000):
        rows = make_pu(X, Y, 10, random_state=seed, return_indices=True)[2][:10]
        counts[rows] += 1
    assert (counts[Y == 0] == 0).all()
    expected, sd = 2000 * 10 / 40, math.sqrt(2000 * 0.25 * 0.75)
    assert np.abs(counts[Y == 1] - expected).max() < 4 * sd


@pytest.mark.parametrize(("c", "n"), [(0.1, 4), (0.06, 2), (0.99, 40), (1.0, 40), (1, 40)])
def test_label_frequency_in_place_of_a_count(c, n):
    assert make_pu(X, Y, c=c, random_state=0)[1].sum() == n


def test_any_kind_of_rows():
    pd = pytest.importorskip("pandas")
    kinds = {
        "list": X.tolist(),
        "csr": scipy.sparse.csr_matrix(X),
        "coo": scipy.sparse.coo_array(X),
        "frame": pd.DataFrame(X, columns=["a", "b"], index=np.arange(70) * 3),
        "integers": X.astype(np.uint8),
    }
    expected = make_pu(X, Y, 5, random_state=0)[0]
    for kind, given in kinds.items():
        found = make_pu(given, Y, 5, random_state=0)[0]
        dense = found.toarray() if scipy.sparse.issparse(found) else np.asarray(found)
        np.testing.assert_array_equal(dense, expected.astype(dense.dtype), err_msg=kind)
    assert list(make_pu(kinds["frame"], Y, 5, random_state=0)[0].columns) == ["a", "b"]
    assert make_pu(kinds["integers"], Y, 5)[0].dtype == np.uint8
    images = np.zeros((70, 3, 2, 2))
    assert make_pu(images, Y, 5)[0].shape == (75, 3, 2, 2)


@pytest.mark.parametrize(
    ("y", "pos_label"),
    [
        (np.where(Y == 1, 1, -1), None),
        (Y == 1, None),
        (np.where(Y == 1, "spam", "ham"), "spam"),
        (1 - Y, 0),
        (Y.tolist(), None),
    ],
)
def test_any_labels(y, pos_label):
    rows = make_pu(X, y, 5, pos_label=pos_label, random_state=0, return_indices=True)[2]
    np.testing.assert_array_equal(rows, make_pu(X, Y, 5, random_state=0, return_indices=True)[2])


def test_random_state():
    def first(random_state):
        return make_pu(X, Y, 5, random_state=random_state, return_indices=True)[2][:5].tolist()

    assert first(1) == first(1) != first(2)
    assert first(np.random.default_rng(1)) == first(1)
    assert first(np.random.RandomState(1)) == first(np.random.RandomState(1))
    generator = np.random.default_rng(0)
    assert first(generator) != first(generator)
    assert len({tuple(first(None)) for _ in range(5)}) > 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "Either n_positive or c must be given, and not both"),
        ({"n_positive": 3, "c": 0.5}, TypeError, "not both; got n_positive=3 and c=0.5"),
        ({"n_positive": 0}, ValueError, "n_positive must be a whole number of at least 1"),
        ({"n_positive": 2.0}, TypeError, "n_positive must be a whole number"),
        ({"n_positive": 41}, ValueError, "at most the number of positives in y, 40; got 41"),
        ({"c": 0}, ValueError, "c must be a number greater than 0 and at most 1; got 0"),
        ({"c": 1.1}, ValueError, "c must be"),
        ({"c": 0.01}, ValueError, "c must label at least one of the 40 positives; got 0.01"),
        ({"n_positive": 3, "scenario": "SCAR"}, ValueError, "scenario must be one of"),
        ({"n_positive": 3, "random_state": "a"}, ValueError, "random_state must be None"),
        ({"n_positive": 3, "random_state": -1}, ValueError, "random_state must be None"),
        ({"n_positive": 3, "pos_label": 7}, ValueError, "pos_label must be a label of y"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        make_pu(X, Y, **arguments)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (X[:60], Y, "X must have one row per label of y, 70; got 60"),
        (X, np.ones(70), "y must hold true labels of two classes; it holds 1: 1.0"),
        (X, np.arange(70) % 3, "two classes; it holds 3"),
        (X, np.where(Y == 1, 1.0, np.nan), "a true label for every row; some are missing"),
        (X, np.array([None if y else 1 for y in Y]), "some are missing"),
        (X, np.where(Y == 1, "spam", "ham"), "say with pos_label"),
        (X[:0], Y[:0], "two classes; it holds 0."),
    ],
)
def test_bad_data(X, y, message):
    for sampler in (make_pu, make_pn):
        with pytest.raises(ValueError, match=message):
            sampler(X, y, 3)
    with pytest.raises(ValueError, match=message):
        label_dependent(X, y, 0.5)


# ---------------------------------------------------------------- positive-negative


@pytest.mark.parametrize(
    ("positives", "negatives", "n_positive", "n_negative"),
    [
        (119_341, 56_000, 1000, 55),  # UNSW-NB15
        (20_000, 30_000, 1000, 562),  # CIFAR-10: 562.5
        (269, 186, 10, 1),  # Breast Cancer
        (19_880, 20_120, 1000, 256),  # Epsilon, at π = 0.497
        (90, 10, 3, 1),  # 0.009: at least one
    ],
)
def test_negatives_of_the_paper(positives, negatives, n_positive, n_negative):
    y = np.repeat([1, 0], [positives, negatives])
    rows = np.arange(len(y))[:, None]
    X_pn, y_pn, indices = make_pn(rows, y, n_positive, random_state=0, return_indices=True)
    np.testing.assert_array_equal(y_pn, np.repeat([1, 0], [n_positive, n_negative]))
    np.testing.assert_array_equal(y[indices], y_pn)
    np.testing.assert_array_equal(X_pn[:, 0], indices)
    assert len(set(indices)) == len(indices)


def test_pn_and_pu_share_the_positives_of_a_seed():
    pn = make_pn(X, Y, 6, 4, random_state=5)[0]
    np.testing.assert_array_equal(pn[:6], make_pu(X, Y, 6, random_state=5)[0][:6])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0,), ValueError, "n_positive must be a whole number of at least 1"),
        ((41,), ValueError, "n_positive must be at most the number of positives in y, 40"),
        ((5, 0), ValueError, "n_negative must be a whole number of at least 1"),
        ((5, 31), ValueError, "n_negative must be at most the number of negatives in y, 30"),
        ((5, 1.5), TypeError, "n_negative must be a whole number"),
    ],
)
def test_bad_pn_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        make_pn(X, Y, *arguments)


def test_too_few_negatives_for_the_papers_number():
    y = np.repeat([1, 0], [3, 40])
    with pytest.raises(ValueError, match=r"n_negative must be given: .* is 133, and y has 40"):
        make_pn(np.zeros((43, 1)), y, 3)


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize("c", [0.05, 0.5, 0.9])
def test_scar_labels_do_not_depend_on_features(c):
    rng = np.random.default_rng(0)
    y = rng.random(40_000) < 0.4
    x = rng.normal(size=40_000)
    s = label_scar(y, c, random_state=1)
    assert set(np.unique(s)) == {0, 1}
    assert not s[~y].any()
    n = y.sum()
    assert abs(s[y].mean() - c) < 4 * math.sqrt(c * (1 - c) / n)
    for part in (y & (x < 0), y & (x >= 0)):
        assert abs(s[part].mean() - c) < 4 * math.sqrt(c * (1 - c) / part.sum())


def test_labels_take_no_numbers_that_may_have_made_y():
    """Else a positive, whose number was small, would have a small one again."""
    y = np.random.default_rng(0).random(40_000) < 0.5
    assert abs(label_scar(y, 0.3, random_state=0)[y].mean() - 0.3) < 0.02


def test_scar_extremes_and_seeds():
    np.testing.assert_array_equal(label_scar(Y, 1.0), Y)
    a, b, other = (label_scar(Y, 0.5, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert (a != other).any()
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match="c must be a number greater than 0 and at most 1"):
            label_scar(Y, wrong)


def naive_propensity(scores, y, c, strength):
    """The propensity of each row, its a found by bisection."""
    positive = [z for z, label in zip(scores, y, strict=True) if label]
    mean = sum(positive) / len(positive)
    sd = math.sqrt(sum((z - mean) ** 2 for z in positive) / len(positive))
    low, high = -200.0, 200.0
    for _ in range(200):
        a = (low + high) / 2
        e = [1 / (1 + math.exp(-a - strength * (z - mean) / sd)) for z in positive]
        low, high = (a, high) if sum(e) / len(e) < c else (low, a)
    return [
        1 / (1 + math.exp(-a - strength * (z - mean) / sd)) if label else 0.0
        for z, label in zip(scores, y, strict=True)
    ]


@pytest.mark.parametrize("strength", [-5.0, -0.5, 0.0, 1.0, 8.0])
@pytest.mark.parametrize("c", [0.02, 0.5, 0.97])
def test_propensity_is_its_definition(c, strength):
    scores = np.random.default_rng(0).normal(3, 2, size=70)
    _, e = label_dependent(X, Y, c, score=scores, strength=strength, return_propensity=True)
    np.testing.assert_allclose(e, naive_propensity(scores, Y, c, strength), atol=1e-9)
    assert e[Y == 1].mean() == pytest.approx(c, abs=1e-9)


def test_labels_follow_their_propensity():
    rng = np.random.default_rng(0)
    y = rng.random(40_000) < 0.5
    X = rng.normal(size=(40_000, 2)) + y[:, None]
    s, e = label_dependent(X, y, 0.3, random_state=0, return_propensity=True)
    assert not s[~y].any()
    assert e[~y].sum() == 0
    edges = np.quantile(e[y], [0, 0.2, 0.4, 0.6, 0.8, 1])
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        part = y & (e >= low) & (e <= high)
        assert abs(s[part].mean() - e[part].mean()) < 4 * 0.5 / math.sqrt(part.sum())
    # The default score is a margin: clear positives are labeled more often, or less often.
    clear = X[y].sum(axis=1)
    assert np.corrcoef(clear, e[y])[0, 1] > 0.8
    against = label_dependent(X, y, 0.3, strength=-2, return_propensity=True)[1]
    assert np.corrcoef(clear, against[y])[0, 1] < -0.8


def test_strength_zero_is_scar():
    s = label_dependent(X, Y, 0.4, strength=0, random_state=9)
    np.testing.assert_array_equal(s, label_scar(Y, 0.4, random_state=9))
    same = label_dependent(X, Y, 0.4, strength=0, score=np.ones(70), random_state=9)
    np.testing.assert_array_equal(s, same)


def test_score_may_be_a_function_and_rows_sparse():
    a = label_dependent(X, Y, 0.4, score=X[:, 0], random_state=0)
    b = label_dependent(X, Y, 0.4, score=lambda X: X[:, 0], random_state=0)
    np.testing.assert_array_equal(a, b)
    assert label_dependent(scipy.sparse.csr_matrix(X), Y, 0.4, random_state=0).shape == (70,)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"c": 1.0}, ValueError, "c must be a number greater than 0 and less than 1"),
        ({"strength": np.nan}, ValueError, "strength must be a finite number; got nan"),
        ({"strength": "high"}, TypeError, "strength must be a number; got 'high'"),
        ({"score": np.ones(3)}, ValueError, "score must hold a number per row of X, 70; got 3"),
        ({"score": ["a"] * 70}, ValueError, "score must hold a number per row, or be a function"),
        ({"score": np.ones((70, 2))}, ValueError, "score must hold a number per row, or be"),
        ({"score": np.ones(70)}, ValueError, "score must differ between positives"),
        ({"score": np.r_[np.zeros(69), np.inf]}, ValueError, "it is inf at row 69"),
    ],
)
def test_bad_label_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        label_dependent(X, Y, **{"c": 0.5, **arguments})


# ---------------------------------------------------------------- rows like Epsilon's


def test_epsilon_like_rows():
    X, y = make_epsilon_like(5000, n_features=300)
    assert (X.shape, X.dtype, X.flags.c_contiguous) == ((5000, 300), np.float32, True)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-5)
    assert set(y.tolist()) == {0, 1}
    assert abs(y.mean() - 0.5) < 4 * 0.5 / math.sqrt(5000)
    d = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)) / X.std(axis=0)
    assert np.median(d) < 0.2
    assert d.max() < 1.2  # no feature does it alone


def test_linear_accuracy_is_near_the_real_ones():
    X, y = make_epsilon_like(30_000, n_features=200)
    X_new, y_new = make_epsilon_like(20_000, n_features=200, random_state=1)
    model = LogisticRegression().fit(X * math.sqrt(200), y)
    assert 0.885 < model.score(X_new * math.sqrt(200), y_new) < 0.91


def test_any_part_can_be_made_by_itself(tmp_path):
    X, y = make_epsilon_like(5000, n_features=20, random_state=4)
    for first, n_rows in [(0, 1), (1023, 2), (1024, 1024), (2000, 3000), (4999, 1)]:
        part, labels = make_epsilon_like(n_rows, n_features=20, first=first, random_state=4)
        np.testing.assert_array_equal(part, X[first : first + n_rows])
        np.testing.assert_array_equal(labels, y[first : first + n_rows])
    other, _ = make_epsilon_like(5000, n_features=20, random_state=5)
    assert not (X == other).all(axis=1).any()
    out = np.lib.format.open_memmap(
        tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=(5000, 20)
    )
    assert make_epsilon_like(5000, n_features=20, random_state=4, out=out)[0] is out
    np.testing.assert_array_equal(out, X)


def test_memory_is_bounded(tmp_path):
    make_epsilon_like(1, n_features=200)  # the law is kept

    def peak(n_rows):
        size = (n_rows, 200)
        out = np.lib.format.open_memmap(
            tmp_path / f"{n_rows}.npy", mode="w+", dtype=np.float32, shape=size
        )
        tracemalloc.start()
        make_epsilon_like(n_rows, n_features=200, out=out)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return taken

    assert peak(20_000) < 1.1 * peak(4_000) + 8 * 16_000  # only y grows


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_rows": 0}, ValueError, "n_rows must be a whole number of at least 1"),
        ({"n_features": 3}, ValueError, "n_features must be a whole number of at least 10"),
        ({"first": -1}, ValueError, "first must be a whole number of at least 0"),
        ({"random_state": None}, TypeError, "random_state must be a whole number"),
        ({"out": np.empty((5, 20))}, ValueError, r"float32 array of shape \(5, 20\); got shape"),
        ({"out": np.empty((4, 20), np.float32)}, ValueError, "out must be a float32 array"),
        ({"out": []}, ValueError, r"out must be a float32 array .* got \[\]"),
    ],
)
def test_bad_epsilon_like_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        make_epsilon_like(**{"n_rows": 5, "n_features": 20, **arguments})
