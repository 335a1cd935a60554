# SPDX-License-Identifier: BSD-3-Clause
"""How many components: share of variance, Kaiser, broken stick, Minka's likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_count, as_real, either, shown, wrong_type
from statfast.decomposition.components.decompose import most_components

RULES = ("mle", "kaiser", "broken_stick")


def as_rule(n_components: float | str | None, n: int | None, total_weight: float, d: int) -> Any:
    """`n_components` as a number of components, or as a function of all eigenvalues.

    Parameters
    ----------
    n_components : None, int, float or one of RULES
    n, total_weight, d : int, float, int
        Rows, sum of their weights, and columns. n may be None while it is not known.
    """
    most = d if n is None else most_components(n, total_weight, d)
    if n_components is None:
        return most
    if isinstance(n_components, str):
        if n_components not in RULES:
            raise ValueError(
                f"n_components must be a number, {either(RULES)}; got {shown(n_components)}."
            )
        return lambda values, sample: by_rule(n_components, values, sample.n, sample.total_weight)
    if isinstance(n_components, float | np.floating) and not isinstance(n_components, bool):
        share = as_real(n_components, "n_components", 0.0, 1.0, open_low=True, open_high=True)
        return lambda values, sample: by_share(share, values)
    if isinstance(n_components, bool | np.bool_):
        raise wrong_type("n_components", "None, an integer, a share or a rule", n_components)
    return as_count(
        n_components, "n_components", 1, most, limit="the smaller of rows and columns of X"
    )


def by_share(share: float, values: Array) -> int:
    """The fewest components with more than this share of the variance."""
    total = values.sum()
    if not total > 0.0:
        raise ValueError(
            f"n_components={share} is a share of the variance of X, which has none. Pass a number "
            "of components, or rows that differ."
        )
    above = int(np.searchsorted(np.cumsum(values / total), share, side="right"))
    return min(above + 1, len(values))


def by_rule(rule: str, values: Array, n: int, total_weight: float) -> int:
    """Components by a rule for eigenvalues; at least one."""
    values = values[: most_components(n, total_weight, len(values))]
    if rule == "mle":
        return max(1, int(minka_evidence(values, total_weight).argmax()))
    if rule == "kaiser":
        return max(1, int((values > values.mean()).sum()))
    return max(1, leading(values > broken_stick(len(values)) * values.sum()))


def leading(passed: Array) -> int:
    """How many entries pass before the first that does not."""
    return int(len(passed) if passed.all() else passed.argmin())


def broken_stick(p: int) -> Array:
    """Expected shares of the pieces of a stick broken at p - 1 random places, largest first.

    Frontier 1976, doi:10.1016/0022-0981(76)90076-9.
    """
    return np.cumsum(1.0 / np.arange(p, 0, -1))[::-1] / p


def minka_evidence(values: Array, n: float) -> Array:
    """Log evidence of 0, ..., p - 1 components; -inf where it is not defined.

    Minka 2000, Automatic choice of dimensionality for PCA, Advances in Neural Information
    Processing Systems 13, equation 30: Laplace's approximation for probabilistic PCA.
    """
    from scipy.special import gammaln

    values = values / n  # These are the variances of maximum likelihood.
    p = len(values)
    evidence = np.full(p, -np.inf)
    rank = int((values > 1e-15 * values[:1].max(initial=0.0)).sum())
    order = np.arange(1, p + 1)
    prior = np.cumsum(
        gammaln((p - order + 1) / 2.0) - np.log(np.pi) * (p - order + 1) / 2.0 - np.log(2.0)
    )
    logs = np.cumsum(np.log(np.where(values > 0.0, values, 1.0)))
    for k in range(1, min(p, rank)):
        noise = values[k:].mean()
        if not noise > 0.0:
            continue
        m = p * k - k * (k + 1) / 2.0
        precision = 1.0 / np.where(order <= k, values, noise)
        first, second = np.triu_indices(k, 1, p)
        gaps = (values[first] - values[second]) * (precision[second] - precision[first])
        if not (gaps > 0.0).all():
            continue
        evidence[k] = (
            prior[k - 1]
            - n / 2.0 * logs[k - 1]
            - n * (p - k) / 2.0 * np.log(noise)
            + (m + k) / 2.0 * np.log(2.0 * np.pi)
            - (np.log(gaps).sum() + m * np.log(n)) / 2.0
            - k / 2.0 * np.log(n)
        )
    return evidence
