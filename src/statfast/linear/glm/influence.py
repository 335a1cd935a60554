# SPDX-License-Identifier: BSD-3-Clause
"""Row by row: residuals, leverage, Cook's distance, and the covariances made of them.

Of models with a response a row, one or several beside each other; see
linear/logistic/class_influence.py for those of all classes at once.

Definitions are those of R's ``residuals.glm``, ``hatvalues`` and ``cooks.distance``. Models do not
keep the rows they were fitted on: these methods take them again.

Williams 1987, doi:10.2307/2347550 (diagnostics of generalized linear models); White 1980,
doi:10.2307/1912934, and MacKinnon & White 1985, doi:10.1016/0304-4076(85)90158-7 (HC0 to HC3);
Liang & Zeger 1986, doi:10.1093/biomet/73.1.13 (of clusters).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear.irls import accumulate
from statfast._engine import each, grid
from statfast._validation import as_choice, as_labels, as_weights
from statfast.linear.design.design import linear_predictor, new_rows, offsets_for, require_squares
from statfast.linear.design.formula import design_of, groups_again, rows_again
from statfast.linear.glm.irls_sums import ModelRows, as_float
from statfast.linear.glm.profile import profile_intervals
from statfast.linear.inference.hypotheses import Hypotheses
from statfast.linear.inference.inference import as_level, interval_table

KINDS = ("deviance", "pearson", "working", "response")
ROBUST = ("HC0", "HC1", "HC2", "HC3")
CERTAIN = 1e-15  # one less a leverage is no less, where it is divided by


@dataclass(frozen=True)
class RowInfluence:
    """What each row does to a fit.

    Attributes
    ----------
    fitted : ndarray of shape (n,)
        Means. As all others of shape (n, K) for each of K classes against the rest, where each
        column is of that class's model.
    linear_predictor : ndarray of shape (n,)
    leverage : ndarray of shape (n,)
        Diagonal of the hat matrix; its sum is the rank. Of a multinomial model the traces of `hat`.
    cooks_distance : ndarray of shape (n,)
        How far all coefficients would move without the row, in their own metric, over their number:
        by one step of Newton's method. This and the next two are NaN or infinite where leverage is
        1, where no dispersion is estimated, and where squares overflow.
    standardized : ndarray of shape (n,)
        Deviance residuals divided by their standard errors.
    standardized_pearson : ndarray of shape (n,)
        The same of Pearson residuals.
    hat : ndarray of shape (n, K - 1, K - 1), or None
        Of a multinomial model of K classes, where all but leverages and distances have shape
        (n, K): the blocks of the hat matrix, see `LogisticRegression`.
    """

    fitted: NDArray[np.float64]
    linear_predictor: NDArray[np.float64]
    leverage: NDArray[np.float64]
    cooks_distance: NDArray[np.float64]
    standardized: NDArray[np.float64]
    standardized_pearson: NDArray[np.float64]
    hat: NDArray[np.float64] | None = None


class Diagnosed(Hypotheses):
    """Mixin: residuals and influence of rows that are given again.

    The estimator is an `Inference` and has ``_at(y, n)``: numeric responses, family, link,
    coefficients (p,), intercept, and whether there is one.
    """

    def _facts_of(self, result):
        """Those of a result whose covariance was changed."""
        return result.facts

    def conf_int(
        self, *, level=0.95, alpha=None, method="wald", X=None, y=None, sample_weight=None,
        offset=None,
    ):  # fmt: skip
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        alpha : float, optional
            1 - level, as statsmodels has it; instead of `level`.
        method : {"wald", "profile"}, default="wald"
            "wald": so many standard errors on both sides. "profile": the values that a
            likelihood-ratio test does not reject, as R's ``confint``; they need the rows again.
        X : array-like or sparse matrix of shape (n, d), optional
        y : array-like of shape (n,), optional
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional
            All as given to `fit`, for "profile"; of a formula's data frame, X alone.

        Returns
        -------
        CoefficientTable of q rows
            Columns of the lower and upper ends, ordered as `coef_names_`; ``np.asarray`` of it has
            shape (q, 2). Quantiles are of the normal distribution, or of Student's t where the
            dispersion is estimated. Ends of profiles may be infinite.

        Raises
        ------
        ValueError
            If the fit was penalized, or "profile" is given no rows.
        """
        if as_choice(method, "method", ("wald", "profile")) == "wald":
            return super().conf_int(level=level, alpha=alpha)
        level = as_level(level, alpha)
        self._results()  # refuses
        if X is None or (y is None and design_of(self) is None):
            raise ValueError(
                "method='profile' fits again, and models keep no rows. Pass X and y (and "
                "sample_weight and offset) as to fit."
            )
        ends = self._profiles(X, y, sample_weight, offset, level)
        return interval_table(self.coef_names_, ends, level)

    def residuals(self, X, y=None, kind="deviance", sample_weight=None, offset=None):
        """Residuals of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,), optional
        kind : {"deviance", "pearson", "working", "response"}, default="deviance"
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional

        Returns
        -------
        ndarray of shape (n,), or (n, K) of K > 2 classes
            With weights a: deviance and Pearson residuals times the root of a, as in R. NaN for a
            row whose linear predictor is that of no mean.
        """
        as_choice(kind, "kind", KINDS)
        return told(self._parts(X, y, sample_weight, offset).residuals(kind))

    def influence(self, X, y=None, sample_weight=None, offset=None):
        """Leverage, Cook's distance and standardized residuals of the rows fitted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,), optional
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional
            All as given to `fit`; of a formula's data frame, X alone.

        Returns
        -------
        RowInfluence

        Raises
        ------
        ValueError
            If the fit was penalized.

        Notes
        -----
        As in R, what is left out is a row of X with all of its weight: of a row that stands for w
        equal ones, leverage and distance are those of the w together, whatever weights mean. Repeat
        the row for those of each.
        """
        self._results()  # refuses
        return self._parts(X, y, sample_weight, offset).influence()

    def robust_covariance(
        self, X, y=None, kind=None, sample_weight=None, offset=None, *, groups=None
    ):  # fmt: skip
        """Sandwich covariance of the coefficients, right also where the variance is not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,), optional
        kind : {"HC0", "HC1", "HC2", "HC3"}, optional
            None is HC3, or HC1 with `groups`, which go with HC0 and HC1 alone. HC0 takes squared
            scores as they are, HC1 multiplies by ``n / (n - rank)``, HC2 divides them by one less
            the leverage, HC3 by its square (for multinomial models see `LogisticRegression`).
        sample_weight : array-like of shape (n,), optional
            Taken as frequencies unless ``weight_type="analytic"``.
        offset : array-like of shape (n,), optional
            All as given to `fit`.
        groups : array-like of shape (n,), optional
            Labels of clusters, within which rows may depend on each other (or their column, in the
            data frame of a formula): the scores of each of G
            are summed before they are squared. HC0 multiplies by ``G / (G - 1)``, HC1 also by
            ``(n - 1) / (n - rank)``, as R's ``sandwich::vcovCL``.

        Returns
        -------
        ndarray of shape (q, q)
            The intercept first; NaN for aliased coefficients. Of several classes, of one after the
            other, and of each with each other.

        Raises
        ------
        ValueError
            If the fit was penalized, groups are fewer than two, or go with HC2 or HC3.

        Notes
        -----
        `summary`, `t_test` and `wald_test` take the result as ``covariance``; with ``cov_type`` of
        `fit` all tables have it.
        """
        kind = ("HC3" if groups is None else "HC1") if kind is None else kind
        as_choice(kind, "kind", ROBUST if groups is None else ROBUST[:2])
        for result in self._results():
            if kind == "HC1" and not result.observations > result.rank:
                raise ValueError(
                    "kind='HC1' divides by how many more observations there are than coefficients: "
                    f"{result.observations:g} - {result.rank}. Choose 'HC0'."
                )
        if groups is not None:
            groups = groups_again(self, X, groups)
        parts = self._parts(X, y, sample_weight, offset)
        analytic = getattr(self, "weight_type", "frequency") == "analytic"
        copies = np.ones((len(parts.y), 1)) if analytic or parts.a is None else parts.a
        scores = parts.scores(kind, np.where(copies > 0, copies, 1.0))
        bread, aliased = parts.bread()
        with np.errstate(over="ignore", invalid="ignore"):
            if groups is None:
                meat = parts.products(copies, scores)
            else:
                labels, codes = as_labels(groups, len(parts.y), name="groups")
                meat = parts.cluster_products(copies * scores, codes, len(labels))
                if kind == "HC1":
                    meat *= 1 - 1 / parts.results[0].observations
            out = bread @ meat @ bread
        if not np.isfinite(out[~aliased][:, ~aliased]).all():
            raise ValueError("Columns are so small that variances are no numbers. Multiply them.")
        out[aliased] = np.nan
        out[:, aliased] = np.nan
        return out

    def _profiles(self, X, y, sample_weight, offset, level):
        X, y, sample_weight, offset = rows_again(self, X, y, sample_weight, offset)
        result, given = replace(self._inferred(), robust=None, clusters=0), new_rows(self, X)
        n = given.shape[0]
        y, family, link, _, _, has_one = self._at(y, n)
        weights, offset = as_weights(sample_weight, n), offsets_for(offset, n)
        rows = ModelRows(given, y, weights, offset, family, link, has_one, self.n_jobs)
        return profile_intervals(rows, result, result.quantile(level))

    def _parts(self, X, y, sample_weight, offset):
        X, y, sample_weight, offset = rows_again(self, X, y, sample_weight, offset)
        results = self._results(refuse=False)
        rows = new_rows(self, X)
        n = rows.shape[0]
        y, family, link, coef, intercept, has_one = self._at(y, n)
        require_squares(y)
        eta = linear_predictor(rows, coef, intercept, offsets_for(offset, n))
        weights = as_weights(sample_weight, n)
        return Parts(rows, y[:, None], weights, eta[:, None], family, link, has_one, results)


