# SPDX-License-Identifier: BSD-3-Clause
"""
Subgroups in coverage space
===========================

Which wines are of the second cultivar, and which have much proline: the best conjunctions of up to
two conditions. A subgroup of a class is a point by the wines that it covers; a subgroup of a number
is a point by its size and its mean. A list of rules divides the wines instead.
"""

import matplotlib.pyplot as plt

from statfast import RuleListClassifier, SubgroupDiscovery
from statfast.datasets import load_wine
from statfast.plot import subgroups

wine = load_wine()
cultivar = SubgroupDiscovery(12, pos_label=1, direction="both", max_depth=2)
cultivar.fit(wine.data, wine.target)
proline = SubgroupDiscovery(12, quality="t", target="numeric", max_depth=2)
proline.fit(wine.data[:, :-1], wine.data[:, -1])
print(cultivar.subgroups_)

figure, panels = plt.subplots(1, 2, figsize=(10.5, 5.4), layout="constrained")
subgroups(cultivar, ax=panels[0])
subgroups(proline, ax=panels[1])
panels[1].set_ylabel("mean proline")

rules = RuleListClassifier(max_rules=4).fit(wine.data, wine.target).rules_
print(rules.text(class_names=wine.target_names))

plt.show()
