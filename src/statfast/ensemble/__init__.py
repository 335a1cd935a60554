# SPDX-License-Identifier: BSD-3-Clause
"""Ensembles: many models that answer together."""

from statfast.ensemble.boosting.classifier import HistGradientBoostingClassifier
from statfast.ensemble.boosting.regressor import HistGradientBoostingRegressor
from statfast.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from statfast.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
