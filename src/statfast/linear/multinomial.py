# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic regression: maximum likelihood with inference, or a ridge penalty.

P(class k | x) is proportional to exp(b_k'x). All classes have coefficients while it is solved, so
that no class is special; the sums over classes of gradient and steps are 0. Maximum likelihood is
then told relative to a reference class, as in R's ``nnet::multinom``.

Columns are moved to their means and scaled by powers of two inside: neither changes the answer, and
columns far from 0 lose no digits.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.linalg import cho_solve, cholesky

from statfast._blocks import checkpoint, reduce
from statfast._core import multinomial as kernel
from statfast._extent import extent_of, scale_of
from statfast._validation import refuse_large
from statfast.linear.quasi_newton import Minimum, minimise

CALL = 5e8  # flop of a kernel call: well below 0.1 s
LARGEST = 4000  # coefficients up to which the whole Hessian is factored


@dataclass(frozen=True)
class Frame:
    """Rows as the kernel sees them: z = (x - shift) * scale, after a 1 for the intercept."""

    intercept: bool
    shift: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)

    def to_user(self) -> np.ndarray:
        """The (q, q) matrix that turns coefficients of z into those of 1 and x."""
        turn = np.diag(np.append(np.ones(int(self.intercept)), self.scale))
        if self.intercept:
            turn[0, 1:] = -self.shift * self.scale
        return turn


