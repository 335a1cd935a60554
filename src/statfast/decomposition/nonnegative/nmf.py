# SPDX-License-Identifier: BSD-3-Clause
"""Nonnegative matrix factorization."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Estimator,
    Transformer,
    checked_by,
    count,
    fitted,
    jobs,
    one_of,
    param,
    randomness,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import (
    as_csr,
    as_generator,
    as_real,
    as_rows,
    is_sparse,
    not_fitted,
    refuse_large,
    rows_for,
    to_array,
    warn_not_converged,
)
from statfast.decomposition.nonnegative.coordinate_descent import Penalty, coefficients, descend
from statfast.decomposition.nonnegative.divergence import BETAS, distance
from statfast.decomposition.nonnegative.multiplicative import (
    Updates,
    coefficients_by_updates,
    multiply,
)
from statfast.decomposition.nonnegative.row_blocks import blocks_of
from statfast.decomposition.nonnegative.starts import (
    SINGULAR_STARTS,
    custom_start,
    mean_of,
    random_start,
    singular_start,
)

ROW_DTYPES = (np.float32, np.float64)
LARGEST = 1e150  # squares of larger values overflow
MAX_BETA = 20.0  # powers of greater exponents overflow at the least products
MIN_SWEEPS_OF_ROWS = 1000  # that new rows get at most, whatever max_iter: they cost little
ROWS_TOL = 1e-8  # of the rows' own violation, at which sweeps for W alone end
NUMBERS_OF_DENSE_BLOCK = 2_000_000  # of the products W H that multiplicative updates hold


def as_beta(beta_loss: Any, name: str) -> float:
    """The beta of a divergence, by its name or as a number."""
    if isinstance(beta_loss, str):
        if beta_loss not in BETAS:
            words = ", ".join(map(repr, BETAS))
            raise ValueError(f"{name} must be {words} or a number; got {beta_loss!r}.")
        return BETAS[beta_loss]
    return as_real(beta_loss, name, -MAX_BETA, MAX_BETA)


class NMF(Transformer, Estimator):
    """Nonnegative matrix factorization: X is about W H, without negative entries.

    The factors minimize::

        D(X, W H) + alpha_W d l1_ratio |W|_1 + alpha_H n l1_ratio |H|_1
            + alpha_W d (1 - l1_ratio) |W|^2 / 2 + alpha_H n (1 - l1_ratio) |H|^2 / 2

    where D is half the squared error or another beta divergence.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Components, k. "auto" takes as many as the factors passed to `fit_transform` have, else one
        for each column.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"}, optional
        Where the factors begin. "nndsvd" takes positive parts of singular vectors, and leaves
        zeros, which multiplicative updates cannot leave again; "nndsvda" puts the mean of X there,
        "nndsvdar" small random numbers; "custom" takes W and H of `fit_transform`. None is
        "nndsvda" if k is at most the number of rows and of columns, else "random".
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent, for the squared error alone; or multiplicative updates.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float, default="frobenius"
        Half the squared error (beta = 2), Kullback and Leibler's divergence (1), Itakura and
        Saito's (0), or the beta divergence of a number from -20 to 20. X must be positive for
        beta <= 0.
    tol : float, default=1e-4
        "cd" ends when the violation of the conditions of optimality is this share of that of the
        first iteration; "mu" when ten iterations lower the square root of the divergence by no more
        than this share of that of the start.
    max_iter : int, default=200
        Maximum number of iterations.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of random starts; an integer makes the result reproducible.
    alpha_W : float, default=0.0
        Strength of the penalty of W.
    alpha_H : float or "same", default="same"
        Strength of the penalty of H; "same" is that of W.
    l1_ratio : float, default=0.0
        Share of the l1 penalty, which makes factors sparse; the rest is of squares.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        H.
    n_components_ : int
        k.
    reconstruction_err_ : float
        The Frobenius norm of X - W H, or the square root of twice another divergence.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Columns, d.
    feature_names_in_ : ndarray of shape (d,)
        Only where the columns of X have names.

    See Also
    --------
    RatingsFactorization : Factors of a table of which few entries are known.
    TruncatedSVD : The best factors, if entries may be negative.

    Notes
    -----
    The objective is convex in each factor, not in both: another start may end in another optimum.
    Coordinate descent follows each product with X by up to three sweeps over the coordinates of a
    row, which cost little beside it, so that it needs fewer products than scikit-learn's one sweep.

    W of the rows of the fit is solved for last, with H fixed, so that `transform` of these rows
    gives it again. Rows do not depend on each other there: a row's W is the same in any company.
    By "mu" a row begins with equal coefficients whose product has its sum, and ends by `tol` of its
    own divergence.

    Entries of W H below 1.2e-7 count as that where a divergence divides by them, as in
    scikit-learn.

    Cost: an iteration takes 4 n d k operations by "cd", 8 by "mu" with the squared error, 12 with
    others; sparse X as many as it stores. Memory: W, and d k for each thread; by "mu" with another
    divergence of dense X also some four blocks of W H for each thread, of 16 MB or 64 rows.

    References
    ----------
    .. [1] Lee, D. D. and Seung, H. S. (1999). Learning the parts of objects by non-negative matrix
       factorization. Nature 401, 788-791. https://doi.org/10.1038/44565
    .. [2] Cichocki, A. and Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative
       matrix and tensor factorizations. IEICE Transactions E92-A, 708-721.
       https://doi.org/10.1587/transfun.E92.A.708
    .. [3] Gillis, N. and Glineur, F. (2012). Accelerated multiplicative updates and hierarchical
       ALS algorithms for nonnegative matrix factorization. Neural Computation 24, 1085-1105.
       https://doi.org/10.1162/NECO_a_00256
    .. [4] Févotte, C. and Idier, J. (2011). Algorithms for nonnegative matrix factorization with
       the beta-divergence. Neural Computation 23, 2421-2456. https://doi.org/10.1162/NECO_a_00168

    Examples
    --------
    Six people have rated four films; two kinds of films explain the table, and each person's taste
    is a sum of both:

    >>> import numpy as np
    >>> from statfast.decomposition import NMF
    >>> X = [[4, 4, 0, 0], [2, 2, 0, 0], [0, 0, 3, 3], [0, 0, 1, 1], [4, 4, 3, 3], [2, 2, 2, 2]]
    >>> model = NMF(2, tol=1e-9, max_iter=1000)
    >>> W = model.fit_transform(X)
    >>> (W @ model.components_).round(2)
    array([[4., 4., 0., 0.],
           [2., 2., 0., 0.],
           [0., 0., 3., 3.],
           [0., 0., 1., 1.],
           [4., 4., 3., 3.],
           [2., 2., 2., 2.]])
    >>> sorted((model.components_ > 1e-6).astype(int).tolist())
    [[0, 0, 1, 1], [1, 1, 0, 0]]
    """

    n_components: int | Literal["auto"] = param(
        count() | one_of("auto"), default="auto", kw_only=False
    )
    init: str | None = param(one_of("random", *SINGULAR_STARTS, "custom", None), default=None)
    solver: Literal["cd", "mu"] = param(one_of("cd", "mu"), default="cd")
    beta_loss: str | float = param(checked_by(as_beta, *BETAS, 1.5, 3.0), default="frobenius")
    tol: float = param(real(0), default=1e-4)
    max_iter: int = param(count(), default=200)
    random_state: Seed = param(randomness, default=None)
    alpha_W: float = param(real(0), default=0.0)
    alpha_H: float | Literal["same"] = param(real(0) | one_of("same"), default="same")
    l1_ratio: float = param(real(0, 1), default=0.0)
    n_jobs: Jobs = param(jobs, default=None)

    components_: Array = fitted()
    n_components_: int = fitted()
    reconstruction_err_: float = fitted()
    n_iter_: int = fitted()

    def fit(
        self, X: Rows, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> Self:
        """Fit the factors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Nonnegative table.
        y : ignored
            Not used; present for the interface.
        W : array-like of shape (n, k), optional
            With ``init="custom"``: where W begins.
        H : array-like of shape (k, d), optional
            With ``init="custom"``: where H begins.

        Returns
        -------
        self : NMF

        Raises
        ------
        ValueError
            If X is not a finite table without negative entries, a start does not suit it, or a
            parameter is out of its range.
        """
        self._fit(X, W, H)
        return self

    def fit_transform(
        self, X: Rows, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> Any:
        """Fit the factors, and return W.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Nonnegative table.
        y : ignored
            Not used; present for the interface.
        W : array-like of shape (n, k), optional
            With ``init="custom"``: where W begins.
        H : array-like of shape (k, d), optional
            With ``init="custom"``: where H begins.

        Returns
        -------
        W : ndarray of shape (n, k)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `fit`.
        """
        return self._fit(X, W, H)

    def transform(self, X: Rows) -> Any:
        """Return W of rows, with H fixed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Nonnegative table.

        Returns
        -------
        W : ndarray of shape (m, k)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite table of d columns without negative entries.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        params = self._checked()
        rows = rows_for(self, X, keep=ROW_DTYPES, sparse=True)
        require_table(rows, params)
        return self._coefficients(rows, self.components_, params)

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return the table W H.

        Parameters
        ----------
        X : array-like of shape (m, k)
            W.

        Returns
        -------
        table : ndarray of shape (m, d)

        Raises
        ------
        ValueError
            If X is not a finite table with a column for each component.
        MemoryError
            If the answer would take more than half the free memory.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        W = as_rows(X, keep=ROW_DTYPES)
        if W.shape[1] != self.n_components_:
            raise ValueError(
                f"X must have a column for each of {self.n_components_} components; got "
                f"{W.shape[1]}."
            )
        refuse_large(8.0 * len(W) * self.n_features_in_, "The table", "Pass fewer rows.")
        return W @ self.components_

    # ------------------------------------------------------------ inside

    def _fit(self, X: Any, W: Any, H: Any) -> Any:
        params = self._checked()
        rows = as_csr(X) if is_sparse(X) else as_rows(X, keep=ROW_DTYPES)
        require_table(rows, params)
        (n, d), k = rows.shape, n_components_of(params, rows, W, H)
        refuse_large(24.0 * (n + d) * k, f"n_components={k}", "Lower it.")
        W_start, Ht_start = self._start(rows, k, W, H, params)
        blocks = blocks_of(rows, rows_of_block(d, params))
        if params.solver == "cd":
            if params.beta_loss != 2.0:
                raise ValueError(
                    f"solver='cd' is for beta_loss='frobenius'; got {self.beta_loss!r}. Pass "
                    "solver='mu'."
                )
            penalty = penalty_of(params, n, d)
            *_, Ht, n_iter, converged = descend(
                blocks, W_start, Ht_start, penalty, params.max_iter, params.tol, params.n_jobs
            )
        else:
            updates = Updates(params.beta_loss, penalty_of(params, n, d), params.n_jobs)
            *_, Ht, n_iter, converged = multiply(
                blocks, W_start, Ht_start, updates, params.max_iter, params.tol
            )
        if not converged and params.tol > 0.0:
            warn_not_converged(self, n_iter)
        dtype = np.float32 if rows.dtype == np.float32 else np.float64
        components = np.ascontiguousarray(Ht.T.astype(dtype))
        coefs = self._coefficients(rows, components, params)
        error = distance(blocks, coefs.astype(np.float64), Ht, params.beta_loss, params.n_jobs)
        self._publish(
            X,
            components_=components,
            n_components_=k,
            reconstruction_err_=error,
            n_iter_=n_iter,
            n_features_in_=d,
        )
        return coefs

    def _coefficients(self, rows: Any, components: Any, params: Any) -> Any:
        """W of rows for these components, in the type of the components."""
        n, d = rows.shape
        Ht = np.ascontiguousarray(components.T, dtype=np.float64)
        blocks = blocks_of(rows, rows_of_block(d, params))
        penalty = penalty_of(params, n, d)
        if params.solver == "cd":
            most = max(params.max_iter, MIN_SWEEPS_OF_ROWS)
            tol = min(ROWS_TOL, params.tol) or ROWS_TOL
            W = coefficients(blocks, n, Ht, penalty, most, tol, params.n_jobs)
        else:
            updates = Updates(params.beta_loss, penalty, params.n_jobs)
            W = coefficients_by_updates(blocks, n, Ht, updates, params.max_iter, params.tol)
        return W.astype(components.dtype, copy=False)

    def _start(self, rows: Any, k: int, W: Array, H: ArrayLike | None, params: Any) -> Any:
        """Where W (n, k) and H' (d, k) begin."""
        (n, d), init = rows.shape, params.init
        if init == "custom":
            return custom_start(W, (n, k), "W"), custom_start(H, (k, d), "H").T.copy()
        if W is not None or H is not None:
            raise ValueError("W and H are for init='custom'. Leave them out, or pass that.")
        rng = as_generator(params.random_state)
        if init is None:
            init = "nndsvda" if k <= min(n, d) else "random"
        if init == "random":
            return random_start(mean_of(rows), n, d, k, rng)
        if k > min(n, d):
            raise ValueError(
                f"init={init!r} needs n_components <= min(n, d) = {min(n, d)}; got {k}. Pass "
                "init='random'."
            )
        return singular_start(rows, mean_of(rows), k, init, rng, params.n_jobs)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags


