# SPDX-License-Identifier: BSD-3-Clause
"""Words of documents, under scikit-learn's name of the module: they stand in ``statfast.text``."""

from statfast._scikit_learn import missing_names
from statfast.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer

__all__ = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]

__getattr__ = missing_names(__name__)
