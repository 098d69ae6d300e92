"""The oracle: AdaPU (Algorithms 1 and 2 of the paper) in plain loops, straight from the formulas.

Nothing of adapu is imported here. P+ are the labeled positives called +1, P- the same rows called
-1 (their weights are negative), U- the unlabeled rows called -1. A stump says `polarity` where
x > threshold and `-polarity` elsewhere. Functions named in HEAVY work on plain arrays and scalars
alone, so that `numba.njit` compiles them as they stand (`jitted` below does it).
"""

import importlib.util
import math
from typing import NamedTuple

import numpy as np

TOLERANCE = 1e-12  # rounding at the constraints and levels, and relative width of a tie
ERROR_FLOOR = 1e-10  # an error of 0 would make alpha infinite
STEP_UNIT = 2.0**-40  # steps are multiples of it, so that sums of steps are exact
MOST_VALUES = 1024  # n_f is counted up to here
MOST_PARTS = 256  # quantile cuts divide the weight into so many parts

HEAVY = (
    "total",
    "total_absolute",
    "says",
    "misclassified",
    "errors",
    "is_admissible",
    "candidates",
    "first_of_the_best",
    "updated",
    "moved",
    "share_positive",
)


class Stump(NamedTuple):
    feature: int
    threshold: float
    polarity: int
    alpha: float
    error: float
    step: float


class Round(NamedTuple):
    """Z, E and the errors at the start of the round, losses and rates after it."""

    Z: float
    E: float
    error: float
    nn_error: float
    zero_one_loss: float
    nn_zero_one_loss: float
    positives_called_positive: float
    unlabeled_called_negative: float


class Fit(NamedTuple):
    stumps: list
    history: list
    stop_reason: str


EMPTY = Stump(-1, math.nan, 0, 0.0, math.nan, 0.0)


# ---------------------------------------------------------------- weights


def groups(X, s, scenario="case-control", sample_weight=None):
    """Rows and sample weights of P and of U. In a single set U is every row. Weight 0: no row."""
    s = np.asarray(s)
    v = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    present = v > 0
    in_p = present & (s == 1)
    in_u = present if scenario == "single-set" else present & (s != 1)
    return X[in_p], v[in_p], X[in_u], v[in_u]


def initial_weights(v_p, v_u, prior):
    """pi / n_p on P+, -pi / n_p on P-, 1 / n_u on U-; n_p and n_u are sums of sample weights."""
    n_p, n_u = total(v_p), total(v_u)
    w_plus = np.array([v * prior / n_p for v in v_p])
    w_minus = np.array([-v * prior / n_p for v in v_p])
    w_u = np.array([v / n_u for v in v_u])
    return w_plus, w_minus, w_u


def total(weights):
    result = 0.0
    for w in weights:
        result += w
    return result


def total_absolute(weights):
    result = 0.0
    for w in weights:
        result += abs(w)
    return result


def updated(weights, y, column, threshold, polarity, step):
    """w <- w e^(-step y h(x)), row by row."""
    result = np.empty(len(weights))
    for i in range(len(weights)):
        result[i] = weights[i] * math.exp(-step * y * says(column[i], threshold, polarity))
    return result


# ---------------------------------------------------------------- one stump


def says(x, threshold, polarity):
    if x > threshold:
        return polarity
    return -polarity


def misclassified(p_column, u_column, w_plus, w_minus, w_u, threshold, polarity):
    """m+ (P+ called negative), m- (P- called positive), m_u (U- called positive)."""
    m_plus, m_minus, m_u = 0.0, 0.0, 0.0
    for i in range(len(p_column)):
        if says(p_column[i], threshold, polarity) == -1:
            m_plus += w_plus[i]
        else:
            m_minus += w_minus[i]
    for i in range(len(u_column)):
        if says(u_column[i], threshold, polarity) == 1:
            m_u += w_u[i]
    return m_plus, m_minus, m_u


def errors(m_plus, m_minus, m_u, W_plus, W_minus, W_u, prior, per_group):
    """The error and the non-negative error under either normalisation."""
    if per_group:
        nn_error = m_u / W_u - prior * m_minus / W_minus
        return prior * m_plus / W_plus + nn_error, nn_error
    Z = W_plus + W_minus + W_u
    return (m_plus + m_minus + m_u) / Z, (m_u + m_minus) / Z


