"""The share of positives, estimated from positive and unlabeled rows.

`estimate_prior` gives it with an interval. The conversions turn the prior, the share of positives
among the unlabeled rows and the label frequency into one another, in both scenarios.
"""

from adapu.prior._conversions import (
    label_frequency_from_prior,
    prior_from_label_frequency,
    prior_from_prior_unlabeled,
    prior_unlabeled_from_prior,
)
from adapu.prior._estimate import PriorEstimate, estimate_prior

__all__ = [
    "PriorEstimate",
    "estimate_prior",
    "label_frequency_from_prior",
    "prior_from_label_frequency",
    "prior_from_prior_unlabeled",
    "prior_unlabeled_from_prior",
]
