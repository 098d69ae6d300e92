"""scikit-learn's own checks of PUCalibratedClassifier, and what its tags say."""

import pytest
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from adapu.calibration import PUCalibratedClassifier

# name of the check: why it cannot pass
EXPECTED_FAILURES = {
    "check_classifiers_classes": "text labels need pos_label to say which one is positive",
    "check_sample_weight_equivalence_on_dense_data": (
        "it gives cv a list of splits, which may part copies of a row"
    ),
}
ONE_SCORE = "its unlabeled rows are copies of two rows, one per fold, and rank alike in each"
WITH_ONE_MODEL = EXPECTED_FAILURES | {
    "check_sample_weights_shape": ONE_SCORE,
    "check_sample_weights_not_overwritten": ONE_SCORE,
}


@parametrize_with_checks(
    [
        PUCalibratedClassifier(LogisticRegression(), prior=0.6, cv=2, random_state=0),
        PUCalibratedClassifier(
            LogisticRegression(), prior=0.6, cv=2, ensemble=False, method="sigmoid", random_state=0
        ),
    ],
    expected_failed_checks=lambda estimator: (
        EXPECTED_FAILURES if estimator.ensemble else WITH_ONE_MODEL
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_tags_tell_the_truth():
    tags = get_tags(PUCalibratedClassifier(LogisticRegression()))
    assert is_classifier(PUCalibratedClassifier(LogisticRegression()))
    assert tags.classifier_tags.poor_score  # y = 0 does not mean negative
    assert not tags.classifier_tags.multi_class
    assert not tags.input_tags.sparse
    assert not tags.input_tags.allow_nan
    trees = PUCalibratedClassifier(HistGradientBoostingClassifier())
    assert get_tags(trees).input_tags.allow_nan


@pytest.mark.parametrize("check", WITH_ONE_MODEL)
def test_every_expected_failure_has_a_reason(check):
    assert len(WITH_ONE_MODEL[check]) > 20
