# SPDX-License-Identifier: BSD-3-Clause
"""Swaps of medoids until none lowers the loss: FasterPAM, FastPAM1, PAM, and Alternate.

Schubert & Rousseeuw 2021, doi:10.1016/j.is.2021.101804. FasterPAM takes each swap that helps as
soon as it is found, and continues with the next candidate. FastPAM1 takes the best of all swaps, as
PAM does, at a k-th of the work.
"""

from __future__ import annotations

import numpy as np

from statfast._distance import Square
from statfast._engine import checkpoint
from statfast.cluster.medoids.partition import NUMBERS_PER_CALL, PANEL_ROWS, Partition

# After so many candidates without a swap, several threads search for one.
CANDIDATES_BEFORE_THREADS = 4 * PANEL_ROWS


def eager(partition: Partition, max_iter: int) -> tuple[int, int, bool]:
    """FasterPAM: returns passes over the candidates, swaps, and whether it converged.

    Candidates are weighed in windows, by several threads, against the same medoids. The first that
    helps is taken and those after it are weighed again, so that swaps are those of one at a time.
    """
    n = partition.source.n
    often = isinstance(partition.source, Square) and partition.weights is None
    if often:
        partition.keep_rows()
    widest = max(PANEL_ROWS, min(n, NUMBERS_PER_CALL // (2 * n)))
    start, seen, quiet, swaps, window = 0, 0, 0, 0, PANEL_ROWS
    while quiet < n and partition.loss > 0:  # with a loss of 0, all changes are rounding
        if seen >= max_iter * n:
            return max_iter, swaps, False
        checkpoint()
        if often and window == PANEL_ROWS:
            patience = n if partition.rounded else CANDIDATES_BEFORE_THREADS
            start, unchanged, weighed, more = partition.pursue(start, min(patience, n - quiet))
            seen, swaps = seen + weighed, swaps + more
            quiet = unchanged if more else quiet + unchanged
            if (
                unchanged < CANDIDATES_BEFORE_THREADS or partition.rounded
            ):  # swaps go on, or all is quiet
                continue
            window = 2 * CANDIDATES_BEFORE_THREADS
        stop = min(start + window, n, start + n - quiet)
        candidate, slot, _ = partition.search(start, stop, first=True)
        if candidate < 0:
            seen, quiet = seen + stop - start, quiet + stop - start
            start, window = stop % n, min(2 * window, widest)
            continue
        if partition.improve(slot, candidate):
            swaps, quiet, window = swaps + 1, 1, PANEL_ROWS
        else:
            quiet += candidate + 1 - start
        seen += candidate + 1 - start
        start = (candidate + 1) % n
    return max(1, -(-seen // n)), swaps, True


def steepest(partition: Partition, max_iter: int) -> tuple[int, int, bool]:
    """FastPAM1 and PAM: the best of all swaps at each iteration."""
    for swaps in range(max_iter + 1):
        candidate, slot, _ = partition.search(0, partition.source.n, first=False)
        if candidate < 0:
            return swaps + 1, swaps, True
        if swaps == max_iter:
            break
        if not partition.improve(slot, candidate):
            return swaps + 1, swaps, True
    return max_iter, max_iter, False


def alternate(partition: Partition, max_iter: int) -> tuple[int, int, bool]:
    """Medoids moved to the best member of their cluster, points to the nearest medoid, in turn.

    Park & Jun 2009, doi:10.1016/j.eswa.2008.01.039.
    """
    swaps = 0
    for iteration in range(1, max_iter + 1):
        moved = 0
        medoids = partition.medoids.copy()
        for slot in range(partition.k):
            best = _middle(partition, slot)
            if best != medoids[slot]:
                medoids[slot] = best
                moved += 1
        if not moved:
            return iteration, swaps, True
        swaps += moved
        before = partition.loss
        partition.medoids = medoids
        partition.assign()
        if not partition.loss < before:
            return iteration, swaps, True
    return max_iter, swaps, False


def _middle(partition: Partition, slot: int) -> int:
    """The member of a cluster with the least sum from all members; its medoid on ties."""
    members = np.flatnonzero(partition.slot == slot)
    weights = None if partition.weights is None else partition.weights[members]
    sums = np.zeros(len(members))
    step = max(1, (1 << 21) // max(1, len(members)))
    for start in range(0, len(members), step):
        checkpoint()
        block_members = slice(start, min(start + step, len(members)))
        block = partition.source.between(members, members[block_members])
        sums[block_members] = block.sum(axis=0) if weights is None else weights @ block
    medoid = partition.medoids[slot]
    medoid_place = np.flatnonzero(members == medoid)
    if not len(medoid_place):  # an equal medoid of a lower slot has all its members
        return medoid
    sums[partition.barred[members] == 1] = np.inf
    best = sums.argmin()
    return members[best] if sums[best] < sums[medoid_place[0]] else medoid
