# SPDX-License-Identifier: BSD-3-Clause
"""Words of documents, and labels, of both libraries: a vocabulary, or the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast import preprocessing, text
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    sklearn_unfitted,
    statfast_model,
    statfast_unfitted,
)

VECTORIZERS = ("CountVectorizer", "TfidfVectorizer")
LABELS = ("LabelBinarizer", "LabelEncoder", "MultiLabelBinarizer")


# ------------------------------------------------------------------ documents
def read_vectorizer(model: Any) -> Any:
    """Counts of words, and their weights."""
    columns = model.vocabulary_
    require(
        all(isinstance(term, str) for term in columns), model, "of terms that are not strings",
        "Join them to strings in the analyzer.",
    )  # fmt: skip
    made = statfast_unfitted(getattr(text, type(model).__name__), model, exact=True)
    learned = {}
    if getattr(model, "use_idf", False):
        learned["idf_"] = np.array(model.idf_, np.float64)
    made._become(sorted(columns, key=columns.__getitem__), **learned)
    return made


def write_vectorizer(model: Any) -> Any:
    """Counts of words, and their weights."""
    from sklearn.feature_extraction.text import TfidfTransformer

    made = sklearn_unfitted("feature_extraction.text", type(model).__name__, model, exact=True)
    made.vocabulary_ = {term: int(k) for term, k in model.vocabulary_.items()}
    made.fixed_vocabulary_ = model.vocabulary is not None
    if type(model).__name__ == "TfidfVectorizer":
        weights = TfidfTransformer(
            norm=made.norm, use_idf=made.use_idf, smooth_idf=made.smooth_idf,
            sublinear_tf=made.sublinear_tf,
        )  # fmt: skip
        weights.n_features_in_ = len(made.vocabulary_)
        made._tfidf = weights
        if made.use_idf:
            weights.idf_ = np.array(model.idf_, np.float64)
    return made


def read_weights(model: Any) -> Any:
    """Weights of counts."""
    learned: dict[str, Any] = {}
    if model.use_idf:
        learned["idf_"] = np.array(model.idf_, np.float64)
    return statfast_model(text.TfidfTransformer, model, exact=True, **learned)


def write_weights(model: Any) -> Any:
    """Weights of counts."""
    made = sklearn_model("feature_extraction.text", "TfidfTransformer", model, exact=True)
    if model.use_idf:
        made.idf_ = np.array(model.idf_, np.float64)
    return made


# ------------------------------------------------------------------ labels
def read_labels(model: Any) -> Any:
    """Codes of labels, or columns of 0 and 1."""
    made = statfast_unfitted(getattr(preprocessing, type(model).__name__), model, exact=True)
    names = ("y_type_", "sparse_input_")
    more = {name: getattr(model, name) for name in names if hasattr(model, name)}
    return made._publish_classes(np.array(model.classes_), **more)


def write_labels(model: Any) -> Any:
    """Codes of labels, or columns of 0 and 1."""
    name = type(model).__name__
    made = sklearn_unfitted("preprocessing", name, model, exact=True)
    made.classes_ = np.array(model.classes_)
    if name == "LabelBinarizer":
        made.y_type_, made.sparse_input_ = model.y_type_, model.sparse_input_
    elif name == "MultiLabelBinarizer":
        made._cached_dict = None
    return made


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    **dict.fromkeys(VECTORIZERS, (read_vectorizer, write_vectorizer)),
    "TfidfTransformer": (read_weights, write_weights),
    **dict.fromkeys(LABELS, (read_labels, write_labels)),
}
