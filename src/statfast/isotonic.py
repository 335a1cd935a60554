# SPDX-License-Identifier: BSD-3-Clause
"""Isotonic regression, under scikit-learn's name: it stands in ``statfast.calibration``."""

from statfast._scikit_learn import missing_names
from statfast.calibration import IsotonicRegression, isotonic_regression

__all__ = ["IsotonicRegression", "isotonic_regression"]

__getattr__ = missing_names(__name__)
