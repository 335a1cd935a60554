# SPDX-License-Identifier: BSD-3-Clause
"""Penalties: their check, the geometric grid below the one that leaves nothing, and one target."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import MAX_REPEATS, as_count, as_real, shown, wrong_type

DEFAULT_PENALTIES = 100  # The default number of penalties.
MIN_L1_RATIO = 1e-3  # Below this share of l1 there is no useful largest penalty.
ROUNDING_OF_CORRELATION = 1e-12  # A product that is a smaller share of |z| |y| is rounding.
TINY = np.finfo(float).tiny


def as_alphas(alphas: Any, name: str = "alphas") -> Array | int:
    """Penalties, not negative, in falling order; or an integer, how many are to be chosen."""
    if alphas is None:
        return DEFAULT_PENALTIES
    if isinstance(alphas, Integral) and not isinstance(alphas, bool | np.bool_):
        return as_count(alphas, name, high=MAX_REPEATS)
    try:
        values = np.asarray(alphas, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type(name, "a list of penalties", alphas) from None
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(
            f"{name} must be a list of penalties, or an integer (how many); got "
            f"{shown(alphas) if values.ndim == 0 else f'shape {values.shape}'}."
        )
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"{name} must be finite and not negative; got {values.min()}.")
    return np.sort(values)[::-1]


def alpha_grid(largest_products, columns, l1_ratio, how_many, eps, power=0):
    """`how_many` penalties from the least one that leaves no coefficient down to `eps` times it.

    `largest_products` are the greatest |z'y| and the greatest |z| |y|, of `columns` and y over a
    power of two.
    """
    eps = as_real(eps, "eps", 0.0, 1.0, open_low=True)
    largest, most = largest_products
    columns.refuse_vanished(eps * largest, 1.0)
    # The first penalty is larger by a rounding error, so that it leaves no coefficient. Where all
    # correlations are rounding, parts of the rows may still correlate: then the largest penalty is
    # one that is enough for any y.
    top = largest * (1 + 1e-14) if largest > ROUNDING_OF_CORRELATION * most else most
    top = (top or 1.0) / columns.n / max(l1_ratio, MIN_L1_RATIO)
    with np.errstate(over="ignore", under="ignore"):
        ends = np.ldexp(np.ldexp(np.array([top, top * eps]), columns.power), power)
    if not TINY < ends[1] <= ends[0] < np.inf:
        raise ValueError(
            "The penalties for X and y of such sizes are out of the range of float64. Divide X or "
            "y by its size, or raise eps."
        )
    return np.geomspace(*ends, how_many) if how_many > 1 else ends[:1]
