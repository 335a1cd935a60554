# SPDX-License-Identifier: BSD-3-Clause
"""
Classifiers as points and rankings as curves
============================================

A classifier that only decides is a point: its true and false positives. One that ranks is a curve,
a point for each threshold. The hull of all of them has what can be best, at whatever costs.
"""

# %%
# Wines of the first cultivar, by rules of thumb and by models, on rows that were left out of their
# fits. In the coverage plot, which counts rows, the parallel lines are those of equal accuracy.

import matplotlib.pyplot as plt
import numpy as np

from statfast import GaussianNB, LogisticRegression, make_pipeline
from statfast.datasets import load_wine
from statfast.plot import coverage, roc
from statfast.preprocessing import StandardScaler

wine = load_wine()
X, y = wine.data[:, [0, 1]], (wine.target == 0).astype(int)
train = np.arange(len(y)) % 2 == 0


class Above:
    """A rule: positive where the alcohol is above a bound."""

    classes_ = np.array([0, 1])

    def __init__(self, bound):
        self.bound = bound

    def predict(self, rows):
        return (rows[:, 0] > self.bound).astype(int)


models = {
    "naive Bayes": GaussianNB().fit(X[train], y[train]),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(X[train], y[train]),
    "alcohol > 13": Above(13.0),
    "alcohol > 13.5": Above(13.5),
    "alcohol > 14": Above(14.0),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
coverage(models, X[~train], y[~train], ax=left)
shown = roc(models, X[~train], y[~train], iso="average_recall", ax=right)

# %%
# Which models the corners of the hull belong to:

for name in dict.fromkeys(shown.hull[2]):
    print(name)

plt.show()
