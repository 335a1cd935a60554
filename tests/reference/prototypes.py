# SPDX-License-Identifier: BSD-3-Clause
"""k-prototypes, step by step (Huang 1998, doi:10.1023/A:1009769707641)."""

from collections import Counter

import numpy as np


def is_gap(value):
    return value is None or value != value


def dissimilarity(row, center, categorical, gamma, ranges=None):
    """Huang's, or with `ranges` Gower's, over the columns in which the row has a value."""
    total, present = 0.0, 0
    for j, (a, b) in enumerate(zip(row, center, strict=True)):
        if is_gap(a):
            continue
        present += 1
        if categorical[j]:
            total += gamma * (a != b)
        elif ranges is None:
            total += (a - b) ** 2
        elif ranges[j] > 0:
            total += abs(a - b) / ranges[j]
    return total if ranges is None else total / max(present, 1)


def center_of(rows, weights, before, categorical, ranges=None):
    """Modes, and means or lower medians; where there is no value that of the center before."""
    center = list(before)
    for j in range(len(before)):
        pairs = [
            (row[j], w if ranges is None else w / sum(not is_gap(v) for v in row))
            for row, w in zip(rows, weights, strict=True)
            if not is_gap(row[j]) and w > 0
        ]
        if not pairs:
            continue
        if categorical[j]:
            counts = Counter()
            for value, w in pairs:
                counts[value] += w
            most = max(counts.values())
            center[j] = min(value for value in counts if counts[value] >= most - 1e-12)
        elif ranges is None:
            center[j] = sum(v * w for v, w in pairs) / sum(w for _, w in pairs)
        else:
            half = sum(w for _, w in pairs) / 2
            reached = 0.0
            for value, w in sorted(pairs):
                reached += w
                if reached >= half - 1e-12:
                    center[j] = value
                    break
    return center


def assigned(rows, centers, categorical, gamma, ranges=None):
    """The nearest center of each row, the first of equals, and the dissimilarity."""
    table = np.array(
        [[dissimilarity(row, c, categorical, gamma, ranges) for c in centers] for row in rows]
    )
    return table.argmin(axis=1), table.min(axis=1)
