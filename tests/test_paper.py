"""The paper's Breast Cancer experiment, against the oracle's own runs of it."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from adapu import AdaPUClassifier

SEEDS = range(40)
ROUNDS, THRESHOLDS, N_POSITIVE = 100, 10, 10


def protocol(seed):
    """The first 455 rows train and are all unlabeled; ten of their positives are labeled."""
    X, y = load_breast_cancer(return_X_y=True)  # 1 is benign, the paper's positive class
    X_train, y_train, X_test, y_test = X[:455], y[:455], X[455:], y[455:]
    positives = np.random.default_rng(seed).choice(
        np.flatnonzero(y_train == 1), N_POSITIVE, replace=False
    )
    X_pu = np.vstack([X_train[positives], X_train])
    s = np.repeat([1, 0], [N_POSITIVE, len(X_train)])
    return X_pu, s, y_train.mean(), X_test, y_test


def test_protocol_is_the_papers():
    X_pu, s, prior, X_test, y_test = protocol(0)
    assert (X_pu.shape, X_test.shape, s.sum()) == ((465, 30), (114, 30), 10)
    assert round(prior, 3) == 0.591
    assert round(100 * y_test.mean(), 2) == 77.19  # "positive" to everything, as in the paper


@pytest.mark.parametrize(("normalization", "beta"), [("per-group", 0.001), ("over-all", 0.0001)])
def test_breast_cancer_over_40_seeds(normalization, beta, compiled_naive):
    """The ten positives of a seed are the same on both sides, the thresholds drawn apart."""
    ours, oracles = [], []
    for seed in SEEDS:
        X, s, prior, X_test, y_test = protocol(seed)
        model = AdaPUClassifier(
            prior,
            n_estimators=ROUNDS,
            learning_rate=beta,
            n_thresholds=THRESHOLDS,
            normalization=normalization,
            random_state=seed,
        ).fit(X, s)
        ours.append(model.score(X_test, y_test))
        rng = np.random.default_rng([seed, 1])
        expected = compiled_naive.fit(
            X,
            s,
            compiled_naive.random_thresholds(X, ROUNDS, THRESHOLDS, rng),
            prior=prior,
            n_estimators=ROUNDS,
            learning_rate=beta,
            normalization=normalization,
        )
        H = compiled_naive.decision_function(expected.stumps, X_test)
        oracles.append(np.mean((H > 0) == (y_test == 1)))
    assert abs(np.mean(ours) - np.mean(oracles)) < 0.01
    assert abs(np.std(ours) - np.std(oracles)) < 0.02
