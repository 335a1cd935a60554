# SPDX-License-Identifier: BSD-3-Clause
"""Linear models: least squares, generalized linear models, and their penalized relatives."""

from statfast._estimator import CoefficientTable, Summary
from statfast.linear.glm.glm import GeneralizedLinearModel
from statfast.linear.glm.glm_path import glm_path
from statfast.linear.glm.row_influence import RowInfluence
from statfast.linear.glm.tweedie_regressors import (
    GammaRegressor,
    PoissonRegressor,
    TweedieRegressor,
)
from statfast.linear.inference.anova import anova
from statfast.linear.inference.inference import NoInferenceError
from statfast.linear.inference.inflation import vif
from statfast.linear.inference.selection import StepwiseResult, add1, drop1, step
from statfast.linear.least_squares.classifier import LeastSquaresClassifier
from statfast.linear.least_squares.huber import HuberRegressor
from statfast.linear.least_squares.linear_regression import LinearRegression
from statfast.linear.least_squares.ridge import Ridge
from statfast.linear.least_squares.ridge_classifier import RidgeClassifier, RidgeClassifierCV
from statfast.linear.least_squares.ridge_cv import RidgeCV
from statfast.linear.least_squares.ridge_decomposition import ridge_path
from statfast.linear.logistic.logistic import LogisticRegression
from statfast.linear.logistic.logistic_cv import LogisticRegressionCV
from statfast.linear.logistic.logistic_path import logistic_path
from statfast.linear.penalized.lasso import ElasticNet, Lasso
from statfast.linear.penalized.lasso_cv import ElasticNetCV, LassoCV
from statfast.linear.penalized.lasso_path import RegularizationPath, enet_path, lasso_path
from statfast.linear.penalized.multi_task import MultiTaskElasticNet, MultiTaskLasso
from statfast.linear.penalized.multi_task_cv import MultiTaskElasticNetCV, MultiTaskLassoCV

__all__ = [
    "CoefficientTable",
    "ElasticNet",
    "ElasticNetCV",
    "GammaRegressor",
    "GeneralizedLinearModel",
    "HuberRegressor",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "NoInferenceError",
    "PoissonRegressor",
    "RegularizationPath",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "RowInfluence",
    "StepwiseResult",
    "Summary",
    "TweedieRegressor",
    "add1",
    "anova",
    "drop1",
    "enet_path",
    "glm_path",
    "lasso_path",
    "logistic_path",
    "ridge_path",
    "step",
    "vif",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
