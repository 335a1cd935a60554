# SPDX-License-Identifier: BSD-3-Clause
"""Fisher's exact test of many rules at once, and corrections for their number."""

from __future__ import annotations

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array

MIN_FOR_SERIES = 16  # Stirling's series of four terms is exact to sixteen digits from here on.
NEAR = 0.1  # relative difference below which a deviance is a series, as digits cancel
SERIES_TERMS = 9  # whose last is below 1e-18 there
NEGLIGIBLE = 1e-17  # share of a sum below which its terms end
CORRECTIONS = ("holm", "bonferroni", "BH", None)


def fisher_p_values(both: Array, antecedent: Array, consequent: Array, total: int) -> Array:
    """The chance of at least as many baskets with both sides, were the sides independent.

    The tail of the hypergeometric distribution, summed from the observed number on, or where that
    is below the mean one less the sum of the others. The first term is R's (C. Loader 2000): three
    binomial probabilities by their deviances, which lose no digits.
    """
    a, x, y = (np.asarray(count, dtype=float) for count in (both, antecedent, consequent))
    N = float(total)
    above = a * N > x * y
    k = np.where(above, a, a - 1.0)
    term = np.where(k < np.maximum(0.0, x + y - N), 0.0, _hypergeometric(k, x, y, N))
    tail = term.copy()
    active = np.flatnonzero(term > 0)
    while len(active):
        i, up = k[active], above[active]
        xs, ys = x[active], y[active]
        rest = N - xs - ys
        up_ratio = (xs - i) * (ys - i) / ((i + 1.0) * np.maximum(rest + i + 1.0, 1.0))
        down_ratio = i * np.maximum(rest + i, 0.0) / ((xs - i + 1.0) * (ys - i + 1.0))
        term[active] *= np.where(up, up_ratio, down_ratio)
        k[active] += np.where(up, 1.0, -1.0)
        tail[active] += term[active]
        active = active[term[active] > NEGLIGIBLE * tail[active]]
        checkpoint()
    return np.clip(np.where(above, tail, 1.0 - tail), 0.0, 1.0)


def _hypergeometric(k: Array, x: Array, y: Array, N: float) -> Array:
    """The probability of k of x among y of N, where 0 <= k <= x, y and x + y - N <= k."""
    k = np.clip(k, np.maximum(0.0, x + y - N), np.minimum(x, y))
    p = y / N
    q = (N - y) / N
    logs = _log_binomial(k, x, p, q) + _log_binomial(y - k, N - x, p, q)
    return np.exp(logs - _log_binomial(y, np.full_like(y, N), p, q))


def _log_binomial(k: Array, n: Array, p: Array, q: Array) -> Array:
    """The logarithm of the binomial probability of k of n."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = (
            _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
            - _deviance(k, n * p) - _deviance(n - k, n * q)
            + 0.5 * np.log(n / (2.0 * np.pi * k * (n - k)))
        )  # fmt: skip
        none, all_of_them = n * np.log(q), n * np.log(p)
    return np.where(n == 0, 0.0, np.where(k == 0, none, np.where(k == n, all_of_them, inner)))


def _stirling_error(n: Array) -> Array:
    """log n! less Stirling's formula."""
    from scipy.special import gammaln

    m = np.maximum(n, 1.0)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / m**2) / m**2) / m**2) / m
    exact = gammaln(m + 1.0) - (m + 0.5) * np.log(m) + m - 0.5 * np.log(2.0 * np.pi)
    return np.where(n < MIN_FOR_SERIES, exact, series)


def _deviance(k: Array, mean: Array) -> Array:
    """k log(k / mean) + mean - k, also where both are nearly equal."""
    v = (k - mean) / (k + mean)
    total, power = (k - mean) * v, 2.0 * k * v
    for j in range(1, SERIES_TERMS):
        power = power * v * v
        total = total + power / (2 * j + 1)
    return np.where(np.abs(v) < NEAR, total, k * np.log(k / mean) + mean - k)


def corrected(p: Array, multiple: str | None) -> Array:
    """p values corrected for their number: Holm's and Bonferroni's of any error, Benjamini and
    Hochberg's (BH) of the share of false discoveries."""
    n = len(p)
    if multiple is None or n == 0:
        return p
    if multiple == "bonferroni":
        return np.minimum(p * n, 1.0)
    order = np.argsort(p, kind="stable")
    out = np.empty(n)
    if multiple == "holm":
        steps = np.maximum.accumulate(p[order] * np.arange(n, 0, -1))
    else:
        rising = p[order] * (n / np.arange(1, n + 1))
        steps = np.minimum.accumulate(rising[::-1])[::-1]
    out[order] = np.minimum(steps, 1.0)
    return out
