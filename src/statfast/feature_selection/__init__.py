# SPDX-License-Identifier: BSD-3-Clause
"""Feature selection: scores of single columns, and selectors by scores, importances and refits."""

from statfast._scikit_learn import missing_names
from statfast.feature_selection.class_scores import chi2, f_classif
from statfast.feature_selection.correlations import f_regression, r_regression
from statfast.feature_selection.elimination import RFE
from statfast.feature_selection.elimination_cv import RFECV
from statfast.feature_selection.from_model import SelectFromModel
from statfast.feature_selection.mutual_information import (
    mutual_info_classif,
    mutual_info_regression,
)
from statfast.feature_selection.sequential import SequentialFeatureSelector
from statfast.feature_selection.subset_scores import SizeScores
from statfast.feature_selection.subset_search import BestSubsets, best_subset
from statfast.feature_selection.univariate import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
)
from statfast.feature_selection.variances import VarianceThreshold

__all__ = [
    "RFE",
    "RFECV",
    "BestSubsets",
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SequentialFeatureSelector",
    "SizeScores",
    "VarianceThreshold",
    "best_subset",
    "chi2",
    "f_classif",
    "f_regression",
    "mutual_info_classif",
    "mutual_info_regression",
    "r_regression",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
