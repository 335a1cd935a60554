# SPDX-License-Identifier: BSD-3-Clause
"""Preprocessing: columns brought to a common scale, and missing values filled."""

from statfast.preprocessing.impute import SimpleImputer
from statfast.preprocessing.ranges import MinMaxScaler, RobustScaler
from statfast.preprocessing.standardize import StandardScaler

__all__ = ["MinMaxScaler", "RobustScaler", "SimpleImputer", "StandardScaler"]
