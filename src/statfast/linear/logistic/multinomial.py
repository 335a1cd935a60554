# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic regression: maximum likelihood with inference, or a ridge penalty.

P(class k | x) is proportional to exp(b_k'x). All classes have coefficients while it is solved, so
that no class is special; the sums over classes of gradient and steps are 0. Coefficients of
maximum likelihood are then given relative to a reference class, as in R's ``nnet::multinom``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from statfast._engine import Parts, interruptible
from statfast._linalg import CholeskyFactor
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large
from statfast.linear.design.column_scaling import MAX_PENALTY
from statfast.linear.design.standardization import Standardization
from statfast.linear.glm.separation import (
    Separation,
    Undecided,
    in_memory,
    maximum_exists,
    separated_rows,
)
from statfast.linear.logistic.lbfgs import PAIRS_REMEMBERED, Minimum, minimize
from statfast.linear.logistic.softmax_newton import continued
from statfast.linear.logistic.softmax_sums import SoftmaxSums

# A column that others determine leaves a smaller share of its square.
MAX_SQUARE_OF_DEPENDENT = 1e-12
# The rounding of the loss of a row, whose scores are of size one or a few.
ROUNDING_OF_LOSS = 1e-15
MAX_COEFFICIENTS_FACTORED = 4000  # Up to so many the whole Hessian is factored.
STEPS_BEFORE_NEWTON = 600  # After so many quasi-Newton steps truncated Newton steps follow.
SHARE_OF_START = 0.02  # The Hessian at the start has this share in that of a sample of the rows.
SHARE_OF_START_IN_ALL = 1e-3  # The same share in the Hessian of all rows.


@dataclass(frozen=True)
class MultinomialFit:
    """A fitted model of K classes and q columns, the intercept first if there is one."""

    coef: np.ndarray  # (K, q), summing to 0 over the classes; 0 in columns that are not kept
    loglik: float
    null_loglik: float  # of the model with the intercept alone, or with no coefficients
    kept: np.ndarray  # columns that no others determine, of the q
    minimum: Minimum
    coef_in_frame: np.ndarray  # Coefficients of the kept columns in the scaled frame, (K, r).
    gradient: np.ndarray | None  # (K, r) of minus the log-likelihood
    information: np.ndarray | None  # (K, r, K, r); both for maximum likelihood
    sums: SoftmaxSums
    known_separation: Separation | None  # The separation that the iterations found, if they did.
    undecided: bool  # Whether the search for a separation took too much work.

    def relative_to(self, reference: int) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (K-1, q) less those of a class, and their covariance, ordered alike.

        The covariance is NaN for columns that are not kept, and everywhere if it is singular.
        """
        coef = np.delete(self.coef - self.coef[reference], reference, axis=0)
        return coef, self.covariances(reference)[0]

    def covariances(self, reference: int) -> tuple[np.ndarray, np.ndarray]:
        """That covariance, and the same for rows less the shift of the frame."""
        blocks, turn = self.inverse(reference), self.sums.frame.to_user()
        k, q = len(blocks), self.coef.shape[1]
        scale = turn.diagonal()
        out = []
        turned = interruptible(
            np.matmul, interruptible(np.matmul, turn, blocks.transpose(0, 2, 1, 3)), turn.T
        )
        for part in (turned.transpose(0, 2, 1, 3), blocks * scale[:, None, None] * scale):
            covariance = np.full((k, q, k, q), np.nan)
            covariance[:, self.kept[:, None], :, self.kept] = part.transpose(1, 3, 0, 2)
            flat = covariance.reshape(k * q, k * q)
            out.append((flat + flat.T) / 2.0)
        return out[0], out[1]

    def center(self) -> np.ndarray:
        """The shift of the frame, for all columns of X."""
        n_intercepts = int(self.sums.frame.intercept)
        out = np.zeros(self.coef.shape[1] - n_intercepts)
        out[self.kept[n_intercepts:] - n_intercepts] = self.sums.frame.shift
        return out

    def inverse(self, reference: int) -> np.ndarray:
        """Of the information relative to a class, in the frame; NaN where it is singular."""
        assert self.information is not None  # The caller has made sure that there is information.
        varying = np.arange(len(self.coef)) != reference
        table = self.information[varying][:, :, varying]
        k, r = table.shape[:2]
        factor = CholeskyFactor(table.reshape(k * r, k * r))
        if factor.pivot <= 0.0:
            return np.full(table.shape, np.nan)
        return factor.inverse().reshape(table.shape)

    def separation(self) -> Separation | None:
        """How the classes are separated, which makes estimates infinite; None if they are not.

        Raises Undecided where that takes too much work.
        """
        separation, sums = self.known_separation, self.sums
        total = float(sums.n if sums.weights is None else sums.weights.sum())
        assert self.gradient is not None  # Maximum likelihood has a gradient.
        if self.undecided:
            raise Undecided
        if separation is None and not maximum_exists(self.gradient[1:], self.inverse(0), total):
            separation = separation_of(sums, self.coef_in_frame)
        return separation and replace(separation, columns=self.kept[separation.columns])


def separation_of(sums: SoftmaxSums, coef: Array) -> Separation | None:
    """Look for a direction that separates the rows."""
    if not in_memory(sums.rows):
        return None
    codes, chosen = sums.codes, None
    if sums.weights is not None:
        chosen = np.flatnonzero(sums.weights)
        codes = codes[chosen]
    return separated_rows(sums.rows, codes, chosen, sums.frame, coef, sums.n_jobs)


def hessian_of(pairs: Any, ridge: Array | float) -> Array:
    """The (K, q, K, q) Hessian from the sums of the pairs."""
    q, n_classes = pairs.shape[-1], int(sqrt(2 * len(pairs))) + 1
    hessian = np.zeros((n_classes, q, n_classes, q))
    a, b = np.tril_indices(n_classes, -1)
    hessian[a, :, b] = -pairs
    hessian[b, :, a] = -pairs
    diagonal = np.arange(n_classes)
    hessian[diagonal, :, diagonal] = -hessian.sum(axis=2)
    hessian[diagonal[:, None], np.arange(q), diagonal[:, None], np.arange(q)] += ridge
    return hessian


def trace(pairs: Any) -> Any:
    """The sum of the diagonals of all pairs."""
    return float(np.trace(pairs, axis1=1, axis2=2).sum())


def factor_of(hessian: Array) -> CholeskyFactor:
    """The factor of H among coefficients that sum to 0 over the classes.

    A common term of all classes is given the mean of the classes' own blocks as its Hessian, which
    leaves the answer as it is, since gradients have none.
    """
    n_classes, q = hessian.shape[:2]
    diagonal = np.arange(n_classes)
    filled = hessian + hessian[diagonal, :, diagonal].mean(axis=0)[:, None, :] / n_classes
    return CholeskyFactor(filled.reshape(n_classes * q, n_classes * q))


def solver_at_start(gram: Array, spread_of_classes: Array, ridge: Array) -> Callable[..., Any]:
    """g -> H^-1 g at coefficients that give all rows the same posteriors, from one small matrix.

    There the Hessian is M (x) Z'WZ + I (x) D with M = diag(p) - p p', so that each eigenvector of M
    has a system of its own.
    """
    values, vectors = np.linalg.eigh(spread_of_classes)
    # The term common to all classes, which is 0 in gradients, may have any eigenvalue.
    values[0] = values.mean()
    inverses = []
    for value in values.tolist():
        matrix = value * gram
        diagonal = matrix.diagonal() + ridge
        # A preconditioner need only be near the inverse. The diagonal of columns of zeros becomes
        # 1.
        matrix[np.diag_indices_from(matrix)] = diagonal * (1.0 + 1e-10) + (diagonal <= 0.0)
        inverses.append(CholeskyFactor(matrix).inverse())
    table = np.array(inverses)

    def solve(g: Array) -> Any:
        turned = vectors.T @ g.reshape(len(values), -1)
        return (vectors @ (table @ turned[:, :, None])[:, :, 0]).ravel()

    return solve


class Objective:
    """What `minimize` is to know of the model: the penalized loss, its gradient and curvature.

    Where a Hessian costs far more than a gradient, its place is taken by one of a part of the rows,
    with a little of the one at the start, which has all directions, in proportion to its own size;
    each next one is of twice as many rows.
    """

    def __init__(self, sums: SoftmaxSums, gram: Array, shares: Array, penalty: Array) -> None:
        self.sums, self.penalty = sums, penalty
        self.n_classes, self.q = len(shares), sums.q
        self.gram, self.spread = gram, np.diag(shares) - np.outer(shares, shares)
        self.separation: Separation | None = None
        self.undecided = False  # Whether it took too much work to look for a separation.
        self.start = solver_at_start(self.gram, self.spread, penalty)
        n, size = float(sums.n), float(self.n_classes * self.q)
        self.every = 0
        self.eager = False
        self.noise = ROUNDING_OF_LOSS * (n if sums.weights is None else float(sums.weights.sum()))
        if size <= MAX_COEFFICIENTS_FACTORED:
            refuse_large(24.0 * size**2, "The Hessian", "Use fewer columns.")
            self.every = 1
            self.eager = self.cost <= 1.5
            if not self.eager:
                self.every = max(1, int(min(8.0, n / (5.0 * size))))

    @property
    def cost(self) -> float:
        """Of `curvature`, in passes for a gradient; infinite where the matrix is too large."""
        if not self.every:
            return np.inf
        sums, n = self.sums, float(self.sums.n)
        # Passes run at half the rate, and start threads.
        pass_cost = 2.0 * n * sums.pass_cost + 1e7
        factor = float(self.n_classes * self.q) ** 3
        return (n / self.every * (sums.pass_cost + sums.hessian_cost) + factor) / pass_cost

    @property
    def full_solver_cost(self) -> Any:
        """Of `full_solver`, in products with the Hessian; infinite where that is too large."""
        size = float(self.n_classes * self.q)
        if size > MAX_COEFFICIENTS_FACTORED:
            return np.inf
        product_cost = self.sums.n * self.sums.pass_cost
        return (self.sums.n * self.sums.hessian_cost + size**3 / 3.0) / product_cost

    def full_solver(self, coef: Array) -> Any:
        """g -> H^-1 g with the Hessian of all rows; None if it is singular."""
        factor = factor_of(hessian_of(self.sums.sums_at(coef, every=1)[2], self.penalty))
        return factor.solve if factor.pivot > 0.0 else None

    def evaluate(self, x: Any) -> Any:
        coef = x.reshape(self.n_classes, self.q)
        loss, gradient, pairs = self.sums.sums_at(coef, every=int(self.eager))
        pull = self.penalty * coef
        solve = None
        if self.eager:
            factor = factor_of(hessian_of(pairs, self.penalty))
            solve = factor.solve if factor.pivot > 0.0 else None
        gradient += pull
        # The gradient of a term common to all classes is 0 except for rounding.
        gradient -= gradient.mean(axis=0)
        return loss + 0.5 * float((pull * coef).sum()), gradient.ravel(), solve

    def curvature(self, x: Any) -> Any:
        coef = x.reshape(self.n_classes, self.q)
        _, _, pairs = self.sums.sums_at(coef, self.every)
        a, b = np.tril_indices(self.n_classes, -1)
        at_start = -self.spread[a, b][:, None, None] * self.gram
        share = SHARE_OF_START if self.every > 1 else SHARE_OF_START_IN_ALL
        at_start *= share * trace(pairs) / max(trace(at_start), 1e-300)
        pairs += at_start
        self.every = max(1, self.every // 2)
        factor = factor_of(hessian_of(pairs, self.penalty))
        # The inverse costs three factors, and saves a pass over two triangles at each step.
        return factor.inverse().__matmul__ if factor.pivot > 0.0 else None

    def hopeless(self, x: Array) -> bool:
        if not self.penalty.any():
            try:
                self.separation = separation_of(self.sums, x.reshape(self.n_classes, self.q))
            except Undecided:  # The iterations go on without an answer.
                self.undecided = True
        return self.separation is not None


def dependent_columns(gram: Array) -> Array:
    """Columns that those before them determine, from the products of all, by Cholesky."""
    scale = np.sqrt(np.where(gram.diagonal() > 0.0, gram.diagonal(), 1.0))
    rest = gram / scale / scale[:, None]
    dependent = []
    for j in range(len(rest)):
        if rest[j, j] <= MAX_SQUARE_OF_DEPENDENT:
            dependent.append(j)
        else:
            share = rest[j + 1 :, j] / rest[j, j]
            rest[j + 1 :, j + 1 :] -= np.outer(share, rest[j, j + 1 :])
    return np.array(dependent, dtype=np.intp)


def penalty_in_frame(frame: Standardization, ridge: float, total_weight: float) -> Array:
    """The penalty of each coefficient of the columns in their frame."""
    with np.errstate(over="ignore"):
        penalty = np.minimum(ridge * frame.scale**2, MAX_PENALTY * total_weight)
    return np.append(np.zeros(int(frame.intercept)), penalty)


def start_of(shares: Array, intercept: Any, q: int) -> Array:
    """Coefficients (K, q) that give all rows the same posteriors."""
    start = np.zeros((len(shares), q))
    if intercept:
        start[:, 0] = np.log(shares) - np.log(shares).mean()
    return start


def _minimized(objective: Objective, start: Array, tol: float, max_iter: int) -> Minimum:
    """The minimum; so many quasi-Newton steps as are remembered count as one iteration."""
    per = 1 if objective.eager else PAIRS_REMEMBERED
    rows_are_here = not isinstance(objective.sums.rows, Parts)
    most = min(per * max_iter, STEPS_BEFORE_NEWTON) if rows_are_here else per * max_iter
    minimum = minimize(start, objective, tol=tol, max_iter=most)
    minimum = replace(minimum, n_iter=-(-minimum.n_iter // per))
    if rows_are_here and not (minimum.converged or objective.separation):
        minimum = continued(minimum, objective, tol=tol, max_iter=max_iter)
    return minimum


def fit_multinomial(
    rows: Array,
    codes: Array,
    weights: Array | None,
    n_classes: int,
    *,
    ridge: float = 0.0,
    intercept: bool = True,
    tol: float = 1e-10,
    max_iter: int = 100,
    n_jobs: Jobs = None,
    sums: Any = None,
    start: Any = None,
) -> MultinomialFit:
    """Fit a multinomial logistic model.

    Parameters
    ----------
    rows : ndarray of shape (n, d), float64 or float32, finite
    codes : ndarray of shape (n,), intp
    weights : ndarray of shape (n,), float64, or None
    n_classes : int
        Each has a positive weight.
    ridge : float
        Minimize minus the log-likelihood + ridge / 2 * the squares of all but the intercepts.
        With 0 the information matrix comes with the fit, and columns that others determine are left
        out: their coefficients are 0.
    sums : SoftmaxSums, optional
        Those of the rows, if they are made.
    start : ndarray of shape (K, q), optional
        Coefficients to begin at, up to a term common to all classes.
    tol : float
        The iterations end when a step moves the scores by no more, in root mean square and in units
        of the standard deviation of a response.
    """
    if sums is None:
        sums = SoftmaxSums(rows, codes, weights, n_classes, intercept, n_jobs)
    q = sums.q
    gram = sums.gram()
    aliased = dependent_columns(gram) if ridge == 0.0 else np.empty(0, np.intp)
    kept = np.setdiff1d(np.arange(q), aliased)
    if len(aliased):
        sums.take(kept[int(intercept) :] - intercept)
        gram = gram[np.ix_(kept, kept)]
    totals = np.bincount(codes, weights, n_classes).astype(float)
    shares = totals / totals.sum() if intercept else np.full(n_classes, 1.0 / n_classes)
    if start is None:
        start = start_of(shares, intercept, sums.q)
    else:
        start = sums.frame.from_user((start - start.mean(axis=0))[:, kept])
    penalty = penalty_in_frame(sums.frame, ridge, totals.sum())
    typical = sqrt(totals.sum())
    objective = Objective(sums, gram, shares, penalty)
    minimum = _minimized(objective, start.ravel(), tol * typical, max_iter)
    coef = minimum.x.reshape(n_classes, sums.q)
    coef = coef - coef.mean(axis=0)
    loss, gradient, information = minimum.value, None, None
    if ridge == 0.0 and objective.every:
        loss, gradient, pairs = sums.sums_at(coef, every=1)
        information = hessian_of(pairs, penalty)
    elif ridge:
        loss -= 0.5 * float((penalty * coef**2).sum())
    user = np.zeros((n_classes, q))
    user[:, kept] = coef @ sums.frame.to_user().T
    return MultinomialFit(
        user, -loss, float(totals @ np.log(shares)), kept, minimum, coef, gradient, information,
        sums, objective.separation, objective.undecided,
    )  # fmt: skip
