# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines of four kernels, and what they say of a grid of points."""

import numpy as np
from sklearn.datasets import make_circles
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = make_circles(200, factor=0.4, noise=0.1, random_state=1)
grid = np.stack(np.meshgrid(*2 * [np.linspace(-1.5, 1.5, 15)]), axis=-1).reshape(-1, 2)
for kernel in ("linear", "poly", "rbf", "sigmoid"):
    model = make_pipeline(StandardScaler(), SVC(kernel=kernel, gamma=0.7, tol=1e-8))
    model.fit(X, y)
    print(kernel, model.score(X, y), np.round(model.decision_function(grid)[::60], 2))
