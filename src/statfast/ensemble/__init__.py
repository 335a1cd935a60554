# SPDX-License-Identifier: BSD-3-Clause
"""Ensembles: many models that answer together."""

from statfast._scikit_learn import missing_names
from statfast.ensemble.adaboost.classifier import AdaBoostClassifier
from statfast.ensemble.adaboost.regressor import AdaBoostRegressor
from statfast.ensemble.bagging.classifier import BaggingClassifier
from statfast.ensemble.bagging.majority import majority_error
from statfast.ensemble.bagging.regressor import BaggingRegressor
from statfast.ensemble.boosting.classifier import HistGradientBoostingClassifier
from statfast.ensemble.boosting.regressor import HistGradientBoostingRegressor
from statfast.ensemble.combination.stacking import StackingClassifier, StackingRegressor
from statfast.ensemble.combination.voting import VotingClassifier, VotingRegressor
from statfast.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from statfast.ensemble.forest.isolation_forest import IsolationForest
from statfast.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IsolationForest",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "majority_error",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
