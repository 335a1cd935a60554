# SPDX-License-Identifier: BSD-3-Clause
"""Text: counts of words, and models of their sequence."""

from statfast.text.counting.tfidf import TfidfTransformer
from statfast.text.counting.vectorizer import CountVectorizer

__all__ = [
    "CountVectorizer",
    "TfidfTransformer",
]
