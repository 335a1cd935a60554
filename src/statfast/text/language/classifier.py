# SPDX-License-Identifier: BSD-3-Clause
"""Classification of documents by the language model under which they are most probable."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    checked_by,
    count,
    fitted,
    one_of,
    param,
    real,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Texts, Weights
from statfast._validation import not_fitted
from statfast.text.counting.analysis import as_function
from statfast.text.language.model import NGramLanguageModel
from statfast.text.language.parameters import METHODS, as_repeats, numbered


class LanguageModelClassifier(Classifier, Estimator):
    """Text classifier: a language model for each class, and Bayes' rule.

    Parameters
    ----------
    order : int, default=2
        Longest n-grams. 1 is multinomial naive Bayes, with the lengths of the documents.
    smoothing : str, default="modified_kneser_ney"
        "mle" (relative frequencies), "additive", "witten_bell", "jelinek_mercer", "absolute",
        "kneser_ney", "modified_kneser_ney", "good_turing" (Katz) or "stupid_backoff". Those that
        can give probability 0 leave a document that no class can have with the class probabilities.
    alpha : float, default=1.0
        What "additive" adds.
    priors : {"laplace"}, optional
        None takes the shares of the classes in the training documents, "laplace" those of one more
        document of each class.
    tokenizer : callable, default=None
        A function from a text to its words. None splits strings at blanks, and takes lists of
        strings as words.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    class_prior_ : ndarray of shape (K,)
        Class probabilities.
    models_ : list of NGramLanguageModel
        The model of each class. All have the vocabulary of all training documents.

    See Also
    --------
    statfast.MultinomialNB : Counts of words, whatever their order.

    Notes
    -----
    Words that no training document has are ``<unk>`` in all classes. **Ties** between classes go to
    the lowest label.

    Cost: that of K models.

    References
    ----------
    .. [1] Peng, F., Schuurmans, D. and Wang, S. (2004). Augmenting naive Bayes classifiers with
       statistical language models. Information Retrieval 7, 317-345.
       https://doi.org/10.1023/B:INRT.0000011209.19643.e2

    Examples
    --------
    >>> from statfast.text import LanguageModelClassifier
    >>> documents = ["win a prize", "win now", "see you now", "call me"]
    >>> model = LanguageModelClassifier(smoothing="witten_bell")
    >>> model = model.fit(documents, ["spam", "spam", "ham", "ham"])
    >>> model.predict(["win a call"]).tolist()
    ['spam']
    """

    _plain: Any = fitted()

    order: int = param(count(high=32), default=2, kw_only=False)
    smoothing: str = param(one_of(*METHODS), default="modified_kneser_ney", kw_only=False)
    alpha: float = param(real(0, open_low=True), default=1.0)
    priors: Literal["laplace"] | None = param(one_of(None, "laplace"), default=None)
    tokenizer: Callable[..., Any] | None = param(checked_by(as_function, None), default=None)

    classes_: Array = fitted()
    class_prior_: Array = fitted()
    models_: list[NGramLanguageModel] = fitted()

    def fit(self, raw_documents: Texts, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a language model to each class.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.
        y : array-like of shape (n,)
            A label for each document.
        sample_weight : array-like of shape (n,), optional
            How often each document counts: whole numbers, as if it were repeated. A class all of
            whose weights are 0 is left out.

        Returns
        -------
        self : LanguageModelClassifier

        Raises
        ------
        ValueError
            If y is not one label for each document, a weight is negative or no whole number, or a
            parameter is out of its range.
        TypeError
            If a document is neither a string nor a list of strings.
        """
        self._checked()
        plain = NGramLanguageModel(
            self.order, self.smoothing, alpha=self.alpha, tokenizer=self.tokenizer
        )
        texts = plain._texts(raw_documents)
        classes, codes, _ = weighted_labels(y, len(texts), sample_weight)
        times = as_repeats(sample_weight, len(texts))
        words: dict = {}
        numbered(texts if times is None else list(compress(texts, times)), words)
        class_weights, models = np.bincount(codes, times, len(classes)).astype(np.float64), []
        for k in range(len(classes)):
            model = NGramLanguageModel(
                self.order, self.smoothing, alpha=self.alpha, vocabulary=list(words) or ["<unk>"]
            )
            members = codes == k
            member_repeats = None if times is None else times[members]
            models.append(model.fit(list(compress(texts, members)), None, member_repeats))
        prior = (
            (class_weights + 1.0) / (class_weights.sum() + len(class_weights))
            if self.priors
            else class_weights / class_weights.sum()
        )
        return self._become(  # type: ignore[misc]
            {"classes_": classes, "class_prior_": prior, "models_": models, "_plain": plain}
        )

    _become = NGramLanguageModel._become

    def predict_joint_log_proba(self, raw_documents: Texts) -> Array:
        """Return the joint log probability of each class and document.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.

        Returns
        -------
        joint : ndarray of shape (m, K)
            -inf for classes in which a document is impossible; where it is so in all of them, the
            logarithms of the class probabilities alone.
        """
        if "models_" not in self.__dict__:
            raise not_fitted(self)
        texts = self._plain._texts(raw_documents)
        joint = np.stack([model.log_prob(texts) for model in self.models_], axis=1)
        joint = joint + np.log(self.class_prior_)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = np.log(self.class_prior_)
        return joint

    def predict_log_proba(self, raw_documents: Texts) -> Array:
        """Return the logarithm of the posteriors.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.

        Returns
        -------
        log_posteriors : ndarray of shape (m, K)
            -inf for classes in which a document is impossible, except for one that is so in all.
        """
        joint = self.predict_joint_log_proba(raw_documents)
        joint -= joint.max(axis=1, keepdims=True)
        return joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))

    def predict_proba(self, raw_documents: Texts) -> Array:
        """Return the posterior probability of each class for each document.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.

        Returns
        -------
        posteriors : ndarray of shape (m, K)
        """
        return np.exp(self.predict_log_proba(raw_documents))

    def predict(self, raw_documents: Texts) -> Array:
        """Return the most probable class of each document.

        Parameters
        ----------
        raw_documents : iterable of str, or of lists of str
            Documents.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
        """
        winners = self.predict_joint_log_proba(raw_documents).argmax(axis=1)
        return self.classes_.take(winners)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
