# SPDX-License-Identifier: BSD-3-Clause
"""Calibration of scores to probabilities: isotonic regression, and calibrated classifiers."""

from statfast._scikit_learn import missing_names
from statfast.calibration.calibrated import CalibratedClassifierCV
from statfast.calibration.isotonic import IsotonicRegression, isotonic_regression
from statfast.metrics import calibration_curve

__all__ = [
    "CalibratedClassifierCV",
    "IsotonicRegression",
    "calibration_curve",
    "isotonic_regression",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
