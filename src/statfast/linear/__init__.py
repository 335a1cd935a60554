# SPDX-License-Identifier: BSD-3-Clause
"""Linear models."""

from statfast.linear.lasso import ElasticNet, Lasso
from statfast.linear.least_squares import LinearRegression
from statfast.linear.path import RegularizationPath, enet_path, lasso_path

__all__ = [
    "ElasticNet",
    "Lasso",
    "LinearRegression",
    "RegularizationPath",
    "enet_path",
    "lasso_path",
]
