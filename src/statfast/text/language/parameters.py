# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of language models, checked; and texts as lists of words."""

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

_TEXTS = 1000  # that one call of the kernel numbers, between which Ctrl-C is heard


def as_shares(weights: list[float], name: str) -> Any:
    """Numbers from 0 to 1, one for each order."""
    weights = as_list(weights, name, "a list of numbers, one for each order")
    return tuple(as_real(w, name, low=0.0, high=1.0) for w in weights)


def as_texts(raw_documents, tokenizer):
    """Lists of words."""
    if isinstance(raw_documents, str | bytes):
        raise ValueError(
            f"raw_documents must be a list of texts; got {shown(raw_documents)}. Pass "
            "[text], if it is one."
        )
    found = []
    for text in as_list(raw_documents, "raw_documents", "a list of texts"):
        if tokenizer is not None:
            found.append(words_of(tokenizer(text), "tokenizer"))
        elif isinstance(text, str):
            found.append(text.split())
        elif isinstance(text, list | tuple):
            found.append(text)
        else:
            raise wrong_type("raw_documents", "a list of strings, or of lists of words", text)
    return found


def as_repeats(sample_weight: Any, n: int) -> Array | None:
    """How often each of n texts counts, int64; None is once."""
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
    """Numbers of the words of texts (n,), and where texts begin (texts + 1,).

    `number`, a dict, gains the words that are new, in their order.
    """
    table, known = TermTable(np.zeros(128, np.int32)), len(number)
    table.words([list(number)])
    found = []
    for first in range(0, len(texts), _TEXTS):
        checkpoint()
        some = texts[first : first + _TEXTS]
        try:
            found.append(np.frombuffer(table.words(some), np.int32))
        except TypeError:
            require_words(chain.from_iterable(some))
            raise
    new = np.arange(known, len(table), dtype=np.int32)
    table.sort_words(new)
    place = np.arange(len(table), dtype=np.int32)
    place[new] = place[known:].copy()
    number.update(zip(table.names(new), range(known, len(table)), strict=True))
    return place[np.concatenate(found)] if found else new, starts(texts)


def looked_up(texts: list[Any], number: dict[str, int]) -> tuple[Array, Array]:
    """The same of words that are numbered; others are 0."""
    begin = starts(texts)
    everything = map(number.get, chain.from_iterable(texts), repeat(0))
    try:
        words = np.fromiter(everything, np.int32, begin[-1])
    except TypeError:  # of what cannot be hashed
        require_words(chain.from_iterable(texts))
        raise
    if not words.all():
        require_words(compress(chain.from_iterable(texts), (words == 0).tolist()))
    return words, begin


def starts(texts: list[Any]) -> Array:
    """Where texts begin, and the last ends."""
    return np.concatenate([[0], np.cumsum(list(map(len, texts)))]).astype(np.int64)


def require_words(words: Any) -> None:
    """Refuse what is no string."""
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"raw_documents must hold words; got {shown(word)}.")


def as_words(vocabulary: Any) -> list[str]:
    """The words of a vocabulary."""
    words = as_list(vocabulary, "vocabulary", "a list of words")
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"vocabulary must hold words; got {shown(words)}.")
    return words
