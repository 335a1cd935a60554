# SPDX-License-Identifier: BSD-3-Clause
"""Weights of terms: how often in a document, and in how few documents."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import Estimator, fitted, flag, one_of, param
from statfast._typing import Array, ArrayLike, Matrix, Rows, Weights
from statfast._validation import (
    as_csr,
    as_rows,
    as_weights,
    column_names,
    compare_names,
    compress_rows,
    is_sparse,
    not_fitted,
    require_width,
    to_array,
)

_MIN_SIZE, _MAX_SIZE = 1e-140, 1e140  # values between have squares that neither vanish nor overflow


class TfidfTransformer(Estimator):
    """Term frequency times inverse document frequency (tf-idf) of counts.

    Parameters
    ----------
    norm : {"l1", "l2"} or None, default="l2"
        Divide each row by the sum of its sizes, or its length; None leaves it.
    use_idf : bool, default=True
        Multiply each column by its `idf_`.
    smooth_idf : bool, default=True
        Count one more document, which has every term, so that no idf is infinite.
    sublinear_tf : bool, default=False
        1 + log(count) in place of the count.

    Attributes
    ----------
    idf_ : ndarray of shape (d,)
        log((n + 1) / (documents with the term + 1)) + 1, without the ones inside if not smooth,
        which is infinite for a term of no document. Only with `use_idf`.
    n_features_in_ : int
        Number of terms, d.
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    CountVectorizer : Makes the counts.

    Notes
    -----
    scikit-learn's transformer, with its defaults. A row of zeros stays one. Without smoothing, a
    term that no document has the idf infinity, and stays 0 where it is 0.

    Cost: one pass over the nonzeros.

    References
    ----------
    .. [1] Salton, G. and Buckley, C. (1988). Term-weighting approaches in automatic text retrieval.
       Information Processing and Management 24, 513-523.
       https://doi.org/10.1016/0306-4573(88)90021-0

    Examples
    --------
    >>> from statfast.text import TfidfTransformer
    >>> model = TfidfTransformer().fit([[3, 0, 1], [2, 0, 0], [3, 2, 0]])
    >>> model.idf_.round(4)
    array([1.    , 1.6931, 1.6931])
    >>> model.transform([[3, 0, 1]]).toarray().round(4)
    array([[0.8709, 0.    , 0.4915]])
    """

    norm: Literal["l1", "l2"] | None = param(one_of("l1", "l2", None), default="l2")
    use_idf: bool = param(flag, default=True)
    smooth_idf: bool = param(flag, default=True)
    sublinear_tf: bool = param(flag, default=False)

    idf_: Array = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Compute the document frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Counts.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the documents; an integer weight equals a repeated document.

        Returns
        -------
        self : TfidfTransformer

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, or a parameter is out of its range.
        """
        rows = self._rows_of(X)
        n, d = rows.shape
        weights = as_weights(sample_weight, n)
        if weights is not None:
            n, weights = weights.sum(), np.repeat(weights, np.diff(rows.indptr))
        fitted = {"n_features_in_": d}
        if self._checked_value("use_idf"):
            n_having = np.bincount(rows.indices, weights, minlength=d)
            smooth = self._checked_value("smooth_idf")
            fitted["idf_"] = inverse_document_frequencies(n_having, n, smooth)
        return self._publish(X, **fitted)

    def fit_transform(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Any:
        """Compute the document frequencies, and return the weighted counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        weights : scipy.sparse.csr_matrix of shape (n, d)
        """
        return self.fit(X, None, sample_weight).transform(X)

    def transform(self, X: Rows, copy: bool = True) -> Any:
        """Return the weighted counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.
        copy : bool, default=True
            Kept for scikit-learn's sake: input is never modified.

        Returns
        -------
        weights : scipy.sparse.csr_matrix of shape (m, d)

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one, is negative with
            `sublinear_tf`, or has a term whose weight is infinite.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        compare_names(self, X)
        rows = self._rows_of(X)
        require_width(self, rows)
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        return weighted_counts(rows, self.__dict__.get("idf_"), self._checked(), dtype)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the features, which are those of the counts.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; None takes those of the fit.

        Returns
        -------
        ndarray of str
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        names = self.__dict__.get("feature_names_in_")
        if input_features is not None:
            input_names = to_array(input_features, "input_features", "a list of names")
            input_names = np.atleast_1d(input_names.astype(object))
            if len(input_names) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(input_names)}"
                )
            return input_names
        if names is None:
            names = np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        return names

    def _rows_of(self, X: Any) -> Matrix:
        self._checked()
        column_names(X)
        if is_sparse(X):
            return as_csr(X)
        return compress_rows(np.asarray(as_rows(X), dtype=np.float64))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags


def inverse_document_frequencies(n_having: Any, n: int, smooth: Any) -> Any:
    """log(n / documents that have a term) + 1 of each term; `smooth` adds a document of all terms.

    A term that no document has weighs infinity if not smooth.
    """
    with np.errstate(divide="ignore"):
        return np.log((n + smooth) / (n_having + smooth)) + 1.0


def weighted_counts(rows: Any, idf: Any, params: Any, dtype: Any) -> Any:
    """Counts (n, d) in CSR form, weighted as `params` say, as scipy's sparse rows."""
    from scipy.sparse import csr_matrix

    values = rows.data.astype(dtype)
    if params.sublinear_tf:
        if (values < 0.0).any():
            raise ValueError(
                "X must not be negative with sublinear_tf=True, which takes logarithms; got "
                f"{values.min():g}. Pass counts, or sublinear_tf=False."
            )
        values = 1.0 + np.log(values, where=values > 0.0, out=np.full_like(values, -1.0))
    if idf is not None:
        weights = idf.astype(dtype)[rows.indices]
        if not np.isfinite(idf).all() and np.isinf(weights).any():
            raise ValueError(
                f"X has counts in column {rows.indices[np.isinf(weights).argmax()]}, which no "
                "document of the fit has, so that its weight is infinite. Set smooth_idf=True."
            )
        with np.errstate(over="ignore"):
            values = values * weights
        if np.isinf(values).any():
            raise ValueError("X holds values so large that idf times them overflows. Scale X.")
    if params.norm is not None:
        values = normalized(values, rows, params.norm)
    return csr_matrix((values, rows.indices.copy(), rows.indptr.copy()), shape=rows.shape)


def normalized(value: Array, rows: Matrix, norm: str) -> Array:
    """The values of sparse rows, divided by the norms of these."""
    stored = np.diff(rows.indptr)
    (some,) = stored.nonzero()
    starts = rows.indptr[some]
    scaled = value.astype(np.float64, copy=False)
    size = np.abs(scaled)
    if size.min(initial=1.0) < _MIN_SIZE or size.max(initial=1.0) > _MAX_SIZE:
        power = np.repeat(-np.frexp(np.maximum.reduceat(size, starts))[1], stored[some])
        scaled, size = np.ldexp(scaled, power), np.ldexp(size, power)
    total = np.add.reduceat(size if norm == "l1" else size * size, starts)
    total = total if norm == "l1" else np.sqrt(total)
    total[total == 0.0] = 1.0
    return (scaled / np.repeat(total, stored[some])).astype(value.dtype)
