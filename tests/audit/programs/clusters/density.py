# SPDX-License-Identifier: BSD-3-Clause
"""Dense regions of moons; points that belong to none."""

import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler

X = StandardScaler().fit_transform(make_moons(250, noise=0.08, random_state=4)[0])
for eps in (0.1, 0.2, 0.3):
    model = DBSCAN(eps=eps, min_samples=6).fit(X)
    print(eps, len(set(model.labels_) - {-1}), int((model.labels_ == -1).sum()))
print(np.bincount(DBSCAN(eps=0.3, metric="manhattan").fit_predict(X) + 1))
