# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines: transformers one after another or side by side, so that folds held out do not leak."""

from statfast._scikit_learn import missing_names
from statfast.pipeline.column_transformer import ColumnTransformer, make_column_transformer
from statfast.pipeline.columns import make_column_selector
from statfast.pipeline.pipeline import Pipeline, make_pipeline

__all__ = [
    "ColumnTransformer",
    "Pipeline",
    "make_column_selector",
    "make_column_transformer",
    "make_pipeline",
]

__getattr__ = missing_names(__name__)
