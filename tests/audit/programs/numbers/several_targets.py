# SPDX-License-Identifier: BSD-3-Clause
"""Several targets at once: by neighbors, forests, chains and a joint lasso."""

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import MultiTaskLasso, Ridge
from sklearn.multioutput import MultiOutputRegressor, RegressorChain
from sklearn.neighbors import KNeighborsRegressor

rng = np.random.RandomState(0)
X = rng.uniform(-3, 3, (100, 2))
Y = np.c_[np.sin(X[:, 0]), np.cos(X[:, 1]), X.sum(axis=1)] + 0.1 * rng.randn(100, 3)
for model in (
    KNeighborsRegressor(4),
    RandomForestRegressor(20, random_state=0),
    MultiOutputRegressor(Ridge()),
    RegressorChain(Ridge(), order=[2, 1, 0]),
    MultiTaskLasso(alpha=0.05),
):
    print(type(model).__name__, model.fit(X, Y).predict(X[:2]).round(1).tolist())
