# SPDX-License-Identifier: BSD-3-Clause
"""Which columns are worth a fit: those that one Newton step of the fitted models promises most of.

Of a model of the selected columns, with the gradient U of one column more and its information I
given those, the step raises the log-likelihood by U^2 / (2 I) to second order: half the statistic
of the score test (C. R. Rao 1948, doi:10.1017/S0305004100023987). A column less takes half its
Wald statistic off. Both are of the rows that folds fit: they say which columns are to be fitted
and scored, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint, interruptible
from statfast._estimator import Estimator, Folds, NewtonTerms, take_columns, take_rows
from statfast._linalg import factored
from statfast._typing import Array
from statfast._validation import as_rows, is_sparse, refuse_large
from statfast.model_selection.evaluation.fold_strategies import FoldFits, overrides_fit_or_answers

MIN_SHARE_LEFT = 1e-10  # A column of which the selected ones leave less information has no step.


def newton_gains(
    estimator: Any, folds: Folds, selected: Sequence[int], rest: Sequence[int] | None
) -> NDArray[np.float64] | None:
    """What each column of the rest gains beside the selected ones, summed over the folds; with None
    what each selected column gains beside the rest. None where the models do not tell."""
    if not selected or folds.arguments:
        return None
    if not isinstance(estimator, Estimator) or overrides_fit_or_answers(estimator):
        return None
    table = _as_array(folds.X)
    if table is None:
        return None
    folds = replace(folds, X=table)
    places, total = list(selected), np.zeros(1)
    for k, fold in enumerate(FoldFits(estimator, replace(folds, X=take_columns(folds.X, places)))):
        checkpoint()
        model, rows = fold.models[0], folds.train(k)
        if isinstance(model, Exception):
            return None
        weights = np.ones(len(rows)) if folds.weights is None else folds.weights[rows]
        X = np.asarray(folds.X[rows], dtype=np.float64)
        terms = model._newton_terms(X[:, places], take_rows(folds.y, rows), weights)
        if terms is None:
            return None
        candidates = None if rest is None else X[:, list(rest)]
        total = total + sum(_gains(X[:, places], candidates, part) for part in terms)
    return total


def _as_array(X: Any) -> Array | None:
    """A table's numbers; None where it holds others, of which a fit says what is wrong."""
    if is_sparse(X):
        refuse_large(8 * X.shape[0] * X.shape[1], "A dense copy of X", "Leave out n_refits.")
        return np.asarray(X.toarray())
    try:
        return np.asarray(as_rows(X))
    except (TypeError, ValueError):
        return None


def _gains(X: Array, candidates: Array | None, terms: NewtonTerms) -> Array:
    """The same of one linear predictor in one fold."""
    if terms.has_intercept:
        X = np.column_stack([np.ones(len(X)), X])
    first = int(terms.has_intercept)
    weighted = X * terms.information[:, None]
    products = interruptible(np.matmul, weighted.T, X)
    penalized = np.arange(first, len(products))
    products[penalized, penalized] += terms.penalty
    factor = factored(products)
    if candidates is None:
        inverse = np.array([factor.solve(unit)[i] for i, unit in enumerate(np.eye(len(products)))])
        return terms.slopes**2 / inverse[first:]
    across = interruptible(np.matmul, weighted.T, candidates)
    along = np.column_stack([factor.solve(column) for column in across.T])
    size = terms.information @ candidates**2 + terms.penalty
    left = size - np.einsum("qj,qj->j", across, along)
    certain = left > MIN_SHARE_LEFT * size
    gradient = terms.residuals @ candidates
    return np.divide(gradient**2, left, out=np.zeros(len(left)), where=certain)


def leaders(gains: Array, n: int, *, largest: bool) -> NDArray[np.intp]:
    """Places, ascending, of the n largest or smallest gains, of equals the first."""
    order = np.argsort(-gains if largest else gains, kind="stable")
    return np.sort(order[:n])
