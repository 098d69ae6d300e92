"""Mini-batches cover an epoch and keep the ratio of P to U."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adapu.neural._batches import count_batches, epoch_batches

counts = st.integers(1, 60)


@given(st.integers(0, 1000), counts, counts, st.integers(2, 40))
def test_every_batch_has_its_share_and_every_row_its_turn(seed, n_p, n_u, batch_size):
    n_batches = count_batches(n_p, n_u, batch_size)
    batches = list(epoch_batches(np.random.default_rng(seed), n_p, n_u, n_batches))
    assert len(batches) == n_batches
    for column, n_rows in enumerate((n_p, n_u)):
        sizes = np.array([batch[column].size for batch in batches])
        uses = np.bincount(np.concatenate([batch[column] for batch in batches]), minlength=n_rows)
        assert sizes.min() >= 1
        assert np.ptp(sizes) <= 1
        assert uses.size == n_rows
        if n_rows >= n_batches:
            assert (uses == 1).all()
        else:
            assert uses.min() >= 1
            assert np.ptp(uses) <= 1
            assert (sizes == 1).all()


@given(counts, counts, st.integers(2, 40))
def test_the_number_of_batches(n_p, n_u, batch_size):
    n_batches = count_batches(n_p, n_u, batch_size)
    assert n_batches == min(int(np.ceil((n_p + n_u) / batch_size)), max(n_p, n_u))


def test_the_papers_sizes_keep_the_ratio():
    batches = list(epoch_batches(np.random.default_rng(0), 1000, 40_000, 82))
    shares = [p.size / (p.size + u.size) for p, u in batches]
    assert max(len(p) + len(u) for p, u in batches) <= 501
    np.testing.assert_allclose(shares, 1 / 41, atol=0.002)


def test_shuffled_anew_and_by_the_generator_alone():
    def epoch(rng):
        return np.concatenate([rows for batch in epoch_batches(rng, 20, 50, 5) for rows in batch])

    rng = np.random.default_rng(0)
    first, second = epoch(rng), epoch(rng)
    np.testing.assert_array_equal(first, epoch(np.random.default_rng(0)))
    assert (first != second).any()
