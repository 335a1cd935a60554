# SPDX-License-Identifier: BSD-3-Clause
"""Several classifiers vote, and a regression learns from their answers."""

from sklearn.datasets import load_wine
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_wine(return_X_y=True)
members = [
    ("bayes", GaussianNB()),
    ("near", make_pipeline(StandardScaler(), KNeighborsClassifier())),
]
for vote in ("hard", "soft"):
    print(vote, cross_val_score(VotingClassifier(members, voting=vote), X, y, cv=4).round(3))
stack = StackingClassifier(members, LogisticRegression(tol=1e-8), cv=4).fit(X, y)
print(stack.predict_proba(X[:2]).round(3), stack.score(X, y))
