# SPDX-License-Identifier: BSD-3-Clause
"""Rows with weights move the border of a machine."""

import numpy as np
from sklearn.svm import SVC, LinearSVC

rng = np.random.RandomState(3)
X = np.r_[rng.randn(40, 2) + 1.0, rng.randn(40, 2)]
y = np.repeat([1, 0], 40)
weight = np.abs(rng.randn(80)) + 0.1
weight[:10] *= 8.0
for sample_weight in (None, weight):
    machine = SVC(C=1.0, tol=1e-8).fit(X, y, sample_weight=sample_weight)
    print(machine.predict(X[:12]), machine.n_support_)
linear = LinearSVC(C=0.5, tol=1e-9, max_iter=100_000).fit(X, y, sample_weight=weight)
print(linear.coef_.round(4), linear.decision_function(X[:3]).round(4))
