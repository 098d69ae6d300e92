"""The mean of two estimates that err to different sides.

The convex curve starts a little low where P has few rows: it follows a chance dip in their scores.
The best bin lies a little high where classes overlap: negatives are above its cut. Their mean is
near the better of the two in either case.
"""

from __future__ import annotations

import numpy as np

from adapu._model import Array
from adapu.prior._bbe import bbe_share
from adapu.prior._convex import convex_share
from adapu.prior._places import Places


def auto_share(places: Places) -> tuple[Array, dict[str, Array]]:
    """Return the share of positives in U of each sample, with both estimates."""
    convex, of_convex = convex_share(places)
    bbe, of_bbe = bbe_share(places)
    bbe = np.minimum(bbe, 1.0)
    return (convex + bbe) / 2, {"convex": convex, "bbe": bbe, **of_convex, **of_bbe}
