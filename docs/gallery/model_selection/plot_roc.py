# SPDX-License-Identifier: BSD-3-Clause
"""
ROC curves with bands and lines of equal cost
=============================================

A score ranks samples; a threshold turns it into a decision. The ROC curve shows all thresholds, its
convex hull those that can be best, and a line of equal cost which of them is.
"""

# %%
# Wines of the first cultivar are sought by their alcohol alone. A false negative costs three times
# as much as a false positive: the full line of equal cost touches the hull at the best threshold.

import matplotlib.pyplot as plt

from statfast import metrics
from statfast.datasets import load_wine
from statfast.plot import coverage, precision_recall, roc

wine = load_wine()
first = (wine.target == wine.target[0]).astype(int)
alcohol = wine.data[:, 0]

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
roc(first, alcohol, band=0.95, iso="cost", cost=(1, 3), ax=ax)
print(metrics.choose_threshold(first, alcohol, "cost", cost=(1, 3)))

# %%
# Two scores compared: another column ranks no better, by DeLong's test.

flavanoids = wine.data[:, 6]
print(metrics.auc_test(first, alcohol, flavanoids))
figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
for name, score, color in (("alcohol", alcohol, "#0072B2"), ("flavanoids", flavanoids, "#D55E00")):
    auc = metrics.roc_auc_score(first, score)
    roc(first, score, hull=False, ax=ax, color=color, label=f"{name}: AUC {auc:.3f}")

# %%
# The same in counts, with lines of equal accuracy, and precision against recall.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.5), layout="constrained")
coverage(first, alcohol, ax=left)
precision_recall(first, alcohol, ax=right)

plt.show()
