# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators share: parameters, mixins, weights of classes, and printed tables."""

from statfast._estimator.base import Estimator
from statfast._estimator.class_pairs import LEAST, ROWS, coupled
from statfast._estimator.class_weights import class_weighted, times_classes
from statfast._estimator.mixins import Classifier, Clusterer, Transformer
from statfast._estimator.regressor import Regressor
from statfast._estimator.tables import CoefficientTable, Summary

__all__ = [
    "LEAST",
    "ROWS",
    "Classifier",
    "Clusterer",
    "CoefficientTable",
    "Estimator",
    "Regressor",
    "Summary",
    "Transformer",
    "class_weighted",
    "coupled",
    "times_classes",
]
