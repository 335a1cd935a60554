# SPDX-License-Identifier: BSD-3-Clause
"""Lasso and elastic net find the few columns that matter; folds choose the penalty."""

import numpy as np
from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV

rng = np.random.RandomState(42)
X = rng.randn(80, 30)
coef = np.zeros(30)
coef[[2, 7, 11]] = [3.0, -2.0, 1.0]
y = X @ coef + 0.5 * rng.randn(80)
print(np.flatnonzero(Lasso(alpha=0.2).fit(X, y).coef_))
print(np.flatnonzero(ElasticNet(alpha=0.2, l1_ratio=0.7).fit(X, y).coef_)[:5])
for model in (LassoCV(cv=4), ElasticNetCV(cv=4, l1_ratio=[0.5, 0.9])):
    model.fit(X, y)
    print(round(model.alpha_, 3), round(model.score(X, y), 3), model.predict(X[:2]).round(2))
