# SPDX-License-Identifier: BSD-3-Clause
"""Lines through noisy points; ridge coefficients as the penalty grows."""

import numpy as np
from sklearn.datasets import make_regression
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.metrics import mean_squared_error

X, y = make_regression(120, 6, noise=5.0, random_state=0)
line = LinearRegression().fit(X, y)
print(line.coef_.round(3), round(line.score(X, y), 4))
for alpha in np.logspace(-1, 3, 5):
    ridge = Ridge(alpha=alpha).fit(X, y)
    print(
        f"{alpha:8.1f}", ridge.coef_[:3].round(3), round(mean_squared_error(y, ridge.predict(X)), 2)
    )
print(RidgeCV(np.logspace(-2, 2, 9)).fit(X, y).alpha_)
