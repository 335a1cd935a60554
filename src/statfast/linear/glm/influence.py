# SPDX-License-Identifier: BSD-3-Clause
"""Row by row: residuals, leverage, Cook's distance, and the covariances made of them.

Definitions are those of R's ``residuals.glm``, ``hatvalues`` and ``cooks.distance``. Models do not
keep the rows they were fitted on: these methods take them again.

Williams 1987, doi:10.2307/2347550 (diagnostics of generalised linear models); White 1980,
doi:10.2307/1912934, and MacKinnon & White 1985, doi:10.1016/0304-4076(85)90158-7 (HC0 to HC3).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._blocks import each, grid
from statfast._core.irls import accumulate
from statfast._validation import as_choice, as_real, as_weights
from statfast.linear.predictor import linear_predictor, new_rows, offsets_for
from statfast.linear.profile import profile_intervals
from statfast.linear.sweeps import Rows, as_float

KINDS = ("deviance", "pearson", "working", "response")
ROBUST = ("HC0", "HC1", "HC2", "HC3")


@dataclass(frozen=True)
class RowInfluence:
    """What each row does to a fit.

    Attributes
    ----------
    fitted : ndarray of shape (n,)
        Means.
    linear_predictor : ndarray of shape (n,)
    leverage : ndarray of shape (n,)
        Diagonal of the hat matrix; its sum is the rank.
    cooks_distance : ndarray of shape (n,)
        How far all coefficients would move without the row, in their own metric.
    standardized : ndarray of shape (n,)
        Deviance residuals divided by their standard errors.
    standardized_pearson : ndarray of shape (n,)
        The same of Pearson residuals.
    """

    fitted: NDArray[np.float64]
    linear_predictor: NDArray[np.float64]
    leverage: NDArray[np.float64]
    cooks_distance: NDArray[np.float64]
    standardized: NDArray[np.float64]
    standardized_pearson: NDArray[np.float64]


class Diagnosed:
    """Mixin: residuals and influence of rows that are given again.

    The estimator is an `Inference` and has ``_at(X, y, offset)``: rows, numeric responses, family,
    link, coefficients (p,), intercept, and whether there is one.
    """

    def conf_int(
        self, level=0.95, *, method="wald", X=None, y=None, sample_weight=None, offset=None
    ):
        """Intervals of the coefficients.

        Parameters
        ----------
        level : float, default=0.95
        method : {"wald", "profile"}, default="wald"
            "wald": so many standard errors on both sides. "profile": the values that a
            likelihood-ratio test does not reject, as R's ``confint``; they need the rows again.
        X : array-like or sparse matrix of shape (n, d), optional
        y : array-like of shape (n,), optional
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional
            All as given to `fit`, for "profile".

        Returns
        -------
        ndarray of shape (q, 2)
            Lower and upper ends, the intercept first. Quantiles are of the normal distribution, or
            of Student's t where the dispersion is estimated. Ends of profiles may be infinite.

        Raises
        ------
        ValueError
            If the fit was penalised, or "profile" is given no rows.
        """
        if as_choice(method, "method", ("wald", "profile")) == "wald":
            return super().conf_int(level)
        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
        result = self._inferred()
        if X is None or y is None:
            raise ValueError(
                "method='profile' fits again, and models keep no rows. Pass X and y (and "
                "sample_weight and offset) as to fit."
            )
        given = new_rows(self, X)
        n = given.shape[0]
        y, family, link, _, _, has_one = self._at(y, n)
        weights, offset = as_weights(sample_weight, n), offsets_for(offset, n)
        rows = Rows(given, y, weights, offset, family, link, has_one, self.n_jobs)
        return profile_intervals(rows, result, result.quantile(level))

    def residuals(self, X, y, kind="deviance", sample_weight=None, offset=None):
        """Residuals of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        kind : {"deviance", "pearson", "working", "response"}, default="deviance"
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional

        Returns
        -------
        ndarray of shape (n,)
            With weights a: deviance and Pearson residuals times the root of a, as in R.
        """
        as_choice(kind, "kind", KINDS)
        return self._parts(X, y, sample_weight, offset).residuals(kind)

    def influence(self, X, y, sample_weight=None, offset=None):
        """Leverage, Cook's distance and standardised residuals of the rows fitted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional
            All as given to `fit`.

        Returns
        -------
        RowInfluence

        Raises
        ------
        ValueError
            If the fit was penalised.

        Notes
        -----
        As in R, what is left out is a row of X with all of its weight: of a row that stands for w
        equal ones, leverage and distance are those of the w together, whatever weights mean. Repeat
        the row for those of each.
        """
        result = self._inferred()
        parts = self._parts(X, y, sample_weight, offset)
        leverage = parts.leverage(result)
        rest = np.maximum(1 - leverage, 0.0)
        rank = len(result.coef) - int(result.aliased.sum())
        pearson = parts.residuals("pearson")
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(result.dispersion * rest)
            distance = (pearson / rest) ** 2 * leverage / (result.dispersion * rank)
            return RowInfluence(
                parts.mu,
                parts.eta,
                leverage,
                distance,
                parts.residuals("deviance") / error,
                pearson / error,
            )

    def robust_covariance(self, X, y, kind="HC3", sample_weight=None, offset=None):
        """Sandwich covariance of the coefficients, right also where the variance is not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        kind : {"HC0", "HC1", "HC2", "HC3"}, default="HC3"
            HC0 takes squared scores as they are, HC1 multiplies by ``n / (n - rank)``, HC2 divides
            them by one less the leverage, HC3 by its square.
        sample_weight : array-like of shape (n,), optional
            Taken as frequencies unless ``weight_type="analytic"``.
        offset : array-like of shape (n,), optional
            All as given to `fit`.

        Returns
        -------
        ndarray of shape (q, q)
            The intercept first; NaN for aliased coefficients.
        """
        as_choice(kind, "kind", ROBUST)
        result = self._inferred()
        if kind == "HC1" and not result.df_residual > 0:
            raise ValueError(
                f"kind='HC1' divides by the residual degrees of freedom; there are "
                f"{result.df_residual:g}. Choose 'HC0'."
            )
        parts = self._parts(X, y, sample_weight, offset)
        analytic = getattr(self, "weight_type", "frequency") == "analytic"
        copies = np.ones(len(parts.y)) if analytic or parts.a is None else parts.a
        once = np.where(copies > 0, copies, 1.0)
        squares = (parts.score() / once) ** 2
        if kind in ("HC2", "HC3"):
            rest = np.maximum(1 - parts.leverage(result) / once, 1e-15)
            squares /= rest if kind == "HC2" else rest**2
        out = result.unscaled @ parts.products(copies * squares) @ result.unscaled
        if kind == "HC1":
            out *= result.observations / result.df_residual
        out[result.aliased] = np.nan
        out[:, result.aliased] = np.nan
        return out

    def _parts(self, X, y, sample_weight, offset):
        self._inferred(refuse=False)
        rows = new_rows(self, X)
        n = rows.shape[0]
        y, family, link, coef, intercept, has_one = self._at(y, n)
        eta = linear_predictor(rows, coef, intercept, offsets_for(offset, n))
        weights = as_weights(sample_weight, n)
        return _Parts(rows, y, weights, eta, family, link, has_one)


class _Parts:
    """The quantities of rows that residuals and leverage are made of."""

    def __init__(self, rows, y, a, eta, family, link, has_one):
        self.rows, self.y, self.a, self.eta = rows, y, a, eta
        self.family, self.has_one = family, has_one
        with np.errstate(all="ignore"):
            self.mu = link.mean(eta)
            self.slope = link.slope(eta, self.mu)
            self.variance = family.variance(self.mu)

    def residuals(self, kind):
        apart = self.y - self.mu
        root = 1.0 if self.a is None else np.sqrt(self.a)
        with np.errstate(all="ignore"):
            if kind == "response":
                return apart
            if kind == "working":
                return apart / self.slope
            if kind == "pearson":
                return root * apart / np.sqrt(self.variance)
            unit = np.maximum(self.family.deviance(self.y, self.mu), 0.0)
            return root * np.sign(apart) * np.sqrt(unit)

    def weight(self):
        with np.errstate(all="ignore"):
            w = self.slope**2 / self.variance
        return np.where(w > 0, w, 0.0) * (1.0 if self.a is None else self.a)

    def score(self):
        with np.errstate(all="ignore"):
            s = (self.y - self.mu) * self.slope / self.variance
        return np.where(np.isfinite(s), s, 0.0) * (1.0 if self.a is None else self.a)

    def _blocks(self, work):
        def task(where):
            block = self.rows[where]
            dense = block.toarray() if hasattr(block, "indptr") else as_float(block)
            return work(where, np.ascontiguousarray(dense))

        return each(task, grid(len(self.y), 1024))

    def leverage(self, result):
        out = np.empty(len(self.y))

        def work(where, block):
            out[where] = result.spread(block, self.has_one)

        self._blocks(work)
        return out * self.weight()

    def products(self, w):
        """The rows' z' diag(w) z, both triangles."""
        p = self.rows.shape[1]
        q, zero = p + int(self.has_one), np.zeros(p)

        def work(where, block):
            h = np.zeros((q, q))
            some = np.ascontiguousarray(w[where])
            accumulate(block, zero, self.has_one, some, some, h, np.zeros(q))
            return h

        lower = np.tril(sum(self._blocks(work)))
        return lower + np.tril(lower, -1).T
