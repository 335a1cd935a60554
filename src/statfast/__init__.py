# SPDX-License-Identifier: BSD-3-Clause
"""Exact, fast statistical learning on numpy and scipy alone."""

from statfast._base import Estimator
from statfast._blocks import set_progress
from statfast._chunks import Chunks
from statfast._errors import ConvergenceWarning, NotFittedError
from statfast.cluster import KMeans, LloydStep
from statfast.generative import LinearDiscriminantAnalysis
from statfast.linear import (
    GeneralizedLinearModel,
    LogisticRegression,
    StepResult,
    anova,
    drop1,
    step,
)
from statfast.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    KNeighborsRegressor,
    LSHNeighbors,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    TangentDistanceClassifier,
    tangent_distance,
)

__version__ = "0.1.0"

__all__ = [
    "BallTree",
    "Chunks",
    "ConvergenceWarning",
    "Estimator",
    "GeneralizedLinearModel",
    "KDTree",
    "KMeans",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LSHNeighbors",
    "LinearDiscriminantAnalysis",
    "LloydStep",
    "LogisticRegression",
    "NearestNeighbors",
    "NotFittedError",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "StepResult",
    "TangentDistanceClassifier",
    "anova",
    "drop1",
    "set_progress",
    "step",
    "tangent_distance",
]
