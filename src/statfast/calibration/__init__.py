# SPDX-License-Identifier: BSD-3-Clause
"""Scores made probabilities: isotonic regression, and classifiers calibrated on held-out rows."""

from statfast.calibration.calibrated import CalibratedClassifierCV
from statfast.calibration.isotonic import IsotonicRegression, isotonic_regression

__all__ = ["CalibratedClassifierCV", "IsotonicRegression", "isotonic_regression"]
