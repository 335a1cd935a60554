# SPDX-License-Identifier: BSD-3-Clause
"""Linear and quadratic discriminants of wines, and a picture's coordinates."""

from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

X, y = load_wine(return_X_y=True)
lines = LinearDiscriminantAnalysis().fit(X, y)
print(lines.transform(X)[:2].round(3), lines.predict_proba(X[:2]).round(4))
curves = QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X, y)
print(curves.score(X, y), curves.predict_proba(X[:2]).round(4))
shrunk = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X[:60], y[:60])
print(shrunk.predict(X[:60]).sum(), shrunk.score(X, y))
