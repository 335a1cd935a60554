# SPDX-License-Identifier: BSD-3-Clause
"""Preprocessing: scaling, encoding of categories, imputation, bases of functions of columns."""

from statfast._scikit_learn import missing_names
from statfast.preprocessing.bases.bins import KBinsDiscretizer
from statfast.preprocessing.bases.polynomials import PiecewiseLinearFeatures, PolynomialFeatures
from statfast.preprocessing.bases.splines import SplineTransformer
from statfast.preprocessing.encoding.labels import (
    LabelBinarizer,
    LabelEncoder,
    MultiLabelBinarizer,
    label_binarize,
)
from statfast.preprocessing.encoding.one_hot import OneHotEncoder
from statfast.preprocessing.encoding.ordinal import OrdinalEncoder
from statfast.preprocessing.encoding.target_encoder import TargetEncoder
from statfast.preprocessing.imputation.impute import SimpleImputer
from statfast.preprocessing.imputation.knn_impute import KNNImputer
from statfast.preprocessing.imputation.missing import MissingIndicator
from statfast.preprocessing.scaling.kernel_centerer import KernelCenterer
from statfast.preprocessing.scaling.power_transformer import PowerTransformer
from statfast.preprocessing.scaling.quantile_transformer import QuantileTransformer
from statfast.preprocessing.scaling.ranges import MaxAbsScaler, MinMaxScaler, RobustScaler
from statfast.preprocessing.scaling.row_transforms import Binarizer, FunctionTransformer, Normalizer
from statfast.preprocessing.scaling.scale_functions import (
    add_dummy_feature,
    binarize,
    maxabs_scale,
    minmax_scale,
    normalize,
    power_transform,
    quantile_transform,
    robust_scale,
    scale,
)
from statfast.preprocessing.scaling.standardize import StandardScaler

__all__ = [
    "Binarizer",
    "FunctionTransformer",
    "KBinsDiscretizer",
    "KNNImputer",
    "KernelCenterer",
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
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "SimpleImputer",
    "SplineTransformer",
    "StandardScaler",
    "TargetEncoder",
    "add_dummy_feature",
    "binarize",
    "label_binarize",
    "maxabs_scale",
    "minmax_scale",
    "normalize",
    "power_transform",
    "quantile_transform",
    "robust_scale",
    "scale",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
