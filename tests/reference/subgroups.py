# SPDX-License-Identifier: BSD-3-Clause
"""All conjunctions of conditions on small tables, one after the other, and their qualities."""

from itertools import combinations

import numpy as np


def conditions_of(X, categorical=(), missing=False, intervals="one-sided"):
    """(column, kind, number, rows) of all conditions on columns of few values, in their order."""
    out = []
    for j in range(X.shape[1]):
        x = X[:, j]
        values = np.unique(x[~np.isnan(x)])
        cuts = (values[:-1] + values[1:]) / 2
        ends = [-np.inf, *cuts, np.inf]
        if j in categorical:
            out += [(j, "is", v, x == v) for v in values]
        elif intervals == "one-sided":
            out += [(j, "up to", c, x <= c) for c in cuts]
            out += [(j, "above", c, x > c) for c in cuts]
        else:
            for low, high in combinations(range(len(ends)), 2):
                all_rows = (low, high) == (0, len(ends) - 1)
                if not all_rows and (intervals == "all" or high == low + 1):
                    inside = (x > ends[low]) & (x <= ends[high])
                    out.append((j, "in", (ends[low], ends[high]), inside))
        if missing:
            out.append((j, "missing", None, np.isnan(x)))
    return [condition for condition in out if condition[3].any()]


def quality_of(rows, y, w, quality, direction, nominal):
    """The quality of a subgroup by its definition; None of no rows."""
    n, N = w[rows].sum(), w.sum()
    if not n:
        return None
    base = (w @ y) / N
    gain = (w[rows] @ y[rows]) / n - base
    sign = {"higher": 1.0, "lower": -1.0, "both": np.sign(gain)}[direction]
    if quality == "chi2":
        table = np.array([[(w * (y == v))[part].sum() for v in (0, 1)] for part in (rows, ~rows)])
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / N
        if (expected == 0).any():
            return 0.0
        return np.sign(gain) * sign * ((table - expected) ** 2 / expected).sum()
    if quality == "t":
        spread = base * (1 - base) if nominal else (w @ (y - base) ** 2) / N
        return sign * np.sqrt(n) * gain / np.sqrt(spread)
    power = 1.0 if quality == "wracc" else quality
    return sign * (n / N) ** power * gain


def all_subgroups(conditions, y, w, depth, quality="wracc", direction="higher", nominal=True,
                  min_size=1):  # fmt: skip
    """(quality, conditions by number, rows) of all conjunctions that cover enough rows."""
    out = []
    for size in range(1, depth + 1):
        for chosen in combinations(range(len(conditions)), size):
            kinds = [conditions[k][:2] for k in chosen]
            if len(set(kinds)) < size or sum(kind in ("is", "in") for _, kind in kinds) > len(
                {j for j, kind in kinds if kind in ("is", "in")}
            ):
                continue
            rows = np.all([conditions[k][3] for k in chosen], axis=0)
            if rows.sum() >= min_size:
                value = quality_of(rows, y, w, quality, direction, nominal)
                out.append((value, chosen, rows))
    return out
