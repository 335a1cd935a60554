# SPDX-License-Identifier: BSD-3-Clause
"""What logistic regression asks of a solver, and what it gets."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._sparse import is_sparse
from statfast._validation import refuse_large
from statfast.linear.inference import Result


@dataclass(frozen=True)
class Task:
    """What a solver is given: checked rows, and codes 0 to K - 1 of their classes."""

    X: object
    codes: NDArray[np.intp]
    classes: NDArray
    reference: int  # code of the reference class
    weights: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None
    intercept: bool
    C: float
    penalty: str | None
    max_iter: int
    tol: float
    n_jobs: int | None
    columns: NDArray | None


@dataclass(frozen=True)
class Solution:
    """What a solver gives: a row of coefficients for each class, or one for two classes.

    `posterior` says how scores become probabilities: "sigmoid", "ovr" (sigmoids over their sum), or
    "softmax" (a row for every class but the reference, whose score is 0, or for every class).
    """

    coef: NDArray[np.float64]  # (m, q), the intercept first if there is one
    posterior: str
    n_iter: NDArray[np.int32]  # (m,) or (1,)
    converged: bool
    result: Result | Mapping[str, Result]

    def results(self) -> list[Result]:
        """One, or one for each class."""
        return [self.result] if isinstance(self.result, Result) else list(self.result.values())


def dense(X):
    """Rows for a solver that has no sparse ones: an array, or `Chunks`."""
    if not is_sparse(X):
        return X
    refuse_large(8.0 * X.shape[0] * X.shape[1], "X as a dense array", "Use multi_class='ovr'.")
    return X.toarray()
