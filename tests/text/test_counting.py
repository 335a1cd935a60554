# SPDX-License-Identifier: BSD-3-Clause
"""Counts of words against scikit-learn, the regular expression, and collections.Counter."""

import gzip
import io
import pickle
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast.text import CountVectorizer, TfidfTransformer
from statfast.text.counting import tables
from statfast.text.counting.analysis import letters
from statfast.text.counting.stop_words import ENGLISH

DOCUMENTS = [
    "The cat sat on the mat.",
    "the dog, the CAT; and   the mat_2!",
    "",
    "Ärger über ΣΊΣΥΦΟΣ und İstanbul, naïve café — 東京都 x y",
    "don't stop: it's 3.14 or 2,71 e-mail",
    "a b c d",
]
# Letters of one to four bytes, marks, digits that are letters to Python, blanks, half a pair.
TEXT = st.text("aBcÉß ǅ_9½٣Σςİı̇東𝔸𐐀ﬁ-.,\n\t \u2003\u200b\ud800Ⱥ", max_size=40)


def ours(documents, **params):
    model = CountVectorizer(**params)
    return model.fit_transform(documents), model.get_feature_names_out().tolist()


def by_definition(documents, analyze):
    """Terms in order, and a dense table."""
    counts = [Counter(analyze(document)) for document in documents]
    names = sorted(set().union(*counts))
    return np.array([[count[name] for name in names] for count in counts]), names


@given(st.lists(TEXT, min_size=1, max_size=6), st.booleans(), st.integers(1, 3))
def test_words_are_those_of_the_pattern(documents, lowercase, high):
    pattern = re.compile(r"(?u)\b\w\w+\b")

    def analyze(text):
        words = pattern.findall(text.lower() if lowercase else text)
        return [
            " ".join(words[i : i + n])
            for n in range(1, high + 1)
            for i in range(len(words) - n + 1)
        ]

    want, names = by_definition(documents, analyze)
    if not names:
        with pytest.raises(ValueError, match="raw_documents have no terms"):
            ours(documents, lowercase=lowercase)
        return
    got, found = ours(documents, lowercase=lowercase, ngram_range=(1, high))
    assert found == names
    assert_array_equal(got.toarray(), want)
    assert got.has_sorted_indices


@given(st.lists(TEXT, min_size=1, max_size=4), st.integers(1, 3), st.integers(0, 2))
@pytest.mark.parametrize("analyzer", ["char", "char_wb", "word"])
def test_the_kernel_says_what_python_says(analyzer, documents, low, more):
    params = {"analyzer": analyzer, "ngram_range": (low, low + more)}
    params["token_pattern"] = r"(?u)\b\w+\b"
    want, names = by_definition(documents, CountVectorizer(**params).build_analyzer())
    if names:
        got, found = ours(documents, **params)
        assert found == names
        assert_array_equal(got.toarray(), want)


PARAMS = [
    {}, {"lowercase": False}, {"binary": True}, {"ngram_range": (1, 2)}, {"ngram_range": (2, 3)},
    {"stop_words": "english"}, {"stop_words": ["the", "cat"], "ngram_range": (1, 2)},
    {"min_df": 2}, {"max_df": 1}, {"max_df": 0.3}, {"max_features": 5}, {"dtype": np.float32},
    {"token_pattern": r"(?u)\b\w+\b"}, {"token_pattern": r"[a-z]+"}, {"token_pattern": r"(c)at"},
    {"strip_accents": "unicode"}, {"strip_accents": "ascii"}, {"tokenizer": str.split},
    {"preprocessor": str.upper}, {"analyzer": str.split},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)}, {"vocabulary": ["cat", "mat", "zebra"]},
    {"vocabulary": {"dog": 1, "the": 0}},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_scikit_learns_answers(params):
    theirs = pytest.importorskip("sklearn.feature_extraction.text").CountVectorizer(**params)
    documents = [*DOCUMENTS, "cat cat cat mat", "the the"]
    want = theirs.fit_transform(documents)
    model = CountVectorizer(**params)
    got = model.fit_transform(documents)
    if "max_features" not in params:
        assert model.vocabulary_ == theirs.vocabulary_
        assert_array_equal(got.toarray(), want.toarray())
    else:  # of terms that are equally frequent the first, here
        total = np.sort(got.toarray().sum(axis=0))
        assert_array_equal(total, np.sort(want.toarray().sum(axis=0)))
    assert got.dtype == want.dtype
    assert got.indices.dtype == want.indices.dtype
    if "max_features" not in params:
        new = ["The zebra and a cat", "", "mat 東京都"]
        assert_array_equal(model.transform(new).toarray(), theirs.transform(new).toarray())
        back = model.inverse_transform(got)
        for a, b in zip(back, theirs.inverse_transform(want), strict=True):
            assert sorted(a) == sorted(b)


