# SPDX-License-Identifier: BSD-3-Clause
"""Values of f(x) = sum over support vectors of coefficient times K(vector, x), for new rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.svm.expansion import SPARE_ROWS, expand
from statfast._distance import origin_of
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import is_sparse, shown
from statfast.kernels import RBF, Kernel, Linear, Polynomial, Sigmoid
from statfast.svm.machines.sparse_values import sparse_values

MULTIPLICATIONS_OF_CALL = 4e8  # A kernel call takes about 10 ms.
# Kernel values that are made at a time where the tiles have no code for the kernel.
VALUES_OF_BLOCK = 1 << 22
MAX_HALF_SQUARE = 1e100
UNIT = 2.0**-53
# With a larger error of a kernel value, distances are computed from differences, not from products.
MAX_ERROR_OF_PRODUCTS = 1e-11
MAX_DEGREE = 1 << 30


@dataclass(frozen=True)
class Expansion:
    """Support vectors and their coefficients, in `parts` that are summed apart."""

    kernel: Kernel
    vectors: Any  # rows, CSR rows, strings, or None for a precomputed kernel
    support: NDArray[np.intp]  # Their positions among the training rows.
    parts: tuple[slice, ...]
    coef: NDArray[np.float64]  # (Q, S)

    @cached_property
    def tile(self) -> Tile | None:
        """The vectors laid out, when they are first needed; None where kernels have no tiles."""
        return tile_for(self.kernel, self.vectors)

    def values(self, points: Matrix | list[str], n_jobs: Jobs = None) -> list[Array]:
        """For each part the sums of all new points: arrays (n, Q), float64.

        `points` have been checked.
        """
        n = points.shape[0] if hasattr(points, "shape") else len(points)
        count = max(1, len(self.support))
        outs = [np.zeros((n, len(self.coef))) for _ in self.parts]
        if is_sparse(points) and not is_sparse(self.vectors):
            step = max(1, VALUES_OF_BLOCK // points.shape[1])
            for start in range(0, n, step):
                piece = slice(start, start + step)
                for out, block in zip(
                    outs, self.values(points[piece].toarray(), n_jobs), strict=True
                ):
                    out[piece] = block
            return outs
        if type(self.kernel) is Linear and len(self.support):
            self._project(points, outs)
            return outs
        if self.tile is None:
            step = max(1, VALUES_OF_BLOCK // count)
            for start in range(0, n, step):
                piece = slice(start, start + step)
                self._sum(self._matrix(points[piece], n_jobs), [out[piece] for out in outs])
            return outs
        cost = (self.tile.cost + 2.0 * len(self.coef)) * count
        step = int(np.clip(MULTIPLICATIONS_OF_CALL / cost, 16, 1024)) // 16 * 16

        def work(task: slice) -> None:
            for start in range(task.start, task.stop, step):
                checkpoint()
                piece = slice(start, min(start + step, task.stop))
                self._fill(points[piece], [out[piece] for out in outs])

        tasks = [slice(0, n)] if n <= 64 else grid(n, least=64)
        each(work, tasks, n_jobs=n_jobs, effort=cost * n)
        return outs

    def _project(self, points: Matrix, outs: list[Array]) -> None:
        """The linear kernel: the vectors are summed before, about an origin among them."""
        if is_sparse(self.vectors):
            for part, out in zip(self.parts, outs, strict=True):
                out[:] = points @ (self.vectors[part].T @ self.coef[:, part].T)
            return
        origin = origin_of(self.vectors.mean(axis=0, dtype=np.float64)).astype(np.float64)
        step = max(1, VALUES_OF_BLOCK // points.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for part, out in zip(self.parts, outs, strict=True):
                coef = self.coef[:, part]
                w = np.einsum("ks,sj->kj", coef, self.vectors[part] - origin)
                w += np.multiply.outer(coef.sum(axis=1), origin)
                for start in range(0, len(points), step):
                    checkpoint()
                    piece = slice(start, start + step)
                    rows = np.ascontiguousarray(points[piece], dtype=np.float64)
                    np.einsum("ij,kj->ik", rows, w, out=out[piece])

    def _fill(self, rows, outs):
        block = np.ascontiguousarray(rows, dtype=np.float64)
        for part, out in zip(self.parts, outs, strict=True):
            if part.start < part.stop and not self.tile.fill(block, part, self.coef[:, part], out):
                self._sum(self._by_differences(block), outs)
                return

    def _sum(self, K: Array, outs: list[Array]) -> None:
        for part, out in zip(self.parts, outs, strict=True):
            # Each row is summed by itself, so that the result does not depend on the number of
            # rows.
            np.einsum("ij,kj->ik", K[:, part], self.coef[:, part], out=out)

    def _by_differences(self, rows):
        """The kernel matrix where products are too coarse; rows that dwarf all others apart."""
        far = self.tile.halves(rows) > MAX_HALF_SQUARE
        K = np.empty((len(rows), len(self.support)))
        if not far.all():
            K[~far] = self._matrix(rows[~far], 1)
        for i in np.flatnonzero(far):
            K[i] = self._matrix(rows[i : i + 1], 1)
        return K

    def _matrix(self, points: Any, n_jobs: Any) -> Array:
        if not len(self.support):
            return np.zeros((points.shape[0] if is_sparse(points) else len(points), 0))
        if is_sparse(self.vectors):
            return sparse_values(self.kernel, points, self.vectors)
        if self.vectors is None:
            values = np.ascontiguousarray(points[:, self.support], dtype=np.float64)
            return self.kernel.matrix(values, np.zeros((len(self.support), 1)), n_jobs=n_jobs)
        return self.kernel.matrix(points, self.vectors, n_jobs=n_jobs)


@dataclass(frozen=True)
class Tile:
    """Vectors as the compiled kernel wants them."""

    kind: str
    gamma: float
    coef0: float
    degree: int
    origin: NDArray[np.float32]
    vectors: NDArray[np.float64]
    start: NDArray[np.float64]
    largest: float  # half the largest squared length

    @property
    def cost(self) -> float:
        """Of one kernel value, in multiplications."""
        return self.vectors.shape[1] + 30.0

    def halves(self, rows: Array) -> Array:
        """Half the squared lengths of rows."""
        with np.errstate(over="ignore"):
            return 0.5 * ((rows - self.origin) ** 2).sum(axis=1)

    def fill(self, rows: Array, part: slice, coef: Array, out: Array) -> bool:
        """Whether the kernel values were good; then the sums are in `out`."""
        # Views that start at a part, whose following rows stand in for the zeros behind the last
        # row.
        far = expand(
            self.kind, self.gamma, self.coef0, self.degree, rows, self.origin,
            self.vectors[part.start :], self.start[part.start :], coef, out,
        )  # fmt: skip
        if self.kind != "rbf":
            return True
        error = self.gamma * 2.0 * (far + self.largest) * (len(self.origin) + 8) * UNIT
        return bool(error <= MAX_ERROR_OF_PRODUCTS)


def tile_for(kernel: Kernel, vectors: Matrix | list[str] | None) -> Tile | None:
    """The vectors laid out, or None where the kernel is not one of the tiles'."""
    if isinstance(vectors, np.ndarray) and len(vectors):
        if type(kernel) is RBF:
            return _laid("rbf", kernel.gamma, 0.0, 0, vectors)
        if type(kernel) is Sigmoid:
            return _laid("sigmoid", kernel.gamma, kernel.coef0, 0, vectors)
        if type(kernel) is Polynomial and kernel.degree <= MAX_DEGREE:
            return _laid("poly", kernel.gamma, kernel.coef0, kernel.degree, vectors)
    return None


def _laid(kind: str, gamma: float, coef0: float, degree: int, vectors: Array) -> Tile:
    m, d = vectors.shape
    width = -(-d // 16) * 16
    # The stride avoids multiples of 256 numbers; see tile/rows.pxd.
    width += 16 if width % 256 == 0 else 0
    origin = np.zeros(d, dtype=np.float32)
    if kind == "rbf":
        origin = origin_of(vectors.min(axis=0) / 2 + vectors.max(axis=0) / 2)
    laid = np.zeros((m + SPARE_ROWS, width))
    laid[:m, :d] = vectors - origin.astype(np.float64)
    start = np.zeros(m + SPARE_ROWS)
    if kind == "rbf":
        start[:m] = -0.5 * np.einsum("ij,ij->i", laid[:m], laid[:m])
    return Tile(kind, gamma, coef0, degree, origin, laid, start, float(-start.min()))


def require_finite_values(values: Array) -> None:
    """Refuse values of f that are not finite."""
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise ValueError(
            f"The kernel gives {shown(float('nan'))} or infinity for row {row} of X. Scale the "
            "columns of X, or choose another kernel."
        )
