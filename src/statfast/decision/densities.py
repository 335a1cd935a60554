# SPDX-License-Identifier: BSD-3-Clause
"""Densities of any kind: functions of rows, estimators with ``score_samples``, scipy's.

What a density can be asked: log densities of rows, each a number, and rows that are drawn from it.
"""

import numpy as np

from statfast._validation import shown


def log_density(density):
    """The function from rows to log densities of an object."""
    for name in ("score_samples", "logpdf", "logpmf"):
        if callable(getattr(density, name, None)):
            return getattr(density, name)
    if callable(density):
        return density
    raise TypeError(
        f"A density must be a function of rows, or have score_samples or logpdf; got "
        f"{shown(density)}. Pass a fitted one."
    )


def log_densities(density, rows):
    """Log densities of rows, one number each."""
    found = np.asarray(log_density(density)(rows), dtype=np.float64)
    if found.shape == (len(rows), 1):
        found = found[:, 0]
    if found.ndim == 0 and len(rows) == 1:  # scipy's, of one row
        found = found[None]
    if found.shape != (len(rows),):
        raise ValueError(
            f"A density must give one number for each of {len(rows)} rows; got shape "
            f"{found.shape}. Reduce it over the columns."
        )
    return found


def drawn(density, n, rng, width):
    """Rows drawn from a density."""
    if callable(getattr(density, "sample", None)):
        found = density.sample(n, random_state=rng.integers(2**31 - 1))
        found = found[0] if isinstance(found, tuple) else found
    elif callable(getattr(density, "rvs", None)):
        found = density.rvs(size=n, random_state=rng)
    else:
        raise TypeError(
            f"{shown(density)} has neither sample nor rvs, so no rows can be drawn. Pass the "
            "posteriors of rows to statfast.decision.bayes_error."
        )
    return np.asarray(found, dtype=np.float64).reshape(n, width)