def test_defaults_and_stop_words_are_scikit_learns():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    assert text.ENGLISH_STOP_WORDS == ENGLISH
    for ours_, theirs in (
        (CountVectorizer(), text.CountVectorizer()),
        (TfidfTransformer(), text.TfidfTransformer()),
    ):
        assert theirs.get_params().items() <= ours_.get_params().items()


def test_sms_messages_by_counter(shared_data):
    path = shared_data("spam", "SMSSpamCollection.gz")
    lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
    messages = [line.split("\t", 1)[1] for line in lines]
    want = Counter(word for m in messages for word in re.findall(r"\b\w\w+\b", m.lower()))
    model = CountVectorizer()
    X = model.fit_transform(messages)
    total = np.asarray(X.sum(axis=0)).ravel()
    assert dict(zip(model.get_feature_names_out(), total.tolist(), strict=True)) == want
    assert X.shape == (5574, len(want))


def test_blocks_and_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdeé"), rng.integers(1, 12))) for _ in range(500)]
    documents = [" ".join(rng.choice(words, rng.integers(0, 30))) for _ in range(400)]
    want, names = ours(documents, ngram_range=(1, 2))
    monkeypatch.setattr(tables, "_BLOCK", 900)
    monkeypatch.setattr(tables, "_CALL", 100)
    for n_jobs in (1, 2, 7):
        got, found = ours(documents, ngram_range=(1, 2), n_jobs=n_jobs)
        assert found == names
        assert (got != want).nnz == 0
        assert_array_equal(got.indices, want.indices)


def test_a_stemmer_is_asked_once_for_each_word():
    asked = []

    def stem(word):
        asked.append(word)
        return "" if word == "xx" else word.rstrip("s")

    documents = ["cats cat xx dogs", "dog cats the cats"]
    model = CountVectorizer(stemmer=stem, stop_words=["the"], ngram_range=(1, 2))
    X = model.fit_transform(documents)
    names = ["cat", "cat cat", "cat dog", "dog", "dog cat"]
    assert model.get_feature_names_out().tolist() == names
    assert_array_equal(X.toarray(), [[2, 1, 1, 1, 0], [2, 1, 0, 1, 1]])
    assert sorted(asked) == sorted(set(asked))
    slow = CountVectorizer(**model.get_params() | {"tokenizer": str.split})
    assert_array_equal(slow.fit_transform(documents).toarray(), X.toarray())
    with pytest.raises(TypeError, match="stemmer must give strings; got 3"):
        CountVectorizer(stemmer=lambda word: 3).fit(documents)


def test_files_bytes_and_encodings(tmp_path):
    (tmp_path / "a.txt").write_bytes("café olé".encode("latin-1"))
    params = {"encoding": "latin-1"}
    model = CountVectorizer(input="filename", **params).fit([tmp_path / "a.txt"])
    assert list(model.vocabulary_) == ["café", "olé"]
    file = io.BytesIO("café olé".encode("latin-1"))
    assert list(CountVectorizer(input="file", **params).fit([file]).vocabulary_) == ["café", "olé"]
    with pytest.raises(UnicodeDecodeError):
        CountVectorizer().fit([b"\xff\xfe"])
    lenient = CountVectorizer(decode_error="ignore").fit([b"ab\xff cd"])
    assert list(lenient.vocabulary_) == ["ab", "cd"]


def test_models_pickle_and_clone():
    clone = pytest.importorskip("sklearn.base").clone
    model = CountVectorizer(ngram_range=(1, 2))
    X = model.fit_transform(DOCUMENTS)
    again = pickle.loads(pickle.dumps(model))
    assert (again.transform(DOCUMENTS) != X).nnz == 0
    assert clone(model).get_params() == model.get_params()
    assert not clone(model).__sklearn_is_fitted__()


