# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression: coefficients along a path of penalties, and of both kinds."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X[:, :8])
for C in np.logspace(-2, 1, 4):
    model = LogisticRegression(C=C, tol=1e-8, max_iter=1000).fit(X, y)
    print(f"{C:7.2f}", model.coef_[0, :3].round(4), round(model.score(X, y), 4))
sparse = LogisticRegression(C=0.05, l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=5000)
print((sparse.fit(X, y).coef_ != 0).sum(), sparse.predict_proba(X[:2]).round(4))
