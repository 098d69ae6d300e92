"""scikit-learn's own checks of an estimator, and what the tags say."""

import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from adapu import AdaPUClassifier
from adapu.model_selection import AdaPUClassifierCV

# name of the check: why it cannot pass, in any setting
EXPECTED_FAILURES = {
    "check_classifiers_classes": "text labels need pos_label to say which one is positive",
}
# Whatever the cutoff, classes and probabilities cut at different margins. The check asks that they
# agree on its rows, and for some settings no margin of these rows happens to lie in between.
OWN_CUT = dict.fromkeys(
    [
        "check_classifiers_train",
        "check_classifiers_train(readonly_memmap=True)",
        "check_classifiers_train(readonly_memmap=True,X_dtype=float32)",
    ],
    "classes follow the cut on the margin, not probabilities above one half",
)
HOLDS_OUT = {
    "check_sample_weight_equivalence_on_dense_data": (
        "only one distinct unlabeled row has a weight, and early stopping has to hold one out"
    ),
}
OWN_FOLDS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "it gives cv as a list of splits, and here cv is the number of folds"
    ),
}
BOOSTED = {"n_estimators": 10, "random_state": 0}
CHOSEN = BOOSTED | {"learning_rates": (0.1, 0.5), "cv": 2}
QUANTILES = {"thresholds": "quantile", "n_thresholds": None}
# Up to eight ninths of a check's rows are labeled, so a single set needs a prior above that.
SINGLE_SET = {"prior": 0.9, "scenario": "single-set"}

# the settings that are checked, each with what fails there besides
SETTINGS = [
    (AdaPUClassifier(**BOOSTED), OWN_CUT),
    (AdaPUClassifier(0.5, **BOOSTED), {}),
    (AdaPUClassifier(0.5, **BOOSTED, cutoff="prior"), OWN_CUT),
    (AdaPUClassifier(0.5, **BOOSTED, early_stopping=True), HOLDS_OUT),
    (AdaPUClassifier(0.5, **BOOSTED, early_stopping=True, validation_fraction=None), {}),
    (AdaPUClassifier(0.5, **BOOSTED, normalization="over-all"), OWN_CUT),
    (AdaPUClassifier(0.5, **BOOSTED, thresholds="even"), {}),
    (AdaPUClassifier(0.5, **BOOSTED, **QUANTILES), OWN_CUT),
    (AdaPUClassifier(**BOOSTED, **SINGLE_SET), OWN_CUT),
    (AdaPUClassifierCV(0.5, **CHOSEN), OWN_FOLDS),
    (AdaPUClassifierCV(**CHOSEN, **SINGLE_SET), OWN_FOLDS | OWN_CUT),
]


def expected_failures(estimator):
    of_setting = next(failures for other, failures in SETTINGS if other is estimator)
    return EXPECTED_FAILURES | of_setting


@parametrize_with_checks(
    [estimator for estimator, _ in SETTINGS], expected_failed_checks=expected_failures
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


@pytest.mark.parametrize("failures", [EXPECTED_FAILURES, OWN_CUT, HOLDS_OUT, OWN_FOLDS])
def test_every_expected_failure_has_a_reason(failures):
    assert all(len(reason) > 20 for reason in failures.values())
