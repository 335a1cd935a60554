# SPDX-License-Identifier: BSD-3-Clause
"""
Shapley values of a forest
==========================

Shapley values divide the answer for a row among its columns: they sum to what the answer is above
the mean one. Here a forest sorts wines by their grape.
"""

# %%
# Each point is a wine, placed by what the column adds to the share of trees for the first sort, and
# colored by the value of the column: much proline speaks for it, little against it.

import matplotlib.pyplot as plt

from statfast import RandomForestClassifier
from statfast.datasets import load_wine
from statfast.inspection import shap_values

wine = load_wine()
forest = RandomForestClassifier(100, random_state=0).fit(wine.data, wine.target)
explanation = shap_values(forest, wine.data)
explanation.feature_names[:] = wine.feature_names
first = explanation[..., 0]

_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
first.plot("beeswarm", ax=ax)

# %%
# The mean sizes of the same values order the columns by their influence.

_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
first.plot("bar", ax=ax)

# %%
# One wine: from the mean answer to its own, column by column.

_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
first.plot("waterfall", row=40, ax=ax)

# %%
# One column: what it adds by its value. Points of one value differ by what else the forest knows of
# the wine, such as the column that colors them.

_, ax = plt.subplots(figsize=(6, 4), layout="constrained")
first.plot("dependence", feature="proline", color="flavanoids", ax=ax)

plt.show()
