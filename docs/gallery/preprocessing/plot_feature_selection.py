# SPDX-License-Identifier: BSD-3-Clause
"""
Choosing columns among noise
============================

Of 100 columns, 13 are measurements of wines and 87 are noise. F tests find the measurements, and
cross-validation the number of columns that a nearest-neighbor rule should use.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import (
    GridSearchCV,
    KNeighborsClassifier,
    SelectKBest,
    StandardScaler,
    f_classif,
    make_pipeline,
)
from statfast.datasets import load_wine
from statfast.plot import search_scores

wine = load_wine()
noise = np.random.default_rng(0).normal(size=(178, 87))
X, y = np.column_stack([wine.data, noise]), wine.target

model = make_pipeline(StandardScaler(), SelectKBest(), KNeighborsClassifier())
grid = {"selectkbest__k": [1, 2, 3, 5, 8, 13, 20, 35, 60, 100]}
search = GridSearchCV(model, grid, cv=10, rule="1se").fit(X, y)

# %%
# The bars are standard errors over folds. The circle is the one-standard-error choice: the fewest
# columns whose score is within one of the best.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
F, p = f_classif(X, y)
order = np.argsort(-F)
colors = np.where(order < wine.data.shape[1], "#0072B2", "0.75")
left.bar(np.arange(100), F[order], color=colors, width=1.0)
left.set(yscale="log", xlabel="column, the best first", ylabel="F", title="blue: measurements")
search_scores(search, ax=right)
right.set_xlabel("number of columns")

plt.show()
