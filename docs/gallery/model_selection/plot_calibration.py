# SPDX-License-Identifier: BSD-3-Clause
"""
Calibration of probabilities
============================

A classifier is calibrated if of all samples with probability 0.8 four in five are positive. Naive
Bayes on correlated columns is overconfident; isotonic regression on held-out samples corrects that.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import CalibratedClassifierCV, GaussianNB
from statfast.plot import calibration, confusion, cost_curves

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 4000)
common = y + 1.3 * rng.standard_normal(4000)
X = common[:, None] + 0.5 * rng.standard_normal((4000, 6))  # six columns that say the same
train, test = slice(0, 2000), slice(2000, None)
plain = GaussianNB().fit(X[train], y[train])
calibrated = CalibratedClassifierCV(GaussianNB(), method="isotonic").fit(X[train], y[train])

figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.8), layout="constrained")
for ax, model, name in zip(
    panels, (plain, calibrated), ("Naive Bayes", "After isotonic regression"), strict=True
):
    calibration(model, X[test], y[test], ax=ax)
    ax.set_title(name)

# %%
# Cost curves: the expected cost of the best threshold for every share of positives and ratio of
# costs; and the confusion matrix at one half.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
cost_curves(calibrated, X[test], y[test], ax=left)
confusion(calibrated, X[test], y[test], ax=right)

plt.show()
