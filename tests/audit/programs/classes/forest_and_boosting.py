# SPDX-License-Identifier: BSD-3-Clause
"""A tree, a forest and boosting on digits; which pixels matter."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

X, y = load_digits(n_class=4, return_X_y=True)
for model in (
    DecisionTreeClassifier(max_depth=6, random_state=0),
    RandomForestClassifier(30, random_state=0),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=10, random_state=0),
    HistGradientBoostingClassifier(max_iter=10, random_state=0),
):
    model.fit(X[::2], y[::2])
    print(type(model).__name__, round(model.score(X[1::2], y[1::2]), 2))
    print(np.shape(model.predict_proba(X[:4])))
