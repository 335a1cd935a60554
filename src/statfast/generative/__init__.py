# SPDX-License-Identifier: BSD-3-Clause
"""Generative classifiers: a density for each class, and Bayes' rule."""

from statfast.generative.discriminant.lda import LinearDiscriminantAnalysis
from statfast.generative.discriminant.mean_tests import BoxMResult, ManovaResult, box_m, manova
from statfast.generative.discriminant.qda import QuadraticDiscriminantAnalysis
from statfast.generative.discriminant.rda import RegularizedDiscriminantAnalysis
from statfast.generative.discriminant.rda_cv import RegularizedDiscriminantAnalysisCV

__all__ = [
    "BoxMResult",
    "LinearDiscriminantAnalysis",
    "ManovaResult",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "box_m",
    "manova",
]
