# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic models by truncated Newton steps: of sparse rows, of so many coefficients
that no Hessian is made, and where quasi-Newton steps have not ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array, Matrix
from statfast.linear.glm.matrix_free import DenseProducts, SparseProducts
from statfast.linear.glm.truncated_newton import End, PenalizedLoss, Point, minimize
from statfast.linear.logistic.lbfgs import Minimum


class _Softmax:
    """Minus the log-likelihood of classes as a function of their scores, see `PenalizedLoss`."""

    def __init__(self, codes: Array, weights: Array | None) -> None:
        self.codes = codes
        self.weights = np.ones(len(codes)) if weights is None else weights
        self.unit = float(self.weights.sum()) ** 0.5

    def evaluate(self, eta: Array) -> tuple[float, Array, Array, float]:
        """The curve holds the posteriors and, last, the weights."""
        from scipy.special import logsumexp

        rows, w = np.arange(len(self.codes)), self.weights
        total = logsumexp(eta, axis=1)
        curve = np.empty((len(eta), eta.shape[1] + 1))
        curve[:, :-1], curve[:, -1] = np.exp(eta - total[:, None]), w
        score = curve[:, :-1] * w[:, None]
        score[rows, self.codes] -= w
        return float(w @ (total - eta[rows, self.codes])), score, curve, self.unit

    def times(self, curve: Array, values: Array) -> Array:
        """Of each row w (diag(p) - p p') v."""
        shares = curve[:, :-1] * values
        return (shares - curve[:, :-1] * shares.sum(axis=1, keepdims=True)) * curve[:, -1:]

    def diagonal(self, curve: Array) -> Array:
        """Of each row w p (1 - p)."""
        return curve[:, :-1] * (1.0 - curve[:, :-1]) * curve[:, -1:]


class _SparseLoss(PenalizedLoss):
    """Of sparse rows: a term common to all classes, which gradients have not, stays out."""

    def rough(self, point: Point) -> Callable[..., Any]:
        divide = super().rough(point)

        def without_common(g: Array) -> Array:
            table = g.reshape(self.shape)
            return (table - table.mean(axis=1, keepdims=True)).ravel()

        # The common term is removed on both sides, so that the preconditioner is symmetric;
        # rounding would otherwise keep some of it in the gradient.
        return lambda g: without_common(divide(without_common(g)))


def fit_sparse_rows(
    X: Matrix,
    codes: Array,
    weights: Array | None,
    start: Array,
    penalty: Array,
    *,
    intercept: bool,
    tol: float,
    max_iter: int,
) -> tuple[Array, End, float]:
    """Coefficients (K, q) from a start, the intercept first, for a positive penalty (q,).

    Also the steps and whether they converged, and minus the log-likelihood.
    """
    loss = _Softmax(codes, weights)
    objective = _SparseLoss(SparseProducts(X, intercept), loss, penalty, len(start))
    end = minimize(objective, start.T.ravel(), tol=tol, max_iter=max_iter)
    return _coefficients(end.point.x, start), end, loss.evaluate(end.point.eta)[0]


def _coefficients(x: Array, start: Array) -> Array:
    return x.reshape(start.T.shape).T


class _DenseLoss(PenalizedLoss):
    """Of dense rows, for an `Objective` (see multinomial.py), which has the preconditioners."""

    def __init__(self, objective: Any) -> None:
        sums = objective.sums
        products = DenseProducts(sums.rows, sums.frame, sums.n, sums.n_jobs)
        loss = _Softmax(sums.codes, sums.weights)
        super().__init__(products, loss, objective.penalty, sums.n_classes)
        self.objective, self.factor_cost = objective, objective.full_solver_cost

    def _turned(self, solve: Callable[..., Any]) -> Callable[..., Any]:
        k = self.shape[::-1]
        return lambda g: solve(g.reshape(self.shape).T.ravel()).reshape(k).T.ravel()

    def rough(self, point: Point) -> Callable[..., Any]:
        return self._turned(self.objective.start)

    def factor(self, point: Point) -> Any:
        solve = self.objective.full_solver(point.x.reshape(self.shape).T)
        return solve and self._turned(solve)


def continued(minimum: Minimum, objective: Any, *, tol: float, max_iter: int) -> Minimum:
    """The end of an iteration of linear/logistic/lbfgs.py, brought to the minimum."""
    loss = _DenseLoss(objective)
    shape = objective.n_classes, objective.q
    unit = loss.loss.unit
    end = minimize(
        loss, minimum.x.reshape(shape).T.ravel(), tol=tol / unit,
        max_iter=max_iter - minimum.n_iter,
    )  # fmt: skip
    return Minimum(
        _coefficients(end.point.x, np.empty(shape)).ravel(), end.point.value, tol,
        minimum.n_iter + end.n_iter, end.converged,
    )  # fmt: skip