def is_admissible(error, nn_error):
    return -TOLERANCE <= error < 0.5 - TOLERANCE and nn_error >= -TOLERANCE


def alpha_of(error):
    return 0.5 * math.log((1.0 - error) / max(error, ERROR_FLOOR))


def step_of(alpha, learning_rate):
    return round(learning_rate * alpha / STEP_UNIT) * STEP_UNIT


# ---------------------------------------------------------------- the search (Algorithm 2)


def candidates(X_p, X_u, w_plus, w_minus, w_u, thresholds, prior, per_group):
    """E, error and nn-error of every stump, as (F, K, 2) arrays; polarity -1 stands before +1.

    A NaN threshold is no candidate: all three are NaN.
    """
    n_features, n_thresholds = thresholds.shape
    W_plus, W_minus, W_u = total(w_plus), total(w_minus), total(w_u)
    E = np.full((n_features, n_thresholds, 2), np.nan)
    error = np.full((n_features, n_thresholds, 2), np.nan)
    nn_error = np.full((n_features, n_thresholds, 2), np.nan)
    for f in range(n_features):
        p_column, u_column = X_p[:, f], X_u[:, f]
        for k in range(n_thresholds):
            v = thresholds[f, k]
            if math.isnan(v):
                continue
            for j in range(2):
                m_plus, m_minus, m_u = misclassified(
                    p_column, u_column, w_plus, w_minus, w_u, v, 2 * j - 1
                )
                E[f, k, j] = m_plus + m_minus + m_u
                error[f, k, j], nn_error[f, k, j] = errors(
                    m_plus, m_minus, m_u, W_plus, W_minus, W_u, prior, per_group
                )
    return E, error, nn_error


def first_of_the_best(E, error, nn_error, tie):
    """The first admissible candidate whose E is within `tie` of the least; (-1, -1, -1): none."""
    lowest = np.inf
    for f in range(E.shape[0]):
        for k in range(E.shape[1]):
            for j in range(2):
                if is_admissible(error[f, k, j], nn_error[f, k, j]) and E[f, k, j] < lowest:
                    lowest = E[f, k, j]
    for f in range(E.shape[0]):
        for k in range(E.shape[1]):
            for j in range(2):
                if is_admissible(error[f, k, j], nn_error[f, k, j]) and E[f, k, j] <= lowest + tie:
                    return f, k, j
    return -1, -1, -1


def one_round(X_p, X_u, w_plus, w_minus, w_u, thresholds, prior, learning_rate, per_group):
    """The stump of one round with its E and nn-error.

    Where nothing is allowed, the empty stump: it abstains, so half of the weight counts as wrong.
    """
    E, error, nn_error = candidates(X_p, X_u, w_plus, w_minus, w_u, thresholds, prior, per_group)
    tie = TOLERANCE * (total_absolute(w_plus) + total_absolute(w_minus) + total_absolute(w_u))
    f, k, j = first_of_the_best(E, error, nn_error, tie)
    if f == -1:
        Z = total(w_plus) + total(w_minus) + total(w_u)
        return EMPTY, Z / 2, math.nan
    clipped = max(0.0, float(error[f, k, j]))
    alpha = alpha_of(clipped)
    step = step_of(alpha, learning_rate)
    stump = Stump(int(f), float(thresholds[f, k]), 2 * int(j) - 1, alpha, clipped, step)
    return stump, float(E[f, k, j]), max(0.0, float(nn_error[f, k, j]))


# ---------------------------------------------------------------- the loop (Algorithm 1)


