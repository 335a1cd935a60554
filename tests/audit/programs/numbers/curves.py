# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials, splines and kernels bend a line to a wave."""

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer
from sklearn.svm import SVR

rng = np.random.RandomState(0)
x = np.sort(rng.uniform(0, 10, 80))[:, None]
y = np.sin(x[:, 0]) + 0.1 * rng.randn(80)
for model in (
    make_pipeline(PolynomialFeatures(4), Ridge(alpha=1e-2)),
    make_pipeline(SplineTransformer(n_knots=6, degree=3), Ridge(alpha=1e-2)),
    KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5),
    SVR(C=10.0, epsilon=0.1, gamma=0.5, tol=1e-8),
):
    model.fit(x, y)
    print(round(model.score(x, y), 4), model.predict([[2.5], [7.5]]).round(3))
