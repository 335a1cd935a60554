# SPDX-License-Identifier: BSD-3-Clause
"""
A query, its neighbors, and the ball that holds them
====================================================

The nearest neighbors of a point are those in the smallest ball about it that holds k of them. What
a ball is depends on the distance: a disk, a square on its corner, a square, or an ellipse.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import KNeighborsClassifier
from statfast.datasets import load_iris
from statfast.plot import nearest

iris = load_iris()
X, y = iris.data[50:, 2:], np.array(iris.target_names)[iris.target[50:]]
query = [4.6, 1.9]
metrics = {
    "Euclidean": {},
    "Manhattan": {"metric": "manhattan"},
    "Chebyshev": {"metric": "chebyshev"},
    "Mahalanobis": {"metric": "mahalanobis", "metric_params": {"V": np.cov(X.T)}},
}
figure, panels = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
for ax, (name, settings) in zip(panels.ravel(), metrics.items(), strict=True):
    model = KNeighborsClassifier(5, **settings).fit(X, y)
    shown = nearest(model, X, y, query, ax=ax)
    ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    votes = ", ".join(f"{(y[shown.indices[0]] == label).sum()} {label}" for label in np.unique(y))
    ax.set_title(f"{name}, radius {shown.radii[0]:.2f}: {votes}")

plt.show()
