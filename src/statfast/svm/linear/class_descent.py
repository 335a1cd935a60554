# SPDX-License-Identifier: BSD-3-Clause
"""The machine of all classes together: Crammer & Singer 2001, by dual descent over the rows.

With v_k for class k, f_k = z'v_k of a row of class y and cost c, the primal is to minimize

    sum over k of v_k' diag(ridge) v_k / 2
        + sum over rows of c max(0, max over k != y of 1 - (f_y - f_k))

and the dual to maximize minus what the kernel minimizes. Rows that have left the order come back
before the end, where the largest violation of a row is at most tol: the largest gradient of a class
less the least of those whose multiplier may rise.
"""

from typing import Any

import numpy as np

from statfast._core.svm.class_descent import sweep, sweeps
from statfast._core.svm.dual_descent import shuffle
from statfast._engine import checkpoint
from statfast._linalg import dot
from statfast._typing import Array
from statfast.svm.linear.objective import Clock, LinearSolution
from statfast.svm.linear.positive import require_products
from statfast.svm.linear.rows import LinearRows

NUMBERS_OF_CALL = 1e7  # A kernel call multiplies so many numbers in about 20 ms.
LANES = 8  # The kernel's.
# Rows come back at a violation of 1, then of this share of that before.
SHARPER = 0.5


def descend_together(
    rows: LinearRows,
    codes: Array,
    cost: Array,
    n_classes: int,
    tol: float,
    clock: Clock,
    rng: np.random.Generator,
) -> LinearSolution:
    """Solve the dual; returns a Solution whose v is (K, q)."""
    lanes = -(-n_classes // LANES) * LANES
    v, room = np.zeros((1 + rows.d, lanes)), np.zeros((4, lanes))
    alpha, square, view = np.zeros((rows.n, n_classes)), rows.squares(), _view_of(rows)
    require_products(dot(cost, square))
    codes, line = codes.astype(np.int32), np.empty(rows.d)
    # A row of zeros loses what it loses, whatever the weights.
    zero = np.flatnonzero(square == 0.0)
    alpha[zero, codes[zero]] = cost[zero]
    alpha[zero, (codes[zero] + 1) % n_classes] = -cost[zero]
    everything = np.flatnonzero(square > 0.0).astype(np.int32)
    constant = rows.scale**2 if rows.intercept else 0.0
    given = *view, constant, codes, cost, square, alpha, v, room, line
    order, count, n_iter, enough = everything.copy(), len(everything), 0, max(1.0, tol)
    per_row, seen = lanes * (rows.size / rows.n + 20.0), np.zeros(1)
    while True:
        step, seed = max(64, int(NUMBERS_OF_CALL / per_row)), int(rng.integers(1, 2**63))
        whole = count == len(everything)
        if count <= step:
            turns = 1 if whole else min(step // max(count, 1), clock.max_iter - n_iter)
            count, turns = sweeps(*given, order, count, seed, enough, turns, seen)
            checkpoint()
        else:
            shuffle(order, count, seed)
            kept, turns, seen[0] = 0, 1, 0.0
            for begin in range(0, count, step):
                until = min(count, begin + step)
                kept = sweep(*given, order, begin, until, kept, 0.0, seen)
                checkpoint()
            count = kept
        n_iter += turns
        converged = whole and seen[0] <= tol
        reason = "" if converged else clock.stopped(n_iter)
        if converged or reason:
            return _solution(rows, codes, cost, alpha, v, n_iter, reason)
        if seen[0] <= enough:
            order[:], count = everything, len(everything)
            enough = max(tol, SHARPER * enough)


def _view_of(rows: LinearRows) -> tuple[Any, ...]:
    """The rows as the kernel takes them."""
    if rows.sparse:
        return None, None, *rows.parts
    X = rows.lined_up
    return (None, X, None, None, None) if X.dtype == np.float32 else (X, None, None, None, None)


def _solution(
    rows: LinearRows, codes: Array, cost: Array, alpha: Array, v: Array, n_iter: int, reason: str
) -> LinearSolution:
    """The Solution at the multipliers."""
    n_classes = alpha.shape[1]
    v = np.ascontiguousarray(v[1 - rows.n_intercepts :, :n_classes].T)
    own, other = np.zeros(rows.n), np.full(rows.n, -np.inf)
    for k, vector in enumerate(v):
        f, here = rows.product(vector), codes == k
        own[here] = f[here]
        np.maximum(other, f, out=other, where=~here)
    quadratic = 0.5 * float((rows.ridge * v * v).sum())
    primal = quadratic + dot(cost, np.maximum(0.0, 1.0 + other - own))
    reward = float(alpha[np.arange(rows.n), codes].sum())  # The others sum to as much below 0.
    return LinearSolution(v, alpha, primal, reward - quadratic, n_iter, not reason, reason)
