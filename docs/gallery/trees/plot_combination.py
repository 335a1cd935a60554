# SPDX-License-Identifier: BSD-3-Clause
"""
Voting and stacking
===================

Three classifiers that err in different places: a line, three neighbors, and a tree of depth 2.
Their vote smooths the regions; a stack learns from predictions of rows held out how far to trust
each.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import (
    DecisionTreeClassifier,
    KNeighborsClassifier,
    LogisticRegression,
    StackingClassifier,
    VotingClassifier,
)
from statfast.plot import decision_regions

rng = np.random.default_rng(0)


def moons(n):
    """Two half circles that reach into one another, with noise."""
    y = np.arange(n) % 2
    turn = np.pi * rng.random(n)
    X = np.column_stack([np.cos(turn) + y, np.where(y == 1, 0.4 - np.sin(turn), np.sin(turn))])
    return X + 0.35 * rng.standard_normal((n, 2)), y


X, y = moons(300)
X_test, y_test = moons(4000)
members = [
    ("line", LogisticRegression(C=1.0)),
    ("3 neighbors", KNeighborsClassifier(3)),
    ("tree", DecisionTreeClassifier(max_depth=2)),
]
models = {
    **dict(members),
    "mean probability": VotingClassifier(members, voting="soft"),
    "stack": StackingClassifier(members),
}

figure, axes = plt.subplots(1, 5, figsize=(14, 3.2), layout="constrained")
for (name, model), ax in zip(models.items(), axes, strict=True):
    decision_regions(model.fit(X, y), X, y, ax=ax, point_size=6, resolution=120)
    ax.set(title=f"{name}: {model.score(X_test, y_test):.3f}", xlabel="$x_1$", ylabel="")
axes[0].set(ylabel="$x_2$")

# %%
# Coefficients of the stack's final classifier for the three probabilities, and in gray those of
# fits to other samples of the same size.

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for _ in range(20):
    again = StackingClassifier(members).fit(*moons(300))
    ax.plot(again.final_estimator_.coef_[0], "o", color="0.8")
ax.plot(models["stack"].final_estimator_.coef_[0], "o")
ax.set_xticks(range(3), [name for name, _ in members])
ax.set(ylabel="coefficient of the final classifier")

plt.show()
