# SPDX-License-Identifier: BSD-3-Clause
"""Item sets and rules by their definitions: every set is tried."""

from fractions import Fraction
from itertools import combinations
from math import comb


def supports(baskets, weights=None):
    """The weight of the baskets that have all items of a set: of every set that one has."""
    weights = [1] * len(baskets) if weights is None else weights
    total = {}
    for basket, weight in zip(baskets, weights, strict=True):
        items = sorted(set(basket)) if weight else []
        for length in range(1, len(items) + 1):
            for chosen in combinations(items, length):
                total[frozenset(chosen)] = total.get(frozenset(chosen), 0) + weight
    return total


def item_sets(baskets, least, *, kind="frequent", max_length=None, weights=None):
    """Weight by set, of the sets of a kind whose weight is at least this."""
    total = supports(baskets, weights)
    weight_of = {items: weight for items, weight in total.items() if weight >= least}
    every = set().union(*weight_of) if weight_of else set()

    def larger(items):
        return [items | {more} for more in every - items]

    if kind == "closed":
        kept = [s for s in weight_of if all(weight_of.get(t) != weight_of[s] for t in larger(s))]
    elif kind == "maximal":
        kept = [s for s in weight_of if not any(t in weight_of for t in larger(s))]
    else:
        kept = list(weight_of)
    return {s: weight_of[s] for s in kept if max_length is None or len(s) <= max_length}


def in_order(weight_of):
    """Sets by weight, the greatest first, then by length, then by their sorted items."""
    return sorted(weight_of, key=lambda items: (-weight_of[items], len(items), sorted(items)))


def rules(weight_of, least, max_consequents=None):
    """(antecedent, consequent) of each rule: its confidence, which is at least this."""
    out = {}
    for items in weight_of:
        for length in range(1, len(items)):
            if max_consequents is not None and length > max_consequents:
                continue
            for consequent in map(frozenset, combinations(sorted(items), length)):
                confidence = Fraction(weight_of[items], weight_of[items - consequent])
                if confidence >= least:
                    out[items - consequent, consequent] = confidence
    return out


def improvement(weight_of, total, antecedent, consequent):
    """Confidence less the greatest of the rules with proper parts of the antecedent."""
    confidences = [Fraction(weight_of[consequent], total)]
    for length in range(1, len(antecedent)):
        for part in map(frozenset, combinations(sorted(antecedent), length)):
            confidences.append(Fraction(weight_of[part | consequent], weight_of[part]))
    own = Fraction(weight_of[antecedent | consequent], weight_of[antecedent])
    return own - max(confidences)


def fisher(both, antecedent, consequent, total):
    """The exact chance of so many or more baskets with both sides."""
    ways = sum(
        comb(antecedent, k) * comb(total - antecedent, consequent - k)
        for k in range(both, min(antecedent, consequent) + 1)
    )
    return Fraction(ways, comb(total, consequent))
