# SPDX-License-Identifier: BSD-3-Clause
"""
Naive Bayes and its densities
=============================

Naive Bayes multiplies one density for each column and class. Normal densities are the usual choice;
kernel density estimates follow the data.
"""

# %%
# Regions of the three cultivars of wines by two columns.

import matplotlib.pyplot as plt
import numpy as np

from statfast import GaussianNB, KernelDensityNB
from statfast.datasets import load_wine
from statfast.plot import calibration, decision_regions

wine = load_wine()
X, y = wine.data[:, [9, 6]], wine.target  # color intensity and flavanoids
colors = ("#0072B2", "#E69F00", "#009E73")
models = {"Normal densities": GaussianNB(), "Kernel densities": KernelDensityNB()}

figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(X, y)
    decision_regions(model, X, y, ax=ax)
    ax.set(title=f"{name}: accuracy {model.score(X, y):.3f}", xlabel="color intensity")
panels[0].set_ylabel("flavanoids")
panels[1].set_ylabel("")
panels[0].legend(title="cultivar", fontsize="small")

# %%
# Columns that say the same are counted as if each were news: with six noisy copies of one column,
# probabilities are overconfident. The share of the second cultivar among wines with a given
# probability of it.

rng = np.random.default_rng(0)
flavanoids = np.tile(wine.data[:, [6]], 6) + 0.3 * rng.standard_normal((len(y), 6))
second = (y == 1).astype(int)
figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
calibration(GaussianNB().fit(flavanoids, second), flavanoids, second, ax=ax)
ax.set_title("Six copies of one column")

plt.show()
