# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic regression with an l1 or elastic-net penalty, by proximal Newton steps.

Minimizes  -log L(b) + l1 |b|_1 + l2 |b|^2 / 2  over the coefficients of all classes, those of the
intercept free. At each point the Hessian H of the columns that are in the model, or ought to be, is
taken as it is, classes coupled; with H = R'R its quadratic model is a lasso with the rows of R,
which `Descent` solves to the last digit, and a line search makes the step one that goes down
(Lee, Sun & Saunders 2014, Proximal Newton-type methods, doi:10.1137/130921428).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import log, nan
from typing import Any

import numpy as np

from statfast._engine import Chunks, checkpoint, interruptible
from statfast._typing import Array, Matrix
from statfast._validation import is_sparse, require_finite
from statfast.linear.design.column_scaling import MAX_PENALTY, MIN_COLUMN, VANISHED, times_powers
from statfast.linear.design.columns import Columns
from statfast.linear.design.design import dense_if_small, linear_predictor
from statfast.linear.glm.fit import PENALIZED, names_of
from statfast.linear.inference.inference import Result
from statfast.linear.logistic.logistic_path import solve_logistic
from statfast.linear.logistic.multinomial import MAX_COEFFICIENTS_FACTORED, hessian_of
from statfast.linear.logistic.problem import LogisticProblem, LogisticSolution, dense
from statfast.linear.logistic.softmax_sums import SoftmaxSums
from statfast.linear.penalized.coordinate_descent import Descent

MIN_EIGENVALUE = 1e-13  # The least eigenvalue that is used, relative to the largest of the Hessian.
ROUNDING_OF_LOSS = 1e-14  # Relative to the null model's loss.
MAX_HALVINGS = 40
# The smallest gap of a step's lasso, relative to the squares of its target, and its most sweeps.
SHARPEST, SWEEPS = 1e-15, 5000
RATIO_OF_PENALTIES = 0.2  # The next penalty is this share of one, down to that asked for.
# For larger penalties the last step promises this share of the null model's loss.
LAST_FALL_OF_LARGER = 1e-3
FIRST_GAP = 1e-3  # The first step's lasso may leave this share of the null model's loss.
# The next step's lasso may leave this share of what the last step promised.
GAP_LEFT_OF_GAIN = 0.01
LAST_GAP = 1e-3  # The last lasso may leave this share of the fall that ends the steps.


@dataclass(frozen=True)
class SparseSolution:
    """Coefficients (K, q), the intercept first and summing to 0, and how the fit ended."""

    coef: np.ndarray
    loss: float  # minus log L
    null_loss: float  # The loss of a model with the intercept alone.
    n_iter: int
    converged: bool


def fit_sparse_multinomial(
    sums: SoftmaxSums, l1: float, l2: float, *, tol: float, max_iter: int, start: Any = None
) -> SparseSolution:
    """Fit; the last step promises a fall of no more than `tol` times the null model's loss.

    With a `start` (K, q) it begins there, else with larger penalties.
    """
    problem = _Problem(sums, l1, l2)
    b = problem.start()
    problem.value(b)
    null = problem.null = problem.loss
    l1, n_iter, converged = problem.l1, 0, False
    top = np.abs(problem.gradient[:, problem.n_intercepts :]).max(initial=0.0)
    if start is not None:
        b, top = problem.from_user(start), min(top, l1)
    # Larger penalties, whose models are smaller, come first.
    while not converged and n_iter < max_iter:
        top *= RATIO_OF_PENALTIES
        last = top <= l1
        problem.l1 = l1 if last else top
        b, made, done = _descended(
            problem, b, (tol if last else LAST_FALL_OF_LARGER) * null, max_iter - n_iter
        )
        n_iter, converged = n_iter + made, last and done
        if last:
            break
    problem.l1 = l1
    problem.value(b)
    return SparseSolution(problem.to_user(b), problem.loss, null, n_iter, converged)


