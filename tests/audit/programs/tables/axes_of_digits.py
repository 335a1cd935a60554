# SPDX-License-Identifier: BSD-3-Clause
"""Principal axes of digits: how many are needed, and the way back."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA, IncrementalPCA

X, _ = load_digits(return_X_y=True)
axes = PCA(10).fit(X)
print(axes.explained_variance_ratio_.round(4), round(axes.score(X), 3))
print(PCA(0.8).fit(X).n_components_, PCA(3, whiten=True).fit_transform(X)[:1].round(3))
back = axes.inverse_transform(axes.transform(X[:2]))
print(np.abs(back - X[:2]).mean().round(4))
parts = IncrementalPCA(5, batch_size=300).fit(X)
print(parts.explained_variance_.round(0))
