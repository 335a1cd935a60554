# SPDX-License-Identifier: BSD-3-Clause
"""Language models of texts that have no symbols around them, with a closed vocabulary or not."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast.text import NGramLanguageModel, read_arpa, write_arpa
from statfast.text.language.parameters import METHODS

TEXTS = ["a b a c", "b a a", "c", ""]
VOCABULARY = ["a", "b", "c", "d"]


def closed(order=1, smoothing="mle", **params):
    return NGramLanguageModel(
        order, smoothing, vocabulary=VOCABULARY, padding="none", **params
    ).fit(TEXTS)


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(1, 2), Fraction(3)])
def test_words_alone_by_fractions(alpha):
    counts = Counter(" ".join(TEXTS).split())
    n_words = sum(counts.values())
    relative, added = closed(), closed(smoothing="additive", alpha=float(alpha))
    for word in VOCABULARY:
        share = Fraction(counts[word], n_words)
        assert relative.score(word) == pytest.approx(float(share), rel=1e-15)
        share = (counts[word] + alpha) / (n_words + alpha * len(VOCABULARY))
        assert added.score(word) == pytest.approx(float(share), rel=1e-15)
    for model in (relative, added):
        assert [model.score(word) for word in ("<unk>", "nobody", "<s>", "</s>")] == [0.0] * 4
        assert model.n_grams_ == [4]


def test_an_unknown_word_has_a_share_without_a_vocabulary():
    model = NGramLanguageModel(1, "additive", padding="none").fit(TEXTS)
    counts = Counter(" ".join(TEXTS).split())
    for word in ("a", "b", "c", "nobody"):
        assert model.score(word) == pytest.approx((counts[word] + 1) / (8 + 4), rel=1e-15)


def test_pairs_by_definition():
    pairs = Counter(pair for text in TEXTS for pair in pairwise(text.split()))
    for word in VOCABULARY:
        after = {b: n for (a, b), n in pairs.items() if a == word}
        total = sum(after.values())
        added = closed(2, "additive")
        for following in VOCABULARY:
            share = (after.get(following, 0) + 1) / (total + 4)
            assert added.score(following, [word]) == pytest.approx(share, rel=1e-15)
            if total:
                share = after.get(following, 0) / total
                assert closed(2).score(following, [word]) == pytest.approx(share, rel=1e-15)


def test_log_probabilities_are_products():
    model = closed(2)
    found = model.log_prob(["a b", "", "b a c", "a nobody"])
    assert_allclose(np.exp(found), [4 / 8 / 3, 1.0, 2 / 8 * 1 / 3, 0.0], rtol=1e-14)
    assert model.log_prob([]).shape == (0,)
    assert model.log_prob([""]).tolist() == [0.0]
    assert model.perplexity(["a b"]) == pytest.approx((4 / 8 / 3) ** -0.5, rel=1e-14)
    with pytest.raises(ValueError, match="no words to be counted"):
        model.perplexity([""])


def test_other_words_end_a_text():
    cut = NGramLanguageModel(3, vocabulary=["a", "b"], padding="none").fit(["a b x b a a", "y b"])
    apart = NGramLanguageModel(3, vocabulary=["a", "b"], padding="none").fit(["a b", "b a a", "b"])
    for context in ([], ["a"], ["b"], ["a", "b"], ["b", "a"]):
        for word in ("a", "b"):
            assert cut.score(word, context) == apart.score(word, context)
    assert cut.n_grams_ == apart.n_grams_


@pytest.mark.parametrize("smoothing", sorted(set(METHODS) - {"stupid_backoff"}))
@pytest.mark.parametrize("order", [1, 2, 3])
def test_closed_vocabularies_have_all_probability(smoothing, order):
    model = closed(order, smoothing)
    for context in ([], ["a"], ["b", "a"], ["nobody"], ["nobody", "a"], ["d"]):
        total = sum(model.score(word, context) for word in VOCABULARY)
        assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("vocabulary", [None, VOCABULARY])
def test_partial_fits_and_weights_are_repetitions(vocabulary):
    settings = {"order": 2, "vocabulary": vocabulary, "padding": "none"}
    whole = NGramLanguageModel(**settings).fit([*TEXTS, TEXTS[0]])
    parts = NGramLanguageModel(**settings).fit(TEXTS[:2]).partial_fit([*TEXTS[2:], TEXTS[0]])
    weighted = NGramLanguageModel(**settings).fit(TEXTS, None, [2, 1, 1, 1])
    assert_array_equal(parts.log_prob(TEXTS), whole.log_prob(TEXTS))
    assert_array_equal(weighted.log_prob(TEXTS), whole.log_prob(TEXTS))
    with pytest.raises(ValueError, match="order and padding must be those of the first fit"):
        whole.set_params(padding="single").partial_fit(TEXTS)


def test_samples_have_the_greatest_length():
    model = closed(2, "witten_bell")
    texts = model.sample(300, max_length=7, random_state=0)
    assert {len(text) for text in texts} == {7}
    assert set().union(*texts) <= set(VOCABULARY)
    firsts = Counter(text[0] for text in model.sample(4000, max_length=1, random_state=1))
    for word in VOCABULARY:
        assert firsts[word] / 4000 == pytest.approx(model.score(word), abs=0.03)
    assert model.sample(1, max_length=3, prompt="a b", random_state=0)[0][:2] == ["a", "b"]


def test_models_come_back_from_arpa(tmp_path):
    model = closed(2, "witten_bell")
    write_arpa(model, tmp_path / "closed.arpa")
    known = read_arpa(tmp_path / "closed.arpa")
    for context in ([], ["a"], ["b"]):
        for word in VOCABULARY:
            assert known.score(word, context) == pytest.approx(
                model.score(word, context), rel=1e-12
            )


def test_texts_without_a_known_word_are_refused():
    model = NGramLanguageModel(vocabulary=["a"], padding="none")
    with pytest.raises(ValueError, match="have no word of the vocabulary"):
        model.fit(["b c", ""])
    with pytest.raises(ValueError, match="have no word of the vocabulary"):
        NGramLanguageModel(padding="none").fit([""])
