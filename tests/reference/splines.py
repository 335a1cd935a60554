# SPDX-License-Identifier: BSD-3-Clause
"""B-splines and shares of a distribution, by their definitions."""

import numpy as np


def spline(x, t, i, degree, last):
    """B-spline i of a degree at x, by the recursion over degrees; `last` closes its interval."""
    if degree == 0:
        inside = t[i] < x <= t[i + 1] if x == last else t[i] <= x < t[i + 1]
        return 1.0 if inside else 0.0
    out = 0.0
    if t[i + degree] > t[i]:
        out += (x - t[i]) / (t[i + degree] - t[i]) * spline(x, t, i, degree - 1, last)
    if t[i + degree + 1] > t[i + 1]:
        rest = (t[i + degree + 1] - x) / (t[i + degree + 1] - t[i + 1])
        out += rest * spline(x, t, i + 1, degree - 1, last)
    return out


def share_below(x, quantiles):
    """The share at x of quantiles at 0, 1 / (m - 1), ..., 1: the middle of those that x is."""
    m = len(quantiles)
    equal = np.flatnonzero(quantiles == x)
    if x < quantiles[0] or 0 in equal:
        return 0.0
    if x > quantiles[-1] or m - 1 in equal:
        return 1.0 if m > 1 else 0.0
    if len(equal):
        return (equal[0] + equal[-1]) / 2 / (m - 1)
    i = np.flatnonzero(quantiles < x)[-1]
    return (i + (x - quantiles[i]) / (quantiles[i + 1] - quantiles[i])) / (m - 1)
