# SPDX-License-Identifier: BSD-3-Clause
"""Preprocessing: scaling of columns, encoding of categories, imputation of missing values."""

from statfast.preprocessing.impute import SimpleImputer
from statfast.preprocessing.one_hot import OneHotEncoder
from statfast.preprocessing.ordinal import OrdinalEncoder
from statfast.preprocessing.ranges import MinMaxScaler, RobustScaler
from statfast.preprocessing.standardize import StandardScaler

__all__ = [
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "RobustScaler",
    "SimpleImputer",
    "StandardScaler",
]
