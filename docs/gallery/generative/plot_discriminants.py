# SPDX-License-Identifier: BSD-3-Clause
"""
Linear and quadratic discriminants
==================================

Normal classes with one covariance have straight boundaries, with a covariance each curved ones.
Regularized discriminant analysis chooses between the two by leave-one-out.
"""

# %%
# Ellipses hold 50 %, 90 % and 99 % of each class.

import matplotlib.pyplot as plt

from statfast import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from statfast.datasets import load_wine
from statfast.plot import canonical_variates, decision_regions, density_contours, rda_grid

wine = load_wine()
X, y = wine.data[:, [0, 6]], wine.target

figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, model in zip(
    panels,
    (
        LinearDiscriminantAnalysis(store_covariance=True),
        QuadraticDiscriminantAnalysis(store_covariance=True),
    ),
    strict=True,
):
    held_out = model.leave_one_out(X, y, method="predict")
    model.fit(X, y)
    decision_regions(model, X, y, ax=ax)
    density_contours(model, ax=ax)
    ax.set(title=f"{type(model).__name__}\n{(held_out != y).sum()} errors by leave-one-out")
    ax.set(xlabel="alcohol", ylabel="flavanoids")
    ax.label_outer()

# %%
# The share of the class covariance and that of the identity, chosen over a grid.

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
rda_grid(RegularizedDiscriminantAnalysisCV().fit(X, y), ax=ax)

# %%
# All 13 columns in the plane of two canonical variates, where the classes lie farthest apart.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
model = LinearDiscriminantAnalysis().fit(wine.data, y)
canonical_variates(model, wine.data, y, ax=ax)

plt.show()
