# SPDX-License-Identifier: BSD-3-Clause
"""Errors by the bootstrap: between those on rows that were fitted and on rows that were not.

B. Efron and R. J. Tibshirani 1997 (doi:10.1080/01621459.1997.10474007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from statfast._estimator.tables import CoefficientTable, Tabled
from statfast._typing import Array

BOOTSTRAPS = (".632+", ".632", "out_of_bag")


@dataclass(frozen=True, repr=False)
class BootstrapEstimate(Tabled):
    """Result of `bootstrap_error`.

    Attributes
    ----------
    error : float
        The estimate asked for.
    training : float
        Mean loss on the samples fitted: too low.
    out_of_bag : float
        Mean loss on samples by bootstrap sets that do not hold them: too high, where these are
        judged singly.
    no_information : float
        Mean loss if targets had nothing to do with predictions.
    weight : float
        Of `out_of_bag` in `error`.
    overfitting : float
        Relative overfitting rate, between 0 and 1.
    path : str
        How the models were fitted.

    Examples
    --------
    >>> from statfast import KNeighborsClassifier
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import bootstrap_error
    >>> iris = load_iris()
    >>> result = bootstrap_error(KNeighborsClassifier(1), iris.data, iris.target, random_state=0)
    >>> result.training, round(result.out_of_bag, 3), round(result.error, 3)
    (0.0, 0.045, 0.029)
    """

    error: float
    training: float
    out_of_bag: float
    no_information: float
    weight: float
    overfitting: float
    path: str

    def table(self) -> CoefficientTable:
        """Return the estimate and its parts as a table.

        Returns
        -------
        CoefficientTable
        """
        names = ("error", "training", "out_of_bag", "no_information", "weight", "overfitting")
        values = np.array([getattr(self, name) for name in names])
        return CoefficientTable([name.replace("_", " ") for name in names], {"Estimate": values})

    @classmethod
    def from_losses(cls, method: str, training: Any, out: Any, none: Any, path: Any) -> Self:
        """The estimate by one of `BOOTSTRAPS`, from its three losses."""
        capped = min(out, none)
        rate = (capped - training) / (none - training) if none > training < capped else 0.0
        weight = {"out_of_bag": 1.0, ".632": 0.632}.get(method, 0.632 / (1.0 - 0.368 * rate))
        high = capped if method == ".632+" else out
        error = (1.0 - weight) * training + weight * high
        return cls(error, training, out, none, weight, rate, path)


def no_information(truth: Array, answers: Array, loss: str) -> float:
    """The mean loss if predictions and targets were paired at random."""
    if loss == "zero_one":
        k = int(max(truth.max(), answers.max())) + 1
        p = np.bincount(truth, minlength=k) / len(truth)
        q = np.bincount(answers[answers >= 0], minlength=k) / len(answers)
        return float(1.0 - p @ q)
    if loss == "squared":
        return float(((truth.mean() - answers.mean()) ** 2) + truth.var() + answers.var())
    order, n = np.sort(answers), len(answers)
    below = np.searchsorted(order, truth)
    total = np.append(0.0, np.cumsum(order))
    under = truth * below - total[below]
    over = total[-1] - total[below] - truth * (n - below)
    return float((under + over).mean() / n)
