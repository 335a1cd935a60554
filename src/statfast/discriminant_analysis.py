# SPDX-License-Identifier: BSD-3-Clause
"""Discriminant analysis, under scikit-learn's name: see ``statfast.generative``."""

from statfast._scikit_learn import missing_names
from statfast.generative import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]

__getattr__ = missing_names(__name__)