def _descended(problem: _Problem, b: Array, goal: float, max_iter: int) -> tuple[Array, int, bool]:
    """Steps from `b` until one promises no more than the goal; their number, and whether it did."""
    value, n_iter = problem.value(b), 0
    allowed = FIRST_GAP * max(problem.loss, goal)
    finish = LAST_GAP * goal
    while n_iter < max_iter:
        checkpoint()
        n_iter += 1
        working = problem.working(b)
        target, promise, gap = problem.direction(b, working, allowed)
        converged = promise <= goal and gap <= finish
        allowed = min(allowed, max(GAP_LEFT_OF_GAIN * promise, finish))
        step, part = target - b, 1.0
        for _ in range(MAX_HALVINGS):
            trial = b + part * step
            now = problem.value(trial)
            if now <= value - 1e-4 * part * promise + ROUNDING_OF_LOSS * problem.null:
                break
            part *= 0.5
        else:  # The step was too rough, or rounding hides any further fall.
            problem.value(b)
            if gap > finish and allowed:
                allowed = 0.0
                continue
            return b, n_iter, promise <= max(1e4 * goal, 1e-10 * problem.null)
        b, value = trial, now
        if converged:
            return b, n_iter, True
    return b, n_iter, False


class _Problem:
    """The objective at coefficients (K, q) of rows less the shift of their frame.

    Inside, all columns are times the `base`, which brings the largest to about 1.
    """

    def __init__(self, sums: SoftmaxSums, l1: float, l2: float) -> None:
        self.sums, self.n_classes, self.q, frame = sums, sums.n_classes, sums.q, sums.frame
        self.n_intercepts = int(frame.intercept)
        self.base = float(frame.scale[frame.extent.argmax()])
        l1, l2 = l1 * self.base, l2 * self.base * self.base
        self.l1 = min(l1, MAX_PENALTY)
        size = frame.extent * self.base
        total_weight = float(len(sums.codes) if sums.weights is None else sums.weights.sum())
        vanished = size[size < MIN_COLUMN].max(initial=0.0)
        if vanished * total_weight > self.l1:
            raise ValueError(VANISHED)
        self.unit = np.append(np.ones(self.n_intercepts), frame.scale / self.base)
        self.penalized = np.arange(self.q) >= self.n_intercepts
        self.l2 = np.where(self.penalized, min(l2, MAX_PENALTY), 0.0)
        self.parts: dict[Any, Any] = {}  # Sums over subsets of the columns.
        self.loss = 0.0
        self.null = 0.0  # the loss of the model without columns

    def start(self) -> Array:
        """The model without columns."""
        b = np.zeros((self.n_classes, self.q))
        if self.n_intercepts:
            totals = np.bincount(self.sums.codes, self.sums.weights, self.n_classes)
            b[:, 0] = np.log(totals / totals.sum())
        return b

    def value(self, b: Array) -> float:
        """The objective; `loss` and `gradient` are those of minus log L there."""
        self.loss, gradient, _ = self.sums.sums_at(b / self.unit)
        self.gradient = gradient / self.unit
        coef = b[:, self.n_intercepts :]
        return self.loss + self.l1 * np.abs(coef).sum() + 0.5 * float((self.l2 * b * b).sum())

    def working(self, b: Array) -> Array:
        """Columns in the model, and those whose gradient says they ought to be."""
        steep = np.abs(self.gradient + self.l2 * b) > self.l1
        chosen = np.flatnonzero((steep | (b != 0.0)).any(axis=0) | ~self.penalized)
        if len(chosen) == self.n_intercepts:  # The kernel needs a column; any will do.
            chosen = np.arange(self.n_intercepts + 1)
        if self.n_classes * len(chosen) > MAX_COEFFICIENTS_FACTORED:
            raise ValueError(
                "A multinomial model with an l1 penalty can have up to "
                f"{MAX_COEFFICIENTS_FACTORED} coefficients in its steps; this one needs "
                f"{self.n_classes * len(chosen)}. Lower C, or use multi_class='ovr'."
            )
        return chosen

    def direction(self, b: Array, working: Array, allowed: float) -> tuple[Array, float, float]:
        """Where the quadratic model is least except for the gap allowed, how far it falls by that,
        and the gap."""
        current, unit, pen = b[:, working], self.unit[working], self.penalized[working]
        _, _, pairs = self._sums_of(working).sums_at(current / unit, every=1)
        hessian = hessian_of(pairs, 0.0) / unit[:, None, None] / unit
        size = current.size
        free = np.tile(~pen, self.n_classes)
        matrix = hessian.reshape(size, size)
        matrix[np.diag_indices(size)] += np.tile(self.l2[working], self.n_classes)
        slope = (self.gradient[:, working] + self.l2[working] * current).ravel()
        proposed, gap = _least(matrix, slope, current.ravel(), self.l1, free, allowed)
        target = b.copy()
        target[:, working] = proposed.reshape(current.shape)
        grown = (
            np.abs(target[:, self.n_intercepts :]).sum() - np.abs(b[:, self.n_intercepts :]).sum()
        )
        return target, -float(slope @ (proposed - current.ravel())) - self.l1 * grown, gap

    def _sums_of(self, working: Array) -> SoftmaxSums:
        if len(working) == self.q:
            return self.sums
        key = working.tobytes()
        if key not in self.parts:
            self.parts.clear()
            self.parts[key] = copy(self.sums)
            self.parts[key].take(working[self.n_intercepts :] - self.n_intercepts)
        return self.parts[key]

    def from_user(self, coef: Array) -> Array:
        """The way back from `to_user`, up to a term common to all classes."""
        out = coef.copy()
        out[:, self.n_intercepts :] = times_powers(
            coef[:, self.n_intercepts :], -int(np.log2(self.base))
        )
        if self.n_intercepts:
            out[:, 0] += coef[:, 1:] @ self.sums.frame.shift
        return out

    def to_user(self, b: Array) -> Array:
        out = b.copy()
        out[:, self.n_intercepts :] = times_powers(
            b[:, self.n_intercepts :], int(np.log2(self.base))
        )
        if self.n_intercepts:
            out[:, 0] -= out[:, 1:] @ self.sums.frame.shift
            out[:, 0] -= out[:, 0].mean()
        return out


