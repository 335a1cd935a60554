# SPDX-License-Identifier: BSD-3-Clause
"""n-gram language models: the probability of a word after the words before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from math import log
from typing import Any, Literal, Self

import numpy as np

from statfast._core.text.ngrams import BackOff
from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    array,
    checked_by,
    count,
    fitted,
    flag,
    nothing,
    one_of,
    param,
    real,
)
from statfast._typing import Array, Seed, Texts, Weights
from statfast._validation import as_count, as_generator, not_fitted, refuse_large, wrong_type
from statfast.text.counting.analysis import as_function, as_list
from statfast.text.language.back_off_tables import n_symbols, padded, tables
from statfast.text.language.ngram_counts import NGramCounts, distinct, levels, rows_of
from statfast.text.language.parameters import (
    METHODS,
    as_repeats,
    as_shares,
    as_texts,
    as_words,
    looked_up,
    numbered,
)
from statfast.text.language.smoothing import Smoothing, smoothed

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
WORDS_PER_CALL = 200_000  # words that a kernel call scores: some ten milliseconds


class NGramLanguageModel(Estimator):
    """n-gram language model: the probability of a word given the order - 1 words before it.

    Parameters
    ----------
    order : int, default=3
        Longest n-grams: 1 for words alone, 2 for pairs, at most 32.
    smoothing : str, default="modified_kneser_ney"
        "mle" (relative frequencies), "additive" (`alpha` more of each), "witten_bell",
        "jelinek_mercer", "absolute", "kneser_ney", "modified_kneser_ney", "good_turing" (Katz'
        back-off with simple Good-Turing) or "stupid_backoff".
    alpha : float, default=1.0
        What "additive" adds: 1 is Laplace's rule.
    discount : float, optional
        Of "absolute" and "kneser_ney", between 0 and 1. None estimates it for each order:
        n1 / (n1 + 2 n2), with n1 n-grams seen once and n2 seen twice, 0.75 where there are none.
    weights : sequence of float of length order, optional
        Of "jelinek_mercer": the weight of each order, from 1, against all shorter ones. None
        chooses them by deleted interpolation.
    uniform : bool, default=True
        Interpolate single words with the uniform distribution, so that no word of the vocabulary,
        nor ``<unk>``, is impossible. Of no effect on "mle", "additive" and "stupid_backoff".
    vocabulary : iterable of str, optional
        The known words. None learns them.
    min_count : int, default=1
        Words seen less often than this are unknown; not with `vocabulary`.
    padding : {"single", "full", "none"}, default="single"
        "single" puts one start symbol before each text, which is never predicted, and one end
        symbol after it, as SRILM and KenLM do. "full" puts order - 1 of both, and counts start
        symbols as words, as nltk does. "none" puts neither: single words have their share of the
        words of the texts, m / N, or (m + alpha) / (N + alpha n) by "additive" smoothing with a
        `vocabulary` of n words. A `vocabulary` is then closed: other words are impossible, and
        end a text where they are fitted. Without one there is ``<unk>``, as ever.
    tokenizer : callable, default=None
        A function from a text to its words. None splits strings at blanks, and takes lists of
        strings as words.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Numbers of the words: ``<unk>``, ``<s>``, ``</s>``, then the others in order.
    n_grams_ : list of int
        How many n-grams of each order there are.
    estimates_ : dict
        What smoothing has estimated: discounts, weights or ratios of each order.

    See Also
    --------
    LanguageModelClassifier : One model for each class of documents.

    Notes
    -----
    "modified_kneser_ney" is that of Chen and Goodman, interpolated, with three discounts an order
    from n1 to n4, and counts of shorter n-grams that begin a text as they were seen, as KenLM has
    it; where the discounts are not defined (few data) they are 0.5, 1 and 1.5. "stupid_backoff"
    gives scores that do not sum to 1. A context that was never seen is as the shorter one; for
    "additive" all words are then equally likely.

    A word that is not in the vocabulary is ``<unk>``, which has a probability of its own: that of
    the words below `min_count`, and its share of the uniform distribution. "mle" gives it 0.

    An empty text is the end symbol alone, and has probability 1 without padding. `partial_fit` adds
    texts, with the result of one fit.

    Cost: fit sorts the n-grams of each order; a word is scored by order^2 bisections, and drawn by
    as many. Memory: some 60 bytes for each distinct n-gram.

    References
    ----------
    .. [1] Chen, S. F. and Goodman, J. (1999). An empirical study of smoothing techniques for
       language modeling. Computer Speech and Language 13, 359-394.
       https://doi.org/10.1006/csla.1999.0128
    .. [2] Katz, S. M. (1987). Estimation of probabilities from sparse data for the language model
       component of a speech recognizer. IEEE Transactions on Acoustics, Speech, and Signal
       Processing 35, 400-401. https://doi.org/10.1109/TASSP.1987.1165125
    .. [3] Brants, T., Popat, A. C., Xu, P., Och, F. J. and Dean, J. (2007). Large language models
       in machine translation. EMNLP-CoNLL, 858-867. https://aclanthology.org/D07-1090

    Examples
    --------
    >>> from statfast.text import NGramLanguageModel
    >>> model = NGramLanguageModel(order=2, smoothing="kneser_ney", discount=0.5)
    >>> model = model.fit(["the cat sat", "the dog sat", "a cat ran"])
    >>> round(model.score("cat", ["the"]), 4)
    0.3469
    >>> round(model.perplexity(["the cat ran"]), 3)
    2.352
    """

    # What subclasses declare, or a fit sets.
    _raw: Any = fitted()

    _fitted_order: Any = fitted()
    _padding: str = fitted()
    _words: Any = fitted()
    _tables: Any = fitted()
    _direct: bool = fitted()

    order: int = param(count(high=32), default=3, kw_only=False)
    smoothing: str = param(one_of(*METHODS), default="modified_kneser_ney", kw_only=False)
    alpha: float = param(real(0, open_low=True), default=1.0)
    discount: float | None = param(nothing | real(0, 1), default=None)
    weights: Sequence[Any] | None = param(nothing | checked_by(as_shares), default=None)
    uniform: bool = param(flag, default=True)
    vocabulary: Iterable[Any] | None = param(nothing | array, default=None)
    min_count: int = param(count(), default=1)
    padding: Literal["single", "full", "none"] = param(
        one_of("single", "full", "none"), default="single"
    )
    tokenizer: Callable[..., Any] | None = param(checked_by(as_function, None), default=None)

    _made_when_needed = ("_kernel",)

    vocabulary_: dict[str, int] = fitted()
    n_grams_: list[int] = fitted()
    estimates_: dict[str, Any] = fitted()

    # ------------------------------------------------------------ fit

    def fit(self, raw_documents: Texts, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the model to texts.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (texts,), optional
            How often each text counts: whole numbers, as if it were repeated.

        Returns
        -------
        self : NGramLanguageModel

        Raises
        ------
        ValueError
            If there are no texts, a weight is negative or no whole number, or a parameter is out of
            its range.
        TypeError
            If a text is neither a string nor a list of strings, or a parameter of the wrong type.
        """
        return self._learn(raw_documents, sample_weight, None)

    def partial_fit(
        self, raw_documents: Texts, y: object = None, sample_weight: Weights = None
    ) -> Self:
        """Update the model with more texts.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (texts,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : NGramLanguageModel

        Raises
        ------
        ValueError, TypeError
            As for `fit`; also if `order` or `padding` have changed.
        """
        return self._learn(raw_documents, sample_weight, self.__dict__.get("_counts"))

    def _learn(self, raw_documents: Any, sample_weight: Any, before: Any) -> Self:
        params = self._checked()
        order, weights, padding = params.order, params.weights, params.padding
        if weights is not None and len(weights) != order:
            raise ValueError(f"weights must have one for each of {order} orders; got {weights}.")
        method = Smoothing(params.smoothing, params.alpha, params.discount, weights, params.uniform)
        number = {UNKNOWN: 0, START: 1, END: 2} if before is None else dict(self._raw)
        texts = self._texts(raw_documents)
        if not texts:
            raise ValueError("raw_documents must hold at least one text; got none.")
        times = as_repeats(sample_weight, len(texts))
        if times is not None:
            texts, times = list(compress(texts, times)), times[times > 0]
        words, begin = padded(*numbered(texts, number), n_symbols(padding, order))
        times = None if times is None else np.repeat(times, np.diff(begin))
        counts = distinct(rows_of(words, begin, order), times)
        if before is not None:
            if before.rows.shape[1] != order or self._padding != padding:
                raise ValueError("order and padding must be those of the first fit.")
            counts = before + counts
        return self._solve(counts, number, order, method, padding)

    def _solve(
        self, counts: NGramCounts, raw: dict[str, int], order: int, method: Smoothing, padding: bool
    ) -> Self:
        """Fit the model to counts, and set all fitted attributes at once."""
        names, new_numbers = self._vocabulary_of(counts, raw)
        size = len(names)
        table = np.concatenate([new_numbers, [-1]]).astype(np.int32)  # -1 stays
        mapped = counts if (new_numbers == np.arange(len(new_numbers))).all() else distinct(
            table[counts.rows], counts.counts
        )  # fmt: skip
        may_follow = np.ones(size, dtype=bool)
        may_follow[1] = padding == "full"
        if padding == "none":
            may_follow[:3] = self.vocabulary is None, False, False
            mapped = mapped.cut_at_others(may_follow)
            if not len(mapped.counts):
                raise ValueError(
                    "raw_documents have no word of the vocabulary. Pass texts that have, or "
                    "padding='single', which counts the ends of texts."
                )
        orders = levels(mapped, order, size, 1)
        probability, backoff = smoothed(method, orders, may_follow)
        fitted = {
            "vocabulary_": names,
            "n_grams_": [int(may_follow.sum()), *(len(level.keys) for level in orders[1:])],
            "estimates_": method.estimates,
            "_words": list(names),
            "_tables": tables(orders, probability, backoff),
            "_direct": method.name == "additive",
            "_counts": counts,
            "_raw": raw,
            "_padding": padding,
            "_fitted_order": order,
        }
        return self._become(fitted)

    def _become(self, fitted: dict[str, Any]) -> Self:
        kept = {k: v for k, v in self.__dict__.items() if k not in self.__dict__.get("_fitted", ())}
        for name in self._made_when_needed:
            kept.pop(name, None)
        self.__dict__ = {**kept, **fitted, "_fitted": tuple(fitted)}
        return self

    def _vocabulary_of(
        self, counts: NGramCounts, raw: dict[str, int]
    ) -> tuple[dict[str, int], Array]:
        """The vocabulary, and the number in it of each word of the texts."""
        special = [UNKNOWN, START, END]
        if self.vocabulary is not None:
            words = as_words(self.vocabulary)
        else:
            least = self._checked_value("min_count")
            frequencies = np.bincount(counts.rows[:, -1], counts.counts, len(raw))
            words = [word for word, k in raw.items() if frequencies[k] >= least]
        ordered = sorted(dict.fromkeys(words))
        names = [*special, *(word for word in ordered if word not in special)]
        number = {word: k for k, word in enumerate(names)}
        return number, np.array([number.get(word, 0) for word in raw], np.int64)

    def _texts(self, raw_documents: Any) -> list[Any]:
        return as_texts(raw_documents, self.tokenizer)

    # ------------------------------------------------------------ probabilities

    def score(self, word: str, context: str | Sequence[str] = ()) -> float:
        """Return the probability of a word given others.

        Parameters
        ----------
        word : str
            The word.
        context : str or sequence of str, default=()
            The words before it, of which the last order - 1 count.

        Returns
        -------
        float
        """
        return float(np.exp(self.log_score(word, context)))

    def log_score(self, word: str, context: str | Sequence[str] = ()) -> float:
        """Return the log probability of a word given others.

        Parameters
        ----------
        word : str
            The word.
        context : str or sequence of str, default=()
            The words before it, of which the last order - 1 count.

        Returns
        -------
        float
            -inf where it is impossible.
        """
        kernel = self._model()
        context = self._words_of_context(context, "context")
        words = np.array([self._number(w) for w in [*context, word]], np.int32)
        out = np.empty(len(words))
        kernel.score(words, np.array([0, len(words)]), len(words) - 1, out)
        return float(out[-1])

    def log_prob(self, raw_documents: Texts) -> Array:
        """Return the log probability of each text, its end included.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.

        Returns
        -------
        ndarray of shape (texts,)
            -inf for a text with an impossible word.
        """
        scores, _, begin, _ = self._scored(raw_documents)
        total = np.zeros(len(begin) - 1)
        has_words = np.diff(begin) > 0  # All have, where symbols were added.
        if has_words.any():
            with np.errstate(invalid="ignore"):
                total[has_words] = np.add.reduceat(scores, begin[:-1][has_words])
        return total

    def perplexity(
        self, raw_documents: Texts, *, include_end: bool = True, include_unknown: bool = True
    ) -> float:
        """Return the perplexity: exp of minus the mean log probability of the words.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.
        include_end : bool, default=True
            Count the end symbol of each text as a word, as SRILM's ``ppl`` and KenLM do; False is
            SRILM's ``ppl1``, except for the end symbol's own probability, which is left out too.
        include_unknown : bool, default=True
            Count words that are not in the vocabulary; False leaves them out.

        Returns
        -------
        float
            Infinite where a word is impossible.

        Raises
        ------
        ValueError
            If nothing is left to be counted.
        """
        scores, words, begin, n_starts = self._scored(raw_documents)
        counted = np.ones(len(words), dtype=bool)
        for k in range(n_starts):
            counted[begin[:-1] + k] = False
        if not include_end:
            counted &= words != 2
        if not include_unknown:
            counted &= words != 0
        if not counted.any():
            raise ValueError("raw_documents have no words to be counted.")
        return float(np.exp(-scores[counted].mean()))

    def oov_rate(self, raw_documents: Texts) -> float:
        """Return the proportion of out-of-vocabulary words.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.

        Returns
        -------
        float
        """
        self._model()
        words, _ = looked_up(self._texts(raw_documents), self.vocabulary_)
        return float(np.mean(words == 0)) if len(words) else 0.0

    def _scored(self, raw_documents: Any) -> tuple[Array, Array, Array, int]:
        """Log probabilities of all words of padded texts, their numbers, and where texts begin."""
        kernel = self._model()
        texts = self._texts(raw_documents)
        words, begin = looked_up(texts, self.vocabulary_)
        n_starts = n_symbols(self._padding, self._fitted_order)
        words, begin = padded(words, begin, n_starts)
        out = np.empty(len(words))
        step = np.flatnonzero(np.diff(begin // WORDS_PER_CALL)) + 1
        cuts = np.unique(np.concatenate([[0], step, [len(begin) - 1]]))
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            checkpoint()
            part = slice(begin[a], begin[b])
            kernel.score(words[part], begin[a : b + 1] - begin[a], n_starts, out[part])
        return out, words, begin, n_starts

    def sample(
        self, n_samples: int = 1, *, max_length: int = 1000, prompt: str | Sequence[str] = (),
        random_state: Seed = None,
    ) -> list[list[str]]:  # fmt: skip
        """Draw texts.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        max_length : int, default=1000
            Most words of a text, the prompt included.
        prompt : str or sequence of str, default=()
            What each text begins with.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        list of list of str
            Their words, without symbols.
        """
        kernel = self._model()
        n = as_count(n_samples, "n_samples")
        most = as_count(max_length, "max_length")
        refuse_large(64 * n, f"A list of n_samples={n} texts", "Draw fewer at a time.")
        refuse_large(4 * most, f"A text of max_length={most} words", "Lower it.")
        seeds = as_generator(random_state).integers(0, 2**63, size=n)
        pad = n_symbols(self._padding, self._fitted_order)
        head = [1] * pad + [self._number(word) for word in self._words_of_context(prompt, "prompt")]
        words = np.empty(pad + max(most, len(head) - pad), np.int32)
        texts = []
        for seed in seeds.tolist():
            checkpoint()
            words[: len(head)] = head
            stop = kernel.draw(words, len(head), 2, seed)
            texts.append([self._words[k] for k in words[pad:stop].tolist() if k not in (1, 2)])
        return texts

    def _words_of_context(self, context: Any, name: str) -> list[Array | float]:
        """The words of a context, a string or a list."""
        if isinstance(context, str):
            return self._texts([context])[0]
        return as_list(context, name, "a list of words")

    def _number(self, word: Any) -> int:
        if not isinstance(word, str):
            raise wrong_type("word", "a string", word)
        return self.vocabulary_.get(word, 0)

    def _model(self) -> Any:
        if "_tables" not in self.__dict__:
            raise not_fitted(self)
        kernel = self.__dict__.get("_kernel")
        if kernel is None:
            floor = -log(max(1, self.n_grams_[0]))
            kernel = self.__dict__["_kernel"] = BackOff(*self._tables, self._direct, floor)
        return kernel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags
