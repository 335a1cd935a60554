# SPDX-License-Identifier: BSD-3-Clause
"""
What a sample weight is
=======================

A weight of 4 is a row four times, and a weight of 0 is a row that is not there: the line is drawn
to the heavy rows, and its confidence band is that of as many rows as the weights sum to.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LinearRegression

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 40))
y = np.where(x < 5, x, 10 - x) + rng.normal(scale=0.6, size=40)
grid = np.linspace(0, 10, 50)[:, None]
weightings = {
    "every row counts once": np.ones(40),
    "rows on the left count four times": np.where(x < 5, 4.0, 1.0),
    "rows on the right do not count": np.where(x < 5, 1.0, 0.0),
}

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True, layout="constrained")
for ax, (label, weights) in zip(axes, weightings.items(), strict=True):
    model = LinearRegression().fit(x[:, None], y, sample_weight=weights)
    fit, ends = model.predict(grid, interval="confidence")
    ax.fill_between(grid[:, 0], *ends.T, color="#0072B2", alpha=0.2, linewidth=0)
    ax.plot(grid[:, 0], fit, color="#0072B2")
    used = weights > 0
    ax.scatter(x[used], y[used], s=12 * weights[used], color="#D55E00", alpha=0.7, linewidth=0)
    ax.scatter(x[~used], y[~used], s=12, facecolor="none", edgecolor="0.6")
    ax.set(xlabel="x", title=label)
axes[0].set_ylabel("y")

plt.show()
