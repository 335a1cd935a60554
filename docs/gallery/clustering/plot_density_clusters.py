# SPDX-License-Identifier: BSD-3-Clause
"""
DBSCAN: dense regions and noise
===============================

DBSCAN finds regions of any shape where samples are dense, and calls the rest noise. The distances
to the neighbors, sorted, show where to put its radius: below the bend samples are in clusters,
above it they are noise.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import DBSCAN, KMeans
from statfast.metrics import dbcv_score, silhouette_score
from statfast.plot import clusters, neighbor_distances

rng = np.random.default_rng(0)
angle = rng.uniform(0, np.pi, 300)
half = np.repeat([0, 1], 150)
moons = np.column_stack([np.cos(angle) + half, np.sin(angle)])
moons[half == 1, 1] = 0.4 - moons[half == 1, 1]
moons += 0.06 * rng.standard_normal((300, 2))
X = np.vstack([moons, rng.uniform([-1.4, -1.1], [2.4, 1.5], (40, 2))])

by_density = DBSCAN(eps=0.2, min_samples=6).fit(X)
by_means = KMeans(2, random_state=0).fit(X)

figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
neighbor_distances(X, 6, eps=0.2, ax=panels[0])
for ax, model in zip(panels[1:], (by_density, by_means), strict=True):
    clusters(X, model.labels_, ax=ax)
    widths = silhouette_score(X, model.labels_, noise_label=-1)
    validity = dbcv_score(X, model.labels_)
    ax.set_title(
        f"silhouette {widths:.2f}, density-based validity {validity:.2f}", fontsize="small"
    )
    ax.set(xlabel="", ylabel="")

# %%
# The silhouette prefers round clusters, and so the halves that k-means makes; the density-based
# validity compares the sparsest place inside a cluster with the way to the next.

plt.show()
