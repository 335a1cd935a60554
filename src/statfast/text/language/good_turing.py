# SPDX-License-Identifier: BSD-3-Clause
"""Simple Good-Turing estimates of the expected count of items that were seen r times."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral

import numpy as np

from statfast._validation import wrong_type


def simple_good_turing(frequencies: Mapping[int, int]) -> tuple[float, dict[int, float]]:
    """Smooth frequencies of frequencies by simple Good-Turing.

    Parameters
    ----------
    frequencies : mapping of int to int
        For each count r, how many things were seen r times.

    Returns
    -------
    unseen : float
        The probability of all that was not seen.
    expected : dict of int to float
        For each r the count r* to be expected in place of it, so that r* / N sums to 1 - unseen.

    Raises
    ------
    TypeError
        If `frequencies` is not a mapping of integers.
    ValueError
        If there is no count, or one that is not positive.

    Notes
    -----
    Turing's estimate (r + 1) N_(r+1) / N_r is taken as long as it differs from that of a line
    through log Z_r and log r by 1.65 standard deviations, the line's from then on; Z_r is N_r
    divided by half the distance of the counts beside it.

    References
    ----------
    .. [1] Gale, W. A. and Sampson, G. (1995). Good-Turing frequency estimation without tears.
       Journal of Quantitative Linguistics 2, 217-237. https://doi.org/10.1080/09296179508590051

    Examples
    --------
    >>> from statfast.text import simple_good_turing
    >>> unseen, expected = simple_good_turing({1: 10, 2: 5, 3: 2, 5: 1})
    >>> round(unseen, 4)
    0.3226
    """
    if not isinstance(frequencies, Mapping):
        raise wrong_type("frequencies", "a dict of counts and their frequencies", frequencies)
    for number in (*frequencies, *frequencies.values()):
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise wrong_type("frequencies", "a dict of counts and their frequencies", frequencies)
    if not frequencies or min(frequencies) < 1 or min(frequencies.values()) < 1:
        raise ValueError(
            "frequencies must map counts of at least 1 to how many things had them; got "
            f"{dict(list(frequencies.items())[:5]) if frequencies else 'none'}."
        )
    r = np.array(sorted(frequencies), dtype=np.float64)
    n = np.array([frequencies[int(k)] for k in r], dtype=np.float64)
    total = (r * n).sum()
    unseen = n[0] / total if r[0] == 1 else 0.0
    if len(r) == 1:
        return unseen, {int(r[0]): float(r[0] * (1.0 - unseen))}
    before = np.concatenate([[0.0], r[:-1]])
    after = np.concatenate([r[1:], [2.0 * r[-1] - before[-1]]])
    x, y = np.log(r), np.log(2.0 * n / (after - before))
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    smoothed = r * (1.0 + 1.0 / r) ** (slope + 1.0)
    expected, by_line = np.empty(len(r)), False
    for i in range(len(r)):
        above = n[i + 1] if i + 1 < len(r) and r[i + 1] == r[i] + 1 else 0.0
        by_line = by_line or above == 0.0
        if not by_line:
            turing = (r[i] + 1.0) * above / n[i]
            tolerance = 1.65 * np.sqrt((r[i] + 1.0) ** 2 * above / n[i] ** 2 * (1.0 + above / n[i]))
            by_line = abs(turing - smoothed[i]) <= tolerance
        expected[i] = smoothed[i] if by_line else turing
    expected *= (1.0 - unseen) * total / (n * expected).sum()
    return float(unseen), {int(k): float(value) for k, value in zip(r, expected, strict=True)}
