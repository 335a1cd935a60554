# SPDX-License-Identifier: BSD-3-Clause
"""
Regression by nearest neighbors
===============================

The prediction at a point is the mean of the k nearest targets. Few neighbors follow the noise, many
flatten the curve; the leave-one-out error shows the best number.
"""

# %%
# A curve of 1, 15 and 60 neighbors through noisy samples of a sine.

import matplotlib.pyplot as plt
import numpy as np

from statfast import KNeighborsRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 150))
y = np.sin(2 * x) + 0.4 * rng.standard_normal(150)
line = np.linspace(0, 6, 500)[:, None]

figure, panels = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True, layout="constrained")
for ax, k in zip(panels, (1, 15, 60), strict=True):
    model = KNeighborsRegressor(k).fit(x[:, None], y)
    ax.plot(x, y, "o", markersize=3, color="0.6")
    ax.plot(line, np.sin(2 * line), color="#E69F00", linewidth=1, label="truth")
    ax.plot(line, model.predict(line), color="#0072B2", label="prediction")
    ax.set(title=f"k = {k}", xlabel="x")
panels[0].set_ylabel("y")
panels[0].legend(frameon=False, fontsize="small", loc="lower left")

# %%
# ``leave_one_out`` gives the error of each number of neighbors from one search. Weighted
# by the inverse of their distance, neighbors may be far more than needed without much harm.

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
numbers = np.arange(1, 61)
for weights, color in (("uniform", "#0072B2"), ("distance", "#D55E00")):
    model = KNeighborsRegressor(weights=weights).fit(x[:, None], y)
    errors = model.leave_one_out(numbers)
    best = numbers[errors.argmin()]
    ax.plot(numbers, errors, color=color, label=f"{weights}: least error at k = {best}")
    ax.plot(best, errors.min(), "o", color=color)
ax.set(xlabel="number of neighbors", ylabel="leave-one-out squared error", ylim=(0.1, 0.5))
ax.legend(frameon=False)

plt.show()
