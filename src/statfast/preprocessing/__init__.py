# SPDX-License-Identifier: BSD-3-Clause
"""Preprocessing: scaling, encoding of categories, imputation, bases of functions of columns."""

from statfast._scikit_learn import missing_names
from statfast.preprocessing.bases import PiecewiseLinearFeatures, PolynomialFeatures
from statfast.preprocessing.impute import SimpleImputer
from statfast.preprocessing.one_hot import OneHotEncoder
from statfast.preprocessing.ordinal import OrdinalEncoder
from statfast.preprocessing.ranges import MinMaxScaler, RobustScaler
from statfast.preprocessing.standardize import StandardScaler

__all__ = [
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PiecewiseLinearFeatures",
    "PolynomialFeatures",
    "RobustScaler",
    "SimpleImputer",
    "StandardScaler",
]

__getattr__ = missing_names(__name__)
