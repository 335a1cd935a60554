# SPDX-License-Identifier: BSD-3-Clause
"""The influence of columns on fitted models of any kind."""

from statfast._scikit_learn import missing_names
from statfast.inspection.column_importance import PermutationImportance, permutation_importance
from statfast.inspection.dependence import PartialDependence, partial_dependence
from statfast.inspection.shap_results import ShapExplanation
from statfast.inspection.shapley import shap_values

__all__ = [
    "PartialDependence",
    "PermutationImportance",
    "ShapExplanation",
    "partial_dependence",
    "permutation_importance",
    "shap_values",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
