# SPDX-License-Identifier: BSD-3-Clause
"""Stop words and stemmers of languages, from packages that are optional."""

import builtins

import pytest

from statfast.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

DOCUMENTS = ["Il gatto e i gatti dormono perché piove", "La città non dorme"]


def terms(documents=DOCUMENTS, **params):
    return CountVectorizer(**params).fit(documents).get_feature_names_out().tolist()


def test_stop_words_of_a_language():
    pytest.importorskip("stop_words")
    assert terms(stop_words="italian") == ["città", "dorme", "dormono", "gatti", "gatto", "piove"]
    assert "il" in CountVectorizer(stop_words="italian").get_stop_words()


def test_accents_are_stripped_from_stop_words_of_a_language_too():
    pytest.importorskip("stop_words")
    stripped = terms(stop_words="italian", strip_accents="unicode")
    assert "perche" not in stripped
    assert "perche" in terms(stop_words=["perché"], strip_accents="unicode")
    assert "citta" in stripped


def test_stemmers_of_a_language():
    snowballstemmer = pytest.importorskip("snowballstemmer")
    stem = snowballstemmer.stemmer("italian").stemWord
    named = terms(stemmer="italian")
    assert named == terms(stemmer=stem)
    assert sum(name.startswith("gatt") for name in named) == 1
    sentence = CountVectorizer(stemmer="english").fit_transform(["cats cat running runs"])
    assert sorted(sentence.toarray()[0]) == [2, 2]


@pytest.mark.parametrize("cls", [HashingVectorizer, TfidfVectorizer])
def test_other_vectorizers_know_them(cls):
    pytest.importorskip("stop_words")
    pytest.importorskip("snowballstemmer")
    rows = cls(stop_words="italian", stemmer="italian", norm=None).fit_transform(DOCUMENTS)
    assert (rows != 0).sum(axis=1).ravel().tolist() == [[3, 2]]


@pytest.mark.parametrize(
    ("name", "module"), [("stop_words", "stop_words"), ("stemmer", "snowballstemmer")]
)
def test_an_unknown_language(name, module):
    pytest.importorskip(module)
    with pytest.raises(ValueError, match=rf"{name} must be .*'italian'.*; got 'klingon'"):
        CountVectorizer(**{name: "klingon"}).fit(DOCUMENTS)


@pytest.mark.parametrize(
    ("name", "package"), [("stop_words", "stop-words"), ("stemmer", "snowballstemmer")]
)
def test_a_package_that_is_missing(monkeypatch, name, package):
    imported = builtins.__import__

    def without(module, *args, **options):
        if module in ("stop_words", "snowballstemmer"):
            raise ModuleNotFoundError(module)
        return imported(module, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=rf"{name}='italian' needs the package {package}"):
        CountVectorizer(**{name: "italian"}).fit(DOCUMENTS)
    assert "the" in CountVectorizer(stop_words="english").get_stop_words()


def test_pieces_of_the_analyzer():
    model = CountVectorizer(stop_words=["the"], strip_accents="unicode")
    assert model.decode("café".encode()) == "café"
    assert model.build_preprocessor()("Café") == "cafe"
    assert model.build_tokenizer()("the cat") == ["the", "cat"]
    assert model.build_analyzer()("the Café") == ["cafe"]
    assert model.get_stop_words() == {"the"}
    assert CountVectorizer().get_stop_words() is None
    with pytest.raises(UnicodeDecodeError):
        model.decode(b"\xff")
