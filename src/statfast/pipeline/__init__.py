# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines: transformers one after another or side by side, so that folds held out do not leak."""

from statfast._scikit_learn import missing_names
from statfast.pipeline.column_transformer import ColumnTransformer, make_column_transformer
from statfast.pipeline.columns import make_column_selector
from statfast.pipeline.feature_union import FeatureUnion, make_union
from statfast.pipeline.pipeline import Pipeline, make_pipeline
from statfast.pipeline.transformed_target import TransformedTargetRegressor

__all__ = [
    "ColumnTransformer",
    "FeatureUnion",
    "Pipeline",
    "TransformedTargetRegressor",
    "make_column_selector",
    "make_column_transformer",
    "make_pipeline",
    "make_union",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
