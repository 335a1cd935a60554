# SPDX-License-Identifier: BSD-3-Clause
"""HDBSCAN's hierarchy by its definition: components of the mutual reachability graph."""

import numpy as np


def core_distances(distances, k):
    """The distance of the k-th nearest row, itself counted."""
    return np.sort(distances, axis=1)[:, k - 1]


def reachability(distances, k, alpha=1.0):
    """The largest of a distance and both core distances."""
    core = core_distances(distances, k)
    return np.maximum(distances / alpha, np.maximum(core, core[:, None]))


def components(table, rows, height):
    """Sets of rows that are connected by entries below a height."""
    remaining, out = set(rows), []
    while remaining:
        waiting, part = [remaining.pop()], []
        while waiting:
            row = waiting.pop()
            part.append(row)
            near = {other for other in remaining if table[row, other] < height}
            remaining -= near
            waiting += near
        out.append(sorted(part))
    return out


def condensed(table, size):
    """Clusters as (rows, density at the beginning, {row: density at which it leaves}); the first
    is the root, and the parent of each is given."""
    clusters = []

    def walk(rows, birth, parent):
        number, leaves = len(clusters), {}
        clusters.append((rows, birth, leaves, parent))
        while rows:
            heights = sorted({table[a, b] for a in rows for b in rows if a != b}, reverse=True)
            parts, height = [rows], 0.0
            for height in heights:
                parts = components(table, rows, height)
                if len(parts) > 1:
                    break
            level = 1.0 / height if height > 0 else np.inf
            large = [part for part in parts if len(part) >= size and len(part) > 1]
            if len(parts) == 1:
                large = []
            kept = {row for part in large for row in part}
            leaves.update({row: level for row in rows if row not in kept})
            if len(large) > 1:
                for part in large:
                    walk(part, level, number)
                return
            rows = large[0] if large else []

    walk(list(range(len(table))), 0.0, -1)
    return clusters
