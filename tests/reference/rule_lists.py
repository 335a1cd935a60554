# SPDX-License-Identifier: BSD-3-Clause
"""CN2 by its definition: every refinement of every conjunction, row by row."""

import numpy as np
from scipy.stats import chi2


def conditions_on(X, categorical=()):
    """(column, kind, number, rows) of the conditions, in their order."""
    out = []
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        if j in categorical:
            out += [(j, 2, k, X[:, j] == v) for k, v in enumerate(values)]
        else:
            cuts = (values[:-1] + values[1:]) / 2
            out += [(j, 0, k, X[:, j] <= c) for k, c in enumerate(cuts)]
            out += [(j, 1, k, X[:, j] > c) for k, c in enumerate(cuts)]
    return out


def simplified(chosen):
    kept = {}
    for j, kind, k in chosen:
        best = min if kind == 0 else max
        kept[j, kind] = best(kept[j, kind], k) if (j, kind) in kept else k
    return tuple(sorted((*key, k) for key, k in kept.items()))


def counts_of(rows, y, w, K):
    return np.array([w[rows & (y == c)].sum() for c in range(K)])


def laplace(counts):
    return (counts.max() + 1) / (counts.sum() + len(counts))


def is_significant(counts, everything, level):
    """By the likelihood ratio of the counts against as many rows drawn from all."""
    if level >= 1:
        return True
    expected = counts.sum() * everything / everything.sum()
    present = counts > 0
    ratio = 2 * (counts[present] * np.log(counts[present] / expected[present])).sum()
    return ratio >= chi2.isf(level, max((everything > 0).sum() - 1, 1))


def best_conjunction(conditions, left, y, w, K, beam_width, level):
    everything = counts_of(left, y, w, K)
    quality, best, beam = laplace(everything), None, [()]
    while beam:
        children = {}
        for parent in beam:
            covered = left.copy()
            for j, kind, k in parent:
                covered &= rows_of(conditions, j, kind, k)
            for j, kind, k, rows in conditions:
                inside = covered & rows
                # A cut behind values that no row has is that behind the value before.
                if kind < 2 and not (covered & value_is(conditions, j, k)).any():
                    continue
                if 0 < inside.sum() < covered.sum():
                    counts = counts_of(inside, y, w, K)
                    chosen = simplified([*parent, (j, kind, k)])
                    children[-laplace(counts), -counts.sum(), len(chosen), chosen] = counts
        for key in sorted(children):
            better = -key[0] > quality if best is None else key < best
            if better and is_significant(children[key], everything, level):
                best = key
        quality = quality if best is None else -best[0]
        beam = [
            key[3]
            for key in sorted(children)
            if (children[key] > 0).sum() > 1
            and (children[key].max() + 1) / (children[key].max() + K) > quality
        ][:beam_width]
    return None if best is None else best[3]


def rows_of(conditions, j, kind, k):
    return next(rows for a, b, c, rows in conditions if (a, b, c) == (j, kind, k))


def value_is(conditions, j, k):
    """The rows between cut k - 1 and cut k."""
    below = rows_of(conditions, j, 0, k)
    return below if k == 0 else below & rows_of(conditions, j, 1, k - 1)


def cn2(X, y, w, K, categorical=(), beam_width=5, level=1.0):
    """(conditions, counts) of each rule, the default rule as the last."""
    conditions, left, rules = conditions_on(X, categorical), np.ones(len(X), bool), []
    while left.any():
        chosen = best_conjunction(conditions, left, y, w, K, beam_width, level)
        if chosen is None:
            break
        covered = left.copy()
        for condition in chosen:
            covered &= rows_of(conditions, *condition)
        rules.append((chosen, counts_of(covered, y, w, K)))
        left &= ~covered
    return [*rules, ((), counts_of(left if left.any() else ~left, y, w, K))]
