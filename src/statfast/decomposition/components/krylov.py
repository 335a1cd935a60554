# SPDX-License-Identifier: BSD-3-Clause
"""Few largest eigenvectors of a large symmetric operator, by block Krylov iteration to a residual.

Musco & Musco 2015, arXiv 1504.05477, with Rayleigh-Ritz on all that has been seen (block Lanczos
with full orthogonalization), and thick restarts (Wu & Simon 2000, doi:10.1137/S0895479898334605).
It ends when every residual |A v - lambda v| is below `tol` times the largest eigenvalue, after
which an eigenvalue is off by at most its residual, and mostly by its square over the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linalg import products, sparse_normal
from statfast._engine import checkpoint, each, grid, interruptible, reduce
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import is_sparse, warn_user

TOL = 1e-10
BLOCKS_OF_BASIS = 16  # The basis holds so many blocks before a restart.
MAX_RESTARTS = 60
PROBING_BLOCKS = 8  # So many blocks of random vectors are added to look for copies of eigenvalues.
NONZEROS_OF_CALL = 1 << 22  # A call on so many nonzeros and rows takes some 10 ms.
# The most multiplications of a call that Ctrl-C cannot interrupt, some 20 ms.
MULTIPLICATIONS_UNHEARD = 2e8
MIN_IMAGE_LEFT = 1e-3  # What is left of an image is more than rounding if it is longer than this.
# Small blocks are looked at again when the basis has grown by this factor.
GROWTH_BETWEEN_LOOKS = 1.4


@dataclass(frozen=True)
class Ritz:
    """Eigenpairs found by iteration."""

    values: NDArray[np.float64]  # (k,) descending
    vectors: NDArray[np.float64]  # (k, d) rows
    residuals: NDArray[np.float64]  # (k,) |A v - lambda v|
    n_iter: int


def largest_by_krylov(
    operate: Any,
    d: int,
    k: int,
    rng: Any,
    *,
    tol: float = TOL,
    oversampling: Any = 6,
    limit: Any = None,
    block: Any = None,
) -> Ritz:
    """The k largest eigenpairs of ``operate``, which maps rows (b, d) to their images.

    Parameters
    ----------
    operate : callable
        Rows (b, d) to rows (b, d), by a symmetric matrix without negative eigenvalues.
    d, k : int
        Size of the matrix, and of the answer; k is small beside d.
    rng : numpy.random.Generator
        For the start.
    tol : float
        Residuals wanted, relative to the largest eigenvalue.
    oversampling : int
        Vectors of a block beyond k.
    limit : int, optional
        Blocks at most; more would be taken until the residuals are small. Residuals that are not
        small then are for the caller to look at.
    block : int, optional
        Vectors of a block; k and `oversampling` by default. A smaller one takes less arithmetic,
        but does not hold all copies of an eigenvalue: once more vectors drawn at random are then
        taken in, until they change nothing.
    """
    wide = min(_width_of_block(k, oversampling), d)
    b = wide if block is None else min(block, wide)
    most = min(d, BLOCKS_OF_BASIS * b if b == wide else wide + BLOCKS_OF_BASIS * b)
    basis, ritz = np.empty((most, d)), np.zeros((most, most))
    new, m, n_iter, checked = _orthonormal(rng.standard_normal((b, d))), 0, 0, 0
    linked = 0  # Vectors before it have no share in the image of the next block.
    values = np.zeros(k)
    known = values if b < wide else None  # Eigenvalues known before the last random vectors.
    while True:
        checkpoint()
        stop, done = m + len(new), False
        basis[m:stop], images = new, operate(new)
        n_iter += 1
        shares, rest = np.zeros((stop, stop - m)), images
        # An image lies in its block and the one before, except for rounding.
        for first in (linked, 0):
            more = _times(basis[first:stop], rest.T)
            shares[first:] += more
            rest = rest - _times(np.ascontiguousarray(more.T), basis[first:stop])
        ritz[:stop, m:stop], ritz[m:stop, :stop] = shares, shares.T
        linked, m = m, stop
        full, over = m + b > most, m == d or n_iter == (limit or MAX_RESTARTS * BLOCKS_OF_BASIS)
        if b == wide or full or over or (m >= k and m >= GROWTH_BETWEEN_LOOKS * checked):
            checked = m
            values, y = _eigen(ritz[:m, :m], min(m, max(wide, most // 2)))
            residuals = _lengths(y[:, m - len(new) :], rest)
            top = max(values[0], 0.0)
            done = len(values) >= k and residuals[:k].max() <= tol * top
            if over or (done and (known is None or _is_same(values[:k], known, tol))):
                break
            if full or done:
                keep = k if done else min(len(y), most // 2)
                basis[:keep] = _times(y[:keep], basis[:m])
                ritz[:keep, :keep] = np.diag(values[:keep])
                linked, m, checked = 0, keep, keep
            if done:  # Random vectors show whether copies of eigenvalues were missed.
                known = values[:k].copy()
                checked = (k + PROBING_BLOCKS * b) / GROWTH_BETWEEN_LOOKS
        if done:
            new = _orthonormal(rng.standard_normal((min(b, d - m), d)), basis[:m])
        else:
            new = _next_block(rest[: d - m], images, basis[:m], np.abs(ritz[:m, :m]).max())
        if len(new) == 0:
            if m >= k:
                values, y = _eigen(ritz[:m, :m], k)
                residuals = np.zeros(k)
                break
            new, linked = _orthonormal(rng.standard_normal((min(b, d - m), d)), basis[:m]), 0
    done = residuals[:k].max() <= tol * values[0]
    if not done and limit is None and residuals[:k].max() > 1e-7 * values[0] and m < d:
        warn_user(
            f"The iteration for {k} components left residuals of "
            f"{residuals[:k].max() / values[0]:.1e} of the largest eigenvalue after {n_iter} "
            'steps. Use svd_solver="full", or fewer components.'
        )
    return Ritz(values[:k].clip(0.0), _times(y[:k], basis[:m]), residuals[:k], n_iter)


def _width_of_block(k: int, oversampling: int) -> int:
    """Whole tiles of about k + oversampling vectors: of a tile hardly begun, half of the products
    would be lost."""
    wide = products.wide(k + oversampling)
    less = wide - products.wide(1)
    return less if 2 * less >= 2 * k + oversampling else wide


def _lengths(shares: Array, rest: Any) -> Any:
    """Of the residuals of vectors, which have these shares in the last block, of whose images this
    is left."""
    return np.sqrt(((shares @ _times(rest, rest.T)) * shares).sum(axis=1).clip(0.0))


def _is_same(values: Array, before: Any, tol: float) -> Any:
    return np.abs(values - before).max() <= tol * values[0]


def _eigen(matrix: Array, k: int) -> Any:
    is_small = 8.0 * len(matrix) ** 3 < MULTIPLICATIONS_UNHEARD
    values, vectors = np.linalg.eigh(matrix) if is_small else interruptible(np.linalg.eigh, matrix)
    return values[::-1][:k], np.ascontiguousarray(vectors[:, ::-1][:, :k].T)


def _times(a: Any, b: Array) -> Any:
    return (
        a @ b if a.size * b.shape[1] < MULTIPLICATIONS_UNHEARD else interruptible(np.matmul, a, b)
    )


def _orthonormal(rows: Any, basis: Any = None) -> Any:
    """Orthonormal rows that span what the given ones add to a basis of orthonormal rows."""
    length = np.sqrt((rows**2).sum(axis=1))
    rows = rows[length > 0.0] / length[length > 0.0, None]
    for _ in range(2):
        if basis is not None and len(rows):
            rows = rows - _times(_times(rows, basis.T), basis)
        if len(rows):
            rows = _independent(rows)
    return rows


def _next_block(rest: Any, images: Any, basis: Any, top: Any) -> Any:
    """Orthonormal rows that span what is left of images, less their shares in the basis.

    Where next to nothing is left of some, it is taken for rounding, and freed of such shares again.
    """
    length = np.sqrt((rest**2).sum(axis=1))
    most = np.sqrt((images**2).sum(axis=1).max(initial=0.0))
    if len(rest) and length.min() > 0.0:
        values, vectors = np.linalg.eigh(_times(rest, rest.T))
        if values[0] > (MIN_IMAGE_LEFT * most) ** 2:
            return _independent(_times((vectors / np.sqrt(values)).T, rest))
    return _orthonormal(rest[length > 1e-15 * top], basis)


def _independent(rows: Any) -> Any:
    """An orthonormal basis of the span of rows, by Cholesky's factor twice where it will do."""
    for _ in range(2):
        values, vectors = np.linalg.eigh(_times(rows, rows.T))
        live = values > 1e-13 * values[-1]
        if values[0] > 1.0 - 1e-14 and values[-1] < 1.0 + 1e-14:
            break
        rows = _times((vectors[:, live] / np.sqrt(values[live])).T, rows)
        if values[0] > 0.1:
            break
    return rows


