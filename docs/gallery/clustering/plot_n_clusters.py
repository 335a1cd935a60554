# SPDX-License-Identifier: BSD-3-Clause
"""
How many clusters?
==================

Sums within clusters always fall as clusters are added; silhouettes and the gap statistic have a
best number. On four clouds of samples all agree.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import choose_n_clusters, cluster_stability
from statfast.plot import elbow, gap

rng = np.random.default_rng(0)
centers = np.array([[0, 0], [5, 0], [0, 5], [5, 5]])
X = np.concatenate([center + rng.standard_normal((40, 2)) for center in centers])
found = choose_n_clusters(X, ks=range(1, 8), criterion="gap", n_boot=10, random_state=0)
print(found)

figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
elbow(found, "within", ax=panels[0])
elbow(found, "silhouette", ax=panels[1])
gap(found, ax=panels[2])

# %%
# Clusters that come back when the data are resampled are stable: four do, of five not all.

figure, panels = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
for ax, k in zip(panels, (4, 5), strict=True):
    cluster_stability(X, n_clusters=k, n_boot=30, random_state=0).plot(ax=ax)
    ax.set_title(f"{k} clusters")

plt.show()
