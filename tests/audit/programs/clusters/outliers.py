# SPDX-License-Identifier: BSD-3-Clause
"""Which of these points do not belong: four ways to say so."""

import numpy as np
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

rng = np.random.RandomState(0)
X = np.r_[0.3 * rng.randn(100, 2) + 2, 0.3 * rng.randn(100, 2) - 2, rng.uniform(-4, 4, (20, 2))]
for model in (
    LocalOutlierFactor(20, contamination=0.1),
    OneClassSVM(nu=0.1, gamma=0.2, tol=1e-8),
    EllipticEnvelope(contamination=0.1, random_state=0),
    IsolationForest(contamination=0.1, random_state=0),
):
    print(type(model).__name__, int((model.fit_predict(X) == -1).sum()))
