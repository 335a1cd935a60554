# SPDX-License-Identifier: BSD-3-Clause
"""The machine of all classes together: Crammer & Singer 2001, by dual descent over the rows.

With v_k for class k, f_k = z'v_k of a row of class y and cost c, the primal is to minimize

    sum over k of v_k' diag(ridge) v_k / 2
        + sum over rows of c max(0, max over k != y of 1 - (f_y - f_k))

and the dual to maximize minus what the kernel minimizes. Rows that have left the order come back
before the end, where the largest violation of a row is at most tol: the largest gradient of a class
less the least of those whose multiplier may rise. An iteration is as many visits as there are rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.svm import class_descent as kernel
from statfast._core.svm.dual_descent import shuffle
from statfast._engine import aligned, checkpoint
from statfast._linalg import dot
from statfast._typing import Array
from statfast.svm.linear.objective import Clock, LinearSolution
from statfast.svm.linear.positive import require_products
from statfast.svm.linear.rows import LinearRows

NUMBERS_OF_CALL = 1e7  # A kernel call multiplies so many numbers in about 20 ms.
LANES = 8  # The kernel's.
# Rows that have left come back at a violation of 1, then at this share of that before.
SHARPER_VIOLATION = 0.5


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
    square = rows.squares()
    require_products(dot(cost, square))
    v, room = aligned((1 + rows.d, lanes), np.float64), aligned((rows.n, lanes), np.float64)
    v[:], room[:] = 0.0, 0.0
    v[0, n_classes:] = -np.inf
    codes = codes.astype(np.int32)
    # A row of zeros loses what it loses, whatever the weights: its room is that of another class.
    room[np.arange(rows.n), np.where(square > 0.0, codes, (codes + 1) % n_classes)] = cost
    constant = rows.scale**2 if rows.intercept else 0.0
    workspace = np.empty(rows.d + lanes)
    arrays = *_view_of(rows), constant, codes, cost, square, room, v, workspace
    dual = kernel.ClassDual(*arrays)
    all_rows = np.flatnonzero(square > 0.0).astype(np.int32)
    order, count, n_visits, enough = all_rows.copy(), len(all_rows), 0, max(1.0, tol)
    step = max(64, int(NUMBERS_OF_CALL / (lanes * (rows.size / rows.n + 20.0))))
    while True:
        is_whole, violation = count == len(all_rows), 0.0
        if 0 < count <= step:
            most = 1 if is_whole else min(step, clock.max_iter * rows.n - n_visits)
            seed = int(rng.integers(1, 2**63))
            count, violation, n_new = kernel.sweeps(dual, order, count, seed, enough, most)
            checkpoint()
        else:
            shuffle(order, count, int(rng.integers(1, 2**63)))
            kept, n_new = 0, count
            for begin in range(0, count, step):
                until = min(count, begin + step)
                kept, violation = kernel.sweep(dual, order, begin, until, kept, 0.0, violation)
                checkpoint()
            count = kept
        n_visits += n_new
        n_iter = max(1, n_visits // rows.n)
        converged = is_whole and violation <= tol
        reason = "" if converged else clock.stopped(n_iter)
        if converged or reason:
            return _solution(rows, codes, cost, room[:, :n_classes], n_iter, reason)
        if violation <= enough:
            order[:], count = all_rows, len(all_rows)
            enough = max(tol, SHARPER_VIOLATION * enough)


def _view_of(rows: LinearRows) -> tuple[Any, ...]:
    """The rows as the kernel takes them."""
    if rows.sparse:
        return None, None, *rows.parts
    X = rows.lined_up
    return (None, X, None, None, None) if X.dtype == np.float32 else (X, None, None, None, None)


def _solution(
    rows: LinearRows, codes: Array, cost: Array, room: Array, n_iter: int, reason: str
) -> LinearSolution:
    """The Solution at the multipliers."""
    alpha = -room
    alpha[np.arange(rows.n), codes] += cost
    v = np.array([rows.combined(np.ascontiguousarray(column)) for column in alpha.T]) / rows.ridge
    own, other = np.zeros(rows.n), np.full(rows.n, -np.inf)
    for k, vector in enumerate(v):
        f, here = rows.product(vector), codes == k
        own[here] = f[here]
        np.maximum(other, f, out=other, where=~here)
    quadratic = 0.5 * float((rows.ridge * v * v).sum())
    primal = quadratic + dot(cost, np.maximum(0.0, 1.0 + other - own))
    reward = float(alpha[np.arange(rows.n), codes].sum())  # The others sum to as much below 0.
    return LinearSolution(v, alpha, primal, reward - quadratic, n_iter, not reason, reason)
