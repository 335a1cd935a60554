# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic regression with an l1 or elastic-net penalty, by proximal Newton steps.

Minimises  -log L(b) + l1 |b|_1 + l2 |b|^2 / 2  over the coefficients of all classes, those of the
intercept free. At each point the Hessian H of the columns that are in the model, or ought to be, is
taken as it is, classes coupled; with H = R'R its quadratic model is a lasso with the rows of R,
which `Descent` solves to the last digit, and a line search makes the step one that goes down
(Lee, Sun & Saunders 2014, Proximal Newton-type methods, doi:10.1137/130921428).
"""

from copy import copy
from dataclasses import dataclass

import numpy as np

from statfast._blocks import checkpoint
from statfast.linear.class_sums import Sums
from statfast.linear.columns import Columns
from statfast.linear.descent import Descent
from statfast.linear.multinomial import LARGEST, hessian_of

SINGULAR = 1e-13  # of the largest eigenvalue of the Hessian
ROUNDING = 1e-14  # of the null model's loss
HALVINGS = 40


@dataclass(frozen=True)
class SparseFit:
    """Coefficients (K, q), the intercept first and summing to 0, and how the fit ended."""

    coef: np.ndarray
    loss: float  # minus log L
    null_loss: float  # that of the intercept alone
    n_iter: int
    converged: bool


def fit_sparse_multinomial(
    rows, codes, weights, n_classes, l1, l2, *, intercept, tol, max_iter, n_jobs
) -> SparseFit:
    """Fit; the last step promises a fall of no more than `tol` times the null model's loss."""
    problem = _Problem(rows, codes, weights, n_classes, l1, l2, intercept, n_jobs)
    b = problem.start(weights)
    value, null = problem.value(b), problem.loss
    converged, n_iter = False, 0
    while n_iter < max_iter and not converged:
        checkpoint()
        n_iter += 1
        working = problem.working(b)
        target, promise = problem.direction(b, working)
        converged = promise <= tol * null
        step, part = target - b, 1.0
        for _ in range(HALVINGS):
            trial = b + part * step
            now = problem.value(trial)
            if now <= value - 1e-4 * part * promise + ROUNDING * null:
                break
            part *= 0.5
        else:  # as low as rounding lets it
            converged = promise <= max(1e4 * tol, 1e-10) * null
            break
        b, value = trial, now
    problem.value(b)
    return SparseFit(problem.to_user(b), problem.loss, null, n_iter, converged)


class _Problem:
    """The objective at coefficients (K, q) of rows less the shift of their frame."""

    def __init__(self, rows, codes, weights, n_classes, l1, l2, intercept, n_jobs):
        self.sums = Sums(rows, codes, weights, n_classes, intercept, n_jobs)
        self.n_classes, self.one, self.l1 = n_classes, int(intercept), l1
        self.q = self.sums.q
        self.unit = np.append(np.ones(self.one), self.sums.frame.scale)
        self.penalised = np.arange(self.q) >= self.one
        self.l2 = np.where(self.penalised, l2, 0.0)
        self.parts = {}  # sums over some of the columns
        self.loss = 0.0

    def start(self, weights):
        """The model without columns."""
        b = np.zeros((self.n_classes, self.q))
        if self.one:
            mass = np.bincount(self.sums.codes, weights, self.n_classes)
            b[:, 0] = np.log(mass / mass.sum())
        return b

    def value(self, b):
        """The objective; `loss` and `gradient` are those of minus log L there."""
        self.loss, gradient, _ = self.sums.at(b / self.unit)
        self.gradient = gradient / self.unit
        own = b[:, self.one :]
        return self.loss + self.l1 * np.abs(own).sum() + 0.5 * float((self.l2 * b * b).sum())

    def working(self, b):
        """Columns in the model, and those whose gradient says they ought to be."""
        steep = np.abs(self.gradient + self.l2 * b) > self.l1
        chosen = np.flatnonzero((steep | (b != 0.0)).any(axis=0) | ~self.penalised)
        if len(chosen) == self.one:  # rows have a column, of whichever no harm is done
            chosen = np.arange(self.one + 1)
        if self.n_classes * len(chosen) > LARGEST:
            raise ValueError(
                f"A multinomial model with an l1 penalty can have up to {LARGEST} coefficients in "
                f"its steps; this one needs {self.n_classes * len(chosen)}. Lower C, or use "
                "multi_class='ovr'."
            )
        return chosen

    def direction(self, b, working):
        """Where the quadratic model is least, and how far the objective falls by it."""
        own, unit, pen = b[:, working], self.unit[working], self.penalised[working]
        _, _, pairs = self._sums_of(working).at(own / unit, every=1)
        hessian = hessian_of(pairs, 0.0) / unit[:, None, None] / unit
        size = own.size
        free = np.tile(~pen, self.n_classes)
        matrix = hessian.reshape(size, size)
        matrix[np.diag_indices(size)] += np.tile(self.l2[working], self.n_classes)
        slope = (self.gradient[:, working] + self.l2[working] * own).ravel()
        found = _least(matrix, slope, own.ravel(), self.l1, free)
        target = b.copy()
        target[:, working] = found.reshape(own.shape)
        grown = np.abs(target[:, self.one :]).sum() - np.abs(b[:, self.one :]).sum()
        return target, -float(slope @ (found - own.ravel())) - self.l1 * grown

    def _sums_of(self, working):
        if len(working) == self.q:
            return self.sums
        key = working.tobytes()
        if key not in self.parts:
            self.parts.clear()
            self.parts[key] = copy(self.sums)
            self.parts[key].take(working[self.one :] - self.one)
        return self.parts[key]

    def to_user(self, b):
        out = b.copy()
        if self.one:
            out[:, 0] -= b[:, 1:] @ self.sums.frame.shift
            out[:, 0] -= out[:, 0].mean()
        return out


def _least(matrix, slope, at, l1, free):
    """The least of  slope'(c - at) + (c - at)' matrix (c - at) / 2 + l1 |c of those not free|."""
    values, vectors = np.linalg.eigh(matrix)
    some = values > SINGULAR * values[-1]
    root = np.sqrt(values[some])
    R = root[:, None] * vectors[:, some].T
    target = R @ at - (vectors[:, some].T @ slope) / root
    basis = np.zeros((len(R), 0))
    if free.any():
        basis, reach, _ = np.linalg.svd(R[:, free], full_matrices=False)
        basis = basis[:, reach > 1e-7 * reach[0]]
    inside = R[:, ~free] - basis @ (basis.T @ R[:, ~free])
    beyond = target - basis @ (basis.T @ target)
    columns = Columns(np.asfortranarray(inside), None, False, False, target=beyond, whole=True)
    descent = Descent(columns, beyond)
    descent.b[:] = at[~free]
    descent.refresh()
    found = descent.solve(l1, 0.0, np.inf, 1e-15, 5000)
    own = np.zeros(int((~free).sum()))
    own[found.index] = found.coef * columns.scale[found.index]
    out = np.empty(len(at))
    out[~free] = own
    if free.any():
        left = target - R[:, ~free] @ own
        shift = np.linalg.lstsq(R[:, free], left - R[:, free] @ at[free], rcond=1e-9)[0]
        out[free] = at[free] + shift
    return out
