# SPDX-License-Identifier: BSD-3-Clause
"""
Support vectors and the margin
==============================

A support vector classifier with a small C has a wide margin and many support vectors, with a large
C a narrow one and few. A kernel bends it.
"""

# %%
# Support vectors on the margin have a solid ring, those within it, or on the wrong side, a dotted
# one.

import matplotlib.pyplot as plt

from statfast import SVC, GridSearchCV
from statfast.datasets import load_iris
from statfast.plot import search_scores, svm_margin

iris = load_iris()
X, y = iris.data[50:, 2:], iris.target[50:]  # petals of versicolor and virginica
models = {
    "linear, C = 0.05": SVC(kernel="linear", C=0.05),
    "linear, C = 100": SVC(kernel="linear", C=100.0),
    "rbf, C = 10": SVC(kernel="rbf", gamma=1.0, C=10.0),
}
figure, panels = plt.subplots(1, 3, figsize=(11, 3.9), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    svm_margin(model.fit(X, y), X, y, ax=ax)
    ax.set(title=f"{name}\n{ax.get_title()}", xlabel="petal length (cm)")
    ax.set_ylabel("petal width (cm)")
    ax.label_outer()

# %%
# C and gamma by cross-validation: one kernel matrix serves all folds and values of C.

grid = {"C": [0.01, 0.1, 1, 10, 100, 1000], "gamma": [0.001, 0.01, 0.1, 1, 10]}
search = GridSearchCV(SVC(), grid, cv=5).fit(iris.data, iris.target)
print(search.best_params_, search.path_)

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
search_scores(search, ax=ax)

plt.show()
