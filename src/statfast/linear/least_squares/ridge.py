# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression: all penalties from one decomposition, and the choice among them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._engine import aside, each, grid
from statfast._estimator import Estimator, FitState, Regressor
from statfast._validation import (
    as_choice,
    as_flag,
    as_real,
    as_rows,
    as_targets,
    as_weights,
    column_names,
    is_sparse,
    wrong_type,
)
from statfast.linear.design.design import (
    AcceptsSparse,
    LinearPredictor,
    dense_if_small,
    linear_values,
    new_rows,
    table_of,
)
from statfast.linear.design.targets import as_target, refuse_extreme
from statfast.linear.design.units import OUT_OF_RANGE
from statfast.linear.least_squares.left_out import fitted_anew, residuals_left_out
from statfast.linear.least_squares.nonnegative import centered_factor, nonnegative_ridge
from statfast.linear.least_squares.qr import triangle_of
from statfast.linear.least_squares.triangles import triangle
from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.linear.penalized.penalties import as_alphas

NOTHING = 1e-14  # of the largest singular value: no direction of the columns
SPAN = (1e-6, 1e2)  # of the largest squared singular value: the penalties tried by default


@dataclass(frozen=True)
class Decomposition:
    """U diag(s) V' of the centered, weighted columns; the targets on U."""

    s: NDArray[np.float64]  # (r,)
    V: NDArray[np.float64]  # (d, r)
    c: NDArray[np.float64]  # (r, T)
    mean: NDArray[np.float64]  # (d,)
    target: NDArray[np.float64]  # (T,) means of the targets
    spread: NDArray[np.float64]  # (T,) weighted squares of the targets about them

    def coefs(self, alphas):
        """Coefficients (A, T, d) and intercepts (A, T)."""
        shrunk = (self.s / (self.s**2 + np.asarray(alphas)[:, None]))[:, None, :] * self.c.T
        coefs = shrunk @ self.V.T
        if not np.isfinite(coefs).all() or (self.c.any() and not coefs.any()):
            raise ValueError(OUT_OF_RANGE)
        return coefs, self.target - coefs @ self.mean

    def freedom(self, alphas):
        """Degrees of freedom (A,), without the intercept's."""
        return (self.s**2 / (self.s**2 + np.asarray(alphas)[:, None])).sum(1)


def decompose(X, Y, weights, intercept, n_jobs=None) -> Decomposition:
    """From the triangular factor: the columns' condition is not squared where that matters."""
    found = triangle_of(X, Y, weights, intercept, n_jobs)
    inner, QtY, mean, target = centered_factor(found.R, found.QtY, intercept)
    U, s, Vt = aside(np.linalg.svd, inner, full_matrices=False)
    some = s > NOTHING * s.max(initial=0.0)
    c = U[:, some].T @ QtY
    with np.errstate(over="ignore"):  # `RidgeCV`, which asks for it, refuses such y
        apart = (Y - target) ** 2
        spread = apart.sum(0) if weights is None else weights @ apart
    return Decomposition(s[some], Vt[some].T, c, mean, target, spread)


def decomposition_of(U, s, Vt, QtY, mean, target, rest) -> Decomposition:
    """The same from the singular values of a factor, and what it leaves of the targets."""
    some = s > NOTHING * s.max(initial=0.0)
    spread = (QtY**2).sum(0) + (rest**2).sum(0)
    return Decomposition(s[some], Vt[some].T, U[:, some].T @ QtY, mean, target, spread)


