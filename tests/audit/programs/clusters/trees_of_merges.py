# SPDX-License-Identifier: BSD-3-Clause
"""Four linkages of the same points, and the merges of one of them."""

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs

X, _ = make_blobs(90, centers=3, cluster_std=1.2, random_state=8)
for linkage in ("ward", "complete", "average", "single"):
    labels = AgglomerativeClustering(3, linkage=linkage).fit_predict(X)
    print(linkage, sorted(np.bincount(labels).tolist()))
tree = AgglomerativeClustering(n_clusters=None, distance_threshold=6.0).fit(X)
print(tree.n_clusters_, tree.distances_[-3:].round(3))
