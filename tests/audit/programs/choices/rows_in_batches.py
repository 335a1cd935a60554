# SPDX-License-Identifier: BSD-3-Clause
"""Models that learn from one batch after another, and one that goes on where it stopped."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB

X, y = load_digits(return_X_y=True)
models = [MultinomialNB(), GaussianNB(var_smoothing=1e-3), SGDClassifier(random_state=0)]
for start in range(0, 1500, 300):
    rows = slice(start, start + 300)
    for model in models:
        model.partial_fit(X[rows], y[rows], classes=np.arange(10))
print([round(model.score(X[1500:], y[1500:]), 2) for model in models])
forest = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X[:500], y[:500])
forest.set_params(n_estimators=15).fit(X[:500], y[:500])
print(len(forest.estimators_), round(forest.score(X[1500:], y[1500:]), 1))
