# SPDX-License-Identifier: BSD-3-Clause
"""
Clusters and their silhouettes
==============================

k-means places centers, k-medoids names samples. Silhouettes tell how well each sample lies within
its cluster: those below 0 are nearer to another one.
"""

import matplotlib.pyplot as plt

from statfast import KMeans, KMedoids
from statfast.datasets import load_iris
from statfast.plot import clusters, silhouette

iris = load_iris()
X = iris.data
models = {
    "k-means": KMeans(3, n_init=10, random_state=0).fit(X),
    "k-medoids, Manhattan distance": KMedoids(3, metric="manhattan").fit(X),
}
figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    clusters(X, model, columns=(2, 0), ax=ax)
    ax.set(title=name, xlabel="petal length (cm)", ylabel="sepal length (cm)")
    ax.label_outer()

# %%
# Three clusters and four: the fourth cuts one that belongs together, and the mean silhouette falls.

figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, k in zip(panels, (3, 4), strict=True):
    silhouette(X, KMeans(k, n_init=10, random_state=0).fit(X), ax=ax)

plt.show()
