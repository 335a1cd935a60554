# SPDX-License-Identifier: BSD-3-Clause
"""Row by row: residuals, leverage, Cook's distance, and the covariances made of them.

Of models with a response a row, one or several beside each other; see
linear/logistic/class_influence.py for those of all classes at once.

Definitions are those of R's ``residuals.glm``, ``hatvalues`` and ``cooks.distance``. Models do not
keep the rows they were fitted on: these methods take them again.

Williams 1987, doi:10.2307/2347550 (diagnostics of generalized linear models); White 1980,
doi:10.2307/1912934, and MacKinnon & White 1985, doi:10.1016/0304-4076(85)90158-7 (HC0 to HC3);
Liang & Zeger 1986, doi:10.1093/biomet/73.1.13 (of clusters); Newey & West 1987,
doi:10.2307/1913610 (of rows in order of time).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from statfast._estimator import CoefficientTable
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_count, as_labels, as_weights
from statfast.linear.design.design import added_offset, linear_predictor, new_rows, require_squares
from statfast.linear.design.formula import groups_again, rows_again
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.profile import profile_intervals
from statfast.linear.glm.row_influence import ModelParts, drop_single_column
from statfast.linear.inference.hypotheses import Hypotheses
from statfast.linear.inference.inference import as_level, interval_table

if TYPE_CHECKING:
    from statfast.linear.glm.row_influence import RowInfluence


KINDS = ("deviance", "pearson", "working", "response")
ROBUST = ("HC0", "HC1", "HC2", "HC3", "HAC")


class Diagnosed(Hypotheses):
    """Mixin: residuals and influence of rows that are given again.

    The estimator is an `Inference` and has ``_influence_inputs(y, n)``: numeric responses, family,
    link, coefficients (p,), intercept, and whether there is one.
    """

    # What subclasses declare, or a fit sets.
    _influence_inputs: Callable[..., Any]
    n_jobs: Any

    _results: Any
    coef_names_: Any

    def _facts_of(self, result: Any) -> tuple[Any, ...]:
        """Those of a result whose covariance was changed."""
        return result.facts

    def conf_int(
        self,
        *,
        level: float = 0.95,
        alpha: float | None = None,
        method: Literal["wald", "profile"] = "wald",
        X: Rows | None = None,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> CoefficientTable:
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.
        alpha : float, optional
            1 - level, as statsmodels has it; instead of `level`.
        method : {"wald", "profile"}, default="wald"
            Wald intervals, or those of the profile likelihood, as R's ``confint``, for which the
            samples are needed.
        X : array-like or sparse matrix of shape (n, d), optional
            Training samples, for "profile".
        y : array-like of shape (n,), optional
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        offset : array-like of shape (n,), optional
            Offset given to `fit`.
        exposure : array-like of shape (n,), optional
            Exposure given to `fit`. What a formula finds in its data frame X is not given again.

        Returns
        -------
        CoefficientTable of q rows
            Lower and upper ends, ordered as `coef_names_`, by quantiles of the normal distribution,
            or of Student's t where the dispersion is estimated. Ends of profiles may be infinite.

        Raises
        ------
        ValueError
            If the fit was penalized, or "profile" is given no rows, or rows without the weights,
            offset or exposure that the fit had.

        Notes
        -----
        Profiles hold the dispersion as it is estimated, and theta of the negative binomial, as R's.
        """
        if as_choice(method, "method", ("wald", "profile")) == "wald":
            return super().conf_int(level=level, alpha=alpha)  # type: ignore[misc]
        level = as_level(level, alpha)
        self._results()  # refuses
        ends = self._profiles(rows_again(self, X, y, sample_weight, offset, exposure), level)
        return interval_table(self.coef_names_, ends, level)

    def residuals(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        kind: Literal["deviance", "pearson", "working", "response"] = "deviance",
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Array:
        """Return residuals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Target values.
        kind : {"deviance", "pearson", "working", "response"}, default="deviance"
            Deviance, Pearson, working or response residuals.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        offset : array-like of shape (n,), optional
            Offset of the linear predictor.
        exposure : array-like of shape (n,), optional
            Exposure, whose logarithm is an offset (log link).

        Returns
        -------
        ndarray of shape (n,), or (n, K) of K > 2 classes
            With weights a: deviance and Pearson residuals times the root of a, as in R. NaN for a
            row whose linear predictor is that of no mean.

        Raises
        ------
        ValueError
            If the fit had weights (which working and response residuals do without), an offset or
            an exposure, and they are not given again: models keep no rows.
        """
        weighted = as_choice(kind, "kind", KINDS) in ("deviance", "pearson")
        rows = rows_again(self, X, y, sample_weight, offset, exposure, weighted=weighted)
        return drop_single_column(self._parts(rows).residuals(kind))

    def influence(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> RowInfluence:
        """Leverage, Cook's distance and standardized residuals of the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        offset : array-like of shape (n,), optional
            Offset of the linear predictor.
        exposure : array-like of shape (n,), optional
            All as given to `fit`; of a formula's data frame, X alone.

        Returns
        -------
        RowInfluence

        Raises
        ------
        ValueError
            If the fit was penalized, or had weights, an offset or an exposure that are not given.

        Notes
        -----
        As in R, what is left out is a row of X with all of its weight: of a row that stands for w
        equal ones, leverage and distance are those of the w together, whatever weights mean. Repeat
        the row for those of each.
        """
        self._results()  # refuses
        return self._parts(rows_again(self, X, y, sample_weight, offset, exposure)).influence()

    def robust_covariance(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        kind: Literal["HC0", "HC1", "HC2", "HC3", "HAC"] | None = None,
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        maxlags: int | None = None,
        exposure: ArrayLike | None = None,
    ) -> Array:
        """Sandwich covariance of the coefficients, right also where the variance is not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Target values.
        kind : {"HC0", "HC1", "HC2", "HC3", "HAC"}, optional
            None is HC3, or HC1 with `groups`, which go with HC0 and HC1 alone. HC0 takes squared
            scores as they are, HC1 multiplies by ``n / (n - rank)``, HC2 divides them by one less
            the leverage, HC3 by its square (for multinomial models see `LogisticRegression`). HAC
            is Newey and West's for samples in order of time, with Bartlett's weights ``1 - lag /
            (maxlags + 1)``.
        sample_weight : array-like of shape (n,), optional
            Taken as frequencies unless ``weight_type="analytic"``.
        offset : array-like of shape (n,), optional
            All as given to `fit`.
        groups : array-like of shape (n,), optional
            Labels of clusters, within which rows may depend on each other (or their column, in the
            data frame of a formula): the scores of each of G
            are summed before they are squared. HC0 multiplies by ``G / (G - 1)``, HC1 also by
            ``(n - 1) / (n - rank)``, as R's ``sandwich::vcovCL``.

        maxlags : int, optional
            Of HAC: how many samples before. None is ``floor(4 (n / 100)^(2 / 9))``.
        exposure : array-like of shape (n,), optional
            As given to `fit`.

        Returns
        -------
        ndarray of shape (q, q)
            The intercept first; NaN for aliased coefficients. Of several classes, of one after the
            other, and of each with each other.

        Raises
        ------
        ValueError
            If the fit was penalized, groups are fewer than two, or go with HC2, HC3 or HAC, or HAC
            with weights that are numbers of rows; or if weights, offset or exposure of the fit are
            not given.

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
        if maxlags is not None and kind != "HAC":
            raise ValueError(f"maxlags is of kind='HAC'; got kind={kind!r}. Leave it out.")
        parts = self._parts(rows_again(self, X, y, sample_weight, offset, exposure))
        analytic = getattr(self, "weight_type", "frequency") == "analytic"
        if kind in ("HC2", "HC3") and parts.a is not None and not analytic:
            for result in parts.results:
                if not result.observations > result.rank:
                    raise ValueError(
                        f"kind={kind!r} is of rows that are left out, and sample_weight counts "
                        f"rows: it sums to {result.observations:g}, which leaves none beside "
                        f"{result.rank} coefficients. Choose 'HC0', scale the weights, or pass "
                        "weight_type='analytic'."
                    )
        copies = np.ones((len(parts.y), 1)) if analytic or parts.a is None else parts.a
        scores = parts.scores("HC0" if kind == "HAC" else kind, np.where(copies > 0, copies, 1.0))
        bread, aliased = parts.bread()
        with np.errstate(over="ignore", invalid="ignore"):
            if kind == "HAC":
                if parts.a is not None and not analytic:
                    raise ValueError(
                        "kind='HAC' is of rows in order of time, and weights that are numbers of "
                        "rows have none. Repeat rows, or pass weight_type='analytic'."
                    )
                n = len(parts.y)
                lags = usual_lags(n) if maxlags is None else as_count(maxlags, "maxlags", 0, n - 1)
                meat = parts.lagged_products(scores, lags)
            elif groups is None:
                meat = parts.products(copies, scores)
            else:
                labels, codes = as_labels(groups, len(parts.y), name="groups")
                meat = parts.cluster_products(copies * scores, codes, len(labels))
                if kind == "HC1":
                    meat *= 1 - 1 / parts.results[0].observations
            out = bread @ meat @ bread
        if not np.isfinite(out[~aliased][:, ~aliased]).all():
            raise ValueError("Columns are so small that variances are not numbers. Multiply them.")
        out[aliased] = np.nan
        out[:, aliased] = np.nan
        return out

    def _profiles(self, samples: Any, level: float) -> Array:
        result, X = replace(self._inferred(), robust=None, clusters=0), new_rows(self, samples.X)
        n = X.shape[0]
        y, family, link, _, _, has_one = self._influence_inputs(samples.y, n)
        offset = added_offset(link, samples.offset, samples.exposure, n)
        weights = as_weights(samples.sample_weight, n)
        rows = ModelRows(X, y, weights, offset, family, link, has_one, self.n_jobs)
        return profile_intervals(rows, result, result.quantile(level))

    def _parts(self, samples: Any) -> ModelParts:
        results = self._results(refuse=False)
        rows = new_rows(self, samples.X)
        n = rows.shape[0]
        y, family, link, coef, intercept, has_one = self._influence_inputs(samples.y, n)
        require_squares(y)
        offset = added_offset(link, samples.offset, samples.exposure, n)
        eta = linear_predictor(rows, coef, intercept, offset)
        weights = as_weights(samples.sample_weight, n)
        return ModelParts(rows, y[:, None], weights, eta[:, None], family, link, has_one, results)


def usual_lags(n: int) -> Any:
    """Newey and West's number of rows before, for n rows."""
    return min(int(4 * (n / 100) ** (2 / 9)), n - 1)
