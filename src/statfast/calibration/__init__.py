# SPDX-License-Identifier: BSD-3-Clause
"""Calibration of scores to probabilities: isotonic regression, and calibrated classifiers."""

from statfast.calibration.calibrated import CalibratedClassifierCV
from statfast.calibration.isotonic import IsotonicRegression, isotonic_regression

__all__ = ["CalibratedClassifierCV", "IsotonicRegression", "isotonic_regression"]
