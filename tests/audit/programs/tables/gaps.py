# SPDX-License-Identifier: BSD-3-Clause
"""Gaps filled by means, by neighbors, and shown as columns of their own."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline, make_union

data = load_iris()
X, y = data.data.copy(), data.target
X[np.random.RandomState(0).rand(*X.shape) < 0.15] = np.nan
for imputer in (
    SimpleImputer(),
    SimpleImputer(strategy="most_frequent"),
    KNNImputer(n_neighbors=5),
):
    print(cross_val_score(make_pipeline(imputer, GaussianNB()), X, y, cv=3).round(3))
both = make_union(SimpleImputer(strategy="median"), MissingIndicator()).fit(X)
print(both.transform(X[:3]).round(2))
