# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out: the answer for each row by a fit to all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import copied, weighted_labels
from statfast._typing import ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_estimator
from statfast.model_selection.evaluation.fold_strategies import require_weights
from statfast.model_selection.evaluation.scoring import as_plan
from statfast.model_selection.evaluation.validate import METHODS, held_out_answers
from statfast.model_selection.splitting.leaving_out import LeaveOneOut as EachRow
from statfast.model_selection.splitting.splitter import n_rows


@dataclass(frozen=True)
class LeftOutAnswers:
    """Result of `leave_one_out`: what each sample is given by a fit to all others.

    Attributes
    ----------
    answers : ndarray of shape (n,) or (n, K)
        Of the method asked for.
    path : str
        "closed form", "merged statistics", "shared structure" or "refit".

    Examples
    --------
    >>> from statfast import KNeighborsClassifier
    >>> from statfast.model_selection import leave_one_out
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"]
    >>> result = leave_one_out(KNeighborsClassifier(1), X, y)
    >>> result.answers, result.path
    (array(['a', 'a', 'b', 'b'], dtype='<U1'), 'closed form')
    """

    answers: NDArray[Any]
    path: str


def leave_one_out(
    estimator: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    method: str = "predict",
    priors: Literal["refit", "fixed"] = "refit",
    sample_weight: Weights = None,
) -> LeftOutAnswers:
    """Leave-one-out predictions, by a closed form where there is one.

    Parameters
    ----------
    estimator : estimator
        Estimator to fit; copies of it are used.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values.
    method : str, default="predict"
        "predict", "predict_proba", "predict_log_proba" or "decision_function".
    priors : {"refit", "fixed"}, default="refit"
        Of a discriminant without given priors: the proportions of the classes in the other samples,
        as a fit to these takes; or "fixed", those in all samples, as R's ``MASS`` does.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    LeftOutAnswers

    Raises
    ------
    ValueError
        As the fits; also if `priors` is "fixed" and the estimator has no priors.

    Notes
    -----
    Formulas there are for least squares, ridge, kernel ridge, linear and quadratic discriminants,
    and nearest neighbors; rows of leverage near 1 are refitted. Other sums over rows are merged
    n times.

    References
    ----------
    D. M. Allen (1974), "The relationship between variable selection and data augmentation and a
    method for prediction". doi:10.1080/00401706.1974.10489157

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.model_selection import leave_one_out
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [0.0, 1.0, 3.0, 4.0]
    >>> result = leave_one_out(LinearRegression(), X, y)
    >>> result.answers.round(3), result.path
    (array([0.5  , 1.333, 2.   , 5.833]), 'closed form')
    """
    as_choice(method, "method", METHODS)
    model = copied(as_estimator(estimator))
    if as_choice(priors, "priors", ("refit", "fixed")) == "fixed":
        if "priors" not in model.get_params(deep=False):
            raise ValueError(
                f"priors='fixed' needs an estimator with priors; {type(model).__name__} has none. "
                "Leave it out."
            )
        if model.priors is None:
            n = n_rows(X)
            classes, codes, weights = weighted_labels(y, n, sample_weight)
            totals = np.bincount(codes, weights, len(classes))
            model.set_params(priors=totals / totals.sum())
    require_weights(model, sample_weight)
    folds = as_plan(model, X, y, EachRow(), None, sample_weight)
    answers, path = held_out_answers(model, folds, method)
    return LeftOutAnswers(answers, path)