def ridge_path(X, y, alphas, *, sample_weight=None, fit_intercept=True, n_jobs=None):
    """Ridge regression for many penalties, from one decomposition.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
    alphas : array-like of shape (A,)
        Penalties on |b|^2, used in falling order.
    sample_weight : array-like of shape (n,), optional
    fit_intercept : bool, default=True
    n_jobs : int, optional

    Returns
    -------
    RegularizationPath
        The solutions are exact: its gaps are zero.

    Raises
    ------
    ValueError
        If X or y holds NaN or infinity, or their shapes do not match.

    Examples
    --------
    >>> from statfast import ridge_path
    >>> ridge_path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], [2.0, 0.0]).coefs.round(6)
    array([[0.5, 1. ]])
    """
    rows = as_rows(X)
    target = as_target(y, len(rows))[:, None]
    weights = as_weights(sample_weight, len(rows))
    given, alphas = alphas, as_alphas(alphas)
    if isinstance(alphas, int):
        raise wrong_type("alphas", "a list of penalties", given)
    found = decompose(rows, target, weights, as_flag(fit_intercept, "fit_intercept"), n_jobs)
    coefs, intercepts = found.coefs(alphas)
    return RegularizationPath(
        alphas, coefs[:, 0].T.copy(), intercepts[:, 0], np.zeros(len(alphas)),
        np.zeros(len(alphas), dtype=np.intp),
    )  # fmt: skip


