# SPDX-License-Identifier: BSD-3-Clause
"""What an iteration needs of the rows: z'Wz, z's, deviance and chi-square, in one pass.

z is the row less a shift, after a 1 if there is an intercept. The pairs of family and link that are
used most have vector code; for the others the formulas of `families` and `links` are worked out on
a few hundred rows at a time between two kernel calls, while those rows are in cache. Sparse rows
and rows that come in chunks take the same steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, prod
from operator import add, iadd
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear import irls as kernel
from statfast._core.rows.extent import zeros_and_ones
from statfast._core.tile import tiles
from statfast._distance import near_mean
from statfast._engine import Chunks, checkpoint, each, fold, grid, interruptible, reduce
from statfast._typing import Array, Matrix
from statfast._validation import FLOATS
from statfast.linear.glm.families import COUNTS
from statfast.linear.glm.links import bounds_of

MULTIPLICATIONS_OF_CALL = min(2e9, 8e6 * prod(tiles.tile_shape("d")))  # A kernel call takes 30 ms.
NUMBERS_IN_CACHE = 32768  # So many numbers of the rows stay in cache between two kernel calls.
MIN_ROWS_OF_BLOCK = 4096  # The least rows of a block.
# Rows of a block where there are many columns, so that a row is much work.
MIN_WIDE_ROWS_OF_BLOCK = 1024
MAX_ROWS_OF_BLOCK = 262144  # A block of few columns should take far longer than to hand it out.
BLOCKS_OF_ROWS = 16
# Sums of no more columns take little memory, so that those of all blocks may wait to be merged.
MAX_COLUMNS_OF_WAITING_SUMS = 64
# Smaller counts are tallied, so that the likelihood of each value is computed once.
MAX_TALLIED_COUNT = 1 << 20
# From so many columns on, the information costs far more than the score.
MIN_COLUMNS_FOR_SCORES = 64
ROWS_OF_SAMPLE_MEAN = 1024  # The mean of so many rows is near that of all.
OPERATIONS_OF_ROW = 100  # The cost of a row besides its products, in multiplications.
CANONICAL = (
    ("gaussian", "identity"),
    ("binomial", "logit"),
    ("poisson", "log"),
    ("gamma", "inverse"),
    ("inverse_gaussian", "power(-2)"),
)
# Chosen by the type of the rows here, as the choice by Cython takes as long as a sweep of a
# thousand rows.
SWEEPS = {np.dtype("f8"): kernel.sweep["double"], np.dtype("f4"): kernel.sweep["float"]}
SCORES = {np.dtype("f8"): kernel.scores["double"], np.dtype("f4"): kernel.scores["float"]}


@dataclass
class IRLSSums:
    """Those of one pass at one point."""

    h: NDArray[np.float64]  # (q, q) lower triangle, or (0, 0) if not wanted
    g: NDArray[np.float64]  # (q,)
    deviance: float
    chi2: float
    rough: bool = False  # whether `h` has the digits of float32 only
    observed: bool = False  # whether `h` is the observed information, else the expected

    def finite(self) -> bool:
        """Whether all of `h` is; a sum of squares that is finite says so at once."""
        if len(self.h) <= MAX_COLUMNS_OF_WAITING_SUMS and isfinite(np.vdot(self.h, self.h)):
            return True
        # A product by BLAS would start threads, which spin on.
        return bool(np.isfinite(self.h).all())

    def __add__(self, more):
        return IRLSSums(
            self.h + more.h, self.g + more.g, self.deviance + more.deviance,
            self.chi2 + more.chi2, self.rough or more.rough, self.observed,
        )  # fmt: skip

    def __iadd__(self, more):
        self.h += more.h
        self.g += more.g
        self.deviance += more.deviance
        self.chi2 += more.chi2
        return self


@dataclass(frozen=True)
class QRTriangle:
    """R of rows, which merges by QR."""

    R: NDArray[np.float64]

    def __add__(self, other: Any) -> Any:
        return QRTriangle(interruptible(np.linalg.qr, np.vstack([self.R, other.R]), mode="r"))


@dataclass
class ModelRows:
    """The rows of a model with their responses; see `sums_at`.

    `X` is (n, p), dense, sparse (CSR) or `Chunks`; the others are (n,), float64, or None.
    """

    X: Any
    y: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None
    family: Any
    link: Any
    intercept: bool = True
    n_jobs: int | None = None

    shift: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        self.chunked = isinstance(self.X, Chunks)
        self.sparse = hasattr(self.X, "indptr")
        self.n = len(self.y)
        first = next(iter(self.X)) if self.chunked else self.X
        self.p = first.shape[1]
        self.q = self.p + int(self.intercept)
        if self.shift is None:
            self.shift = np.zeros(self.p)
            if self.intercept and not self.sparse:
                weights = None if self.weights is None else self.weights[: len(first)]
                with np.errstate(over="ignore", invalid="ignore"):
                    self.shift = near_mean(first, weights, ROWS_OF_SAMPLE_MEAN)
        self.kind = self.kind_of(self.family, self.link)
        ones = zeros_and_ones(self.y) if self.family.kernel_name == "binomial" else -1
        self.classes = ones >= 0  # whether all responses are 0 or 1
        self.total_weight = float(self.n if self.weights is None else self.weights.sum())
        if self.weights is not None:
            total = (self.weights * self.y).sum()
        else:
            total = ones if self.classes else self.y.sum()
        self.mean = float(total) / self.total_weight
        self.aux = self._aux()

    @staticmethod
    def kind_of(family: Any, link: Any) -> int | None:
        """What kernels know the two by; None if they do not."""
        return kernel.KINDS.get((family.kernel_name, link.name))

    @property
    def bounded(self) -> bool:
        """Whether some responses are as likely as can be at a bound of the linear predictor."""
        means = bounds_of(self.link, self.family)[1]
        return any(bool(self.can_have(mean).any()) for mean in means)

    def can_have(self, mean: float) -> Array:
        """The responses that an end of the range of means makes possible: as it is theirs, or as it
        is infinite and the variance grows faster than the square."""
        endless = mean == np.inf and self.family.growth(1.0) > 2
        return (self.y == mean) | endless

    @property
    def canonical(self) -> bool:
        """Whether the observed information is the expected one."""
        return (self.family.kernel_name or self.family.name, self.link.name) in CANONICAL

    def share_of(self, share: int) -> int | None:
        """Of one in how many rows a sample may be; None of rows that come in an order."""
        return None if self.sparse or self.chunked else share

    def refined(self, b: Array, penalty: Array, share: int, usual: int) -> Array:
        """The solution of a sample of one in `share` rows, by that of one in `usual` rows."""
        return b

    def _aux(self) -> Array | None:
        """What the deviance takes of y alone: see linear/irls_link.h. None if it is zero."""
        if self.kind is None or self.family.kernel_name == "gaussian":
            return None
        if self.family.kernel_name == "binomial":
            if self.classes:
                return None
            from scipy.special import xlogy

            return xlogy(self.y, self.y) + xlogy(1 - self.y, 1 - self.y)
        return np.log(np.where(self.y > 0, self.y, 1.0))

    def sums_at(
        self, b: Array, *, hessian: bool = True, rough: bool = False, observed: bool = False
    ) -> IRLSSums:
        """The sums at coefficients `b`; `rough` lets z'Wz be summed in float32 where that pays.

        W are the weights of Fisher's scoring, or if `observed` those of the second derivatives.
        """
        observed = observed and hessian and not self.canonical
        if self.sparse:
            return self._sparse_sums(b, hessian, observed)
        fused = self.kind is not None and not observed
        work = self._fused if fused else self._plain
        rough = rough and hessian and fused and self.q > MAX_COLUMNS_OF_WAITING_SUMS
        q = self.q if hessian else 0

        def partial(
            rows: slice,
            block: Array,
            y: Array,
            weights: Array | None,
            offset: Array | None,
            aux: Array | None,
        ) -> IRLSSums:
            sums = IRLSSums(np.zeros((q, q)), np.zeros(self.q), 0.0, 0.0, rough, observed)
            work(sums, b, hessian, as_float(block), y, weights, offset, aux)
            return sums

        if fused:  # Where the pair has vector code, one call of the kernel is all.
            sums = self._reduced(partial, hessian)
            return sums if not rough or sums.finite() else self.sums_at(b)
        with np.errstate(all="ignore"):
            return self._reduced(partial, hessian)

    def sums_over(self, runs: list[slice], b: Array, *, hessian: bool) -> IRLSSums:
        """Those of some slices of dense rows, in this thread."""
        sums = self._nothing(hessian)
        work = self._plain if self.kind is None else self._fused
        for rows in runs:
            cut = (_part(v, rows) for v in (self.y, self.weights, self.offset, self.aux))
            work(sums, b, hessian, as_float(np.ascontiguousarray(self.X[rows])), *cast(Any, cut))
        return sums

    @property
    def together(self) -> bool:
        """Whether one call sums the scores of many coefficients."""
        return (
            self.kind is not None
            and self.q <= kernel.MAX_NARROW_COLUMNS
            and not (self.sparse or self.chunked)
        )

    def scores_over(self, rows: slice, coefs: Array, runs: Array) -> list[IRLSSums]:
        """Sums without information of a slice of the rows, at each of some coefficients (F, q).

        `runs` (E, 3) name one of them, and rows of the slice that are summed for it.
        """
        g, pair = np.zeros(coefs.shape), np.zeros((len(coefs), 2))
        cut = (_part(v, rows) for v in (self.y, self.weights, self.offset, self.aux))
        block = as_float(np.ascontiguousarray(self.X[rows]))
        SCORES[block.dtype](
            block, self.shift, self.intercept, coefs, self.kind, *cut, runs, g, pair
        )  # fmt: skip
        checkpoint()
        nothing = np.zeros((0, 0))
        return [IRLSSums(nothing, a, 2 * b[0], b[1]) for a, b in zip(g, pair.tolist(), strict=True)]

    def start(self) -> IRLSSums:
        """`start_from` the means that the family begins with."""
        return self.start_from(self.family.start(self.y))

    def start_from(self, mean: Array) -> IRLSSums:
        """The sums of least squares on the link's scale, at given means instead of coefficients.

        Then ``h b = g``, so that b is where the iterations may begin.
        """

        def partial(
            rows: slice,
            block: Matrix,
            y: Array,
            weights: Array | None,
            offset: Array | None,
            mu: Array,
        ) -> IRLSSums:
            sums = self._nothing(True)
            eta = self.link.link(mu)
            slope = self.link.slope(eta, mu)
            w = slope**2 / self.family.variance(mu) * (1.0 if weights is None else weights)
            target = eta + (y - mu) / slope - (0.0 if offset is None else offset)
            self._add(sums, as_float(block), w * target, w, True)
            return sums

        with np.errstate(all="ignore"):
            if self.sparse:
                return self._sparse_reduced(partial, mean)
            return self._reduced(partial, True, mean)

    def triangle_at(self, b: Array) -> Array:
        """R of the rows times the roots of their weights at `b`, by QR: (q, q), upper triangular.

        Unlike the Cholesky factor of z'Wz, it does not square the condition.
        """
        R = self._triangle(b).R
        if len(R) < self.q:
            R = np.vstack([R, np.zeros((self.q - len(R), self.q))])
        return R

    def _triangle(self, b: Array) -> Any:
        def partial(rows, block, weights, offset):
            z = block.toarray() if self.sparse else as_float(block) - self.shift
            if self.intercept:
                z = np.column_stack([np.ones(len(z)), z])
            eta = z @ b + (0.0 if offset is None else offset)
            mu = self._inside(self.link.mean(eta))
            w = self.link.slope(eta, mu) ** 2 / self.family.variance(mu)
            w = np.where(w > 0, w, 0.0) * (1.0 if weights is None else weights)
            return QRTriangle(interruptible(np.linalg.qr, z * np.sqrt(w)[:, None], mode="r"))

        least = max(MIN_ROWS_OF_BLOCK, 8 * self.q)
        with np.errstate(all="ignore"):
            if self.sparse:
                return self._fold(
                    partial, (self.weights, self.offset), grid(self.n, least=least), inf
                )
            return reduce(
                partial, self.X, self.weights, self.offset, merge=add, n_jobs=self.n_jobs,
                effort=float(self.n) * self.q**2, least=least,
            )  # fmt: skip

    def sample(self, share):
        """One in so many rows, in runs of 64 that are spread evenly."""
        run = 64
        kept = self.n // (run * share) * run * share

        def cut(values: Any) -> Any:
            if values is None:
                return None
            tail = values.shape[1:]
            runs = values[:kept].reshape(-1, run * share, *tail)[:, :run]
            out = np.empty(runs.shape, runs.dtype)

            def copy(where: slice) -> None:
                out[where] = runs[where]

            each(
                copy,
                grid(len(runs), 1, MAX_ROWS_OF_BLOCK, BLOCKS_OF_ROWS),
                n_jobs=self.n_jobs,
                effort=4.0 * out.size,
            )
            return out.reshape(-1, *tail)

        parts = (cut(part) for part in (self.X, self.y, self.weights, self.offset))
        return ModelRows(*parts, self.family, self.link, self.intercept, self.n_jobs, self.shift)

    def total_of(self, term: Any, arguments: tuple[Any, ...], *, by_value: bool) -> float:
        """The sum of ``term(family, y, weight, *arguments)``; by their values, where the responses
        are small counts."""
        y, weights = self.y, self.weights
        counts = self.family.kernel_name in ("binomial", "poisson") or self.family.name in COUNTS
        small = by_value and counts and y.max() < MAX_TALLIED_COUNT and y.min() >= 0
        if small and (y == np.floor(y)).all():
            tally = np.bincount(y.astype(np.intp), weights)
            values = np.flatnonzero(tally)
            pairs = values.astype(float), tally[values].astype(float)
            return float(term(self.family, *pairs, *arguments).sum())
        a = np.ones(len(y)) if weights is None else weights
        on = slice(None) if weights is None else weights > 0
        whole = not by_value and weights is not None
        pairs = (y, a) if whole else (y[on], a[on])
        out = term(self.family, *pairs, *arguments)
        out = out[on] if whole else out
        return float(np.sum(out))

    def predictor(self, b: Array) -> Array:
        """The linear predictor of every row."""
        out = np.empty(self.n)
        if self.sparse:
            out[:] = self.X @ b[int(self.intercept) :]
            out += (b[0] if self.intercept else 0.0) + (0.0 if self.offset is None else self.offset)
            return out

        def partial(rows: slice, block: Array, offset: Array | None) -> None:
            kernel.predict(as_float(block), self.shift, self.intercept, b, offset, out[rows])

        reduce(
            partial, self.X, self.offset, merge=lambda a, b: None, n_jobs=self.n_jobs,
            effort=2.0 * self.n * self.q,
        )  # fmt: skip
        return out

    def to_user(self, b: Array) -> Array:
        """Coefficients of rows less the shift as those of the rows."""
        out = b.copy()
        if self.intercept:
            out[0] -= self.shift @ b[1:]
        return out

    def from_user(self, b: Array) -> Array:
        """The opposite of `to_user`."""
        out = b.copy()
        if self.intercept:
            out[0] += self.shift @ b[1:]
        return out

    def covariance_to_user(self, cov: Any) -> Array:
        """The covariance that goes with `to_user`."""
        if not self.intercept:
            return cov
        out = cov.copy()
        # Infinite variances are reported by the caller.
        with np.errstate(over="ignore", invalid="ignore"):
            # An elementwise product, as a product by BLAS would start threads that spin on.
            inner = (cov[1:, 1:] * self.shift).sum(axis=1)
            out[0, 1:] -= inner
            out[1:, 0] = out[0, 1:]
            out[0, 0] += self.shift @ inner - 2.0 * (self.shift @ cov[1:, 0])
        return out

    def _nothing(self, hessian: bool) -> IRLSSums:
        q = self.q if hessian else 0
        return IRLSSums(np.zeros((q, q)), np.zeros(self.q), 0.0, 0.0)

    def _reduced(
        self, partial: Callable[..., Any], hessian: bool, last: Array | None = None
    ) -> IRLSSums:
        last = self.aux if last is None else last
        if self.n <= MIN_ROWS_OF_BLOCK and not self.chunked:  # All rows are one block.
            block = np.ascontiguousarray(self.X)
            return partial(slice(0, self.n), block, self.y, self.weights, self.offset, last)
        per_row = self.q * (self.q if hessian else 4) + OPERATIONS_OF_ROW
        if self.q <= MAX_COLUMNS_OF_WAITING_SUMS and not self.chunked:
            # With few columns, blocks are larger.
            blocks = grid(self.n, MIN_ROWS_OF_BLOCK, MAX_ROWS_OF_BLOCK, BLOCKS_OF_ROWS)
            columns = self.y, self.weights, self.offset, last
            return self._fold(partial, columns, blocks, float(self.n) * per_row)
        return reduce(
            partial, self.X, self.y, self.weights, self.offset,
            last,
            merge=iadd, n_jobs=self.n_jobs,
            effort=float(self.n) * per_row,
            least=min(
                MIN_ROWS_OF_BLOCK,
                max(MIN_WIDE_ROWS_OF_BLOCK, 2 * self.q, self.n // BLOCKS_OF_ROWS),
            ),
        )  # fmt: skip

    def _fold(
        self, partial: Callable[..., Any], columns: Any, blocks: list[slice], effort: float
    ) -> IRLSSums:
        """What `partial` makes of such blocks of rows in memory, added up in their order."""

        def work(rows: slice) -> IRLSSums:
            X = self.X[rows] if self.sparse else np.ascontiguousarray(self.X[rows])
            return partial(rows, X, *(_part(column, rows) for column in columns))

        return fold(work, blocks, merge=iadd, n_jobs=self.n_jobs, effort=effort)

    def _fused(
        self,
        sums: IRLSSums,
        b: Array,
        hessian: bool,
        block: Array,
        y: Array,
        weights: Array | None,
        offset: Array | None,
        aux: Array | None,
    ) -> None:
        step = max(64, int(MULTIPLICATIONS_OF_CALL / (self.q**2 + OPERATIONS_OF_ROW)))
        pair = np.zeros(2)
        sweep = SWEEPS[block.dtype]
        for start in range(0, len(block), step):
            rows = slice(start, start + step)
            sweep(
                block[rows], self.shift, b, self.kind, y[rows],
                None if weights is None else weights[rows],
                None if offset is None else offset[rows],
                None if aux is None else aux[rows],
                sums.h if hessian else None, sums.g, pair, sums.rough,
            )  # fmt: skip
            checkpoint()
        sums.deviance += 2 * pair[0]
        sums.chi2 += pair[1]

    def _plain(
        self,
        sums: IRLSSums,
        b: Array,
        hessian: bool,
        block: Array,
        y: Array,
        weights: Array | None,
        offset: Array | None,
        aux: Array | None,
    ) -> None:
        step = max(256, NUMBERS_IN_CACHE // self.q)
        for start in range(0, len(block), step):
            piece = slice(start, start + step)
            eta = np.empty(len(y[piece]))
            kernel.predict(block[piece], self.shift, self.intercept, b, _part(offset, piece), eta)
            s, w = self._score(sums, eta, y[piece], _part(weights, piece))
            self._add(sums, block[piece], s, w, hessian)
            checkpoint()

    def _score(
        self, sums: IRLSSums, eta: Array, y: Array, weights: Array | None
    ) -> tuple[Array, Array]:
        """Scores and weights; deviance and chi-square are added, infinite if no mean is one.

        s = (y - mu) mu' / V has the expected slope -mu'^2 / V, and that with the part of y - mu,
        s (mu'' / mu' - mu' V' / V).
        """
        mu = self.link.mean(eta)
        if not self.family.inside(mu if weights is None else mu[weights > 0]):
            mu, sums.deviance = self._inside(mu), np.inf
        slope = self.link.slope(eta, mu)
        s = (y - mu) * slope / self.family.variance(mu)
        w = slope**2 / self.family.variance(mu)
        unit = self.family.deviance(y, mu)
        w, s = np.where(w > 0, w, 0.0), np.where(w > 0, s, 0.0)
        if weights is not None:
            on = weights > 0
            w, s, unit = (np.where(on, weights * part, 0.0) for part in (w, s, unit))
        sums.deviance += float(unit.sum())
        sums.chi2 += float((s[w > 0] ** 2 / w[w > 0]).sum())
        if sums.observed:
            bent = self.link.bend(eta, mu) - slope * self.family.growth(mu)
            w = np.where(w > 0, w - s * bent, 0.0)
        return s, w

    def _inside(self, mu: Array) -> Array:
        """Means, those outside their range moved to its edge."""
        low, high = self.family.lowest, self.family.highest
        eps = np.finfo(float).eps
        return np.clip(
            np.where(np.isnan(mu), eps, mu),
            low + eps if np.isfinite(low) else low,
            high - eps if np.isfinite(high) else high,
        )

    def _add(self, sums: IRLSSums, block: Matrix, s: Array, w: Array, hessian: bool) -> None:
        if not self.sparse:
            h = sums.h if hessian else None
            kernel.accumulate(block, self.shift, self.intercept, s, np.maximum(w, 0.0), h, sums.g)
            if sums.observed and (w < 0.0).any():
                less = self._nothing(True)
                kernel.accumulate(
                    block, self.shift, self.intercept, s, np.maximum(-w, 0.0), less.h, less.g
                )
                sums.h -= less.h
            return
        n_intercepts = int(self.intercept)
        sums.g[n_intercepts:] += block.T @ s
        if self.intercept:
            sums.g[0] += s.sum()
        if hessian:
            scaled = block.multiply(w[:, None]).tocsr()
            sums.h[n_intercepts:, n_intercepts:] += (block.T @ scaled).toarray()
            if self.intercept:
                sums.h[1:, 0] += block.T @ w
                sums.h[0, 0] += w.sum()

    def _sparse_sums(self, b: Array, hessian: bool, observed: bool) -> IRLSSums:
        def partial(
            rows: slice,
            block: Matrix,
            y: Array,
            weights: Array | None,
            offset: Array | None,
            _: slice,
        ) -> IRLSSums:
            sums = self._nothing(hessian)
            sums.observed = observed
            eta = block @ b[int(self.intercept) :]
            eta += (b[0] if self.intercept else 0.0) + (0.0 if offset is None else offset)
            s, w = self._score(sums, eta, y, weights)
            self._add(sums, block, s, w, hessian)
            return sums

        with np.errstate(all="ignore"):
            return self._sparse_reduced(partial, None)

    def _sparse_reduced(self, partial: Callable[..., Any], last: Array | None) -> IRLSSums:
        columns = self.y, self.weights, self.offset, last
        return self._fold(partial, columns, grid(self.n, least=2048), 50.0 * self.X.nnz)


def _part(values: Array | None, rows: slice) -> Array | None:
    return None if values is None else values[rows]


def as_float(block: Array) -> Array:
    """A block of rows in a type that kernels read."""
    if hasattr(block, "indptr") or block.dtype.type in FLOATS:
        return block
    return block.astype(np.float64)
