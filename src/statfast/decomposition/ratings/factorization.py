# SPDX-License-Identifier: BSD-3-Clause
"""Low-rank factorization of a matrix of ratings of which few are known."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    Transformer,
    count,
    fitted,
    flag,
    jobs,
    param,
    randomness,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Seed
from statfast._validation import (
    as_count,
    as_flag,
    as_generator,
    as_rows,
    as_sparse,
    explain_nonfinite,
    is_sparse,
    not_fitted,
    refuse_large,
    require_width,
    rows_for,
    shown,
    to_array,
    warn_not_converged,
)
from statfast.decomposition.ratings.half_steps import (
    RatingsPenalty,
    alternate,
    half_step,
    lines_of,
    table_of,
)


class RatingsFactorization(Transformer, Estimator):
    """Matrix factorization of ratings, explicit or implicit, by alternating least squares.

    A rating of item i by user u is modeled as ``mean + b_u + c_i + x_u . y_i``. Given one side,
    the other is a ridge regression for each user or item, solved exactly, in turn, so that::

        sum over ratings (r - mean - b_u - c_i - x_u . y_i)^2
            + regularization (sum of n_u (|x_u|^2 + b_u^2) + sum of n_i (|y_i|^2 + c_i^2))

    never rises. Implicit feedback (counts, say) is fitted at all pairs: 1 where there is any, with
    confidence ``1 + alpha r``, and 0 elsewhere with confidence 1.

    Parameters
    ----------
    n_components : int, default=10
        Factors of each user and item.
    regularization : float, default=0.1
        Strength of the ridge penalty of the factors.
    weighted : bool, default=True
        Penalize a user or item by its number of ratings, as in the formula above; else all alike.
    biases : bool, default=True
        Mean, and biases of users and items. Implicit feedback has none.
    nonnegative : bool, default=False
        Factors are not negative: ratings are sums of likings, above what the mean and the biases
        say. Biases may have any sign.
    implicit : bool, default=False
        Stored values are counts or durations, not ratings.
    alpha : float, default=40.0
        Growth of confidence; of implicit feedback alone.
    max_iter : int, default=50
        Maximum number of iterations, of two half-steps each.
    tol : float, default=1e-4
        Fall of the objective, relative to itself, at which iterations end.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the start of iterations; an integer makes the result reproducible. None
        takes the same start each time.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    user_factors_ : ndarray of shape (n, k)
        Factors of users.
    item_factors_ : ndarray of shape (m, k)
        Factors of items.
    components_ : ndarray of shape (k, m)
        `item_factors_`, transposed.
    user_biases_, item_biases_ : ndarray of shape (n,) and (m,)
        Biases of users and items.
    mean_ : float
        Mean of the ratings; 0 without biases.
    objective_ : float
        Its last value.
    objectives_ : ndarray of shape (`n_iter_`,)
        Its value after each iteration.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Items.
    feature_names_in_ : ndarray of shape (m,)
        Only where the columns of X have names.

    Raises
    ------
    ValueError
        From ``fit``: if X holds no ratings, or any that are not finite, or negative counts of
        implicit feedback; if there are more factors than users or items.

    Notes
    -----
    X is sparse: what is stored is rated, also 0; what is not stored is unknown. A dense X is rated
    throughout. Users and items without ratings have factors and biases of 0, so that their
    predictions rest on the other side and the mean. Where ratings do not determine a factor
    (``regularization=0``), it is 0.

    Half-steps change one side at a time, and approach slowly what is found at once: of all factors
    that predict the same, those with the least penalty. They are found before each iteration, which
    lowers the objective further, and takes no time to speak of. Nonnegative factors have no such
    shortcut; each half-step is then a nonnegative least squares problem, solved by coordinate
    descent.

    An iteration takes 2 q^2 flop a rating and q^3 / 3 a user and item, q being the factors and the
    bias. Users are solved for last: `transform` of the rows of the fit gives their factors again.

    While the objective of explicit ratings falls by more than 1e-4 of itself, and the penalty is
    not small beside the factors, products are made and summed in float32, which knows `objectives_`
    to about 1e-6. The last iteration, and any that ends the fit, is in float64 throughout.

    References
    ----------
    Zhou, Wilkinson, Schreiber & Pan 2008, Large-scale parallel collaborative filtering for the
    Netflix prize, doi:10.1007/978-3-540-68880-8_32. Hu, Koren & Volinsky 2008, Collaborative
    filtering for implicit feedback datasets, doi:10.1109/ICDM.2008.22. Koren, Bell & Volinsky 2009,
    doi:10.1109/MC.2009.263.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from statfast.decomposition import RatingsFactorization
    >>> ratings = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 0.0], [0.0, 6.0, 9.0]])  # 0: not rated
    >>> model = RatingsFactorization(1, biases=False, regularization=1e-9, max_iter=200, tol=1e-14)
    >>> model = model.fit(csr_array(ratings))
    >>> model.ratings([1, 2], [2, 0]).round(3)
    array([6., 3.])
    """

    _items: Any = fitted()

    n_components: int = param(count(), default=10, kw_only=False)
    regularization: float = param(real(0), default=0.1)
    weighted: bool = param(flag, default=True)
    biases: bool = param(flag, default=True)
    nonnegative: bool = param(flag, default=False)
    implicit: bool = param(flag, default=False)
    alpha: float = param(real(0, open_low=True), default=40.0)
    max_iter: int = param(count(), default=50)
    tol: float = param(real(0), default=1e-4)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    user_factors_: Array = fitted()
    item_factors_: Array = fitted()
    components_: Array = fitted()
    user_biases_: Any = fitted()
    item_biases_: Any = fitted()
    mean_: float = fitted()
    objective_: float = fitted()
    objectives_: Array = fitted()
    n_iter_: int = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Fit the factors of users and items.

        Parameters
        ----------
        X : {sparse matrix, array-like} of shape (n, m)
            A row for each user, a column for each item.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As the class says.
        """
        penalty, biased = self._penalty()
        rows = known_ratings(X, self.implicit)
        (n, m), k = rows.shape, self._checked_value("n_components")
        refuse_large(16 * (n + m) * (k + 2), f"n_components={k}", "Lower it.")
        if rows.nnz == 0:
            raise ValueError("X has no ratings. Store those that are known, 0 among them.")
        largest = float(np.abs(rows.data).max())
        if largest > 1e150:
            raise ValueError("X holds values so large that squares overflow. Rescale it.")
        level = float(rows.data.mean()) if biased else 0.0
        rng = as_generator(0 if self.random_state is None else self.random_state)
        start = np.zeros((m, k + biased))
        size = np.sqrt(max(np.abs(rows.data - level).mean(), 1e-300) / k)
        start[:, :k] = rng.standard_normal((m, k)) * (0.1 if self.implicit else size)
        if penalty.bounded:
            start = np.abs(start)
        limits = self._checked_value("max_iter"), self._checked_value("tol")
        alpha = self.alpha if self.implicit else None
        columns = rows.T.tocsr()
        with np.errstate(over="ignore", invalid="ignore"):
            users, items, history = alternate(
                lines_of(rows, alpha), lines_of(columns, alpha), start, k, level, penalty, limits,
                self.n_jobs,
            )  # fmt: skip
        if not (np.isfinite(users).all() and np.isfinite(items).all()):
            raise ValueError("X holds values so large that squares overflow. Rescale it.")
        if len(history) == limits[0] and limits[0] > 1:
            fall = history[-2] - history[-1]
            if fall > limits[1] * abs(history[-1]):
                warn_not_converged(self, len(history))
        return self._publish(
            X,
            user_factors_=np.ascontiguousarray(users[:, :k]),
            item_factors_=np.ascontiguousarray(items[:, :k]),
            components_=items[:, :k].T.copy(),
            user_biases_=users[:, k].copy() if biased else np.zeros(n),
            item_biases_=items[:, k].copy() if biased else np.zeros(m),
            mean_=level,
            objective_=history[-1],
            objectives_=np.array(history),
            n_iter_=len(history),
            _items=table_of(items, k, level, biased),
        )

    def transform(self, X: Rows) -> Any:
        """Return the factors of users, known or new, from their ratings.

        Parameters
        ----------
        X : {sparse matrix, array-like} of shape (r, m)
            Their ratings of the items of the fit.

        Returns
        -------
        factors : ndarray of shape (r, k)
            0 for users without ratings.

        Raises
        ------
        ValueError
            If X does not hold finite ratings of the items of the fit.
        """
        return self.fold_in(X)[0]

    def fold_in(self, X: Rows) -> tuple[Array, Array]:
        """Return the factors and biases of new users, with the items fixed.

        Parameters
        ----------
        X : {sparse matrix, array-like} of shape (r, m)
            Ratings of each user; what a sparse matrix does not store is unknown.

        Returns
        -------
        factors : ndarray of shape (r, k)
        biases : ndarray of shape (r,)

        Raises
        ------
        ValueError
            As for `transform`.
        """
        rows = self._checked_ratings(X)
        penalty, _ = self._penalty()
        lines = lines_of(rows, self.alpha if self.implicit else None)
        with np.errstate(over="ignore", invalid="ignore"):
            users, _ = half_step(lines, self._items, penalty, self.n_jobs)
        if not np.isfinite(users).all():
            raise ValueError("X holds values so large that squares overflow. Rescale it.")
        k = self.item_factors_.shape[1]
        biases = users[:, k].copy() if users.shape[1] > k else np.zeros(len(users))
        return np.ascontiguousarray(users[:, :k]), biases

    def complete(self, X: Rows) -> Array:
        """Predict the ratings of all items by users with these ratings.

        Parameters
        ----------
        X : {sparse matrix, array-like} of shape (r, m)
            Ratings of each user; what a sparse matrix does not store is unknown.

        Returns
        -------
        ratings : ndarray of shape (r, m)
            Also of what X rates.

        Raises
        ------
        ValueError
            As for `transform`.
        MemoryError
            If the answer would take more than half the free memory.
        """
        factors, biases = self.fold_in(X)
        refuse_large(8.0 * len(factors) * self.n_features_in_, "The ratings", "Pass fewer users.")
        return factors @ self.components_ + biases[:, None] + (self.mean_ + self.item_biases_)

    def ratings(self, users: ArrayLike, items: ArrayLike) -> Array:
        """Predict the ratings of pairs of users and items of the fit.

        Parameters
        ----------
        users, items : array-like of shape (r,)
            Their rows and columns.

        Returns
        -------
        ratings : ndarray of shape (r,)

        Raises
        ------
        ValueError
            If a user or an item is not one of the fit.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        users = as_places(users, len(self.user_factors_), "users")
        items = as_places(items, len(self.item_factors_), "items")
        if users.shape != items.shape:
            raise ValueError(
                f"users and items must be pairs; got {len(users)} users and {len(items)} items."
            )
        known = self.mean_ + self.user_biases_[users] + self.item_biases_[items]
        return known + (self.user_factors_[users] * self.item_factors_[items]).sum(axis=1)

    def recommend(self, X: Rows, n: int = 10, *, rated: bool = False) -> tuple[Array, Array]:
        """Recommend items: those with the highest predicted ratings for users.

        Parameters
        ----------
        X : {sparse matrix, array-like} of shape (r, m)
            Ratings of each user; what a sparse matrix does not store is unknown.
        n : int, default=10
            Items for each user.
        rated : bool, default=False
            Also those that the user has rated.

        Returns
        -------
        items : ndarray of shape (r, n)
            Best first, ties by the lowest column; -1 where nothing is left to recommend.
        ratings : ndarray of shape (r, n)
            Predicted; NaN there.

        Raises
        ------
        ValueError
            As for `transform`, and if n is not between 1 and the number of items.
        """
        rated = as_flag(rated, "rated")
        rows = self._checked_ratings(X)
        n = as_count(n, "n", 1, self.n_features_in_, limit="the number of items")
        factors, biases = self.fold_in(rows)
        items = np.full((len(factors), n), -1, dtype=np.intp)
        ratings = np.full((len(factors), n), np.nan)
        for start in range(0, len(factors), 256):
            checkpoint()
            where = slice(start, start + 256)
            predicted = factors[where] @ self.components_ + biases[where, None]
            predicted += self.mean_ + self.item_biases_
            for r, values in enumerate(predicted, start):
                if not rated:
                    values[rows.indices[rows.indptr[r] : rows.indptr[r + 1]]] = -np.inf
                low = np.partition(values, len(values) - n)[len(values) - n]
                best = np.flatnonzero((values >= low) & (values > -np.inf))
                best = best[np.argsort(-values[best], kind="stable")][:n]
                items[r, : len(best)], ratings[r, : len(best)] = best, values[best]
        return items, ratings

    def held_out_errors(self, X: Rows, *, cv: int = 5) -> Array:
        """Cross-validate: root mean squared errors of held-out ratings by fold.

        Parameters
        ----------
        X : {sparse matrix, array-like} of shape (n, m)
            Ratings; what a sparse matrix does not store is unknown.
        cv : int, default=5
            Ratings are dealt out to so many folds at random, by `random_state`.

        Returns
        -------
        errors : ndarray of shape (cv,)

        Raises
        ------
        ValueError
            As for ``fit``; of implicit feedback, of which nothing is known to be 0.
        """
        from scipy.sparse import coo_array

        if self._checked_value("implicit"):
            raise ValueError("implicit must be False for held_out_errors: nothing is rated.")
        rows = known_ratings(X, self.implicit).tocoo()
        folds = as_count(cv, "cv", 2, max(2, rows.nnz), limit="the number of ratings")
        rng = as_generator(0 if self.random_state is None else self.random_state)
        fold = rng.permutation(np.arange(rows.nnz) % folds)
        u, i = rows.coords
        errors = np.empty(folds)
        for number in range(folds):
            checkpoint()
            kept = fold != number
            known = coo_array((rows.data[kept], (u[kept], i[kept])), shape=rows.shape)
            model = type(self)(**self.get_params(deep=False)).fit(known.tocsr())
            residuals = model.ratings(u[~kept], i[~kept]) - rows.data[~kept]
            errors[number] = np.sqrt((residuals**2).mean())
        return errors

    # ------------------------------------------------------------ inside

    def _penalty(self) -> tuple[RatingsPenalty, int]:
        """The checked penalty, and whether there are biases."""
        params = self._checked()
        biased = int(params.biases and not params.implicit)
        bounded = params.n_components if params.nonnegative else 0
        return RatingsPenalty(params.regularization, params.weighted, bounded), biased

    def _checked_ratings(self, X: Any) -> Matrix:
        """Ratings of the items of the fit."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = known_ratings(X if is_sparse(X) else rows_for(self, X), self.implicit)
        require_width(self, rows)
        return rows

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def known_ratings(X: Any, implicit: bool) -> Matrix:
    """The ratings as CSR, explicit zeros among them."""
    from scipy.sparse import csr_array

    if not is_sparse(X):
        dense = as_rows(X)
        n, m = dense.shape
        starts = np.arange(0, n * m + 1, m)
        places = np.tile(np.arange(m, dtype=np.int32), n)
        data = np.ascontiguousarray(dense, dtype=np.float64).ravel()
        rows = csr_array((data, places, starts), shape=(n, m))
    else:
        sparse = as_sparse(X)
        if sparse.dtype.kind not in "biuf":
            raise TypeError(f"X must hold numbers; got dtype {sparse.dtype}. Convert it first.")
        rows = csr_array(
            (sparse.data.astype(np.float64, copy=False), sparse.indices, sparse.indptr),
            shape=sparse.shape,
        )
        if rows.nnz:
            explain_nonfinite(rows.data, "X")
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
    if implicit:
        if rows.nnz and rows.data.min() < 0.0:
            raise ValueError(
                f"X must not be negative where implicit=True; got {rows.data.min():g}."
            )
        if not rows.data.all():
            rows = rows.copy()
            rows.eliminate_zeros()
    return rows


def as_places(values: Any, count: int, name: str) -> Array:
    """Rows or columns of the fit, as integers."""
    places = to_array(values, name, "a list of integers")
    if places.ndim != 1 or places.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a list of integers; got {shown(values)}.")
    if len(places) and (places.min() < 0 or places.max() >= count):
        raise ValueError(
            f"{name} must be between 0 and {count - 1}; got {places.min()} to {places.max()}."
        )
    return places
