# SPDX-License-Identifier: BSD-3-Clause
"""Errors and warnings, under scikit-learn's name of the module: they stand in ``statfast``."""

from statfast._scikit_learn import missing_names
from statfast._validation import (
    ConvergenceWarning,
    DataConversionWarning,
    FitFailedWarning,
    NotFittedError,
    UndefinedMetricWarning,
)

__all__ = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "FitFailedWarning",
    "NotFittedError",
    "UndefinedMetricWarning",
]

__getattr__ = missing_names(__name__)
