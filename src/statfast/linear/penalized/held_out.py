# SPDX-License-Identifier: BSD-3-Clause
"""Errors of a path of linear models on rows held out."""

import numpy as np

from statfast._engine import each
from statfast.linear.design.design import linear_values


def held_out(folds, rows, fit, loss, n_jobs):
    """Mean losses of the rows held out (A, folds), the folds side by side.

    ``fit(weights)`` gives a path, ``loss(test, values)`` the losses (k, A) of its values for rows.
    """

    def work(fold):
        path = fit(fold.kept)
        values = linear_values(rows[fold.test], path.coefs.T, path.intercepts, dtype=np.float64)
        return (fold.held / fold.held.sum()) @ loss(fold.test, values)

    return np.array(each(work, folds, n_jobs=n_jobs)).T
