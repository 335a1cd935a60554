# SPDX-License-Identifier: BSD-3-Clause
"""Counts of terms in columns that a hash chooses, for documents without end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np

from statfast._core.text.hashes import hash_terms
from statfast._engine import checkpoint
from statfast._estimator import checked_by, count, flag, one_of, param
from statfast.text.counting.analysis import as_analysis
from statfast.text.counting.tables import counted
from statfast.text.counting.text_vectorizer import TextVectorizer, as_documents, as_real_dtype
from statfast.text.counting.tfidf import normalized

TERMS_PER_CALL = 200_000  # terms that one call of the kernel hashes: some milliseconds


class HashingVectorizer(TextVectorizer):
    """Counts of terms in a fixed number of columns, each of which a hash of the term chooses.

    Nothing is learned and no vocabulary is kept: documents may come one batch after another, and
    the same term has the same column always. In return columns have no names, and terms whose
    hashes agree share a column.

    Parameters
    ----------
    n_features : int, default=1048576
        Number of columns, at most 2**31 - 1; by default 2**20. The fewer, the more terms share one.
    binary : bool, default=False
        Say whether a column has a term, not how often; signs are dropped.
    norm : {"l1", "l2"} or None, default="l2"
        Divide each row by the sum of its sizes, or its length; None leaves counts.
    alternate_sign : bool, default=True
        Half of the terms, by their hash, count negatively, so that terms that share a column do
        not add up on average, and inner products of rows keep their mean.
    dtype : type, default=numpy.float64
        Of the values: a type of real numbers.
    input : {"content", "file", "filename"}, default="content"
        What a document is: a string or bytes, an open file, or the name of one.
    encoding : str, default="utf-8"
        What bytes are decoded by.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        What becomes of bytes that do not decode.
    strip_accents : {"ascii", "unicode"} or callable, optional
        Take accents off letters, by compatibility decomposition; "ascii" drops what is left that
        is not ASCII.
    lowercase : bool, default=True
        Count in lower case.
    preprocessor : callable, optional
        A function from a document to the text that is cut into terms, in place of lower case and
        accents.
    tokenizer : callable, optional
        A function from a text to its words, in place of `token_pattern`.
    stop_words : str or list of str, optional
        Words that are not counted, nor part of n-grams: a list, or the name of a language. The list
        of "english" is built in, those of others, such as "italian", come from the package
        stop-words (``pip install "statfast[text]"``).
    stemmer : str or callable, optional
        A function from a word to what it is counted as, asked once for each distinct word; the
        empty string drops the word. The name of a language takes the stemmer that the package
        snowballstemmer has for it (``pip install "statfast[text]"``).
    token_pattern : str, default=r"(?u)\\b\\w\\w+\\b"
        Regular expression of a word: by default two or more letters, digits or underscores.
    ngram_range : (int, int), default=(1, 1)
        Least and greatest n of the n-grams.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        n-grams of words; of characters; of characters within words, which are padded with blanks;
        or a function from a document to its terms.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    See Also
    --------
    CountVectorizer : Learns a vocabulary, and can name its columns.
    TfidfTransformer : Weighs the columns, with ``norm=None`` here.

    Notes
    -----
    scikit-learn's estimator, to the column: the hash is MurmurHash3 of 32 bits of the term's UTF-8
    with seed 0, as a signed number h; the column is abs(h) modulo `n_features`, and a negative h
    counts negatively. A column in which terms cancel is stored as a zero. Empty documents are rows
    of zeros.

    Cost: one read of the text, and one hash of each distinct term of a call. Memory: as
    `CountVectorizer` during a call; nothing stays.

    References
    ----------
    .. [1] Weinberger, K., Dasgupta, A., Langford, J., Smola, A. and Attenberg, J. (2009). Feature
       hashing for large scale multitask learning. ICML, 1113-1120.
       https://doi.org/10.1145/1553374.1553516

    Examples
    --------
    Nothing is fitted, and a later batch has the same columns:

    >>> from statfast.text import HashingVectorizer
    >>> model = HashingVectorizer(n_features=16, norm=None, alternate_sign=False)
    >>> model.transform(["the cat sat", "the cat and the hat"]).sum(axis=1).ravel().tolist()
    [[3.0, 5.0]]
    >>> model.transform(["cat"]).indices  # the column of "cat", today and tomorrow
    array([7], dtype=int32)
    >>> model.transform(["the cat sat"]).indices
    array([ 4,  7, 14], dtype=int32)
    """

    n_features: int = param(count(high=2**31 - 1), default=1_048_576)
    binary: bool = param(flag, default=False)
    norm: Literal["l1", "l2"] | None = param(one_of("l1", "l2", None), default="l2")
    alternate_sign: bool = param(flag, default=True)
    dtype: type = param(checked_by(as_real_dtype, np.float64, np.float32), default=np.float64)

    def fit(self, raw_documents: object = None, y: object = None) -> Self:
        """Check the parameters: nothing is learned.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents, which are not read.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : HashingVectorizer

        Raises
        ------
        ValueError, TypeError
            If a parameter is out of its range, or of the wrong type.
        """
        if isinstance(raw_documents, str | bytes):
            as_documents(raw_documents)
        as_analysis(self._checked())
        return self

    def partial_fit(self, raw_documents: object = None, y: object = None) -> Self:
        """Check the parameters, as `fit` does.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents, which are not read.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : HashingVectorizer
        """
        return self.fit(raw_documents)

    def fit_transform(self, raw_documents: Iterable[Any] | bytes, y: object = None) -> Any:
        """Return the rows of documents, as `transform` does.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        counts : scipy.sparse.csr_matrix of shape (n, n_features)
        """
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[Any] | bytes) -> Any:
        """Return the rows of documents.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.

        Returns
        -------
        counts : scipy.sparse.csr_matrix of shape (n, n_features)

        Raises
        ------
        ValueError
            If raw_documents is one string, or a parameter is out of its range.
        TypeError
            If a document is not a string, or a parameter is of the wrong type.
        """
        from scipy.sparse import csr_matrix

        params = self._checked()
        analysis = as_analysis(params)
        documents = as_documents(raw_documents, least=0)
        if not documents:
            return csr_matrix((0, params.n_features), dtype=params.dtype)
        counts = counted(analysis, documents, self.n_jobs)
        every_term = np.arange(counts.n_terms, dtype=np.int32)
        start, term, frequency = counts.rows(every_term, self.n_jobs)
        hashes = hashes_of(counts, every_term)
        values = frequency.astype(params.dtype)
        if params.alternate_sign:
            values[(hashes < 0)[term]] *= -1.0
        column = np.abs(hashes) % params.n_features
        rows = csr_matrix(
            (values, column.astype(np.int32)[term], start),
            shape=(len(documents), params.n_features),
        )
        rows.sum_duplicates()
        if params.binary:
            rows.data[:] = 1.0
        if params.norm is not None:
            rows.data = normalized(rows.data, rows, params.norm)
        return rows

    def _fit_source(self, parts: Any, X: Any) -> Any:
        return self.fit()

    def __sklearn_is_fitted__(self) -> Any:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def hashes_of(counts: Any, terms: Any) -> Any:
    """The signed hash of each term, as 64-bit numbers, whose absolute values all exist."""
    hashes = np.empty(len(terms), np.int32)
    for first in range(0, len(terms), TERMS_PER_CALL):
        checkpoint()
        called = slice(first, first + TERMS_PER_CALL)
        hash_terms(counts.names(terms[called]), hashes[called])
    return hashes.astype(np.int64)
