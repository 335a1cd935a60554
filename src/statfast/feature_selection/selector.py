# SPDX-License-Identifier: BSD-3-Clause
"""What selectors of columns have in common: their mask, and rows of the columns that it marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    ROW_DTYPES,
    CoefficientTable,
    Summary,
    Transformer,
    is_frame,
    output_container,
)
from statfast._typing import Array, Rows
from statfast._validation import (
    as_flag,
    as_rows,
    as_sparse,
    is_sparse,
    not_fitted,
    rows_for,
    warn_user,
)


class FeatureSelector(Transformer):
    """Mixin: a transformer that keeps some of the columns as they are.

    A subclass gives `_support`, and `_table` if it has numbers for each column.
    """

    _takes_missing = False  # Whether NaN is let through.

    def _support(self) -> NDArray[np.bool_]:
        """The columns that are kept, (d,), of a fitted selector."""
        raise NotImplementedError

    def _table(self) -> tuple[Sequence[tuple[str, object]], dict[str, Array], Array]:
        """Facts, columns of the summary, and the order of the features in it."""
        raise NotImplementedError

    def _as_fitted(self) -> Any:
        """The fitted selector: itself."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self

    def get_support(self, indices: bool = False) -> Array:
        """Return which features are selected.

        Parameters
        ----------
        indices : bool, default=False
            Give places of features instead of a mask.

        Returns
        -------
        ndarray of bool, shape (d,), or of intp, shape (m,)
            Places ascend.
        """
        support: Array = self._as_fitted()._support()
        return np.flatnonzero(support) if as_flag(indices, "indices") else support

    def transform(self, X: Rows) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Samples.

        Returns
        -------
        ndarray or csr_array of shape (n, m)
            A copy of the columns: float32 or uint8 as they are, else float64; the table asked for
            by `set_output`, in which columns of such a table keep their types.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array of numbers with the columns of the fitted one.

        Warns
        -----
        UserWarning
            If no feature is selected.
        """
        model = self._as_fitted()
        finite = not model._takes_missing
        rows = rows_for(model, X, keep=ROW_DTYPES, finite=finite, sparse=True)
        places = np.flatnonzero(model._support())
        if not len(places):
            warn_user(
                f"{type(self).__name__} selected no features: rows without columns follow. Ask for "
                "more features, or a less strict test."
            )
        if is_sparse(X):
            return as_sparse(X)[:, places]
        if is_frame(X) and model._keeps_frame(X, output_container(self)):
            return _of_frame(X, places)
        return np.take(rows, places, axis=1)

    def _keeps_frame(self, X: Any, container: str) -> bool:
        """Whether a frame is of the kind that `set_output` asked for, with the names of the fit."""
        named = "feature_names_in_" in self.__dict__
        return named and type(X).__module__.partition(".")[0] == container

    def inverse_transform(self, X: Rows) -> Any:
        """Put the selected features back in their places, with zeros in those of the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, m)
            Samples of the selected features.

        Returns
        -------
        ndarray or csr_array of shape (n, d)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with a column for each selected feature.
        """
        support = self._as_fitted()._support()
        places = np.flatnonzero(support)
        rows: Any = as_sparse(X) if is_sparse(X) else as_rows(X, keep=ROW_DTYPES, finite=False)
        if rows.shape[1] != len(places):
            raise ValueError(
                f"X must have a column for each of the {len(places)} selected features; got "
                f"{rows.shape[1]}. Pass what transform gave."
            )
        if is_sparse(X):
            from scipy.sparse import csr_array

            return csr_array(
                (rows.data, places[rows.indices], rows.indptr), shape=(rows.shape[0], len(support))
            )
        out = np.zeros((len(rows), len(support)), rows.dtype)
        out[:, places] = rows
        return out

    def _named(self, names: list[str]) -> Any:
        return np.asarray(names, object)[self._as_fitted()._support()]

    def summary(self) -> Summary:
        """Return a table of the features, the best first.

        Returns
        -------
        Summary
            ``print`` shows text, a notebook HTML; ``to_frame()`` gives the numbers.
        """
        model = self._as_fitted()
        facts, columns, order = model._table()
        support = model._support()
        names = np.asarray(model._names_in(), object)
        columns = {**columns, "Selected": support.astype(float)}
        table = CoefficientTable(
            names[order].tolist(), {name: column[order] for name, column in columns.items()}
        )
        facts = [("Features", len(support)), ("Selected", int(support.sum())), *facts]
        return Summary(type(self).__name__, facts, table)


def best_first(scores: Array) -> NDArray[np.intp]:
    """Places of scores, the largest first, NaN last, equals in their order."""
    return np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")


def largest(scores: Array, count: int) -> NDArray[np.bool_]:
    """A mask of the largest scores, of equals the first; NaN is taken last."""
    mask = np.zeros(len(scores), bool)
    # NaN comes after minus infinity, too.
    mask[np.lexsort((np.arange(len(scores)), -scores))[:count]] = True
    return mask


def _of_frame(X: Any, places: Array) -> Any:
    """Columns of a data frame of pandas or polars, which keep their types."""
    return X.iloc[:, places] if hasattr(X, "iloc") else X[:, places.tolist()]
