# SPDX-License-Identifier: BSD-3-Clause
"""Penalties: their check, the geometric grid below the one that leaves nothing, and one target."""

import numpy as np

from statfast._errors import warn_column_vector, wrong_type
from statfast._regression import as_targets
from statfast._validation import as_count, as_real

L1_LEAST = 1e-3  # below this share of l1 there is no useful largest penalty


def as_target(y, n):
    """One target: (n,) numbers; a column is accepted with a warning."""
    targets, flat = as_targets(y, n)
    if targets.shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {targets.shape} instead. Fit one "
            "target at a time."
        )
    if not flat:
        warn_column_vector()
    return targets[:, 0]


def as_alphas(alphas, name="alphas"):
    """Penalties given as one number each, not negative, in falling order."""
    try:
        values = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    except (TypeError, ValueError):
        raise wrong_type(name, "a list of penalties", alphas) from None
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must be a list of penalties; got shape {values.shape}.")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"{name} must be finite and not negative; got {values.min()}.")
    return np.sort(values)[::-1]


def alpha_grid(largest, l1_ratio, n_alphas, eps):
    """`n_alphas` penalties from the least one that leaves no coefficient down to `eps` times it.

    `largest` is the greatest |z'y| / n.
    """
    n_alphas = as_count(n_alphas, "n_alphas")
    eps = as_real(eps, "eps", 0.0, 1.0, open_low=True)
    # A hair more, so that rounding leaves no coefficient at the first.
    top = max(largest * (1 + 1e-14) / max(l1_ratio, L1_LEAST), np.finfo(float).tiny ** 0.5)
    return np.geomspace(top, top * eps, n_alphas) if n_alphas > 1 else np.array([top])
