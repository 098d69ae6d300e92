"""Which candidates may be the best, given sums that are a little off; compiled.

The loops are those of Algorithm 2, over features, thresholds and the two stumps of a threshold. The
formulas are those of `adapu._search.mistakes` and `admissible`, one candidate at a time: in a round
with many features, NumPy's arrays in between would cost more than the arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adapu._threads import compiled


@compiled
def screen(
    above: Any,
    unit: Any,
    n_valid: Any,
    W: Any,
    Z: float,
    c: Any,
    tolerance: float,
    rooms: Any,
    found: Any,
    lowest: Any,
) -> Any:
    """Find the candidates that may be admissible and have the least E.

    Feature f has the candidates k < ``n_valid[f]``.
    ``rooms`` are what error, nn-error and E may be off by. A candidate is kept while its E may be
    below that of every candidate that is admissible for sure. Writes the number f·K + k of each
    into ``found`` and its E, of the better of its stumps that may be admissible, into ``lowest``.
    Returns how many were found and the final bound on E, which the first of them may exceed.
    """
    room, nn_room, E_room = rooms
    _, n_features, n_thresholds = above.shape
    n_found = 0
    bound = np.inf
    for f in range(n_features):
        for k in range(n_valid[f]):
            f_plus = 1.0 - above[0, f, k] * unit[0]
            f_minus = above[1, f, k] * unit[1]
            f_u = above[2, f, k] * unit[2]
            E_right = W[0] * f_plus + W[1] * f_minus + W[2] * f_u
            if min(E_right, Z - E_right) > bound:
                continue
            nn_right = c[1] * f_minus + c[2] * f_u
            error_right = c[0] * f_plus + nn_right
            best = np.inf
            for positive_right in (False, True):
                E = E_right if positive_right else Z - E_right
                error = error_right if positive_right else 1.0 - error_right
                nn_error = nn_right if positive_right else c[1] + c[2] - nn_right
                # how far the candidate is inside its constraints
                inside = min(error + tolerance, 0.5 - tolerance - error)
                nn_inside = nn_error + tolerance
                if inside >= -room and nn_inside >= -nn_room and E <= bound:
                    best = min(best, E)
                    if inside > room and nn_inside > nn_room:
                        bound = min(bound, E + E_room)
            if best <= bound:
                found[n_found] = f * n_thresholds + k
                lowest[n_found] = best
                n_found += 1
    return n_found, bound
