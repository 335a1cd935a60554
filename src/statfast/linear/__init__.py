# SPDX-License-Identifier: BSD-3-Clause
"""Linear models."""

from statfast.linear.least_squares import LinearRegression

__all__ = ["LinearRegression"]
