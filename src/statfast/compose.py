# SPDX-License-Identifier: BSD-3-Clause
"""Transformers by column, under scikit-learn's name: they stand in ``statfast.pipeline``."""

from statfast._scikit_learn import missing_names
from statfast.pipeline import (
    ColumnTransformer,
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
)

__all__ = [
    "ColumnTransformer",
    "TransformedTargetRegressor",
    "make_column_selector",
    "make_column_transformer",
]

__getattr__ = missing_names(__name__)
