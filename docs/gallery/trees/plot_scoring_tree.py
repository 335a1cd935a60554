# SPDX-License-Identifier: BSD-3-Clause
"""
Labels, probabilities and scores of one tree
============================================

The leaves of a tree hold counts of the classes. As labels they classify, as shares they estimate
probabilities, and by their ratio they rank: three models from one partition.
"""

# %%
# A hundred messages by two of their words: 20 of 25, 10 of 15 and 20 of 60 in the leaves are spam.
# The score is the logarithm to base 2 of spam to ham.

import matplotlib.pyplot as plt
import numpy as np

from statfast import DecisionTreeClassifier, metrics
from statfast.plot import coverage, tree

X = np.repeat([[1, 0], [0, 1], [0, 0]], [25, 15, 60], axis=0)
y = np.repeat(["spam", "ham"] * 3, [20, 5, 10, 5, 20, 40])
model = DecisionTreeClassifier().fit(X, y)
figure, panels = plt.subplots(2, 2, figsize=(10, 6.6), layout="constrained")
titles = {"counts": "Counts: ham / spam", "label": "Labels", "proba": "Shares", "score": "Scores"}
for ax, (show, title) in zip(panels.ravel(), titles.items(), strict=True):
    tree(model, feature_names=["prize", "lottery"], show=show, ax=ax)
    ax.set_title(title)

# %%
# Ranked by the score, 29 % of the pairs of a spam and a ham message are in the wrong order, ties
# counted by half. As a classifier the same tree is a single point of the coverage plot.

scores = model.predict_proba(X)[:, 1]
error = 1 - metrics.roc_auc_score(y == "spam", scores)
print(f"ranking error {error:.2f}, accuracy {model.score(X, y):.2f}")
decisions = (model.predict(X) == "spam").astype(float)
figure, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
coverage(y == "spam", {"ranking": scores, "labels": decisions}, ax=ax)

plt.show()
