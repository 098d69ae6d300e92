"""scikit-learn's own checks of PUCalibratedClassifier, and what the tags say."""

import pytest
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from adapu.calibration import PUCalibratedClassifier

EXPECTED_FAILURES = {}


@parametrize_with_checks(
    [
        PUCalibratedClassifier(LogisticRegression(), prior=0.6, cv=2, random_state=0),
        PUCalibratedClassifier(
            LogisticRegression(), prior=0.6, cv=2, ensemble=False, method="sigmoid", random_state=0
        ),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
