# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of conformal prediction: which of the errors of held-out rows bounds that of a new one.

Of n errors and that of a new row, which are exchangeable, the new one is among the k least with
probability k / (n + 1) or more. So it is at most the k-th of the n with probability `level`, where
k = ceil(level (n + 1)); of k > n there is no bound. Rows of weight w count w times, and the new
one has a weight, too (R. J. Tibshirani, R. Foygel Barber, E. J. Candes & A. Ramdas 2019,
arXiv:1904.06019).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from statfast._core.order.selection import kth_of_rows
from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs

VALUES_PER_BLOCK = 1 << 20  # Values of points and rows that are looked at at a time.
ROUNDING = 1e-12  # Sums of weights this close to a share of the total reach it.


def as_fraction(level: float) -> Fraction:
    """A level as it is written in decimals: 9/10 for 0.9."""
    return Fraction(repr(float(level)))


@lru_cache(maxsize=1 << 8)  # Every block of points asks for the same one.
def rank_of(level: float, n: int) -> int:
    """The rank k = ceil(level (n + 1)), without rounding."""
    return ceil(as_fraction(level) * (n + 1))


def rows_needed(level: float) -> int:
    """The least number of held-out rows for which intervals are finite."""
    share = as_fraction(level)
    return ceil(share / (1 - share))


class NearRows(NamedTuple):
    """The rows whose values are near the bounds of some points, None for all, and the number of
    those below them, or their weight, of n."""

    places: NDArray[np.intp] | None
    passed: Any
    n: int


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
        return self.needed(self._total(n))

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
        return self._reaching(errors, np.broadcast_to(self.needed(self._total(n)), m))

    def near_bounds(self, low: Array, high: Array, where: Any) -> NearRows:
        """Of values (n,) that are between `low` and `high`, those that may be the bound of some of
        the points, and what is below all of these."""
        n = len(low)
        if not self.is_weighted:
            k = rank_of(self.level, n)
            if k > n:
                return NearRows(np.zeros(0, dtype=np.intp), 0, n)
            least, most = (np.partition(values, k - 1)[k - 1] for values in (low, high))
        else:
            need = np.atleast_1d(self.needed(self._total(n), where))
            least = self._reaching(low, need.min())
            most = self._reaching(high, need.max())
        below = high < least
        places = np.flatnonzero(~below & (low <= most))
        if 2 * len(places) > n:
            return NearRows(None, 0, n)
        passed = below.sum() if self.weights is None else self.weights[below].sum()
        return NearRows(places, passed, n)

    def bounds_of_rows(self, values: Array, where: Any, near: NearRows | None = None) -> Array:
        """The same of values (b, n) of each of some points, or of those that are near their bounds;
        `values` are put in another order."""
        near = NearRows(None, 0, values.shape[1]) if near is None else near
        if not self.is_weighted:
            k = rank_of(self.level, near.n)
            if k > near.n:
                return np.full(len(values), np.inf)
            return kth_smallest(values, k - near.passed - 1)
        order = np.argsort(values, axis=1, kind="stable")
        weights = np.ones(near.n) if self.weights is None else self.weights
        weights = weights if near.places is None else weights[near.places]
        reached = near.passed + np.cumsum(weights[order], axis=1)
        need = np.broadcast_to(self.needed(self._total(near.n), where), len(values))
        place = (reached < need[:, None]).sum(axis=1)
        ascending = np.take_along_axis(values, order, axis=1)
        padded = np.column_stack([ascending, np.full(len(values), np.inf)])
        return padded[np.arange(len(values)), place]

    def _total(self, n: int) -> float:
        return float(n if self.weights is None else self.weights.sum())

    def _reaching(self, values: Array, need: Any) -> Any:
        """The least of values (n,) up to which weights reach what is needed."""
        order = np.argsort(values, kind="stable")
        weights = np.ones(len(values)) if self.weights is None else self.weights
        reached = np.cumsum(weights[order])
        return np.append(values[order], np.inf)[np.searchsorted(reached, need)]


def kth_smallest(values: Array, k: int) -> Array:
    """The k-th number, from 0, of each row (b, n)."""
    rows = np.ascontiguousarray(values)
    out, found = np.empty(len(rows)), np.empty(len(rows), dtype=np.uint8)
    kth_of_rows(rows, k, np.empty(rows.shape[1]), out, found)
    missed = np.flatnonzero(found == 0)
    if len(missed):
        out[missed] = np.partition(rows[missed], k, axis=1)[:, k]
    return out


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

    def ends(
        self, rows: Any, errors: Array, rule: RankRule, of_rows: Array | None, n_jobs: Jobs
    ) -> Array:
        """Ends (m, 2) of the intervals of points; `errors` are those of the rows `of_rows`."""
        ...


class FullFits(Protocol):
    """The fits of an estimator to all rows and a new one, for any target of that."""

    def bounds(self, rows: Any) -> tuple[Array, Array]:
        """Ends (b, n) of the targets with which a new row has an error as small as each row's."""
        ...
