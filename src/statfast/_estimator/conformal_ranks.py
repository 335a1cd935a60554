# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of conformal prediction: which of the errors of held-out rows bounds that of a new one.

Of n errors and that of a new row, which are exchangeable, the new one is among the k least with
probability k / (n + 1) or more. So it is at most the k-th of the n with probability `level`, where
k = ceil(level (n + 1)); of k > n there is no bound. Rows of weight w count w times, and the new
one has a weight, too (R. J. Tibshirani, R. Foygel Barber, E. J. Candes & A. Ramdas 2019,
arXiv:1904.06019).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs

VALUES_PER_BLOCK = 1 << 20  # Values of points and rows that are looked at at a time.
ROUNDING = 1e-12  # Sums of weights this close to a share of the total reach it.


def as_fraction(level: float) -> Fraction:
    """A level as it is written in decimals: 9/10 for 0.9."""
    return Fraction(repr(float(level)))


def rank_of(level: float, n: int) -> int:
    """The rank k = ceil(level (n + 1)), without rounding."""
    return ceil(as_fraction(level) * (n + 1))


def rows_needed(level: float) -> int:
    """The least number of held-out rows for which intervals are finite."""
    share = as_fraction(level)
    return ceil(share / (1 - share))


@dataclass(frozen=True)
class RankRule:
    """The level, and the weights of held-out rows and of new points; None stands for ones."""

    level: float
    weights: NDArray[np.float64] | None = None  # (n,) positive
    new_weights: NDArray[np.float64] | None = None  # (m,)

    @property
    def is_weighted(self) -> bool:
        """Whether the bounds of points differ by weights."""
        return self.weights is not None or self.new_weights is not None

    def need(self, n: int) -> Any:
        """The weight of n held-out rows that errors below a target of level have to stay below, a
        number or (m,): above the total there is no bound."""
        if not self.is_weighted:
            return float(rank_of(self.level, n))
        return self.needed(float(n if self.weights is None else self.weights.sum()))

    def needed(self, total: float, where: Any = slice(None)) -> Any:
        """The weight that errors up to the bound of each point have to reach."""
        new = 1.0 if self.new_weights is None else self.new_weights[where]
        return self.level * (total + new) * (1.0 - ROUNDING)

    def bound(self, errors: Array, m: int) -> Array:
        """The bound of the error of each of m points, (m,), infinite where there is none."""
        n = len(errors)
        if not self.is_weighted:
            k = rank_of(self.level, n)
            return np.full(m, np.partition(errors, k - 1)[k - 1] if k <= n else np.inf)
        order = np.argsort(errors, kind="stable")
        weights = np.ones(n) if self.weights is None else self.weights
        reached = np.cumsum(weights[order])
        need = np.broadcast_to(self.needed(reached[-1] if n else 0.0), m)
        return np.append(errors[order], np.inf)[np.searchsorted(reached, need)]

    def bounds_of_rows(self, values: Array, where: slice) -> Array:
        """The same of values (b, n) of each of some points; `values` are put in another order."""
        n = values.shape[1]
        if not self.is_weighted:
            k = rank_of(self.level, n)
            if k > n:
                return np.full(len(values), np.inf)
            values.partition(k - 1, axis=1)
            return values[:, k - 1].copy()
        order = np.argsort(values, axis=1, kind="stable")
        weights = np.ones(n) if self.weights is None else self.weights
        reached = np.cumsum(weights[order], axis=1)
        need = np.broadcast_to(self.needed(reached[0, -1] if n else 0.0, where), len(values))
        place = (reached < need[:, None]).sum(axis=1)
        ascending = np.take_along_axis(values, order, axis=1)
        padded = np.column_stack([ascending, np.full(len(values), np.inf)])
        return padded[np.arange(len(values)), place]


def conformal_ends(
    bounds: Callable[[slice], tuple[Array, Array]], m: int, n: int, rule: RankRule, n_jobs: Jobs
) -> Array:
    """Ends (m, 2) of the intervals of m points, from those that each of n held-out rows gives.

    ``bounds(where)`` are the lower and the upper ends (b, n) of some points, which may be changed.
    """
    ends = np.empty((m, 2))
    step = max(1, VALUES_PER_BLOCK // max(n, 1))

    def work(where: slice) -> None:
        low, high = bounds(where)
        checkpoint()
        ends[where, 1] = rule.bounds_of_rows(high, where)
        np.negative(low, out=low)
        ends[where, 0] = -rule.bounds_of_rows(low, where)
        checkpoint()

    blocks = [slice(start, min(start + step, m)) for start in range(0, m, step)]
    each(work, blocks, n_jobs=n_jobs, effort=30.0 * m * n)
    return ends


class LeftOutFits(Protocol):
    """The fits of an estimator without each row, or without the fold of each row."""

    @property
    def answers(self) -> Array:
        """What each row is predicted by the fit without it, (n,)."""
        ...

    @property
    def fit_of_row(self) -> Array | None:
        """The fit of each row (n,), where rows share fits, as those of a fold do."""
        ...

    def predict(self, rows: Any) -> Array:
        """What each fit predicts of rows, (b, fits)."""
        ...


class FullFits(Protocol):
    """The fits of an estimator to all rows and a new one, for any target of that."""

    def bounds(self, rows: Any) -> tuple[Array, Array]:
        """Ends (b, n) of the targets with which a new row has an error as small as each row's."""
        ...
