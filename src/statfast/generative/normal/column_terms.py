# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy on rows held out by normal classes with one column more, or less.

The density of a class in the columns S and j is that in S times that of x_j given x_S, which is
normal, with a mean linear in x_S (T. W. Anderson 2003, An Introduction to Multivariate Statistical
Analysis, theorem 2.5.1). So one column more adds a term to the logarithm of what is known, and one
less takes a term off: no row is fitted again, and none is predicted anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint, each, interruptible
from statfast._linalg import triangle_inverse
from statfast._typing import Array, Jobs
from statfast.generative.normal.whitening import smallest_variance, varying

VALUES_PER_BLOCK = 1 << 17  # Terms of rows and columns that are added up at a time.
# Sets whose inverse correlations sum to more than this share of what is allowed are fitted by
# themselves, so that no rounding of a term decides how they are fitted.
SHARE_OF_CERTAIN_TRACE = 0.25


class Terms(NamedTuple):
    """Normal terms of a step: for each class c and column j, those of a number of each row."""

    scores: Callable[[Array], Array]  # (b, d) -> (b, K): log prior and density without the terms
    # (b, d) -> (b, m): the number of each column, of all classes, or a function for each.
    projections: Sequence[Callable[[Array], Array]]
    centers: NDArray[np.float64]  # (K, m)
    precisions: NDArray[np.float64]  # (K, m)
    sign: float  # 1 where terms are added, -1 where they are taken off
    certain: NDArray[np.bool_]  # (m,)


class ColumnTerms(Protocol):
    """What a fold's densities of some columns are with one more, or one less."""

    def with_each(self, selected: Array, rest: Array) -> Terms:
        """Terms of the columns that are not selected, given those that are."""
        ...

    def without_each(self, selected: Array) -> Terms:
        """Terms of each selected column, given the others."""
        ...


@dataclass(frozen=True)
class NormalTerms:
    """Terms of normal classes, with one covariance or one for each."""

    means: NDArray[np.float64]  # (K, d)
    covariances: NDArray[np.float64]  # (1, d, d) or (K, d, d)
    log_priors: NDArray[np.float64]  # (K,)
    varies: NDArray[np.bool_]  # (d,) whether a column is constant in no covariance
    tol: float

    def with_each(self, selected: Array, rest: Array) -> Terms:
        certain = self.varies[rest] & self.varies[selected].all()
        factors, steps, centers, precisions = [], [], [], []
        for g, covariance in enumerate(self.covariances):
            factor = SelectedFactor.of(covariance, selected)
            variances = covariance.diagonal()
            across = covariance[np.ix_(selected, rest)]
            slopes = factor.root @ (factor.root.T @ across)  # (s, m)
            left = variances[rest] - np.einsum("sj,sj->j", across, slopes)
            positive = left > 0.0
            left = np.where(positive, left, 1.0)
            grown = variances[selected] @ slopes**2 + variances[rest]
            certain &= positive & self._is_certain(factor.trace + grown / left, len(selected) + 1)
            means = self.means if len(self.covariances) == 1 else self.means[g : g + 1]
            centers.append(means[:, rest] - means[:, selected] @ slopes)
            precisions.append(np.broadcast_to(1.0 / left, centers[-1].shape))
            factors.append(factor)
            steps.append(slopes)

        def projection(slopes: Array) -> Callable[[Array], Array]:
            return lambda rows: rows[:, rest] - rows[:, selected] @ slopes

        return Terms(
            self._scores(factors, selected), [projection(slopes) for slopes in steps],
            np.vstack(centers), np.vstack(precisions), 1.0, certain,
        )  # fmt: skip

    def without_each(self, selected: Array) -> Terms:
        certain = np.full(len(selected), self.varies[selected].all())
        factors, weights, centers, precisions = [], [], [], []
        for g, covariance in enumerate(self.covariances):
            factor = SelectedFactor.of(covariance, selected)
            inverse = factor.root @ factor.root.T
            diagonal = inverse.diagonal()
            certain &= self._is_certain(factor.trace, len(selected))
            means = self.means if len(self.covariances) == 1 else self.means[g : g + 1]
            weights.append(inverse / diagonal)
            centers.append(means[:, selected] @ weights[-1])
            precisions.append(np.broadcast_to(diagonal, centers[-1].shape))
            factors.append(factor)

        def projection(weights: Array) -> Callable[[Array], Array]:
            return lambda rows: rows[:, selected] @ weights

        return Terms(
            self._scores(factors, selected), [projection(part) for part in weights],
            np.vstack(centers), np.vstack(precisions), -1.0, certain,
        )  # fmt: skip

    @classmethod
    def of(
        cls, means: Array, covariances: Array, log_priors: Array, center: Array, tol: float
    ) -> NormalTerms:
        """Those of rows that are to be centered."""
        extent = np.abs(means).max(axis=0)
        varies = np.all([varying(covariance, extent) for covariance in covariances], axis=0)
        return cls(means - center, covariances, log_priors, varies, tol)

    def _is_certain(self, trace: Any, n_columns: int) -> Any:
        return trace < SHARE_OF_CERTAIN_TRACE / smallest_variance(n_columns, self.tol)

    def _scores(self, factors: list[SelectedFactor], selected: Array) -> Callable[[Array], Array]:
        def scores(rows: Array) -> Array:
            out = np.empty((len(rows), len(self.means)))
            part = rows[:, selected]
            for c, mean in enumerate(self.means):
                factor = factors[c if len(factors) > 1 else 0]
                if c < len(factors):
                    z = interruptible(np.matmul, part, factor.root)
                far = ((z - mean[selected] @ factor.root) ** 2).sum(axis=1)
                out[:, c] = self.log_priors[c] - 0.5 * (factor.log_det + far)
            return out

        return scores