@dataclass(frozen=True)
class MultinomialFit:
    """A fitted model of K classes and q columns, the intercept first if there is one."""

    coef: np.ndarray  # (K, q), summing to 0 over the classes
    loglik: float
    null_loglik: float  # of the model with the intercept alone, or with no coefficients
    information: np.ndarray | None  # (K, q, K, q) in the frame, at the maximum
    frame: Frame
    minimum: Minimum

    def relative_to(self, reference: int) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (K-1, q) less those of a class, and their covariance, ordered alike."""
        others = np.arange(len(self.coef)) != reference
        coef = self.coef[others] - self.coef[reference]
        k, q = coef.shape
        information = self.information[others][:, :, others].reshape(k * q, k * q)
        spread = 1.0 / np.sqrt(information.diagonal())
        factor = cholesky(information * spread * spread[:, None], lower=True)
        inverse = cho_solve((factor, True), np.eye(k * q)) * spread * spread[:, None]
        turn = self.frame.to_user()
        blocks = inverse.reshape(k, q, k, q)
        blocks = np.einsum("ij,ajbl,ml->aibm", turn, blocks, turn, optimize=True)
        covariance = blocks.reshape(k * q, k * q)
        return coef, (covariance + covariance.T) / 2.0


class Sums:
    """Sums over the rows, for coefficients in the frame."""

    def __init__(self, rows, codes, weights, n_classes, intercept, n_jobs):
        self.rows, self.codes, self.weights, self.n_jobs = rows, codes, weights, n_jobs
        self.n_classes = n_classes
        self.frame = frame_of(rows, intercept, n_jobs)
        self.q = rows.shape[1] + intercept
        self.kp, self.tall, self.ld = kernel.shapes(self.q, n_classes)
        self.pass_cost = self.q * n_classes * 4.0 + 60.0 * n_classes  # of a row
        self.hessian_cost = 0.75 * self.q**2 * n_classes * (n_classes - 1)

    def at(self, coef, every=0):
        """Minus the log-likelihood, its gradient (K, q), and the (P, q, q) sums of the pairs.

        The pairs are summed over every so many rows of a block, weighted up; over none for 0.
        Loss and gradient are summed over all rows if there are pairs over all, or over none.
        """
        frame, n_classes = self.frame, self.n_classes
        table = np.zeros((self.q, self.kp))
        table[:, :n_classes] = coef.T
        n_pairs = n_classes * (n_classes - 1) // 2
        cost = self.pass_cost + (self.hessian_cost if every else 0.0)

        def partial(where, block, codes, weights):
            loss, gradient = np.zeros(1), np.zeros((self.kp, self.ld))
            pairs = np.zeros((n_pairs, self.tall, self.ld)) if every else None
            if every > 1:
                block, codes = block[::every], codes[::every].copy()
                weights = None if weights is None else weights[::every].copy()
            for some in pieces(len(block), cost):
                share = None if weights is None else weights[some]
                kernel.sums(
                    block[some], codes[some], share, frame.shift, frame.scale, frame.intercept,
                    table, loss, gradient, pairs, n_classes,
                )  # fmt: skip
                checkpoint()
            return loss, gradient, pairs

        # A block should take a tenth of a millisecond, and far longer than adding up its sums.
        least = max(256, int(4e6 / cost), 2048 * every if every else 0)
        loss, gradient, pairs = reduce(
            partial, self.rows, self.codes, self.weights, merge=added, n_jobs=self.n_jobs,
            effort=cost * len(self.rows) / max(1, every), least=least,
        )  # fmt: skip
        if every:
            pairs = max(1, every) * mirrored(pairs[:, : self.q, : self.q])
        return float(loss[0]), gradient[:n_classes, : self.q], pairs

    def gram(self):
        """The weighted products of the columns, (q, q)."""
        frame, cost = self.frame, self.q**2

        def partial(where, block, weights):
            out = np.zeros((self.tall, self.ld))
            for some in pieces(len(block), cost):
                share = None if weights is None else weights[some]
                kernel.gram(block[some], share, frame.shift, frame.scale, frame.intercept, out)
                checkpoint()
            return (out,)

        (out,) = reduce(
            partial, self.rows, self.weights, merge=added, n_jobs=self.n_jobs,
            effort=cost * len(self.rows), least=max(256, 4 * self.q, int(2e6 / cost)),
        )  # fmt: skip
        return mirrored(out[: self.q, : self.q])


def pieces(n, cost):
    """Slices of so many rows that each takes a kernel call of bounded time."""
    step = max(64, int(CALL / cost))
    return [slice(start, start + step) for start in range(0, n, step)]


def added(total, more):
    """`total`, with all arrays of `more` added to its own."""
    for mine, theirs in zip(total, more, strict=True):
        if mine is not None:
            mine += theirs
    return total


def mirrored(lower):
    """Symmetric matrices from their lower triangles."""
    lower = np.tril(lower)
    return lower + np.swapaxes(np.tril(lower, -1), -1, -2)


def frame_of(rows, intercept, n_jobs):
    """Columns about their means, where an intercept allows it, and of size 1/2 to 1."""
    extent = extent_of(rows, n_jobs)
    shift = extent.mean if intercept else np.zeros(rows.shape[1])
    reach = np.maximum(np.abs(extent.high - shift), np.abs(extent.low - shift))
    return Frame(intercept, shift, np.array([scale_of(r) for r in reach.tolist()]))


def hessian_of(pairs, ridge):
    """The (K, q, K, q) Hessian from the sums of the pairs."""
    q, n_classes = pairs.shape[-1], int(sqrt(2 * len(pairs))) + 1
    hessian = np.zeros((n_classes, q, n_classes, q))
    a, b = np.tril_indices(n_classes, -1)
    hessian[a, :, b] = -pairs
    hessian[b, :, a] = -pairs
    own = np.arange(n_classes)
    hessian[own, :, own] = -hessian.sum(axis=2)
    hessian[own[:, None], np.arange(q), own[:, None], np.arange(q)] += ridge
    return hessian


def solver_of(hessian):
    """g -> H^-1 g, among coefficients that sum to 0 over the classes; None if H is singular.

    A common term of all classes is given the mean of the classes' own blocks as its Hessian, which
    leaves the answer as it is, since gradients have none.
    """
    n_classes, q = hessian.shape[:2]
    own = np.arange(n_classes)
    filled = hessian + hessian[own, :, own].mean(axis=0)[:, None, :] / n_classes
    square = filled.reshape(n_classes * q, n_classes * q)
    spread = 1.0 / np.sqrt(square.diagonal())
    try:
        factor = cholesky(
            square * spread * spread[:, None], lower=True, overwrite_a=True, check_finite=False
        )
    except np.linalg.LinAlgError:
        return None
    return lambda g: spread * cho_solve((factor, True), spread * g, check_finite=False)


def solver_at_start(gram, spread_of_classes, ridge):
    """The same at coefficients that give all rows the same posteriors, from one small matrix.

    There the Hessian is M (x) Z'WZ + I (x) D with M = diag(p) - p p', so that each eigenvector of M
    has a system of its own.
    """
    values, vectors = np.linalg.eigh(spread_of_classes)
    values[0] = values.mean()  # the common term of all classes, which gradients do not have
    spread = 1.0 / np.sqrt(np.where(gram.diagonal() > 0.0, gram.diagonal(), 1.0))
    scaled = gram * spread * spread[:, None]
    systems = []
    for value in values.tolist():
        matrix = value * scaled + np.diag(ridge * spread**2)
        floor = 1e-10 * matrix.diagonal().max()  # it is a preconditioner: near is good enough
        matrix[np.diag_indices_from(matrix)] += floor
        systems.append(cholesky(matrix, lower=True, check_finite=False))

    def solve(g):
        turned = vectors.T @ (g.reshape(len(values), -1) * spread)
        solved = [cho_solve((f, True), t) for f, t in zip(systems, turned, strict=True)]
        return ((vectors @ np.array(solved)) * spread).ravel()

    return solve


class Objective:
    """What `minimise` is to know of the model: the penalised loss, its gradient and curvature.

    Where a Hessian costs far more than a gradient, its place is taken by one of a part of the rows,
    with a little of the one at the start, which has all directions; each next one is of twice as
    many rows.
    """

    def __init__(self, sums, shares, penalty):
        self.sums, self.penalty = sums, penalty
        self.n_classes, self.q = len(shares), sums.q
        self.gram, self.spread = sums.gram(), np.diag(shares) - np.outer(shares, shares)
        self.start = solver_at_start(self.gram, self.spread, penalty)
        n, size = float(len(sums.rows)), float(self.n_classes * self.q)
        self.every = 0
        self.eager = False
        if size <= LARGEST:
            refuse_large(24.0 * size**2, "The Hessian", "Use fewer columns.")
            self.every = 1
            self.eager = self.cost <= 1.5
            if not self.eager:
                self.every = max(1, int(min(8.0, n / (5.0 * size))))

    @property
    def cost(self):
        """Of `curvature`, in passes for a gradient; infinite where the matrix is too large."""
        if not self.every:
            return np.inf
        sums, n = self.sums, float(len(self.sums.rows))
        one = 2.0 * n * sums.pass_cost + 1e7  # passes run at half the rate, and start threads
        factor = float(self.n_classes * self.q) ** 3
        return (n / self.every * (sums.pass_cost + sums.hessian_cost) + factor) / one

    def at(self, x):
        coef = x.reshape(self.n_classes, self.q)
        loss, gradient, pairs = self.sums.at(coef, every=int(self.eager))
        pull = self.penalty * coef
        solve = self.solver(pairs) if self.eager else None
        return loss + 0.5 * float((pull * coef).sum()), (gradient + pull).ravel(), solve

    def curvature(self, x):
        coef = x.reshape(self.n_classes, self.q)
        _, _, pairs = self.sums.at(coef, self.every)
        self.every = max(1, self.every // 2)
        a, b = np.tril_indices(self.n_classes, -1)
        pairs -= 0.02 * self.spread[a, b][:, None, None] * self.gram
        return self.solver(pairs)

    def solver(self, pairs):
        return solver_of(hessian_of(pairs, self.penalty))


def fit_multinomial(
    rows, codes, weights, n_classes, *, ridge=0.0, intercept=True, tol=1e-9, max_iter=100,
    n_jobs=None,
):  # fmt: skip
    """Fit a multinomial logistic model.

    Parameters
    ----------
    rows : ndarray of shape (n, d), float64 or float32, finite
    codes : ndarray of shape (n,), intp
    weights : ndarray of shape (n,), float64, or None
    n_classes : int
        Each has a positive weight.
    ridge : float
        Minimise minus the log-likelihood + ridge / 2 * the squares of all but the intercepts.
        With 0 the information matrix comes with the fit.
    tol : float
        How far from the maximum a coefficient may be, in its own standard errors.
    """
    sums = Sums(rows, codes, weights, n_classes, intercept, n_jobs)
    frame, q = sums.frame, sums.q
    mass = np.bincount(codes, weights, n_classes).astype(float)
    shares = mass / mass.sum() if intercept else np.full(n_classes, 1.0 / n_classes)
    start = np.zeros((n_classes, q))
    if intercept:
        start[:, 0] = np.log(shares) - np.log(shares).mean()
    penalty = np.append(np.zeros(int(intercept)), ridge * frame.scale**2)
    typical = sqrt(mass.sum() / len(rows))
    objective = Objective(sums, shares, penalty)
    minimum = minimise(start.ravel(), objective, tol=tol * typical, max_iter=max_iter)
    coef = minimum.x.reshape(n_classes, q)
    coef = coef - coef.mean(axis=0)
    loss, information = minimum.value, None
    if ridge == 0.0:
        loss, _, pairs = sums.at(coef, every=1)
        information = hessian_of(pairs, penalty)
    else:
        loss -= 0.5 * float((penalty * coef**2).sum())
    null = float(mass @ np.log(shares))
    return MultinomialFit(coef @ frame.to_user().T, -loss, null, information, frame, minimum)
