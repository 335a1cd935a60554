# SPDX-License-Identifier: BSD-3-Clause
"""A few wild points pull the line of least squares, and Huber's hardly."""

import numpy as np
from sklearn.linear_model import HuberRegressor, LinearRegression, RANSACRegressor

rng = np.random.RandomState(0)
X = rng.randn(60, 1)
y = 2.0 * X[:, 0] + 1.0 + 0.2 * rng.randn(60)
y[::12] += 15.0
print(LinearRegression().fit(X, y).coef_.round(3))
for epsilon in (1.1, 1.35, 2.0):
    print(epsilon, HuberRegressor(epsilon=epsilon, tol=1e-8).fit(X, y).coef_.round(3))
print(RANSACRegressor(random_state=0).fit(X, y).predict([[1.0]]).round(1))
