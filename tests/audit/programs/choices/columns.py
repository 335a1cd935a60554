# SPDX-License-Identifier: BSD-3-Clause
"""Columns chosen by scores, by coefficients, step by step and one by one."""

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_classif,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X[:, :12])
logistic = LogisticRegression(C=0.1, tol=1e-8, max_iter=1000)
for selector in (
    VarianceThreshold(0.5), SelectKBest(f_classif, k=4), SelectFromModel(logistic),
    RFE(logistic, n_features_to_select=4),
    SequentialFeatureSelector(Ridge(), n_features_to_select=3),
):  # fmt: skip
    print(type(selector).__name__, selector.fit(X, y).get_support(indices=True))
    print(selector.transform(X[:1]).shape)