def normal_operator(
    X: Any, weights: Array | None, mean: Any, scale: Any, n_jobs: Jobs, *, rounded: bool = False
) -> Any:
    """The map of rows P to P Z' W Z with Z = (X - mean) / scale, in one reading of X.

    With `rounded`, by products in float32 of float32 rows without weights.
    """
    if is_sparse(X):
        return _sparse_operator(X, weights, mean, scale)
    n, d = X.shape
    by = None if scale is None else 1.0 / scale

    def operate(P: Any) -> Any:
        b = len(P)
        P = np.ascontiguousarray(P)
        step = max(64, min(n, int(2e8 / (d * b))))

        def partial(_: slice, block: Any, share: Any) -> Any:
            columns = products.broad(b) if rounded else products.wide(b)
            total = np.zeros((products.tall(d), columns))
            for start in range(0, len(block), step):
                where = slice(start, start + step)
                checkpoint()
                if rounded:
                    products.normal_rounded(block[where], mean, by, P, total)
                else:
                    w = None if share is None else share[where]
                    products.normal(block[where], w, mean, by, P, total)
            return total

        def merge(images: Any, more: Any) -> Any:
            images += more
            return images

        total = reduce(
            partial, X, weights, merge=merge, n_jobs=n_jobs, effort=4.0 * n * d * b, least=512
        )
        return np.ascontiguousarray(total[:d, :b].T)

    return operate


