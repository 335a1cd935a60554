# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression without each fold in turn, all folds together.

With noise of variance alpha / w, the fit is the mean of a Gaussian process with the kernel as its
covariance, given the targets (Rasmussen & Williams 2006, "Gaussian Processes for Machine Learning",
section 2.2), and what a fold is predicted to be is the mean given the targets of all other rows.
Halves of the folds are conditioned on each other, then quarters within them, and so on until a fold
stands alone: each step is one of Cholesky's on rows that most folds have in common, and none takes
out again what another put in, so that predictions are as exact as those of refits. All folds cost
some n^3 multiplications, however many there are.

Of many penalties, a single eigen-decomposition serves all that are large enough: with G the inverse
of K + alpha W^-1 and c = G y, a fold F is predicted y_F - G_FF^-1 c_F (Allen 1974,
doi:10.1080/00401706.1974.10489157; of a kernel, Cawley & Talbot 2003,
doi:10.1016/S0031-3203(03)00136-5).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint, interruptible
from statfast._linalg import triangle_inverse
from statfast._typing import Array
from statfast.svm.ridge.system import factor_of, multipliers

# With at least so many penalties, eigenvalues are computed, which take about as long as so many
# eliminations.
PENALTIES_FOR_EIGENVALUES = 6
# The largest ratio of the largest eigenvalue to what is left of a row, which is the digits that may
# be lost.
MAX_CONDITION = 1e5


class Singular(ArithmeticError):
    """There is no factor: refits will say what is done."""


def groups_of(tests: list[Array], n: int) -> list[list[Array]]:
    """Runs of consecutive folds that hold out each row at most once."""
    groups: list[Any] = []
    run: list[Any] = []
    seen = np.zeros(n, dtype=bool)
    for test in tests:
        if run and seen[test].any():
            groups.append(run)
            run, seen = [], np.zeros(n, dtype=bool)
        run.append(test)
        seen[test] = True
    return [*groups, run]


def held_out(
    K: Array, Y: Array, root: Array | None, alphas: list[float], folds: list[Array]
) -> list[Array]:
    """Predictions (n, T) of the rows of disjoint folds, one array for each of distinct alphas."""
    order = np.concatenate(folds)
    ends = np.cumsum([0, *map(len, folds)])
    rest = np.setdiff1d(np.arange(len(K)), order)  # rows that no fold holds out
    every, lead = np.concatenate([rest, order]), len(rest)
    C, y = K[np.ix_(every, every)], Y[every]
    s = None if root is None else root[every]
    grid = PenaltyGrid(C, y, s) if len(alphas) >= PENALTIES_FOR_EIGENVALUES and not lead else None
    predictions = []
    for alpha in alphas:
        out = np.zeros(Y.shape)
        values = None if grid is None else grid.held_out(alpha, ends)
        if values is None:
            cov, mean, keep = C, np.zeros(y.shape), slice(lead, None)
            if lead:
                cov, mean = conditioned(
                    C, mean, y, s, alpha, keep, slice(0, lead), covariance=len(folds) > 1
                )
            values = np.empty((len(order), y.shape[1]))
            eliminate(cov, mean, y[keep], None if s is None else s[keep], alpha, ends, values)
        out[order] = values
        predictions.append(out)
    return predictions


def conditioned(
    C: Any,
    mean: Array,
    y: Array,
    root: Array | None,
    alpha: float,
    keep: slice,
    gone: slice,
    covariance: bool,
) -> tuple[Array | None, Array]:
    """Covariance (if asked for) and means of some rows, given the targets of others."""
    checkpoint()
    s = None if root is None else root[gone]
    factor = factor_of(C[gone, gone], s, alpha)
    if factor is None:
        raise Singular
    across = C[gone, keep]
    mean = mean[keep] + across.T @ multipliers(factor, s, y[gone] - mean[gone])
    if not covariance:
        return None, mean
    scale = factor.scale if s is None else factor.scale * s
    half = triangle_inverse(factor.lower, lower=True)
    explained = interruptible(np.matmul, half, scale[:, None] * across)
    return C[keep, keep] - interruptible(np.matmul, explained.T, explained), mean


def eliminate(
    C: Array | None,
    mean: Array,
    y: Array,
    root: Array | None,
    alpha: float,
    ends: Array,
    out: Array,
) -> None:
    """Means of each fold given all others, into `out`; fold k is the rows ends[k] to ends[k + 1]
    from the first end on."""
    if len(ends) == 2:
        out[...] = mean
        return
    ends = ends - ends[0]
    middle = int(np.clip(np.argmin(np.abs(ends - ends[-1] / 2)), 1, len(ends) - 2))
    first, last = slice(0, ends[middle]), slice(ends[middle], ends[-1])
    for keep, gone, pieces in ((first, last, ends[: middle + 1]), (last, first, ends[middle:])):
        part, means = conditioned(C, mean, y, root, alpha, keep, gone, covariance=len(pieces) > 2)
        s = None if root is None else root[keep]
        eliminate(part, means, y[keep], s, alpha, pieces, out[keep])


class PenaltyGrid:
    """Eigenvalues of S K S, from which all penalties that are large enough are answered."""

    def __init__(self, K: Any, y: Any, root: Any) -> None:
        M = K if root is None else K * root[:, None] * root
        self.values, self.vectors = interruptible(np.linalg.eigh, M)
        self.y, self.root = y, root
        self.projected_targets = self.vectors.T @ (y if root is None else root[:, None] * y)

    def held_out(self, alpha: float, ends: Array) -> Any:
        """Predictions (n, T); None where the formula would lose digits."""
        top = float(np.abs(self.values).max()) + alpha
        if (
            not (self.root is None or self.root.all())
            or self.values[0] + alpha <= top / MAX_CONDITION**2
        ):
            return None
        each = 1.0 / (self.values + alpha)
        half = self.vectors * np.sqrt(each)
        inverse = np.einsum("ij,ij->i", half, half)  # The diagonal of the inverse.
        if top * inverse.max() > MAX_CONDITION:
            return None
        b = self.vectors @ (each[:, None] * self.projected_targets)
        if (np.diff(ends) == 1).all():
            residual = b / inverse[:, None]
        else:
            residual = np.empty_like(b)
            for k in range(len(ends) - 1):
                held = slice(ends[k], ends[k + 1])
                block = interruptible(np.matmul, half[held], half[held].T)
                factor = factor_of(block, None, 0.0)
                if factor is None:
                    return None
                residual[held] = multipliers(factor, None, b[held])
        return self.y - (residual if self.root is None else residual / self.root[:, None])
