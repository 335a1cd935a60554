# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a least squares fit: sums of squares, errors, and the tests made of them."""

from __future__ import annotations

from dataclasses import replace
from math import log, nan, pi
from typing import Any

import numpy as np

from statfast._engine import interruptible
from statfast._linalg import triangle_inverse
from statfast._typing import Array
from statfast.linear.glm.matrix_free_fit import too_many
from statfast.linear.inference.hypotheses import chi_squared
from statfast.linear.inference.inference import Result, lacks_freedom

MIN_RESPONSE = 1e-150  # The squares of residuals of such responses have all their digits.
VANISHED = "y holds values so small that squares of residuals vanish. Scale it up."


def results_of(
    solution: Any,
    Y: Any,
    weights: Any,
    masses: tuple[float, float, float],
    names: tuple[Any, ...],
    intercept: bool,
    analytic: bool,
) -> list[Result]:
    """A `Result` for each target; `Y` may be None where what the columns explain is known."""
    q, first, rank = len(names), int(intercept), solution.rank
    kept = np.concatenate([np.arange(first), solution.kept + first]).astype(np.intp)
    aliased = np.ones(q, dtype=bool)
    aliased[kept] = False
    used, total, logs = masses
    count = used if analytic else total
    df = count - rank
    if solution.R is None:
        unscaled = center = about = None
        lacking = True
    else:
        unscaled, center, about = _inverse_products(solution, kept, q, first)
        lacking = not analytic and lacks_freedom(total, rank, used)
    if lacking:
        df = nan
    out = []
    for t, rss in enumerate(solution.rss.tolist()):
        if solution.explained is not None:
            tss = rss + float(solution.explained[t])
        else:
            y = Y[:, t]
            mean = np.average(y, weights=weights) if intercept else 0.0
            squares = (y - mean) ** 2
            tss = float(squares.sum() if weights is None else weights @ squares)
        loglik = nan
        if rss > 0 and not lacking:
            loglik = -0.5 * count * (log(2 * pi) + log(rss) - log(count) + 1)
            if analytic:
                loglik += 0.5 * logs
        coef = np.concatenate([solution.intercept[t : t + 1] * first, solution.coef[t]])[
            1 - first :
        ]
        dispersion = rss / df if df > 0 else nan
        largest = np.sqrt(tss) if Y is None else float(np.abs(Y[:, t]).max())
        refusal = (
            VANISHED
            if 0 < largest < MIN_RESPONSE
            else ""
            if solution.R is not None
            else too_many(q)
        )
        bare = Result(
            "Linear regression", names, coef, unscaled, aliased, dispersion, False, count, df,
            count - first, rss, tss, rss, loglik, rank + 1, (), refusal, center=center, about=about,
        )  # fmt: skip
        out.append(bare if refusal else replace(bare, facts=facts_of(bare)))
    return out


def _inverse_products(
    solution: Any, kept: Array, q: int, first: int
) -> tuple[Array, Array | None, Array | None]:
    """The inverse of the products of (1, X), a sample in the midst of others, and the inverse of
    those less it."""
    inverse = triangle_inverse(solution.R)
    unscaled = np.zeros((q, q))
    # Columns may differ by rounding alone, so that values overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        unscaled[np.ix_(kept, kept)] = interruptible(np.matmul, inverse, inverse.T)
    if not first:
        return unscaled, None, None
    # Rows less their mean have no covariance with the intercept.
    center, about = np.zeros(q - 1), unscaled.copy()
    center[solution.kept] = solution.R[0, 1:] / solution.R[0, 0]
    about[0], about[:, 0] = 0.0, 0.0
    about[0, 0] = 1 / solution.R[0, 0] ** 2
    return unscaled, center, about


def facts_of(result: Result) -> tuple[Any, ...]:
    f, df1, df2, p = f_test(result)
    error = ("Residual std. error", float(np.sqrt(result.dispersion)))
    if not df1 > 0:  # The model has an intercept alone.
        return (error,)
    return (
        ("R squared", r_squared(result)),
        ("Adjusted R squared", adjusted_r_squared(result)),
        ("F statistic", f"{f:.5g} on {df1:g} and {df2:g} df"),
        ("P>F", f"{p:.4g}"),
        error,
    )


def r_squared(result: Result) -> float:
    return 1 - result.deviance / result.null_deviance if result.null_deviance > 0 else nan


def adjusted_r_squared(result: Result) -> float:
    if not (result.null_deviance > 0 and result.df_residual > 0):
        return nan
    return 1 - result.dispersion / (result.null_deviance / result.df_null)


def f_test(result: Result) -> tuple[float, float, float, float]:
    import scipy.special

    df1, df2 = result.df_null - result.df_residual, result.df_residual
    if not (df1 > 0 and df2 > 0):
        return nan, df1, df2, nan
    # With a robust covariance, the F test is Wald's test of all columns.
    if result.robust is not None:
        slopes = np.flatnonzero(~result.aliased)
        slopes = slopes[int(result.names[0] == "(Intercept)") :]
        try:
            f = chi_squared(result.robust[np.ix_(slopes, slopes)], result.coef[slopes]) / df1
        except ValueError:  # There are fewer clusters than columns.
            return nan, df1, df2, nan
        df2 = result.df_tests
        return f, df1, df2, float(scipy.special.fdtrc(df1, df2, f))
    explained = max(result.null_deviance - result.deviance, 0.0)
    if result.dispersion == 0:
        return np.inf, df1, df2, 0.0
    f = explained / df1 / result.dispersion
    return float(f), df1, df2, float(scipy.special.fdtrc(df1, df2, f))
