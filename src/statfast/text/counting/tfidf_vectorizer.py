# SPDX-License-Identifier: BSD-3-Clause
"""From documents to weighted terms at once: counts, then term frequency times idf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import checked_by, fitted, flag, one_of, param
from statfast._typing import Array
from statfast._validation import not_fitted, to_array, to_numbers
from statfast.text.counting.text_vectorizer import as_real_dtype
from statfast.text.counting.tfidf import inverse_document_frequencies, weighted_counts
from statfast.text.counting.vectorizer import CountVectorizer, as_vocabulary
from statfast.text.counting.vocabulary import count_terms, terms_within


class TfidfVectorizer(CountVectorizer):
    """Term frequency times inverse document frequency (tf-idf) of the terms of documents.

    `CountVectorizer` followed by `TfidfTransformer`, as one estimator.

    Parameters
    ----------
    norm : {"l1", "l2"} or None, default="l2"
        Divide each row by the sum of its sizes, or its length; None leaves it.
    use_idf : bool, default=True
        Multiply each column by its `idf_`.
    smooth_idf : bool, default=True
        Count one more document, which has every term, so that no idf is infinite.
    sublinear_tf : bool, default=False
        1 + log(count) in place of the count.
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
        The term frequency is 1 for every term that occurs, however often.
    dtype : type, default=numpy.float64
        Of the weights: a type of real numbers.
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
    idf_ : ndarray of shape (terms,)
        log((n + 1) / (documents with the term + 1)) + 1, without the ones inside if not smooth.
        Only with `use_idf`. Setting it replaces the weights of the terms.

    See Also
    --------
    CountVectorizer : Counts alone.
    TfidfTransformer : Weighs counts, and takes weights of documents.
    HashingVectorizer : Needs no vocabulary.

    Notes
    -----
    scikit-learn's estimator, with its defaults; `CountVectorizer` says which ways of finding terms
    are fast. An empty document, or one without a known term, is a row of zeros.

    Cost: one read of the text. Memory: 16 bytes for each distinct term of each document, and the
    distinct terms.

    References
    ----------
    .. [1] Salton, G. and Buckley, C. (1988). Term-weighting approaches in automatic text retrieval.
       Information Processing and Management 24, 513-523.
       https://doi.org/10.1016/0306-4573(88)90021-0

    Examples
    --------
    "cat" is in one of the two documents, and weighs more than "the", which is in both:

    >>> from statfast.text import TfidfVectorizer
    >>> model = TfidfVectorizer()
    >>> X = model.fit_transform(["the cat sat", "the dog sat"])
    >>> model.get_feature_names_out().tolist()
    ['cat', 'dog', 'sat', 'the']
    >>> X.toarray().round(3)
    array([[0.705, 0.   , 0.502, 0.502],
           [0.   , 0.705, 0.502, 0.502]])
    """

    dtype: type = param(checked_by(as_real_dtype, np.float64, np.float32), default=np.float64)
    norm: Literal["l1", "l2"] | None = param(one_of("l1", "l2", None), default="l2")
    use_idf: bool = param(flag, default=True)
    smooth_idf: bool = param(flag, default=True)
    sublinear_tf: bool = param(flag, default=False)

    idf_: Array = fitted()

    def fit(self, raw_documents: Iterable[Any] | bytes, y: object = None) -> Self:
        """Learn the vocabulary and the inverse document frequencies.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : TfidfVectorizer

        Raises
        ------
        ValueError
            If there are no documents, no terms, or none that `min_df`, `max_df` and `max_features`
            leave, or if a parameter is out of its range.
        TypeError
            If a document is not a string, or a parameter is of the wrong type.
        """
        names, counts, n_having = self._learn(raw_documents)
        self._become(names, **self._frequencies(n_having, counts.shape[0]))
        return self

    def fit_transform(self, raw_documents: Iterable[Any] | bytes, y: object = None) -> Any:
        """Learn the vocabulary and the frequencies, and return the weights of the documents.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        weights : scipy.sparse.csr_matrix of shape (n, terms)

        Raises
        ------
        ValueError, TypeError
            As for `fit`.
        """
        names, counts, n_having = self._learn(raw_documents)
        fitted = self._frequencies(n_having, counts.shape[0])
        weights = weighted_counts(counts, fitted.get("idf_"), self._checked(), counts.dtype)
        self._become(names, **fitted)
        return weights

    def transform(self, raw_documents: Iterable[Any] | bytes) -> Any:
        """Return the weights of documents.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, or what `input` says
            Documents.

        Returns
        -------
        weights : scipy.sparse.csr_matrix of shape (m, terms)

        Raises
        ------
        ValueError, TypeError
            As for `fit`.
        """
        params = self._checked()
        idf = self._fitted_frequencies() if params.use_idf else None
        counts = super().transform(raw_documents)
        return weighted_counts(counts, idf, params, counts.dtype)

    def _fitted_frequencies(self) -> Any:
        if "idf_" not in self.__dict__:
            raise not_fitted(self)
        idf = to_array(self.idf_, "idf_", "a 1d array-like of numbers")
        if idf.shape != (len(self.vocabulary_),):
            raise ValueError(
                f"idf_ must have a weight for each of {len(self.vocabulary_)} terms; got shape "
                f"{idf.shape}."
            )
        return to_numbers(idf, "idf_", (np.float64,))

    def _frequencies(self, n_having: Any, n: int) -> Any:
        """The fitted attribute `idf_` by how many of n documents have each term."""
        if not self._checked_value("use_idf"):
            return {}
        smooth = self._checked_value("smooth_idf")
        return {"idf_": inverse_document_frequencies(n_having, n, smooth)}

    def _fit_source(self, parts: Any, X: Any) -> Self:
        """Vocabulary and frequencies of documents in parts, in one round."""
        params = self._checked()
        terms = count_terms(self, parts)
        if self.vocabulary is None:
            names, n_having = terms_within(terms, params)
        else:
            names = as_vocabulary(self.vocabulary)
            n_having = np.array([terms.counts.get(name, (0, 0))[0] for name in names])
        self._become(names, **self._frequencies(n_having, terms.documents))
        return self
