"""Copies of a row share a fold, and every fold has its share of P and of U."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapu._folds import identical_rows, pu_folds


def groups_one_by_one(X):
    """The naive twin of identical_rows: each row against all before it."""
    groups = []
    for i, row in enumerate(X.tolist()):
        copies = [
            j
            for j in range(i)
            if all(a == b or (a != a and b != b) for a, b in zip(X[j].tolist(), row, strict=True))
        ]
        groups.append(groups[copies[0]] if copies else len(set(groups)))
    return groups


@given(
    seed=st.integers(0, 1000),
    n_rows=st.integers(1, 30),
    n_features=st.integers(1, 3),
    dtype=st.sampled_from([np.float32, np.float64, np.int16, np.uint8, np.bool_]),
    order=st.sampled_from("CF"),
)
def test_identical_rows_as_one_by_one(seed, n_rows, n_features, dtype, order):
    rng = np.random.default_rng(seed)
    values = [0.0, -0.0, 1.0, 2.0, np.nan] if np.dtype(dtype).kind == "f" else [0, 1]
    X = np.array(rng.choice(values, size=(n_rows, n_features)), dtype=dtype, order=order)
    assert identical_rows(X).tolist() == groups_one_by_one(X)


def test_every_nan_is_the_same():
    X = np.array([0x7FC00000, 0x7FC00001, 0xFFC00000], dtype=np.uint32).view(np.float32)
    assert identical_rows(X[:, None]).tolist() == [0, 0, 0]


def test_identical_rows_leaves_X_alone():
    X = np.array([[-0.0, np.nan]])
    identical_rows(X)
    assert np.signbit(X[0, 0])


def test_identical_rows_over_many_chunks():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(3000, 500)).astype(np.float64)
    X = X[rng.integers(0, 1000, size=3000)]
    found = identical_rows(X)
    _, wanted = np.unique(X, axis=0, return_inverse=True)
    assert len(np.unique(found)) == len(np.unique(wanted))
    assert len({*zip(found.tolist(), wanted.tolist(), strict=True)}) == len(np.unique(wanted))


@pytest.mark.parametrize("X", [np.zeros(3), np.array([["a"]]), np.array([[object()]])])
def test_identical_rows_wants_a_table_of_numbers(X):
    with pytest.raises(ValueError, match="X must be a two-dimensional array of numbers"):
        identical_rows(X)


@st.composite
def samples(draw):
    """labeled, groups and a number of folds that suits them."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    n_folds = draw(st.integers(2, 6))
    n_rows = draw(st.integers(40, 120))
    labeled = rng.random(n_rows) < draw(st.sampled_from([0.3, 0.5]))
    groups = rng.integers(0, draw(st.integers(30, 200)), size=n_rows)
    return labeled, groups, n_folds


@given(sample=samples(), seed=st.integers(0, 100))
def test_groups_stay_together_and_no_fold_is_far_from_its_share(sample, seed):
    labeled, groups, n_folds = sample
    try:
        folds = pu_folds(labeled, groups, n_folds, seed)
    except ValueError as error:
        assert "folds" in str(error)
        assert len(np.unique(groups[labeled])) < n_folds
        return
    assert folds.shape == labeled.shape
    for group in np.unique(groups):
        assert len(np.unique(folds[groups == group])) == 1
    positives = np.bincount(folds[labeled], minlength=n_folds)
    assert positives.min() > 0
    # dealing the largest first to the emptiest: two folds differ by no more than one group
    assert positives.max() - positives.min() <= np.bincount(groups[labeled]).max()
    assert np.bincount(folds[~labeled], minlength=n_folds).min() > 0


@pytest.mark.parametrize("n_folds", [2, 3, 5, 7])
def test_shares_are_even_where_U_holds_copies_of_P(n_folds):
    labeled = np.repeat([True, False], [103, 1009])
    groups = np.concatenate([np.arange(103), np.arange(1009)])
    folds = pu_folds(labeled, groups, n_folds, seed=0)
    for rows in (labeled, ~labeled):
        counts = np.bincount(folds[rows], minlength=n_folds)
        assert counts.max() - counts.min() <= 1
    assert (folds[:103] == folds[103:206]).all()


def test_rows_without_copies_make_up_for_those_with():
    """One row of U is there 50 times; the other folds get more of the rest."""
    labeled = np.repeat([True, False], [10, 150])
    groups = np.concatenate([np.arange(10), np.full(50, 10), np.arange(11, 111)])
    folds = pu_folds(labeled, groups, 3, seed=0)
    assert np.bincount(folds[~labeled]).tolist() == [50, 50, 50]


def test_the_seed_decides():
    labeled = np.arange(200) < 50
    one, again, other = (pu_folds(labeled, np.arange(200), 5, seed) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


def test_too_few_distinct_rows():
    labeled = np.arange(20) < 10
    with pytest.raises(ValueError, match=r"needs .* distinct labeled .* is 5, .* are 2"):
        pu_folds(labeled, np.where(labeled, np.arange(20) % 2, np.arange(20)), 5, 0)
    with pytest.raises(ValueError, match=r"needs .* distinct unlabeled .* is 5, .* are 3"):
        pu_folds(labeled, np.where(labeled, np.arange(20), 10 + np.arange(20) % 3), 5, 0)


def test_a_fold_without_unlabeled_rows():
    labeled = np.repeat([True, False], [13, 4])
    groups = np.concatenate([np.repeat([0, 1], 5), [2, 3, 4], [0, 2, 3, 4]])
    with pytest.raises(ValueError, match="cv=3 leaves a fold without unlabeled rows"):
        pu_folds(labeled, groups, 3, seed=0)
