# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the parameters of language models, and texts as lists of words."""

from __future__ import annotations

from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from statfast._core.text.terms import TermTable
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import (
    as_real,
    as_weights,
    shown,
    wrong_type,
)
from statfast.text.counting.analysis import as_list, words_of

METHODS = (
    "mle", "additive", "witten_bell", "jelinek_mercer", "absolute", "kneser_ney",
    "modified_kneser_ney", "good_turing", "stupid_backoff",
)  # fmt: skip

TEXTS_PER_CALL = 1000  # texts that a kernel call numbers, so that Ctrl-C is heard between calls


def as_shares(weights: list[float], name: str) -> Any:
    """Numbers from 0 to 1, one for each order."""
    weights = as_list(weights, name, "a list of numbers, one for each order")
    return tuple(as_real(w, name, low=0.0, high=1.0) for w in weights)


def as_texts(raw_documents, tokenizer):
    """Check texts; returns lists of words."""
    if isinstance(raw_documents, str | bytes):
        raise ValueError(
            f"raw_documents must be a list of texts; got {shown(raw_documents)}. Pass "
            "[text], if it is one."
        )
    texts = []
    for text in as_list(raw_documents, "raw_documents", "a list of texts"):
        if tokenizer is not None:
            texts.append(words_of(tokenizer(text), "tokenizer"))
        elif isinstance(text, str):
            texts.append(text.split())
        elif isinstance(text, list | tuple):
            texts.append(text)
        else:
            raise wrong_type("raw_documents", "a list of strings, or of lists of words", text)
    return texts


def as_repeats(sample_weight: Any, n: int) -> Array | None:
    """How often each of n texts counts, int64; None if each counts once."""
    times = as_weights(sample_weight, n)
    if times is None:
        return None
    if not (times == np.floor(times)).all() or times.sum() > 2**53:
        raise ValueError(
            "sample_weight must be whole numbers, as smoothing asks which n-grams were seen once; "
            f"got {shown(times)}. Scale and round them."
        )
    return times.astype(np.int64)


def numbered(texts: list[Any], number: dict[str, int]) -> tuple[Array, Array]:
    """Numbers of the words of texts (n,), and the starts of texts (texts + 1,).

    New words are added to the dict `number`, in their order.
    """
    table, n_known = TermTable(np.zeros(128, np.int32)), len(number)
    table.words([list(number)])
    numbers = []
    for first in range(0, len(texts), TEXTS_PER_CALL):
        checkpoint()
        texts_of_call = texts[first : first + TEXTS_PER_CALL]
        try:
            numbers.append(np.frombuffer(table.words(texts_of_call), np.int32))
        except TypeError:
            require_words(chain.from_iterable(texts_of_call))
            raise
    new = np.arange(n_known, len(table), dtype=np.int32)
    table.sort_words(new)
    place = np.arange(len(table), dtype=np.int32)
    place[new] = place[n_known:].copy()
    number.update(zip(table.names(new), range(n_known, len(table)), strict=True))
    return place[np.concatenate(numbers)] if numbers else new, starts(texts)


def looked_up(texts: list[Any], number: dict[str, int]) -> tuple[Array, Array]:
    """Numbers of the words of texts in the dict `number`, and the starts of texts; others are 0."""
    begin = starts(texts)
    everything = map(number.get, chain.from_iterable(texts), repeat(0))
    try:
        words = np.fromiter(everything, np.int32, begin[-1])
    except TypeError:  # a word cannot be hashed
        require_words(chain.from_iterable(texts))
        raise
    if not words.all():
        require_words(compress(chain.from_iterable(texts), (words == 0).tolist()))
    return words, begin


def starts(texts: list[Any]) -> Array:
    """The starts of texts, and the end of the last one."""
    return np.concatenate([[0], np.cumsum(list(map(len, texts)))]).astype(np.int64)


def require_words(words: Any) -> None:
    """Refuse words that are not strings."""
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"raw_documents must hold words; got {shown(word)}.")


def as_words(vocabulary: Any) -> list[str]:
    """The words of a vocabulary."""
    words = as_list(vocabulary, "vocabulary", "a list of words")
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"vocabulary must hold words; got {shown(words)}.")
    return words
