# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suites ``lasso`` and ``ols``: paths of penalties, and least squares.

Columns and targets are centred, so that libraries without an intercept solve the same problem;
columns are contiguous, as all libraries like them. Correlations between columns fall as powers of
rho with their distance. A path ends at a hundredth of the largest penalty where there are more
columns than rows, else at a thousandth.
"""

from functools import partial

import numpy as np
from scipy.sparse import csc_matrix, random_array

from benchmarks.problem import Problem

PENALTIES = 50
RELEVANT = 100  # columns in the true model
NOISE = 1 / 3  # of the deviation of the signal
GAP = 1e-6  # of |y|^2: the duality gap asked for
BUDGET, HOPELESS, LIMIT = 3.0, 8.0, 60.0


def _path_data(n, p, rho, seed):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    for j in range(1, p if rho else 0):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    b = np.zeros(p)
    b[rng.choice(p, min(RELEVANT, p // 4), replace=False)] = rng.standard_normal(
        min(RELEVANT, p // 4)
    )
    signal = X @ b
    y = signal + NOISE * signal.std() * rng.standard_normal(n)
    X -= X.mean(axis=0)
    y -= y.mean()
    top = np.abs(X.T @ y).max() / n
    alphas = np.geomspace(top, top * (1e-2 if p > n else 1e-3), PENALTIES)
    return {"X": X, "y": y, "alphas": alphas, "tol": GAP}


def _sparse_data(n, p, share, seed):
    """Columns that are not centred, so that no library has an intercept; targets that are."""
    rng = np.random.default_rng(seed)
    X = random_array((n, p), density=share, rng=rng, data_sampler=rng.standard_normal).tocsc()
    X = csc_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=(n, p))
    b = np.zeros(p)
    b[rng.choice(p, RELEVANT, replace=False)] = rng.standard_normal(RELEVANT)
    signal = X @ b
    y = signal + NOISE * signal.std() * rng.standard_normal(n)
    y -= y.mean()
    top = np.abs(X.T @ y).max() / n
    return {"X": X, "y": y, "alphas": np.geomspace(top, top * 1e-2, PENALTIES), "tol": GAP}


def _ols_data(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return {"X": X, "y": X @ rng.standard_normal(p) + rng.standard_normal(n) + 1}


def _ridge_data(n, p, count, seed):
    return _ols_data(n, p, seed) | {"alphas": np.geomspace(1e-2, 1e6, count)}


def _path(n, p, rho, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_path_data, n, p, rho)
    return Problem(f"path {n}x{p} rho={rho:g}", "lasso path", make, **bounds)


def _sparse(n, p, share, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_sparse_data, n, p, share)
    return Problem(f"path {n}x{p}, {share:.0%} filled", "lasso path", make, **bounds)


def _ols(n, p, **more):
    return Problem(f"ols {n}x{p}", "ols", partial(_ols_data, n, p), **more)


def _ridge(n, p, count=100, **more):
    name = f"ridge {n}x{p}, {count} penalties"
    return Problem(name, "ridge path", partial(_ridge_data, n, p, count), **more)


SHAPES = [(1_000, 5_000), (50_000, 200), (10_000, 1_000)]
BETWEEN = [(2_000, 2_000), (200, 20_000), (20_000, 500)]
LASSO = [
    *(_path(n, p, rho, group="path") for n, p in SHAPES for rho in (0.0, 0.5, 0.9)),
    *(_path(n, p, 0.5, beyond=True) for n, p in BETWEEN),
    _sparse(20_000, 2_000, 0.01, beyond=True),
    _sparse(2_000, 20_000, 0.01, beyond=True),
]
OLS = [
    _ols(1_000_000, 20, group="ols"),
    _ridge(100_000, 50, group="ols"),
    _ols(1_000, 5, beyond=True),
    _ridge(2_000, 200, beyond=True),
]
QUICK_LASSO = [_path(200, 100, 0.5, group="path"), _path(60, 200, 0.9, group="path")]
QUICK_OLS = [_ols(2_000, 5, group="ols"), _ridge(500, 10, 20, group="ols")]
