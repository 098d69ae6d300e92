"""Probabilities from positive and unlabeled rows alone.

`fit_calibrator` turns scores into probabilities, given s and the prior; `PUCalibratedClassifier`
does so around any classifier, with scores of rows that it was not trained on.
"""

from adapu.calibration._classifier import PUCalibratedClassifier
from adapu.calibration._maps import IsotonicCalibrator, SigmoidCalibrator, fit_calibrator

__all__ = ["IsotonicCalibrator", "PUCalibratedClassifier", "SigmoidCalibrator", "fit_calibrator"]
