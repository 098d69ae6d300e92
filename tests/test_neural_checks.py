"""scikit-learn's own checks of NeuralPUClassifier, and what its tags say."""

import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from adapu.neural import NeuralPUClassifier

pytest.importorskip("torch", reason="needs PyTorch, the extra neural")

# name of the check: why it cannot pass
EXPECTED_FAILURES = {
    "check_classifiers_classes": "text labels need pos_label to say which one is positive",
    "check_sample_weight_equivalence_on_dense_data": (
        "batch norm counts rows, and a row twice is in two mini-batches"
    ),
}


@parametrize_with_checks(
    [
        NeuralPUClassifier(prior=0.5, n_hidden_layers=1, width=8, n_epochs=5, random_state=0),
        NeuralPUClassifier(n_hidden_layers=2, width=8, n_epochs=3, loss="upu", random_state=0),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore:The prior:UserWarning")  # the checks have few rows
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_tags_tell_the_truth():
    tags = get_tags(NeuralPUClassifier())
    assert is_classifier(NeuralPUClassifier())
    assert tags.classifier_tags.poor_score  # y = 0 does not mean negative
    assert not tags.classifier_tags.multi_class
    assert tags.target_tags.required
    assert not tags.input_tags.sparse
    assert not tags.input_tags.allow_nan
