# SPDX-License-Identifier: BSD-3-Clause
"""
A tree, and a random forest
===========================

A single decision tree can be read; a forest of them is more accurate, and is summed up by the
importances of its features and by its out-of-bag error.
"""

# %%
# A tree of depth three separates the species of iris by their petals.

import matplotlib.pyplot as plt

from statfast import DecisionTreeClassifier, RandomForestClassifier
from statfast.datasets import load_iris, load_wine
from statfast.plot import importances, out_of_bag, tree

iris = load_iris()
single = DecisionTreeClassifier(max_depth=3).fit(iris.data, iris.target)

figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
tree(single, feature_names=iris.feature_names, class_names=iris.target_names, ax=ax)

# %%
# A forest of 300 trees on the wines. On the left the share of each feature in the decrease of
# impurity, with its spread over the trees; on the right the error on the samples that a tree was
# not fitted to, as trees are added.

wine = load_wine()
forest = RandomForestClassifier(300, random_state=0).fit(wine.data, wine.target)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
importances(forest, feature_names=wine.feature_names, ax=left)
out_of_bag(forest, wine.data, wine.target, ax=right)

plt.show()
