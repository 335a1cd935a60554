# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models with an l1 or elastic-net penalty.

Minimizes  sum_i w_i deviance_i / 2 + l1 |b|_1 + l2 |b|^2 / 2  by the proximal Newton steps of
`ProximalNewton`: lassos whose weights are the observed information of each row, which must not be
negative (Friedman, Hastie & Tibshirani 2010, doi:10.18637/jss.v033.i01). For any family there is
the duality gap of the quadratic approximation: near the solution it is that of the objective, up to
terms that vanish faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from statfast._engine import Chunks, Parts
from statfast._typing import Array
from statfast._validation import require_finite
from statfast.linear.design.columns import columns_of
from statfast.linear.design.design import dense_if_small
from statfast.linear.glm.irls import Fit, Unsolvable, solve
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.penalized.penalties import alpha_grid
from statfast.linear.penalized.proximal_newton import ProximalNewton

# The weight of a row is at least this share of its expected information, which takes a third to a
# half of the steps of the expected information itself where the observed one is often negative.
MIN_SHARE = 0.01
# The square of a score over the weight of its row is no more than the mean deviance over this.
MIN_WEIGHT = 1e-5
MAX_STEPS_OF_INTERCEPT = 20
MAX_HALVINGS = 50
# Scores at a solution sum to no more than so many times those of the null model: which columns are
# too small to have squares depends on it, no more.
MAX_GROWTH_OF_SCORES = 1e6


@dataclass(frozen=True)
class SparseModel:
    """Coefficients (d,) and intercept for the columns as they are, and how a penalty ended."""

    coef: Array
    intercept: float
    gap: float
    n_iter: int
    converged: bool


