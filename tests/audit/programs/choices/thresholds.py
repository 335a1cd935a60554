# SPDX-License-Identifier: BSD-3-Clause
"""Where to put the threshold of a rare class, and classifiers that know nothing."""

from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

X, y = make_classification(300, weights=[0.9], random_state=0)
model = LogisticRegression(C=0.5, tol=1e-8, max_iter=1000)
for cut in (0.5, 0.2):
    fixed = FixedThresholdClassifier(model, threshold=cut).fit(X, y)
    print(cut, round(balanced_accuracy_score(y, fixed.predict(X)), 3))
tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy").fit(X, y)
print(round(tuned.best_score_, 2), tuned.predict(X[:5]))
print(DummyClassifier(strategy="prior").fit(X, y).predict_proba(X[:1]))
print(DummyRegressor(strategy="median").fit(X, X[:, 0]).predict(X[:1]).round(3))