@pytest.mark.parametrize(
    ("params", "documents", "error", "words"),
    [
        ({}, "one string", ValueError, "string object received"),
        ({}, 3, ValueError, "raw_documents is 3"),
        ({}, [], ValueError, "raw_documents must hold at least one document"),
        ({}, ["", "  "], ValueError, "raw_documents have no terms: empty vocabulary"),
        ({}, ["ab", None], ValueError, "raw_documents must hold strings; got None"),
        ({}, ["ab", 3], TypeError, "raw_documents must be an iterable of strings or bytes; got 3"),
        ({"ngram_range": (2, 1)}, ["ab"], ValueError, "ngram_range must be"),
        ({"ngram_range": 2}, ["ab"], TypeError, "ngram_range must be a pair"),
        ({"analyzer": "words"}, ["ab"], ValueError, "analyzer must be"),
        ({"stop_words": "german"}, ["ab"], ValueError, "stop_words must be"),
        ({"token_pattern": "("}, ["ab"], ValueError, "token_pattern must be a regular expression"),
        ({"token_pattern": "(a)(b)"}, ["ab"], ValueError, "token_pattern must have at most one"),
        ({"min_df": 2}, ["ab", "cd"], ValueError, "min_df, max_df and max_features leave no terms"),
        ({"min_df": 3, "max_df": 2}, ["ab"], ValueError, "max_df corresponds to fewer documents"),
        ({"min_df": 1.5}, ["ab"], ValueError, "min_df must be at most 1.0"),
        ({"max_features": 0}, ["ab"], ValueError, "max_features must be at least 1"),
        ({"vocabulary": []}, ["ab"], ValueError, "vocabulary must hold a term"),
        ({"vocabulary": ["a", "a"]}, ["ab"], ValueError, "vocabulary must have each term once"),
        ({"vocabulary": {"a": 1}}, ["ab"], ValueError, "vocabulary must give each term a column"),
        ({"encoding": "klingon"}, ["ab"], ValueError, "encoding must be one that Python knows"),
        ({"dtype": "text"}, ["ab"], TypeError, "dtype must be"),
        ({"lowercase": 1}, ["ab"], TypeError, "lowercase must be True or False"),
    ],
)
def test_refusals(params, documents, error, words):
    with pytest.raises(error, match=words):
        CountVectorizer(**params).fit(documents)


def test_unfitted():
    with pytest.raises(ValueError, match="not fitted"):
        CountVectorizer().transform(["ab"])
    assert not hasattr(CountVectorizer(), "vocabulary_")
    fixed = CountVectorizer(vocabulary=["ab"])
    assert fixed.transform(["ab ab", "cd"]).toarray().tolist() == [[2], [0]]
    assert fixed.transform([]).shape == (0, 1)


def test_the_table_of_letters():
    for lowercase in (False, True):
        table = letters(lowercase)
        for point in [*range(0x3000), *range(0xFF00, 0x10000), 0x10400, 0x1D538, 0x20000, 0x10FFFF]:
            letter = chr(point)
            spelled = letter.lower() if lowercase else letter
            if len(spelled) == 1:
                word = re.fullmatch(r"\w", spelled) is not None
                assert table[point] == (ord(spelled) if word else 0), hex(point)


# ------------------------------------------------------------------ tf-idf


@pytest.mark.parametrize("params", [
    {}, {"norm": "l1"}, {"norm": None}, {"use_idf": False}, {"smooth_idf": False},
    {"sublinear_tf": True},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.coo_array])
def test_tfidf_has_scikit_learns_weights(params, make):
    theirs = pytest.importorskip("sklearn.feature_extraction.text").TfidfTransformer(**params)
    X = np.random.default_rng(0).poisson(0.7, (20, 9)) * 1.0
    X[3] = 0.0
    X[0, X.sum(axis=0) == 0] = 1.0
    model = TfidfTransformer(**params).fit(make(X))
    want = theirs.fit(X).transform(X)
    assert_allclose(model.transform(make(X)).toarray(), want.toarray(), rtol=1e-12)
    assert_allclose(model.fit_transform(make(X)).toarray(), want.toarray(), rtol=1e-12)
    if params.get("use_idf", True):
        assert_allclose(model.idf_, theirs.idf_, rtol=1e-14)


def test_tfidf_refusals():
    with pytest.raises(ValueError, match="norm must be"):
        TfidfTransformer(norm="l3").fit([[1.0]])
    with pytest.raises(ValueError, match="X contains NaN"):
        TfidfTransformer().fit([[np.nan]])
    model = TfidfTransformer().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="X has 1 features, but TfidfTransformer is expecting 2"):
        model.transform([[1.0]])
    with pytest.raises(ValueError, match="not fitted"):
        TfidfTransformer().transform([[1.0]])
    assert TfidfTransformer().fit_transform(np.ones((2, 2), np.float32)).dtype == np.float32


def test_weights_that_have_no_logarithm_or_square():
    counts = sparse.csr_matrix(([1.0, -1.0, 2.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    with pytest.raises(ValueError, match="X must not be negative with sublinear_tf"):
        TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    stored = sparse.csr_matrix(([0.0, 3.0], ([0, 0], [0, 1])), shape=(1, 2))
    found = TfidfTransformer(sublinear_tf=True).fit_transform(stored).toarray()
    np.testing.assert_array_equal(found, [[0.0, 1.0]])
    with pytest.raises(ValueError, match="squares overflow"):
        TfidfTransformer().fit_transform(1e300 * abs(counts))
