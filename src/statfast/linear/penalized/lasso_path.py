# SPDX-License-Identifier: BSD-3-Clause
"""Regularization paths of the lasso and the elastic net."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import ANY, Columned, Display, ignoring_sklearn_arguments, picture
from statfast._linalg import power_of_two
from statfast._typing import Array, ArrayLike, Axes, DataFrame, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    as_count,
    as_flag,
    as_real,
    as_targets,
    as_weights,
    refuse_large,
)
from statfast.linear.design.columns import columns_of
from statfast.linear.design.design import linear_values, table_of
from statfast.linear.penalized.block_descent import BlockDescent
from statfast.linear.penalized.coordinate_descent import ROUNDING_OF_GAP, Descent
from statfast.linear.penalized.penalties import alpha_grid, as_alphas
from statfast.linear.penalized.residual_descent import ResidualDescent


@dataclass(frozen=True, repr=False)
class RegularizationPath(Columned):
    """Regularization path: coefficients for a decreasing sequence of penalties.

    Attributes
    ----------
    alphas : ndarray of shape (A,)
        Penalties, falling.
    coefs : ndarray of shape (d, A), or (T, d, A) if y was 2-d
        Coefficients, a column for each penalty.
    intercepts : ndarray of shape (A,), or (T, A)
        Intercepts.
    dual_gaps : ndarray of shape (A,)
        By how much the objective may still fall, at most.
    n_iters : ndarray of shape (A,)
        Sweeps and direct solutions.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import lasso_path
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> path = lasso_path(X, [3.0, 1.0, 4.0, 0.0], alphas=4)
    >>> (path.coefs != 0).sum(axis=0)  # coefficients that each penalty leaves
    array([0, 2, 2, 2])
    """

    alphas: NDArray[np.float64]
    coefs: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    dual_gaps: NDArray[np.float64]
    n_iters: NDArray[np.intp]

    def __iter__(self) -> Any:
        """Unpack as scikit-learn's: ``alphas, coefs, dual_gaps = lasso_path(X, y)``."""
        return iter((self.alphas, self.coefs, self.dual_gaps))

    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: Any) -> Any:
        return (self.alphas, self.coefs, self.dual_gaps)[place]

    def to_frame(self) -> DataFrame:
        """Return the coefficients as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each penalty, which are the index; the intercept first. Of several targets, a
            row for each penalty and target.
        """
        import pandas

        names = ["(Intercept)", *(f"x{j}" for j in range(self.coefs.shape[-2]))]
        table = np.concatenate([self.intercepts[..., None, :], self.coefs], axis=-2).T
        index = pandas.Index(self.alphas, name="alpha")
        if table.ndim == 3:
            targets = range(table.shape[2])
            index = pandas.MultiIndex.from_product([index, targets], names=["alpha", "target"])
            table = table.swapaxes(1, 2).reshape(-1, len(names))
        return pandas.DataFrame(table, columns=names, index=index)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw the coefficients: `statfast.plot.regularization_path`.

        Of several targets, their lengths over the targets.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Arguments of that function, such as ``names`` of the columns.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("regularization_path")(self, ax=ax, **style)

    def _cells(self) -> list[list[str]]:
        several = self.coefs.ndim == 3
        lengths = np.linalg.norm(self.coefs, axis=0) if several else np.abs(self.coefs)
        counts, sizes = (lengths != 0).sum(axis=0), lengths.sum(axis=0)
        columns = zip(self.alphas, counts, sizes, strict=True)
        rows = ([f"{alpha:.6g}", str(count), f"{size:.6g}"] for alpha, count, size in columns)
        return [["alpha", "nonzero", "l21 norm" if several else "l1 norm"], *rows]

    def _widths(self) -> list[int]:
        return [12, 8, 12]

    def predict(self, X: Rows) -> Array:
        """Return the linear predictor at every penalty.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, A), or (m, T, A) if y was 2-d

        Raises
        ------
        ValueError
            If X has another number of columns.
        """
        rows = table_of(X)
        d = self.coefs.shape[-2]
        if rows.shape[1] != d:
            raise ValueError(f"X must have {d} columns, as many as the path; got {rows.shape[1]}.")
        return predict_path(self, rows)