def fit(
    X,
    s,
    thresholds,
    *,
    prior,
    n_estimators,
    learning_rate,
    normalization="per-group",
    scenario="case-control",
    sample_weight=None,
    fixed=False,
):
    """AdaPU on given thresholds: (T, F, K), or (F, K) for every round; NaN is no candidate.

    `fixed`: the candidates never change, so a round with nothing admissible ends it.
    """
    thresholds = np.asarray(thresholds, dtype=np.float64)
    if thresholds.ndim == 2:
        thresholds = np.broadcast_to(thresholds, (n_estimators, *thresholds.shape))
    per_group = normalization == "per-group"
    X_p, v_p, X_u, v_u = groups(X, s, scenario, sample_weight)
    w_plus, w_minus, w_u = initial_weights(v_p, v_u, prior)
    H_p, H_u = np.zeros(len(X_p)), np.zeros(len(X_u))
    stumps, history = [], []
    for t in range(n_estimators):
        Z = total(w_plus) + total(w_minus) + total(w_u)
        if Z <= 0:
            return Fit(stumps, history, "total weight not positive")
        stump, E, nn_error = one_round(
            X_p, X_u, w_plus, w_minus, w_u, thresholds[t], prior, learning_rate, per_group
        )
        if stump.polarity == 0 and fixed:
            return Fit(stumps, history, "no admissible stump")
        if stump.polarity != 0:
            v, polarity, step = stump.threshold, stump.polarity, stump.step
            p_column, u_column = X_p[:, stump.feature], X_u[:, stump.feature]
            w_plus = updated(w_plus, +1, p_column, v, polarity, step)
            w_minus = updated(w_minus, -1, p_column, v, polarity, step)
            w_u = updated(w_u, -1, u_column, v, polarity, step)
            H_p = moved(H_p, p_column, v, polarity, step)
            H_u = moved(H_u, u_column, v, polarity, step)
        stumps.append(stump)
        history.append(
            Round(float(Z), E, stump.error, nn_error, *losses_and_rates(H_p, H_u, v_p, v_u, prior))
        )
    return Fit(stumps, history, "n_estimators reached")


def moved(H, column, threshold, polarity, step):
    """H <- H + step h(x), row by row."""
    result = np.empty(len(H))
    for i in range(len(H)):
        result[i] = H[i] + step * says(column[i], threshold, polarity)
    return result


def decision_function(stumps, X):
    H = np.zeros(len(X))
    for stump in stumps:
        if stump.polarity != 0:
            column = X[:, stump.feature]
            H = moved(H, column, stump.threshold, stump.polarity, stump.step)
    return H


# ---------------------------------------------------------------- losses


def share_positive(H, v):
    """The weighted share of rows called positive: H > 0."""
    positive = 0.0
    for i in range(len(H)):
        if H[i] > 0:
            positive += v[i]
    return positive / total(v)


def losses_and_rates(H_p, H_u, v_p, v_u, prior):
    """The PU zero-one loss, its non-negative form, and the two rates of the last figure."""
    p_positive, u_positive = share_positive(H_p, v_p), share_positive(H_u, v_u)
    positive_part = prior * (1 - p_positive)
    negative_part = u_positive - prior * p_positive
    loss = positive_part + negative_part
    nn_loss = positive_part + max(0.0, negative_part)
    return loss, nn_loss, p_positive, 1 - u_positive


def exponential_loss(H_p, H_u, v_p, v_u, prior):
    """L_exp: pi/n_p sum_P e^-H + 1/n_u sum_U e^H - pi/n_p sum_P e^H, with sample weights."""
    n_p, n_u = total(v_p), total(v_u)
    result = 0.0
    for v, H in zip(v_p, H_p, strict=True):
        result += v * prior / n_p * (math.exp(-H) - math.exp(H))
    for v, H in zip(v_u, H_u, strict=True):
        result += v / n_u * math.exp(H)
    return result


# ---------------------------------------------------------------- thresholds


def interval(column):
    """[v_min - v_r / (n_f - 1), v_max + v_r / (n_f - 1)]; (inf, inf) where there is one value."""
    values = {float(x) for x in column}
    if len(values) == 1:
        return math.inf, math.inf
    lowest, highest = min(values), max(values)
    padding = (highest - lowest) / (min(len(values), MOST_VALUES) - 1)
    return lowest - padding, highest + padding


def even_thresholds(X, n_thresholds):
    """K values over the interval, both ends included; the midpoint where K is 1."""
    result = np.empty((X.shape[1], n_thresholds))
    for f in range(X.shape[1]):
        low, high = interval(X[:, f])
        for k in range(n_thresholds):
            if math.isinf(low):
                result[f, k] = math.inf
            elif n_thresholds == 1:
                result[f, k] = X.dtype.type(low + (high - low) / 2)
            else:
                result[f, k] = X.dtype.type(low + (high - low) * k / (n_thresholds - 1))
    return result


