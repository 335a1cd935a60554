# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that people read: frequent item sets and rules, subgroups, lists of rules."""

from statfast.patterns.association.rules import AssociationRules, association_rules
from statfast.patterns.conditions.condition import Condition
from statfast.patterns.itemsets.search import frequent_itemsets
from statfast.patterns.itemsets.table import FrequentItemsets
from statfast.patterns.rule_lists.rule_list_classifier import RuleListClassifier
from statfast.patterns.rule_lists.rule_table import ClassificationRule, RuleTable
from statfast.patterns.subgroups.subgroup_discovery import SubgroupDiscovery
from statfast.patterns.subgroups.subgroup_table import SubgroupTable

__all__ = [
    "AssociationRules",
    "ClassificationRule",
    "Condition",
    "FrequentItemsets",
    "RuleListClassifier",
    "RuleTable",
    "SubgroupDiscovery",
    "SubgroupTable",
    "association_rules",
    "frequent_itemsets",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
