# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of probabilities from counts."""

from __future__ import annotations

from typing import Literal

import numpy as np

from statfast._typing import Array, ArrayLike
from statfast._validation import as_choice, as_real, as_rows, to_array


def estimate_probabilities(
    counts: ArrayLike,
    method: Literal["ml", "laplace", "m"] = "ml",
    *,
    m: float | None = None,
    prior: ArrayLike | None = None,
) -> Array:
    """Estimate probabilities from counts: maximum likelihood, Laplace, m-estimate.

    Parameters
    ----------
    counts : array-like of shape (K,) or (r, K)
        Not negative; each row of several is estimated by itself.
    method : {"ml", "laplace", "m"}, default="ml"
        Maximum likelihood, n_i / n; Laplace's rule, (n_i + 1) / (n + K); or the m-estimate,
        (n_i + m prior_i) / (n + m), as if m outcomes had been seen before.
    m : float, optional
        Not negative; needed by "m". K with the uniform prior is Laplace's rule.
    prior : array-like of shape (K,), optional
        Of the m-estimate; None is uniform.

    Returns
    -------
    probabilities : ndarray of the shape of `counts`
        The sum over the outcomes is 1.

    Raises
    ------
    ValueError
        If a count is negative or not finite; if maximum likelihood, or m = 0, is asked for where
        all counts are zero; or if `m` or `prior` is missing, out of range, or not asked for.

    References
    ----------
    .. [1] Cestnik, B. (1990). Estimating probabilities: a crucial task in machine learning.
       Proceedings of ECAI 90, 147-149.

    Examples
    --------
    >>> from statfast.decision import estimate_probabilities
    >>> estimate_probabilities([3, 2, 5])
    array([0.3, 0.2, 0.5])
    >>> estimate_probabilities([3, 2, 5], "laplace") * 13
    array([4., 3., 6.])
    """
    as_choice(method, "method", ("ml", "laplace", "m"))
    array = to_array(counts, "counts", "an array-like of numbers")
    flat = array.ndim == 1
    table = as_rows(array[None] if flat else array, name="counts", keep=(np.float64,))
    if (table < 0.0).any():
        raise ValueError(f"counts must not be negative; got {table.min():g}. Count again.")
    n, n_outcomes = table.sum(axis=1, keepdims=True), table.shape[1]
    if method != "m" and not (m is None and prior is None):
        raise ValueError(f'm and prior are for method="m"; got method={method!r}. Leave them out.')
    share = np.full(n_outcomes, 1.0 / n_outcomes)
    weight = {"ml": 0.0, "laplace": float(n_outcomes)}.get(method)
    if method == "m":
        if m is None:
            raise ValueError('m must be given with method="m"; got None. Pass a number, such as 2.')
        weight = as_real(m, "m", 0.0)
        if prior is not None:
            share = as_rows([prior], name="prior", keep=(np.float64,))[0]
            if share.shape != (n_outcomes,) or (share < 0.0).any() or abs(share.sum() - 1) > 1e-8:
                raise ValueError(
                    f"prior must be {n_outcomes} probabilities that sum to 1; got shape "
                    f"{share.shape} and sum {share.sum():g}. Divide it by its sum."
                )
    if (n + weight == 0.0).any():
        raise ValueError(
            "counts are all zero, of which there is no estimate without a prior. Pass "
            'method="laplace".'
        )
    estimates = (table + weight * share) / (n + weight)
    return estimates[0] if flat else estimates
