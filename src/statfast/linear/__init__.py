# SPDX-License-Identifier: BSD-3-Clause
"""Linear models: least squares, generalised linear models, and their penalised relatives."""

from statfast.linear.bases import PiecewiseLinear, PolynomialFeatures
from statfast.linear.glm import GeneralizedLinearModel
from statfast.linear.huber import HuberRegressor
from statfast.linear.lasso import ElasticNet, Lasso
from statfast.linear.lasso_cv import ElasticNetCV, LassoCV
from statfast.linear.least_squares import LinearRegression
from statfast.linear.least_squares_classifier import LeastSquaresClassifier
from statfast.linear.logistic import LogisticRegression
from statfast.linear.logistic_cv import LogisticRegressionCV
from statfast.linear.logistic_path import logistic_path
from statfast.linear.path import RegularizationPath, enet_path, lasso_path
from statfast.linear.ridge import Ridge, RidgeCV, ridge_path
from statfast.linear.selection import StepResult, anova, drop1, step

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "GeneralizedLinearModel",
    "HuberRegressor",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "PiecewiseLinear",
    "PolynomialFeatures",
    "RegularizationPath",
    "Ridge",
    "RidgeCV",
    "StepResult",
    "anova",
    "drop1",
    "enet_path",
    "lasso_path",
    "logistic_path",
    "ridge_path",
    "step",
]
