# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the words that decide."""

import numpy as np
import pytest

from statfast import MultinomialNB
from statfast.text import CountVectorizer

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from statfast.plot import word_weights


def test_words_and_weights():
    X = np.random.default_rng(0).poisson(2.0, (30, 8))
    model = MultinomialNB().fit(X, np.repeat(["a", "b", "c"], 10))
    names = [f"w{j}" for j in range(8)]
    shown = word_weights(model, names, of="b", against="c", n_words=3, ax=Figure().subplots())
    weights = model.feature_log_prob_[1] - model.feature_log_prob_[2]
    order = np.argsort(weights)
    assert shown.words.tolist() == [names[j] for j in [*order[:3], *order[-3:]]]
    np.testing.assert_array_equal(shown.weights, np.sort(weights)[[0, 1, 2, 5, 6, 7]])
    assert [bar.get_width() for bar in shown.ax_.patches] == shown.weights.tolist()
    assert "b against c" in shown.ax_.get_xlabel()


def test_refusals():
    with pytest.raises(ValueError, match="not fitted"):
        word_weights(MultinomialNB())
    model = MultinomialNB().fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match="of and against must be two"):
        word_weights(model, of=1, against=1)
    for names in (["a"], 3):
        with pytest.raises(ValueError, match="names must have 2"):
            word_weights(model, names)


def test_names_of_a_vectorizer():
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(["win a prize", "see you"])
    model = MultinomialNB().fit(X, ["spam", "ham"])
    shown = word_weights(model, vectorizer, n_words=2, ax=Figure().subplots())
    assert set(shown.words[-2:]) == {"prize", "win"}
