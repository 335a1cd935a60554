# SPDX-License-Identifier: BSD-3-Clause
"""Preprocessing: scaling, encoding of categories, imputation, bases of functions of columns."""

from statfast._scikit_learn import missing_names
from statfast.preprocessing.bases import PiecewiseLinearFeatures, PolynomialFeatures
from statfast.preprocessing.bins import KBinsDiscretizer
from statfast.preprocessing.impute import SimpleImputer
from statfast.preprocessing.knn_impute import KNNImputer
from statfast.preprocessing.labels import (
    LabelBinarizer,
    LabelEncoder,
    MultiLabelBinarizer,
    label_binarize,
)
from statfast.preprocessing.missing import MissingIndicator
from statfast.preprocessing.one_hot import OneHotEncoder
from statfast.preprocessing.ordinal import OrdinalEncoder
from statfast.preprocessing.ranges import MaxAbsScaler, MinMaxScaler, RobustScaler
from statfast.preprocessing.row_transforms import Binarizer, FunctionTransformer, Normalizer
from statfast.preprocessing.scale_functions import (
    add_dummy_feature,
    binarize,
    maxabs_scale,
    minmax_scale,
    normalize,
    robust_scale,
    scale,
)
from statfast.preprocessing.standardize import StandardScaler
from statfast.preprocessing.target_encoder import TargetEncoder

__all__ = [
    "Binarizer",
    "FunctionTransformer",
    "KBinsDiscretizer",
    "KNNImputer",
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MinMaxScaler",
    "MissingIndicator",
    "MultiLabelBinarizer",
    "Normalizer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PiecewiseLinearFeatures",
    "PolynomialFeatures",
    "RobustScaler",
    "SimpleImputer",
    "StandardScaler",
    "TargetEncoder",
    "add_dummy_feature",
    "binarize",
    "label_binarize",
    "maxabs_scale",
    "minmax_scale",
    "normalize",
    "robust_scale",
    "scale",
]

__getattr__ = missing_names(__name__)
