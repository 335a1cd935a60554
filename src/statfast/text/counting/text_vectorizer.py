# SPDX-License-Identifier: BSD-3-Clause
"""The base of vectorizers, with the parameters by which documents are cut into terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._estimator import (
    Estimator,
    callable_,
    checked_by,
    flag,
    jobs,
    one_of,
    param,
)
from statfast._typing import Jobs
from statfast._validation import shown, wrong_type
from statfast.text.counting.analysis import (
    WORDS,
    as_analysis,
    as_encoding,
    as_function,
    as_list,
    as_pattern,
    as_range,
    as_stop_words,
)
from statfast.text.counting.stop_words import as_stemmer


class TextVectorizer(Estimator):
    """A transformer of documents, which are cut into terms by its parameters."""

    _takes_documents = True

    input: Literal["content", "file", "filename"] = param(
        one_of("content", "file", "filename"), default="content"
    )
    encoding: str = param(checked_by(as_encoding, "utf-8", "latin-1"), default="utf-8")
    decode_error: Literal["strict", "ignore", "replace"] = param(
        one_of("strict", "ignore", "replace"), default="strict"
    )
    strip_accents: Literal["ascii", "unicode"] | Callable[..., Any] | None = param(
        callable_ | one_of("ascii", "unicode", None), default=None
    )
    lowercase: bool = param(flag, default=True)
    preprocessor: Callable[..., Any] | None = param(checked_by(as_function, None), default=None)
    tokenizer: Callable[..., Any] | None = param(checked_by(as_function, None), default=None)
    stop_words: str | list[str] | None = param(
        checked_by(as_stop_words, None, "english", ["the", "and"]), default=None
    )
    stemmer: str | Callable[..., Any] | None = param(checked_by(as_stemmer, None), default=None)
    token_pattern: str = param(checked_by(as_pattern, *WORDS, r"\S+"), default=r"(?u)\b\w\w+\b")
    ngram_range: tuple[int, int] = param(
        checked_by(as_range, (1, 1), (1, 2), (2, 3)), default=(1, 1)
    )
    analyzer: Literal["word", "char", "char_wb"] | Callable[..., Any] = param(
        callable_ | one_of("word", "char", "char_wb"), default="word"
    )
    n_jobs: Jobs = param(jobs, default=None)

    def build_analyzer(self) -> Callable[..., Any]:
        """Return the function that maps a document to its terms.

        Returns
        -------
        callable
        """
        return as_analysis(self._checked()).terms

    def build_preprocessor(self) -> Callable[[str], str]:
        """Return the function by which texts are prepared before they are cut into terms.

        It puts a text in lower case and strips accents, or is `preprocessor`.

        Returns
        -------
        callable
        """
        return as_analysis(self._checked()).prepared

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """Return the function that cuts a text into words.

        Stop words are among them, and words are not stemmed.

        Returns
        -------
        callable
        """
        return as_analysis(self._checked()).tokens

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the words that are not counted.

        Returns
        -------
        frozenset of str, or None
            None where every word is counted.
        """
        return self._checked().stop_words or None

    def decode(self, doc: Any) -> str:
        """Return a document as a string.

        Parameters
        ----------
        doc : str, bytes, or what `input` says
            Document.

        Returns
        -------
        str

        Raises
        ------
        UnicodeDecodeError
            If bytes are not of `encoding`, and `decode_error` is "strict".
        TypeError
            If it is not a document.
        """
        return as_analysis(self._checked()).text(doc)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def as_documents(raw_documents: Any, least: Any = 1) -> Any:
    """A list of the documents."""
    if isinstance(raw_documents, str | bytes):
        raise ValueError(
            "Iterable over raw text documents expected, string object received: raw_documents is "
            f"{shown(raw_documents)}. Pass a list of documents."
        )
    documents = as_list(raw_documents, "raw_documents", "a list of documents")
    if len(documents) < least:
        raise ValueError("raw_documents must hold at least one document; got none.")
    return documents


def as_dtype(dtype: Any, name: str) -> np.dtype:
    """The type of the numbers that a vectorizer returns."""
    try:
        checked = np.dtype(dtype)
    except TypeError as error:
        raise wrong_type(name, "a type of numbers", dtype) from error
    if checked.kind not in "iuf":
        raise TypeError(f"{name} must be one of numbers; got {shown(dtype)}.")
    return checked


def as_real_dtype(dtype: Any, name: str) -> np.dtype:
    """A type of real numbers, which weights of terms are."""
    checked = as_dtype(dtype, name)
    if checked.kind != "f":
        raise TypeError(f"{name} must be one of real numbers; got {shown(dtype)}. Pass float.")
    return checked
