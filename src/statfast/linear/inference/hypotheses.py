# SPDX-License-Identifier: BSD-3-Clause
"""Tests of linear hypotheses about the coefficients: contrasts one by one, and several at once."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, Literal

import numpy as np

from statfast._estimator import CoefficientTable
from statfast._typing import Array, ArrayLike
from statfast._validation import as_choice, as_rows, shown, to_array
from statfast.linear.inference.inference import as_covariance, as_level, intervals, percent


class Hypotheses:
    """Mixin: tests of linear combinations of the coefficients of an `Inference`."""

    _inferred: Callable[..., Any]

    def t_test(
        self,
        contrasts: ArrayLike,
        value: ArrayLike = 0.0,
        *,
        level: float = 0.95,
        covariance: Literal["model"] | Array = "model",
    ) -> CoefficientTable:
        """Test linear combinations of the coefficients, each by itself.

        Parameters
        ----------
        contrasts : array-like of shape (q,) or (m, q), str, or sequence of str
            Weights of the coefficients, ordered as `coef_names_`, a row for each combination; or
            names of coefficients.
        value : float or array-like of shape (m,), default=0.0
            What the combinations are under the hypothesis.
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.
        covariance : {"model"} or ndarray of shape (q, q), default="model"
            Covariance of the coefficients: that of the fit, or a matrix, such as
            `robust_covariance` returns.

        Returns
        -------
        CoefficientTable
            A row for each combination: estimate, standard error, t (or z, where the dispersion is
            known), its two-sided p value, and the ends of the interval. NaN where a combination
            takes in aliased coefficients.

        Raises
        ------
        ValueError
            If the contrasts have another width than q, a name is of no coefficient, or the fit was
            penalized.

        Examples
        --------
        >>> from statfast.linear import LinearRegression
        >>> model = LinearRegression().fit([[0, 0], [1, 0], [0, 1], [1, 1]], [1.0, 2.1, 2.9, 4.2])
        >>> table = model.t_test([0, 1, -1])  # are both slopes the same?
        >>> table.columns["Estimate"].round(3)
        array([-0.8])
        """
        result = self._inferred()
        names, R = as_contrasts(contrasts, result.names)
        held = _held(value, len(R))
        level = as_level(level)
        table = _covariance(result, covariance)
        beyond = (R[:, result.aliased] != 0).any(axis=1)
        estimates = np.where(beyond, nan, R @ result.coef)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.sqrt(np.maximum(((R @ table) * R).sum(axis=1), 0.0))
            errors[beyond] = nan
            statistics = (estimates - held) / errors
        ends = intervals(estimates, errors, result.quantile(level))
        letter, (low, high) = "z" if result.known else "t", percent(level)
        columns = {
            "Estimate": estimates,
            "Std. error": errors,
            f"{letter} value": statistics,
            f"P>|{letter}|": result.p_values(statistics),
            low: ends[:, 0],
            high: ends[:, 1],
        }
        return CoefficientTable(names, columns)

    def wald_test(
        self, R: ArrayLike, q: ArrayLike = 0.0, *, covariance: Literal["model"] | Array = "model"
    ) -> CoefficientTable:
        """Test several linear combinations of the coefficients together.

        The hypothesis is that ``R @ coefficients`` equals q, as R's ``car::linearHypothesis``.

        Parameters
        ----------
        R : array-like of shape (p,) or (m, p), str, or sequence of str
            Weights of the p coefficients, ordered as `coef_names_`, a row for each combination; or
            names of coefficients.
        q : float or array-like of shape (m,), default=0.0
            What the combinations are under the hypothesis.
        covariance : {"model"} or ndarray of shape (p, p), default="model"
            Covariance of the coefficients: that of the fit, or a matrix, such as
            `robust_covariance` returns.

        Returns
        -------
        CoefficientTable of one row
            "Df", "Resid. df", "F" and "P>|F|" where the dispersion is estimated; "Df", "Chi2" and
            "P>|Chi2|" where it is known.

        Raises
        ------
        ValueError
            If a combination takes in aliased coefficients or depends on the others, R has another
            width, a name is of no coefficient, or the fit was penalized.

        Examples
        --------
        >>> import numpy as np
        >>> from statfast.linear import GeneralizedLinearModel
        >>> counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
        >>> outcome = np.tile([1, 2, 3], 3)
        >>> X = np.column_stack([outcome == 2, outcome == 3])
        >>> GeneralizedLinearModel("poisson").fit(X, counts).wald_test(["x0", "x1"])
                    Df   Chi2  P>|Chi2|
        Hypothesis   2  5.487    0.0643  .
        """
        from scipy.special import chdtrc, fdtrc

        result = self._inferred()
        _, R = as_contrasts(R, result.names)
        held = _held(q, len(R))
        if (R[:, result.aliased] != 0).any():
            raise ValueError(
                "R weighs aliased coefficients, of which nothing is known: see coef_names_."
            )
        if np.linalg.matrix_rank(R) < len(R):
            raise ValueError(f"R must have independent rows; got {len(R)} that depend.")
        table = R @ _covariance(result, covariance) @ R.T
        chi2, m = chi_squared(table, R @ result.coef - held), float(len(R))
        if result.known:
            columns = {"Df": m, "Chi2": chi2, "P>|Chi2|": float(chdtrc(m, chi2))}
        else:
            rest = result.df_tests
            p = float(fdtrc(m, rest, chi2 / m)) if rest > 0 else nan
            columns = {"Df": m, "Resid. df": rest, "F": chi2 / m, "P>|F|": p}
        return CoefficientTable(
            ["Hypothesis"], {name: np.array([value]) for name, value in columns.items()}
        )


def chi_squared(table: Array, difference: Array) -> float:
    """apart' table^-1 apart, for the covariance of what is apart from the hypothesis."""
    # Rounding can make variances negative, whose roots are NaN.
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt(table.diagonal())
        unit, difference = table / scale / scale[:, None], difference / scale
    if not (np.isfinite(unit).all() and np.linalg.matrix_rank(unit) == len(unit)):
        raise ValueError("The covariance of the combinations is singular. Test fewer of them.")
    return float(difference @ np.linalg.solve(unit, difference))


