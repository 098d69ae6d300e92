"""scikit-learn's own checks of an estimator, and what the tags say."""

import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from adapu import AdaPUClassifier

# name of the check: why it cannot pass
EXPECTED_FAILURES = {
    "check_classifiers_classes": "text labels need pos_label to say which one is positive",
}


@parametrize_with_checks(
    [AdaPUClassifier(n_estimators=10, random_state=0)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_tags_tell_the_truth():
    tags = get_tags(AdaPUClassifier())
    assert is_classifier(AdaPUClassifier())
    assert tags.classifier_tags.poor_score  # y = 0 does not mean negative
    assert not tags.classifier_tags.multi_class
    assert tags.target_tags.required
    assert not tags.input_tags.sparse
    assert not tags.input_tags.allow_nan


@pytest.mark.parametrize("check", EXPECTED_FAILURES)
def test_every_expected_failure_has_a_reason(check):
    assert len(EXPECTED_FAILURES[check]) > 20
