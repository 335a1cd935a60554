# SPDX-License-Identifier: BSD-3-Clause
"""Covariance matrices drawn towards a multiple of the identity: by how much, and the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._linalg import power_of_two
from statfast._typing import Array
from statfast._validation import as_real, wrong_type


def as_shrinkage(
    shrinkage: float | str | None, automatic: tuple[Any, ...] = ("auto",)
) -> float | str | None:
    """None, a number from 0 to 1, or the name of a rule."""
    if shrinkage is None or (isinstance(shrinkage, str) and shrinkage in automatic):
        return shrinkage
    if isinstance(shrinkage, str) or not np.isscalar(shrinkage):
        names = ", ".join(map(repr, automatic))
        raise wrong_type("shrinkage", f"None, {names} or a number from 0 to 1", shrinkage)
    return as_real(shrinkage, "shrinkage", 0.0, 1.0)


def shrink(covariance: Array, share: Any) -> Array:
    """(1 - share) S + share tr(S) / d I."""
    d = len(covariance)
    return (1.0 - share) * covariance + share * np.trace(covariance) / d * np.eye(d)


def ledoit_wolf_share(total_weight: float, covariance: Array, fourth: float) -> float:
    """The shrinkage of least expected error, whatever the density (Ledoit and Wolf 2004).

    `covariance` is the maximum-likelihood one of `total_weight` rows, `fourth` the sum of
    |x - mean|^4.
    """
    d = len(covariance)
    size = np.trace(covariance) / d
    norm = (covariance**2).sum()
    beta = (fourth / total_weight - norm) / (d * total_weight)
    delta = (norm - d * size**2) / d
    beta = min(beta, delta)
    return 0.0 if beta <= 0.0 else float(beta / delta)


def oas_share(total_weight: float, covariance: Array) -> float:
    """The oracle approximating shrinkage of normal rows (Chen, Wiesel, Eldar and Hero 2010)."""
    d = len(covariance)
    if d == 1:
        return 0.0  # There is nothing to shrink.
    # The share does not depend on units; of extreme ones squares would leave the range of floats.
    covariance = np.ldexp(covariance, -power_of_two(float(np.abs(covariance.diagonal()).max())))
    alpha, size = (covariance**2).mean(), np.trace(covariance) / d
    down = (total_weight + 1.0) * (alpha - size**2 / d)
    return 1.0 if down <= 0.0 else float(min(1.0, (alpha + size**2) / down))


def class_covariances(total: Any, shrinkage: float | str | None, unbiased: bool) -> Array:
    """Covariances of the classes, (K, d, d), shrunk as asked.

    ``"auto"`` shrinks the correlation matrix of each class by Ledoit and Wolf's rule; a constant
    column keeps its variance of 0.
    """
    divisor = total.class_counts - 1.0 if unbiased else total.class_counts
    covariances = total.scatters / divisor[:, None, None]
    if shrinkage is None:
        return covariances
    if shrinkage != "auto":
        return np.stack([shrink(S, shrinkage) for S in covariances])
    out = np.empty_like(covariances)
    for k, S in enumerate(total.scatters / total.class_counts[:, None, None]):
        spread = np.sqrt(S.diagonal())
        spread[spread == 0.0] = 1.0
        both = spread[:, None] * spread
        share = ledoit_wolf_share(
            total.class_counts[k], S / both, (total.fourth[k] / both**2).sum()
        )
        out[k] = shrink(S / both, share) * both * (total.class_counts[k] / divisor[k])
    return out


def pooled_covariance(
    total: Any, shrinkage: float | str | None, unbiased: bool, priors: Array | None = None
) -> Array:
    """The common covariance of the classes: of their shrunk covariances, by their priors or counts.

    Without shrinkage it is the pooled scatter by n - K where that is unbiased.
    """
    each = class_covariances(total, shrinkage, unbiased=False)
    if unbiased:
        share = total.class_counts / (total.class_counts.sum() - len(total.class_counts))
    else:
        share = total.class_counts / total.class_counts.sum() if priors is None else priors
    return np.einsum("k,kij->ij", share, each)


def regularized_covariances(total: Any, alpha: float, gamma: float, unbiased: bool) -> Array:
    """(1 - gamma) M + gamma tr(M) / d I of M = alpha S_k + (1 - alpha) S, for each class."""
    n, n_classes = total.class_counts.sum(), len(total.class_counts)
    pooled = total.scatters.sum(axis=0) / (n - n_classes * unbiased)
    mixed = np.broadcast_to(pooled, total.scatters.shape)
    if alpha:
        mixed = alpha * class_covariances(total, None, unbiased) + (1.0 - alpha) * pooled
    return np.stack([shrink(M, gamma) for M in mixed])