def random_thresholds(X, n_rounds, n_thresholds, rng):
    """(T, F, K) uniform draws from the interval, rounded to X's dtype."""
    result = np.full((n_rounds, X.shape[1], n_thresholds), np.inf)
    for f in range(X.shape[1]):
        low, high = interval(X[:, f])
        if math.isfinite(low):
            drawn = rng.uniform(low, high, size=(n_rounds, n_thresholds))
            result[:, f, :] = drawn.astype(X.dtype)
    return result


def cut_between(a, b):
    """The midpoint in the dtype of a and b, a itself where that rounds to b: a <= cut < b."""
    two = type(a)(2)
    with np.errstate(over="ignore"):
        middle = a + (b - a) / two
    if math.isinf(middle):
        middle = a / two + b / two
    return a if middle == b else middle


def quantile_cuts(column, sample_weight=None):
    """At most 255 cuts between distinct values, placed by quantiles of the sample weight."""
    if sample_weight is None:
        sample_weight = np.ones(len(column))
    weight_of = {}
    for x, v in zip(column, sample_weight, strict=True):
        if v > 0:
            weight_of[x] = weight_of.get(x, 0.0) + float(v)
    values = sorted(weight_of)
    if len(values) == 1:
        return [math.inf]
    cumulated, so_far = [], 0.0
    for value in values:
        so_far += weight_of[value]
        cumulated.append(so_far)
    if len(values) <= MOST_PARTS:
        places = list(range(len(values) - 1))
    else:
        places = []
        for j in range(1, MOST_PARTS):
            i = 0
            while cumulated[i] < (j / MOST_PARTS - TOLERANCE) * so_far:
                i += 1
            if i < len(values) - 1 and i not in places:
                places.append(i)
    return [float(cut_between(values[i], values[i + 1])) for i in places]


def all_quantile_thresholds(X, sample_weight=None):
    """(F, K) of every cut of every feature, NaN behind the shorter lists."""
    cuts = [quantile_cuts(X[:, f], sample_weight) for f in range(X.shape[1])]
    result = np.full((len(cuts), max(len(c) for c in cuts)), np.nan)
    for f, c in enumerate(cuts):
        result[f, : len(c)] = c
    return result


# ---------------------------------------------------------------- the AdaBoost limit


