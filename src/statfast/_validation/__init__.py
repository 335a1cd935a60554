# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what callers pass, and the sentences of their errors."""

from statfast._validation.errors import (
    ConvergenceWarning,
    FitFailedWarning,
    NotFittedError,
    SeparationWarning,
    UndefinedMetricWarning,
    not_fitted,
    shown,
    warn_column_vector,
    warn_not_converged,
    warn_user,
    wrong_type,
)
from statfast._validation.memory import free_memory, refuse_large
from statfast._validation.parameters import (
    MANY,
    STEEPEST,
    as_choice,
    as_count,
    as_flag,
    as_generator,
    as_real,
)
from statfast._validation.rows import (
    FLOATS,
    as_rows,
    as_type,
    column_names,
    compare_names,
    explain_nonfinite,
    require_finite,
    rows_for,
    to_array,
)
from statfast._validation.sparse import WIDEST, as_csr, as_sparse, is_sparse, parts_of
from statfast._validation.targets import as_labels, as_targets, as_weights

__all__ = [
    "FLOATS",
    "MANY",
    "STEEPEST",
    "WIDEST",
    "ConvergenceWarning",
    "FitFailedWarning",
    "NotFittedError",
    "SeparationWarning",
    "UndefinedMetricWarning",
    "as_choice",
    "as_count",
    "as_csr",
    "as_flag",
    "as_generator",
    "as_labels",
    "as_real",
    "as_rows",
    "as_sparse",
    "as_targets",
    "as_type",
    "as_weights",
    "column_names",
    "compare_names",
    "explain_nonfinite",
    "free_memory",
    "is_sparse",
    "not_fitted",
    "parts_of",
    "refuse_large",
    "require_finite",
    "rows_for",
    "shown",
    "to_array",
    "warn_column_vector",
    "warn_not_converged",
    "warn_user",
    "wrong_type",
]
