# SPDX-License-Identifier: BSD-3-Clause
"""Imputation, under scikit-learn's name of the module: see ``statfast.preprocessing``."""

from statfast._scikit_learn import missing_names
from statfast.preprocessing import KNNImputer, MissingIndicator, SimpleImputer

__all__ = ["KNNImputer", "MissingIndicator", "SimpleImputer"]

__getattr__ = missing_names(__name__)
