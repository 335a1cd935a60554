# SPDX-License-Identifier: BSD-3-Clause
"""Generative classifiers: a density for each class, and Bayes' rule."""

from statfast.generative.discriminant.lda import LinearDiscriminantAnalysis
from statfast.generative.discriminant.qda import QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
