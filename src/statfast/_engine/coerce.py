# SPDX-License-Identifier: BSD-3-Clause
"""Conversions of `Parts` and collections of Dask to `Parts`."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine.dask_engine import engine_for
from statfast._engine.parts import Parts
from statfast._validation import column_names, is_dask


def is_distributed(X: Any) -> bool:
    """Whether rows are `Parts` or a collection of Dask; imports nothing."""
    return type(X) is not np.ndarray and (isinstance(X, Parts) or is_dask(X))


def as_parts(X: Any, y: Any = None, sample_weight: Any = None) -> Parts:
    """The rows with their labels and weights, in parts."""
    if isinstance(X, Parts):
        if X.documents:
            raise TypeError("X is Parts of documents; count their terms by CountVectorizer first.")
        if y is not None or sample_weight is not None:
            raise ValueError(
                "Parts hold y and sample_weight beside their rows; got them once more. Leave them "
                "out, or make Parts of tuples (X, y, sample_weight)."
            )
        return X
    return Parts.kept_by(engine_for(), (X, y, sample_weight), column_names(X))


def as_documents(raw_documents: Any) -> Parts:
    """Documents in parts, of `Parts` or of a series or array of Dask."""
    if isinstance(raw_documents, Parts):
        if not raw_documents.documents:
            raise TypeError(
                "raw_documents is Parts of rows; got no documents. Pass Parts(..., documents=True)."
            )
        return raw_documents
    engine = engine_for()
    out = Parts.__new__(Parts)
    out._become(engine, engine.adopt((raw_documents,), rows=False))
    out.documents = True
    return out


def as_pairs(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Parts:
    """Predictions, truth and weights in parts: columns (y_pred, y_true, weights).

    `Parts` of predictions hold their y, so `y_true` is the same `Parts`, or None.
    """
    if isinstance(y_pred, Parts):
        if sample_weight is not None or not (y_true is None or isinstance(y_true, Parts)):
            raise ValueError(
                "Parts that were predicted hold y and sample_weight; got others. Pass the Parts "
                "that were predicted as y_true."
            )
        return y_pred
    if not is_dask(y_pred):
        raise TypeError(
            f"y_true is a collection of Dask's, and the predictions are not; got {type(y_pred)}. "
            "Pass both of one kind."
        )
    out = Parts.__new__(Parts)
    engine = engine_for()
    out._become(engine, engine.adopt((y_pred, y_true, sample_weight), rows=False))
    return out
