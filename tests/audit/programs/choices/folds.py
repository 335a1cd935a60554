# SPDX-License-Identifier: BSD-3-Clause
"""Scores of one model by many kinds of folds, and curves of learning."""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    cross_val_predict,
    cross_validate,
    learning_curve,
    validation_curve,
)

X, y = load_wine(return_X_y=True)
model = RidgeClassifier()
folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
print(cross_validate(model, X, y, cv=folds)["test_score"].round(3))
print(
    cross_validate(model, X, y, cv=GroupKFold(3), groups=np.arange(178) % 9)["test_score"].round(3)
)
print((cross_val_predict(model, X, y) == y).mean().round(3))
print(
    validation_curve(model, X, y, param_name="alpha", param_range=[0.1, 10.0])[1].mean(1).round(3)
)
print(learning_curve(model, X, y, train_sizes=[0.5, 1.0], shuffle=True, random_state=0)[2].mean(1))
