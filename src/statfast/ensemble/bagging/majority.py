# SPDX-License-Identifier: BSD-3-Clause
"""The error of a majority of independent voters."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import ArrayLike
from statfast._validation import MAX_REPEATS, as_count, wrong_type


def majority_error(n_voters: int, p: ArrayLike) -> float | Any:
    """Probability that a majority of independent voters is wrong: the binomial tail.

    Condorcet's jury theorem: for voters each wrong with a probability below 1/2 it falls to 0 as
    there are more of them, above 1/2 it rises to 1.

    Parameters
    ----------
    n_voters : int
        T, the number of voters.
    p : float or array-like
        Probability that one of them is wrong.

    Returns
    -------
    float or ndarray
        P(B > T/2) + P(B = T/2) / 2 for B binomial with T and p: a tie is broken by a coin.

    Raises
    ------
    ValueError
        If `n_voters` is below 1, or a probability is not between 0 and 1.
    TypeError
        If `p` is not made of numbers.

    References
    ----------
    .. [1] Condorcet, N. de (1785). Essai sur l'application de l'analyse a la probabilite des
       decisions rendues a la pluralite des voix. Imprimerie royale, Paris.
    .. [2] Hansen, L. K. and Salamon, P. (1990). Neural network ensembles. IEEE Transactions on
       Pattern Analysis and Machine Intelligence 12, 993-1001. https://doi.org/10.1109/34.58871

    Examples
    --------
    >>> from statfast.ensemble import majority_error
    >>> round(majority_error(21, 0.3), 4)
    0.0264
    >>> majority_error(1, 0.3)
    0.3
    """
    from scipy.special import betainc

    voters = as_count(n_voters, "n_voters", high=10**3 * MAX_REPEATS)
    try:
        chance = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise wrong_type("p", "a probability, or several", p) from error
    if not ((chance >= 0.0) & (chance <= 1.0)).all():
        raise ValueError("p must be between 0 and 1; got a number that is not. Give probabilities.")
    # P(B >= k) is an incomplete beta function; for even T, half a tie equals one voter less.
    odd = voters if voters % 2 else voters - 1
    need = (odd + 1) // 2
    tail = betainc(need, odd - need + 1, chance)
    return float(tail) if chance.ndim == 0 else tail
