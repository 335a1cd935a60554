# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of documents: decoding, lower case, words, stop words, stems and n-grams."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import shown, warn_user, wrong_type
from statfast.text.counting.stop_words import LanguageWords, stop_words_of

# Patterns that the kernel implements, by the least length of a word.
WORDS = {r"(?u)\b\w\w+\b": 2, r"(?u)\b\w+\b": 1}
_BLANKS = re.compile(r"\s\s+")
_CODE_POINTS = 0x110000
_LONG = ("\u0130", "\u03a3")  # whose lower case is two letters, or depends on what follows


@dataclass(frozen=True)
class Analysis:
    """The parameters of a vectorizer, checked."""

    input: str
    encoding: str
    decode_error: str
    accents: Any
    lowercase: bool
    preprocessor: Any
    tokenizer: Any
    stop_words: frozenset
    stemmer: Any
    pattern: Any
    analyzer: Any
    low: int
    high: int

    # ------------------------------------------------------------ one document, in Python

    def text(self, document: Any) -> str:
        """The document as a string."""
        if self.input == "filename":
            if not isinstance(document, str | PathLike):
                raise wrong_type("raw_documents", "a list of names of files", document)
            with open(document, "rb") as file:
                document = file.read()
        elif self.input == "file":
            if not callable(getattr(document, "read", None)):
                raise wrong_type("raw_documents", "a list of open files", document)
            document = document.read()
        if isinstance(document, bytes):
            document = document.decode(self.encoding, self.decode_error)
        if not isinstance(document, str):
            if document is np.nan or document is None:
                raise ValueError(
                    f"raw_documents must hold strings; got {shown(document)}: np.nan is an invalid "
                    "document. Drop missing documents, or pass an empty string."
                )
            raise wrong_type("raw_documents", "an iterable of strings or bytes", document)
        return document

    def prepared(self, text: str) -> str:
        """The text in lower case without accents, or the result of the user's preprocessor."""
        if self.preprocessor is not None:
            return text_of(self.preprocessor(text), "preprocessor")
        text = text.lower() if self.lowercase else text
        return text if self.accents is None else text_of(self.accents(text), "strip_accents")

    def tokens(self, text: str) -> Any:
        """All words of a prepared text, as they stand there."""
        if self.tokenizer is None:
            return self.pattern.findall(text)
        return words_of(self.tokenizer(text), "tokenizer")

    def words(self, text: str) -> list[str]:
        """The words of a prepared text, without stop words, stemmed."""
        words = [word for word in self.tokens(text) if word not in self.stop_words]
        return words if self.stemmer is None else stems(self.stemmer, words)

    def terms(self, document: str) -> list[str]:
        """All terms of a document, as often as they occur."""
        text = self.text(document)
        if callable(self.analyzer):
            return as_list(self.analyzer(text), "what analyzer returns", "a list of terms")
        text = self.prepared(text)
        if self.analyzer == "char":
            text = _BLANKS.sub(" ", text)
            return [
                text[i : i + n]
                for n in range(self.low, min(self.high, len(text)) + 1)
                for i in range(len(text) - n + 1)
            ]
        if self.analyzer == "char_wb":
            return [term for word in text.split() for term in self.padded(f" {word} ")]
        words = self.words(text)
        return [
            " ".join(words[i : i + n])
            for n in range(self.low, min(self.high, len(words)) + 1)
            for i in range(len(words) - n + 1)
        ]

    def padded(self, word: Any) -> Iterator[Any]:
        """Yield n-grams of the characters of a padded word; a short word is yielded once, as a
        whole."""
        for n in range(self.low, self.high + 1):
            yield word[:n]
            yield from (word[i : i + n] for i in range(1, len(word) - n + 1))
            if n >= len(word):
                break

    # ------------------------------------------------------------ documents for the kernel

    @property
    def least(self) -> int | None:
        """The least length of a word, if the kernel implements the pattern; else None."""
        return WORDS.get(self.pattern.pattern) if self.pattern is not None else None

    @property
    def by_kernel(self) -> bool:
        """Whether the kernel finds the terms of prepared texts."""
        if callable(self.analyzer):
            return False
        return self.analyzer != "word" or (self.tokenizer is None and self.least is not None)

    def for_kernel(self, documents: list[Any]) -> Any:
        """Texts in the form of the kernel, and whether it is to turn them into lower case."""
        texts = documents
        if self.input != "content" or set(map(type, documents)) != {str}:
            texts = [self.text(document) for document in documents]
        if self.analyzer == "char":
            return [_BLANKS.sub(" ", self.prepared(text)) for text in texts], False
        if self.analyzer == "char_wb":
            return [[f" {w} " for w in self.prepared(text).split()] for text in texts], False
        if self.preprocessor is not None or self.accents is not None:
            return [self.prepared(text) for text in texts], False
        if not self.lowercase:
            return texts, False
        return [t if t.isascii() or not has_long(t) else t.lower() for t in texts], True


def as_list(values: Any, name: str, wanted: str) -> list[Any]:
    """The items of an iterable as a list; refuses strings."""
    if isinstance(values, str | bytes):
        raise wrong_type(name, wanted, values)
    if hasattr(values, "to_pylist"):  # pyarrow, whose items are scalars of its own
        return values.to_pylist()
    try:
        iterator = iter(values)
    except TypeError as error:
        raise wrong_type(name, wanted, values) from error
    return list(iterator)


def words_of(returned: list[str] | None, name: str) -> list[str]:
    """A list of words that the user's function `name` returned."""
    words = as_list(returned, f"what {name} returns", "a list of words")
    for word in words:
        if not isinstance(word, str):
            raise wrong_type(f"what {name} returns", "a list of words", word)
    return words


