# SPDX-License-Identifier: BSD-3-Clause
"""Passes over rows, each comparing them with centers.

They go through ``_blocks.reduce``, so the rows may be an array, a memory map or ``Chunks``.
"""

from operator import add

import numpy as np

from statfast._core.kmeans import differences
from statfast._core.kmeans import lloyd as kernel
from statfast._engine import Chunks, checkpoint, reduce
from statfast.cluster.kmeans.sparse_rows import SparseFrame, SparseRows

# Multiply-adds between two looks at whether the run was interrupted: well under 0.1 s.
PIECE = 1 << 27
FEW = 1024  # rows
PANEL = 64  # rows: blocks and pieces begin at multiples of this, and so on a panel's border


def assign(
    X, centers, frame, labels, weights=None, sums=None, mass=None,
    changes=False, upper=None, lower=None, motion=None, panels=None, norms=None,
):  # fmt: skip
    """``kernel.step`` for a block of any size; returns how many labels changed."""
    moved = 0
    sparse = isinstance(X, SparseRows)
    for part in X.pieces(len(centers)) if sparse else pieces(X.shape[0], centers.size):
        some, up, low = (None if a is None else a[part] for a in (weights, upper, lower))
        if sparse:
            checkpoint()
            moved += X[part].step(frame, labels[part], some, sums, mass, changes, up, low, motion)
            continue
        laid = None, None
        if panels is not None:
            laid = panels[part.start * X.shape[1] :], norms[part.start :]
        moved += kernel.step(
            X[part], some, centers, frame, labels[part], sums, mass, changes, up, low, motion,
            *laid,
        )  # fmt: skip
    return moved


def frame_for(rows, centers, origin, scale):
    """The form of centers in which the kernel for such rows takes them."""
    if isinstance(rows, SparseRows):
        return SparseFrame(centers, scale)
    return kernel.frame(centers, origin, scale)


def nearest(rows, centers, frame, n_jobs=None):
    """The nearest center of each row: labels (n,) int32."""

    def partial(where, X):
        labels = np.empty(X.shape[0], np.int32)
        assign(X, centers, frame, labels)
        return [labels]

    return np.concatenate(sweep(partial, rows, merge=joined, size=centers.size, n_jobs=n_jobs))


def inertia(rows, weights, centers, labels, n_jobs=None):
    """The sum of weight * squared distance to the center of each row's label."""

    def partial(where, X, weights, labels):
        return scatter(X, weights, centers, labels)

    size = centers.shape[1]
    return sweep(partial, rows, weights, labels, merge=add, size=size, n_jobs=n_jobs)


def potential(rows, weights, centers, frame, n_jobs=None):
    """The sum of weight * squared distance to the nearest center."""

    def partial(where, X, weights):
        labels = np.empty(X.shape[0], np.int32)
        assign(X, centers, frame, labels)
        return scatter(X, weights, centers, labels)

    return sweep(partial, rows, weights, merge=add, size=centers.size, n_jobs=n_jobs)


def scatter(X, weights, centers, labels):
    """The inertia of a block."""
    d2 = apart(X, centers, labels)
    return float((d2 if weights is None else d2 * weights).sum())


def apart(X, centers, labels):
    """Squared distances of a block's rows to their own centers, (n,)."""
    if isinstance(X, SparseRows):
        return X.distances(SparseFrame(centers), labels)[:, 0]
    d2 = np.empty(X.shape[0])
    for part in pieces(X.shape[0], X.shape[1]):
        differences.distances(X[part], centers, labels[part], d2[part])
    return d2


def distances(rows, centers, n_jobs=None):
    """Euclidean distances (n, k) of each row to each center; float32 for float32 rows."""

    sparse = SparseFrame(centers) if isinstance(rows, SparseRows) else None

    def partial(where, X):
        if sparse:
            out = np.sqrt(X.distances(sparse))
            return [out.astype(X.dtype, copy=False)]
        out = np.empty((X.shape[0], len(centers)))
        for part in pieces(X.shape[0], centers.size):
            differences.transform(X[part], centers, out[part])
        with np.errstate(over="ignore"):
            return [out.astype(np.float32) if X.dtype == np.float32 else out]

    return np.concatenate(sweep(partial, rows, merge=joined, size=centers.size, n_jobs=n_jobs))


def sweep(partial, rows, *aligned, merge, size, n_jobs):
    """``reduce`` for a pass that compares each row with centers of `size` numbers altogether."""
    # Blocks with many statistics must hold many rows, or merging costs as much as making them; and
    # those of few centers too, the more so the fewer, or handing them out does.
    least = min(max(256, size // 32, (1 << 23) // size), 8192)
    least = max(least, min((1 << 22) // size, 16384))
    if type(rows) is np.ndarray and rows.shape[0] <= min(least, FEW):
        # One block, and less work than finding out who shall do it.
        block = np.ascontiguousarray(rows)
        return partial(slice(0, block.shape[0]), block, *aligned)
    effort = np.inf if isinstance(rows, Chunks) else 2.0 * rows.shape[0] * size
    if isinstance(rows, SparseRows):
        each, whole = partial, rows
        rows = np.broadcast_to(np.uint8(0), (whole.shape[0], 1))  # for its length alone

        def partial(where, X, *aligned):
            return each(where, whole[where], *aligned)

    return reduce(partial, rows, *aligned, merge=merge, n_jobs=n_jobs, effort=effort, least=least)


def pieces(n, size):
    """Slices of n rows, each little work against centers of this many numbers."""
    step = max(PANEL, PIECE // size // PANEL * PANEL)
    yield slice(0, min(n, step))
    for start in range(step, n, step):
        checkpoint()
        yield slice(start, min(n, start + step))


def joined(a, b):
    """Merge of lists: results kept in the order of the blocks."""
    a.extend(b)
    return a