def predict_path(path: RegularizationPath, rows: Matrix, dtype: type[Any] | None = None) -> Array:
    """The linear predictor (m, A), or (m, T, A) of T tasks, of checked rows."""
    *tasks, d, n_penalties = path.coefs.shape
    coefs = np.moveaxis(path.coefs, -2, -1).reshape(-1, d)
    values = linear_values(rows, coefs, path.intercepts.ravel(), dtype=dtype)
    return values.reshape(rows.shape[0], *tasks, n_penalties)


def descent_of(columns: Any, y: Array | None, positive: bool = False) -> Descent:
    """The descent for y (n,), by columns of many nonzeros or of few; for y (T, n) of tasks."""
    if (columns.correlation if y is None else y).ndim > 1:
        return BlockDescent(columns, y, positive)
    kind = ResidualDescent if columns.has_few_nonzeros else Descent
    return kind(columns, y, positive)


def fit_path(
    X: Matrix,
    y: Array,
    weights: Array | None,
    *,
    alphas: Array | int,
    l1_ratio: float,
    eps: float = 1e-3,
    intercept: bool = True,
    standardize: bool = False,
    positive: bool = False,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    n_jobs: Jobs = None,
    lead: float | Array = 0.0,
    gram: Array | None = None,
) -> tuple[RegularizationPath, float]:
    """The path for checked arguments, and the gap it was to reach; y (n,), or (n, T) of T tasks.

    `alphas` may be how many to choose; `lead` makes a few penalties lead down to a first one below
    so much of the largest, or is the coefficients (p,) or (T, p) to start with. `gram` (p, p) are
    the products of the columns, if they are known: see `Columns.take_products`.
    """
    n = X.shape[0]
    # The squares of y over this power of two do not overflow.
    power = power_of_two(np.abs(y).max())
    y = np.ldexp(np.ascontiguousarray(y.T), -power)
    mean = np.average(y, axis=-1, weights=weights) if intercept else np.zeros(y.shape[:-1])
    target = y - mean[..., None]
    columns: Any
    first = target if target.ndim == 1 else target[0]
    target = first if len(target) == 1 else target
    if gram is None or hasattr(X, "indptr"):
        columns = columns_of(X, weights, intercept, standardize, n_jobs, first)
    else:
        columns = columns_of(X, weights, intercept, standardize, n_jobs)
        columns.take_products(gram, first)
    descent = descent_of(columns, target, positive)
    with np.errstate(over="ignore"):
        square = float(np.ldexp(descent.yy, 2 * power))
    if not np.isfinite(square):
        raise ValueError("y holds values so large that their squares overflow. Divide it.")
    if isinstance(alphas, int):
        alphas = alpha_grid(descent.largest_products, columns, l1_ratio, alphas, eps, power)
    columns.refuse_vanished(
        columns.penalties(alphas[-1] * l1_ratio, 0.0, n, power)[0], np.sqrt(n * descent.yy)
    )
    path = path_of(
        descent, alphas, l1_ratio=l1_ratio, mean=mean, tol=tol, max_iter=max_iter, power=power,
        lead=lead,
    )  # fmt: skip
    return path, max(tol, ROUNDING_OF_GAP) * square / n


