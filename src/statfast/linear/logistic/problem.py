# SPDX-License-Identifier: BSD-3-Clause
"""The problem that a solver of logistic regression is passed, and the solution it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array
from statfast._validation import is_sparse, refuse_large
from statfast.linear.inference.inference import Result


@dataclass(frozen=True)
class LogisticProblem:
    """What a solver is given: checked rows, and the classes of each."""

    X: object
    marks: NDArray  # intp codes 0 to K - 1 of the classes, or for two classes their float64 values
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
    l1_ratio: float = 0.0  # the share of l1 in an elastic net
    # Coefficients to begin at, laid out as those of the solution; None: from scratch.
    start: NDArray[np.float64] | None = None

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """Codes 0 to K - 1 of the classes."""
        return self.marks.astype(np.intp, copy=False)

    @property
    def in_parts(self) -> bool:
        """Whether the rows lie elsewhere, so that there are sums over them alone."""
        return False

    def start_of_model(self, k: int) -> NDArray[np.float64] | None:
        """Where the model in this place begins, of one against the others."""
        return None if self.start is None else self.start[k]

    def ones(self, code: int) -> NDArray[np.float64]:
        """1.0 for the rows of a class, 0.0 for others: maybe the user's own y."""
        if self.marks.dtype == np.float64:
            return self.marks if code else 1.0 - self.marks
        return (self.marks == code).astype(np.float64)

    def sums(self, code: int | None = None) -> Any:
        """Sums over rows in parts, for models of all classes or of one against the others."""
        return None

    @property
    def penalties(self) -> tuple[float, float]:
        """What the l1 norm and half the squares are multiplied by, beside minus log L."""
        l1 = {"l1": 1.0, "elasticnet": self.l1_ratio}.get(self.penalty or "", 0.0)
        return l1 / self.C, (1.0 - l1) / self.C


@dataclass(frozen=True)
class LogisticSolution:
    """What a solver gives: a row of coefficients for each class, or one for two classes.

    `posterior` says how scores become probabilities: "sigmoid", "ovr" (sigmoids over their sum), or
    "softmax" (a row for every class but the reference, whose score is 0, or for every class).
    """

    coef: NDArray[np.float64]  # (m, q), the intercept first if there is one
    posterior: str
    n_iter: NDArray[np.int32]  # (m,) or (1,)
    converged: bool
    result: Result | Mapping[str, Result]

    def attributes(self, task: LogisticProblem, kind: str) -> dict:
        """Those of the model that predictions need; `kind` is "binary" or the multi_class."""
        n_intercepts = int(task.intercept)
        return {
            "classes_": task.classes,
            "coef_": self.coef[:, n_intercepts:],
            "intercept_": self.coef[:, 0] if n_intercepts else np.zeros(len(self.coef)),
            "n_iter_": self.n_iter,
            "converged_": self.converged,
            "_posterior": self.posterior,
            "_turned": kind == "binary" and task.reference == 1,
            "_reference": task.reference,
            "_has_intercept": task.intercept,
            "n_features_in_": int(self.coef.shape[1] - n_intercepts),
        }

    def results(self) -> list[Result]:
        """One, or one for each class."""
        return [self.result] if isinstance(self.result, Result) else list(self.result.values())


def dense(X: Any) -> Array:
    """Rows for a solver that has no sparse ones: an array, or `Chunks`."""
    if not is_sparse(X):
        return X
    refuse_large(8.0 * X.shape[0] * X.shape[1], "X as a dense array", "Use multi_class='ovr'.")
    return X.toarray()
