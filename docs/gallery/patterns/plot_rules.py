# SPDX-License-Identifier: BSD-3-Clause
"""
Association rules
=================

Measurements of iris flowers cut into thirds, each third an item, and the species another: rules
that lead to a species, by support, confidence and lift. Those that a more general rule makes
redundant are left out of the second panel.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import association_rules, frequent_itemsets
from statfast.datasets import load_iris

iris = load_iris()
SIZES = ["short", "middling", "long"]
names = [name.replace("_", " ") for name in iris.feature_names]
thirds = [np.searchsorted(np.quantile(column, [1 / 3, 2 / 3]), column) for column in iris.data.T]
flowers = [
    [f"{SIZES[third[i]]} {name}" for name, third in zip(names, thirds, strict=True)]
    + [str(iris.target_names[iris.target[i]])]
    for i in range(len(iris.data))
]

rules = association_rules(frequent_itemsets(flowers, 0.05), min_threshold=0.3, max_consequents=1)
species = [y <= set(map(str, iris.target_names)) for y in rules.consequents]
rules = rules[species]
needed = rules[~rules.is_redundant()].sort("lift")
print(needed)

figure, panels = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", sharey=True)
rules.plot(ax=panels[0])
panels[0].set_title(f"all {len(rules)} rules")
needed.plot(ax=panels[1])
panels[1].set_title(f"the {len(needed)} that are not redundant")

plt.show()
