# SPDX-License-Identifier: BSD-3-Clause
"""
How large should a tree be?
===========================

A tree grown to the end learns the noise. The pruning table gives the cross-validated error of each
subtree, as R's rpart does; the smallest tree within one standard error of the best is a good
choice.
"""

import matplotlib.pyplot as plt

from statfast import DecisionTreeClassifier
from statfast.datasets import load_wine
from statfast.plot import decision_regions, pruning, tree
from statfast.tree import pruning_table

wine = load_wine()
X, y = wine.data[:, [9, 10]], wine.target  # color intensity and hue
names = [wine.feature_names[9], wine.feature_names[10]]
table = pruning_table(DecisionTreeClassifier(), X, y, random_state=0)
print(table)

figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
pruning(table, ax=ax)

# %%
# Regions of the full tree and of the pruned one.

full, pruned = DecisionTreeClassifier().fit(X, y), table.pruned()
figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, model in zip(panels, (full, pruned), strict=True):
    decision_regions(model, X, y, ax=ax)
    ax.set(title=f"{model.get_n_leaves()} leaves", xlabel=names[0], ylabel=names[1])
    ax.label_outer()

# %%
# The pruned tree can be read.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
tree(pruned, feature_names=names, class_names=wine.target_names, ax=ax)

plt.show()
