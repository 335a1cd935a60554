# SPDX-License-Identifier: BSD-3-Clause
"""RIPPER: rules for the rarest class first, each grown on some rows and pruned on others.

W. W. Cohen 1995, with J. Fuernkranz and G. Widmer 1994 (IREP) and J. R. Quinlan 1990 (FOIL).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.patterns.rule_lists.coded_table import CodedCondition, CodedTable
from statfast.patterns.rule_lists.description_length import description_bits

MAX_EXTRA_BITS = 64.0  # of a rule set beyond the shortest so far: no more rules are added
MIN_ACCURACY = 0.5  # of a rule on the rows that it was pruned on

Rule = tuple[CodedCondition, ...]


@dataclass(frozen=True)
class RipperSettings:
    """Parameters, as `RuleListClassifier` has them."""

    n_optimizations: int
    prune_fraction: float
    min_size: int
    max_depth: int | None
    max_rules: int | None


def ripper_rules(
    table: CodedTable, settings: RipperSettings, rng: np.random.Generator
) -> list[tuple[CodedCondition, ...]]:
    """Rules of all classes but the most frequent, of which the first that is met decides."""
    order = np.argsort(table.class_weights(np.arange(len(table.codes))), kind="stable")
    rows = np.arange(len(table.codes))
    rules: list[Rule] = []
    for c in order[:-1].tolist():
        of_class = replace(table, codes=(table.codes == c).astype(np.int32), n_classes=2)
        most = None if settings.max_rules is None else settings.max_rules - len(rules)
        found = _OneClass(of_class, rows, replace(settings, max_rules=most), rng).rules()
        for rule in found:
            rules.append(rule)
            rows = np.setdiff1d(rows, table.covered(rule, rows), assume_unique=True)
    return rules


class _OneClass:
    """The rules of one class, code 1, against the rest, code 0."""

    def __init__(
        self, table: CodedTable, rows: Array, settings: RipperSettings, rng: np.random.Generator
    ) -> None:
        self.table, self.rows, self.settings, self.rng = table, rows, settings, rng
        self.totals = table.class_weights(rows)

    def rules(self) -> list[Rule]:
        rules = self._add_rules([])
        for _ in range(self.settings.n_optimizations):
            rules = self._optimized(rules)
            rules = self._add_rules(rules)
        return self._without_costly(rules)

    # ------------------------------------------------------------ sets of rules
    def _add_rules(self, rules: list[Rule]) -> list[Rule]:
        """Add rules as long as they shorten the description, or nearly do."""
        rules, left = list(rules), self._uncovered(rules)
        shortest = self._bits(rules)
        most = self.settings.max_rules
        while (self.table.codes[left] == 1).any() and (most is None or len(rules) < most):
            growing, pruning = self._divided(left)
            rule = self._pruned(self._grown((), growing), pruning)
            if not rule or self._accuracy(rule, pruning) < MIN_ACCURACY:
                break
            covered = self.table.covered(rule, left)
            if not (self.table.codes[covered] == 1).any():
                break
            bits = self._bits([*rules, rule])
            if bits > shortest + MAX_EXTRA_BITS:
                break
            rules.append(rule)
            shortest = min(shortest, bits)
            left = np.setdiff1d(left, covered, assume_unique=True)
        return self._without_costly(rules)

    def _optimized(self, rules: list[Rule]) -> list[Rule]:
        """Replace each rule by a new one, or one grown from it, where that is shorter."""
        rules = list(rules)
        for i, rule in enumerate(rules):
            checkpoint()
            reaching = self._uncovered(rules[:i])
            if not (self.table.codes[reaching] == 1).any():
                continue
            growing, pruning = self._divided(reaching)
            others = self._uncovered([*rules[:i], *rules[i + 1 :]])
            alone = np.isin(pruning, others, assume_unique=True)
            variants = [rule]
            for start in ((), rule):
                variant = self._grown(start, growing)
                variants.append(self._pruned_among(variant, pruning, alone))
            bits = [
                self._bits([*rules[:i], variant, *rules[i + 1 :]]) if variant else np.inf
                for variant in variants
            ]
            rules[i] = variants[int(np.argmin(bits))]
        return rules

    def _without_costly(self, rules: list[Rule]) -> list[Rule]:
        """Take rules out, the last first, whose absence shortens the description."""
        rules = list(rules)
        for i in range(len(rules) - 1, -1, -1):
            fewer = [*rules[:i], *rules[i + 1 :]]
            if self._bits(fewer) <= self._bits(rules):
                rules = fewer
        return rules

    def _uncovered(self, rules: list[Rule]) -> Array:
        left = self.rows
        for rule in rules:
            left = np.setdiff1d(left, self.table.covered(rule, left), assume_unique=True)
        return left

    def _bits(self, rules: list[Rule]) -> float:
        """The length of the description of the rows by a set of rules."""
        uncovered = self.table.class_weights(self._uncovered(rules))
        lengths = [len(rule) for rule in rules]
        return description_bits(lengths, self.table.n_conditions, self.totals, uncovered)

    # ------------------------------------------------------------ one rule
    def _divided(self, rows: Array) -> tuple[Array, Array]:
        """Rows to grow a rule on, and to prune it on: a share of each class, drawn."""
        pruning = []
        for c in (0, 1):
            of_class = self.rng.permutation(rows[self.table.codes[rows] == c])
            pruning.append(of_class[: int(self.settings.prune_fraction * len(of_class))])
        chosen = np.sort(np.concatenate(pruning))
        return np.setdiff1d(rows, chosen, assume_unique=True), chosen

    def _grown(self, start: Rule, rows: Array) -> Rule:
        """Add the condition of the greatest gain until no row of another class is covered."""
        rule = list(start)
        covered = self.table.covered(start, rows)
        while len(rule) != self.settings.max_depth:
            checkpoint()
            others, wanted = self.table.class_weights(covered).tolist()
            if others <= 0.0 or wanted <= 0.0:
                break
            candidates = self.table.candidates(covered)
            enough = candidates.rows >= self.settings.min_size
            kept = candidates.weights[:, 1]
            share = kept / candidates.weights.sum(axis=1)
            bits = np.log2(np.where(kept > 0.0, share, 1.0)) - np.log2(wanted / (wanted + others))
            gain = np.where(enough, kept * bits, -np.inf)
            if not len(gain) or not gain.max() > 0.0:
                break
            condition = candidates.condition(int(gain.argmax()))
            rule.append(condition)
            covered = covered[self.table.meets(condition, covered)]
        return tuple(rule)

    def _pruned(self, rule: Rule, rows: Array) -> Rule:
        """The beginning of a rule with the greatest (p - n) / (p + n), the shortest of equals."""
        best, best_value, covered = rule, -np.inf, rows
        for length, condition in enumerate(rule, start=1):
            covered = covered[self.table.meets(condition, covered)]
            others, wanted = self.table.class_weights(covered).tolist()
            if others + wanted <= 0.0:
                break
            value = (wanted - others) / (wanted + others)
            if value > best_value:
                best, best_value = rule[:length], value
        return best

    def _pruned_among(self, rule: Rule, rows: Array, alone: Array) -> Rule:
        """The beginning with the fewest errors of all rules; `alone` are rows no other covers."""
        best, least, covered = rule, np.inf, rows[alone]
        totals = self.table.class_weights(covered)
        for length, condition in enumerate(rule, start=1):
            covered = covered[self.table.meets(condition, covered)]
            weights = self.table.class_weights(covered)
            errors = float(weights[0] + totals[1] - weights[1])
            if errors < least:
                best, least = rule[:length], errors
        return best

    def _accuracy(self, rule: Rule, rows: Array) -> float:
        others, wanted = self.table.class_weights(self.table.covered(rule, rows)).tolist()
        return (wanted + 1.0) / (wanted + others + 2.0)
