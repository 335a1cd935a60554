# SPDX-License-Identifier: BSD-3-Clause
"""Linear models: least squares, generalised linear models, and their penalised relatives."""

from statfast.linear.glm import GeneralizedLinearModel
from statfast.linear.lasso import ElasticNet, Lasso
from statfast.linear.least_squares import LinearRegression
from statfast.linear.logistic import LogisticRegression
from statfast.linear.path import RegularizationPath, enet_path, lasso_path

__all__ = [
    "ElasticNet",
    "GeneralizedLinearModel",
    "Lasso",
    "LinearRegression",
    "LogisticRegression",
    "RegularizationPath",
    "enet_path",
    "lasso_path",
]