def told(values):
    """(n,) of one model, (n, m) of several."""
    return values[:, 0] if values.shape[1] == 1 else values


class Parts:
    """The quantities of rows that residuals and leverage are made of: a column for each model.

    Responses y and linear predictors eta are (n, m), weights a (n,) or None, results those of each.
    """

    def __init__(self, rows, y, a, eta, family, link, has_one, results):
        self.rows, self.y, self.eta = rows, y, eta
        self.a = None if a is None else a[:, None]
        self.family, self.has_one, self.results = family, has_one, results
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

    def influence(self):
        leverage = self.leverage()
        rest = np.maximum(1 - leverage, 0.0)
        pearson = self.residuals("pearson")
        dispersion = self._of_each(lambda result: result.dispersion)
        with np.errstate(all="ignore"):
            error = np.sqrt(dispersion * rest)
            rank = self._of_each(lambda result: result.rank)
            distance = (pearson / rest) ** 2 * leverage / (dispersion * rank)
            standardized = self.residuals("deviance") / error, pearson / error
        parts = (self.mu, self.eta, leverage, distance, *standardized)
        return RowInfluence(*(told(part) for part in parts))

    def scores(self, kind, copies):
        """What a copy of each row adds to the scores, times z, as this covariance takes it."""
        with np.errstate(all="ignore"):
            s = (self.y - self.mu) * self.slope / self.variance
        s = np.where(np.isfinite(s), s, 0.0) * ((1.0 if self.a is None else self.a) / copies)
        if kind == "HC1":
            return s * self._growth()
        if kind == "HC0":
            return s
        rest = np.maximum(1 - self.leverage() / copies, CERTAIN)
        return s / (np.sqrt(rest) if kind == "HC2" else rest)

    def bread(self):
        """The inverse information of all coefficients, and which are aliased."""
        table = [result.unscaled for result in self.results]
        if len(table) > 1:
            from scipy.linalg import block_diag

            table = [block_diag(*table)]
        return table[0], np.concatenate([result.aliased for result in self.results])

    def leverage(self):
        out = np.empty(self.y.shape)

        def work(where, block):
            for k, result in enumerate(self.results):
                out[where, k] = result.spread(block, self.has_one)

        self._blocks(work)
        with np.errstate(all="ignore"):
            w = self.slope**2 / self.variance
        return out * (np.where(w > 0, w, 0.0) * (1.0 if self.a is None else self.a))

    def products(self, copies, scores):
        """The sum over rows of the products of scores (n, m) times z, (m q, m q)."""
        p, m = self.rows.shape[1], scores.shape[1]
        q, zero = p + int(self.has_one), np.zeros(p)
        pairs = [(a, b) for a in range(m) for b in range(a + 1)]

        def work(where, block):
            s, out = scores[where], np.zeros((len(pairs), q, q))
            for (a, b), h in zip(pairs, out, strict=True):
                # The kernel takes no negative weights: 2 s t = (s + t)^2 - s^2 - t^2.
                own = s[:, a] if a == b else s[:, a] + s[:, b]
                w = copies[where, 0] * own**2
                accumulate(block, zero, self.has_one, w, w, h, np.zeros(q))
            return out

        lower = np.tril(sum(self._blocks(work)))
        found = dict(zip(pairs, lower + np.swapaxes(np.tril(lower, -1), 1, 2), strict=True))
        table = np.empty((m, q, m, q))
        for a, b in pairs:
            whole = found[a, b]
            cross = whole if a == b else 0.5 * (whole - found[a, a] - found[b, b])
            table[a, :, b] = table[b, :, a] = cross
        return table.reshape(m * q, m * q)

    def cluster_products(self, scores, codes, count):
        """The products of the sums over clusters of scores (n, m) times z, (m q, m q)."""
        if count < 2:
            raise ValueError(f"groups must be of at least 2 clusters; got {count}.")
        one, m = int(self.has_one), scores.shape[1]
        sums = np.zeros((count, m, self.rows.shape[1] + one))
        for where in grid(len(self.y), 1024):
            block = self.rows[where]
            z = block.toarray() if hasattr(block, "indptr") else np.asarray(block, dtype=float)
            np.add.at(sums[:, :, one:], codes[where], scores[where, :, None] * z[:, None])
            if one:
                np.add.at(sums[:, :, 0], codes[where], scores[where])
        flat = sums.reshape(count, -1)
        return flat.T @ flat * (count / (count - 1))

    def _blocks(self, work):
        def task(where):
            block = self.rows[where]
            dense = block.toarray() if hasattr(block, "indptr") else as_float(block)
            return work(where, np.ascontiguousarray(dense))

        return each(task, grid(len(self.y), 1024))

    def _of_each(self, what):
        return np.array([what(result) for result in self.results], dtype=float)

    def _growth(self):
        """Roots of n / (n - rank)."""
        return np.sqrt(self._of_each(lambda r: r.observations / (r.observations - r.rank)))
