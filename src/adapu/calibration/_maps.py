"""From scores to probabilities: rising functions g whose mean over the population is the prior.

P(y = 1 | score) = π p(score | y = 1) / p(score), and both densities are at hand: labeled rows are
drawn from the first, the population from the second. Everything here is written in

    q = the share of the population at each distinct score, Σ q = 1
    p = π times the share of the labeled rows there,        Σ p = π
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sklearn.isotonic import isotonic_regression

from adapu._model import Array
from adapu._validation import check_choice
from adapu.metrics._sample import Sample, read_sample, read_scores

METHODS = ("isotonic", "sigmoid")

_STEEPEST = 100.0  # per standard deviation of the scores: next to a step


@dataclass(frozen=True, eq=False)
class IsotonicCalibrator:
    """A step function that rises from score to score.

    Attributes
    ----------
    borders : ndarray of shape (n_steps - 1,)
        The scores at which it steps, rising. A score on a border belongs to the step above it.
    probabilities : ndarray of shape (n_steps,)
        The probability of each step, rising.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.calibration import IsotonicCalibrator
    >>> calibrator = IsotonicCalibrator(
    ...     borders=np.array([0.0, 1.5]), probabilities=np.array([0.1, 0.4, 0.9])
    ... )
    >>> calibrator.predict(np.array([-2.0, 0.0, 1.0, 7.0]))
    array([0.1, 0.4, 0.4, 0.9])
    """

    borders: Array
    probabilities: Array

    def predict(self, scores: Array) -> Array:
        """Return the probability of the positive class at each score."""
        return self.probabilities[np.searchsorted(self.borders, scores, side="right")]


@dataclass(frozen=True, eq=False)
class SigmoidCalibrator:
    """The logistic function of slope · (score − centre) / spread + offset.

    Attributes
    ----------
    slope : float
        How steeply it rises; 0 where the scores do not tell positives from the rest.
    offset : float
        Its logit at the score `centre`.
    centre, spread : float
        Halfway between the mean scores of labeled rows and of the population, and how far the
        population's scores are from there, the root of the mean square.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.calibration import SigmoidCalibrator
    >>> calibrator = SigmoidCalibrator(slope=2.0, offset=0.0, centre=1.0, spread=2.0)
    >>> calibrator.predict(np.array([-1.0, 1.0, 3.0])).round(2)
    array([0.12, 0.5 , 0.88])
    """

    slope: float
    offset: float
    centre: float
    spread: float

    def predict(self, scores: Array) -> Array:
        """Return the probability of the positive class at each score."""
        probabilities: Array = expit(
            self.slope * ((scores - self.centre) / self.spread) + self.offset
        )
        return probabilities


Calibrator = IsotonicCalibrator | SigmoidCalibrator


def fit_calibrator(
    s: Any,
    scores: Any,
    *,
    prior: float,
    scenario: str = "case-control",
    sample_weight: Any = None,
    pos_label: Any = None,
    method: str = "isotonic",
) -> Calibrator:
    """Learn what probability of being positive belongs to a score.

    The result lies within [0, 1], never falls as the score rises, and averages to the prior over
    the population. Scores should come from rows that the classifier was not trained on, as in
    :class:`PUCalibratedClassifier`: on its training rows labeled positives look better than new
    ones. AdaPU's training margins will do where U holds copies of the labeled rows, or P is large.

    Parameters
    ----------
    s : array-like of shape (n_rows,)
        1 for a labeled positive and 0 (or −1, or False) for an unlabeled row, or any two labels,
        see `pos_label`.
    scores : array-like of shape (n_rows,)
        The scores of the rows, larger for what looks more positive: margins or probabilities.
    prior : float
        The share π of positives in the population, between 0 and 1, both excluded.
    scenario : {"case-control", "single-set"}, default="case-control"
        The population is the unlabeled rows, or all rows together.
    sample_weight : array-like of shape (n_rows,), default=None
        A weight of 2 counts a row twice, and one of 0 leaves it out.
    pos_label : label or None, default=None
        The label in s of the labeled positives. None means the larger of two numbers or booleans.
    method : {"isotonic", "sigmoid"}, default="isotonic"
        ``"isotonic"``: among all rising functions the one under which the labeled scores are most
        likely, a step function. ``"sigmoid"``: the logistic function with the least logistic loss,
        which tells any two scores apart; its probabilities are as good as its shape is right.

    Returns
    -------
    IsotonicCalibrator or SigmoidCalibrator
        What `predict(scores)` turns into probabilities. It holds nothing but numbers.

    Notes
    -----
    The isotonic one maximises Σ p log g subject to Σ q g = π, 0 ≤ g ≤ 1 and g rising. Without the
    upper bound that is the isotonic regression r of p/q. With it, it is min(1, k r) with the k at
    which the mean is π: where labeled scores are denser than positives can be, which makes r more
    than 1, the excess goes to the scores below in proportion.

    The sigmoid one minimises the unbiased logistic loss, Σ q log(1 + e^z) − Σ p z with the logit z,
    a convex function of slope and offset. Its derivative by the offset is Σ q g − π, so that here,
    too, the mean is the prior.

    Examples
    --------
    >>> import numpy as np
    >>> from adapu.calibration import fit_calibrator
    >>> s = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> scores = np.array([3, 3, 3, 2, 3, 3, 3, 2, 2, 1, 1, 1])
    >>> calibrator = fit_calibrator(s, scores, prior=0.375)
    >>> calibrator.predict(np.array([0, 1, 2, 3]))
    array([0.   , 0.   , 0.375, 0.75 ])
    >>> calibrator.predict(scores[4:]).mean()  # over the population
    np.float64(0.375)
    """
    check_choice("method", method, METHODS)
    sample = read_sample(
        s, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )
    scores = read_scores(sample, "scores", scores)
    if is_constant(scores):
        raise ValueError(
            f"scores must not be constant, for then they tell nothing of the classes; every row "
            f"has {scores[0]:g}."
        )
    return calibrate_sample(sample, scores, method)


def is_constant(scores: Array) -> bool:
    """Whether all scores are equal, and so tell nothing apart."""
    return bool(scores.min() == scores.max())


def calibrate_sample(sample: Sample, scores: Array, method: str = "isotonic") -> Calibrator:
    """Return the calibrator of a sample's scores; if all are equal, the prior is its answer."""
    population = sample.weight_population > 0
    return calibrate(
        scores[sample.labeled],
        scores[population],
        prior=sample.prior,
        positive_weight=sample.weight[sample.labeled],
        population_weight=sample.weight[population],
        method=method,
    )


