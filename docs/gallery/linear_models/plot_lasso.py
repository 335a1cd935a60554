# SPDX-License-Identifier: BSD-3-Clause
"""
The lasso and its penalty
=========================

The lasso sets coefficients to zero. Its path shows in which order columns come in as the penalty
falls; cross-validation says where to stop.
"""

import matplotlib.pyplot as plt

from statfast import LassoCV, lasso_path
from statfast.datasets import load_wine
from statfast.plot import penalty_errors, regularization_path

wine = load_wine()
X, alcohol = wine.data[:, 1:], wine.data[:, 0]
names = [name.replace("_", " ") for name in wine.feature_names[1:]]
path = lasso_path(X, alcohol, standardize=True)
model = LassoCV(standardize=True, cv=10, rule="1se").fit(X, alcohol)

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
regularization_path(path, model=model, feature_names=names, n_labels=7, ax=ax)

# %%
# Mean squared errors of ten folds with their standard errors. The largest penalty within one
# standard error of the least error gives a smaller model that predicts about as well.

figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
penalty_errors(model, ax=ax)
kept = [name for name, coefficient in zip(names, model.coef_, strict=True) if coefficient]
print(f"{len(kept)} of {len(names)} columns: {', '.join(kept)}")

plt.show()
