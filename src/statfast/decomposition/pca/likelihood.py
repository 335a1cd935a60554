# SPDX-License-Identifier: BSD-3-Clause
"""Principal components as a normal density, and the table of their importance."""

import numpy as np

from statfast._estimator import CoefficientTable, Summary
from statfast._typing import Array, Attributes, Rows
from statfast._validation import not_fitted


class ProbabilisticComponents(Attributes):
    """Probabilistic PCA: components, and noise alike in all other directions.

    Tipping & Bishop 1999, doi:10.1111/1467-9868.00196.
    """

    def get_covariance(self) -> Array:
        """Return the covariance of the model: components, and noise alike in all directions.

        It is that of rows, whether scores are whitened or not.

        Returns
        -------
        covariance : ndarray of shape (d, d)
            ``V' diag(explained_variance - noise) V + noise I``, in the units of X.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        excess = (self.explained_variance_ - self.noise_variance_).clip(0.0)
        covariance = (self.components_.T * excess) @ self.components_
        covariance[np.diag_indices(len(covariance))] += self.noise_variance_
        if self.scale_ is not None:
            covariance *= self.scale_[:, None] * self.scale_
        return covariance

    def get_precision(self) -> Array:
        """Return the inverse of `get_covariance`.

        Returns
        -------
        precision : ndarray of shape (d, d)

        Raises
        ------
        ValueError
            If that is singular: no noise, and fewer components than columns.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        noise, d = self._noise(), self.n_features_in_
        within = 1.0 / np.maximum(self.explained_variance_, noise)
        if noise > 0.0:
            precision = (self.components_.T * (within - 1.0 / noise)) @ self.components_
            precision[np.diag_indices(d)] += 1.0 / noise
        else:
            precision = (self.components_.T * within) @ self.components_
        if self.scale_ is not None:
            precision /= self.scale_[:, None] * self.scale_
        return precision

    def _noise(self):
        """The noise, after checking that the model has a density."""
        k, d = self.components_.shape
        spread = self.explained_variance_
        if (k < d and not self.noise_variance_ > 0.0) or not spread[-1:].min(initial=1.0) > 0.0:
            raise ValueError(
                "The rows of the fit do not vary in all directions, so that the model's covariance "
                "is singular and has no density. Fit fewer components, or drop columns."
            )
        return float(self.noise_variance_) if k < d else 0.0

    def score_samples(self, X: Rows) -> Array:
        """Return the log-likelihood of each sample under probabilistic PCA.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, d)
            Samples.

        Returns
        -------
        log_likelihood : ndarray of shape (m,)

        Raises
        ------
        ValueError
            As for `transform`, and if the covariance of the model is singular.
        """
        rows = self._rows(X)
        noise, (k, d) = self._noise(), self.components_.shape
        spread = np.maximum(self.explained_variance_, noise)
        log_det = np.log(spread).sum() + ((d - k) * np.log(noise) if k < d else 0.0)
        if self.scale_ is not None:
            log_det += 2.0 * np.log(self.scale_).sum()
        parts = []
        for scores, left in self._squares(rows):
            distance = (scores**2 / spread).sum(axis=1)
            if k < d:
                distance += left.sum(axis=1) / noise
            parts.append(distance)
        return -(np.concatenate(parts) + d * np.log(2.0 * np.pi) + log_det) / 2.0

    def score(self, X: Rows, y: object = None) -> float:
        """Return the mean log-likelihood of the samples under probabilistic PCA.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, d)
            Test samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        return float(self.score_samples(X).mean())

    def summary(self) -> Summary:
        """Return the importance of the components, as R's ``summary(prcomp(x))``.

        Returns
        -------
        Summary
            Standard deviation, fraction of the variance, and their sum, for each component.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        share = self.explained_variance_ratio_
        columns = {
            "Std. dev.": np.sqrt(self.explained_variance_),
            "Share": share,
            "Cumulative": np.cumsum(share),
        }
        facts = [
            ("Rows", self.n_samples_),
            ("Columns", self.n_features_in_),
            ("Components", len(share)),
            ("Scaled", "no" if self.scale_ is None else "yes"),
        ]
        names = [f"PC{j + 1}" for j in range(len(share))]
        return Summary("Principal components", facts, CoefficientTable(names, columns))
