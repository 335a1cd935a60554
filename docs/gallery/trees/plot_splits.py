# SPDX-License-Identifier: BSD-3-Clause
"""
Exact splits of trees
=====================

A tree looks for the threshold that lowers the impurity most. Every place between two values of a
feature is a candidate. Histograms of bins, as gradient boosting uses them, look at some of these
only; the trees here look at all, after ranking each feature once.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import DecisionTreeClassifier

rng = np.random.default_rng(4)
x = np.sort(rng.exponential(1.0, 400))
y = (rng.random(400) < np.where(np.abs(x - 0.46) < 0.06, 0.95, 0.25)).astype(int)


def gini(thresholds):
    """Mean impurity of both sides."""
    found = []
    for threshold in thresholds:
        sides = y[x <= threshold], y[x > threshold]
        found.append(sum(len(s) * 2 * s.mean() * (1 - s.mean()) for s in sides if len(s)) / len(y))
    return np.array(found)


all_cuts = (x[1:] + x[:-1]) / 2
bins = np.linspace(x[0], x[-1], 17)[1:-1]
tree = DecisionTreeClassifier(max_depth=1).fit(x[:, None], y)

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.plot(all_cuts, gini(all_cuts), ".-", markersize=3, linewidth=0.8, color="#0072B2",
        label="all thresholds")  # fmt: skip
ax.plot(bins, gini(bins), "s", color="#E69F00", label="16 bins of equal width")
ax.axvline(tree.tree_.threshold[0], color="#D55E00", linestyle="--", label="split of the tree")
ax.set(xlabel="threshold", ylabel="Gini impurity after the split", xscale="log", xlim=(0.02, x[-1]))
ax.legend(fontsize="small")

plt.show()
