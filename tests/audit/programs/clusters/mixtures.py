# SPDX-License-Identifier: BSD-3-Clause
"""Normal mixtures: shapes of covariance, and the number of components by BIC."""

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

X, _ = make_blobs(240, centers=[[0, 0], [5, 1], [1, 6]], random_state=3)
X[:, 0] *= 1.5
for shape in ("full", "tied", "diag", "spherical"):
    model = GaussianMixture(3, covariance_type=shape, tol=1e-8, random_state=0).fit(X)
    print(shape, round(model.bic(X), 1), np.sort(model.weights_).round(3))
print(model.predict_proba(X[:2]).max(axis=1).round(2), round(model.score(X), 4))