def n_components_of(params: Any, rows: Any, W: Array, H: ArrayLike | None) -> Any:
    """k, by the parameter or the factors that are passed."""
    if params.n_components != "auto":
        return params.n_components
    if params.init == "custom":
        for name, factor, axis in (("W", W, 1), ("H", H, 0)):
            if factor is not None and (made := to_array(factor, name, "a matrix")).ndim == 2:
                return made.shape[axis]
    return rows.shape[1]


def penalty_of(params: Any, n: int, d: Any) -> Any:
    """The penalty of the objective: that of W grows with the columns, that of H with the rows."""
    alpha_H = params.alpha_W if params.alpha_H == "same" else params.alpha_H
    share, rest = params.l1_ratio, 1.0 - params.l1_ratio
    return Penalty(
        l1_of_W=params.alpha_W * d * share,
        l2_of_W=params.alpha_W * d * rest,
        l1_of_H=alpha_H * n * share,
        l2_of_H=alpha_H * n * rest,
    )


def rows_of_block(d: Any, params: Any) -> Any:
    """How many rows a block has at most: those of a table W H that is held at once are few."""
    if params.solver == "cd":
        return 16384
    return max(64, min(16384, NUMBERS_OF_DENSE_BLOCK // max(1, d)))


def require_table(rows: Any, params: Any) -> None:
    """Refuse what is negative, too large, or zero where the divergence has a logarithm."""
    values = rows.data if is_sparse(rows) else rows
    least = values.min() if values.size else 0
    if least < 0:
        raise ValueError(
            f"X must not be negative; got {least}. Negative values in data passed to NMF have no "
            "nonnegative factors: shift them, or take TruncatedSVD."
        )
    power = max(2.0, params.beta_loss) if params.solver == "mu" else 2.0
    if values.size and float(values.max()) > LARGEST ** (2.0 / power):
        raise ValueError(
            f"X holds values so large that powers of {power:g} overflow; got {values.max()}. "
            "Rescale it."
        )
    has_zeros = least == 0 or (is_sparse(rows) and rows.nnz < rows.shape[0] * rows.shape[1])
    if params.solver == "mu" and params.beta_loss <= 0.0 and has_zeros:
        raise ValueError(
            "X must be positive for beta_loss <= 0, which takes logarithms of it; it holds zeros. "
            "Add a small number, or pass beta_loss='kullback-leibler'."
        )
