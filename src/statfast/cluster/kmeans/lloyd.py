# SPDX-License-Identifier: BSD-3-Clause
"""Lloyd's algorithm: assign rows to centers, move the centers to the means, again and again.

Lloyd 1982, doi:10.1109/TIT.1982.1056489.
"""

import numpy as np

from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.block_passes import inertia, sweep


def iterate(data, centers, nearest=None, *, tol, max_iter, report=None):
    """Run Lloyd's algorithm from a start.

    Stops when no row changes its cluster, when the squared shift of the centers is at most `tol`,
    or after `max_iter` iterations; in any case at means of sums made anew.

    Parameters
    ----------
    data : PreparedRows
    centers : ndarray of shape (k, d), float64
    nearest : tuple of ndarray, optional
        The nearest of them for each row and its squared distance, if known: the arrays are used up.
    tol : float
    max_iter : int
    report : callable, optional
        Called with a line of text at each iteration.

    Returns
    -------
    centers : ndarray of shape (k, d), float64 numbers representable in `data.dtype`
    labels : ndarray of shape (n,), int32, the nearest of these centers for each row
    inertia : float
    n_iter : int
    converged : bool
    """
    state = Assignment(data, centers, nearest)
    converged = False
    for n_iter in range(1, max_iter + 1):
        doubtful = state.sums.patched  # the sums of which the centers are means
        step = state.advance()
        moved = step.moved
        solved, shift = solve(state, step)
        if state.sums.patched and (moved == 0 or shift <= tol or n_iter == max_iter):
            solved, shift = solve(state, state.add_up())
        state.move(solved)
        if report:
            report(f"iteration {n_iter}: {moved} rows moved, squared shift {shift:.6g}")
        # Where doubtful centers moved no row, those of sums made anew must move none either.
        if shift <= tol or (moved == 0 and not (doubtful and state.reassign())):
            converged = True
            break
    state.reassign()
    total = inertia(
        data.rows, data.weights, data.rows.frame(state.centers), state.labels, data.n_jobs
    )
    return state.centers, state.labels, total, n_iter, converged


def solve(state, step):
    """The means of the clusters, and their squared shift from the centers."""
    if not step.mass.all():
        step = state.add_up() if state.sums.patched else step
        relocate(state.data, step, state.centers, state.labels)
        state.forget()
    means = state.data.rounded(step.solve())
    with np.errstate(over="ignore"):  # far, and far is all that this tells
        return means, float(np.square(means - state.centers).sum())


def tolerance(data, tol):
    """`tol` times the mean variance of the columns: a bound on the squared shift of the centers."""
    if tol == 0:
        return 0.0
    labels = np.zeros(data.shape[0], np.int32)
    mean = data.rows.frame(data.center()[None])
    scatter = inertia(data.rows, data.weights, mean, labels, data.n_jobs)
    return tol * scatter / (data.mass * data.shape[1])


def relocate(data, step, centers, labels):
    """Give each empty cluster one of the rows farthest from their own centers.

    The empty clusters, in order of index, take the rows in order of (distance, descending; index,
    ascending). Rows of weight 0 do not count. Where every row lies on its center nothing is done:
    there are fewer distinct rows than clusters.
    """
    empty = np.flatnonzero(step.mass == 0)
    far = farthest(data, centers, labels, len(empty))
    for target, row, weight, source in zip(empty, *far, strict=False):
        step._give(row, weight, source, target)


def farthest(data, centers, labels, count):
    """The `count` rows farthest from their centers, the farthest first: rows, weights, labels."""
    frame = data.rows.frame(centers)

    def partial(rows, X, weights, labels):
        d2 = X.to_own(frame, labels)
        if weights is None:
            weights = np.ones(X.shape[0])
        d2[weights == 0] = 0.0
        # All that tie with the last place are kept, so that the sort decides by index.
        last = np.partition(d2, -count)[-count] if count < len(d2) else 0.0
        far = np.flatnonzero((d2 >= last) & (d2 > 0.0))
        far = far[np.argsort(-d2[far], kind="stable")[:count]]
        rows = X.take(far)
        return d2[far], rows, weights[far], labels[far]

    def merge(a, b):
        both = [np.concatenate(pair) for pair in zip(a, b, strict=True)]
        far = np.argsort(-both[0], kind="stable")[:count]
        return [part[far] for part in both]

    return sweep(
        partial, data.rows, data.weights, labels,
        merge=merge, size=centers.shape[1], n_jobs=data.n_jobs,
    )[1:]  # fmt: skip
