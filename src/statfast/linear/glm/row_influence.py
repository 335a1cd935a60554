# SPDX-License-Identifier: BSD-3-Clause
"""What residuals, leverage and robust covariances are made of, row by row.

See influence.py for the definitions, and for the methods of models that ask for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear.irls import accumulate
from statfast._engine import each, grid
from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import Array, Matrix
from statfast.linear.glm.families import Family
from statfast.linear.glm.irls_sums import as_float
from statfast.linear.glm.links import Link

MAX_LEVERAGE = 1.0 + 1e-6  # A larger leverage is that of a row with a weight below 1.
MIN_REST = 1e-15  # The least value of 1 - leverage that is divided by.


@dataclass(frozen=True, repr=False)
class RowInfluence(Tabled):
    """Influence of each sample on a fit: leverage, Cook's distance, residuals.

    Attributes
    ----------
    fitted : ndarray of shape (n,)
        Means. As all others of shape (n, K) for each of K classes against the rest, where each
        column is of that class's model.
    linear_predictor : ndarray of shape (n,)
        Linear predictors.
    leverage : ndarray of shape (n,)
        Diagonal of the hat matrix; its sum is the rank. Of a multinomial model the traces of `hat`.
    cooks_distance : ndarray of shape (n,)
        How far all coefficients would move without the row, in their own metric, over their number:
        by one Newton step. NaN or infinite, as the next two, where leverage is 1, where no
        dispersion is estimated, and where squares overflow.
    standardized : ndarray of shape (n,)
        Deviance residuals divided by their standard errors.
    standardized_pearson : ndarray of shape (n,)
        The same of Pearson residuals.
    hat : ndarray of shape (n, K - 1, K - 1), or None
        Of a multinomial model of K classes, where all but leverages and distances have shape
        (n, K): the blocks of the hat matrix, see `LogisticRegression`.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0], [10.0]], [1.0, 2.0, 2.5, 4.0])
    >>> influence = model.influence([[1.0], [2.0], [3.0], [10.0]], [1.0, 2.0, 2.5, 4.0])
    >>> influence.leverage.round(2)
    array([0.43, 0.33, 0.27, 0.97])
    """

    fitted: NDArray[np.float64]
    linear_predictor: NDArray[np.float64]
    leverage: NDArray[np.float64]
    cooks_distance: NDArray[np.float64]
    standardized: NDArray[np.float64]
    standardized_pearson: NDArray[np.float64]
    hat: NDArray[np.float64] | None = None

    def table(self) -> CoefficientTable:
        """A row for each sample; of several classes, a column for each.

        Returns
        -------
        CoefficientTable
        """
        columns: dict[str, np.ndarray] = {}
        for name in ("fitted", "leverage", "cooks_distance", "standardized"):
            parts = np.atleast_2d(np.asarray(getattr(self, name)).T)
            several = len(parts) > 1
            columns |= {f"{name} {k}" if several else name: part for k, part in enumerate(parts)}
        return CoefficientTable([str(i) for i in range(len(self.fitted))], columns)


def drop_single_column(values: Array) -> Any:
    """(n,) of one model, (n, m) of several."""
    return values[:, 0] if values.shape[1] == 1 else values


class ModelParts:
    """The quantities of rows that residuals and leverage are made of: a column for each model.

    Responses y and linear predictors eta are (n, m), weights a (n,) or None, results those of each.
    """

    def __init__(
        self,
        rows: Matrix,
        y: Array,
        a: Array | None,
        eta: Array,
        family: Family,
        link: Link,
        has_one: bool,
        results: list[Any],
    ) -> None:
        self.rows, self.y, self.eta = rows, y, eta
        self.a = None if a is None else a[:, None]
        self.family, self.has_one, self.results = family, has_one, results
        with np.errstate(all="ignore"):
            self.mu = link.mean(eta)
            self.slope = link.slope(eta, self.mu)
            self.variance = family.variance(self.mu)

    def residuals(self, kind: str) -> Array:
        residual = self.y - self.mu
        root = 1.0 if self.a is None else np.sqrt(self.a)
        with np.errstate(all="ignore"):
            if kind == "response":
                return residual
            if kind == "working":
                return residual / self.slope
            if kind == "pearson":
                return root * residual / np.sqrt(self.variance)
            unit = np.maximum(self.family.deviance(self.y, self.mu), 0.0)
            return root * np.sign(residual) * np.sqrt(unit)

    def influence(self) -> Any:
        leverage = self.leverage()
        rest = np.maximum(1 - leverage, 0.0)
        pearson = self.residuals("pearson")
        dispersion = self._of_each(lambda result: result.dispersion)
        with np.errstate(all="ignore"):
            error = np.sqrt(dispersion * rest)
            rank = self._of_each(lambda result: result.rank)
            distance = (pearson / rest) ** 2 * leverage / (dispersion * rank)
            standardized = self.residuals("deviance") / error, pearson / error
        parts = (self.mu, self.eta, leverage, distance, *standardized)
        return RowInfluence(*(drop_single_column(part) for part in parts))

    def scores(self, kind: str, copies: Array) -> Array:
        """What a copy of each row adds to the scores, times z, as this covariance takes it."""
        with np.errstate(all="ignore"):
            s = (self.y - self.mu) * self.slope / self.variance
        s = np.where(np.isfinite(s), s, 0.0) * ((1.0 if self.a is None else self.a) / copies)
        if kind == "HC1":
            return s * self._growth()
        if kind == "HC0":
            return s
        leverage = self.leverage() / copies
        refuse_light_rows(kind, leverage, self.a)
        rest = np.maximum(1 - leverage, MIN_REST)
        return s / (np.sqrt(rest) if kind == "HC2" else rest)

    def bread(self) -> tuple[Array, Array]:
        """The inverse information of all coefficients, and which are aliased."""
        table = [result.unscaled for result in self.results]
        if len(table) > 1:
            from scipy.linalg import block_diag

            table = [block_diag(*table)]
        return table[0], np.concatenate([result.aliased for result in self.results])

    def leverage(self) -> Array:
        out = np.empty(self.y.shape)

        def work(where: slice, block: Array) -> None:
            for k, result in enumerate(self.results):
                out[where, k] = result.spread(block, self.has_one)

        self._blocks(work)
        with np.errstate(all="ignore"):
            w = self.slope**2 / self.variance
        return out * (np.where(w > 0, w, 0.0) * (1.0 if self.a is None else self.a))

    def products(self, copies, scores):
        """The sum over rows of the products of scores (n, m) times z, (m q, m q)."""
        p, m = self.rows.shape[1], scores.shape[1]
        q, zero = p + int(self.has_one), np.zeros(p)
        pairs = [(a, b) for a in range(m) for b in range(a + 1)]

        def work(where: slice, block: Array) -> Array:
            s, out = scores[where], np.zeros((len(pairs), q, q))
            for (a, b), h in zip(pairs, out, strict=True):
                # The kernel takes no negative weights: 2 s t = (s + t)^2 - s^2 - t^2.
                root = s[:, a] if a == b else s[:, a] + s[:, b]
                w = copies[where, 0] * root**2
                accumulate(block, zero, self.has_one, w, w, h, np.zeros(q))
            return out

        lower = np.tril(sum(self._blocks(work)))
        triangles = dict(zip(pairs, lower + np.swapaxes(np.tril(lower, -1), 1, 2), strict=True))
        table = np.empty((m, q, m, q))
        for a, b in pairs:
            whole = triangles[a, b]
            cross = whole if a == b else 0.5 * (whole - triangles[a, a] - triangles[b, b])
            table[a, :, b] = table[b, :, a] = cross
        return table.reshape(m * q, m * q)

    def cluster_products(self, scores: Array, codes: Array, count: int) -> Array:
        """The products of the sums over clusters of scores (n, m) times z, (m q, m q)."""
        if count < 2:
            raise ValueError(f"groups must be of at least 2 clusters; got {count}.")
        n_intercepts, m = int(self.has_one), scores.shape[1]
        sums = np.zeros((count, m, self.rows.shape[1] + n_intercepts))
        for where in grid(len(self.y), 1024):
            block = self.rows[where]
            z = block.toarray() if hasattr(block, "indptr") else np.asarray(block, dtype=float)
            np.add.at(sums[:, :, n_intercepts:], codes[where], scores[where, :, None] * z[:, None])
            if n_intercepts:
                np.add.at(sums[:, :, 0], codes[where], scores[where])
        flat = sums.reshape(count, -1)
        return flat.T @ flat * (count / (count - 1))

    def lagged_products(self, scores: Array, lags: int) -> Array:
        """The products of scores (n, m) times z with their own and earlier ones, (m q, m q)."""

        def work(where: slice) -> Array:
            first = max(0, where.start - lags)
            block = self.rows[first : where.stop]
            z = block.toarray() if hasattr(block, "indptr") else np.asarray(block, dtype=float)
            z = np.column_stack([np.ones(len(z)), z]) if self.has_one else z
            g = (scores[first : where.stop, :, None] * z[:, None]).reshape(len(z), -1)
            current = g[where.start - first :]
            earlier = 0.5 * current
            for lag in range(1, min(lags, where.stop - 1) + 1):
                # Rows at the beginning have no row so much earlier.
                lost = max(0, lag - where.start)
                before = g[where.start - first + lost - lag : len(g) - lag]
                earlier[lost:] += (1 - lag / (lags + 1)) * before
            return current.T @ earlier

        half = sum(each(work, grid(len(self.y), 1024)))
        return half + half.T

    def _blocks(self, work: Callable[..., Any]) -> list[Array | None]:
        def task(where: slice) -> Array | None:
            block = self.rows[where]
            dense = block.toarray() if hasattr(block, "indptr") else as_float(block)
            return work(where, np.ascontiguousarray(dense))

        return each(task, grid(len(self.y), 1024))

    def _of_each(self, what: Callable[..., Any]) -> Array:
        return np.array([what(result) for result in self.results], dtype=float)

    def _growth(self) -> Array:
        """Roots of n / (n - rank)."""
        return np.sqrt(self._of_each(lambda r: r.observations / (r.observations - r.rank)))


def refuse_light_rows(kind: str, leverage: Array, weights: Array | None, begin: int = 0) -> None:
    """Refuse HC2 and HC3, which leave a row out, where a row of weight 1 would fit itself and more:
    its weight is so small that there is none to leave out."""
    if weights is None:
        return
    j = int(np.argmax(leverage.max(axis=1)))
    if leverage[j].max() > MAX_LEVERAGE:
        raise ValueError(
            f"kind={kind!r} is of rows that are left out, and sample_weight counts rows: row "
            f"{begin + j} of weight {float(weights[j, 0]):g} would have a leverage of "
            f"{leverage[j].max():.4g} as a row. Choose 'HC0', scale the weights, or pass "
            "weight_type='analytic'."
        )