def adaboost(X, y, weights, thresholds, *, n_estimators, learning_rate):
    """Discrete AdaBoost on stumps with given thresholds (T, F, K) and starting weights; y is +-1.

    The stump of least weighted error below 1/2; alpha = 1/2 ln((1 - e) / e);
    w <- w e^(-beta alpha y h), normalised. Returns the stumps.
    """
    thresholds = np.asarray(thresholds, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    stumps = []
    for t in range(n_estimators):
        e = np.full((*thresholds[t].shape, 2), np.inf)
        for f in range(X.shape[1]):
            for k in range(thresholds.shape[2]):
                for j in range(2):
                    e[f, k, j] = 0.0
                    for i in range(len(X)):
                        if says(X[i, f], thresholds[t, f, k], 2 * j - 1) != y[i]:
                            e[f, k, j] += w[i]
        f, k, j = np.argwhere(e <= e.min() + TOLERANCE)[0]
        error = float(e[f, k, j])
        if error >= 0.5 - TOLERANCE:
            stumps.append(EMPTY)
            continue
        alpha = alpha_of(error)
        step = step_of(alpha, learning_rate)
        v, polarity = float(thresholds[t, f, k]), 2 * int(j) - 1
        stumps.append(Stump(int(f), v, polarity, alpha, error, step))
        for i in range(len(X)):
            w[i] *= math.exp(-step * y[i] * says(X[i, f], v, polarity))
        w /= w.sum()
    return stumps


# ---------------------------------------------------------------- the same source, compiled


def jitted():
    """A second copy of this module whose HEAVY functions are compiled by numba, as they stand."""
    import numba

    spec = importlib.util.spec_from_file_location("naive_jitted", __file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in HEAVY:
        setattr(module, name, numba.njit(getattr(module, name)))
    return module


# ---------------------------------------------------------------- calibration


def most_likely_probabilities(positive, v_p, population, v_u, prior):
    """{score: probability}: min(1, k r) with the mean π, where r is the isotonic p/q.

    The isotonic regression in its max-min form: r at i is the largest, over a ≤ i, of the smallest
    ratio of sums over a..b, b ≥ i. A labeled score counts at the next score of the population.
    """
    values = sorted({score for score, v in zip(population, v_u, strict=True) if v > 0})
    q = [0.0] * len(values)
    p = [0.0] * len(values)
    for score, v in zip(population, v_u, strict=True):
        if v > 0:
            q[values.index(score)] += v / sum(v_u)
    for score, v in zip(positive, v_p, strict=True):
        at = 0
        while at < len(values) - 1 and values[at] < score:
            at += 1
        p[at] += prior * v / sum(v_p)
    ratio = []
    for i in range(len(values)):
        best = 0.0
        for a in range(i + 1):
            least = math.inf
            for b in range(i, len(values)):
                least = min(least, sum(p[a : b + 1]) / sum(q[a : b + 1]))
            best = max(best, least)
        ratio.append(best)

    def mean(k):
        return sum(one * min(1.0, k * r) for one, r in zip(q, ratio, strict=True))

    low, high = 0.0, 1e9
    if mean(high) <= prior:  # the rows that have a ratio of 0 share what is missing
        share = sum(one for one, r in zip(q, ratio, strict=True) if r > 0)
        rest = (prior - share) / (1 - share) if share < 1 else 0.0
        return {x: 1.0 if r > 0 else rest for x, r in zip(values, ratio, strict=True)}
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < prior else (low, middle)
    return {x: min(1.0, high * r) for x, r in zip(values, ratio, strict=True)}


# ---------------------------------------------------------------- networks: the PU risk


def surrogate(name, z):
    """l(z): 1 / (1 + e^z), or ln(1 + e^-z)."""
    if name == "sigmoid":
        return 1 / (1 + math.exp(z))
    return math.log(1 + math.exp(-z))


def surrogate_slope(name, z):
    """l'(z)."""
    if name == "sigmoid":
        return -math.exp(z) / (1 + math.exp(z)) ** 2
    return -1 / (1 + math.exp(z))


def pu_parts(f_p, f_u, v_p, v_u, prior, name):
    """pi E_P[l(f)], and E_U[l(-f)] - pi E_P[l(-f)]."""
    n_p, n_u = total(v_p), total(v_u)
    positive = negative = 0.0
    for f, v in zip(f_p, v_p, strict=True):
        positive += prior * v / n_p * surrogate(name, f)
        negative -= prior * v / n_p * surrogate(name, -f)
    for f, v in zip(f_u, v_u, strict=True):
        negative += v / n_u * surrogate(name, -f)
    return positive, negative


def pu_step(f_p, f_u, v_p, v_u, prior, name, loss, beta=0.0, gamma=1.0):
    """The risk, and the gradient on f_p and f_u that a step goes against.

    nnPU (Kiryo et al., Algorithm 1): where the negative part is below -beta, gamma times the
    gradient of minus the negative part; otherwise that of the risk.
    """
    positive, negative = pu_parts(f_p, f_u, v_p, v_u, prior, name)
    n_p, n_u = total(v_p), total(v_u)
    corrected = loss == "nnpu" and negative < -beta
    on_p, on_u = [], []
    for f, v in zip(f_p, v_p, strict=True):
        of_positive = prior * v / n_p * surrogate_slope(name, f)
        of_negative = prior * v / n_p * surrogate_slope(name, -f)
        on_p.append(-gamma * of_negative if corrected else of_positive + of_negative)
    for f, v in zip(f_u, v_u, strict=True):
        of_negative = -v / n_u * surrogate_slope(name, -f)
        on_u.append(-gamma * of_negative if corrected else of_negative)
    return positive + (-beta if corrected else negative), on_p, on_u


def standardized(X, rows, v, n_channels):
    """Less the mean, divided by the deviation, of these rows; a channel has one of each."""
    size = len(X[0]) // n_channels
    result = np.array(X, dtype=np.float64)
    for c in range(n_channels):
        columns = range(c * size, (c + 1) * size)
        mean = square = weight = 0.0
        for i in rows:
            for j in columns:
                mean += v[i] * float(X[i][j])
                weight += v[i]
        mean /= weight
        for i in rows:
            for j in columns:
                square += v[i] * (float(X[i][j]) - mean) ** 2
        deviation = math.sqrt(square / weight)
        for i in range(len(X)):
            for j in columns:
                scale = 1.0 if deviation <= 1e-12 * abs(mean) else deviation
                result[i, j] = (float(X[i][j]) - mean) / scale
    return result