def path_of(
    descent: Descent,
    alphas: Array,
    *,
    l1_ratio: float,
    mean: Array | float,
    tol: float,
    max_iter: int,
    power: int = 0,
    lead: float | Array = 0.0,
) -> RegularizationPath:
    """The path from products; `mean` () or (T,) is that of y over its power of two, 0 without an
    intercept."""
    columns = descent.columns
    n = columns.n
    shape = *np.shape(mean), columns.p, len(alphas)
    refuse_large(8 * prod(shape), "The coefficients for all alphas", "Pass fewer of them.")
    both = columns.penalties(alphas * l1_ratio, alphas * (1 - l1_ratio), n, power)
    penalties = list(zip(*(values.tolist() for values in both), strict=True))
    coefs, gaps, rounds = np.zeros(shape), [], []
    view = coefs.reshape(*descent.product.shape, -1)  # One task is solved for as y of shape (n,).
    before, top = np.inf, descent.largest
    first, ridge = penalties[0]
    if isinstance(lead, np.ndarray):
        lead = lead.reshape(descent.product.shape)
        begun = columns.scale_coefs(lead, power) / np.where(columns.scale == 0, 1, columns.scale)
        if np.isfinite(begun).all():
            descent.begin(begun.clip(0.0) if descent.positive else begun)
        lead = 0.0
    while lead and not descent.whole and first < lead * top:
        top *= lead
        share = 0.0 if first == 0 else ridge / first
        descent.solve(top, share * top, before, 1e-3, max_iter)
        before = top
        if first == 0:
            break
    for a, (l1, l2) in enumerate(penalties):
        solution = descent.solve(l1, l2, before, tol, max_iter)
        view[..., solution.index, a] = solution.coef * columns.scale[solution.index]
        gaps.append(solution.gap / n)
        rounds.append(solution.rounds)
        before = l1
    # The means of the columns are 0 where there is no intercept.
    intercepts = np.asarray(mean)[..., None] - columns.mean @ coefs
    return RegularizationPath(
        alphas, columns.unscale_coefs(coefs, power), np.ldexp(intercepts, power),
        np.ldexp(gaps, 2 * power), np.array(rounds),
    )  # fmt: skip


@ignoring_sklearn_arguments(
    copy_X=ANY,
    precompute=ANY,
    Xy=ANY,
    coef_init=ANY,
    verbose=ANY,
    check_input=ANY,
    return_n_iter=(False,),
)
def enet_path(
    X: Rows,
    y: ArrayLike,
    *,
    l1_ratio: float = 0.5,
    alphas: ArrayLike = 100,
    eps: float = 1e-3,
    sample_weight: Weights = None,
    fit_intercept: bool = True,
    standardize: bool = False,
    positive: bool = False,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    n_jobs: int | None = None,
) -> RegularizationPath:
    """Elastic-net path: coefficients for a decreasing sequence of penalties.

    At each alpha the coefficients minimize, with weights that sum to n::

        sum_i w_i (y_i - b_0 - x_i'b)^2 / (2 n) + alpha (l1_ratio |b|_1 + (1 - l1_ratio) |b|^2 / 2)

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        float64 or float32, by rows or by columns; it is not copied. Sparse columns are centered
        without filling them in.
    y : array-like of shape (n,) or (n, T)
        Target values. T columns are tasks that share what is selected: see `MultiTaskElasticNet`.
    l1_ratio : float, default=0.5
        Between 0 (ridge) and 1 (lasso).
    alphas : int or array-like of shape (A,), default=100
        Penalties, used in falling order; or how many, evenly spaced on a log scale from the least
        that leaves no coefficient down to `eps` times it.
    eps : float, default=1e-3
        Smallest penalty relative to the largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n), as
        glmnet does; coefficients are those of X all the same. For ``l1_ratio`` below 1, glmnet
        also scales y: its coefficients are s times those for y / s and `alphas` / s, with s the
        standard deviation of y (divisor n).
    positive : bool, default=False
        No coefficient below zero; for y of shape (n,).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its mean.
    max_iter : int, default=10000
        Maximum number of sweeps of coordinate descent for a penalty.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    RegularizationPath
        With `alphas`, `coefs` (d, A) or (T, d, A), `intercepts`, `dual_gaps`, `n_iters` and
        ``predict``.

    Raises
    ------
    ValueError
        If X or y holds NaN or infinity, their shapes do not match, or a parameter is out of range.

    Notes
    -----
    Coordinate descent on the Gram matrix of a working set chosen by the strong rule [2]_, with a
    direct solution where sweeps are slow; every gap is that of the whole problem, and of further
    passes columns are left out that it proves inactive [3]_. Of dense rows with n >= d and
    d <= 3000 the working set is all columns: O(n d^2) time and 8 d^2 bytes for all penalties
    together. Otherwise O(n d) for each penalty and O(n w^2), 8 w^2 bytes for a working set of w
    columns. Sparse columns whose nonzeros are fewer than a sixteenth of n and of d are descended
    with the residuals, at O(1) a nonzero, and Anderson extrapolation [4]_. Ties: of equal columns
    the first is used.

    References
    ----------
    .. [1] J. Friedman, T. Hastie & R. Tibshirani (2010). doi:10.18637/jss.v033.i01
    .. [2] R. Tibshirani et al. (2012). doi:10.1111/j.1467-9868.2011.01004.x
    .. [3] E. Ndiaye, O. Fercoq, A. Gramfort & J. Salmon (2017), "Gap safe screening rules for
       sparsity enforcing penalties". JMLR 18(128).
    .. [4] Q. Bertrand & M. Massias (2021), "Anderson acceleration of coordinate descent". PMLR 130.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import enet_path
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> path = enet_path(X, [3.0, 1.0, 4.0, 0.0], alphas=[0.5, 0.0], l1_ratio=1.0)
    >>> path.coefs.round(6)
    array([[1., 3.],
           [0., 1.]])
    """
    rows = table_of(X, finite=False)
    target, flat = as_targets(y, rows.shape[0])
    positive = as_flag(positive, "positive")
    if positive and not flat:
        raise ValueError(
            f"positive=True takes one target, y of shape (n,); got shape {target.shape}. Fit the "
            "targets one by one."
        )
    weights = as_weights(sample_weight, rows.shape[0])
    path, _ = fit_path(
        rows,
        target[:, 0] if flat else target,
        weights,
        alphas=as_alphas(alphas),
        l1_ratio=as_real(l1_ratio, "l1_ratio", 0.0, 1.0),
        eps=eps,
        intercept=as_flag(fit_intercept, "fit_intercept"),
        standardize=as_flag(standardize, "standardize"),
        positive=positive,
        tol=as_real(tol, "tol", 0.0),
        max_iter=as_count(max_iter, "max_iter"),
        n_jobs=n_jobs,
    )
    return path


