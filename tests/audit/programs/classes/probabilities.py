# SPDX-License-Identifier: BSD-3-Clause
"""Are probabilities what they say? Bayes and forests before and after a calibration."""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, y = make_classification(400, n_features=6, n_redundant=2, random_state=7)
for model in (GaussianNB(), DecisionTreeClassifier(max_depth=4, random_state=0)):
    print(round(brier_score_loss(y, model.fit(X, y).predict_proba(X)[:, 1]), 4))
    for method in ("sigmoid", "isotonic"):
        calibrated = CalibratedClassifierCV(model, method=method, cv=3).fit(X, y)
        share = calibrated.predict_proba(X)[:, 1]
        print(method, round(brier_score_loss(y, share), 4), np.round(share[:3], 3))
