# SPDX-License-Identifier: BSD-3-Clause
"""Transformers that learn nothing: each row is changed by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Estimator,
    Transformer,
    available,
    callable_,
    checked_by,
    flag,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Matrix, Rows
from statfast._validation import (
    as_csr,
    as_rows,
    as_sparse,
    is_sparse,
    rows_for,
    to_array,
    warn_user,
    wrong_type,
)
from statfast.preprocessing.scaling.affine import in_blocks

NORMS = ("l1", "l2", "max")
MIN_PLAIN_NORM = (
    1e-100  # rows of smaller norms, or of greater ones than its inverse, are scaled first
)
ROWS_BETWEEN_TESTS = 100  # the inverse of a function is tried on every so-manieth row


class RowTransformer(Transformer, Estimator):
    """The base of transformers that need no fit; it only tells them names and number of columns."""

    def fit(self, X: Rows, y: object = None) -> Self:
        """Check the parameters and the samples: nothing is learned.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a finite 2-d array of numbers.
        """
        self._checked()
        rows = as_csr(X) if is_sparse(X) else as_rows(X)
        return self._publish(X, n_features_in_=rows.shape[1])

    def _rows(self, X: Any) -> Matrix:
        """Checked rows; those of a fitted transformer have the columns of the fit."""
        self._checked()
        if self.__sklearn_is_fitted__():
            return rows_for(self, X, sparse=True)
        return as_csr(X) if is_sparse(X) else as_rows(X)

    def _named(self, names: list[str]) -> list[str]:
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.sparse = True
        return tags


class Normalizer(RowTransformer):
    """Divide each sample by its norm.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l2"
        The sum of the absolute values, the root of the sum of squares, or the largest absolute
        value.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Attributes
    ----------
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.preprocessing.StandardScaler : Scales columns, not rows.

    Notes
    -----
    Nothing is learned: ``transform`` needs no ``fit``. A row of zeros stays as it is. Rows are
    first scaled by a power of two, so that no square overflows or vanishes. O(n d) time; sparse
    rows stay sparse.

    References
    ----------
    Salton & McGill 1983, Introduction to Modern Information Retrieval (cosine of documents).

    Examples
    --------
    Of rows of length 1, the squared Euclidean distance is twice one less the cosine:

    >>> from statfast.preprocessing import Normalizer
    >>> Normalizer().transform([[3.0, 4.0], [0.0, 0.0], [1e200, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ],
           [1. , 0. ]])
    """

    norm: Literal["l1", "l2", "max"] = param(one_of(*NORMS), default="l2", kw_only=False)
    copy: bool = param(flag, default=True)

    def transform(self, X: Rows, copy: bool | None = None) -> Any:
        """Divide each sample by its norm.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.
        copy : bool, optional
            Kept for scikit-learn's sake: input is never modified.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, or has other columns than the samples of ``fit``.
        """
        rows = self._rows(X)
        if is_sparse(rows):
            return like_sparse(X, normalize_sparse_rows(rows, self.norm)[0])
        return in_blocks(rows, lambda Z, out: normalize_rows(Z, self.norm, out))


def normalize_rows(Z: Array, norm: str, out: Array) -> Array:
    """Rows (m, d) over their norms into `out`, and the norms (m,)."""
    rows = np.ascontiguousarray(Z)  # sums of rows have one order, however the rows lie
    size = _norms(rows, norm)
    (odd,) = (~((size > MIN_PLAIN_NORM) & (size < 1.0 / MIN_PLAIN_NORM))).nonzero()
    exponent = np.frexp(np.abs(rows[odd]).max(axis=1))[1]
    scaled = np.ldexp(rows[odd], -exponent[:, None])
    size[odd] = _norms(scaled, norm)
    size[size == 0.0] = 1.0
    np.divide(rows, size[:, None], out=out)
    out[odd] = scaled / size[odd, None]
    size[odd] = np.ldexp(np.where(scaled.any(axis=1), size[odd], 0.0), exponent)
    return size


def _norms(rows: Array, norm: str) -> Array:
    if norm == "l1":
        return np.abs(rows).sum(axis=1)
    if norm == "l2":
        return np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.abs(rows).max(axis=1)


def normalize_sparse_rows(rows: Matrix, norm: str) -> tuple[Matrix, Array]:
    """CSR rows over their norms, and the norms."""
    out = rows.copy()
    stored = np.diff(rows.indptr)
    some = np.flatnonzero(stored)
    starts = rows.indptr[some]
    exponent = np.zeros(rows.shape[0], dtype=np.int32)
    size = np.zeros(rows.shape[0])
    if len(some):
        exponent[some] = np.frexp(np.maximum.reduceat(np.abs(rows.data), starts))[1]
        scaled = np.ldexp(rows.data, -np.repeat(exponent, stored))
        if norm == "max":
            size[some] = np.maximum.reduceat(np.abs(scaled), starts)
        elif norm == "l1":
            size[some] = np.add.reduceat(np.abs(scaled), starts)
        else:
            size[some] = np.sqrt(np.add.reduceat(scaled * scaled, starts))
        out.data = scaled / np.repeat(np.where(size > 0.0, size, 1.0), stored)
    return out, np.ldexp(size, exponent)


def like_sparse(X: Any, rows: Matrix) -> Matrix:
    """Sparse rows in the type of X: float32 for float32."""
    return rows.astype(np.float32) if X.dtype == np.float32 else rows


class Binarizer(RowTransformer):
    """Ones where a value is above a threshold, and zeros elsewhere.

    Parameters
    ----------
    threshold : float, default=0.0
        Values above it become 1, others 0. Of sparse samples it must not be negative.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Attributes
    ----------
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.preprocessing.OneHotEncoder : Ones for categories.

    Notes
    -----
    Nothing is learned: ``transform`` needs no ``fit``. O(n d) time; sparse rows stay sparse.

    References
    ----------
    Han, Kamber & Pei 2012, Data Mining: Concepts and Techniques, section 3.5,
    doi:10.1016/C2009-0-61819-5.

    Examples
    --------
    Words that occur, however often, for `BernoulliNB`:

    >>> from statfast.preprocessing import Binarizer
    >>> Binarizer().transform([[0.0, 3.0, 1.0], [2.0, 0.0, 0.0]])
    array([[0., 1., 1.],
           [1., 0., 0.]])
    """

    threshold: float = param(real(), default=0.0)
    copy: bool = param(flag, default=True)

    def transform(self, X: Rows, copy: bool | None = None) -> Any:
        """Compare the samples with the threshold.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.
        copy : bool, optional
            Kept for scikit-learn's sake: input is never modified.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            Zeros and ones: float32 for float32 rows, else float64; the table asked for by
            `set_output`.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, has other columns than the samples of ``fit``, or is
            sparse and the threshold negative.
        """
        rows = self._rows(X)
        if not is_sparse(rows):
            return (rows > self.threshold).astype(rows.dtype)
        if self.threshold < 0.0:
            raise ValueError(
                "Cannot binarize a sparse matrix with threshold < 0, as zeros would become ones; "
                f"got {self.threshold:g}. Pass X.toarray()."
            )
        out = rows.copy()
        out.data = (rows.data > self.threshold).astype(np.float64)
        out.eliminate_zeros()
        return like_sparse(X, out)


def as_keywords(value: Any, name: str) -> Any:
    """Check the further arguments of a function, by name; None are none."""
    if value is not None and not isinstance(value, Mapping):
        raise wrong_type(name, "a dictionary of arguments, or None", value)
    return value


class FunctionTransformer(Transformer, Estimator):
    """A function of the samples as a transformer.

    Parameters
    ----------
    func : callable, optional
        Called with X; None leaves X as it is.
    inverse_func : callable, optional
        Called by ``inverse_transform``; None leaves X as it is.
    validate : bool, default=False
        Check X, which reaches the functions as a 2-d array of finite numbers, and remember its
        columns; without it they get what the caller passed.
    accept_sparse : bool, default=False
        With `validate`: let sparse matrices pass, as CSR.
    check_inverse : bool, default=True
        Warn by ``fit`` if `inverse_func` does not give every hundredth row back.
    feature_names_out : callable or "one-to-one", optional
        Names of the columns of the result: those of X, or what is returned by a function of the
        transformer and the names of X. None: `get_feature_names_out` is not there.
    kw_args, inv_kw_args : dict, optional
        More arguments of `func` and of `inverse_func`.

    Attributes
    ----------
    n_features_in_ : int
        Number of features, if X has two dimensions.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit`` with `validate`: if X is not a 2-d array of finite numbers.

    See Also
    --------
    statfast.preprocessing.StandardScaler : Scales columns by what it learns of them.

    Notes
    -----
    Nothing is learned, and ``transform`` needs no ``fit``. A lambda cannot be pickled.

    References
    ----------
    Tukey 1977, Exploratory Data Analysis, chapter 3 (re-expression).

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import FunctionTransformer
    >>> model = FunctionTransformer(np.log1p, inverse_func=np.expm1, feature_names_out="one-to-one")
    >>> logs = model.fit_transform(np.array([[0.0, np.e - 1.0]]))
    >>> logs
    array([[0., 1.]])
    >>> model.inverse_transform(logs).round(3)
    array([[0.   , 1.718]])
    """

    func: Callable[..., Any] | None = param(callable_ | one_of(None), default=None, kw_only=False)
    inverse_func: Callable[..., Any] | None = param(
        callable_ | one_of(None), default=None, kw_only=False
    )
    validate: bool = param(flag, default=False)
    accept_sparse: bool = param(flag, default=False)
    check_inverse: bool = param(flag, default=True)
    feature_names_out: Callable[..., Any] | Literal["one-to-one"] | None = param(
        callable_ | one_of("one-to-one", None), default=None
    )
    kw_args: Mapping[str, Any] | None = param(checked_by(as_keywords, None, {}), default=None)
    inv_kw_args: Mapping[str, Any] | None = param(checked_by(as_keywords, None, {}), default=None)

    def fit(self, X: Any, y: object = None) -> Self:
        """Check the parameters, and whether one function undoes the other.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Samples; anything that the functions take, without `validate`.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : FunctionTransformer
        """
        rows = self._validated(X)
        if self.check_inverse and self.func is not None and self.inverse_func is not None:
            self._try_inverse(rows)
        shape = getattr(rows, "shape", None)
        if shape is None:
            shape = to_array(rows, "X", "an array-like of shape (n, d)").shape
        width = shape[1] if len(shape) == 2 else 1
        return self._publish(X if len(shape) == 2 else np.empty((1, 1)), n_features_in_=width)

    def transform(self, X: Any) -> Any:
        """Call the function with X.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples; anything that the function takes, without `validate`.

        Returns
        -------
        object
            What the function returns; an array as the table asked for by `set_output`.

        Raises
        ------
        ValueError
            With `validate`: if X is not a 2-d array of finite numbers, or has other columns than
            the samples of ``fit``.
        """
        return self._called(self.func, self._validated(X, later=True), self.kw_args)

    def inverse_transform(self, X: Any) -> Any:
        """Call the inverse function with X.

        Parameters
        ----------
        X : array-like of shape (m, k)
            What the function returned.

        Returns
        -------
        object
            What the inverse function returns.

        Raises
        ------
        ValueError
            With `validate`: if X is not a 2-d array of finite numbers.
        """
        return self._called(self.inverse_func, self._validated(X), self.inv_kw_args)

    @staticmethod
    def _called(function: Callable[..., Any] | None, X: Any, more: Any) -> Any:
        return X if function is None else function(X, **(more or {}))

    def _validated(self, X: Any, later: bool = False) -> Any:
        self._checked()
        if not self.validate:
            return X
        if is_sparse(X) and self.accept_sparse:
            return as_csr(X)
        if later and self.__sklearn_is_fitted__():
            return rows_for(self, X)
        return as_rows(X)

    def _try_inverse(self, rows: Any) -> None:
        """Warn if the functions do not undo each other on some rows."""
        chosen = slice(None, None, ROWS_BETWEEN_TESTS)
        some = rows.iloc[chosen] if hasattr(rows, "iloc") else rows[chosen]
        back = self._called(
            self.inverse_func, self._called(self.func, some, self.kw_args), self.inv_kw_args
        )
        before, after = _as_numbers(some), _as_numbers(back)
        if before is None or after is None:
            return
        if before.shape != after.shape or not np.allclose(before, after, equal_nan=True):
            warn_user(
                "The provided functions are not strictly inverse of each other. If you are sure "
                "you want to proceed regardless, set 'check_inverse=False'."
            )

    def _has_names(self) -> None:
        if self.feature_names_out is None:
            raise AttributeError(
                "get_feature_names_out needs names, and feature_names_out is None: pass "
                "'one-to-one' or a function."
            )

    @available(_has_names)
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the columns of the result.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; None takes those of the fit. They must be the same, where it had
            names.

        Returns
        -------
        ndarray of str
        """
        return super().get_feature_names_out(input_features)

    def _named(self, names: list[str]) -> Any:
        rule = self.feature_names_out
        return rule(self, np.asarray(names, dtype=object)) if callable(rule) else names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.no_validation = not self.validate
        tags.input_tags.sparse = not self.validate or self.accept_sparse
        return tags


def _as_numbers(table: Any) -> Array | None:
    """A table as numbers; None where it holds others."""
    values = as_sparse(table).toarray() if is_sparse(table) else np.asarray(table)
    return values.astype(np.float64) if values.dtype.kind in "biuf" else None