def text_of(returned: str, name: str) -> str:
    """Check the string that the user's function `name` returned."""
    if not isinstance(returned, str):
        raise wrong_type(f"what {name} returns", "a string", returned)
    return returned


def has_long(text: str) -> bool:
    """Whether lower case is more than a table of letters."""
    return _LONG[0] in text or _LONG[1] in text


def stems(stemmer: Callable[..., Any], words: list[str]) -> list[str]:
    """The stems of words; a word whose stem is empty is dropped."""
    stemmed = [stemmer(word) for word in words]
    for word, stem in zip(words, stemmed, strict=True):
        if not isinstance(stem, str):
            raise TypeError(f"stemmer must give strings; got {shown(stem)} for {shown(word)}.")
    return [stem for stem in stemmed if stem]


@cache
def letters(lowercase: bool) -> Array:
    """For each code point the letter that a word has there, or 0 where none is: an int32 table.

    Letters are what ``\\w`` matches: alphanumeric characters and the underscore.
    """
    points = np.arange(_CODE_POINTS, dtype=np.int32)
    as_text = points.copy()
    as_text[0xD800:0xE000] = 0x20  # halves of surrogate pairs are not characters
    for long in _LONG if lowercase else ():
        as_text[ord(long)] = 0x20
    text = as_text.astype("<u4").tobytes().decode("utf-32-le")
    if lowercase:
        text = text.lower()
        for long in _LONG:  # texts with these letters are turned into lower case before
            text = text[: ord(long)] + long.lower()[0] + text[ord(long) + 1 :]
    characters = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int32)
    word = np.char.isalnum(characters.astype("<u4").view("<U1")) | (characters == ord("_"))
    return np.where(word, characters, 0).astype(np.int32)


# ------------------------------------------------------------------ parameters


def as_analysis(params: Any) -> Analysis:
    """The analysis of a vectorizer, from its checked parameters."""
    if params.token_pattern is None and params.tokenizer is None and params.analyzer == "word":
        raise ValueError("token_pattern must be a regular expression where there is no tokenizer.")
    accents = {"ascii": accents_to_ascii, "unicode": accents_off}
    accents_stripped = accents.get(params.strip_accents, params.strip_accents)
    stop_words = params.stop_words
    if accents_stripped is not None and isinstance(stop_words, LanguageWords):
        stop_words = stop_words | {accents_stripped(word) for word in stop_words}
    low, high = params.ngram_range
    return Analysis(
        input=params.input,
        encoding=params.encoding,
        decode_error=params.decode_error,
        accents=accents_stripped,
        lowercase=params.lowercase,
        preprocessor=params.preprocessor,
        tokenizer=params.tokenizer,
        stop_words=stop_words,
        stemmer=params.stemmer,
        pattern=params.token_pattern,
        analyzer=params.analyzer,
        low=low,
        high=high,
    )


def warn_unreachable(analysis: Any, terms: Any, name: str) -> None:
    """Warn of terms that no document can have, as lower case or accents are changed before."""
    if callable(analysis.analyzer) or analysis.preprocessor is not None:
        return
    for term in terms:
        if (prepared := analysis.prepared(term)) != term:
            settings = "lowercase=True" if analysis.lowercase else ""
            accents = "" if analysis.accents is None else "strip_accents"
            by = " or ".join(filter(None, (settings, accents)))
            warn_user(
                f"{name} holds {shown(term)}, which is never found in a document, as {by} makes it "
                f"{shown(prepared)} there. Write it so, or change the setting."
            )
            return


def as_pattern(expression: str, name: str) -> Any:
    """Check a regular expression, or None."""
    if expression is None:
        return None
    if not isinstance(expression, str):
        raise wrong_type(name, "a regular expression", expression)
    try:
        pattern = re.compile(expression)
    except re.error as error:
        raise ValueError(f"{name} must be a regular expression: {error}.") from error
    if pattern.groups > 1:
        raise ValueError(
            f"{name} must have at most one group in parentheses; got {pattern.groups}. Write the "
            "others as (?:...)."
        )
    return pattern


def as_range(ngram_range: int | tuple[int, int], name: str) -> tuple[int, int]:
    """Least and greatest n of the n-grams."""
    pair = ngram_range if isinstance(ngram_range, tuple | list) else ()
    whole = [isinstance(n, int | np.integer) and not isinstance(n, bool) for n in pair]
    if len(pair) != 2 or not all(whole):
        raise wrong_type(name, "a pair of integers (least, greatest)", ngram_range)
    low, high = pair
    if not 1 <= low <= high:
        raise ValueError(
            f"{name} must be (least, greatest) with 1 <= least <= greatest; got {ngram_range}."
        )
    return int(low), int(high)


def as_function(function: Any, name: str) -> Any:
    """Check a function, or None."""
    if function is not None and not callable(function):
        raise wrong_type(name, "None or a function", function)
    return function


def as_encoding(encoding: str, name: str) -> str:
    """The name of an encoding that Python knows."""
    if not isinstance(encoding, str):
        raise wrong_type(name, "the name of an encoding", encoding)
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise ValueError(f"{name} must be one that Python knows; got {encoding!r}.") from error
    return encoding


def as_stop_words(stop_words: Any, name: str) -> frozenset[Any]:
    """The words that are not counted."""
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        return stop_words_of(stop_words, name)
    wanted = "None, the name of a language or a list of words"
    if isinstance(stop_words, dict):
        raise wrong_type(name, wanted, stop_words)
    words = as_list(stop_words, name, wanted)
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{name} must hold strings; got {shown(words)}. Pass None for none.")
    return frozenset(words)


def accents_off(text: str) -> str:
    """Letters without their marks, by compatibility decomposition."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def accents_to_ascii(text: str) -> str:
    """Letters without their marks, and without all characters that are not ASCII."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
