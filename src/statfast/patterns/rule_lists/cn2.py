# SPDX-License-Identifier: BSD-3-Clause
"""CN2: the best rule by a beam search, rows that it covers taken away, and so on.

P. Clark and T. Niblett 1989; P. Clark and R. Boswell 1991.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.patterns.rule_lists.coded_table import (
    Candidates,
    CodedCondition,
    CodedTable,
    simplified,
)

EVALUATIONS = ("laplace", "entropy")


@dataclass(frozen=True)
class CN2Settings:
    """Parameters of the search, as `RuleListClassifier` has them."""

    evaluation: str
    beam_width: int
    significance_level: float
    min_size: int
    max_depth: int | None
    max_rules: int | None


class Complex(NamedTuple):
    """A conjunction, in the order of a beam: the best is the least."""

    minus_quality: float
    minus_weight: float
    length: int
    conditions: tuple[CodedCondition, ...]


def ordered_rules(table: CodedTable, settings: CN2Settings) -> list[tuple[CodedCondition, ...]]:
    """Rules of which the first that a row meets is to decide."""
    rows = np.arange(len(table.codes))
    rules: list[tuple[CodedCondition, ...]] = []
    while len(rows) and (settings.max_rules is None or len(rules) < settings.max_rules):
        rule = best_rule(table, rows, None, settings)
        if rule is None:
            break
        rules.append(rule)
        rows = np.setdiff1d(rows, table.covered(rule, rows), assume_unique=True)
    return rules


def unordered_rules(table: CodedTable, settings: CN2Settings) -> list[tuple[CodedCondition, ...]]:
    """Rules for one class after the other, all of which are to decide together."""
    rules: list[tuple[CodedCondition, ...]] = []
    for c in range(table.n_classes):
        rows = np.arange(len(table.codes))
        while (table.codes[rows] == c).any():
            if settings.max_rules is not None and len(rules) == settings.max_rules:
                return rules
            rule = best_rule(table, rows, c, settings)
            if rule is None:
                break
            if rule not in rules:
                rules.append(rule)
            covered = table.covered(rule, rows)
            rows = np.setdiff1d(rows, covered[table.codes[covered] == c], assume_unique=True)
    return rules


def best_rule(
    table: CodedTable, rows: Array, target: int | None, settings: CN2Settings
) -> tuple[CodedCondition, ...] | None:
    """The best significant conjunction that is better than all rows; None where there is none.

    With a `target`, the best one for this class.
    """
    from scipy.special import chdtri

    all_weights = table.class_weights(rows)
    freedom = max(int((all_weights > 0).sum()) - 1, 1)
    least_ratio = (
        0.0
        if settings.significance_level >= 1.0
        else float(chdtri(freedom, settings.significance_level))
    )
    quality = float(_quality(all_weights[None], target, settings)[0])
    best, beam, depth = None, [Complex(0.0, 0.0, 0, ())], 0
    while beam and depth != settings.max_depth:
        depth += 1
        evaluated = []
        for parent in beam:
            checkpoint()
            refined = _Refined.evaluate(table, parent.conditions, rows, target, settings)
            reached = refined.quality > quality if best is None else refined.quality >= quality
            good = refined.enough & reached
            good &= _likelihood_ratio(refined.candidates.weights, all_weights) >= least_ratio
            if target is not None:
                good &= _has_more(refined.candidates.weights, all_weights, target)
            for child in refined.first(good, 1):
                if best is None or child < best:
                    best, quality = child, -child.minus_quality
            evaluated.append(refined)
        children = {
            child
            for refined in evaluated
            for child in refined.first(
                refined.enough & (refined.bound > quality), settings.beam_width
            )
        }
        beam = sorted(children)[: settings.beam_width]
    return None if best is None else best.conditions


class _Refined(NamedTuple):
    """The refinements of a conjunction by one condition."""

    parent: tuple[CodedCondition, ...]
    candidates: Candidates
    quality: Array
    bound: Array  # the quality that no refinement of them exceeds
    enough: Array  # whether they cover the rows that a rule needs

    @staticmethod
    def evaluate(
        table: CodedTable,
        parent: tuple[CodedCondition, ...],
        rows: Array,
        target: int | None,
        settings: CN2Settings,
    ) -> _Refined:
        """Evaluate them."""
        candidates = table.candidates(table.covered(parent, rows))
        quality = _quality(candidates.weights, target, settings)
        return _Refined(
            parent, candidates, quality, _bound(candidates.weights, target, settings),
            candidates.rows >= settings.min_size,
        )  # fmt: skip

    def first(self, mask: Array, most: int) -> list[Complex]:
        """The best of those marked, `most` of them and those equal to the last."""
        places = np.flatnonzero(mask)
        if len(places) > most:
            last = np.partition(self.quality[places], -most)[-most]
            places = places[self.quality[places] >= last]
        children = []
        for place in places.tolist():
            conditions = simplified((*self.parent, self.candidates.condition(place)))
            weight = float(self.candidates.weights[place].sum())
            children.append(
                Complex(-float(self.quality[place]), -weight, len(conditions), conditions)
            )
        return sorted(children)[:most]


def _bound(weights: Array, target: int | None, settings: CN2Settings) -> Array:
    """The quality of all rows of one class alone; -inf where they are of one class already."""
    if settings.evaluation == "laplace":
        right = weights.max(axis=1) if target is None else weights[:, target]
        bound = (right + 1.0) / (right + weights.shape[1])
    else:
        bound = np.full(len(weights), np.inf)
    of_one_class = np.count_nonzero(weights, axis=1) == 1
    return np.where(of_one_class, -np.inf, bound)


def _has_more(weights: Array, all_weights: Array, target: int) -> Array:
    """Mark rows (m, K) among which a class has a larger share than among all."""
    share = all_weights[target] / all_weights.sum()
    return weights[:, target] > share * (1.0 + 1e-12) * weights.sum(axis=1)


def _quality(weights: Array, target: int | None, settings: CN2Settings) -> Array:
    """Laplace's estimate of the accuracy, or minus the entropy in bits, of weights (m, K)."""
    total = weights.sum(axis=1)
    if settings.evaluation == "laplace":
        right = weights.max(axis=1) if target is None else weights[:, target]
        return (right + 1.0) / (total + weights.shape[1])
    shares = weights / total[:, None]
    return (shares * np.log2(np.where(shares > 0.0, shares, 1.0))).sum(axis=1)


def _likelihood_ratio(weights: Array, all_weights: Array) -> Array:
    """2 sum of f log(f / e), with the expected weights e of as many rows drawn from all."""
    expected = weights.sum(axis=1, keepdims=True) * (all_weights / all_weights.sum())
    ratio = np.where(weights > 0.0, weights, 1.0) / np.where(weights > 0.0, expected, 1.0)
    return 2.0 * (weights * np.log(ratio)).sum(axis=1)