def _least(
    matrix: Array, slope: Array, at: Array, l1: float, free: Array, allowed: float
) -> tuple[Array, float]:
    """The least of  slope'(c - at) + (c - at)' matrix (c - at) / 2 + l1 |c of those not free|,
    except for a duality gap that is allowed.

    Also that gap, or 0 if rounding or sweeps let it be no smaller.
    """
    length = np.sqrt(matrix.diagonal())
    length[length == 0] = 1.0
    values, vectors = interruptible(np.linalg.eigh, matrix / length / length[:, None])
    kept = values > MIN_EIGENVALUE * values[-1]
    root = np.sqrt(values[kept])
    R = root[:, None] * vectors[:, kept].T
    target = R @ (at * length) - (vectors[:, kept].T @ (slope / length)) / root
    R *= length
    basis = np.zeros((len(R), 0))
    if free.any():
        basis, singular, _ = interruptible(np.linalg.svd, R[:, free], full_matrices=False)
        basis = basis[:, singular > 1e-7 * singular[0]]
    inside = R[:, ~free] - basis @ (basis.T @ R[:, ~free])
    beyond = target - basis @ (basis.T @ target)
    columns = Columns(np.asfortranarray(inside), None, False, False, target=beyond, whole=True)
    descent = Descent(columns, beyond)
    descent.b[:] = at[~free]
    descent.refresh()
    goal = max(SHARPEST, allowed / descent.yy) if descent.yy else 1.0
    solution = descent.solve(l1, 0.0, np.inf, goal, SWEEPS)
    penalized_coef = np.zeros(int((~free).sum()))
    penalized_coef[solution.index] = solution.coef * columns.scale[solution.index]
    out = np.empty(len(at))
    out[~free] = penalized_coef
    if free.any():
        residual = target - R[:, ~free] @ penalized_coef
        residual = residual - R[:, free] @ at[free]
        shift = interruptible(np.linalg.lstsq, R[:, free], residual, rcond=1e-9)[0]
        out[free] = at[free] + shift
    sharpest = goal == SHARPEST or solution.gap > goal * descent.yy
    return out, 0.0 if sharpest else solution.gap


# ---------- Solvers of logistic regression with an l1 or elastic-net penalty: two classes, one
# against the rest, all classes in one model.
def sparse_binary(task: LogisticProblem) -> LogisticSolution:
    """The log-odds of the class that is not the reference."""
    rows, start = _rows(task), task.start_of_model(0)
    fit = _against(task, rows, 1 - task.reference, "Logistic regression", start)
    coef, n_iter, done, result = fit
    return LogisticSolution(coef[None], "sigmoid", np.array([n_iter], np.int32), done, result)


def sparse_ovr(task: LogisticProblem) -> LogisticSolution:
    """A binary model for each class against all others."""
    rows, labels = _rows(task), task.classes.tolist()
    fits = [
        _against(
            task, rows, k, f"Logistic regression, {label} against the rest", task.start_of_model(k)
        )
        for k, label in enumerate(labels)
    ]
    return LogisticSolution(
        np.array([fit[0] for fit in fits]), "ovr", np.array([fit[1] for fit in fits], np.int32),
        all(fit[2] for fit in fits),
        {str(label): fit[3] for label, fit in zip(labels, fits, strict=True)},
    )  # fmt: skip