def calibrate(
    positive: Array,
    population: Array,
    *,
    prior: float,
    positive_weight: Array | None = None,
    population_weight: Array | None = None,
    method: str = "isotonic",
) -> Calibrator:
    """Return the calibrator, given the scores of labeled rows and of the population.

    In a single set the labeled rows are among the population. Nothing is checked. If all scores
    are equal, the prior is everybody's probability.
    """
    if method == "sigmoid":
        return _sigmoid(positive, population, prior, positive_weight, population_weight)
    values, p, q = _shares(positive, population, prior, positive_weight, population_weight)
    return _step_function(values, _most_likely(p, q, prior))


def _shares(
    positive: Array,
    population: Array,
    prior: float,
    positive_weight: Array | None,
    population_weight: Array | None,
) -> tuple[Array, Array, Array]:
    """Return the distinct scores of the population, rising, with p and q.

    A labeled score that the population lacks counts at the next higher score that it has: a step
    cannot rise between them. One above all counts at the highest.
    """
    values, places = np.unique(population, return_inverse=True)
    q = np.bincount(places, population_weight, len(values))
    places = np.minimum(np.searchsorted(values, positive), len(values) - 1)
    p = np.bincount(places, positive_weight, len(values))
    return values, p * (prior / p.sum()), q / q.sum()


def _most_likely(p: Array, q: Array, prior: float) -> Array:
    """Return the g that maximises Σ p log g: rising, within [0, 1], with the mean Σ q g = π."""
    ratio = isotonic_regression(p / q, sample_weight=q)
    return _with_mean(np.maximum(ratio, 0), q, prior)


