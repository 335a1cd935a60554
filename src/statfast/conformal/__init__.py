# SPDX-License-Identifier: BSD-3-Clause
"""Conformal prediction: intervals and sets of labels that hold the truth as often as they say."""

from statfast.conformal.classifier import ConformalClassifier
from statfast.conformal.coverage import CoverageReport, coverage_report
from statfast.conformal.regressor import ConformalRegressor

__all__ = [
    "ConformalClassifier",
    "ConformalRegressor",
    "CoverageReport",
    "coverage_report",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
