# SPDX-License-Identifier: BSD-3-Clause
"""
How much data, and which model?
===============================

Learning curves show what more data would bring, validation curves what a parameter does, and the
corrected resampled t test whether one model is better than another.
"""

import matplotlib.pyplot as plt

from statfast import (
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    StandardScaler,
    make_pipeline,
)
from statfast.datasets import load_wine
from statfast.model_selection import compare
from statfast.plot import comparison, learning_curves, validation_curves

wine = load_wine()
X, y = wine.data, wine.target
neighbors = make_pipeline(StandardScaler(), KNeighborsClassifier())

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
learning_curves(
    LinearDiscriminantAnalysis(),
    X,
    y,
    cv=5,
    shuffle=True,
    random_state=0,
    train_sizes=[0.2, 0.4, 0.6, 0.8, 1.0],
    ax=left,
)
left.set_title("Linear discriminant analysis")
validation_curves(
    neighbors, X, y, cv=5, ax=right, param_name="kneighborsclassifier__n_neighbors",
    param_range=[1, 3, 5, 9, 15, 25, 45, 75],
)  # fmt: skip
right.set(title="Nearest neighbors", xlabel="number of neighbors")

# %%
# Ten times ten-fold cross-validation. Folds overlap, so that intervals are corrected for it.

models = {
    "linear": LinearDiscriminantAnalysis(),
    "quadratic": QuadraticDiscriminantAnalysis(),
    "neighbors": neighbors,
}
found = compare(models, X, y, random_state=0)
print(found)

figure, ax = plt.subplots(figsize=(6.5, 2.8), layout="constrained")
comparison(found, ax=ax)
ax.set_xlabel("accuracy")

plt.show()
