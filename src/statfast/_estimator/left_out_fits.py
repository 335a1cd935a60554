# SPDX-License-Identifier: BSD-3-Clause
"""Fits without each row, and the intervals of the jackknife+ by them.

Of each row i, with the fit m without it, the interval of a point x is m(x) minus and plus the error
of row i; the ends of the jackknife+ have a rank among those of all rows (R. Foygel Barber, E. J.
Candes, A. Ramdas & R. J. Tibshirani 2021, doi:10.1214/20-AOS1965).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from statfast._engine import checkpoint, each, interruptible
from statfast._estimator.conformal_ranks import (
    ROUNDING,
    VALUES_PER_BLOCK,
    LeftOutFits,
    RankRule,
    conformal_ends,
    rows_needed,
)
from statfast._estimator.member_rows import count_rows, take_rows
from statfast._estimator.parameters.declarations import fitted
from statfast._typing import Array, Jobs, Rows
from statfast._validation import as_choice, as_real, warn_user

POINTS_PER_BLOCK = 1 << 9  # Points that share a look at which rows are near their bounds.


class FitsOfRows:
    """Fits without each row, all of which are asked; `answers` (n,) are those for the rows."""

    answers: Array

    def predict(self, rows: Any) -> Array:
        """What the fit without each row predicts of rows, (b, n)."""
        raise NotImplementedError

    def ends(
        self, rows: Any, errors: Array, rule: RankRule, of_rows: Array | None, n_jobs: Jobs
    ) -> Array:
        """Ends (m, 2) of the intervals of points; `errors` are those of the rows `of_rows`."""
        cut = slice(None) if of_rows is None else of_rows

        def bounds(where: slice) -> tuple[Array, Array]:
            answers = self.predict(take_rows(rows, np.arange(where.start, where.stop)))[:, cut]
            return answers - errors, answers + errors

        return conformal_ends(bounds, count_rows(rows), len(errors), rule, n_jobs)


class ProductFits(FitsOfRows):
    """Fits without a row that differ from the one to all rows by products of two scores.

    The fit without row i predicts v(x) - f_i <P(x), R_i>, which is within |P(x)| |f_i| |R_i| of
    v(x). Where the fit to all rows is hardly moved by one, few rows have an error so near to the
    bound that their products decide it: the others are not made.
    """

    row_scores: Array  # (n, r): R
    factors: Array  # (n,): f

    def project(self, rows: Any) -> tuple[Array, Array]:
        """What the fit to all rows predicts of rows, (b,), and their scores P (b, r)."""
        raise NotImplementedError

    def predict(self, rows: Any) -> Array:
        values, scores = self.project(rows)
        out: Array = interruptible(np.matmul, scores, self.row_scores.T)
        out *= self.factors
        return np.subtract(values[:, None], out, out=out)

    def ends(
        self, rows: Any, errors: Array, rule: RankRule, of_rows: Array | None, n_jobs: Jobs
    ) -> Array:
        values, scores = self.project(rows)
        row_scores, factors = take_rows(self.row_scores, of_rows), take_rows(self.factors, of_rows)
        sizes = np.sqrt(np.einsum("ij,ij->i", scores, scores))
        reach = np.sqrt(np.einsum("ij,ij->i", row_scores, row_scores)) * np.abs(factors)
        ends, finite = np.empty((len(values), 2)), np.where(np.isinf(errors), 0.0, errors)
        # Points of about one size have about the same rows near their bounds.
        order = np.argsort(sizes, kind="stable")

        def work(points: Array) -> None:
            shift = sizes[points[-1]] * reach * (1.0 + ROUNDING) + ROUNDING * finite
            near = rule.near_bounds(errors - shift, errors + shift, points)
            near_errors, near_factors, near_scores = (
                take_rows(part, near.places) for part in (errors, factors, row_scores)
            )
            step = max(1, VALUES_PER_BLOCK // max(len(near_errors), 1))
            for start in range(0, len(points), step):
                part = points[start : start + step]
                moved = scores[part] @ near_scores.T
                moved *= near_factors
                low = rule.bounds_of_rows(near_errors + moved, part, near)
                high = rule.bounds_of_rows(near_errors - moved, part, near)
                ends[part] = np.column_stack([values[part] - low, values[part] + high])
                checkpoint()

        blocks = [order[k : k + POINTS_PER_BLOCK] for k in range(0, len(order), POINTS_PER_BLOCK)]
        each(work, blocks, n_jobs=n_jobs, effort=10.0 * len(blocks) * max(len(errors), 1))
        return ends


class StoredLeftOut(NamedTuple):
    """What a model keeps of the fits without each row."""

    fits: list[Any]  # of each target, `LeftOutFits`
    errors: Array  # (n, T)
    weights: Array | None  # (n,)


class LeftOutIntervals:
    """Mixin: intervals of the jackknife+ by what the fit has kept of the fits without each row."""

    n_jobs: Jobs

    def _left_out(self) -> StoredLeftOut | None:
        """What was kept; None where the fits without a row are not to be had."""
        raise NotImplementedError

    def _left_out_fits(self) -> LeftOutFits | None:
        stored = self._left_out()
        return None if stored is None else stored.fits[0]

    def _conformal_ends(self, rows: Any, level: float, flat: bool) -> Array:
        """Ends (m, 2) of intervals of points, or (m, T, 2)."""
        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
        stored = self._left_out()
        if stored is None:
            raise ValueError(self._why_no_intervals())
        used = None if stored.weights is None else np.flatnonzero(stored.weights)
        rule = RankRule(level, take_rows(stored.weights, used))
        errors = take_rows(stored.errors, used)
        ends = [
            fits.ends(rows, np.ascontiguousarray(errors[:, t]), rule, used, self.n_jobs)
            for t, fits in enumerate(stored.fits)
        ]
        out = ends[0] if flat else np.stack(ends, axis=1)
        if np.isinf(out).any():
            need, n = rows_needed(level), len(errors)
            more = f"needs at least {need} rows of weight" if n < need else "needs more weight"
            warn_user(
                f"level={level:g} {more}; there are {n} rows: "
                f"{np.isinf(out).reshape(len(out), -1).any(axis=1).sum()} interval(s) are "
                "infinite. Lower level."
            )
        return out

    def _why_no_intervals(self) -> str:
        return (
            "interval='conformal' needs a fit with store_left_out=True to dense rows "
            "in memory. Fit again, or choose ConformalRegressor."
        )


class StoredIntervals(LeftOutIntervals):
    """Mixin: ``predict`` with intervals, by what a fit with ``store_left_out=True`` has kept."""

    _stored: StoredLeftOut | None = fitted()

    _rows_to_predict: Any  # Checks rows.
    _means_of: Any  # Predicts checked rows: (m,) or (m, T).

    def _left_out(self) -> StoredLeftOut | None:
        return vars(self).get("_stored")

    def predict(
        self,
        X: Rows,
        *,
        interval: Literal["conformal"] | None = None,
        level: float = 0.95,
    ) -> Any:
        """Predict.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the fit took
            Samples to predict; of a matrix of kernel values those with the training samples.
        interval : {None, "conformal"}, default=None
            Also return intervals of new targets, by the jackknife+ (see `ConformalRegressor`), for
            which the fit needs ``store_left_out=True``.
        level : float, default=0.95
            Confidence level of the interval, between 0 and 1.

        Returns
        -------
        means : ndarray of shape (m,), or (m, T) if y was 2-d
            float32 if X is, else float64.
        ends : ndarray of float64, shape (m, 2) or (m, T, 2)
            Only with an interval; infinite, with a warning, where there are too few rows.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has another width than at fit, or holds NaN or infinity, if a prediction is too
            large for the type of X, or if an interval is asked for and the fit has not kept what it
            needs: dense rows and one penalty, without which ``store_left_out`` keeps nothing.
        """
        rows = self._rows_to_predict(X)
        means = self._means_of(rows)
        if as_choice(interval, "interval", (None, "conformal")) is None:
            return means
        return means, self._conformal_ends(rows, level, means.ndim == 1)
