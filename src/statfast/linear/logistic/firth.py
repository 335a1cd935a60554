# SPDX-License-Identifier: BSD-3-Clause
"""Firth's penalized likelihood for logistic models of two or more classes.

Maximizes l*(b) = l(b) + log|I(b)| / 2: the likelihood times Jeffreys' prior, which takes away the
first order of the bias and is finite where classes are separated (Firth 1993,
https://doi.org/10.1093/biomet/80.1.27; Heinze and Schemper 2002, https://doi.org/10.1002/sim.1047;
for several classes Bull, Mak and Greenwood 2002, https://doi.org/10.1016/S0167-9473(01)00048-2).

Row i adds to the score of class c, besides y_c - p_c, half of

    sum over a of V_ac (M_aa - 2 (M p)_a),   V = diag(p) - p p',   M_ab = z' (I^-1)_ab z,

which for two classes is the h (1/2 - p) of the leverages h. The penalty's curvature is not in the
information, so that Fisher's scoring alone shrinks its steps by as little as a tenth each; the
changes of the score seen on the way correct its steps (limited-memory BFGS: Nocedal 1980,
https://doi.org/10.1090/S0025-5718-1980-0572855-7), which are halved until l* rises enough. Where
that takes long, the second derivatives are worked out once, by differences of the score.

Cost of an iteration: n q^2 K^2 operations, in numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from operator import iadd
from typing import Any

import numpy as np

from statfast._engine import reduce
from statfast._estimator import CoefficientTable
from statfast._linalg import CholeskyFactor
from statfast._typing import Array, Jobs
from statfast.linear.design.standardization import Standardization, frame_of
from statfast.linear.glm.fit import names_of
from statfast.linear.glm.irls import corrected
from statfast.linear.inference.inference import Result, percent
from statfast.linear.logistic.problem import LogisticProblem, LogisticSolution, dense
from statfast.linear.logistic.softmax_sums import Tables
from statfast.linear.logistic.unpenalized import result_of

MAX_HALVINGS = 30
STEPS_BEFORE_CURVATURE = 15  # After this many steps second derivatives are worked out.
# For more coefficients second derivatives are not worked out, as each takes a pass.
MAX_COEFFICIENTS_OF_CURVATURE = 200
STEP_OF_DIFFERENCE = 1e-5  # The step of differences of the score, in units of a standard error.
MIN_CURVATURE = 1e-3  # The least curvature, relative to that of the information.
PAIRS_REMEMBERED = 30  # The most pairs of steps and changes of the score that are kept.
MIN_SHARE_OF_FALL = 1e-4  # A step has to bring this share of what the slope promises.
ROUNDING_OF_LIKELIHOOD = 1e-14  # The rounding of l*, relative to it.
MAX_POINTS_OF_PROFILE = 60  # The most points of a profile.
NOTE = (
    "Standard errors are of the likelihood's information; profile() gives the intervals and tests "
    "of the penalized likelihood, which hold where classes are separated too."
)


@dataclass(frozen=True)
class FirthFit:
    """A fit relative to a reference class, in the columns 1 and x."""

    coef: np.ndarray  # (K - 1, q)
    covariance: np.ndarray  # the inverse information, ((K - 1) q, (K - 1) q)
    loglik: float  # without the penalty
    penalized_loglik: float
    n_iter: int
    converged: bool


class Firth:
    """The penalized likelihood of given rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d), finite
    codes : ndarray of shape (n,), intp
        Classes; class 0 is the reference.
    weights : ndarray of shape (n,), float64, or None
        How often each row is repeated.
    """

    def __init__(
        self,
        rows: Array,
        codes: Array,
        weights: Any,
        n_classes: int,
        *,
        intercept: bool = True,
        tol: float = 1e-10,
        max_iter: int = 100,
        n_jobs: Jobs = None,
    ) -> None:
        self.rows, self.codes, self.n_jobs = rows, codes, n_jobs
        self.weights = np.ones(len(codes)) if weights is None else weights
        self.n_varying = n_classes - 1
        self.total_weight = float(self.weights.sum())
        self.tol, self.max_iter = tol, max_iter
        self.frame: Standardization = frame_of(rows, intercept, n_jobs, weights)
        self.frame.refuse_tiny()
        self.q = len(self.frame.shift) + intercept
        self.turn = self.frame.to_user()
        # The difference of log|I| / 2 between the scaled columns and those of the user.
        self.lost = self.n_varying * float(np.log(self.frame.scale).sum())

    def fit(self, start: Any = None) -> FirthFit:
        """Maximize l* over all coefficients, from zeros or from some (K - 1, q) for x."""
        begun = np.zeros((self.n_varying, self.q))
        if start is not None:
            begun = self.frame.from_user(start)
        b, value, inverse, n_iter, converged = self._climb(begun, None)
        turn = np.kron(np.eye(self.n_varying), self.turn)
        return FirthFit(
            b @ self.turn.T, turn @ inverse @ turn.T, self._loglik(b), value - self.lost, n_iter,
            converged,
        )  # fmt: skip

    def null_loglik(self) -> float:
        """l of the classes' shares, or of equal ones without an intercept."""
        totals = np.bincount(self.codes, self.weights, self.n_varying + 1)
        shares = np.full(len(totals), 1 / len(totals))
        if self.frame.intercept:
            shares = totals / totals.sum()
        return float(totals @ np.log(shares))

    def profile(self, fit: FirthFit, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Intervals of confidence 1 - alpha, (m, 2), and p-values, (m,), of all coefficients.

        Twice the fall of l* when a coefficient is held and the others follow, against chi-squared
        with one degree of freedom.
        """
        from scipy.special import chdtrc, chdtri

        level = float(chdtri(1, alpha))
        spread = np.sqrt(fit.covariance.diagonal())
        intervals, tests = np.empty((len(spread), 2)), np.empty(len(spread))
        for j in range(len(spread)):
            fall = _Fall(self, fit, j)
            tests[j] = chdtrc(1, max(0.0, fall.deviance(0.0)))
            for side in (0, 1):
                intervals[j, side] = fall.reaches(level, spread[j] * (2 * side - 1))
        return intervals, tests

    # ------------------------------------------------------------ sums over rows
    def _posteriors(self, z: Array, b: Array, codes: Array) -> tuple[Array, Array]:
        """Of the classes but the reference, and the logarithm of each row's own."""
        eta = np.column_stack([np.zeros(len(z)), z @ b.T])
        eta -= eta.max(axis=1, keepdims=True)
        share = np.exp(eta)
        total = share.sum(axis=1, keepdims=True)
        log_posterior = eta[np.arange(len(z)), codes] - np.log(total[:, 0])
        return (share / total)[:, 1:], log_posterior

    def _sum(self, partial: Callable[..., Any]) -> tuple[Any, ...]:
        def work(where: slice, block: Array, codes: Array, weights: Array) -> Tables:
            return Tables(partial(self.frame.design(block), codes, weights))

        size = self.n_varying * self.q
        return reduce(
            work, self.rows, self.codes, self.weights, merge=iadd, n_jobs=self.n_jobs,
            effort=float(len(self.codes)) * size**2, least=max(256, 4 * size),
        ).tables  # fmt: skip

    def _loglik(self, b: Array) -> float:
        def partial(z: Array, codes: Array, weights: Array) -> tuple[Array]:
            return (np.array([weights @ self._posteriors(z, b, codes)[1]]),)

        return float(self._sum(partial)[0][0])

    def _information(self, b: Array) -> Any:
        """l*, and a factor of the information; -inf and None where it is singular."""

        def partial(z: Array, codes: Array, weights: Array) -> tuple[Array, Array]:
            p, log_posterior = self._posteriors(z, b, codes)
            info = np.empty((self.n_varying, self.q, self.n_varying, self.q))
            for a in range(self.n_varying):
                for c in range(a + 1):
                    v = weights * p[:, a] * ((a == c) - p[:, c])
                    info[a, :, c] = info[c, :, a] = (z * v[:, None]).T @ z
            return np.array([weights @ log_posterior]), info

        loglik, info = self._sum(partial)
        factor = CholeskyFactor(info.reshape(self.n_varying * self.q, -1))
        if factor.pivot <= 0.0:
            return -inf, None
        log_root = np.log(factor.lower.diagonal() / factor.scale).sum()
        return float(loglik[0] + log_root), factor

    def _score(self, b: Array, inverse: Array) -> Array:
        """The gradient of l*, (K - 1, q)."""
        table = inverse.reshape(self.n_varying, self.q, self.n_varying, self.q)

        def partial(z: Array, codes: Array, weights: Array) -> tuple[Array]:
            p, _ = self._posteriors(z, b, codes)
            m = np.empty((len(z), self.n_varying, self.n_varying))
            for a in range(self.n_varying):
                for c in range(a + 1):
                    m[:, a, c] = m[:, c, a] = ((z @ table[a, :, c]) * z).sum(axis=1)
            twice = np.einsum("iaa->ia", m) - 2.0 * np.einsum("iab,ib->ia", m, p)
            bend = p * (twice - (p * twice).sum(axis=1, keepdims=True))
            rest = 0.5 * bend - p
            varying_rows = np.flatnonzero(codes)
            rest[varying_rows, codes[varying_rows] - 1] += 1.0
            return ((weights[:, None] * rest).T @ z,)

        return self._sum(partial)[0]

    # ------------------------------------------------------------ steps
    def _climb(self, b: Array, held: Any) -> tuple[Array, float, Array, int, bool]:
        """Maximize l* from b, along the columns of `held` if given.

        Returns b, l*, the inverse information, steps, and whether they led to the top.
        """
        value, factor = self._information(b)
        if factor is None:
            raise ValueError(
                "X has columns that are constant or linear combinations of others; method='firth' "
                "needs independent columns. Drop them."
            )
        pairs: list[Any] = []
        step, before = None, None  # steps and changes of the score
        metric = None  # the inverse of the second derivatives, once they are worked out
        for n_iter in range(1, self.max_iter + 1):
            inverse = factor.inverse()
            score = self._score(b, inverse).ravel()
            if held is None:
                scoring = inverse
            else:
                score = held @ (held.T @ score)
                half = np.tril(factor.lower).T @ (held / factor.scale[:, None])
                scoring = held @ np.linalg.inv(half.T @ half) @ held.T
            if n_iter % STEPS_BEFORE_CURVATURE == 0 and len(score) <= MAX_COEFFICIENTS_OF_CURVATURE:
                metric, pairs, before = self._metric(b, score, scoring), [], None
            if before is not None and step @ (before - score) > 0.0:
                pairs.append((step, before - score))
            known = scoring if metric is None else metric
            before, step = score, corrected(score, pairs[-PAIRS_REMEMBERED:], known.__matmul__)
            gain = float(step @ score)
            if max(gain, float(score @ scoring @ score)) <= self.tol**2 * self.total_weight:
                return b + step.reshape(b.shape), value, inverse, n_iter, True
            for _ in range(MAX_HALVINGS):
                trial = b + step.reshape(b.shape)
                height, newer = self._information(trial)
                if height >= value + MIN_SHARE_OF_FALL * float(
                    step @ score
                ) - ROUNDING_OF_LIKELIHOOD * abs(value):
                    break
                step = 0.5 * step
            else:
                return b, value, inverse, n_iter, gain <= 1e4 * self.tol**2 * self.total_weight
            b, value, factor = trial, height, newer
        return b, value, factor.inverse(), self.max_iter, False

    def _metric(self, b: Array, score: Array, scoring: Any) -> Any:
        """The inverse of minus the second derivatives of l*, by differences of its score, within
        the space and in units of `scoring`, an inverse information."""
        sizes, directions = np.linalg.eigh(scoring)
        directions = (directions * np.sqrt(np.maximum(sizes, 0.0)))[:, sizes > 1e-14 * sizes[-1]]
        curves = np.empty((directions.shape[1], directions.shape[1]))
        for j in range(directions.shape[1]):
            near = b + (STEP_OF_DIFFERENCE * directions[:, j]).reshape(b.shape)
            change = self._score(near, self._information(near)[1].inverse()).ravel() - score
            curves[:, j] = -(directions.T @ change) / STEP_OF_DIFFERENCE
        roots, turn = np.linalg.eigh(0.5 * (curves + curves.T))
        directions = directions @ turn / np.sqrt(np.maximum(np.abs(roots), MIN_CURVATURE))
        return directions @ directions.T


class _Fall:
    """Twice the fall of l* below its maximum, as a function of one coefficient."""

    def __init__(self, model: Any, fit: Any, index: Any) -> None:
        self.model, self.fit = model, fit
        self.top = fit.penalized_loglik + model.lost
        n_varying = len(fit.coef)
        self.best = fit.coef.ravel()[index]
        # The coefficient is `line` times the coefficients of the scaled columns. Points where it
        # has a value are one of them plus the directions `along`, in which it does not change.
        line = np.kron(np.eye(n_varying), model.turn)[index]
        self.along = np.linalg.svd(line[None])[2][1:].T
        self.across = line / (line @ line)
        self.at_best = np.linalg.solve(model.turn, fit.coef.T).T
        self.follow = fit.covariance[:, index] / fit.covariance[index, index]

    def deviance(self, value: Any) -> Any:
        """At this value, from where the normal approximation leads."""
        n_varying, q = self.fit.coef.shape
        user = (self.fit.coef.ravel() + (value - self.best) * self.follow).reshape(n_varying, q)
        start = np.linalg.solve(self.model.turn, user.T).T
        height = self.model._information(start)[0]
        near = self.at_best + ((value - self.best) * self.across).reshape(n_varying, q)
        if not height > self.model._information(near)[0]:
            start = near
        if self.along.shape[1] == 0:
            return 2.0 * (self.top - self.model._information(start)[0])
        _, top, _, _, _ = self.model._climb(start, self.along)
        return 2.0 * (self.top - top)

    def reaches(self, level: float, step: Any) -> Any:
        """The value, on the side of `step`, where the fall is `level`."""
        root = np.sqrt(level)
        inner, low = self.best, -root
        outer = self.best + root * step
        for _ in range(MAX_POINTS_OF_PROFILE):
            high = np.sqrt(max(0.0, self.deviance(outer))) - root
            if high >= 0.0:
                break
            # The root of the fall is nearly linear, so that the next point lies a little beyond
            # where the line crosses the level.
            inner, low, slope = outer, high, (high + root) / (outer - self.best)
            outer = self.best + (1.1 * root / slope if slope else 2 * (outer - self.best))
        else:
            return np.copysign(inf, step)
        # Regula falsi with the Illinois rule, which halves the value at an end that stays.
        for _ in range(MAX_POINTS_OF_PROFILE):
            if abs(outer - inner) <= 1e-10 * (abs(step) + abs(outer)) or high == 0.0:
                break
            value = outer - high * (outer - inner) / (high - low)
            height = np.sqrt(max(0.0, self.deviance(value))) - root
            if height * high > 0.0:
                low *= 0.5
            else:
                inner, low = outer, high
            outer, high = value, height
            if abs(height) <= 1e-11 * root:
                break
        return outer


# ---------- Solvers of logistic regression with Firth's penalty: two classes, one against the rest,
# all
def firth(task: LogisticProblem) -> LogisticSolution:
    """One model of all classes, of two or more."""
    labels = task.classes.tolist()
    varying = [k for k in range(len(labels)) if k != task.reference]
    model = _model(task)
    start = task.start
    if start is not None and len(labels) > 2:
        start = np.delete(start - start[task.reference], task.reference, axis=0)
    fit = model.fit(start)
    names = names_of(task.columns, model.q - task.intercept, task.intercept)
    aliased = np.zeros(model.q, dtype=bool)
    make = result_of(task, fit.coef, varying, names, aliased, fit.covariance)
    facts = (("Penalized log-likelihood", fit.penalized_loglik),)
    several = len(labels) > 2
    title = f"{'Multinomial l' if several else 'L'}ogistic regression with Firth's penalty"
    result = make(
        fit.loglik, model.null_loglik(), title=title, facts=facts, likelihood=False, notes=(NOTE,)
    )
    coef = fit.coef
    if several:
        coef = np.insert(coef, task.reference, 0.0, axis=0)
    else:
        shown = (("Modeled class", labels[varying[0]]), *facts)
        result = replace(result, names=tuple(names), facts=shown)
    return LogisticSolution(
        coef, "softmax" if several else "sigmoid", np.array([fit.n_iter], np.int32),
        fit.converged, result,
    )  # fmt: skip


def firth_ovr(task: LogisticProblem) -> LogisticSolution:
    """A model of two classes for each class against all others."""
    labels, solutions = task.classes.tolist(), []
    results: dict[str, Result] = {}
    for code, label in enumerate(labels):
        solutions.append(firth(_against_rest(task, code)))
        title = f"Logistic regression with Firth's penalty, {label} against the rest"
        (result,) = solutions[-1].results()
        results[str(label)] = replace(result, title=title, facts=result.facts[1:])
    return LogisticSolution(
        np.concatenate([solution.coef for solution in solutions]), "ovr",
        np.concatenate([solution.n_iter for solution in solutions]),
        all(solution.converged for solution in solutions), results,
    )  # fmt: skip


def profile(task: LogisticProblem, level: float, ovr: bool) -> CoefficientTable:
    """Intervals and likelihood-ratio tests of all coefficients, from the penalized likelihood."""
    labels = task.classes.tolist()
    tasks = [(task, [label for k, label in enumerate(labels) if k != task.reference])]
    if ovr:
        tasks = [(_against_rest(task, k), [label]) for k, label in enumerate(labels)]
    names: list[str] = []
    columns: list[list] = [[], [], [], []]
    for model_task, modeled in tasks:
        model = _model(model_task)
        fit = model.fit()
        intervals, tests = model.profile(fit, 1.0 - level)
        terms = names_of(task.columns, model.q - task.intercept, task.intercept)
        names += [
            f"{label}: {term}" if len(labels) > 2 else term for label in modeled for term in terms
        ]
        for column, values in zip(columns, (fit.coef.ravel(), *intervals.T, tests), strict=True):
            column.extend(values.tolist())
    low, high = percent(level)
    headings = ("Estimate", low, high, "P>chi2")
    return CoefficientTable(
        tuple(names), {h: np.array(c) for h, c in zip(headings, columns, strict=True)}
    )


def _against_rest(task: Any, code: Any) -> Any:
    marks = (task.codes == code).astype(np.intp)
    start = None if task.start is None else task.start[code : code + 1]
    return replace(task, marks=marks, classes=np.array([False, True]), reference=0, start=start)


def _model(task: LogisticProblem) -> Firth:
    """Codes are turned so that the reference comes first, and the others in their order."""
    if task.offset is not None:
        raise ValueError("offset has no part in method='firth'. Leave it out.")
    place = np.arange(len(task.classes))
    place[: task.reference + 1] += 1
    place[task.reference] = 0
    return Firth(
        dense(task.X), place[task.codes], task.weights, len(place), intercept=task.intercept,
        tol=task.tol, max_iter=task.max_iter, n_jobs=task.n_jobs,
    )  # fmt: skip