@ignoring_sklearn_arguments(
    copy_X=ANY, precompute=ANY, Xy=ANY, coef_init=ANY, verbose=ANY, return_n_iter=(False,)
)
def lasso_path(
    X: Rows,
    y: ArrayLike,
    *,
    alphas: ArrayLike = 100,
    eps: float = 1e-3,
    sample_weight: Weights = None,
    fit_intercept: bool = True,
    standardize: bool = False,
    positive: bool = False,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    n_jobs: int | None = None,
) -> RegularizationPath:
    """Lasso path: coefficients for a decreasing sequence of penalties.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        float64 or float32, by rows or by columns; it is not copied. Sparse columns are centered
        without filling them in.
    y : array-like of shape (n,) or (n, T)
        Target values. T columns are tasks that share what is selected: see `MultiTaskElasticNet`.
    alphas : int or array-like of shape (A,), default=100
        Penalties, used in falling order; or how many, evenly spaced on a log scale from the least
        that leaves no coefficient down to `eps` times it.
    eps : float, default=1e-3
        Smallest penalty relative to the largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n), as glmnet
        does; coefficients are those of X all the same. For ``l1_ratio`` below 1, glmnet also scales
        y: its coefficients are s times those for y / s and `alphas` / s, with s the standard
        deviation of y (divisor n).
    positive : bool, default=False
        No coefficient below zero; for y of shape (n,).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its mean.
    max_iter : int, default=10000
        Maximum number of sweeps of coordinate descent for a penalty.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    RegularizationPath

    Raises
    ------
    ValueError
        As `enet_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import lasso_path
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> lasso_path(X, [3.0, 1.0, 4.0, 0.0], alphas=3, eps=0.01).coefs.round(3)
    array([[0.  , 2.7 , 2.97],
           [0.  , 0.7 , 0.97]])
    """
    return enet_path(
        X, y, l1_ratio=1.0, alphas=alphas, eps=eps, sample_weight=sample_weight,
        fit_intercept=fit_intercept, standardize=standardize, positive=positive, tol=tol,
        max_iter=max_iter, n_jobs=n_jobs,
    )  # fmt: skip
