# SPDX-License-Identifier: BSD-3-Clause
"""
Principal components of the wines
=================================

How many components to keep, and what they mean: the scree plot with the usual rules, and the biplot
of samples and columns.
"""

import matplotlib.pyplot as plt

from statfast import PCA, choose_components
from statfast.datasets import load_wine
from statfast.plot import biplot, correlation_circle, scree

wine = load_wine()
figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
scree(choose_components(wine.data, random_state=0), ax=ax)

# %%
# Samples in the plane of two components, colored by cultivar, which the analysis does not know.

model = PCA(2, correlation=True).fit(wine.data)
names = [name.replace("_", " ") for name in wine.feature_names]
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.5), layout="constrained")
biplot(model, wine.data, wine.target, feature_names=names, ax=left)
correlation_circle(model, feature_names=names, ax=right)

plt.show()
