# SPDX-License-Identifier: BSD-3-Clause
"""
Prediction curves of several models
===================================

A prediction along one column, with its interval where the model has one: a line, a polynomial, a
tree and nearest neighbors on the same points; and why a line is a poor probability.
"""

# %%
# The braking distances of fifty cars of the 1920s, in feet, by their speed in miles per hour (M.
# Ezekiel, 1930). The interval of the line is that of its mean.

import matplotlib.pyplot as plt
import numpy as np

from statfast import (
    DecisionTreeRegressor,
    GeneralizedLinearModel,
    KNeighborsRegressor,
    LinearRegression,
    LogisticRegression,
)
from statfast.datasets import load_iris
from statfast.plot import regression_curve

speed = np.array(
    [4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15,
     15, 16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24, 24,
     25], dtype=float)[:, None]  # fmt: skip
distance = np.array(
    [2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20,
     26, 54, 32, 40, 32, 40, 50, 42, 56, 76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93,
     120, 85], dtype=float)  # fmt: skip
line = LinearRegression().fit(speed, distance)
models = {
    "line": line,
    "tree": DecisionTreeRegressor(max_depth=2).fit(speed, distance),
    "9 neighbors": KNeighborsRegressor(9).fit(speed, distance),
}
bent = GeneralizedLinearModel("gamma", link="log").fit(speed, distance)
figure, panels = plt.subplots(1, 3, figsize=(13, 4), sharey=True, layout="constrained")
regression_curve(models, speed, distance, ax=panels[0])
regression_curve(line, speed, distance, ax=panels[1])
regression_curve(bent, speed, distance, ax=panels[2])
for ax, title in zip(panels, ("Three models", "Least squares", "Gamma, log link"), strict=True):
    ax.set(title=title, xlabel="speed (mph)", ylabel="braking distance (ft)", ylim=(-25, 145))
    ax.label_outer()

# %%
# Least squares on labels 0 and 1 leaves the interval from 0 to 1 where the classes are far from
# doubt, and says nothing of its error there. A logistic curve does neither.

iris = load_iris()
X, y = iris.data[50:, 2:3], (iris.target[50:] == 2).astype(int)
models = {
    "logistic regression": LogisticRegression().fit(X, y),
    "least squares": LinearRegression().fit(X, y),
}
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
regression_curve(models, X, y, ax=ax)
ax.set(xlabel="petal length (cm)", ylabel="probability of virginica")

plt.show()
