"""estimate_prior: right in both scenarios, the same for the same seed, clear about bad input."""

import re
import tracemalloc

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from adapu.prior import PriorEstimate, estimate_prior
from adapu.prior._estimate import METHODS

SCENARIOS = ["case-control", "single-set"]
LINEAR = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))


def pu_sample(seed, prior=0.3, c=0.3, n_rows=2000, scenario="case-control", shift=4.0):
    """Two normal classes, `shift` deviations apart; a share c of the positives is labeled."""
    rng = np.random.default_rng(seed)
    n_positive = round(prior * n_rows)
    n_labeled = round(c * n_positive)
    X = rng.normal(size=(n_rows, 4))
    X[:n_positive] += shift / 2
    s = (np.arange(n_rows) < n_labeled).astype(int)
    if scenario == "case-control":
        X, s = np.vstack([X[:n_labeled], X]), np.repeat([1, 0], [n_labeled, n_rows])
    order = rng.permutation(len(s))
    return X[order], s[order]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("prior", [0.1, 0.5])
@pytest.mark.parametrize("method", ["auto", "bbe", "dedpul"])
def test_the_prior_is_found(method, prior, scenario):
    X, s = pu_sample(1, prior, scenario=scenario, n_rows=4000)
    found = estimate_prior(X, s, method=method, scenario=scenario, estimator=LINEAR, random_state=0)
    assert abs(found.prior - prior) < 0.04
    n_labeled, n_unlabeled = int(s.sum()), int((1 - s).sum())
    assert found.label_frequency == pytest.approx(n_labeled / (found.prior * 4000))
    hidden = prior if scenario == "case-control" else (prior * 4000 - n_labeled) / n_unlabeled
    assert abs(found.prior_unlabeled - hidden) < 0.05
    assert found.interval[0] <= found.prior <= found.interval[1]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("method", ["elkan-noto", "tice"])
def test_upper_bounds_are_not_too_high(method, scenario):
    X, s = pu_sample(2, 0.3, c=0.5, scenario=scenario, n_rows=4000, shift=6.0)
    found = estimate_prior(X, s, method=method, scenario=scenario, estimator=LINEAR, random_state=0)
    assert 0.27 < found.prior < 0.42
    assert found.method == method


def test_the_interval_covers_the_truth():
    """12 draws, 90 % each: fewer than 8 happen less than once in 200 series."""
    covered = 0
    for seed in range(12):
        X, s = pu_sample(seed, n_rows=1500)
        low, high = estimate_prior(
            X, s, estimator=LINEAR, n_bootstrap=40, random_state=seed
        ).interval
        covered += low <= 0.3 <= high
        assert high - low < 0.25
    assert covered >= 8


def test_auto_is_the_mean_of_two():
    X, s = pu_sample(0, n_rows=500)
    auto, convex, bbe = (
        estimate_prior(X, s, method=method, random_state=0) for method in ("auto", "convex", "bbe")
    )
    assert auto.prior == pytest.approx((convex.prior + bbe.prior) / 2)
    assert auto.diagnostics["convex"] == convex.prior
    assert auto.diagnostics["bbe"] == bbe.prior
    assert auto.diagnostics["cut"] == bbe.diagnostics["cut"]


def test_copies_of_P_in_U_are_not_told_by_memory():
    """A forest remembers rows: with copies on both sides of a split, every P row would be sure."""
    X, s = pu_sample(3, shift=3.0, n_rows=1500)
    forest = RandomForestClassifier(50, random_state=0)
    found = estimate_prior(X, s, estimator=forest, random_state=0)
    assert abs(found.prior - 0.3) < 0.06


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_bits_whatever_the_jobs(method):
    X, s = pu_sample(4, n_rows=600)
    one, again, jobs = (
        estimate_prior(X, s, method=method, random_state=7, n_jobs=n_jobs)
        for n_jobs in (None, None, 2)
    )
    assert one == again == jobs
    assert one.diagnostics == again.diagnostics == jobs.diagnostics


def test_random_state_reaches_an_estimator_that_left_it_open():
    X, s = pu_sample(4, n_rows=400)
    forest = RandomForestClassifier(10)
    one, again = (estimate_prior(X, s, estimator=forest, random_state=3) for _ in range(2))
    assert one == again
    assert forest.random_state is None


