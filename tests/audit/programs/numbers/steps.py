# SPDX-License-Identifier: BSD-3-Clause
"""Trees and isotonic regression follow a curve by steps."""

import numpy as np
from sklearn.ensemble import AdaBoostRegressor, HistGradientBoostingRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.tree import DecisionTreeRegressor

rng = np.random.RandomState(1)
x = np.sort(5 * rng.rand(150))
y = np.log1p(x) + 0.1 * rng.randn(150)
rising = IsotonicRegression(out_of_bounds="clip").fit(x, y)
print(rising.predict([0.5, 2.0, 9.0]).round(3))
X = x[:, None]
for depth in (2, 5):
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    print(depth, tree.predict([[1.0], [4.0]]).round(3))
print(AdaBoostRegressor(tree, n_estimators=20, random_state=0).fit(X, y).predict([[3.0]]).round(1))
boosted = HistGradientBoostingRegressor(max_iter=30, min_samples_leaf=5).fit(X, y)
print(boosted.predict([[1.0], [4.0]]).round(2))
