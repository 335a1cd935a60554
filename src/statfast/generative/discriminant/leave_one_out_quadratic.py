# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out scores of quadratic and regularized rules, of a whole grid from one decomposition.

Without row i of class g, u = x_i - m_g, w its weight, every covariance of the family

    (1 - rate) (alpha S_k + (1 - alpha) S) + rate (tr / d or 1) I

is a matrix B that only k, whether k = g, alpha and w decide, less a multiple b of uu', with a
share of the trace of that on the diagonal: in the eigenvectors of B it is a diagonal matrix less a
multiple of a product, which Sherman and Morrison's formula inverts in O(d) operations
(Friedman 1989, doi:10.1080/01621459.1989.10478752, for rate = 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.generative import quadratic_scores
from statfast._engine import checkpoint, interruptible
from statfast._typing import Array
from statfast.generative.discriminant.class_covariances import quadratic_rule
from statfast.generative.discriminant.leave_one_out import (
    MIN_VARIANCE_LEFT,
    log_priors_without,
    priors_without,
)
from statfast.generative.normal.whitening import smallest_variance, whiten

MAX_DISTINCT_WEIGHTS = 32  # Each distinct weight takes decompositions of its own.


@dataclass(frozen=True)
class Base:
    """Coordinates of the matrix B = alpha S_k + (1 - alpha) S of fits without a row."""

    root: NDArray[np.float64]  # (d, d) root, in whose coordinates B is diagonal or the identity.
    # (d,) the diagonal of B in these coordinates; None for the identity.
    variances: NDArray[np.float64] | None
    log_det: float  # The logarithm of the determinant of B where it is the identity.
    trace: float
    shakiness: float  # near 1 where B is all but singular
    share: float  # b / c: how much uu' is taken from B for each unit of c.


def prepare_base(
    total: Any,
    k: int,
    of_same_class: bool,
    w: float,
    alpha: float,
    unbiased: bool,
    tol: float,
    plain: bool,
) -> Base | None:
    """The matrix B of class k for rows of weight w, of its own or of others; None if singular."""
    lost, n_classes = float(unbiased), len(total.class_counts)
    size = total.class_counts[k] - (w if of_same_class else 0.0) - lost
    n = total.class_counts.sum() - w - lost * n_classes
    with np.errstate(divide="ignore", invalid="ignore"):
        part = alpha / size if alpha else 0.0
        rest = (1.0 - alpha) / n if alpha < 1.0 else 0.0
    matrix = part * total.scatters[k]
    if rest:
        matrix = matrix + rest * total.scatters.sum(axis=0)
    if not (np.isfinite(matrix).all() and size > -lost and n > 0.0 and part >= 0.0):
        return None
    share = rest + (part if of_same_class else 0.0)
    trace = float(np.trace(matrix))
    if plain:
        white = whiten(matrix, np.abs(total.means).max(axis=0), tol)
        if white.root.shape[1] < len(matrix):
            return None
        shaky = (white.root * white.spread[:, None]) ** 2
        shakiness = float(shaky.sum()) * smallest_variance(len(matrix), tol)
        return Base(white.root, None, white.log_det, trace, shakiness, share)
    variances, vectors = interruptible(np.linalg.eigh, matrix)
    return Base(vectors, variances.clip(0.0), 0.0, trace, 0.0, share)


def unregularized_scorer(
    total: Any, unbiased: bool, tol: float, fixed: Array | None
) -> Callable[..., Any] | None:
    """Scores by the quadratic rules of all other rows, of covariances as they are; None if one is
    singular.

    A row takes c uu' off the covariance of its own class alone, so that of the distances to all
    classes, those of `predict`, one changes.
    """
    class_counts, n_classes = total.class_counts, len(total.class_counts)
    sizes, d = class_counts - float(unbiased), total.means.shape[1]
    if not (sizes > 0.0).all():
        return None
    extent = np.abs(total.means).max(axis=0)
    whites = [whiten(S / size, extent, tol) for S, size in zip(total.scatters, sizes, strict=True)]
    if any(white.root.shape[1] < d for white in whites):
        return None
    least = smallest_variance(d, tol)
    shakiness = np.array([
        ((white.root * white.spread[:, None]) ** 2).sum() * least for white in whites
    ])  # fmt: skip
    rule = quadratic_rule(np.ones(n_classes), total.means, whites)
    _, _, _, heights, _ = rule

    def score(rows: Array, codes: Array, w: Array) -> tuple[Array, Array]:
        table = np.empty((len(rows), n_classes))
        quadratic_scores.scores(rows, *rule, table)
        scores, own = np.ascontiguousarray(table.T), (codes, np.arange(len(codes)))
        weight, size, height = class_counts[codes], sizes[codes], heights[codes]
        q, remaining, rate = 2.0 * (height - scores[own]), weight - w, 1.0 - w / size
        f = 1.0 - w * weight / (remaining * size) * q
        far = rate * (weight / remaining) ** 2 * q / f
        scores[own] = height - 0.5 * (np.log(f) - d * np.log(rate) + far)
        scores += log_priors_without(fixed, class_counts, w, codes)
        certain = (f > MIN_VARIANCE_LEFT) & (f**2 > shakiness[codes]) & (shakiness.max() < 1.0)
        certain &= (remaining > 0.0) & (rate > 0.0)
        return scores.T, certain & np.isfinite(scores).all(axis=0)

    return score


def quadratic_scorer(
    total: Any,
    *,
    alpha: float,
    rate: float,
    traced: bool,
    unbiased: bool,
    tol: float,
    fixed: Array | None,
) -> Callable[..., Any]:
    """A function from rows to leave-one-out scores and their certainty, as `leave_one_out` asks."""
    score_grid = grid_scorer(
        total,
        alpha=alpha,
        rates=[rate],
        traced=traced,
        unbiased=unbiased,
        tol=tol,
        fixed=fixed,
        most=MAX_DISTINCT_WEIGHTS,
    )

    def score(rows: Array, codes: Array, w: Array) -> tuple[Array, Array]:
        scores, certain = score_grid(rows, codes, w)
        return scores[0], certain[0]

    return score


def grid_scorer(
    total: Any,
    *,
    alpha: float,
    rates: list[float],
    traced: bool,
    unbiased: bool,
    tol: float,
    fixed: Array | None,
    most: float = inf,
) -> Callable[..., Any]:
    """The same for several rates: scores (G, b, K) and certainty (G, b).

    `traced` says whether the identity is multiplied by the mean variance; with more than `most`
    distinct weights nothing is certain.
    """
    bases = {}
    class_counts, n_classes = total.class_counts, len(total.class_counts)

    def score(rows: Array, codes: Array, w: Array) -> tuple[Array, Array]:
        scores = np.full((len(rates), len(rows), n_classes), np.nan)
        weights = np.unique(w)
        if len(weights) > most:
            return scores, np.zeros(scores.shape[:2], bool)
        log_priors = np.log(priors_without(fixed, class_counts, w, codes))
        for weight in weights.tolist():
            checkpoint()
            for g in np.unique(codes[w == weight]).tolist():
                members = np.flatnonzero((codes == g) & (w == weight))
                for k in range(n_classes):
                    part = class_scores(rows[members], g, k, weight)
                    scores[:, members, k] = log_priors[members, k] + part
        return scores, np.isfinite(scores).all(axis=2)

    def class_scores(rows: Array, g: int, k: int, w: float) -> Array:
        """Log densities (G, b) of class k at rows of class g; NaN where a fit has to decide."""
        out = np.full((len(rates), len(rows)), np.nan)
        remaining = class_counts[g] - w
        if remaining <= 0.0:
            return out
        u, c = rows - total.means[g], w * class_counts[g] / remaining
        length = (u**2).sum(axis=1)
        for number, rate in enumerate(rates):
            plain = rate == 0.0
            key = k, k == g, w, plain
            if key not in bases:
                bases[key] = prepare_base(total, k, k == g, w, alpha, unbiased, tol, plain)
            B = bases[key]
            if B is None:
                continue
            coordinates = u @ B.root
            at = (
                coordinates * (class_counts[g] / remaining)
                if k == g
                else (rows - total.means[k]) @ B.root
            )
            out[number] = densities(B, at, coordinates, c * B.share, length, rate, traced)
        return out

    return score


def densities(
    B: Base, at: Array, u: Array, b: float, length: Array, rate: float, traced: bool
) -> Array:
    """Log densities without the constant, in the coordinates of B, for b rows."""
    d = at.shape[1]
    if B.variances is None:
        log_det = np.full(len(at), B.log_det)
        scaled_u, scaled_at = u, at
    else:
        level = rate * ((B.trace - b * length) / d if traced else np.ones(len(at)))
        variances = (1.0 - rate) * B.variances + level[:, None]
        log_det = np.log(variances).sum(axis=1)
        scaled_u, scaled_at = u / variances, at / variances
        b = b * (1.0 - rate)
    f = 1.0 - b * np.einsum("ij,ij->i", u, scaled_u)
    far = np.einsum("ij,ij->i", at, scaled_at) + b * np.einsum("ij,ij->i", at, scaled_u) ** 2 / f
    scores = -0.5 * (log_det + np.log(f) + far)
    return np.where((f > MIN_VARIANCE_LEFT) & (f**2 > B.shakiness), scores, np.nan)
