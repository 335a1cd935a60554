# SPDX-License-Identifier: BSD-3-Clause
"""
HDBSCAN: clusters that persist over densities
=============================================

Clusters of different density have no common radius. HDBSCAN follows them from sparse to dense, and
takes those that persist.
"""

# %%
# Three groups of rows, each denser than the one before, and rows anywhere.

import matplotlib.pyplot as plt
import numpy as np

from statfast import HDBSCAN
from statfast.plot import clusters, condensed_tree, reachability

rng = np.random.default_rng(0)
groups = [rng.normal(center, spread, (150, 2)) for center, spread in ((0, 1.2), (5, 0.5), (8, 0.1))]
X = np.concatenate([*groups, rng.uniform(-4, 12, (60, 2))])
model = HDBSCAN(min_cluster_size=20).fit(X)

# %%
# :func:`statfast.plot.condensed_tree` draws how clusters lose rows as the density rises, and where
# they divide; the area of a cluster is its stability. :func:`statfast.plot.reachability` draws the
# distance at which each row is joined to the one before it: valleys are clusters.

figure, axes = plt.subplots(1, 3, figsize=(10, 3), dpi=110, layout="constrained")
clusters(X, model, ax=axes[0], point_size=6)
condensed_tree(model, ax=axes[1])
reachability(model, ax=axes[2])
axes[1].set(yscale="symlog", title="condensed tree")
axes[0].set(title="clusters, and noise (-1)")
axes[2].set(title="reachability")

# %%
# What the rows belong to, how firmly, and where new rows would join.

print("rows of clusters:", np.bincount(model.labels_ + 1)[1:], "noise:", (model.labels_ < 0).sum())
labels, probabilities = model.approximate_predict([[5.0, 5.5], [8.0, 8.0], [0.0, 9.0]])
print("new rows:", labels, probabilities.round(2))

plt.show()
