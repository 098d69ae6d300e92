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
    **dict.fromkeys(
        [
            "check_classifiers_train",
            "check_classifiers_train(readonly_memmap=True)",
            "check_classifiers_train(readonly_memmap=True,X_dtype=float32)",
        ],
        "classes follow the sign of the score, not probabilities above one half",
    ),
}
# whether they pass depends on the processor; test_neural_classifier.py has them for float32
ROUNDING = {
    "check_methods_subset_invariance",
    "check_methods_sample_order_invariance",
}


@parametrize_with_checks(
    [
        NeuralPUClassifier(prior=0.5, n_hidden_layers=1, width=8, n_epochs=3, random_state=0),
        NeuralPUClassifier(
            prior=0.5, loss="upu", scenario="single-set", width=8, n_epochs=2, random_state=0
        ),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    if check.func.__name__ in ROUNDING:
        pytest.skip("asks for more digits than float32 has")
    check(estimator)


def test_tags_tell_the_truth():
    tags = get_tags(NeuralPUClassifier())
    assert is_classifier(NeuralPUClassifier())
    assert tags.classifier_tags.poor_score  # y = 0 does not mean negative
    assert not tags.classifier_tags.multi_class
    assert tags.target_tags.required
    assert not tags.input_tags.sparse
    assert not tags.input_tags.allow_nan
