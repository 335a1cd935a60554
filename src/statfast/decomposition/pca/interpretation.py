# SPDX-License-Identifier: BSD-3-Clause
"""What components mean: quality and contribution of rows and of columns."""

import numpy as np

from statfast._typing import Array, Attributes, Rows, Weights
from statfast._validation import as_weights, not_fitted


class Interpretation(Attributes):
    """The tables that R's FactoMineR gives with a principal component analysis."""

    def cos2(self, X: Rows) -> Array:
        """Return the squared cosines: how well each component represents each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, d)
            Samples.

        Returns
        -------
        cos2 : ndarray of shape (m, k)
            Squared cosine of the angle between a row, less the mean, and a component; 0 for the
            mean itself. The entries of a row sum to 1 if all components are kept.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        parts = []
        for scores, left in self._squares(self._rows(X)):
            squares = scores**2
            total = (squares.sum(axis=1) + left.sum(axis=1))[:, None]
            parts.append(np.divide(squares, total, out=np.zeros_like(squares), where=total > 0.0))
        return np.concatenate(parts)

    def contributions(self, X: Rows, sample_weight: Weights = None) -> Array:
        """Return the contribution of each sample to the variance of each component.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d)
            The rows of the fit.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples, those of the fit.

        Returns
        -------
        contributions : ndarray of shape (n, k)
            Weight times squared score over the sum of those of the fit: each column sums to 1 for
            the rows of the fit. FactoMineR shows a hundred times as much.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        rows = self._rows(X)
        weights = as_weights(sample_weight, rows.shape[0])
        squares = np.concatenate([scores**2 for scores, _ in self._squares(rows)])
        if weights is not None:
            squares *= weights[:, None]
        return self._over(squares, self.singular_values_**2)

    def variable_coordinates(self) -> Array:
        """Return the coordinates of the features on the components.

        Returns
        -------
        coordinates : ndarray of shape (d, k)
            Component times standard deviation of its scores: the covariance of a column with a
            standardized score. With ``correlation=True`` that is a correlation, and the points lie
            in the unit circle.
        """
        self._need_fit()
        return self.loadings_ * self.sdev_

    def variable_correlations(self) -> Array:
        """Return the correlations of the features with the scores.

        Returns
        -------
        correlations : ndarray of shape (d, k)
            Those of constant columns are 0.
        """
        self._need_fit()
        deviation = self._deviation / (1.0 if self.scale_ is None else self.scale_)
        return self._over(self.variable_coordinates().T, deviation).T

    def variable_cos2(self) -> Array:
        """Return the squared cosines of the features: how well components represent them.

        Returns
        -------
        cos2 : ndarray of shape (d, k)
            Squared correlations.
        """
        return self.variable_correlations() ** 2

    def variable_contributions(self) -> Array:
        """Return the contribution of each feature to each component.

        Returns
        -------
        contributions : ndarray of shape (d, k)
            Squared components: each column sums to 1. FactoMineR shows a hundred times as much.
        """
        self._need_fit()
        return self.loadings_**2

    @staticmethod
    def _over(table, divisor):
        """The columns of a table by a divisor each, 0 where that is 0."""
        return np.divide(table, divisor, out=np.zeros_like(table), where=divisor > 0.0)

    def _need_fit(self):
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
