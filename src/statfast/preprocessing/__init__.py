# SPDX-License-Identifier: BSD-3-Clause
"""Preprocessing: columns brought to a common scale, as sums over rows."""

from statfast.preprocessing.standardize import StandardScaler

__all__ = ["StandardScaler"]
