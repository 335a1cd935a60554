# SPDX-License-Identifier: BSD-3-Clause
"""Chains as they are defined: one estimator after the other, and a refit for each fold."""

import numpy as np

from statfast._estimator import copied


def fit(estimator, X, Y, order, pairs=None):
    """The estimators in the order of the chain, fitted to true or to held-out outputs."""
    models, columns = [], X
    for output in order:
        models.append(copied(estimator).fit(columns, Y[:, output]))
        feature = Y[:, output].astype(float)
        if pairs is not None:
            feature = np.full(len(X), np.nan)
            for train, test in pairs(columns, Y[:, output]):
                part = copied(estimator).fit(columns[train], Y[train, output])
                feature[test] = part.predict(columns[test])
        columns = np.column_stack([columns, feature])
    return models


def predict(models, X, order):
    """The outputs, each estimator taking what those before it predict."""
    columns, answers = X, np.empty((len(X), len(order)))
    for model, output in zip(models, order, strict=True):
        answers[:, output] = model.predict(columns)
        columns = np.column_stack([columns, answers[:, output]])
    return answers
