# SPDX-License-Identifier: BSD-3-Clause
"""Which words speak for which of two classes: the weights of a document classifier."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import new_axes
from statfast._typing import Axes
from statfast._validation import as_count, shown, unusable_model
from statfast.plot.regions import COLORS


@dataclass
class WordWeightsDisplay:
    """Display of word weights, made by `word_weights`.

    Attributes
    ----------
    words : ndarray of shape (m,)
        The words drawn, from that which says most for `against` to that which says most for `of`.
    weights : ndarray of shape (m,)
        What each occurrence of them adds to the log odds, or to the decision value.
    of, against : label
        The two classes.
    adds_to : str, default="log odds"
        What the weights add to.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure drawn on.
    """

    words: NDArray[Any]
    weights: NDArray[np.float64]
    of: Any
    against: Any
    adds_to: str = "log odds"
    ax_: Any = None
    figure_: Any = None

    def plot(self, ax: Axes | None = None, **style: Any) -> Self:
        """Draw the weights as bars.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Passed to ``ax.barh``.

        Returns
        -------
        self : WordWeightsDisplay
        """
        self.ax_ = new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        color = [COLORS[0] if weight > 0.0 else COLORS[1] for weight in self.weights]
        place = np.arange(len(self.words))
        self.ax_.barh(place, self.weights, **{"color": color, **style})
        self.ax_.axvline(0.0, color="0.3", linewidth=0.8)
        self.ax_.set_yticks(place, [str(word) for word in self.words])
        self.ax_.set_xlabel(f"{self.adds_to} of {self.of} against {self.against}, by occurrence")
        return self


def word_weights(
    model: Any,
    names: Any = None,
    *,
    of: Any = None,
    against: Any = None,
    n_words: int = 10,
    ax: Axes | None = None,
    **style: Any,
) -> "WordWeightsDisplay":
    """Draw the words with the largest weights for one class and for another.

    Parameters
    ----------
    model : classifier
        Fitted: `MultinomialNB`, `ComplementNB` or `BernoulliNB`; or a linear one with ``coef_`` of
        the classes, such as `LogisticRegression` or `LinearSVC`.
    names : sequence of str of length d, or CountVectorizer, optional
        What the columns are called, or the fitted vectorizer that made them. None takes the names
        that the model was fitted with.
    of, against : label, optional
        Two classes. None takes the last and the first.
    n_words : int, default=10
        Words of each class.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Passed to ``ax.barh``.

    Returns
    -------
    WordWeightsDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the model is not fitted, or has no such class, or names are not one for each column.
    TypeError
        If the model has no weights of columns for its classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import MultinomialNB
    >>> from statfast.plot import word_weights
    >>> model = MultinomialNB().fit([[3, 0, 1], [0, 2, 1]], ["ham", "spam"])
    >>> shown = word_weights(model, ["hello", "prize", "you"], n_words=1, ax=Figure().subplots())
    >>> shown.words.tolist()
    ['hello', 'prize']
    """
    by_class, adds_to = _weights_of_classes(model)
    n = as_count(n_words, "n_words")
    classes = model.classes_
    of = classes[-1] if of is None else of
    against = classes[0] if against is None else against
    first, second = (np.flatnonzero(classes == label) for label in (of, against))
    if len(first) != 1 or len(second) != 1 or first[0] == second[0]:
        raise ValueError(
            f"of and against must be two of the classes ({shown(classes.tolist())}); got "
            f"{shown(of)} and {shown(against)}."
        )
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(by_class.shape[1])])
    elif hasattr(names, "get_feature_names_out"):
        names = names.get_feature_names_out()
    names = np.asarray(names, dtype=object)
    if names.shape != (by_class.shape[1],):
        raise ValueError(
            f"names must have {by_class.shape[1]}, one for each column; got shape {names.shape}."
        )
    weights = by_class[first[0]] - by_class[second[0]]
    order = np.argsort(weights, kind="stable")
    n = min(n, len(order) // 2 or 1)
    chosen = np.unique(np.concatenate([order[:n], order[len(order) - n :]]))
    chosen = chosen[np.argsort(weights[chosen], kind="stable")]
    shown_words = WordWeightsDisplay(names[chosen], weights[chosen], of, against, adds_to)
    return shown_words.plot(ax, **style)


def _weights_of_classes(model):
    """What an occurrence of each word adds for each class, (K, d), and to what."""
    logs, classes = getattr(model, "feature_log_prob_", None), getattr(model, "classes_", ())
    if logs is not None:
        return logs, "log odds"
    rows = getattr(model, "coef_", None)
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    by_class = np.zeros((0, 0)) if rows is None else np.atleast_2d(np.asarray(rows, np.float64))
    if len(classes) == 2 and len(by_class) == 1:
        by_class = np.concatenate([np.zeros_like(by_class), by_class])
    pairs = len(classes) > 2 and hasattr(model, "support_")  # coefficients of pairs of classes
    if len(classes) < 2 or len(by_class) != len(classes) or pairs:
        raise unusable_model(
            model, "a naive Bayes model of words, or a linear classifier with coef_"
        )
    odds = hasattr(model, "predict_proba") and not hasattr(model, "support_")
    return by_class, "log odds" if odds else "decision value"
