# SPDX-License-Identifier: BSD-3-Clause
"""A tree, the importances of a forest's columns, and its error as trees are added.

python docs/gallery/forest.py [picture.png]
"""

import sys

from matplotlib.figure import Figure

from statfast.datasets import load_iris, load_wine
from statfast.ensemble import RandomForestClassifier
from statfast.plot import importances, out_of_bag, tree
from statfast.tree import DecisionTreeClassifier


def draw(path):
    """The tree of iris above; below, a forest of the wines."""
    iris, wine = load_iris(), load_wine()
    figure = Figure(figsize=(9, 8), layout="constrained")
    above, below = figure.subfigures(2, 1)
    single = DecisionTreeClassifier(max_depth=3).fit(iris.data, iris.target)
    tree(
        single,
        feature_names=iris.feature_names,
        class_names=iris.target_names,
        ax=above.subplots(),
    )
    left, right = below.subplots(1, 2)
    forest = RandomForestClassifier(300, random_state=0).fit(wine.data, wine.target)
    importances(forest, feature_names=wine.feature_names, ax=left)
    out_of_bag(forest, wine.data, wine.target, ax=right)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else "forest.png")
