# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models of many columns: truncated Newton steps in place of scoring's.

Where links are not canonical the curvature is Fisher's, as in `Scoring`.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.linear.design.design import INFERENCE_COLUMNS
from statfast.linear.design.standardization import Standardization
from statfast.linear.glm.irls import Fit
from statfast.linear.glm.irls_sums import IRLSSums, ModelRows
from statfast.linear.glm.matrix_free import DenseProducts, SparseProducts
from statfast.linear.glm.truncated_newton import PenalizedLoss, Point, minimize

MIN_SPARSE_COLUMNS = 64  # From so many columns of sparse rows on, no matrix of them is made.
# The same limit for dense rows, where there are no more rows than columns.
MIN_DENSE_COLUMNS = 1000
STEPS_TO_HALVE = 8  # Within so many steps, those of an iteration that converges halve.
ROUNDING_OF_STEP = 1e-6  # Steps that are a smaller share of the linear predictors may be rounding.
NO_INFORMATION_MATRIX = (
    "The information matrix of {0} coefficients ({1:.1f} GiB) was not made, as they are more than "
    f"{INFERENCE_COLUMNS}: there are no standard errors, tests or intervals. Fit fewer columns "
    "for inference."
)


def too_many(q: Any) -> Any:
    """Why there is no inference."""
    return NO_INFORMATION_MATRIX.format(q, 8.0 * q * q / 2**30)


def solve_matrix_free(
    rows: Any, *, ridge: float, max_iter: int, tol: float, start: Any = None
) -> Any:
    """A `Fit` without covariance; None where `irls.solve` is to be asked.

    That is so where columns are few or rows come in chunks, and for maximum likelihood with
    inference, unless the classes prove to be separated.
    """
    if rows.chunked or not _pays(rows, ridge):
        return None
    x = _beginning(rows) if start is None else rows.from_user(start)
    if rows.sparse:
        products = SparseProducts(rows.X, rows.intercept)
    else:
        ones = np.ones(rows.p)
        frame = Standardization(rows.intercept, rows.shift, ones, ones)
        products = DenseProducts(rows.X, frame, rows.n, rows.n_jobs)
    penalty = np.full(rows.q, float(ridge))
    if rows.intercept:
        penalty[0] = 0.0
    with np.errstate(all="ignore"):
        objective = _Likelihood(rows, products, penalty)
        if not isfinite(objective.point_at(x).value):
            return None
        end = minimize(objective, x, tol=tol, max_iter=max_iter)
        point = end.point
        diverged = objective.is_hopeless(point, end.sizes)
        if not (ridge or diverged or rows.q > INFERENCE_COLUMNS):
            return None
        sums = objective.loss.sums(point.eta)
    aliased = np.zeros(rows.q, dtype=bool)
    return Fit(
        rows.to_user(point.x), None, aliased, sums.deviance, sums.chi2, end.n_iter,
        end.converged and not diverged, diverged,
    )  # fmt: skip


def _pays(rows: ModelRows, ridge: float) -> bool:
    """Whether products with the rows cost less than the information."""
    if rows.q < (MIN_SPARSE_COLUMNS if rows.sparse else MIN_DENSE_COLUMNS):
        return False
    return rows.sparse or rows.q > INFERENCE_COLUMNS or rows.q >= rows.n


def _beginning(rows: ModelRows) -> Array:
    """The model without columns."""
    out = np.zeros(rows.q)
    if rows.intercept:
        with np.errstate(all="ignore"):
            first = float(rows.link.link(np.float64(rows.mean)))
        if rows.offset is not None:
            first -= float(rows.offset.mean())
        out[0] = first if isfinite(first) else 0.0
    return out


class _Likelihood(PenalizedLoss):
    """Half the deviance, with the penalty."""

    def __init__(self, rows: ModelRows, products: Any, penalty: Array) -> None:
        super().__init__(products, _Deviance(rows), penalty, 1)
        self.rows, self.penalized = rows, bool(penalty.any())

    def is_hopeless(self, point: Point, sizes: list[float]) -> bool:
        """Whether the linear values separate the two classes, or steps do not shrink any more."""
        rows = self.rows
        if self.penalized:
            return False
        if len(sizes) > 2 * STEPS_TO_HALVE and sizes[-1] > 0.5 * sizes[-1 - STEPS_TO_HALVE]:
            return sizes[-1] > ROUNDING_OF_STEP * (1.0 + np.abs(point.eta).max())
        if not rows.classes:
            return False
        margins = np.where(rows.y > 0.5, point.eta[:, 0], -point.eta[:, 0])
        return bool((margins[slice(None) if rows.weights is None else rows.weights > 0] > 0).all())


class _Deviance:
    """Half the deviance of rows as a function of their linear values, without the offset."""

    def __init__(self, rows: ModelRows) -> None:
        self.rows = rows

    def sums(self, eta: Array) -> IRLSSums:
        """Deviance and chi-square."""
        return self._sums(eta)[0]

    def _sums(self, eta: Array) -> tuple[IRLSSums, Array, Array]:
        rows, eta = self.rows, eta[:, 0]
        sums = rows._nothing(False)
        eta = eta if rows.offset is None else eta + rows.offset
        return sums, *rows._score(sums, eta, rows.y, rows.weights)

    def evaluate(self, eta: Array) -> tuple[float, Array, Array, float]:
        """See `PenalizedLoss`."""
        sums, score, weights = self._sums(eta)
        dispersion = self.rows.family.dispersion
        if dispersion != dispersion:
            dispersion = max(sums.chi2 / self.rows.total_weight, 1e-300)
        unit = sqrt(dispersion * self.rows.total_weight)
        value = 0.5 * sums.deviance if isfinite(sums.deviance) else inf
        return value, -score[:, None], weights[:, None], unit

    def times(self, curve: Array, values: Array) -> Array:
        """See `PenalizedLoss`."""
        return curve * values

    def diagonal(self, curve: Array) -> Array:
        """See `PenalizedLoss`."""
        return curve
