# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twin of nearest shrunken centroids (Tibshirani et al. 2002), a class at a time."""

import numpy as np


def shrunken_centroids(X, codes, n_classes, threshold=0.0, medians=False):
    """Centroids (K, d), shrunken deviations (K, d) and standard deviations within classes (d,)."""
    n, d = X.shape
    center = np.median if medians else np.mean
    centroids = np.array([center(X[codes == k], axis=0) for k in range(n_classes)])
    within = np.sqrt(sum((X[i] - centroids[codes[i]]) ** 2 for i in range(n)) / (n - n_classes))
    overall, deviations = X.mean(axis=0), np.zeros((n_classes, d))
    for k in range(n_classes):
        m = np.sqrt(1.0 / (codes == k).sum() - 1.0 / n)
        for j in range(d):
            error = m * (within[j] + np.median(within))
            t = (centroids[k, j] - overall[j]) / error
            deviations[k, j] = np.sign(t) * max(abs(t) - threshold, 0.0)
            if threshold:
                centroids[k, j] = overall[j] + error * deviations[k, j]
    return centroids, deviations, within


def scores(Q, centroids, within, priors):
    """Discriminant scores (m, K), with the factor 2 of scikit-learn."""
    return np.array(
        [
            [
                -(((q - c) / within) ** 2).sum() + 2.0 * np.log(p)
                for c, p in zip(centroids, priors, strict=True)
            ]
            for q in Q
        ]
    )
