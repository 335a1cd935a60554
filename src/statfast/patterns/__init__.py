# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that people read: frequent item sets and rules, subgroups, lists of rules."""

from statfast.patterns.association.rules import AssociationRules, association_rules
from statfast.patterns.itemsets.search import frequent_itemsets
from statfast.patterns.itemsets.table import FrequentItemsets

__all__ = ["AssociationRules", "FrequentItemsets", "association_rules", "frequent_itemsets"]
