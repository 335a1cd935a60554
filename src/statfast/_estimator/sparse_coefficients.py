# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients that a fitted linear classifier may keep as a sparse matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._typing import Array
from statfast._validation import is_sparse, not_fitted


class SparseCoefficients:
    """Mixin: ``coef_`` turns into a sparse matrix, and back into an array."""

    __sklearn_is_fitted__: Callable[..., Any]

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a sparse matrix, for a model with few of them that are not zero.

        Predictions do not change, nor do they become faster; a pickle becomes smaller.

        Returns
        -------
        self
        """
        from scipy.sparse import csr_array

        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        self.coef_ = csr_array(self._coefs)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array, as it is after ``fit``.

        Returns
        -------
        self
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        self.coef_ = self._coefs
        return self

    @property
    def _coefs(self) -> Array:
        """The coefficients as an array of shape (1, d) or (K, d), with all their digits."""
        coef = vars(self)["coef_"]
        return coef.toarray() if is_sparse(coef) else np.asarray(coef)
