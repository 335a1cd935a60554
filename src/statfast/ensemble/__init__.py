# SPDX-License-Identifier: BSD-3-Clause
"""Ensembles: many models that answer together."""

from statfast.ensemble.boosting.classifier import HistGradientBoostingClassifier
from statfast.ensemble.boosting.regressor import HistGradientBoostingRegressor

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]
