# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of language models, checked; and texts as lists of words."""

from itertools import chain

from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_real,
    shown,
    wrong_type,
)
from statfast.text.language.smoothing import Smoothing

METHODS = (
    "mle", "additive", "witten_bell", "jelinek_mercer", "absolute", "kneser_ney",
    "modified_kneser_ney", "good_turing", "stupid_backoff",
)  # fmt: skip


def as_parameters(model):
    """Order, smoothing, and whether texts are padded in full."""
    order = as_count(model.order, "order", high=32)
    name = as_choice(model.smoothing, "smoothing", METHODS)
    discount = model.discount
    if discount is not None:
        discount = as_real(discount, "discount", low=0.0, high=1.0)
    weights = model.weights
    if weights is not None:
        if isinstance(weights, str | dict) or not hasattr(weights, "__len__"):
            raise wrong_type("weights", "a list of numbers, one for each order", weights)
        weights = tuple(as_real(w, "weights", low=0.0, high=1.0) for w in weights)
        if len(weights) != order:
            raise ValueError(f"weights must have one for each of {order} orders; got {weights}.")
    if model.tokenizer is not None and not callable(model.tokenizer):
        raise wrong_type("tokenizer", "None or a function", model.tokenizer)
    full = as_choice(model.padding, "padding", ("single", "full")) == "full"
    as_count(model.min_count, "min_count")
    method = Smoothing(
        name,
        as_real(model.alpha, "alpha", low=0.0, open_low=True),
        discount,
        weights,
        as_flag(model.uniform, "uniform"),
    )
    return order, method, full


def as_texts(raw_documents, tokenizer):
    """Lists of words."""
    if isinstance(raw_documents, str | bytes) or not hasattr(raw_documents, "__iter__"):
        raise ValueError(
            f"raw_documents must be a list of texts; got {shown(raw_documents)}. Pass "
            "[text], if it is one."
        )
    found = []
    for text in raw_documents:
        if tokenizer is not None:
            found.append(list(tokenizer(text)))
        elif isinstance(text, str):
            found.append(text.split())
        elif isinstance(text, list | tuple):
            found.append(text)
        else:
            raise wrong_type("raw_documents", "a list of strings, or of lists of words", text)
    if not all(issubclass(kind, str) for kind in set(map(type, chain.from_iterable(found)))):
        wrong = next(word for word in chain.from_iterable(found) if not isinstance(word, str))
        raise TypeError(f"raw_documents must hold words; got {shown(wrong)}.")
    return found


def as_words(vocabulary):
    """The words of a vocabulary."""
    if isinstance(vocabulary, str) or not hasattr(vocabulary, "__iter__"):
        raise wrong_type("vocabulary", "a list of words", vocabulary)
    words = list(vocabulary)
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"vocabulary must hold words; got {shown(words)}.")
    return words
