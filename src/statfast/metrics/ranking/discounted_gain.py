# SPDX-License-Identifier: BSD-3-Clause
"""Discounted cumulative gain: rankings of documents by their relevance, a row a query."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import ArrayLike, Weights
from statfast._validation import as_count, as_flag, as_real, as_rows, as_weights


def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Weights = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain (DCG): relevance over the logarithm of the rank plus 1.

    Parameters
    ----------
    y_true : array-like of shape (n, m)
        Relevance of m documents for each of n queries.
    y_score : array-like of shape (n, m)
        Scores by which they are ranked, the highest first.
    k : int, optional
        Count the first k ranks alone.
    log_base : float, default=2
        Of the logarithm.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    ignore_ties : bool, default=False
        Of documents of equal score the last is ranked first, as in scikit-learn, instead of all
        orders, of which the average is taken [2]_.

    Returns
    -------
    float
        The average over queries.

    Raises
    ------
    ValueError
        If y_true and y_score are not finite and of one shape, or k or the base is out of range.

    References
    ----------
    .. [1] Järvelin, K. and Kekäläinen, J. (2002). Cumulated gain-based evaluation of IR techniques.
       ACM Transactions on Information Systems 20, 422-446. https://doi.org/10.1145/582415.582418
    .. [2] McSherry, F. and Najork, M. (2008). Computing information retrieval performance measures
       efficiently in the presence of tied scores. ECIR 2008.
       https://doi.org/10.1007/978-3-540-78646-7_38

    Examples
    --------
    >>> from statfast.metrics import dcg_score
    >>> round(dcg_score([[3, 0, 1]], [[0.9, 0.5, 0.7]]), 4)
    3.6309
    """
    truth, scores, k, weights = _checked(y_true, y_score, k, sample_weight)
    base = as_real(log_base, "log_base", 1.0, open_low=True)
    gains = _gains(truth, scores, k, as_flag(ignore_ties, "ignore_ties"))
    return float(np.average(gains * np.log(base), weights=weights))


def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: Weights = None,
    ignore_ties: bool = False,
) -> float:
    """Normalized discounted cumulative gain (NDCG).

    Parameters
    ----------
    y_true : array-like of shape (n, m)
        Relevance, not negative, of m documents for each of n queries.
    y_score : array-like of shape (n, m)
        Scores by which they are ranked, the highest first.
    k : int, optional
        Count the first k ranks alone.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    ignore_ties : bool, default=False
        Of documents of equal score the last is ranked first, as in scikit-learn, instead of all
        orders, of which the average is taken.

    Returns
    -------
    float
        Between 0 and 1, the average over queries; one without a relevant document has 0.

    Raises
    ------
    ValueError
        As `dcg_score`; also if a relevance is negative, or there is one document.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). Cumulated gain-based evaluation of IR techniques.
    ACM Transactions on Information Systems 20, 422-446. https://doi.org/10.1145/582415.582418

    Examples
    --------
    >>> from statfast.metrics import ndcg_score
    >>> round(ndcg_score([[3, 0, 1]], [[0.9, 0.7, 0.5]]), 4)
    0.9639
    """
    truth, scores, k, weights = _checked(y_true, y_score, k, sample_weight)
    if truth.min() < 0:
        raise ValueError(
            f"ndcg_score should not be used on negative y_true values; got {truth.min():g}. Add a "
            "constant."
        )
    if truth.shape[1] == 1:
        raise ValueError("y_true must be of more than one document for each query; got 1.")
    ignore_ties = as_flag(ignore_ties, "ignore_ties")
    gains, best = (_gains(truth, by, k, ignore_ties) for by in (scores, truth))
    shares = np.divide(gains, best, out=np.zeros_like(gains), where=best > 0)
    return float(np.average(shares, weights=weights))


def _checked(y_true: Any, y_score: Any, k: int | list[int] | None, sample_weight: Any) -> Any:
    truth = as_rows(y_true, name="y_true", keep=(np.float64,))
    scores = as_rows(y_score, name="y_score", keep=(np.float64,))
    if truth.shape != scores.shape:
        raise ValueError(
            f"y_score must have the shape of y_true, {truth.shape}; got {scores.shape}."
        )
    k = truth.shape[1] if k is None else as_count(k, "k")
    return truth, scores, k, as_weights(sample_weight, len(truth))


def _gains(truth: Any, scores: Any, k: int, ignore_ties: bool) -> Any:
    """Of each row, with natural logarithms."""
    n, m = truth.shape
    discount = 1.0 / np.log(np.arange(2, m + 2))
    discount[k:] = 0.0
    order = np.argsort(scores, axis=1, kind="stable")[:, ::-1]
    ranked = np.take_along_axis(truth, order, axis=1)
    if ignore_ties:
        return (ranked * discount).sum(axis=1)
    held = np.take_along_axis(scores, order, axis=1)
    first = np.ones((n, m), dtype=bool)
    first[:, 1:] = held[:, 1:] != held[:, :-1]
    starts = np.flatnonzero(first)
    size = np.diff(np.append(starts, n * m))
    relevance = np.add.reduceat(ranked.reshape(-1), starts)
    weight = np.add.reduceat(np.broadcast_to(discount, (n, m)).reshape(-1), starts)
    return np.bincount(starts // m, relevance * weight / size, n)
