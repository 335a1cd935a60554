# SPDX-License-Identifier: BSD-3-Clause
"""From checked rows to a fitted model with its `Result`: what all classes of models share.

The log-likelihood takes no further pass over the rows: it is that of a perfect fit, which depends
on the responses alone, less half the deviance over the dispersion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from statfast._distance import extent_of, scale_of
from statfast._engine import Chunks, Parts, usable_threads
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import CollinearityWarning, refuse_large, require_finite, warn_user
from statfast.linear.design.design import require_squares
from statfast.linear.glm.families import Family, require_responses
from statfast.linear.glm.irls import Fit, Unsolvable, solve
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.links import Link
from statfast.linear.glm.matrix_free_fit import solve_matrix_free, too_many
from statfast.linear.glm.part_rows import PartRows
from statfast.linear.glm.sparse_glm import solve_sparse
from statfast.linear.inference.inference import Result, lacks_freedom

# Up to this value of the information, and down to its reciprocal, squares are finite.
MAX_INFORMATION = 1e150
MIN_COLUMN = 1e-120  # The weighted squares of smaller columns may have few digits left.
MAX_SCALE = 2.0**1000
COPIES_OF_INFORMATION = 5  # So many are in memory where it is factored and inverted.
BIASED = (
    "A penalized fit has no standard errors, tests, intervals or information criteria: its "
    "estimates are biased toward 0. Fit with {} for inference."
)
PENALIZED = BIASED.format("C=np.inf")
NO_MAXIMUM = (
    "The likelihood has no finite maximum here: coefficients and standard errors would only show "
    "where the iterations stopped."
)
AT_BOUNDARY = (
    "The maximum of the likelihood is at the boundary of the coefficients that give means: there, "
    "standard errors, tests and intervals do not hold."
)
OVERFLOWING_VARIANCES = (
    "Columns are so small that the variances of their coefficients are not numbers. Multiply them."
)


@dataclass
class Model:
    """A fit, and what is known about it."""

    fit: Fit
    result: Result
    rows: ModelRows


def names_of(columns: Array | None, p: int, intercept: bool) -> tuple[Any, ...]:
    """Names of the coefficients: those of the columns, or x0, x1, ..."""
    names = [f"x{j}" for j in range(p)] if columns is None else [str(name) for name in columns]
    return (*(("(Intercept)",) if intercept else ()), *names)


def require_information(y: Array, family: Family, link: Link) -> None:
    """Raise ValueError if squares of the information of one row overflow or vanish."""
    mu = np.abs(y).max(keepdims=True)
    shares = link.name in ("logit", "probit", "cloglog")
    if shares or family.kernel_name in ("binomial", "poisson") or not mu > 0:
        return
    with np.errstate(all="ignore"):
        size = float((link.slope(link.link(mu), mu) ** 2 / family.variance(mu))[0])
    if not 1 / MAX_INFORMATION <= size <= MAX_INFORMATION:
        raise ValueError(
            f"y must be of moderate size for the family {family.name!r} with the link "
            f"{link.name!r}, so that squares of the information are numbers; got {mu[0]:.3g}. "
            "Scale y."
        )


def fit_model(
    X: Matrix,
    y: Any,
    *,
    family: Family,
    link: Link,
    weights: Array | None = None,
    offset: Array | None = None,
    intercept: bool = True,
    ridge: float = 0.0,
    analytic: bool = False,
    max_iter: int = 100,
    tol: float = 1e-10,
    n_jobs: Jobs = None,
    columns: Array | None = None,
    title: str = "",
    start: Any = None,
    alpha: float | None = None,
    l1_ratio: float = 0.0,
    warn: bool = True,
) -> Model:
    """Fit by maximum likelihood, or with a penalty, and sum up; `alpha` is that of a row.

    Of it, the share `l1_ratio` is on absolute values.

    X is dense, CSR or `Chunks`; the arrays are checked, float64, of shape (n,), or None. Weights
    are frequencies, or if `analytic` reciprocals of variances (for a binomial numbers of trials).
    """
    if n_jobs is not None:
        usable_threads(n_jobs)  # Checks n_jobs, as fits of few rows would not look at it.
    rows: ModelRows
    if isinstance(X, Parts):
        power = y.value if family.name == "tweedie" else None
        rows = PartRows(X, y, family, link, intercept)
        y = rows.y
        require_responses(family, y, None, power)
    require_squares(y)
    require_information(y, family, link)
    if not isinstance(X, Parts):
        rows = ModelRows(X, y, weights, offset, family, link, intercept, n_jobs)
    ridge = alpha * rows.total_weight if alpha else ridge
    failed = Unsolvable()
    try:
        if alpha and l1_ratio:
            fit = solve_sparse(rows, alpha, l1_ratio, tol=tol, max_iter=max_iter, start=start)
        else:
            fit = _solved(rows, ridge, max_iter, tol, start)
    except Unsolvable as error:
        fit, failed = None, error
    if not ridge and (fit is None or fit.diverged or fit.aliased.any() or _huge(fit.covariance)):
        factor = _odd_sizes(X, n_jobs)
        if factor is not None:
            rows = replace(rows, X=X * factor, shift=None)
            fit = _sized(solve(rows, max_iter=max_iter, tol=tol), factor, intercept)
    if fit is None:
        if not isinstance(X, Chunks | Parts) and not rows.sparse:
            require_finite(X)
        raise failed
    names = names_of(columns, rows.p, intercept)
    if warn:
        warn_aliased([name for name, gone in zip(names, fit.aliased, strict=True) if gone])
    return Model(fit, _result(rows, fit, names, title, ridge, analytic, alpha, l1_ratio), rows)


def _solved(rows: ModelRows, ridge: float, max_iter: int, tol: float, start: Any) -> Fit:
    """By the way that suits the number of columns."""
    how = {"ridge": ridge, "max_iter": max_iter, "tol": tol, "start": start}
    fit = None if isinstance(rows, PartRows) else solve_matrix_free(rows, **how)
    if fit is not None:
        return fit
    refuse_large(
        COPIES_OF_INFORMATION * 8.0 * rows.q**2, f"The information matrix of {rows.q} columns",
        "Pass fewer columns, or an array or CSR matrix with a finite C.",
    )  # fmt: skip
    return solve(rows, **how)


def _huge(covariance: Any) -> bool:
    """Whether it is that of columns so small that their squares lose digits."""
    return covariance is not None and not (covariance.diagonal() <= MIN_COLUMN**-2).all()


def _odd_sizes(X: Matrix, n_jobs: Jobs) -> Array | None:
    """Powers of two that bring columns to size one, if squares of some are not numbers; or None."""
    if not isinstance(X, np.ndarray):
        return None
    extent = extent_of(X, n_jobs)
    sizes = np.maximum(np.abs(extent.low), np.abs(extent.high))
    if not np.isfinite(sizes).all() or ((sizes > MIN_COLUMN) | (sizes == 0.0)).all():
        return None
    return np.array([min(scale_of(size), MAX_SCALE) for size in sizes.tolist()])


def _sized(fit: Any, factor: Any, intercept: bool) -> Any:
    """A fit to columns times these factors as one to the columns."""
    by = np.append(np.ones(int(intercept)), factor)

    def turned(table: Any) -> Any:
        return None if table is None else (table * by) * by[:, None]

    with np.errstate(over="ignore", invalid="ignore"):
        coef = fit.coef * by
        if not np.isfinite(coef).all():
            raise ValueError(
                "X has columns so small that their coefficients are not finite. Multiply them by a "
                "constant, such as the reciprocal of their size."
            )
        return replace(
            fit, coef=coef, covariance=turned(fit.covariance), about=turned(fit.about),
            center=None if fit.center is None else fit.center / factor,
        )  # fmt: skip


def warn_aliased(names: list[str]) -> None:
    """Name the columns, if any, that were left out as others determine them."""
    if names:
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        warn_user(
            f"X has columns that depend on those before them, or are constant: {shown}. Their "
            "coefficients are set to 0 and left out of all tests. Drop them from X.",
            CollinearityWarning,
        )


def _result(
    rows: Any,
    fit: Any,
    names: tuple[Any, ...],
    title: str,
    ridge: float,
    analytic: bool,
    alpha: Any,
    l1_ratio: float,
) -> Result:
    family, weights = rows.family, rows.weights
    used = float(rows.n if weights is None else np.count_nonzero(weights))
    total_weight = rows.total_weight
    count = used if analytic else total_weight
    df_residual = count - fit.rank
    known = family.dispersion == family.dispersion
    dispersion = family.dispersion
    if not known:
        dispersion = fit.chi2 / df_residual if df_residual > 0 else nan
    loglik, parameters = nan, fit.rank + (not known)
    if family.likelihood is not None:
        whole = family.name == "gaussian" and analytic
        loglik = log_likelihood(rows, fit.deviance, used if whole else total_weight, analytic)
    refusal = BIASED.format("alpha=0" if alpha else "C=np.inf")
    if not ridge:
        refusal = NO_MAXIMUM if fit.diverged else AT_BOUNDARY if fit.boundary else ""
    if not refusal and fit.covariance is None:
        refusal = too_many(rows.q)
    if not (refusal or np.isfinite(fit.covariance.diagonal()).all()):
        refusal = OVERFLOWING_VARIANCES
    shown = family.label or family.name.replace("_", " ")
    facts = (("Family", shown), ("Link", rows.link.name), ("Iterations", fit.n_iter))
    if ridge:
        penalty = "l2" if not l1_ratio else "l1" if l1_ratio == 1.0 else "elastic net"
        facts += (("Penalty", penalty), ("alpha", alpha) if alpha else ("C", 1 / ridge))
    if l1_ratio and alpha:
        kept = int(np.count_nonzero(fit.coef[int(rows.intercept) :]))
        facts += (("l1_ratio", l1_ratio), ("Coefficients not 0", kept))
    result = Result(
        title, names, fit.coef, fit.covariance, fit.aliased, dispersion, known, count, df_residual,
        count - int(rows.intercept), fit.deviance, null_deviance(rows), fit.chi2, loglik,
        parameters, facts, refusal, center=fit.center, about=fit.about,
    )  # fmt: skip
    lacking = not (refusal or analytic) and lacks_freedom(total_weight, fit.rank, used)
    return result.without_freedom() if lacking else result


def log_likelihood(rows: ModelRows, deviance: float, total: float, analytic: bool) -> float:
    """That of a fit with this deviance; an unknown dispersion is the deviance over `total`."""
    family = rows.family
    dispersion = family.dispersion
    if dispersion != dispersion:
        dispersion = max(deviance / total, 1e-300)

    if rows.classes:
        return -0.5 * deviance

    with np.errstate(all="ignore"):
        best = rows.total_of(_perfect, (analytic, dispersion), by_value=not analytic)
    return best - deviance / (2 * dispersion)


def _perfect(family: Any, y: Array, a: Array, analytic: bool, dispersion: float) -> Array:
    # Means at an end of their range, such as those of no successes, are limits where xlogy gives 0.
    if analytic:
        return family.likelihood(y, y, a, dispersion)
    return a * family.likelihood(y, y, 1.0, dispersion)


def _from_mean(family: Any, y: Array, a: Array, mean: Any) -> Array:
    return a * family.deviance(y, mean)


@np.errstate(all="ignore")
def null_deviance(rows: ModelRows) -> float:
    """The deviance without the columns: of the intercept if there is one, else of the offset."""
    family, link = rows.family, rows.link
    if rows.intercept and rows.offset is not None:
        ones = np.ones((rows.n, 1))
        alone = ModelRows(ones, rows.y, rows.weights, rows.offset, family, link, False, rows.n_jobs)
        try:
            return solve(alone).deviance
        except Unsolvable:
            return nan
    mean = rows.mean if rows.intercept else link.mean(np.float64(0))
    if rows.offset is not None:
        mean = link.mean(rows.offset)
    elif rows.intercept and not family.inside(mean):
        return 0.0  # All responses are at the same end of the range.
    if rows.classes and np.ndim(mean) == 0:
        logs = rows.mean * np.log(mean) + (1 - rows.mean) * np.log1p(-mean)
        return float(-2 * rows.total_weight * logs)
    return rows.total_of(_from_mean, (mean,), by_value=np.ndim(mean) == 0)