class GlmDescent(ProximalNewton):
    """The penalized deviance of `rows`, minimized for one penalty after the other.

    `start` (q,) are coefficients to begin at, the intercept first, if their means are means.
    """

    def __init__(self, rows: ModelRows, standardize: bool = False, start: Any = None) -> None:
        X, weights = rows.X, rows.weights
        if isinstance(X, Chunks | Parts):
            raise ValueError(
                "X must lie in memory for l1_ratio > 0, which reads columns again and again; got "
                "rows in chunks or parts. Pass an array, or l1_ratio=0."
            )
        if not rows.sparse:
            require_finite(X)
        kept = slice(None) if weights is None or weights.all() else np.flatnonzero(weights)
        self.family, self.link, self.y = rows.family, rows.link, rows.y[kept]
        weights = None if weights is None else weights[kept]
        self.offset = 0.0 if rows.offset is None else rows.offset[kept]
        self.unit = 1.0  # the mean deviance of the null model
        columns = columns_of(
            dense_if_small(X[kept]), weights, rows.intercept or standardize, standardize,
            rows.n_jobs,
        )  # fmt: skip
        if standardize and not rows.intercept:
            columns = columns.uncentered(weights)
        first = 0.0
        with np.errstate(all="ignore"):
            if rows.intercept:
                first = float(rows.link.link(np.float64(rows.mean)))
                first = first - float(np.mean(self.offset)) if isfinite(first) else 0.0
            super().__init__(columns, weights, rows.intercept, first)
            self.eta += self.offset
            self._start(rows, start)
            self.gradient = self._gradient()
            size = float(self.w @ np.abs(self.score)) / self.total_weight
            self.most = MAX_GROWTH_OF_SCORES * self.total_weight * max(size, 1e-300)

    def _start(self, rows: ModelRows, start: Any) -> None:
        """Begin at `start` if it gives means, else at the null model, else at a ridge fit."""
        has_null_model = isfinite(self._loss(self.eta))
        if has_null_model:
            self._measure()
            self._center()
            self._measure()
        begun = start is not None and self.begin(start)
        if has_null_model:
            return
        if not begun:
            ridge = solve(rows, ridge=rows.total_weight, max_iter=20, tol=1e-4)
            if not self.begin(ridge.coef):
                raise Unsolvable
        self._measure()

    def _measure(self) -> None:
        """Let deviances be compared with the present one."""
        self.null = max(self._loss(self.eta), np.finfo(float).tiny)
        self.unit = self.null / self.total_weight

    def grid(self, l1_ratio: float, how_many: int, eps: float) -> Array:
        """Penalties for the mean deviance, see `alpha_grid`; before the first penalty."""
        most = np.sqrt(self.columns.square.max() * (self.columns.weights @ self.score**2))
        largest = self.largest / self.per, float(most)
        return alpha_grid(largest, self.columns, l1_ratio, how_many, eps)

    def solve_penalty(
        self, alpha: float, l1_ratio: float, before: float | None, tol: float, most: int
    ) -> tuple[SparseModel, float]:
        """The model at a penalty of the mean deviance, and its l1: the next one's `before`.

        With None for `before`, larger penalties lead to it. With no steps, the model is the last.
        """
        with np.errstate(all="ignore"):
            l1, l2 = self.penalties(alpha * l1_ratio, alpha * (1 - l1_ratio), self.total_weight)
            turns = 0
            if before is None:
                before, turns = self.lead_down(l1, l2, most)
            gap, last = self.solve(l1, l2, before, tol, most) if most else (self.gap(l1, l2), 0)
            coef, first = self.original()
        done = gap <= max(tol, 1e-12) * self.null or self.still
        return SparseModel(coef, first, gap, turns + last, done), l1

    # ------------------------------------------------------------ the deviance
    def _loss(self, eta: Array) -> float:
        mu = self.link.mean(eta)
        if not self.family.inside(mu):
            return np.inf
        return 0.5 * float(self.w @ self.family.deviance(self.y, mu))

    def _score(self, mu: Array, slope: Array) -> Array:
        return (self.y - mu) * slope / self.family.variance(mu)

    def _curvature(self) -> tuple[Array, Array]:
        mu = self.link.mean(self.eta)
        slope = self.link.slope(self.eta, mu)
        score = self._score(mu, slope)
        expected = slope**2 / self.family.variance(mu)
        bent = self.link.bend(self.eta, mu) - slope * self.family.growth(mu)
        observed = expected - score * bent
        tiny = np.finfo(float).tiny
        least = np.maximum(MIN_SHARE * expected, MIN_WEIGHT * score**2 / max(self.unit, tiny))
        return score, np.maximum(np.maximum(observed, least), tiny)

    # ------------------------------------------------------------ the whole problem
    def _gradient(self) -> Array:
        mu = self.link.mean(self.eta)
        self.score = self._score(mu, self.link.slope(self.eta, mu))
        return self.columns.correlate(self.score) * self.per

    def gap(self, l1: float, l2: float) -> float:
        """The duality gap of the quadratic approximation, the scores scaled into the dual set."""
        self._center()
        self.gradient = self._gradient()
        score, weight = self._curvature()
        g, b, rr = self.gradient, self.b, float(self.w @ (score**2 / weight))
        top = float(np.abs(g - l2 * b).max(initial=0.0))
        shrink = l1 / top if top > l1 else 1.0
        whole = rr + float((l2 * b) @ b)
        primal = 0.5 * whole + l1 * float(np.abs(b).sum())
        gap = primal + 0.5 * shrink**2 * whole - shrink * (rr + float(b @ g))
        if l2:
            excess = np.maximum(np.abs(g) - l1, 0.0)
            beyond = np.divide(0.5 * float(excess @ excess), l2)
            gap = min(gap, primal - 0.5 * rr - float(b @ g) + beyond)
        return gap

    def _center(self) -> None:
        """Newton's steps for the intercept alone, so that the scores sum to zero."""
        if not self.intercept:
            return
        value = self._loss(self.eta)
        for _ in range(MAX_STEPS_OF_INTERCEPT):
            score, weight = self._curvature()
            step = float(self.w @ score) / float(self.w @ weight)
            for _ in range(MAX_HALVINGS):
                now = self._loss(self.eta + step)
                if now <= value * (1.0 + 1e-14):
                    break
                step *= 0.5
            else:
                return
            self.eta = self.eta + step
            self.b0, value = self.b0 + step, now
            if abs(step) <= 1e-15 * (1 + abs(self.b0)):
                return


def solve_sparse(
    rows: ModelRows, alpha: float, l1_ratio: float, *, tol: float, max_iter: int, start: Any
) -> Fit:
    """Fit one penalty of the mean deviance; see `GlmDescent`."""
    descent = GlmDescent(rows, start=start)
    model, _ = descent.solve_penalty(
        alpha, l1_ratio, None if start is None else np.inf, tol, max_iter
    )
    coef = np.append([model.intercept] if rows.intercept else [], model.coef)
    sums = rows.sums_at(rows.from_user(coef), hessian=False)
    return Fit(
        coef, None, np.zeros(rows.q, dtype=bool), sums.deviance, sums.chi2, model.n_iter,
        model.converged, False,
    )  # fmt: skip
