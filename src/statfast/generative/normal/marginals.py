# SPDX-License-Identifier: BSD-3-Clause
"""Distributions that follow from a normal one: marginal, conditional, and under affine maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, cast

import numpy as np

from statfast._estimator import fitted
from statfast._typing import Array, ArrayLike
from statfast._validation import as_rows, not_fitted, shown, to_array, wrong_type
from statfast.generative.normal.normal_fit import NormalFit, attributes_of_covariance


class DerivedNormals(NormalFit):
    """Distributions that follow from a `MultivariateNormal`."""

    # What subclasses declare, or a fit sets.
    tol: float = fitted()

    mean_: Array = fitted()
    covariance_: Any = fitted()
    _parts: Any = fitted()

    def _with_moments(self, mean: Array, matrix: Array, names: Array | None = None) -> Self:
        """Become fitted with a mean and a covariance."""
        d = len(mean)
        named = {} if names is None else {"feature_names_in_": names}
        return self._publish(
            None, **named, n_features_in_=d, n_samples_=0.0, shrinkage_=0.0,
            n_parameters_=d + d * (d + 1) // 2,
            **attributes_of_covariance(self, mean, matrix, np.zeros(d), names),
        )  # fmt: skip

    def marginal(self, columns: Sequence[int] | str) -> Self:
        """Return the distribution of some features.

        Parameters
        ----------
        columns : sequence of int or str
            Which, by number or by name.

        Returns
        -------
        MultivariateNormal

        Raises
        ------
        ValueError
            If there are none, or one is not among the columns.
        """
        kept = self._places(columns)
        return self._like(self.mean_[kept], self.covariance_[np.ix_(kept, kept)], kept)

    def conditional(self, columns: Sequence[int] | str, values: ArrayLike) -> Self:
        """Return the distribution of all other features, given the values of some.

        Parameters
        ----------
        columns : sequence of int or str
            Which are given, by number or by name.
        values : array-like of shape (c,)
            Their values.

        Returns
        -------
        MultivariateNormal
            Of the other columns, in their order.

        Raises
        ------
        ValueError
            If all columns are given, one is not among them, or the values are impossible where
            the covariance is singular.
        """
        fixed = self._places(columns)
        rest = np.setdiff1d(np.arange(len(self.mean_)), fixed)
        if len(rest) == 0:
            raise ValueError("columns must leave some for the distribution; got all. Give fewer.")
        away = as_finite_vector(values, len(fixed), "values") - self.mean_[fixed]
        base = self._like(self.mean_[fixed], self.covariance_[np.ix_(fixed, fixed)], fixed)
        if base.rank_ < len(fixed) and base._is_off_subspace(away[None] + base.mean_)[0]:
            raise ValueError(
                "values have density 0: they lie off the subspace in which their columns vary. "
                "Give values that occur."
            )
        whitened = self.covariance_[np.ix_(rest, fixed)] @ base._parts.whitener.T
        mean = self.mean_[rest] + whitened @ (base._parts.whitener @ away)
        matrix = self.covariance_[np.ix_(rest, rest)] - whitened @ whitened.T
        return self._like(mean, matrix, rest)

    def affine(self, A: ArrayLike, shift: ArrayLike = 0.0) -> Self:
        """Return the distribution of shift + A x.

        Parameters
        ----------
        A : array-like of shape (m, d)
            Matrix of the linear map.
        shift : array-like of shape (m,) or float, default=0.0
            Added after the map.

        Returns
        -------
        MultivariateNormal
            With mean shift + A mean and covariance A S A'.

        Raises
        ------
        ValueError
            If A has not d columns, or the covariance of the result is singular and that is not
            allowed, as with more rows than columns.
        """
        self._require_fitted()
        map_ = as_rows(A, name="A", keep=(np.float64,))
        if map_.shape[1] != len(self.mean_):
            raise ValueError(
                f"A must have {len(self.mean_)} columns; got {map_.shape[1]}. Pass (m, d)."
            )
        moved = to_array(shift, "shift", "a number, or a list of them")
        moved = np.broadcast_to(moved, map_.shape[:1]) if moved.ndim == 0 else moved
        with np.errstate(over="ignore", invalid="ignore"):
            mean = as_finite_vector(moved, map_.shape[0], "shift") + map_ @ self.mean_
            factor = map_ @ self._parts.factor
            matrix = factor @ factor.T
        if not (np.isfinite(mean).all() and np.isfinite(matrix).all()):
            raise ValueError("A or shift holds values so large that products overflow. Rescale it.")
        return self._like(mean, matrix, None)

    def _like(self, mean: Any, matrix: Array, columns: Any) -> Any:
        """A distribution with the parameters of this one."""
        names = self.__dict__.get("feature_names_in_")
        names = None if names is None or columns is None else names[columns]
        model = cast(Any, type(self))(
            allow_singular=self.allow_singular, tol=self.tol, n_jobs=self.n_jobs
        )
        return model._with_moments(mean, matrix / 2.0 + matrix.T / 2.0, names)

    def _places(self, columns: Any) -> Any:
        """Numbers of columns given by number or name."""
        self._require_fitted()
        labels = to_array(columns, "columns", "a list of columns")
        if labels.ndim != 1:
            raise wrong_type("columns", "a list of columns", columns)
        names = self.__dict__.get("feature_names_in_")
        known = {} if names is None else {name: j for j, name in enumerate(names.tolist())}
        places, d = [], len(self.mean_)
        for column in labels.tolist():
            place = known.get(column) if isinstance(column, str) else column
            if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < d:
                raise ValueError(
                    f"columns must be numbers below {d}, or names of columns; got {shown(column)}. "
                    "Leave it out."
                )
            places.append(place)
        if not places or len(set(places)) < len(places):
            raise ValueError(f"columns must be distinct, and at least one; got {shown(columns)}.")
        return np.array(places, np.intp)

    def _require_fitted(self) -> None:
        if "_parts" not in self.__dict__:
            raise not_fitted(self)


def as_finite_vector(values: Any, d: int, name: str) -> Array:
    """d finite numbers."""
    wanted = np.atleast_1d(to_array(values, name, f"a list of {d} numbers"))
    if wanted.shape != (d,):
        raise ValueError(f"{name} must hold {d} numbers; got shape {wanted.shape}. Pass as many.")
    return as_rows(wanted[None], name=name, keep=(np.float64,))[0].copy()
