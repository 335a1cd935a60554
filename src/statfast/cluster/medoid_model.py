# SPDX-License-Identifier: BSD-3-Clause
"""What the estimators have in common whose clusters are the rows nearest to a medoid."""

import numpy as np

from statfast._base import Clusterer, Estimator, Transformer
from statfast._errors import ConvergenceWarning, warn_user
from statfast._extent import scale_of
from statfast._validation import rows_for
from statfast.cluster.nearest_medoid import distances_to, nearest_to


class Medoids(Transformer, Clusterer, Estimator):
    """Base of the estimators that have ``medoid_indices_``, each row being with the nearest."""

    def predict(self, X):
        """Find the nearest medoid of each row.

        Parameters
        ----------
        X : array-like of shape (m, d), or (m, n) if precomputed
            Finite rows; or the dissimilarities from each to the n fitted rows.

        Returns
        -------
        labels : ndarray of shape (m,), int32
            Index of the nearest medoid, the lowest on ties.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        """
        return nearest_to(rows_for(self, X), *self._asked, self.n_jobs)[0]

    def transform(self, X):
        """Compute the dissimilarity of each row to each medoid.

        Parameters
        ----------
        X : array-like of shape (m, d), or (m, n) if precomputed

        Returns
        -------
        dissimilarities : ndarray of shape (m, k)
            float32 if X is float32, else float64.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        """
        return distances_to(rows_for(self, X), *self._asked, self.n_jobs)

    @property
    def _asked(self):
        """What rows are compared with: the medoids, and the metric; or their columns, and None."""
        if self._metric is None:
            return self.medoid_indices_, None
        return self.cluster_centers_, self._metric

    @property
    def _n_features_out(self):
        return len(self.medoid_indices_)


def moderate_weights(weights):
    """Weights times a power of two, so that what they weigh stays in range; and that factor."""
    if weights is None:
        return None, 1.0
    scale = scale_of(float(weights.max()))
    return weights * scale, scale


def medoid_silhouette(near, second, weights):
    """The mean of 1 - near / second, by weight; 0 / 0 counts as 1."""
    ratio = np.ones(len(near))
    np.divide(near, second, out=ratio, where=second > 0)
    return float(np.average(1 - ratio, weights=weights))


def warn_empty(labels, k):
    """Warn if some of the clusters hold no row."""
    found = np.count_nonzero(np.bincount(labels, minlength=k))
    if found < k:
        warn_user(
            f"Only {found} of {k} clusters hold any row: others have a medoid like that of a "
            "cluster before. Lower n_clusters if X has fewer distinct rows than that, else choose "
            "another init.",
            ConvergenceWarning,
        )
