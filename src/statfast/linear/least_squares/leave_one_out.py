# SPDX-License-Identifier: BSD-3-Clause
"""What each row is predicted to be by the fit to all others: residuals over one less leverage.

Allen (1974), doi:10.1080/00401706.1974.10489157; it holds for ridge, too, whose rows of penalties
stay. Where the leverage is near 1, little is left of the row's residual: such rows are fitted anew.
"""

from typing import Any

import numpy as np

from statfast._engine import each, grid, interruptible
from statfast._typing import Array, Jobs

MIN_REST = 1e-5  # Where less than this is left of 1 - h, the row's residual has lost five digits.
MAX_REFITS = 16  # For more uncertain rows, fits from merged statistics take less time.


def predict_left_out(
    rows: Array, Y: Array, weights: Array | None, fit: Any, n_jobs: Jobs
) -> tuple[Array, Array]:
    """Predictions (n, T), and whether they are certain (n,).

    `fit` has ``coef`` (T, p), ``intercept`` (T,), and ``root`` (p, r) with ``center`` (p,) and
    ``total_weight`` such that the leverage of x is w (|(x - center)' root|^2 + 1 / total_weight).
    """
    coef, intercept, root, center, total_weight = fit
    out, certain = np.empty(Y.shape), np.empty(len(Y), dtype=bool)

    def work(where: slice) -> None:
        block = np.ascontiguousarray(rows[where], dtype=np.float64)
        fits = interruptible(np.matmul, block, coef.T) + intercept
        leverage = (interruptible(np.matmul, block - center, root) ** 2).sum(axis=1)
        leverage = leverage + (0.0 if total_weight is None else 1.0 / total_weight)
        if weights is not None:
            leverage = leverage * weights[where]
        rest = 1.0 - leverage
        certain[where] = rest > MIN_REST
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            out[where] = (
                Y[where] - (Y[where] - fits) / np.where(rest > MIN_REST, rest, 1.0)[:, None]
            )

    effort = 4.0 * rows.shape[0] * rows.shape[1] * (root.shape[1] + Y.shape[1])
    each(work, grid(len(Y)), n_jobs=n_jobs, effort=effort)
    return out, certain & np.isfinite(out).all(axis=1)


def refit_uncertain(model: Any, columns: Any, state: Any, out: Array, certain: Array) -> bool:
    """Fill in the rows that are not certain; False if there are too many, or no fit without one."""
    odd = np.flatnonzero(~certain)
    if len(odd) > MAX_REFITS:
        return False
    for row in odd:
        kept = np.arange(len(out)) != row
        remaining = tuple(None if column is None else column[kept] for column in columns)
        refit = type(model)(**model.get_params(deep=False))
        try:
            refit._solve(refit._statistics(remaining, state), state)
        except ValueError:
            return False
        out[row] = refit.predict(np.asarray(columns[0][row : row + 1], dtype=np.float64))[0]
    return True
