# SPDX-License-Identifier: BSD-3-Clause
"""What answers of cross-validation have to be: refits of folds in plain numpy."""

from functools import partial

import numpy as np

from benchmarks.harness.check import Check, Sample, difference, relative_difference

FOLDS = 10
NEIGHBORS = range(1, 31)
COSTS, SVC_FOLDS = (0.1, 0.3, 1.0, 3.0, 10.0), 5
PERMUTATIONS = 100
# The number of rows for which leave-one-out is fitted anew, by the checks and by scikit-learn.
ROWS_REFITTED = 200


def folds_of(n, k=FOLDS):
    """Runs of rows, as ``KFold(k)`` has them."""
    return np.array_split(np.arange(n), k)


def splits(n, k=FOLDS):
    """Pairs of the rows that a fold trains on, and those that it tests."""
    for test in folds_of(n, k):
        yield np.delete(np.arange(n), test), test


def labels_by(X, y, X_new):
    """Labels of new rows by linear discriminants, in plain numpy."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    means = np.stack([X[codes == c].mean(0) for c in range(len(classes))])
    within = X - means[codes]
    slopes = np.linalg.solve(within.T @ within / (len(X) - len(classes)), means.T)
    scores = X_new @ slopes - 0.5 * (means.T * slopes).sum(0) + np.log(counts / len(X))
    return classes[scores.argmax(1)]


def discriminant_scores(data):
    X, y = data["X"], data["y"]
    shares = [(labels_by(X[a], y[a], X[b]) == y[b]).mean() for a, b in splits(len(X))]
    return {"scores": np.array(shares)}


def squared_errors(data, path):
    """Means over the folds; ``path(Z, z, alphas)`` are coefficients (d, A) of centered rows."""
    X, y, total = data["X"], data["y"], np.zeros(len(data["alphas"]))
    for train, test in splits(len(X)):
        mean, level = X[train].mean(0), y[train].mean()
        predicted = (X[test] - mean) @ path(
            X[train] - mean, y[train] - level, data["alphas"]
        ) + level
        total += ((y[test, None] - predicted) ** 2).mean(0)
    return {"errors": total / FOLDS}


def ridge_path(Z, z, alphas):
    """By the normal equations."""
    values, vectors = np.linalg.eigh(Z.T @ Z)
    return vectors @ ((vectors.T @ (Z.T @ z))[:, None] / (values[:, None] + alphas))


def lasso_path(Z, z, alphas):
    """By coordinate descent on the products, of all penalties beside each other."""
    G, c = Z.T @ Z / len(z), Z.T @ z / len(z)
    B = np.zeros((len(G), len(alphas)))
    for _ in range(500):
        before = B.copy()
        for j in range(len(B)):
            pull = c[j] - G[j] @ B + G[j, j] * B[j]
            B[j] = np.sign(pull) * np.maximum(np.abs(pull) - alphas, 0) / G[j, j]
        if np.abs(B - before).max() < 1e-9:
            break
    return B


def machine_by(K, sign, cost, tol=1e-3):
    """Multipliers and offset of a machine, a pair after the other, in plain numpy (Fan, Chen & Lin
    2005, https://www.jmlr.org/papers/v6/fan05a.html)."""
    b, f = np.zeros(len(sign)), -sign.astype(np.float64)
    low, high = np.minimum(0.0, cost * sign), np.maximum(0.0, cost * sign)
    diagonal = K.diagonal()
    while True:
        up, down = np.where(b < high, -f, -np.inf), np.where(b > low, -f, np.inf)
        i = int(up.argmax())
        if up[i] - down.min() <= tol:
            return b, -(up[i] + down.min()) / 2
        violation = np.maximum(up[i] - down, 0.0)
        curve = np.maximum(diagonal[i] + diagonal - 2.0 * K[i], 1e-12)
        j = int((violation**2 / curve).argmax())
        step = min(violation[j] / curve[j], high[i] - b[i], b[j] - low[j])
        b[i], b[j] = b[i] + step, b[j] - step
        f += step * (K[i] - K[j])


def machine_scores(data):
    """Accuracies of machines trained on each fold."""
    X, y = data["X"], data["y"]
    sign, squares = np.where(y == 1, 1.0, -1.0), (X**2).sum(1)
    K = np.exp((2.0 * X @ X.T - squares - squares[:, None]) / X.shape[1])
    scores = np.zeros(len(COSTS))
    for train, test in splits(len(X), SVC_FOLDS):
        inner = np.ascontiguousarray(K[np.ix_(train, train)])
        for c, cost in enumerate(COSTS):
            b, rho = machine_by(inner, sign[train], cost)
            values = K[np.ix_(test, train)] @ b - rho
            scores[c] += ((values > 0) == (sign[test] > 0)).mean() / SVC_FOLDS
    return {"scores": scores}


def logistic_losses(data):
    """Log losses of Newton's method, fold by fold."""
    Z, y, losses = np.column_stack([np.ones(len(data["X"])), data["X"]]), data["y"], []
    for train, test in splits(len(y)):
        A, b = Z[train], np.zeros(Z.shape[1])
        for _ in range(12):
            p = 1 / (1 + np.exp(-A @ b))
            b += np.linalg.solve((A.T * (p * (1 - p))) @ A, A.T @ (y[train] - p))
        eta = Z[test] @ b
        losses.append((np.logaddexp(0, eta) - y[test] * eta).mean())
    return {"losses": np.array(losses)}


def without_each(data, predict):
    """Some rows, each predicted from all others by ``predict(X, y, row)``."""
    X, y = data["X"], data["y"]
    rows = np.arange(min(ROWS_REFITTED, len(X)))
    values = [predict(np.delete(X, i, 0), np.delete(y, i), X[i : i + 1])[0] for i in rows]
    return {"predictions": Sample(len(X), rows, np.array(values))}


def line_by(X, y, X_new):
    """Predictions of least squares."""
    A, A_new = (np.column_stack([np.ones(len(rows)), rows]) for rows in (X, X_new))
    return A_new @ np.linalg.lstsq(A, y, rcond=None)[0]


def permuted_scores(data):
    """Scores of least squares for permuted targets, which ``RandomState`` has drawn for ever."""
    X, y, rng = data["X"], data["y"], np.random.RandomState(0)
    Y = np.column_stack([y[rng.permutation(len(y))] for _ in range(PERMUTATIONS)])
    scores = np.zeros(PERMUTATIONS)
    for train, test in splits(len(X)):
        errors = Y[test] - line_by(X[train], Y[train], X[test])
        scores += (1 - (errors**2).mean(0) / Y[test].var(0)) / FOLDS
    return {"scores": scores}


def errors_of_neighbors(data):
    """The votes of some rows' neighbors bound the errors of all: they are counted for all rows."""
    X, y = data["X"], data["y"]
    wrong = np.zeros(len(NEIGHBORS))
    squares = (X**2).sum(1)
    for first in range(0, len(X), 500):
        rows = np.arange(first, min(first + 500, len(X)))
        d2 = squares - 2 * X[rows] @ X.T
        d2[np.arange(len(rows)), rows] = np.inf
        near = np.argsort(d2, axis=1, kind="stable")[:, : max(NEIGHBORS)]
        votes = np.zeros((len(rows), y.max() + 1))
        for place, _ in enumerate(NEIGHBORS):
            votes[np.arange(len(rows)), y[near[:, place]]] += 1
            wrong[place] += (votes.argmax(1) != y[rows]).sum()
    return {"errors": wrong / len(X)}


def loss_of_all_rows(data):
    """The loss of the rule by all rows fitted, about which those of the samples vary."""
    X, y, cut = data["X"], data["y"], len(data["X"]) * 7 // 10
    wrong = labels_by(X[:cut], y[:cut], X[cut:]) != y[cut:]
    return {"loss": np.full(2, wrong.mean())}


def share_wrong(array, expected):
    return (array != expected).mean()


CHECKS = {
    "lda folds": Check.of_twin(discriminant_scores, {"score error": difference}),
    "ridge folds": Check.of_twin(
        partial(squared_errors, path=ridge_path), {"relative error": relative_difference}
    ),
    "SVC grid": Check.of_twin(machine_scores, {"score error": difference}),
    "logistic folds": Check.of_twin(logistic_losses, {"loss error": difference}),
    "lasso folds": Check.of_twin(
        partial(squared_errors, path=lasso_path), {"relative error": relative_difference}
    ),
    "least squares leave-one-out": Check.of_twin(
        partial(without_each, predict=line_by), {"error": difference}
    ),
    "permuted targets": Check.of_twin(permuted_scores, {"error": difference}),
    "LDA leave-one-out": Check.of_twin(
        partial(without_each, predict=labels_by), {"share wrong": share_wrong}
    ),
    "neighbors leave-one-out": Check.of_twin(errors_of_neighbors, {"error": difference}),
    "bias and variance": Check.of_twin(loss_of_all_rows, {"loss error": difference}),
}
