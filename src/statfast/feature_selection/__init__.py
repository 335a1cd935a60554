# SPDX-License-Identifier: BSD-3-Clause
"""Feature selection: scores of single columns, and selectors by scores, importances and refits."""

from statfast._scikit_learn import missing_names
from statfast.feature_selection.class_scores import chi2, f_classif
from statfast.feature_selection.correlations import f_regression, r_regression
from statfast.feature_selection.elimination import RFE
from statfast.feature_selection.from_model import SelectFromModel
from statfast.feature_selection.mutual_information import (
    mutual_info_classif,
    mutual_info_regression,
)
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
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "VarianceThreshold",
    "chi2",
    "f_classif",
    "f_regression",
    "mutual_info_classif",
    "mutual_info_regression",
    "r_regression",
]

__getattr__ = missing_names(__name__)