def test_weights_count():
    """Positives in U that weigh twice: the share of positives by weight is what is estimated."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 4))
    X[:1100] += 3
    s = (np.arange(3000) < 300).astype(int)
    weight = np.where((np.arange(3000) >= 300) & (np.arange(3000) < 1100), 2.0, 1.0)
    plain = estimate_prior(X, s, estimator=LogisticRegression(), random_state=0)
    weighted = estimate_prior(
        X, s, estimator=LogisticRegression(), sample_weight=weight, random_state=0
    )
    assert abs(plain.prior - 800 / 2700) < 0.03
    assert abs(weighted.prior - 1600 / 3500) < 0.03
    single = estimate_prior(
        X,
        s,
        scenario="single-set",
        estimator=LogisticRegression(),
        sample_weight=weight,
        random_state=0,
    )
    assert abs(single.prior - 1900 / 3800) < 0.03


@pytest.mark.parametrize("method", ["auto", "tice"])
def test_rows_of_weight_0_do_not_count(method):
    X, s = pu_sample(6, n_rows=500)
    rng = np.random.default_rng(0)
    X_more = np.vstack([X, rng.normal(size=(50, 4)) + 9])
    s_more = np.append(s, np.ones(50, dtype=int))
    weight = np.append(np.ones(len(s)), np.zeros(50))
    X_more[-1] = np.inf
    found = estimate_prior(X_more, s_more, method=method, sample_weight=weight, random_state=0)
    assert found == estimate_prior(X, s, method=method, random_state=0)
    few = {"max_rows": 200, "method": method, "random_state": 0}
    found = estimate_prior(X_more, s_more, sample_weight=weight, **few)
    assert found == estimate_prior(X, s, **few)


@pytest.mark.parametrize("weighted", [False, True])
def test_x_is_not_copied(weighted):
    """Of many rows some are looked at; one row of weight 0 does not make a copy of all."""
    X = np.random.default_rng(0).normal(size=(30_000, 100)).astype(np.float32)
    s = X[:, 0] > 2
    weight = np.arange(30_000) > 0 if weighted else None
    estimate_prior(X, s, max_rows=100, random_state=0)  # imports what it needs
    tracemalloc.start()
    try:
        estimate_prior(X, s, max_rows=1000, sample_weight=weight, random_state=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * X.nbytes


def test_missing_values_are_for_the_estimator():
    X, s = pu_sample(7, n_rows=3000, shift=6.0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert abs(estimate_prior(X, s, random_state=0).prior - 0.3) < 0.05
    with pytest.raises(ValueError, match="method 'tice' takes no missing values.*NaN, at row"):
        estimate_prior(X, s, method="tice")
    with pytest.raises(ValueError, match="NaN"):
        estimate_prior(X, s, estimator=LogisticRegression())


def test_a_feature_of_which_nothing_is_known():
    """In all rows, or in those that a fold learns from."""
    X, s = pu_sample(7, n_rows=600, shift=6.0)
    X_more = np.column_stack([X, np.full((len(X), 2), np.nan)])
    X_more[0, -1] = 1.0
    found = estimate_prior(X_more, s, random_state=0)
    assert abs(found.prior - estimate_prior(X, s, random_state=0).prior) < 0.05


def test_many_rows_are_sampled():
    X, s = pu_sample(8, c=0.5, n_rows=6000)
    found = estimate_prior(X, s, max_rows=1000, random_state=0)
    assert found.diagnostics["n_labeled_used"] == 500
    assert found.diagnostics["n_unlabeled_used"] == 500
    assert abs(found.prior - 0.3) < 0.06
    assert found == estimate_prior(X, s, max_rows=1000, random_state=0)
    assert found.label_frequency == pytest.approx(900 / (found.prior * 6000))


@pytest.mark.parametrize(("n_features", "n_used"), [(1, 20_000), (4_100, 2_000)])
def test_auto_looks_at_fewer_rows_where_they_are_long(n_features, n_used):
    n_rows = n_used + 100
    X = np.zeros((n_rows, n_features), dtype=np.uint8)
    X[:, 0] = np.arange(n_rows) % 251
    X[:, -1] = np.arange(n_rows) // 100 if n_features > 1 else X[:, 0]
    found = estimate_prior(X, X[:, 0] > 200, estimator=GaussianNB(), n_bootstrap=20, random_state=0)
    used = found.diagnostics["n_labeled_used"] + found.diagnostics["n_unlabeled_used"]
    assert used == n_used


def test_many_features():
    """Most of 300 features are noise; each fold chooses from its own rows, so noise stays noise."""
    X, s = pu_sample(12, n_rows=1200, shift=5.0)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 296))])
    assert abs(estimate_prior(X, s, random_state=0).prior - 0.3) < 0.06


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, ">f8"])
def test_dtypes_and_labels(dtype):
    X, s = pu_sample(9, n_rows=1200, shift=6.0)
    X = X > 1 if dtype is np.bool_ else np.round(10 * X)
    X = np.hstack([X] + [np.arange(len(X))[:, None] >> bit & 1 for bit in range(11)])
    found = estimate_prior(
        X.astype(dtype), np.where(s, "known", "?"), pos_label="known", random_state=0
    )
    assert 0.2 < found.prior < 0.45


@pytest.mark.parametrize(
    "estimator", [GaussianNB(), LinearSVC(), RandomForestClassifier(20, min_samples_leaf=5)]
)
def test_any_classifier(estimator):
    X, s = pu_sample(10, n_rows=1000, shift=5.0)
    for method in ("auto", "elkan-noto"):
        found = estimate_prior(X, s, method=method, estimator=estimator, random_state=0)
        assert 0.2 < found.prior < 0.5


def test_a_single_set_has_at_least_the_labeled_share():
    """Nearly all positives are labeled, and noise cannot take the estimate below."""
    for method in METHODS:
        X, s = pu_sample(11, c=0.98, n_rows=800, scenario="single-set", shift=6.0)
        found = estimate_prior(X, s, method=method, scenario="single-set", random_state=0)
        assert found.interval[0] > s.mean()
        assert found.label_frequency < 1


def test_the_result_in_words():
    found = PriorEstimate(0.3123, (0.25, 0.36), 0.9, "bbe", "case-control", 0.3123, 0.5, {"cut": 1})
    assert str(found) == "prior 0.312, 90% interval 0.250 to 0.360 (bbe, case-control)"
    assert float(found) == 0.3123
    assert "diagnostics" not in repr(found)
    with pytest.raises(AttributeError):
        found.prior = 0.5


X, S = pu_sample(0, n_rows=60, c=0.5)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"method": "km2"}, ValueError, "method must be one of 'auto', 'convex'.*got 'km2'"),
        ({"scenario": "censoring"}, ValueError, "scenario must be one of"),
        ({"cv": 1}, ValueError, "cv must be a whole number of at least 2; got 1"),
        ({"cv": 2.0}, TypeError, "cv must be a whole number"),
        (
            {"cv": 20},
            ValueError,
            "cv needs .* labeled positive.* cv is 20, and there are 9",
        ),
        ({"confidence": 1.0}, ValueError, "confidence must be a number greater than 0 and less"),
        ({"n_bootstrap": 5}, ValueError, "n_bootstrap must be a whole number of at least 20"),
        ({"max_rows": 3}, ValueError, "max_rows must be a whole number of at least 20"),
        ({"max_rows": "all"}, ValueError, "max_rows must be one of 'auto'; got 'all'"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or a whole number other than 0"),
        ({"random_state": "a"}, ValueError, "random_state must be"),
        ({"estimator": 3}, TypeError, "estimator must be a scikit-learn classifier"),
        ({"estimator": GaussianNB}, TypeError, "estimator must be .* an instance"),
        ({"estimator": Ridge()}, TypeError, "decision_function or predict_proba.*Ridge has"),
        ({"sample_weight": [1.0]}, ValueError, "sample_weight must hold one number per row"),
        ({"pos_label": 5}, ValueError, "pos_label must be a label of s"),
        ({"X": X[:-1]}, ValueError, "X must hold one row per label in s, 69; got 68"),
        ({"X": np.ones_like(X)}, ValueError, "All rows of X are the same"),
        (
            {"X": np.where(X > 2, np.inf, X)},
            ValueError,
            "X contains infinity, at row .* number or NaN",
        ),
        ({"s": np.zeros(69)}, ValueError, "s has no positive row"),
        ({"s": np.ones(69)}, ValueError, "s has no unlabeled row"),
        ({"X": X[:, 0]}, ValueError, "Expected 2D array"),
        (
            {"X": np.array([["a"]] * 69, dtype=object)},
            ValueError,
            "X must hold numbers alone.*could not convert string to float: 'a'. Encode",
        ),
        (
            {"X": np.arange(69).astype("datetime64[D]")[:, None]},
            ValueError,
            r"X must hold numbers alone.*dtype datetime64\[D\]",
        ),
    ],
)
def test_bad_input(keywords, error, message):
    keywords = {"X": X, "s": S, "random_state": 0, **keywords}
    with pytest.raises(error, match=re.compile(message, re.DOTALL)):
        estimate_prior(**keywords)


class Constant(GaussianNB):
    """A classifier that says the same of every row."""

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


class NotFinite(GaussianNB):
    """A classifier with scores that are NaN."""

    def decision_function(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Constant(), "Constant gives every row the same score"),
        (NotFinite(), "NotFinite gives scores that are not finite"),
    ],
)
def test_useless_scores(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimate_prior(X, S, estimator=estimator, random_state=0)
