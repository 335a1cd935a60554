# SPDX-License-Identifier: BSD-3-Clause
"""Terms of a given vocabulary that no document can have are told of."""

import pytest

from statfast import CountVectorizer

DOCUMENTS = ["Apple pear apple", "Café"]


@pytest.mark.parametrize(
    ("vocabulary", "settings", "shown"),
    [
        (["Apple", "pear"], {}, "'Apple', .* makes it 'apple'"),
        (["pear", "New York"], {"ngram_range": (1, 2)}, "'New York'"),
        ({"Apple": 0}, {"analyzer": "char"}, "'Apple'"),
        (["café"], {"strip_accents": "unicode"}, "'café', .* makes it 'cafe'"),
        (["CAFE"], {"strip_accents": "ascii"}, "'CAFE'"),
    ],
)
def test_a_vocabulary_with_terms_never_found_warns(vocabulary, settings, shown):
    for call in ("fit", "fit_transform", "transform"):
        model = CountVectorizer(vocabulary=vocabulary, **settings)
        with pytest.warns(UserWarning, match=f"vocabulary holds {shown}") as told:
            getattr(model, call)(DOCUMENTS)
        assert len(told) == 1


@pytest.mark.parametrize(
    ("vocabulary", "settings"),
    [
        (["apple"], {}),
        (["Apple"], {"lowercase": False}),
        (["café"], {}),
        (["Apple"], {"preprocessor": str}),
        (["Apple"], {"analyzer": str.split}),
    ],
)
def test_a_vocabulary_of_terms_that_are_found_does_not_warn(vocabulary, settings):
    model = CountVectorizer(vocabulary=vocabulary, **settings)  # warnings are errors here
    assert model.fit_transform(DOCUMENTS).sum() > 0
    assert model.transform(DOCUMENTS).sum() > 0


def test_a_set_of_terms_is_sorted():
    words = {f"w{k:02d}" for k in range(40)}
    model = CountVectorizer(vocabulary=words).fit(["w03 w07"])
    assert model.get_feature_names_out().tolist() == sorted(words)
