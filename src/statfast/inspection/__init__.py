# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted model, of any kind, makes of its columns."""

from statfast.inspection.column_importance import PermutationImportance, permutation_importance
from statfast.inspection.dependence import PartialDependence, partial_dependence

__all__ = [
    "PartialDependence",
    "PermutationImportance",
    "partial_dependence",
    "permutation_importance",
]
