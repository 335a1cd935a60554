# SPDX-License-Identifier: BSD-3-Clause
"""Intervals as lines, also those without an end."""

import numpy as np

BEYOND = 1e300  # matplotlib's own sums overflow there


def interval_lines(values, ends, ratio):
    """Return points, the ends of lines, and limits of the axis; None for matplotlib's own.

    Lines without an end reach to the edge, and points that lie at infinity are left out; on the
    logarithmic axis of ratios zero is such an end, too.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        at, to = (np.log(values), np.log(ends)) if ratio else (values, ends)
    seen = np.concatenate([at, to.ravel()])
    finite = seen[np.abs(seen) < BEYOND]
    if len(finite) == np.sum(~np.isnan(seen)):
        return values, ends, None
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    margin = 0.1 * (high - low) or 1.0
    limits = np.array([low - margin, high + margin])
    limits = (
        np.clip(limits, -600, 600) if ratio else limits
    )  # matplotlib takes powers of 10 about them
    at, to = np.where(np.abs(at) < BEYOND, at, np.nan), np.clip(to, *limits)
    return (np.exp(at), np.exp(to), np.exp(limits)) if ratio else (at, to, limits)
