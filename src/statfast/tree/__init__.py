# SPDX-License-Identifier: BSD-3-Clause
"""Classification and regression trees, with splits exact in float64."""

from statfast._scikit_learn import missing_names
from statfast.tree.cart.classifier import DecisionTreeClassifier
from statfast.tree.cart.regressor import DecisionTreeRegressor
from statfast.tree.pruning.table import PruningTable, pruning_table
from statfast.tree.pruning.weakest_link import PruningPath
from statfast.tree.reading.alternative_splits import SplitTable, split_table
from statfast.tree.reading.export_text import export_text, tree_rules
from statfast.tree.structure.tree_arrays import TreeStructure

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "PruningPath",
    "PruningTable",
    "SplitTable",
    "TreeStructure",
    "export_text",
    "pruning_table",
    "split_table",
    "tree_rules",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
