# SPDX-License-Identifier: BSD-3-Clause
"""Smoothing of language models: probabilities and back-off weights from counts of n-grams.

For each order, a method determines what seen n-grams keep of their counts (`kept`), and the rest,
which their context leaves to the shorter context. Interpolated methods add to what was kept a share
of the rest, by the shorter context. Katz' and stupid back-off leave the rest to unseen n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from statfast._typing import Array
from statfast.text.language.good_turing import simple_good_turing
from statfast.text.language.ngram_counts import Level

_NOTHING = 1e-12  # a probability that is rounding
_KATZ = 5  # larger counts are not discounted


@dataclass(frozen=True)
class Smoothing:
    """A method and its parameters, checked."""

    name: str
    alpha: float = 1.0
    discount: float | None = None
    weights: tuple[float, ...] | None = None
    uniform: bool = True
    estimates: dict = field(default_factory=dict)  # estimates of each order

    @property
    def by_types(self) -> bool:
        """Whether shorter n-grams count the distinct words before them."""
        return self.name in ("kneser_ney", "modified_kneser_ney")

    def counts(self, level: Level, top: bool) -> Array:
        """Counts of an order; those of types, except for starts of texts and the highest order."""
        if not self.by_types or top:
            return level.counts
        seen = level.starts if len(level.context) and level.context[0] >= 0 else None
        types = level.n_words_before
        return types if seen is None else np.where(seen, level.counts, types)

    def kept(
        self, counts: Array, total: Array, types: Array, n: int, n_rare: Array
    ) -> tuple[Array | tuple[str, Array], Array]:
        """What n-grams keep, and what is left: arrays of n-grams and of contexts.

        Contexts are given by `total`, the sum of their counts, and `types`, how many words came
        after them; `n_rare` (3, contexts) are how many of these came once, twice, more often.
        """
        safe = np.where(total > 0.0, total, 1.0)
        if self.name in ("mle", "stupid_backoff"):
            rest = np.where(total > 0.0, 0.0 if self.name == "mle" else 0.4, 1.0)
            return counts, rest
        if self.name == "witten_bell":
            rest = np.where(total > 0.0, types / np.where(total > 0, total + types, 1.0), 1.0)
            return ("scaled", 1.0 - rest), rest
        if self.name == "jelinek_mercer":
            share = self.estimates["weights"][n]
            rest = np.where(total > 0.0, 1.0 - share, 1.0)
            return ("scaled", 1.0 - rest), rest
        d = self.discounts(counts, n)
        less = d[np.minimum(counts, 3).astype(np.intp)]
        rest = np.where(total > 0.0, (n_rare * d[1:, None]).sum(axis=0) / safe, 1.0)
        return np.maximum(counts - less, 0.0), rest

    def discounts(self, counts: Array, n: int) -> Array:
        """The discounts of counts of 0, 1, 2, and 3 or more."""
        ones, twos, threes, fours = (float((counts == k).sum()) for k in (1, 2, 3, 4))
        if self.name != "modified_kneser_ney":
            d = self.discount
            if d is None:
                d = ones / (ones + 2.0 * twos) if ones and twos else 0.75
            discounts = np.array([0.0, d, d, d])
        elif min(ones, twos, threes, fours) == 0.0:
            discounts = np.array([0.0, 0.5, 1.0, 1.5])
        else:
            y = ones / (ones + 2.0 * twos)
            pairs = ((1, ones, twos), (2, twos, threes), (3, threes, fours))
            discounts = np.array([0.0, *(k - (k + 1) * y * b / a for k, a, b in pairs)])
            if (discounts < 0.0).any() or (discounts > np.arange(4)).any():
                discounts = np.array([0.0, 0.5, 1.0, 1.5])
        self.estimates[f"discounts {n}"] = discounts[1:]
        return discounts


def smoothed(
    smoothing: Smoothing, levels: list[Level], may_follow: Array
) -> tuple[list[Array], list[Array]]:
    """Probabilities and back-off weights of all orders, from the shortest.

    `may_follow` (V,) is False for words that never follow anything: the start symbol.
    """
    if smoothing.name == "additive":
        return additive(smoothing.alpha, levels, may_follow)
    if smoothing.name == "jelinek_mercer":
        smoothing.estimates["weights"] = chosen_weights(smoothing, levels, may_follow)
    probability, backoff = [], []
    for n, level in enumerate(levels, start=1):
        counts = smoothing.counts(level, n == len(levels))
        if n == 1:
            counts = np.where(may_follow, counts, 0.0)
        place = np.zeros(len(counts), np.intp) if n == 1 else level.context
        contexts = 1 if n == 1 else len(levels[n - 2].keys)
        sums = [
            np.bincount(place, which, contexts)
            for which in (counts, counts > 0, counts == 1, counts == 2, counts >= 3)
        ]
        if smoothing.name == "good_turing":
            keep, rest = katz(smoothing, counts, sums[0], place, n)
        else:
            keep, rest = smoothing.kept(counts, sums[0], sums[1], n, np.stack(sums[2:]))
            total = np.where(sums[0] > 0.0, sums[0], 1.0)
            if isinstance(keep, tuple):
                keep = counts / total[place] * keep[1][place]
            else:
                keep = keep / total[place]
        if n == 1:
            probability.append(first_order(smoothing, keep, rest[0], counts, may_follow))
            continue
        lower = probability[-1][level.suffix]
        if smoothing.name in ("mle", "stupid_backoff"):
            pass
        elif smoothing.name == "good_turing":
            covered = np.bincount(place, lower, contexts)
            context_sums = np.bincount(place, keep, contexts)
            uncovered = 1.0 - covered
            full = (uncovered <= _NOTHING) & (sums[0] > 0.0)  # all words were seen, and share all
            # Nothing is left: one more unseen word is added.
            spent = ~full & (context_sums >= 1.0 - _NOTHING)
            factor = np.where(spent, sums[0] / (sums[0] + 1.0), 1.0)
            keep, context_sums = keep * factor[place], context_sums * factor
            even = np.where(context_sums > 0.0, context_sums, 1.0)
            keep = np.where(full[place], keep / even[place], keep)
            rest = np.where(
                sums[0] > 0.0, (1.0 - context_sums) / np.where(full, 1.0, uncovered), 1.0
            )
            rest = np.where(full, 0.0, rest.clip(0.0))
        else:
            keep = keep + rest[place] * lower
        probability.append(keep)
        backoff.append(rest)
    backoff.append(np.ones(len(levels[-1].keys)))
    return probability, backoff


def first_order(
    smoothing: Smoothing, keep: Array, rest: float, counts: Array, may_follow: Array
) -> Array:
    """Probabilities without context: all words share the rest, or seen words have all."""
    if smoothing.name in ("mle", "stupid_backoff"):
        return keep
    words = may_follow.sum()
    if smoothing.uniform and smoothing.name == "good_turing":
        unseen = may_follow & (counts == 0)
        unseen_share = 1.0 - keep.sum()
        if unseen_share <= _NOTHING:  # nothing is left: each unseen word counts once
            unseen_share = unseen.sum() / (counts.sum() + unseen.sum())
            keep = keep * (1.0 - unseen_share)
        return np.where(unseen, unseen_share / max(1, unseen.sum()), keep) if unseen.any() else (
            keep / keep.sum()
        )  # fmt: skip
    if smoothing.uniform:
        return np.where(may_follow, keep + rest / words, 0.0)
    total = counts.sum()
    return counts / (total if total > 0.0 else 1.0)


def additive(
    alpha: float, levels: list[Level], may_follow: Array
) -> tuple[list[Array], list[Array]]:
    """`smoothed` for additive smoothing, where back-off weights are probabilities of the unseen."""
    words = float(may_follow.sum())
    first = np.where(may_follow, levels[0].counts, 0.0)
    probability = [np.where(may_follow, (first + alpha) / (first.sum() + alpha * words), 0.0)]
    backoff = []
    for n, level in enumerate(levels[1:], start=2):
        total = np.bincount(level.context, level.counts, len(levels[n - 2].keys))
        below = total + alpha * words
        safe = np.where(below > 0.0, below, 1.0)
        probability.append((level.counts + alpha) / safe[level.context])
        backoff.append(np.where(total > 0.0, alpha / safe, 1.0 / words))
    backoff.append(np.zeros(len(levels[-1].keys)))
    return probability, backoff


def katz(
    smoothing: Smoothing, counts: Array, total: Array, place: Array, n: int
) -> tuple[Array, Array]:
    """Discount small counts by simple Good-Turing, which leaves its share to the unseen."""
    values, frequencies = np.unique(counts[counts > 0].astype(np.int64), return_counts=True)
    if not len(values):
        return np.zeros(len(counts)), np.ones(len(total))
    _, expected = simple_good_turing(dict(zip(values.tolist(), frequencies.tolist(), strict=True)))
    ratio = np.ones(_KATZ + 1)
    ratio[0] = 0.0
    frequency = dict(zip(values.tolist(), frequencies.tolist(), strict=True))
    above = (_KATZ + 1) * frequency.get(_KATZ + 1, 0) / max(1, frequency.get(1, 0))
    for r in range(1, _KATZ + 1):
        if r in expected:
            d = expected[r] / r
            d = (d - above) / (1.0 - above) if 0.0 <= above < 1.0 else d
            ratio[r] = d if 0.0 < d <= 1.0 else min(1.0, max(expected[r] / r, 0.5))
    smoothing.estimates[f"ratios {n}"] = ratio[1:]
    scale = np.where(counts > _KATZ, 1.0, ratio[np.minimum(counts, _KATZ).astype(np.intp)])
    return counts * scale / np.where(total > 0.0, total, 1.0)[place], np.ones(len(total))


def chosen_weights(
    smoothing: Smoothing, levels: list[Level], may_follow: Array
) -> dict[int, float]:
    """Weight of each order against all shorter ones, by order: given, or by deleted interpolation.

    Each n-gram votes, as often as it was seen, for the order whose relative frequency is largest
    when the n-gram itself is left out (Brants 2000, https://doi.org/10.3115/974147.974178).
    """
    order = len(levels)
    if smoothing.weights is not None:
        return dict(enumerate(smoothing.weights, start=1))
    votes = np.zeros(order + 1)
    top = levels[-1]
    node, counts = np.arange(len(top.keys)), top.counts
    shares = [np.full(len(counts), 1.0 / may_follow.sum())]
    for n in range(order, 0, -1):
        level = levels[n - 1]
        other_counts = level.counts[node] - 1.0
        if n > 1:
            total = np.bincount(level.context, level.counts, len(levels[n - 2].keys))
            below = total[level.context[node]] - 1.0
        else:
            below = np.full(len(node), level.counts[may_follow].sum() - 1.0)
        shares.insert(
            1, np.divide(other_counts, below, out=np.zeros_like(other_counts), where=below > 0.0)
        )
        node = level.suffix[node] if n > 1 else node
    best = np.argmax(np.stack(shares), axis=0)
    votes += np.bincount(best, counts, order + 1)
    votes = np.maximum(votes, 1e-3 * votes.sum())
    upto = np.cumsum(votes)
    return {n: votes[n] / upto[n] for n in range(1, order + 1)}