@dataclass(frozen=True)
class SelectedFactor:
    """The root of the inverse covariance of the selected columns, (s, s)."""

    root: NDArray[np.float64]
    log_det: float
    trace: float  # of the inverse correlations, infinite where there is none

    @classmethod
    def of(cls, covariance: Array, selected: Array) -> SelectedFactor:
        """That of some columns; of a singular matrix one that stands for none."""
        part = covariance[np.ix_(selected, selected)]
        spread = np.sqrt(np.maximum(part.diagonal(), 0.0))
        try:
            if not (spread > 0.0).all():
                raise np.linalg.LinAlgError
            lower = interruptible(np.linalg.cholesky, part / spread[:, None] / spread)
            root = triangle_inverse(lower, lower=True).T
        except np.linalg.LinAlgError:
            return cls(np.eye(len(part)), 0.0, np.inf)
        log_det = 2.0 * float(np.log(lower.diagonal() * spread).sum())
        return cls(root / spread[:, None], log_det, float((root**2).sum()))


@dataclass(frozen=True)
class HeldClasses:
    """Rows that a fold holds out, with the terms of what it fits."""

    rows: NDArray[np.float64]  # (n, d)
    codes: NDArray[np.intp]  # (n,)
    weights: NDArray[np.float64] | None  # (n,)
    terms: ColumnTerms

    def accuracy(self, terms: Terms) -> Array:
        """The share of the rows, by weight, of whose classes a step makes the right one, (m,)."""
        m = terms.centers.shape[1]
        right = np.zeros(m)
        step = max(1, VALUES_PER_BLOCK // max(m, 1))
        for start in range(0, len(self.rows), step):
            block, codes = self.rows[start : start + step], self.codes[start : start + step]
            is_right = self._is_right(terms, block, codes)
            if self.weights is None:
                right += np.count_nonzero(is_right, axis=0)
            else:
                right += self.weights[start : start + step] @ is_right
            checkpoint()
        return right / (len(self.rows) if self.weights is None else self.weights.sum())

    def _is_right(self, terms: Terms, block: Array, codes: Array) -> Array:
        """Whether the best class of each row, of equals the first, is its own: (b, m)."""
        scores = terms.scores(block)
        heights = 0.5 * terms.sign * np.log(terms.precisions)
        halves = -0.5 * terms.sign * terms.precisions
        best = is_right = values = np.empty(0)
        for c in range(scores.shape[1]):
            if c < len(terms.projections):
                values = terms.projections[c](block)
            total = values - terms.centers[c]
            total *= total
            total *= halves[c]
            total += heights[c]
            total += scores[:, c, None]
            is_own = (codes == c)[:, None]
            if c == 0:
                best, is_right = total, np.repeat(is_own, total.shape[1], axis=1)
                continue
            better = total > best
            np.copyto(is_right, is_own, where=better)
            np.maximum(best, total, out=best)
        return is_right


@dataclass(frozen=True)
class AccuracySweeps:
    """The steps of all folds, of which each is a task: see `ColumnSweeps`."""

    folds: list[HeldClasses]
    n_jobs: Jobs

    def with_each(self, selected: Sequence[int], rest: Sequence[int]) -> tuple[Array, Array]:
        """Accuracies (folds, m) with one of the other columns, and whether they are certain."""
        return self._of_folds(
            lambda fold: fold.terms.with_each(as_places(selected), as_places(rest)), len(rest)
        )

    def without_each(self, selected: Sequence[int]) -> tuple[Array, Array]:
        """The same without one of the selected columns."""
        if len(selected) == 1:  # There is no density of no column.
            return np.zeros((len(self.folds), 1)), np.zeros((len(self.folds), 1), dtype=bool)
        return self._of_folds(
            lambda fold: fold.terms.without_each(as_places(selected)), len(selected)
        )

    def _of_folds(self, terms_of: Callable[[HeldClasses], Terms], m: int) -> tuple[Array, Array]:
        def work(fold: HeldClasses) -> tuple[Array, Array]:
            terms = terms_of(fold)
            with np.errstate(over="ignore", invalid="ignore"):
                return fold.accuracy(terms), terms.certain

        n = sum(len(fold.rows) for fold in self.folds)
        answers = each(work, self.folds, n_jobs=self.n_jobs, effort=30.0 * n * max(m, 1))
        accuracies, certain = zip(*answers, strict=True)
        return np.array(accuracies), np.array(certain)


def as_places(columns: Sequence[int]) -> NDArray[np.intp]:
    """Columns as an array of indices."""
    return np.asarray(columns, dtype=np.intp)


def accuracy_sweeps(
    columns: tuple[Any, ...],
    tests: list[Array],
    centers: list[Array],
    terms: Sequence[ColumnTerms],
    n_jobs: Jobs,
) -> AccuracySweeps | None:
    """The steps of folds that hold out some rows each; None where one holds out none of weight."""
    rows, codes, weights = columns
    folds = []
    for test, center, of_fold in zip(tests, centers, terms, strict=True):
        shares = None if weights is None else weights[test]
        if len(test) == 0 or (shares is not None and not shares.any()):
            return None
        block = np.asarray(rows[test], dtype=np.float64) - center
        if not np.isfinite(block).all():
            return None
        folds.append(HeldClasses(block, codes[test], shares, of_fold))
    return AccuracySweeps(folds, n_jobs)
