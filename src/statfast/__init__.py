# SPDX-License-Identifier: BSD-3-Clause
"""Exact, fast statistical learning on numpy and scipy alone."""

from statfast._base import Estimator
from statfast._blocks import set_progress
from statfast._chunks import Chunks
from statfast._errors import ConvergenceWarning, NotFittedError, SeparationWarning
from statfast.cluster import KMeans, LloydStep
from statfast.generative import LinearDiscriminantAnalysis
from statfast.linear import (
    ElasticNet,
    ElasticNetCV,
    GeneralizedLinearModel,
    HuberRegressor,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    PiecewiseLinear,
    PolynomialFeatures,
    RegularizationPath,
    Ridge,
    RidgeCV,
    StepResult,
    anova,
    drop1,
    enet_path,
    lasso_path,
    logistic_path,
    ridge_path,
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
    "ElasticNet",
    "ElasticNetCV",
    "Estimator",
    "GeneralizedLinearModel",
    "HuberRegressor",
    "KDTree",
    "KMeans",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LSHNeighbors",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LloydStep",
    "LogisticRegression",
    "LogisticRegressionCV",
    "NearestNeighbors",
    "NotFittedError",
    "PiecewiseLinear",
    "PolynomialFeatures",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RegularizationPath",
    "Ridge",
    "RidgeCV",
    "SeparationWarning",
    "StepResult",
    "TangentDistanceClassifier",
    "anova",
    "drop1",
    "enet_path",
    "lasso_path",
    "logistic_path",
    "ridge_path",
    "set_progress",
    "step",
    "tangent_distance",
]