def _sparse_operator(X: Any, weights: Array | None, mean: Any, scale: Any) -> Any:
    start, column = X.indptr.astype(np.intp), X.indices.astype(np.int32, copy=False)
    value = X.data.astype(np.float64, copy=False)
    work = start + np.arange(len(start))
    cuts = np.append(np.searchsorted(work, np.arange(0, work[-1], NONZEROS_OF_CALL)), X.shape[0])

    def operate(P: Any) -> Any:
        out = np.empty_like(P)
        for first in range(0, len(P), sparse_normal.PANEL_COLUMNS):
            vectors = P[first : first + sparse_normal.PANEL_COLUMNS]
            table = np.zeros((P.shape[1], sparse_normal.PANEL_COLUMNS))
            table[:, : len(vectors)] = (vectors if scale is None else vectors / scale).T
            total, images = np.zeros(sparse_normal.PANEL_COLUMNS), np.zeros_like(table)
            for a, b in pairwise(cuts.tolist()):
                checkpoint()
                sparse_normal.add_normal(
                    start, column, value, weights, table, mean @ table, a, b, total, images
                )
            images -= np.outer(mean, total)
            if scale is not None:
                images /= scale[:, None]
            out[first : first + len(vectors)] = images[:, : len(vectors)].T
        return out

    return operate


def project_rows(
    X: Matrix, shift: Array, P: Array, n_jobs: Jobs = None, dtype: type[Any] | None = None
) -> tuple[Array, bool]:
    """(X - shift) P' of an array or a sparse matrix, and whether all of it is finite."""
    n, k = X.shape[0], len(P)
    if is_sparse(X):
        out = X @ P.T - shift @ P.T
        return out, bool(np.isfinite(out).all())
    out = np.empty((n, k), dtype or (np.float32 if X.dtype == np.float32 else np.float64))
    P = np.ascontiguousarray(P)
    step = max(64, int(2e8 / max(1, P.size)))

    def work(rows: slice) -> bool:
        finite = True
        for start in range(rows.start, rows.stop, step):
            checkpoint()
            part = slice(start, min(rows.stop, start + step))
            finite &= products.project(np.ascontiguousarray(X[part]), shift, P, out[part])
        return finite

    if n <= 256:
        return out, work(slice(0, n))
    return out, all(each(work, grid(n, 1024), n_jobs=n_jobs, effort=float(n) * (2 * P.size + 8)))
