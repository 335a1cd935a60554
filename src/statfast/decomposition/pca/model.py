# SPDX-License-Identifier: BSD-3-Clause
"""Fitted components at work: scores, the way back, and the error of a compression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import ROW_DTYPES, Estimator, Transformer, fitted
from statfast._typing import Array, Matrix, Rows, Weights
from statfast._validation import (
    as_rows,
    as_weights,
    is_sparse,
    not_fitted,
    require_finite,
    rows_for,
)
from statfast.decomposition.components.krylov import project_rows


class ComponentModel(Transformer, Estimator):
    """What models of components have in common once they are fitted.

    They have `components_`, `mean_` and `scale_` (or None), and `_projection`, by whose rows
    centered rows are multiplied.
    """

    # What subclasses declare, or a fit sets.
    mean_: Any = fitted()
    _projection: Any = fitted()
    explained_variance_: Array = fitted()
    scale_: Any = fitted()

    components_: Array = fitted(follows_rows=True)

    def transform(self, X: Rows) -> Any:
        """Return the scores: coordinates of the samples along the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.

        Returns
        -------
        scores : ndarray of shape (m, k)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        return self._scores(self._rows(X))

    def _scores(self, rows: Matrix) -> Array:
        scores, finite = project_rows(rows, self.mean_, self._projection, self._threads())
        if not finite:
            if not is_sparse(rows):
                require_finite(rows)
            raise ValueError("X holds values so large that its scores overflow. Rescale it.")
        return scores

    def inverse_transform(self, X: Rows) -> Any:
        """Reconstruct samples from their scores.

        Parameters
        ----------
        X : array-like of shape (m, k)
            Scores, as `transform` gives them.

        Returns
        -------
        rows : ndarray of shape (m, d)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a column for each component.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        scores = as_rows(X)
        if scores.shape[1] != len(self.components_):
            raise ValueError(
                f"X must have a column for each of the {len(self.components_)} components; got "
                f"{scores.shape[1]}. Pass scores as transform returns them."
            )
        return self._restored(scores)

    def _restored(self, scores: Array) -> Array:
        back = vars(self)["components_"]
        if self._whitens():
            back = np.sqrt(self.explained_variance_)[:, None] * back
        if self.scale_ is not None:
            back = back * self.scale_
        rows = np.empty((len(scores), back.shape[1]), scores.dtype)
        for start in range(0, len(scores), 4096):
            checkpoint()
            where = slice(start, start + 4096)
            rows[where] = scores[where].astype(np.float64, copy=False) @ back + self.mean_
        return rows

    def reconstruction_error(self, X: Rows, sample_weight: Weights = None) -> float:
        """Return the mean squared reconstruction error.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
            The mean over rows of the sum over columns of squared differences; of standardized
            columns with ``correlation=True``. For the rows of the fit it is the variance of the
            components left out, times (n - 1) / n.

        Raises
        ------
        ValueError
            As for `transform`.
        """
        rows = self._rows(X)
        errors = np.concatenate([r.sum(axis=1) for _, r in self._squares(rows)])
        return float(np.average(errors, weights=as_weights(sample_weight, len(errors))))

    def _squares(self, rows: Matrix) -> Iterator[tuple[Array, Array]]:
        """Block by block, the scores and the squared residuals of standardized rows."""
        scale = 1.0 if self.scale_ is None else self.scale_
        V = vars(self)["components_"]
        for start in range(0, rows.shape[0], 2048):
            checkpoint()
            block = rows[start : start + 2048]
            block = block.toarray() if is_sparse(block) else np.asarray(block, np.float64)
            with np.errstate(over="ignore", invalid="ignore"):
                z = (block - self.mean_) / scale
                scores = z @ V.T
                residual = (z - scores @ V) ** 2
            if not np.isfinite(residual).all():
                require_finite(block)
                raise ValueError("X holds values so large that squares overflow. Rescale it.")
            yield scores, residual

    # ------------------------------------------------------------ inside

    def _rows(self, X: Any) -> Matrix:
        if "_projection" not in self.__dict__:
            raise not_fitted(self)
        return self._rows_like_fitted(X)

    def _rows_like_fitted(self, X: Any) -> Matrix:
        """Rows with the columns of those that were fitted, or are to be fitted with more."""
        return rows_for(self, X, keep=ROW_DTYPES, finite=False, sparse=True)

    def _threads(self) -> int | None:
        return getattr(self, "n_jobs", None)

    def _whitens(self) -> bool:
        return bool(getattr(self, "whiten", False))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_is_fitted__(self) -> bool:
        return "_projection" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
