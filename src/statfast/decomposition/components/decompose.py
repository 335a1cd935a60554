# SPDX-License-Identifier: BSD-3-Clause
"""The singular value decomposition of rows about their mean, by the shape of the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linalg import products
from statfast._engine import checkpoint, interruptible, reduce
from statfast._estimator import column_moments, summed
from statfast._linalg import mirrored
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import is_sparse, refuse_large
from statfast.decomposition.components.eigen import (
    complete_basis,
    eigenvalues,
    fix_signs,
    largest_eigen,
)
from statfast.decomposition.components.krylov import (
    TOL,
    Ritz,
    largest_by_krylov,
    normal_operator,
    project_rows,
)
from statfast.decomposition.components.moments import (
    Moments,
    moments_of,
    require_finite_gram,
)

EPSILON = np.finfo(np.float64).eps
# Singular values below this share of the first are found again, from the rows.
MIN_SINGULAR_VALUE = 1e-3
# Shares of each other's vectors, whose cubes are rounding, and whose squares are far below 1.
MAX_SLIGHT_TURN = 1e-6
# Products in float32 leave each entry of a scatter G off by e sqrt(G_ii G_jj), with e < 8e-6 at
# worst, where all roundings go one way, and less than 1e-8 of ten thousand rows where they do not.
# Eigenvalues that are this share of the largest G_ii are then right to some 1e-7, if not all
# columns conspire; smaller ones are found from products in double.
MIN_EIGENVALUE_OF_FLOAT32 = 0.1
MAX_SQUARES = 1e37  # Sums of squares beyond it are near the largest float32.
MIN_MEAN_SQUARE_OF_FLOAT32 = 1e-28  # Mean squares below it are near the least float32.
# Iterations by products in float32 end at such a residual, relative to the largest eigenvalue, far
# above what their roundings leave. They count where residuals are that small a share of the
# smallest eigenvalue asked for. Where roundings conspire, so many steps do not get there.
TOL_OF_FLOAT32 = 3e-8
MAX_RESIDUAL_OF_FLOAT32 = 3e-6
MAX_ROUNDED_STEPS = 40
COLUMNS_OF_GRAM = 512  # Rows and panels of so many columns stay in a cache.
VECTORS_OF_SPARSE_BLOCK = 4  # An iteration of sparse rows takes so many vectors at once.
# From so many rows and columns on, a few components are found by iteration.
MIN_SIDE_FOR_ITERATION = 1000


@dataclass(frozen=True)
class Components:
    """Mean, scale, and the leading singular values and right singular vectors of the rows."""

    mean: NDArray[np.float64]  # (d,)
    scale: NDArray[np.float64] | None  # (d,) by which columns were divided
    vectors: NDArray[np.float64]  # (k, d) orthonormal rows, signed
    singular: NDArray[np.float64]  # (k,) descending
    total: float  # sum of all squared singular values
    total_weight: float  # sum of the weights
    n: int  # rows
    values: NDArray[np.float64] | None = None  # all squared singular values, where they are known
    residuals: NDArray[np.float64] | None = None  # of an iteration, relative to the largest
    deviation: NDArray[np.float64] | None = None  # (d,) of the columns, by total_weight - 1
    constant: tuple[int, ...] = ()  # columns without variation, where columns are scaled


def most_components(n: int, total_weight: float, d: int) -> int:
    """How many components there can be: whole weights count as repeated rows."""
    return min(max(n, int(total_weight)), d)


def scale_of(squares: Array, mean: Array, total_weight: float) -> Any:
    """Standard deviations (1 for constant columns), and the columns that do not vary."""
    deviation = _deviation(squares, total_weight)
    constant = deviation <= np.maximum(10.0 * EPSILON * np.abs(mean), 1e-150)
    return np.where(constant, 1.0, deviation), tuple(np.flatnonzero(constant).tolist())


def _deviation(squares: Array, total_weight: float) -> Array:
    """Standard deviations; 0 where one row alone has none."""
    return np.sqrt(squares / (total_weight - 1.0)) if total_weight > 1.0 else np.zeros_like(squares)


# ---------------------------------------------------------------- from a sum over the rows


def components_of_moments(
    moments: Moments, choose: Any, *, correlation: bool = False
) -> Components:
    """Components from moments; ``choose(values, n)`` says how many, from all eigenvalues.

    ``choose`` may be an integer instead, where it is known before.
    """
    matrix, scale, constant = moments.matrix(), None, ()
    if correlation:
        scale, constant = scale_of(moments.diagonal(), moments.mean, moments.total_weight)
        matrix /= scale[:, None] * scale
        matrix[list(constant)] = 0.0
        matrix[:, list(constant)] = 0.0
    total = float(matrix.trace())
    d = len(matrix)
    everything: NDArray[np.float64] | None
    if callable(choose):
        values, vectors = largest_eigen(matrix, d)
        k = choose(values, moments)
        everything = values
        values, vectors = values[:k], vectors[:k]
    elif choose < d / 10 and d > MIN_SIDE_FOR_ITERATION:
        pairs = largest_by_krylov(
            lambda P: interruptible(np.matmul, P, matrix),
            d,
            choose,
            np.random.default_rng(0),
            tol=1e-13,
        )
        values, vectors, everything = pairs.values, pairs.vectors, None
    else:
        values, vectors = largest_eigen(matrix, choose)
        everything = values if choose == d else None
    return Components(
        moments.mean, scale, fix_signs(vectors), np.sqrt(values), total, moments.total_weight,
        moments.n, everything, deviation=_deviation(moments.diagonal(), moments.total_weight),
        constant=constant,
    )  # fmt: skip


def refine(
    components: Components, X: Matrix, weights: Array | None, n_jobs: Jobs = None
) -> Components:
    """The same, with small singular values as good as large ones: from the rows themselves.

    A Gram matrix has squared the condition of the rows. With V and s from it, the rows of
    Q = Z V' / s are nearly orthonormal, and their own Gram matrix, in a second pass, gives the
    factor by which R = diag(s) V is off: Cholesky QR iterated (Fukaya et al. 2020,
    doi:10.1137/18M1218212), with eigenvectors in place of Cholesky's factor. Nothing is
    amplified below rounding: what is below it comes out as 0.
    """
    for _ in range(3):
        s = components.singular
        if len(s) == 0 or s[-1] >= MIN_SINGULAR_VALUE * s[0] or s[0] == 0.0:
            break
        floor = max(X.shape[0], X.shape[1]) * EPSILON * s[0]
        by = np.maximum(s, floor)
        P = components.vectors / by[:, None]
        if components.scale is not None:
            P = P / components.scale
        gram = mirrored(_gram_of_scores(X, weights, components.mean, P, n_jobs))
        length = gram.diagonal()
        off_diagonal = np.abs(gram - np.diag(length)).max()
        turned = _turned_slightly(gram * (by[:, None] * by), components.vectors, floor)
        if turned is None:
            values, turn = np.linalg.eigh(gram)
            factor = np.sqrt(values.clip(0.0))[:, None] * turn.T * by
            _, s_new, turn = np.linalg.svd(factor)
            turned = s_new, turn @ components.vectors
        components = replace(components, vectors=fix_signs(turned[1]), singular=turned[0])
        known = (length > 0.5) | (np.minimum(s, turned[0]) <= floor)
        if off_diagonal < 0.5 and ((length < 1.5) & known).all():
            break
    return with_fixed_signs(components, max(X.shape[0], X.shape[1]) * EPSILON)


def _turned_slightly(gram: Array, vectors: Array, floor: float) -> tuple[Array, Array] | None:
    """Singular values and vectors from the Gram matrix of scores, where that is nearly diagonal.

    To first order vector j takes G_ij / (G_jj - G_ii) of vector i, and values change to second
    order alone. None where that is too much, or the order of the values changes.
    """
    squares = gram.diagonal()
    s = np.sqrt(squares.clip(0.0))
    if (np.diff(s) > floor).any():
        return None
    scale = s[:, None] * s
    gap = squares - squares[:, None]
    share = np.zeros_like(gram)
    # Of two values that are alike to rounding, or are rounding themselves, any basis will do.
    apart = (np.abs(gram) > len(s) * EPSILON * scale) & (np.maximum(s[:, None], s) > floor)
    np.fill_diagonal(apart, False)
    np.divide(gram, gap, out=share, where=apart)
    if not np.abs(share).max() <= MAX_SLIGHT_TURN:
        return None
    turn = np.eye(len(s)) + share.T
    # Rows are orthonormal but for squares of the shares, which a step of Newton takes off.
    square = interruptible(np.matmul, turn, turn.T)
    turn = 1.5 * turn - 0.5 * interruptible(np.matmul, square, turn)
    order = np.argsort(-s, kind="stable")
    return s[order], interruptible(np.matmul, turn, vectors)[order]


def with_fixed_signs(components: Components, share: float | None = None) -> Components:
    """Singular values below a share of the first, which are rounding, are 0; their vectors are
    those that complete the others, by the same rule for rows and for their repetitions.

    Without a share it is that of a Gram matrix.
    """
    share = np.sqrt(4.0 * len(components.mean) * EPSILON) if share is None else share
    live = components.singular > share * components.singular[:1].max(initial=0.0)
    singular, values = np.where(live, components.singular, 0.0), components.values
    if values is not None:
        values = np.concatenate([singular**2, values[len(singular) :]])
    vectors = fix_signs(complete_basis(components.vectors, live))
    return replace(components, vectors=vectors, singular=singular, values=values)


def _gram_of_scores(X, weights, mean, P, n_jobs):
    k = len(P)
    P = np.ascontiguousarray(P)

    def partial(_: Any, block: Array, share: Array | None) -> Array:
        scores = np.empty((len(block), k))
        total = np.zeros((products.tall(k + 1), products.wide(k + 1)))
        step = max(64, int(2e8 / max(1, P.size)))
        for start in range(0, len(block), step):
            where = slice(start, start + step)
            checkpoint()
            products.project(block[where], mean, P, scores[where])
            w = None if share is None else share[where]
            products.scatter(scores[where], w, np.zeros(k), total)
        return total

    def merge(gram: Any, more: Any) -> Any:
        gram += more
        return gram

    if is_sparse(X):
        total, step = None, max(256, min(16384, (1 << 22) // X.shape[1]))
        for start in range(0, X.shape[0], step):
            where = slice(start, start + step)
            share = None if weights is None else weights[where]
            more = partial(None, X[where].toarray(), share)
            total = more if total is None else merge(total, more)
    else:
        effort = 2.0 * X.size * k
        total = reduce(
            partial, X, weights, merge=merge, n_jobs=n_jobs, effort=effort, least=max(1024, k)
        )
    return total[:k, :k]


# ---------------------------------------------------------------- more columns than rows


def components_of_rows(
    X: Any,
    weights: Array | None,
    choose: Any,
    *,
    center: Any = True,
    correlation: bool = False,
    rounded: bool = False,
    n_jobs: Jobs = None,
) -> Components:
    """Components by the Gram matrix of the rows, whose eigenvectors span them.

    With `rounded`, by products in float32 where these tell them.
    """
    n, d = X.shape
    options: Any = {"center": center, "correlation": correlation, "n_jobs": n_jobs}
    refuse_large(24.0 * n * n, f"The Gram matrix of {n} rows", "Ask for few components.")
    total_weight = float(n if weights is None else weights.sum())
    rows = n if weights is None else int(np.count_nonzero(weights))
    share = np.full(n, 1.0 / total_weight) if weights is None else weights / total_weight
    root = None if weights is None else np.sqrt(weights)
    mean, spread = np.empty(d), np.empty(d)

    def partial(columns: Any, _: slice) -> Any:
        block = np.ascontiguousarray(X[:, columns])
        total = np.zeros((products.tall(n), products.broad(n)))
        width = columns.stop - columns.start
        step = max(32, min(COLUMNS_OF_GRAM, int(1e9 / n**2)))
        for start in range(0, width, step):
            here = slice(start, min(start + step, width))
            there = slice(columns.start + here.start, columns.start + here.stop)
            shift = block[0, here].astype(np.float64) if center else np.zeros(here.stop - start)
            checkpoint()
            products.gram(
                block[:, here], share, root, shift, center, mean[there], spread[there],
                correlation, rounded, total,
            )  # fmt: skip
        return total

    def merge(gram: Any, more: Any) -> Any:
        gram += more
        return gram

    with np.errstate(over="ignore", invalid="ignore"):
        total = reduce(
            partial, np.empty((d, 0)), merge=merge, n_jobs=n_jobs, effort=float(n) * n * d,
            least=max(256, min(n, 512)),
        )  # fmt: skip
    gram = mirrored(total[:n, :n])
    if rounded and not _is_rounded_well(gram.diagonal(), total_weight):
        return components_of_rows(X, weights, choose, **options)
    require_finite_gram(gram, mean, X)
    scale, constant = None, ()
    if correlation:
        # The kernel has divided by the deviation of divisor `total_weight`: that of one less is
        # wanted.
        gram *= (total_weight - 1.0) / total_weight
        scale, constant = scale_of(spread**2 * total_weight, mean, total_weight)
    k = choose
    if callable(choose):
        values = np.concatenate([eigenvalues(gram), np.zeros(max(0, d - n))])[:d]
        k = choose(values, Moments(total_weight, rows, mean, gram))
    everything = None
    if k >= n or callable(choose):
        everything = np.zeros(min(d, max(n, k)))
        eigen = eigenvalues(gram)
        everything[: len(eigen)] = eigen[: len(everything)]
    values, left_vectors = largest_eigen(gram, min(k, n))
    if rounded and values[-1] < MIN_EIGENVALUE_OF_FLOAT32 * gram.diagonal().max():
        return components_of_rows(X, weights, choose, **options)
    eigen = _from_left(
        X, root, (mean, scale, constant), values, left_vectors, k, rounded, n_jobs
    )  # fmt: skip
    return replace(
        eigen, total=float(gram.trace()), total_weight=total_weight, n=rows, values=everything,
        constant=constant, deviation=_deviation(spread**2 * total_weight, total_weight),
    )  # fmt: skip


def _from_left(
    X: Any,
    root: Any,
    columns: Any,
    values: Array,
    left_vectors: Any,
    k: int,
    rounded: bool,
    n_jobs: Jobs,
) -> Any:
    """Right vectors from left ones: V = U' Z / s, and again from the rows where s is small, or
    where rounded products leave vectors that are not quite at right angles."""
    mean, scale, constant = columns
    n, d = X.shape
    s = np.sqrt(values)
    floor = max(np.sqrt(n * EPSILON) * 4.0 * s[0], 1e-300)
    live = s > floor
    Y = np.zeros((n, products.wide(max(1, len(s)))))
    Y[:, : len(s)] = (left_vectors / np.where(live, s, 1.0)[:, None]).T
    if root is not None:
        Y *= root[:, None]
    vectors = np.zeros((k, d))
    for start in range(0, d, 2048):
        checkpoint()
        columns_of_block = slice(start, min(d, start + 2048))
        block = np.ascontiguousarray(X[:, columns_of_block])
        total = np.zeros((products.tall(block.shape[1]), Y.shape[1]))
        products.back(block, mean[columns_of_block], Y, total)
        vectors[: len(s), columns_of_block] = total[: block.shape[1], : len(s)].T
    if scale is not None:
        vectors /= scale
        vectors[:, list(constant)] = 0.0
    singular = np.zeros(k)
    singular[: len(s)] = s
    kept = np.zeros(k, dtype=bool)
    kept[: len(s)] = live
    is_small = kept.any() and (s[live][-1] < MIN_SINGULAR_VALUE * s[0] or not kept.all())
    if rounded or is_small:
        vectors, singular = _ritz(X, root, mean, scale, vectors, kept, n_jobs)
    return Components(mean, scale, fix_signs(vectors), singular, 0.0, 0.0, n)


def _ritz(X: Any, root: Any, mean: Any, scale: Any, vectors: Any, kept: Any, n_jobs: Jobs) -> Any:
    """Rayleigh-Ritz on the rows: an orthonormal basis, its scores, and their own SVD."""
    basis = np.zeros_like(vectors)
    basis[kept] = interruptible(np.linalg.qr, np.ascontiguousarray(vectors[kept].T))[0].T
    basis = complete_basis(basis, kept)
    by = basis if scale is None else basis / scale
    scores, _ = project_rows(X, mean, by, n_jobs, np.float64)
    if root is not None:
        scores *= root[:, None]
    _, s, turn = interruptible(np.linalg.svd, scores, full_matrices=len(vectors) > len(scores))
    singular = np.zeros(len(vectors))
    singular[: len(s)] = s
    live = singular > max(X.shape) * EPSILON * singular[0]
    return complete_basis(turn @ basis, live), np.where(live, singular, 0.0)


# ---------------------------------------------------------------- both large, few components


def _column_moments(columns: Any, _: slice) -> Any:
    return column_moments(*columns)


def components_by_iteration(
    X: Any,
    weights: Array | None,
    k: int,
    *,
    center: Any = True,
    correlation: bool = False,
    rng: Any = None,
    tol: float = TOL,
    oversampling: Any = 6,
    n_jobs: Jobs = None,
) -> Components:
    """A few components of many rows and columns, converged to a residual."""
    effort = 8.0 * X.shape[0] * X.shape[1]
    columns = summed(_column_moments, (X, weights), None, n_jobs=n_jobs, effort=effort)
    mean, squares, total_weight = columns.mean, columns.squares, columns.total_weight
    n = X.shape[0] if weights is None else int(np.count_nonzero(weights))
    if not center:
        squares = squares + total_weight * mean**2
        mean = np.zeros_like(mean)
    scale, constant = None, ()
    with np.errstate(over="ignore"):
        total = float(squares.sum())
    require_finite_gram(np.array([[total]]), mean, X)
    if correlation:
        scale, constant = scale_of(squares, mean, total_weight)
        total = (total_weight - 1.0) * (len(scale) - len(constant))
    rng = np.random.default_rng(0) if rng is None else rng
    options = {"tol": tol, "oversampling": oversampling}
    pairs = None
    if is_sparse(X):
        options["block"] = VECTORS_OF_SPARSE_BLOCK
        if X.shape[0] < X.shape[1] and not (center or correlation):
            pairs = _by_left_vectors(X, weights, k, rng, options)
    if pairs is None:
        operate = normal_operator(X, weights, mean, scale, n_jobs)
        spread = squares if scale is None else np.full(1, total_weight)
        is_rounded_well = _is_rounded_well(spread, total_weight) and spread.sum() < MAX_SQUARES
        if tol == TOL and _may_round(X, weights, k) and is_rounded_well:
            pairs = _by_rounded_images(X, mean, scale, operate, k, rng, oversampling, n_jobs)
    if pairs is None:
        pairs = largest_by_krylov(operate, X.shape[1], k, rng, **options)
    top = pairs.values[0] or 1.0
    return Components(
        mean, scale, fix_signs(pairs.vectors), np.sqrt(pairs.values), total, total_weight, n,
        residuals=pairs.residuals / top, constant=constant,
        deviation=_deviation(columns.squares, total_weight),
    )  # fmt: skip


def _by_rounded_images(
    X: Any, mean: Array, scale: Any, operate: Any, k: int, rng: Any, oversampling: Any, n_jobs: Jobs
) -> Ritz | None:
    """Those of float32 rows by products in float32, with values and residuals by products in
    double; None where the residuals are large beside the smallest value."""
    rounded = normal_operator(X, None, mean, scale, n_jobs, rounded=True)
    ritz = largest_by_krylov(
        rounded, X.shape[1], k, rng, tol=TOL_OF_FLOAT32, oversampling=oversampling,
        limit=MAX_ROUNDED_STEPS,
    )  # fmt: skip
    if ritz.values[-1] * MAX_RESIDUAL_OF_FLOAT32 < ritz.values[0] * TOL_OF_FLOAT32:
        return None
    images = operate(ritz.vectors)
    values, turn = np.linalg.eigh(interruptible(np.matmul, ritz.vectors, images.T))
    turn = np.ascontiguousarray(turn[:, ::-1].T)
    values, vectors = values[::-1].clip(0.0), interruptible(np.matmul, turn, ritz.vectors)
    rest = interruptible(np.matmul, turn, images) - values[:, None] * vectors
    residuals = np.sqrt((rest**2).sum(axis=1))
    if residuals.max() > MAX_RESIDUAL_OF_FLOAT32 * values[-1]:
        return None
    return Ritz(values, vectors, residuals, ritz.n_iter)


def _by_left_vectors(X: Any, weights: Array | None, k: int, rng: Any, options: Any) -> Any:
    """Right singular vectors of wide sparse rows from left ones, which are shorter; None where
    small singular values leave them less exact than was asked for."""
    Z = X.astype(np.float64)
    if weights is not None:
        Z.data *= np.repeat(np.sqrt(weights), np.diff(Z.indptr))
    columns, n = Z.T.tocsr(), X.shape[0]
    ritz = largest_by_krylov(
        normal_operator(columns, None, np.zeros(n), None, None), n, k, rng, **options
    )
    vectors = interruptible(np.linalg.qr, columns @ ritz.vectors.T)[0]
    scores = Z @ vectors
    _, singular, turn = interruptible(np.linalg.svd, scores, full_matrices=False)
    values, vectors = singular**2, turn @ vectors.T
    rest = (columns @ (scores @ turn.T)).T - values[:, None] * vectors
    residuals = np.sqrt((rest**2).sum(axis=1))
    if residuals.max() > options["tol"] * values[0]:
        return None
    return Ritz(values, vectors, residuals, ritz.n_iter)


def may_round(shape: tuple[int, int], dtype: Any, choose: Any) -> bool:
    """Whether the scatter may be one of products in float32: see `MIN_EIGENVALUE_OF_FLOAT32`."""
    return bool(not callable(choose) and 2 * choose <= min(shape) and dtype == np.float32)


def _may_round(X: Matrix, weights: Array | None, choose: Any) -> bool:
    return weights is None and not is_sparse(X) and may_round(X.shape, X.dtype, choose)


def _is_rounded_well(squares: Array, total_weight: float) -> bool:
    """Whether a diagonal of products in float32 has neither overflowed nor vanished."""
    return bool(
        np.isfinite(squares).all() and squares.max() > MIN_MEAN_SQUARE_OF_FLOAT32 * total_weight
    )


def components_of_rounded_moments(
    moments: Moments, choose: int, *, correlation: bool = False
) -> Components | None:
    """Components by products in float32; None where these do not tell them."""
    squares = moments.diagonal()
    if not _is_rounded_well(squares, moments.total_weight):
        return None
    components = components_of_moments(moments, choose, correlation=correlation)
    largest = moments.total_weight - 1.0 if correlation else squares.max()
    return (
        components if components.singular[-1] ** 2 >= MIN_EIGENVALUE_OF_FLOAT32 * largest else None
    )


def decompose(
    X: Any,
    weights: Any,
    choose: Any,
    *,
    center: bool = True,
    correlation: bool = False,
    solver: str = "auto",
    rng: Any = None,
    tol: float = TOL,
    oversampling: int = 6,
    n_jobs: Any = None,
) -> Components:
    """Components of an array or a sparse matrix, by whichever way suits its shape."""
    n, d = X.shape
    options = {"center": center, "correlation": correlation, "n_jobs": n_jobs}
    asks_for_few = not callable(choose) and 10 * choose <= min(n, d)
    large = min(n, d) > MIN_SIDE_FOR_ITERATION or (is_sparse(X) and d > MIN_SIDE_FOR_ITERATION)
    iterate = asks_for_few and (solver in ("arpack", "randomized") or (solver == "auto" and large))
    if iterate and min(n, d) > 64 and (not is_sparse(X) or d > 512):
        options |= {"rng": rng, "tol": tol, "oversampling": oversampling}
        return components_by_iteration(X, weights, choose, **options)
    if n < d and solver != "covariance_eigh":
        if is_sparse(X):
            refuse_large(8.0 * n * d, "X as dense rows", "Ask for few components.")
            X = X.toarray()
        rounded = _may_round(X, weights, choose)
        return components_of_rows(X, weights, choose, rounded=rounded, **options)
    if _may_round(X, weights, choose):
        moments = moments_of(X, None, center=center, rounded=True, n_jobs=n_jobs)
        components = components_of_rounded_moments(moments, choose, correlation=correlation)
        if components is not None:
            return with_fixed_signs(components)
    moments = moments_of(X, weights, center=center, n_jobs=n_jobs)
    components = components_of_moments(moments, choose, correlation=correlation)
    if solver == "covariance_eigh":
        return with_fixed_signs(components)
    return refine(components, X, weights, n_jobs)