def as_contrasts(contrasts: Any, names: tuple[Any, ...]) -> Any:
    """Names (m,) and weights (m, q) of linear combinations."""
    q = len(names)
    listed = [contrasts] if isinstance(contrasts, str) else contrasts
    if isinstance(listed, list | tuple) and listed and all(isinstance(n, str) for n in listed):
        unknown = [name for name in listed if name not in names]
        if unknown:
            raise ValueError(
                f"Contrasts must be of the coefficients {', '.join(names)}; got {unknown[0]!r}."
            )
        return list(listed), np.eye(q)[[names.index(name) for name in listed]]
    rows = np.atleast_2d(to_array(contrasts, "contrasts", "names, or rows of weights"))
    rows = as_rows(rows, name="contrasts", keep=(np.float64,)).astype(np.float64, copy=False)
    if rows.shape[1] != q:
        raise ValueError(
            f"contrasts must have {q} columns, one for each of coef_names_; got {rows.shape[1]}."
        )
    return [f"c{k}" for k in range(len(rows))], rows


def _held(value: Any, m: int) -> Any:
    """What combinations are under the hypothesis: (m,)."""
    wanted = f"a finite number, or {m} of them"
    held = np.atleast_1d(to_array(value, "The value", wanted))
    fits = held.shape in ((1,), (m,)) and held.dtype.kind in "biuf"
    if not fits or not np.isfinite(held).all():
        raise ValueError(f"The value must be {wanted}; got {shown(value)}.")
    return np.broadcast_to(held.astype(np.float64), m)


def _covariance(result: Any, covariance: Any) -> Any:
    """The covariance of the coefficients, 0 where aliased."""
    if isinstance(covariance, str):
        as_choice(covariance, "covariance", ("model",))
        table = result.covariance
    else:
        table = as_covariance(covariance, len(result.coef)).copy()
    table[result.aliased] = 0.0
    table[:, result.aliased] = 0.0
    return table
