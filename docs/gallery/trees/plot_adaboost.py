# SPDX-License-Identifier: BSD-3-Clause
"""
AdaBoost: errors and margins
============================

The training error of AdaBoost falls below a bound that shrinks with every round. After it has
reached zero, margins still grow, and the error on other samples may go on falling.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import AdaBoostClassifier, DecisionTreeClassifier
from statfast.plot import boosting_errors, boosting_margins, decision_regions

rng = np.random.default_rng(0)


def spirals(n):
    """Two noisy spirals."""
    y = np.repeat([0, 1], n // 2)
    turn = np.sqrt(rng.random(n)) * 3 * np.pi
    X = np.column_stack([turn * np.cos(turn + np.pi * y), turn * np.sin(turn + np.pi * y)])
    return X + 0.7 * rng.standard_normal((n, 2)), y


X, y = spirals(600)
X_test, y_test = spirals(600)
model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=60).fit(X, y)

figure, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
decision_regions(model, X, y, ax=ax, point_size=10, resolution=200)
ax.set(title=f"60 trees of depth 3: test accuracy {model.score(X_test, y_test):.3f}")
ax.set(xlabel="$x_1$", ylabel="$x_2$")

# %%
# Errors by round on the left; on the right how clear the vote is: the distribution of margins.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
boosting_errors(model, X_test, y_test, ax=left)
boosting_margins(model, X, y, rounds=[5, 20, 60], ax=right)

plt.show()
