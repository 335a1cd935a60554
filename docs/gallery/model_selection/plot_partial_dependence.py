# SPDX-License-Identifier: BSD-3-Clause
"""
Permutation importance and partial dependence
=============================================

Permutation importance says which columns a fitted model needs, partial dependence how its answer
changes with them.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import HistGradientBoostingRegressor
from statfast.inspection import partial_dependence, permutation_importance

rng = np.random.default_rng(0)
X = rng.random((1500, 6))
y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3]
y = y + rng.standard_normal(1500)  # Friedman's first problem; the last two columns do nothing
model = HistGradientBoostingRegressor(max_iter=80).fit(X[:1000], y[:1000])
found = permutation_importance(model, X[1000:], y[1000:], random_state=0)

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
found.plot(ax=ax)

# %%
# One column at a time: a parabola, and a line.

figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, column in zip(panels, (2, 3), strict=True):
    partial_dependence(model, X, column).plot(ax=ax)
    ax.label_outer()

# %%
# Two columns together: they work as a product.

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
partial_dependence(model, X, [0, 1], grid_resolution=30).plot(ax=ax)

plt.show()
