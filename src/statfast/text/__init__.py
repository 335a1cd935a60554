# SPDX-License-Identifier: BSD-3-Clause
"""Text: counts of words, and models of their sequence."""

from statfast.text.counting.hashing_vectorizer import HashingVectorizer
from statfast.text.counting.tfidf import TfidfTransformer
from statfast.text.counting.tfidf_vectorizer import TfidfVectorizer
from statfast.text.counting.vectorizer import CountVectorizer
from statfast.text.language.arpa import read_arpa, write_arpa
from statfast.text.language.classifier import LanguageModelClassifier
from statfast.text.language.good_turing import simple_good_turing
from statfast.text.language.model import NGramLanguageModel

__all__ = [
    "CountVectorizer",
    "HashingVectorizer",
    "LanguageModelClassifier",
    "NGramLanguageModel",
    "TfidfTransformer",
    "TfidfVectorizer",
    "read_arpa",
    "simple_good_turing",
    "write_arpa",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
