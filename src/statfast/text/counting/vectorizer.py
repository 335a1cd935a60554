# SPDX-License-Identifier: BSD-3-Clause
"""Counts of words and n-grams: documents as sparse rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np

from statfast._estimator import array, checked_by, count, fitted, flag, nothing, param, real
from statfast._typing import Array, Matrix, Rows
from statfast._validation import (
    as_csr,
    as_rows,
    compress_rows,
    is_sparse,
    not_fitted,
    shown,
    wrong_type,
)
from statfast.text.counting.analysis import as_analysis, as_list, warn_unreachable
from statfast.text.counting.tables import TermCounts, counted
from statfast.text.counting.text_vectorizer import TextVectorizer, as_documents, as_dtype
from statfast.text.counting.vocabulary import NO_TERMS, count_terms, terms_within, within


class CountVectorizer(TextVectorizer):
    """Bag of words: counts of words, or of n-grams of words or characters, as a sparse matrix.

    Parameters
    ----------
    max_df : float or int, default=1.0
        Terms in more documents than this are left out: a share of the documents if a float, else
        their number. Not used with `vocabulary`.
    min_df : float or int, default=1
        The same of terms in fewer documents.
    max_features : int, optional
        Only so many terms, those that occur most often over all documents; of equals the first.
    vocabulary : mapping or iterable of str, optional
        The terms, in the order of their columns, or with their columns.
    binary : bool, default=False
        Say whether a term occurs, not how often.
    dtype : type, default=numpy.int64
        Of the counts.
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

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each term. Columns are in the order of the terms.
    fixed_vocabulary_ : bool
        Whether it was given.

    See Also
    --------
    TfidfTransformer : Weighs terms by how few documents have them.
    statfast.MultinomialNB : Classifies the rows.

    Notes
    -----
    scikit-learn's estimator, to the token, with its defaults. Words by the default pattern, and by
    ``(?u)\\b\\w+\\b``, and n-grams of characters are found by a kernel that reads UTF-8 and looks
    letters up in a table of all code points, blocks of documents side by side. Another pattern,
    a `tokenizer` or an `analyzer` that is a function take a loop in Python, which is slower by a
    factor of ten or more.

    Documents have no weights here: a row of counts is the same whatever it weighs. What is made of
    the rows takes `sample_weight`: `TfidfTransformer`, and the classifiers.

    An empty document is a row of zeros. Documents that have no term at all are refused by `fit`.

    Cost: one read of the text. Memory: 16 bytes for each distinct term of each document, and the
    distinct terms.

    References
    ----------
    .. [1] Manning, C. D., Raghavan, P. and Schütze, H. (2008). Introduction to Information
       Retrieval, chapters 2 and 6. https://doi.org/10.1017/CBO9780511809071

    Examples
    --------
    >>> from statfast.text import CountVectorizer
    >>> model = CountVectorizer()
    >>> X = model.fit_transform(["the cat sat", "the cat and the hat"])
    >>> model.get_feature_names_out().tolist()
    ['and', 'cat', 'hat', 'sat', 'the']
    >>> X.toarray()
    array([[0, 1, 0, 1, 1],
           [1, 1, 1, 0, 2]])
    """

    # What subclasses declare, or a fit sets.
    _names: Any = fitted()

    max_df: float = param(count(0) | real(0, 1), default=1.0)
    min_df: float = param(count(0) | real(0, 1), default=1)
    max_features: int | None = param(nothing | count(), default=None)
    vocabulary: Mapping[Any, Any] | Iterable[Any] | None = param(nothing | array, default=None)
    binary: bool = param(flag, default=False)
    dtype: type = param(checked_by(as_dtype, np.int64, np.float32), default=np.int64)
    fixed_vocabulary_: bool = fitted()

    def fit(self, raw_documents: Iterable[Any] | bytes, y: object = None) -> Self:
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : CountVectorizer

        Raises
        ------
        ValueError
            If there are no documents, no terms, or none that `min_df`, `max_df` and `max_features`
            leave, or if a parameter is out of its range.
        TypeError
            If a document is not a string, or a parameter is of the wrong type.
        """
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Any] | bytes, y: object = None) -> Any:
        """Learn the vocabulary, and return the document-term matrix.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        counts : scipy.sparse.csr_matrix of shape (n, terms)

        Raises
        ------
        ValueError, TypeError
            As for `fit`.
        """
        names, counts, _ = self._learn(raw_documents)
        self._become(names)
        return counts

    def _learn(self, raw_documents: Any) -> Any:
        """Terms in the order of their columns, counts, and the number of documents with each
        term."""
        params = self._checked()
        analysis = as_analysis(params)
        documents = as_documents(raw_documents)
        if self.vocabulary is not None:
            names = as_vocabulary(self.vocabulary)
            warn_unreachable(analysis, names, "vocabulary")
            column = {name: k for k, name in enumerate(names)}
            counts = self._rows(counted(analysis, documents, self.n_jobs), column, params)
            return names, counts, np.bincount(counts.indices, minlength=len(names))
        counts = counted(analysis, documents, self.n_jobs)
        n_having = counts.totals(True)
        terms = np.flatnonzero(n_having)
        if not len(terms):
            raise ValueError(NO_TERMS)
        terms = self._within(counts, n_having, terms, params, len(documents))
        terms = counts.order(terms)
        rank = np.full(counts.n_terms, -1, np.int32)
        rank[terms] = np.arange(len(terms), dtype=np.int32)
        rows = as_matrix(counts.rows(rank, self.n_jobs), len(terms), params)
        return counts.names(terms), rows, n_having[terms]

    def _within(self, counts: TermCounts, seen: Array, terms: Array, params: Any, n: int) -> Array:
        """Terms that neither too few nor too many documents have, and the most frequent of them."""
        kept = terms[within(seen[terms], params.min_df, params.max_df, n)]
        limit = params.max_features
        if limit is not None and len(kept) > limit:
            often, ordered = counts.totals(params.binary), counts.order(kept)
            kept = ordered[np.argsort(-often[ordered], kind="stable")[:limit]]
        return kept

    def _fit_source(self, parts: Any, X: Any) -> Self:
        """Learn the vocabulary of documents in parts."""
        params = self._checked()
        if self.vocabulary is None:
            names = terms_within(count_terms(self, parts), params)[0]
        else:
            names = as_vocabulary(self.vocabulary)
            warn_unreachable(as_analysis(params), names, "vocabulary")
        self._become(names)
        return self

    def transform(self, raw_documents: Iterable[Any] | bytes) -> Any:
        """Return the document-term matrix for the fitted vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.

        Returns
        -------
        counts : scipy.sparse.csr_matrix of shape (m, terms)

        Raises
        ------
        ValueError, TypeError
            As for `fit`.
        """
        params = self._checked()
        analysis = as_analysis(params)
        documents = as_documents(raw_documents, least=0)
        column = self.vocabulary_
        if "_names" not in self.__dict__:  # not fitted, which is possible with a vocabulary
            warn_unreachable(analysis, column, "vocabulary")
        if not documents:
            nothing = np.zeros(0, np.int32)
            return as_matrix((np.zeros(1, np.int64), nothing, nothing), len(column), params)
        return self._rows(counted(analysis, documents, self.n_jobs), column, params)

    def _rows(self, counts: TermCounts, column: dict[str, int], params: Any) -> Matrix:
        """Counts of the terms that have a column."""
        terms = np.flatnonzero(counts.totals(True)).astype(np.int32)
        rank = np.full(counts.n_terms, -1, np.int32)
        rank[terms] = [column.get(name, -1) for name in counts.names(terms)]
        return as_matrix(counts.rows(rank, self.n_jobs), len(column), params)

    def inverse_transform(self, X: Rows) -> Any:
        """Return the terms of each document, in the order of their features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, terms)
            Counts.

        Returns
        -------
        list of m ndarray of str

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, or has another number of columns than there are terms.
        """
        names = np.array(self._terms(), dtype=object)
        rows = as_csr(X, n_min=0) if is_sparse(X) else compress_rows(as_rows(X, n_min=0))
        if rows.shape[1] != len(names):
            raise ValueError(
                f"X must have {len(names)} columns, one for each term; got {rows.shape[1]}."
            )
        return [
            names[rows.indices[a:b]] for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
        ]

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Return the terms, in the order of their features.

        Parameters
        ----------
        input_features : ignored
            Not used; present for the interface.

        Returns
        -------
        ndarray of str
        """
        return np.array(self._terms(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Feature index of each term."""
        names = self._terms()
        if "_names" not in self.__dict__:
            return {name: k for k, name in enumerate(names)}
        column = self.__dict__.get("_columns")
        if column is None:
            column = self.__dict__["_columns"] = {name: k for k, name in enumerate(names)}
        return column

    def _terms(self) -> list[str]:
        if "_names" in self.__dict__:
            return self._names
        if self.vocabulary is None:
            raise not_fitted(self)
        return as_vocabulary(self.vocabulary)

    def _become(self, names: list[str], **fitted: Any) -> None:
        """Set all fitted attributes at once."""
        kept = {k: v for k, v in self.__dict__.items() if k not in self.__dict__.get("_fitted", ())}
        fixed = self.vocabulary is not None
        fitted |= {"_names": names, "_columns": None, "fixed_vocabulary_": fixed}
        self.__dict__ = {**kept, **fitted, "_fitted": tuple(fitted)}