class Ridge(AcceptsSparse, LinearPredictor, Regressor, Estimator):
    """Ridge regression: least squares with an l2 penalty.

    Minimizes sum_i w_i (y_i - b_0 - x_i'b)^2 + alpha |b|^2; the intercept is not penalized.

    Parameters
    ----------
    alpha : float, default=1.0
        Not negative; 0 gives the shortest of the least-squares solutions.
    fit_intercept : bool, default=True
    positive : bool, default=False
        No coefficient below zero, but for the intercept.
    n_jobs : int, optional

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
    intercept_ : float, or ndarray of shape (T,)
    df_ : float
        Effective degrees of freedom, the trace of the hat matrix; with ``positive=True`` that of
        the columns above zero, the average over targets.
    solver_ : {"svd", "nnls"}
    n_iter_ : None
        There are no iterations.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes differ, or alpha is negative.

    Notes
    -----
    Singular values of the triangular factor of the columns: O(n d^2 + d^3) time, O(d^2) memory a
    thread. With ``positive=True``, non-negative least squares on that factor and the root of the
    penalty, exactly. `ridge_path` and `RidgeCV` give any number of penalties for the price of one.
    Inference is not given: the usual standard errors do not hold for biased estimates.

    References
    ----------
    A. E. Hoerl & R. W. Kennard (1970), "Ridge regression: biased estimation for nonorthogonal
    problems". doi:10.1080/00401706.1970.10488634

    Examples
    --------
    >>> from statfast import Ridge
    >>> Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(6)
    array([0.5])
    """

    def __init__(self, alpha=1.0, *, fit_intercept=True, positive=False, n_jobs=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,) or (n, T)
        sample_weight : array-like of shape (n,), optional
            Not negative; an integer counts as that many equal rows.

        Returns
        -------
        self
        """
        (rows, Y, weights), state = self._checked(X, y, sample_weight)
        one, flat = state.more
        if self.positive:
            factor = triangle_of(rows, Y, weights, one, self.n_jobs)
            parts = centered_factor(factor.R, factor.QtY, one)
            fitted = nonnegative_ridge(parts, float(self.alpha), flat, one)
        else:
            found = decompose(rows, Y, weights, one, self.n_jobs)
            fitted = _fitted(found, float(self.alpha), flat, one)
        return self._publish(None, **state.published(), **fitted)

    def _prepare(self, X, y, sample_weight):
        columns, state = self._checked(X, y, sample_weight)
        if hasattr(columns[0], "indptr"):  # whose statistics are not those of blocks
            raise NotImplementedError
        return columns, state

    def _checked(self, X, y, sample_weight):
        """Checked rows, targets (n, T) and weights; is there an intercept, was y 1-d?"""
        rows = dense_if_small(table_of(X))
        Y, flat = as_targets(y, rows.shape[0])
        weights = as_weights(sample_weight, rows.shape[0])
        as_real(self.alpha, "alpha", 0.0)
        as_flag(self.positive, "positive")
        one = as_flag(self.fit_intercept, "fit_intercept")
        return (rows, Y, weights), FitState(rows.shape[1], column_names(X), more=(one, flat))

    _statistics = staticmethod(triangle)
    _rescales = True  # its statistics tell those of scaled columns
    _solved_by = ("alpha", "positive")

    def _solve(self, sums, state):
        one, flat = state.more
        alpha = as_real(self.alpha, "alpha", 0.0)
        if as_flag(self.positive, "positive"):
            q = sums.p + int(one)
            R = sums.R if one else sums.plain
            fitted = nonnegative_ridge(centered_factor(R[:q, :q], R[:q, q:], one), alpha, flat, one)
            return self._publish(None, **state.published(), **fitted)
        found = sums.kept.get(one)
        if found is None:  # for the first of many penalties
            parts = sums.singular_values if one else sums.plain_singular_values
            found = sums.kept[one] = decomposition_of(*parts)
        return self._publish(None, **state.published(), **_fitted(found, alpha, flat, one))

    @staticmethod
    def _predict_many(models, rows):
        """Predictions of models of one target, by one product; None if there are several."""
        if any(np.ndim(model.coef_) != 1 for model in models) or hasattr(rows, "indptr"):
            return None
        coefs = np.array([model.coef_ for model in models])
        intercepts = np.array([model.intercept_ for model in models])
        table = new_rows(models[0], rows)
        return np.ascontiguousarray(linear_values(table, coefs, intercepts).T)

    def _leave_one_out(self, X, y, sample_weight, method):
        if method != "predict" or is_sparse(X):
            return None
        columns, state = self._prepare(X, y, sample_weight)
        if self.positive:  # which columns are at zero changes without a row
            return None
        rows, Y, weights = columns
        one, flat = state.more
        found = decompose(rows, Y, weights, one, self.n_jobs)
        alpha = float(self.alpha)
        if alpha == 0.0 and len(found.s) < rows.shape[1]:
            return None
        coefs, intercepts = found.coefs([alpha])
        root = found.V / np.sqrt(found.s**2 + alpha)
        mass = None if not one else float(len(rows) if weights is None else weights.sum())
        known = coefs[0], intercepts[0], root, found.mean, mass
        out, certain = residuals_left_out(rows, Y, weights, known, self.n_jobs)
        if not fitted_anew(self, columns, state, out, certain):
            return None
        out = out.astype(rows.dtype, copy=False)
        return out[:, 0] if flat else out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class RidgeCV(Ridge):
    """Ridge regression with the penalty that predicts best, from one decomposition.

    Parameters
    ----------
    alphas : int or array-like of shape (A,), default=(0.1, 1.0, 10.0)
        Penalties to try; or how many, evenly spaced on a log scale, from 1e-6 to 100 times the
        largest squared singular value of the centered columns. None takes 100 of these.
    criterion : {"loo", "gcv"}, default="loo"
        Mean squared error of leaving out one row after the other, or generalized cross-validation
        [1]_, which takes the average leverage for that of each row.
    fit_intercept : bool, default=True
    n_jobs : int, optional

    Attributes
    ----------
    alpha_ : float
        Of the least error; of equals the largest.
    alphas_ : ndarray of shape (A,)
        In falling order.
    errors_ : ndarray of shape (A,)
        The criterion for each, the average over outputs; infinite where the fit leaves no
        degrees of freedom, as of a single row.
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
    intercept_ : float, or ndarray of shape (T,)
    df_ : float
    solver_ : "svd"
    n_iter_ : None
        As in `Ridge`.
    best_score_ : float
        The least of `errors_`, negative.

    Raises
    ------
    ValueError
        As `Ridge`.

    Notes
    -----
    Cost: that of `Ridge`, and O(A d) for "gcv" or O(n d (d + A)) for "loo".

    References
    ----------
    .. [1] G. H. Golub, M. Heath & G. Wahba (1979), "Generalized cross-validation as a method for
       choosing a good ridge parameter". doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import RidgeCV
    >>> X = np.arange(6.0)[:, None]
    >>> RidgeCV(alphas=[0.1, 1.0, 10.0]).fit(X, [0.1, 0.9, 2.2, 2.8, 4.1, 5.0]).alpha_
    0.1
    """

    # What it learns is no sum over rows, once the penalty is chosen.
    _prepare = _statistics = _solve = _leave_one_out = _predict_many = None  # type: ignore[assignment]

    def __init__(
        self, alphas=(0.1, 1.0, 10.0), *, criterion="loo", fit_intercept=True, n_jobs=None
    ):
        self.alphas = alphas
        self.criterion = criterion
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,) or (n, T)
        sample_weight : array-like of shape (n,), optional
            Not negative; of a row of weight 2, one of two equal rows is left out.

        Returns
        -------
        self
        """
        rows = dense_if_small(table_of(X))
        Y, flat = as_targets(y, rows.shape[0])
        refuse_extreme(Y)
        weights = as_weights(sample_weight, rows.shape[0])
        criterion = as_choice(self.criterion, "criterion", ("loo", "gcv"))
        alphas = as_alphas(self.alphas)
        one = as_flag(self.fit_intercept, "fit_intercept")
        found = decompose(rows, Y, weights, one, self.n_jobs)
        if isinstance(alphas, int):
            top = float(found.s.max(initial=0.0)) ** 2 or 1.0
            alphas = np.geomspace(SPAN[1] * top, SPAN[0] * top, alphas)
        if criterion == "gcv":
            errors = _generalized(found, alphas, len(Y), weights, one)
        else:
            errors = _leave_one_out(found, rows, Y, weights, alphas, one, self.n_jobs)
        best = int(np.argmin(errors))
        fitted = _fitted(found, alphas[best], flat, one)
        return self._publish(
            X, **fitted, alpha_=float(alphas[best]), alphas_=alphas, errors_=errors,
            best_score_=-float(errors[best]),
        )  # fmt: skip


