# SPDX-License-Identifier: BSD-3-Clause
"""Ellipsoids of equal density, by the probability within."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array, Rows
from statfast._validation import as_count, as_rows


@dataclass(frozen=True, eq=False)
class NormalEllipsoid:
    """Ellipsoid of equal density: squared Mahalanobis distance at most `radius2`.

    Attributes
    ----------
    content : float
        Probability of the normal distribution within.
    radius2 : float
        The quantile of chi-square with r degrees of freedom at `content`.
    center : ndarray of shape (d,)
        Center.
    directions : ndarray of shape (d, r)
        Unit vectors along the axes, the longest first.
    half_axes : ndarray of shape (r,)
        Half the lengths of the axes, descending.
    whitener : ndarray of shape (r, d)
        The map under which the ellipsoid is a ball about its center.

    Examples
    --------
    >>> from statfast import MultivariateNormal
    >>> normal = MultivariateNormal.of([0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]])
    >>> ellipsoid = normal.ellipsoid(0.95)
    >>> ellipsoid.half_axes.round(3)
    array([4.895, 2.448])
    >>> ellipsoid.contains([[4.5, 0.0], [0.0, 4.5]])
    array([ True, False])
    """

    content: float
    radius2: float
    center: NDArray[np.float64]
    directions: NDArray[np.float64]
    half_axes: NDArray[np.float64]
    whitener: NDArray[np.float64]

    @property
    def log_volume(self) -> float:
        """Logarithm of the r-dimensional volume."""
        r = len(self.half_axes)
        ball = 0.5 * r * log(pi) - lgamma(0.5 * r + 1.0)
        return float(ball + np.log(self.half_axes).sum())

    def contains(self, X: Rows) -> Array:
        """Return which samples lie within.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        within : ndarray of shape (m,), bool
            Of an ellipsoid of lower rank, whether the projections on its subspace do.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with d columns.
        """
        rows = as_rows(X)
        if rows.shape[1] != len(self.center):
            raise ValueError(
                f"X must have {len(self.center)} columns; got {rows.shape[1]}. Pass those of fit."
            )
        with np.errstate(over="ignore", invalid="ignore"):  # beyond float64 is beyond the ellipsoid
            away = (rows - self.center) @ self.whitener.T
            return (away**2).sum(axis=1) <= self.radius2

    def outline(self, n_points: int = 200) -> Array:
        """Return points along the boundary of an ellipse.

        Parameters
        ----------
        n_points : int, default=200
            Number of points.

        Returns
        -------
        points : ndarray of shape (n_points, 2)
            On the boundary; the last is the first.

        Raises
        ------
        ValueError
            If there are not two columns.
        """
        n_points = as_count(n_points, "n_points", 3)
        if len(self.center) != 2:
            raise ValueError(
                f"An outline needs 2 columns; got {len(self.center)}. Take the marginal of two."
            )
        angle = np.linspace(0.0, 2.0 * pi, n_points)
        circle = np.stack([np.cos(angle), np.sin(angle)])[: len(self.half_axes)]
        return self.center + (self.directions * self.half_axes @ circle).T
