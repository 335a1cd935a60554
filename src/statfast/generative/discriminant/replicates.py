# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of linear discriminants for many weightings of the same rows, as of the bootstrap.

Moments of R weightings are products of the weights (R, n) with the rows, about the means of their
classes, and with the products of their columns. Means of a weighting lie so near those of all rows
that what they take off the scatter is small; weightings of which that is not true, as of an
outlier drawn or not drawn, and those whose covariance is nearly singular, are left to fits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.linalg import products
from statfast._engine import each, grid
from statfast._typing import Array, Jobs

# A column whose squares about a weighting's means are a smaller share has lost digits.
MIN_SQUARES_LEFT = 1e-3
# A correlation matrix whose inverse has a larger trace is not relied on.
MAX_TRACE_OF_INVERSE = 1e6
ROWS_OF_BLOCK = 1024  # The products of the columns of so many rows stay in cache.
WEIGHTINGS_AT_ONCE = 64  # So many weightings share a pass over the rows.


def predict_replicates(
    columns: Any,
    n_classes: int,
    weights: Array | None,
    rows: Any,
    *,
    unbiased: bool,
    priors: Any,
    n_jobs: Jobs,
) -> Any:
    """Codes (R, m) of the classes of `rows` by each weighting, and for which they are certain.

    ``weights(order)`` are those of the rows in an order, (R, n), not negative; `priors` are (K,),
    or None for the shares of the classes.
    """
    X, codes = columns[0], columns[1]
    center = X.mean(axis=0, dtype=np.float64)
    class_counts, distances, squares, means = _moments(X, codes, n_classes, weights, center, n_jobs)
    with np.errstate(all="ignore"):
        rules = _rules(class_counts, distances, squares, means, unbiased, priors)
    if rules is None:
        return None
    coef, intercept, certain = rules
    new, none = np.subtract(rows, center, order="C"), np.zeros(rows.shape[1])

    def work(weightings: Any) -> Any:
        best, score = np.empty((2, weightings.stop - weightings.start, len(new)))
        labels = np.zeros(best.shape, dtype=np.int16)
        products.project(coef[weightings, 0], none, new, best)
        best += intercept[weightings, 0, None]
        for k in range(1, n_classes):
            products.project(coef[weightings, k], none, new, score)
            score += intercept[weightings, k, None]
            np.maximum(
                labels, (score > best) * np.int16(k), out=labels
            )  # This is quicker than a masked copy.
            np.maximum(best, score, out=best)
        return labels

    effort = 4.0 * coef.size * len(new)
    predictions = each(
        work, grid(len(coef), WEIGHTINGS_AT_ONCE, WEIGHTINGS_AT_ONCE), n_jobs=n_jobs, effort=effort
    )
    return np.concatenate(predictions), certain


def _moments(X: Any, codes: Array, n_classes: int, weights: Any, center: Any, n_jobs: Any) -> Any:
    """Of each weighting: weights (R, K), sums (R, K, d) and squares (R, d, d) of the rows about the
    means of their classes; and these means about the center (K, d)."""
    order = np.argsort(codes, kind="stable")
    weights = weights(order)
    R, d = len(weights), X.shape[1]
    sizes = np.bincount(codes, minlength=n_classes)
    ends = np.cumsum(sizes)
    Z = X[order] - center
    means = np.array([Z[e - s : e].sum(axis=0) for s, e in zip(sizes, ends, strict=True)])
    means /= np.maximum(sizes, 1)[:, None]
    Z -= means[codes[order]]
    Z = np.ascontiguousarray(Z.T)
    upper = np.triu_indices(d)
    starts = np.flatnonzero(upper[0] == upper[1]).tolist()

    def work(piece):
        k, where = piece
        block, block_weights = Z[:, where], weights[:, where]
        # Columns stand first, then products of two.
        both = np.empty((d + len(upper[0]), block.shape[1]))
        both[:d] = block
        for i, start in enumerate(starts):
            np.multiply(block[i:], block[i], out=both[d + start : d + start + d - i])
        sums = np.empty((R, len(both)))
        products.project(block_weights, np.zeros(block_weights.shape[1]), both, sums)
        return k, block_weights.sum(axis=1), sums[:, :d], sums[:, d:]

    pieces = [
        (k, slice(end - size + piece.start, end - size + piece.stop))
        for k, (size, end) in enumerate(zip(sizes.tolist(), ends.tolist(), strict=True))
        for piece in grid(size, ROWS_OF_BLOCK, ROWS_OF_BLOCK)
    ]
    class_counts, distances = np.zeros((R, n_classes)), np.zeros((R, n_classes, d))
    flat = np.zeros((R, len(upper[0])))
    for k, totals, sums, products_of_columns in each(
        work, pieces, n_jobs=n_jobs, effort=2.0 * R * Z.size * d
    ):
        class_counts[:, k] += totals
        distances[:, k] += sums
        flat += products_of_columns
    squares = np.empty((R, d, d))
    squares[:, upper[0], upper[1]] = flat
    squares[:, upper[1], upper[0]] = flat
    return class_counts, distances, squares, means


def _rules(
    class_counts: Array, distances: Array, squares: Array, means: Array, unbiased: bool, priors: Any
) -> Any:
    """Coefficients (R, K, d) and intercepts (R, K) of the scores, and which are certain."""
    total = class_counts.sum(axis=1)
    shift = distances / class_counts[:, :, None]
    within = squares - np.swapaxes(distances, 1, 2) @ shift
    spread = np.diagonal(within, axis1=1, axis2=2)
    certain = (class_counts > 0.0).all(axis=1) & (total > len(means))
    certain &= (spread > MIN_SQUARES_LEFT * np.diagonal(squares, axis1=1, axis2=2)).all(axis=1)
    freedom = total - len(means) * unbiased
    spread = np.sqrt(spread / freedom[:, None])
    certain &= (spread > 1e-8 * np.abs(means).max(axis=0)).all(axis=1)
    correlation = within / freedom[:, None, None] / spread[:, :, None] / spread[:, None, :]
    correlation[~certain] = np.eye(correlation.shape[1])
    try:
        np.linalg.cholesky(correlation)
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    certain &= np.trace(inverse, axis1=1, axis2=2) < MAX_TRACE_OF_INVERSE
    shares = (
        class_counts / total[:, None]
        if priors is None
        else np.broadcast_to(priors, class_counts.shape)
    )
    at = means + shift
    middle = (shares[:, None, :] @ at)[:, 0]
    off = (at - middle[:, None]) / spread[:, None]
    turned = off @ inverse
    coef = turned / spread[:, None]
    intercept = np.log(shares) - 0.5 * (turned * off).sum(axis=2)
    intercept -= (coef @ middle[:, :, None])[:, :, 0]
    certain &= np.isfinite(coef).all(axis=(1, 2)) & np.isfinite(intercept).all(axis=1)
    coef[~certain], intercept[~certain] = 0.0, 0.0
    return coef, intercept, certain