def _fitted(found, alpha, flat, one):
    coefs, intercepts = found.coefs([alpha])
    return {
        "coef_": coefs[0, 0] if flat else coefs[0],
        "intercept_": float(intercepts[0, 0]) if flat else intercepts[0],
        "solver_": "svd",
        "n_iter_": None,
        "df_": float(found.freedom([alpha])[0]) + one,
    }


def _generalized(found, alphas, n, weights, one):
    """GCV for each penalty: RSS / n over (1 - df / n)^2, n the sum of the weights."""
    total = float(n if weights is None else weights.sum())
    rest = np.maximum(found.spread - (found.c**2).sum(0), 0.0).mean()
    shares = alphas[:, None] / (found.s**2 + alphas[:, None])
    rss = rest + shares**2 @ (found.c**2).mean(1)
    left = 1.0 - (found.freedom(alphas) + one) / total
    if not (left > 1e-12).any():
        raise ValueError(
            f"criterion='gcv' needs more rows, by weight, than degrees of freedom; got {total:.6g}."
            " Use criterion='loo', or add rows."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 1e-12, rss / total / left**2, np.inf)


def _leave_one_out(found, rows, Y, weights, alphas, one, n_jobs):
    """The mean squared error of each row predicted from the others, for each penalty."""
    shrink = 1.0 / (found.s[:, None] ** 2 + alphas)  # (r, A)
    fits = found.s[:, None, None] * shrink[:, None, :] * found.c[:, :, None]  # (r, T, A)
    r, T, A = fits.shape
    mass = float(len(Y) if weights is None else weights.sum())

    def work(where):
        block = rows[where].toarray() if hasattr(rows, "indptr") else rows[where]
        moved = np.ascontiguousarray(block, dtype=np.float64) - found.mean
        turned = aside(np.matmul, moved, found.V)
        w = np.ones(len(turned)) if weights is None else weights[where]
        e = (Y[where] - found.target)[:, :, None] - (turned @ fits.reshape(r, T * A)).reshape(
            -1, T, A
        )
        # One of equal rows is left out; of a weight below 1, all of it.
        own = np.minimum(w, 1.0)[:, None]
        h = (np.sqrt(own) * turned) ** 2 @ shrink + own * (one / mass)
        e *= np.sqrt(w)[:, None, None]  # of a row of weight 0 the square might overflow
        return ((e / np.maximum(1.0 - h, 1e-12)[:, None, :]) ** 2).sum((0, 1))

    parts = each(work, grid(len(Y)), n_jobs=n_jobs, effort=4.0 * len(Y) * r * (r + T * A))
    return sum(parts[1:], parts[0]) / (mass * T)
