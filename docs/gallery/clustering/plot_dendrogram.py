# SPDX-License-Identifier: BSD-3-Clause
"""
Ward's dendrogram of 150 irises
===============================

Ward linkage joins, at each step, the two clusters whose union adds least to the sum of squares
within clusters. The dendrogram shows all merges, and what a cut into three clusters gives.
"""

# %%
# :func:`statfast.linkage` returns a matrix with a row for each merge, in scipy's format;
# :func:`statfast.plot.dendrogram` draws it, with the clusters of a cut in colors.

import matplotlib.pyplot as plt

from statfast import cut_tree, linkage
from statfast.datasets import load_iris
from statfast.plot import dendrogram

X, y = load_iris(return_X_y=True)
Z = linkage(X, "ward")

figure, ax = plt.subplots(figsize=(7, 2.8), dpi=110, layout="constrained")
dendrogram(Z, n_clusters=3, ax=ax)
ax.set(title="Ward linkage of 150 irises", ylabel="height")

# %%
# The same cut as labels, compared with the three species: one species is apart, the other two
# overlap.

from statfast.metrics import adjusted_rand_score, contingency_matrix

labels = cut_tree(Z, 3)
print(contingency_matrix(y, labels))
print(f"adjusted Rand index: {adjusted_rand_score(y, labels):.3f}")

plt.show()