def sparse_multinomial(task: LogisticProblem) -> LogisticSolution:
    """Coefficients of all classes."""
    labels, (l1, l2) = task.classes.tolist(), task.penalties
    sums = task.sums() or SoftmaxSums(
        dense(_rows(task)), task.codes, task.weights, len(labels), task.intercept, task.n_jobs
    )
    fit = fit_sparse_multinomial(
        sums, l1, l2, tol=task.tol, max_iter=task.max_iter, start=task.start
    )
    names = names_of(task.columns, fit.coef.shape[1] - task.intercept, task.intercept)
    result = _result(
        task, "Multinomial logistic regression",
        tuple(f"{label}: {name}" for label in labels for name in names), fit.coef.ravel(),
        fit.loss, fit.null_loss, len(labels) - 1,
    )  # fmt: skip
    return LogisticSolution(
        fit.coef, "softmax", np.array([fit.n_iter], np.int32), fit.converged, result
    )


def _rows(task: Any) -> Matrix | None:
    """Rows in memory, finite; None of rows in parts, of which there are sums."""
    if task.in_parts:
        return None
    if isinstance(task.X, Chunks):
        raise ValueError(
            "l1_ratio > 0 reads columns again and again, and takes no Chunks. Pass an array, or "
            "l1_ratio=0."
        )
    if task.offset is not None:
        raise ValueError("offset has no part in a fit with l1_ratio > 0. Leave it out.")
    if is_sparse(task.X):
        return dense_if_small(task.X)
    require_finite(task.X)
    return task.X


def _against(
    task: LogisticProblem, rows: Matrix, code: int, title: str, start: Any
) -> tuple[Array, int, bool, Result]:
    """A class against the others: coefficients, steps, whether they converged, and its `Result`."""
    if rows is None:
        return _against_in_parts(task, code, title)
    (l1, l2), y = task.penalties, task.ones(code)
    coef, first, _, n_iter, done = solve_logistic(
        rows, y, task.weights, l1, l2, intercept=task.intercept, tol=task.tol,
        max_iter=task.max_iter, n_jobs=task.n_jobs, start=start,
    )  # fmt: skip
    eta = linear_predictor(rows, coef, first, n_jobs=task.n_jobs)
    losses = np.logaddexp(0.0, eta) - y * eta
    loss = float(losses.sum() if task.weights is None else task.weights @ losses)
    total = _total_weight(task)
    null = total * log(2.0)
    if task.intercept:
        weights = np.ones(len(y)) if task.weights is None else task.weights
        null = -sum(m * log(m / total) for m in (float(weights @ y), float(weights @ (1.0 - y))))
    names = names_of(task.columns, len(coef), task.intercept)
    coef = np.append(first, coef) if task.intercept else coef
    return coef, n_iter, done, _result(task, title, names, coef, loss, null, 1)


def _against_in_parts(task: Any, code: Any, title: str) -> Any:
    """The same as the difference of two classes' coefficients, which are b / 2 and -b / 2."""
    l1, l2 = task.penalties
    fit = fit_sparse_multinomial(
        task.sums(code), l1, 2.0 * l2, tol=task.tol, max_iter=task.max_iter
    )
    coef = fit.coef[1] - fit.coef[0]
    names = names_of(task.columns, len(coef) - task.intercept, task.intercept)
    result = _result(task, title, names, coef, fit.loss, fit.null_loss, 1)
    return coef, fit.n_iter, fit.converged, result


def _total_weight(task: LogisticProblem) -> float:
    return float(len(task.marks) if task.weights is None else task.weights.sum())


def _result(
    task: LogisticProblem,
    title: str,
    names: tuple[Any, ...],
    coef: Array,
    loss: float,
    null: float,
    n_others: int,
) -> Result:
    """What is known of a fit, without inference."""
    total, size, kept = _total_weight(task), len(coef), int(np.count_nonzero(coef))
    facts = (("Penalty", task.penalty), ("C", task.C), ("Coefficients not 0", kept))
    return Result(
        title, tuple(names), coef, None, np.zeros(size, dtype=bool), 1.0,
        True, total, total * n_others - kept, n_others * (total - task.intercept), 2 * loss,
        2 * null, nan, -loss, kept, facts, PENALIZED,
    )  # fmt: skip
