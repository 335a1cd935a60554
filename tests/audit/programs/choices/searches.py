# SPDX-License-Identifier: BSD-3-Clause
"""A grid, a random search and successive halves look for the same machine."""

from scipy.stats import loguniform
from sklearn.datasets import load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_iris(return_X_y=True)
model = make_pipeline(StandardScaler(), SVC(tol=1e-8))
values = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.05, 0.5]}
grid = GridSearchCV(model, values, cv=4).fit(X, y)
print(grid.best_params_, round(grid.best_score_, 4))
draws = RandomizedSearchCV(model, {"svc__C": loguniform(0.1, 100)}, n_iter=4, cv=4, random_state=0)
print(round(draws.fit(X, y).best_score_, 3))
print(HalvingGridSearchCV(model, values, random_state=0).fit(X, y).n_iterations_)
print(grid.predict(X[::50]), grid.score(X, y))
