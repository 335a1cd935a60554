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
from statfast._core.text.terms import sort_rows

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


def test_long_words_that_begin_and_end_alike():
    middles = ("", "b", "c", "bb")
    ends = [letter * k for letter in "aé" for k in (1, 2, 4, 7, 8, 9, 16)]
    words = [end + middle + end for end in ends for middle in middles]
    documents = [" ".join(words), " ".join(words[::2])]
    want, names = by_definition(documents, CountVectorizer().build_analyzer())
    got, found = ours(documents)
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
    monkeypatch.setattr(tables, "BLOCK_LENGTH", 900)
    monkeypatch.setattr(tables, "CALL_LENGTH", 100)
    monkeypatch.setattr(tables, "COUNTS_PER_SORT", 50)
    for n_jobs in (1, 2, 7):
        got, found = ours(documents, ngram_range=(1, 2), n_jobs=n_jobs)
        assert found == names
        assert (got != want).nnz == 0
        assert_array_equal(got.indices, want.indices)


@pytest.mark.parametrize("n_ranks", [1, 900, 70_000, 2**21 + 5])
@pytest.mark.parametrize("longest", [3, 40, 30_000])
def test_rows_are_put_in_order(n_ranks, longest):
    rng = np.random.default_rng(n_ranks + longest)
    sizes = rng.integers(0, longest, size=max(5, 60_000 // longest))
    sizes[[0, -1]] = 0
    end = np.cumsum(sizes)
    rank = rng.permutation(n_ranks).astype(np.int32)
    column = rng.integers(0, n_ranks, size=end[-1]).astype(np.int32)
    count = rng.integers(1, 9, size=end[-1]).astype(np.int32)
    row = np.repeat(np.arange(len(end)), sizes)
    order = np.lexsort((rank[column], row))
    got = np.empty(end[-1], np.int32), np.empty(end[-1], np.int64)
    middle = len(end) // 2
    for first, stop in ((0, middle), (middle, len(end))):
        sort_rows(end, column, count, rank, n_ranks, first, stop, *got)
    assert_array_equal(got[0], rank[column][order])
    assert_array_equal(got[1], count[order])


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
        ({}, 3, TypeError, "raw_documents must be a list of documents; got 3"),
        ({}, np.array("ab"), TypeError, "raw_documents must be a list of documents"),
        ({}, [], ValueError, "raw_documents must hold at least one document"),
        ({}, ["", "  "], ValueError, "raw_documents have no terms: empty vocabulary"),
        ({}, ["ab", None], ValueError, "raw_documents must hold strings; got None"),
        ({}, ["ab", 3], TypeError, "raw_documents must be an iterable of strings or bytes; got 3"),
        ({"ngram_range": (2, 1)}, ["ab"], ValueError, "ngram_range must be"),
        ({"ngram_range": 2}, ["ab"], TypeError, "ngram_range must be a pair"),
        ({"analyzer": "words"}, ["ab"], ValueError, "analyzer must be"),
        ({"stop_words": 3}, ["ab"], TypeError, "stop_words must be None, the name of"),
        ({"token_pattern": "("}, ["ab"], ValueError, "token_pattern must be a regular expression"),
        ({"token_pattern": "(a)(b)"}, ["ab"], ValueError, "token_pattern must have at most one"),
        ({"min_df": 2}, ["ab", "cd"], ValueError, "min_df, max_df and max_features leave no terms"),
        ({"min_df": 3, "max_df": 2}, ["ab"], ValueError, "max_df corresponds to fewer documents"),
        ({"min_df": 1.5}, ["ab"], ValueError, "min_df must be at most 1;"),
        ({"max_features": 0}, ["ab"], ValueError, "max_features must be at least 1"),
        ({"vocabulary": []}, ["ab"], ValueError, "vocabulary must hold a term"),
        ({"vocabulary": ["a", "a"]}, ["ab"], ValueError, "vocabulary must have each term once"),
        ({"vocabulary": {"a": 1}}, ["ab"], ValueError, "vocabulary must give each term a column"),
        ({"vocabulary": {"a": 0, "b": "c"}}, ["ab"], ValueError, "vocabulary must give each term"),
        ({"vocabulary": [["a"]]}, ["ab"], TypeError, "vocabulary must be a mapping or a list of"),
        ({"vocabulary": np.array(0)}, ["ab"], TypeError, "vocabulary must be a mapping or a list"),
        ({"stop_words": np.array(0)}, ["ab"], TypeError, "stop_words must be None, the name of"),
        ({"input": "file"}, ["ab"], TypeError, "raw_documents must be a list of open files"),
        ({"input": "filename"}, [3], TypeError, "raw_documents must be a list of names of files"),
        ({"tokenizer": print}, ["ab"], TypeError, "what tokenizer returns must be a list of words"),
        ({"tokenizer": lambda _: [1]}, ["ab"], TypeError, "what tokenizer returns must be a list"),
        ({"preprocessor": len}, ["ab"], TypeError, "what preprocessor returns must be a string"),
        ({"strip_accents": len}, ["ab"], TypeError, "what strip_accents returns must be a string"),
        ({"analyzer": len}, ["ab"], TypeError, "what analyzer returns must be a list of terms"),
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
    assert fixed.get_feature_names_out().tolist() == ["ab"]
    assert fixed.vocabulary_ == {"ab": 0}
    assert vars(fixed) == vars(CountVectorizer(vocabulary=["ab"]))  # nothing is fitted by asking
    for wrong in ([["ab"]], [[None]], [[np.nan]]):
        with pytest.raises((TypeError, ValueError), match=r"^X "):
            fixed.inverse_transform(wrong)
    swapped = np.array([[1.0], [0.0]], dtype=">f8")
    assert [terms.tolist() for terms in fixed.inverse_transform(swapped)] == [["ab"], []]


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


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_rows_of_any_size_have_a_norm(norm):
    counts = np.array([[3.0, 1.0, 2.0], [0.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
    model = TfidfTransformer(norm=norm).fit(counts)
    want = model.transform(counts).toarray()
    for sizes in ([1e-300, 1e300, 1.0], [1e307, 1e-307, 1.0], [1e200, 1e200, 1e-200]):
        got = model.transform(counts * np.array(sizes)[:, None]).toarray()
        np.testing.assert_allclose(got, want, rtol=1e-14)


def test_a_term_of_infinite_weight():
    model = TfidfTransformer(smooth_idf=False).fit([[1.0, 0.0]])
    assert model.idf_.tolist() == [1.0, np.inf]
    assert model.transform([[2.0, 0.0]]).toarray().tolist() == [[1.0, 0.0]]
    with pytest.raises(ValueError, match="X holds values so large that idf times them overflows"):
        TfidfTransformer().fit([[1.0, 0.0], [1.0, 1.0]]).transform([[0.0, 1.5e308]])
    with pytest.raises(ValueError, match="X has counts in column 1, which no document of the fit"):
        model.transform([[2.0, 1.0]])


@pytest.mark.parametrize("smooth_idf", [True, False])
def test_tfidf_weights_are_repeated_documents(smooth_idf):
    rng = np.random.default_rng(0)
    X, w = rng.poisson(0.8, (30, 6)) * 1.0, rng.integers(0, 4, 30)
    model = TfidfTransformer(smooth_idf=smooth_idf)
    want = model.fit(np.repeat(X, w, axis=0)).idf_
    for counts in (X, sparse.csr_matrix(X)):
        assert_allclose(model.fit(counts, sample_weight=w).idf_, want, rtol=1e-14)
    assert_allclose(model.fit_transform(X, sample_weight=w).toarray(), model.transform(X).toarray())
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.fit(X, sample_weight=-w)


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_no_ngram_is_longer_than_its_document(analyzer, tokenizer):
    documents, params = ["ab cd ef", "gh"], {"analyzer": analyzer, "tokenizer": tokenizer}
    whole = CountVectorizer(ngram_range=(1, 30), **params)
    endless = CountVectorizer(ngram_range=(1, 2**70), **params)
    want = whole.fit_transform(documents).toarray()
    np.testing.assert_array_equal(endless.fit_transform(documents).toarray(), want)
    assert endless.vocabulary_ == whole.vocabulary_


@pytest.mark.parametrize("made", ["array", "chunked_array"])
def test_documents_of_an_arrow_array(made):
    arrow = pytest.importorskip("pyarrow")
    texts = ["the cat sat", "a dog", "the dog sat"]
    given = getattr(arrow, made)(texts if made == "array" else [texts[:1], texts[1:]])
    counts = CountVectorizer().fit_transform(given)
    assert (counts != CountVectorizer().fit_transform(texts)).nnz == 0