def _with_mean(ratio: Array, q: Array, mean: float) -> Array:
    """Return min(1, k · ratio) with the k at which its mean is ``mean``.

    Where even k = ∞ gives too little, because the ratio is 0 for too many, those share the rest.
    """
    possible = ratio > 0
    reachable = q[possible].sum()
    if reachable <= mean:
        rest = (mean - reachable) / max(1 - reachable, np.finfo(float).tiny)
        return np.where(possible, 1.0, min(rest, 1.0))
    certain = np.zeros(len(q), dtype=bool)
    while not certain[possible].all():  # clipping raises k: what was clipped once stays clipped
        k = max(mean - q[certain].sum(), 0.0) / (q @ np.where(certain, 0.0, ratio))
        above = ~certain & (k * ratio > 1)
        if not above.any():
            return np.where(certain, 1.0, k * ratio)
        certain |= above
    return certain.astype(float)


def _step_function(values: Array, probabilities: Array) -> IsotonicCalibrator:
    """Return the function with these probabilities at these values, both rising.

    It steps halfway between two values that differ in probability.
    """
    last = np.flatnonzero(np.diff(probabilities) > 0)
    low, high = values[last], values[last + 1]
    borders = low / 2 + high / 2
    borders = np.where((low < borders) & (borders < high), borders, high)
    steps = probabilities[np.append(last, len(values) - 1)]
    for numbers in (borders, steps):
        numbers.flags.writeable = False
    return IsotonicCalibrator(borders, steps)


def _sigmoid(
    positive: Array,
    population: Array,
    prior: float,
    positive_weight: Array | None,
    population_weight: Array | None,
) -> SigmoidCalibrator:
    """Return the logistic function g with E[g] = π and E[g x] = π E₊[x], or the next best slope.

    These are the zeros of the loss's derivatives. No slope may meet the second: a falling one is
    not wanted, and labeled scores as high as the π highest of the population ask for infinity.
    """
    scores, places = np.unique(population, return_inverse=True)
    q = np.bincount(places, population_weight, len(scores))
    q = q / q.sum()
    of_labeled = float(np.average(positive, weights=positive_weight))
    centre = (of_labeled + float(q @ scores)) / 2
    largest = float(np.abs(scores - centre).max()) or 1.0  # so that no square overflows
    spread = largest * float(np.sqrt(q @ ((scores - centre) / largest) ** 2)) or 1.0
    x = (scores - centre) / spread
    wanted = prior * (of_labeled - centre) / spread

    def offset(slope: float) -> float:
        """Return the offset at which the mean is the prior."""
        z = slope * x
        low, high = (np.log(prior) - np.log1p(-prior) - end for end in (z.max(), z.min()))
        return float(brentq(lambda b: q @ expit(z + b) - prior, low - 1, high + 1, xtol=1e-14))

    def loss(line: Array) -> float:
        """Return E[log(1 + e^z)] − π E₊[z] with z = slope · x + offset."""
        return float(q @ np.logaddexp(0, line[0] * x + line[1]) - line @ (wanted, prior))

    def gradient(line: Array) -> Array:
        """Return its derivatives, E[g x] − π E₊[x] and E[g] − π."""
        g = q * expit(line[0] * x + line[1])
        return np.array([g @ x - wanted, g.sum() - prior])

    def hessian(line: Array) -> Array:
        """Return its second derivatives."""
        g = expit(line[0] * x + line[1])
        curve = q * g * (1 - g)
        mixed = curve @ x
        return np.array([[curve @ x**2, mixed], [mixed, curve.sum()]])

    def best(slope: float) -> Array:
        """Return the slope with its best offset."""
        return np.array([slope, offset(slope)])

    if gradient(best(0.0))[0] >= 0:
        slope = 0.0
    elif gradient(best(_STEEPEST))[0] <= 0:
        slope = _STEEPEST
    else:
        found = minimize(
            loss, best(1.0), jac=gradient, hess=hessian, method="trust-exact",
            options={"gtol": 1e-11},
        )  # fmt: skip
        slope = float(found.x[0])
    return SigmoidCalibrator(slope, offset(slope), centre, spread)
