# SPDX-License-Identifier: BSD-3-Clause
"""K-means of blobs for several numbers of clusters, and how well they are told apart."""

from sklearn.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

X, truth = make_blobs(300, centers=4, cluster_std=0.8, random_state=2)
for n_clusters in (2, 3, 4, 5):
    labels = KMeans(n_clusters, n_init=5, random_state=0).fit_predict(X)
    print(n_clusters, round(silhouette_score(X, labels), 2))
for model in (MiniBatchKMeans(4, random_state=0), BisectingKMeans(4, random_state=0)):
    print(round(adjusted_rand_score(truth, model.fit(X).labels_), 1))
