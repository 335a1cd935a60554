# SPDX-License-Identifier: BSD-3-Clause
"""Kernel densities of one column by several kernels, and a bandwidth from a search."""

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity

rng = np.random.RandomState(1)
X = np.r_[rng.randn(60), 5 + 0.5 * rng.randn(40)][:, None]
places = np.linspace(-3, 8, 12)[:, None]
for kernel in ("gaussian", "tophat", "epanechnikov", "linear"):
    density = KernelDensity(kernel=kernel, bandwidth=0.6).fit(X)
    print(kernel, np.exp(density.score_samples(places)).round(3))
search = GridSearchCV(KernelDensity(), {"bandwidth": np.logspace(-1, 1, 7)}).fit(X)
print(search.best_params_)
