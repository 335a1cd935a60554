# SPDX-License-Identifier: BSD-3-Clause
"""Votes, means and stacks as they are defined: a loop over the members, and one over the rows."""

import numpy as np

from statfast._estimator import copied


def fits(members, X, y, weights=None):
    """A fit of each member to all rows."""
    more = {} if weights is None else {"sample_weight": weights}
    return [copied(member).fit(X, y, **more) for member in members]


def majority(models, X, classes, weights):
    """The label with the most votes in each row, the lowest of equals."""
    predictions = [model.predict(X) for model in models]
    labels = []
    for row in range(len(X)):
        votes = dict.fromkeys(classes, 0.0)
        for predicted, weight in zip(predictions, weights, strict=True):
            votes[predicted[row]] += weight
        labels.append(max(sorted(votes), key=votes.get))
    return np.array(labels)


def mean_answer(models, X, method, weights):
    """The weighted mean of what members answer."""
    total = sum(w * getattr(m, method)(X) for w, m in zip(weights, models, strict=True))
    return total / sum(weights)


def held_out_columns(members, X, y, pairs, methods, weights=None):
    """What members answer of each row, fitted to the other folds: all columns of all members."""
    columns = [[None] * len(X) for _ in members]
    for train, test in pairs:
        used = train if weights is None else train[weights[train] > 0]
        models = fits(members, X[used], y[used], None if weights is None else weights[used])
        for place, (model, method) in enumerate(zip(models, methods, strict=True)):
            for row in test:
                columns[place][row] = columns_of_row(model, method, X[row : row + 1])
    return np.hstack([np.array(block, dtype=float) for block in columns])


def columns_of_row(model, method, x):
    """What a model answers of one row, as the final estimator takes it."""
    answer = np.atleast_1d(np.asarray(getattr(model, method)(x))[0])
    if method == "predict" and hasattr(model, "classes_"):
        return [list(model.classes_).index(answer[0])]
    return answer[1:] if method == "predict_proba" and len(answer) == 2 else answer