# ------------------------------------------------------------------ arguments and results


def as_vocabulary(vocabulary: Any) -> Any:
    """The terms in the order of their columns."""
    names = as_list(vocabulary, "vocabulary", "a mapping or a list of terms")
    for name in names:
        if not isinstance(name, str):
            raise wrong_type("vocabulary", "a mapping or a list of terms", name)
    if isinstance(vocabulary, Mapping):
        numbers = list(vocabulary.values())
        columns = sorted(k for k in numbers if isinstance(k, Integral) and not isinstance(k, bool))
        if columns != list(range(len(numbers))):
            raise ValueError(
                "vocabulary must give each term a column of its own, from 0 without gaps; got "
                f"{shown(numbers)}."
            )
        names.sort(key=vocabulary.__getitem__)
    elif isinstance(vocabulary, set | frozenset):
        names.sort()
    elif len(set(names)) < len(names):
        repeated = next(name for k, name in enumerate(names) if name in names[:k])
        raise ValueError(f"vocabulary must have each term once; got {shown(repeated)} twice.")
    if not names:
        raise ValueError("vocabulary must hold a term; got an empty vocabulary.")
    return names


def as_matrix(parts: tuple[Array, Array, Array], n_columns: int, params: Any) -> Matrix:
    """Counts as scipy's sparse rows."""
    from scipy.sparse import csr_matrix

    start, column, count = parts
    kind = params.dtype
    value = np.ones(len(count), kind) if params.binary else count.astype(kind, copy=False)
    short = np.int32 if len(column) < 2**31 else np.int64
    out = csr_matrix(
        (value, column.astype(short, copy=False), start.astype(short)),
        shape=(len(start) - 1, n_columns),
    )
    out.has_canonical_format = True
    return out
