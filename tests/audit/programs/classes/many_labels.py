# SPDX-License-Identifier: BSD-3-Clause
"""One against the rest, each against each, and rows with several labels."""

from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.svm import LinearSVC

X, y = load_iris(return_X_y=True)
for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
    model = wrapper(LinearSVC(tol=1e-8, max_iter=100_000)).fit(X, y)
    print(wrapper.__name__, round(model.score(X, y), 3), model.decision_function(X[:1]).round(3))
X, Y = make_multilabel_classification(120, n_classes=3, random_state=0)
base = LogisticRegression(C=0.5, tol=1e-8, max_iter=1000)
for model in (MultiOutputClassifier(base), ClassifierChain(base, order=[2, 0, 1])):
    print(model.fit(X, Y).predict(X[:4]).tolist())
