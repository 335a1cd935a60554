# SPDX-License-Identifier: BSD-3-Clause
"""Posteriors, the risk of each decision, and the decision of least risk."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike, Matrix, Weights
from statfast._validation import (
    as_real,
    as_rows,
    as_vector,
    as_weights,
    explain_nonfinite,
)

MAX_SUM_ERROR = 1e-6  # by which the sum of priors may differ from 1


def posteriors(
    likelihoods: ArrayLike, priors: ArrayLike, *, evidence: ArrayLike | None = None
) -> Array:
    """Posterior class probabilities by Bayes' rule.

    Parameters
    ----------
    likelihoods : array-like of shape (n, K)
        Density or probability of each observation in each class.
    priors : array-like of shape (K,)
        Probabilities of the classes.
    evidence : array-like of shape (n,), optional
        Probability of each observation. None takes the sum over the classes of prior times
        likelihood, by which the posteriors sum to 1.

    Returns
    -------
    posteriors : ndarray of shape (n, K)

    Raises
    ------
    ValueError
        If a number is negative or not finite, the priors do not sum to 1, an observation has
        probability 0 in every class, or a quotient by the evidence overflows.

    Examples
    --------
    >>> from statfast.decision import posteriors
    >>> posteriors([[0.667, 0.014]], [0.3, 0.7]).round(3)
    array([[0.953, 0.047]])
    """
    table = as_rows(likelihoods, name="likelihoods", keep=(np.float64,))
    if (table < 0.0).any():
        raise ValueError(f"likelihoods must not be negative; got {table.min():g}. Pass densities.")
    joint = table * as_priors(priors, table.shape[1])
    if evidence is None:
        total = joint.sum(axis=1)
    else:
        total = as_vector(evidence, "evidence")
        if total.shape != table.shape[:1]:
            raise ValueError(
                f"evidence must hold one number for each row ({len(table)}); got {total.shape[0]}."
            )
    if not (total > 0.0).all():
        row = (total <= 0.0).argmax()
        raise ValueError(
            f"likelihoods are 0 in every class at row {row}: it cannot occur. Leave it out, or "
            "smooth the densities."
        )
    with np.errstate(over="ignore"):
        shares = joint / total[:, None]
    explain_nonfinite(shares, "likelihoods over evidence")
    return shares


def conditional_risk(posteriors: ArrayLike, cost: ArrayLike | None = None) -> Array:
    """Conditional risk: the expected cost of each decision, given posteriors.

    Parameters
    ----------
    posteriors : array-like of shape (n, K)
        Posterior probabilities of the classes.
    cost : array-like of shape (K, D), optional
        Cost of each decision (column) for each true class (row). None is 1 for a wrong class and 0
        for the right one, so that the risk of a class is 1 less its posterior.

    Returns
    -------
    risk : ndarray of shape (n, D)

    Raises
    ------
    ValueError
        If posteriors are negative or do not sum to 1, or `cost` is not finite or has not one row
        for each class.

    Examples
    --------
    >>> from statfast.decision import conditional_risk
    >>> conditional_risk([[0.9, 0.1]], [[0.0, 1.0], [20.0, 0.0]]).round(3)
    array([[2. , 0.9]])
    """
    table = as_posteriors(posteriors)
    return table @ as_cost(cost, table.shape[1])


def decide(
    posteriors: ArrayLike, cost: ArrayLike | None = None, *, reject: float | None = None
) -> Array:
    """Bayes decision: that of least conditional risk.

    Parameters
    ----------
    posteriors : array-like of shape (n, K)
        Posterior probabilities of the classes.
    cost : array-like of shape (K, D), optional
        Cost of each decision (column) for each true class (row). None is 1 for a wrong class and 0
        for the right one, so that the risk of a class is 1 less its posterior.
    reject : float, optional
        Cost of deciding nothing, which is done where all decisions have a larger risk (Chow's
        rule). None always decides.

    Returns
    -------
    decision : ndarray of shape (n,), intp
        Column of the decision, the lowest on ties; -1 where nothing is decided.

    Raises
    ------
    ValueError
        As for `conditional_risk`, or if `reject` is not finite.

    References
    ----------
    .. [1] Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions
       on Information Theory 16, 41-46. https://doi.org/10.1109/TIT.1970.1054406

    Examples
    --------
    >>> from statfast.decision import decide
    >>> table = [[0, 0.3226, 0.6774], [0.0090, 0.8442, 0.1468], [0.2531, 0.7420, 0.0049]]
    >>> decide(table).tolist(), decide(table, reject=0.3).tolist()
    ([2, 1, 1], [-1, 1, 1])
    """
    return least_risk(conditional_risk(posteriors, cost), as_reject(reject))


def bayes_error(
    posteriors: ArrayLike,
    cost: ArrayLike | None = None,
    *,
    reject: float | None = None,
    sample_weight: Weights = None,
) -> float:
    """Bayes error: the least expected cost of any rule, for given posteriors.

    Parameters
    ----------
    posteriors : array-like of shape (n, K)
        Of each value that may be seen.
    cost : array-like of shape (K, D), optional
        Cost of each decision (column) for each true class (row). None is the probability of an
        error: for two classes the mean of min(p, 1 - p), for more that of 1 less the largest
        posterior.
    reject : float, optional
        Cost of deciding nothing.
    sample_weight : array-like of shape (n,), optional
        Probability of each value, or any multiple; None takes them as equally likely.

    Returns
    -------
    float
        The mean of the least conditional risk, exactly.

    Raises
    ------
    ValueError
        As for `conditional_risk`, or if weights are negative or all zero.

    Examples
    --------
    >>> from statfast.decision import bayes_error
    >>> round(bayes_error([[0.9, 0.1], [0.4, 0.6]], sample_weight=[0.75, 0.25]), 12)
    0.175
    """
    risk = conditional_risk(posteriors, cost)
    weights = as_weights(sample_weight, len(risk))
    least = np.minimum(risk.min(axis=1), np.inf if reject is None else as_reject(reject))
    return float(np.average(least, weights=weights))


# ------------------------------------------------------------------ checks and decisions of
# estimators
def least_risk(risk: Array, reject: float | None) -> Array:
    """Columns of least risk; -1 where it is larger than `reject`."""
    decision = risk.argmin(axis=1)
    if reject is not None:
        decision[risk.min(axis=1) > reject] = -1
    return decision


def as_posteriors(values: Matrix) -> Array:
    """Check a table of probabilities of classes."""
    table = as_rows(values, name="posteriors", keep=(np.float64,))
    if (table < 0.0).any():
        raise ValueError(f"posteriors must not be negative; got {table.min():g}.")
    with np.errstate(over="ignore"):
        sums = table.sum(axis=1)
    off = np.abs(sums - 1.0)
    if (off > 1e-3).any():
        row = off.argmax()
        raise ValueError(
            f"posteriors must sum to 1 in each row; got {sums[row]:g} at row {row}. Divide "
            "each row by its sum."
        )
    return table


def as_cost(cost: Any, n_classes: int) -> Array:
    """Check a cost matrix (K, D); None means zero-one costs."""
    if cost is None:
        return 1.0 - np.eye(n_classes)
    matrix = as_rows(cost, name="cost", keep=(np.float64,))
    if matrix.shape[0] != n_classes:
        raise ValueError(
            f"cost must have a row for each of {n_classes} classes; got shape {matrix.shape}. Rows "
            "are true classes, columns decisions."
        )
    return matrix


def as_reject(reject: Any) -> Any:
    """Check the cost of deciding nothing."""
    return None if reject is None else as_real(reject, "reject")


def as_priors(priors: Any, n_classes: int) -> Array:
    """Check probabilities of classes, which must sum to 1."""
    share = as_vector(priors, "priors")
    if share.shape != (n_classes,) or (share < 0.0).any() or abs(share.sum() - 1.0) > MAX_SUM_ERROR:
        raise ValueError(
            f"priors must be {n_classes} probabilities that sum to 1; got shape {share.shape} and "
            f"sum {share.sum():g}. Divide them by their sum."
        )
    return share / share.sum()
