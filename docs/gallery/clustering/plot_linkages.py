# SPDX-License-Identifier: BSD-3-Clause
"""
Linkages of hierarchical clustering
===================================

The linkage says how near two clusters are. Single linkage follows chains, complete and Ward's
linkage find compact clusters, average linkage lies between.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import cut_tree, linkage
from statfast.plot import clusters, dendrogram

rng = np.random.default_rng(2)
angle = rng.uniform(0, np.pi, 240)
half = np.repeat([0, 1], 120)
moons = np.column_stack([np.cos(angle) + half, np.sin(angle)])
moons[half == 1, 1] = 0.4 - moons[half == 1, 1]
clouds = rng.standard_normal((240, 2)) + 3 * half[:, None]
methods = ("single", "complete", "average", "ward", "centroid")

figure, panels = plt.subplots(2, 5, figsize=(11, 4.6), layout="constrained")
for X, row in zip((moons + 0.08 * rng.standard_normal((240, 2)), clouds), panels, strict=True):
    for ax, method in zip(row, methods, strict=True):
        clusters(X, cut_tree(linkage(X, method), 2), ax=ax, point_size=6)
        ax.get_legend().remove()
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
for ax, method in zip(panels[0], methods, strict=True):
    ax.set_title(method)
panels[0, 0].set_ylabel("moons")
panels[1, 0].set_ylabel("clouds")

# %%
# The trees of the clouds by single linkage, with its chain of single samples, and by Ward's.

figure, panels = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
for ax, method in zip(panels, ("single", "ward"), strict=True):
    dendrogram(linkage(clouds, method), n_clusters=2, ax=ax)
    ax.set(title=method, xlabel="samples")

plt.show()
