"""scikit-learn's own checks of an estimator, and what the tags say."""

import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from adapu import AdaPUClassifier
from adapu.model_selection import AdaPUClassifierCV

# name of the check: why it cannot pass
EXPECTED_FAILURES = {
    "check_classifiers_classes": "text labels need pos_label to say which one is positive",
}
OWN_CUT = dict.fromkeys(
    [
        "check_classifiers_train",
        "check_classifiers_train(readonly_memmap=True)",
        "check_classifiers_train(readonly_memmap=True,X_dtype=float32)",
    ],
    "classes follow the cut on the margin, not probabilities above one half",
)
RANDOM_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "rows are held out at random, and a row twice may be drawn where a row of weight 2 is not"
    ),
}


def expected_failures(estimator):
    draws_rows = isinstance(estimator, AdaPUClassifierCV) or estimator.early_stopping
    failures = EXPECTED_FAILURES | (RANDOM_ROWS if draws_rows else {})
    own_cut = estimator.cutoff == "prior" or estimator.prior is None
    return failures | (OWN_CUT if own_cut else {})


@parametrize_with_checks(
    [
        AdaPUClassifier(n_estimators=10, random_state=0),
        AdaPUClassifier(prior=0.5, n_estimators=10, random_state=0),
        AdaPUClassifier(prior=0.5, n_estimators=10, cutoff="prior", early_stopping=True),
        AdaPUClassifierCV(prior=0.5, learning_rates=(0.1, 0.5), cv=2, n_estimators=10),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore:The prior:UserWarning")  # the checks have few rows
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


@pytest.mark.parametrize(
    "reason", [*EXPECTED_FAILURES.values(), *OWN_CUT.values(), *RANDOM_ROWS.values()]
)
def test_every_expected_failure_has_a_reason(reason):
    assert len(reason) > 20
