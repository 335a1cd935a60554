# SPDX-License-Identifier: BSD-3-Clause
"""`TfidfVectorizer` is the counts of `CountVectorizer`, weighted by `TfidfTransformer`."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast import Parts
from statfast.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

DOCUMENTS = [
    "The cat sat on the mat.",
    "the dog, the CAT; and the mat_2!",
    "",
    "Ärger über nichts, naïve café",
    "a cat and a dog",
]
COUNTING = [
    {},
    {"ngram_range": (1, 2), "min_df": 2},
    {"max_features": 3, "stop_words": "english"},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "strip_accents": "unicode"},
    {"binary": True, "dtype": np.float32},
    {"vocabulary": ["dog", "cat", "the"]},
    {"tokenizer": str.split, "token_pattern": None, "lowercase": False},
]
WEIGHING = [
    dict(zip(("norm", "use_idf", "smooth_idf", "sublinear_tf"), values, strict=True))
    for values in itertools.product(("l1", "l2", None), *[(False, True)] * 3)
]


def chained(documents, counting, weighing):
    counts = CountVectorizer(**counting)
    weights = TfidfTransformer(**weighing)
    rows = weights.fit_transform(counts.fit_transform(documents).astype(float))
    return counts, weights, rows.toarray()


@pytest.mark.parametrize("counting", COUNTING, ids=str)
@pytest.mark.parametrize("weighing", WEIGHING, ids=str)
@pytest.mark.filterwarnings("ignore:.*token_pattern")
def test_is_counts_and_weights(counting, weighing):
    counts, weights, table = chained(DOCUMENTS, counting, weighing)
    model = TfidfVectorizer(**counting, **weighing)
    rows = model.fit_transform(DOCUMENTS)
    single = counting.get("dtype") is np.float32
    assert rows.dtype == (np.float32 if single else np.float64)
    assert_allclose(rows.toarray(), table, rtol=1e-6 if single else 1e-14)
    assert model.get_feature_names_out().tolist() == counts.get_feature_names_out().tolist()
    assert hasattr(model, "idf_") == weighing["use_idf"]
    if weighing["use_idf"]:
        assert_array_equal(model.idf_, weights.idf_)
    again = TfidfVectorizer(**counting, **weighing).fit(DOCUMENTS)
    assert_array_equal(again.transform(DOCUMENTS).toarray(), rows.toarray())


@pytest.mark.parametrize("counting", COUNTING, ids=str)
@pytest.mark.filterwarnings("ignore:.*token_pattern")
def test_is_that_of_scikit_learn(counting):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    known = text.TfidfVectorizer(**counting).fit(DOCUMENTS)
    model = TfidfVectorizer(**counting).fit(DOCUMENTS)
    assert model.vocabulary_ == known.vocabulary_
    rtol = 1e-6 if counting.get("dtype") is np.float32 else 1e-13
    assert_allclose(model.idf_, known.idf_, rtol=rtol)
    assert_allclose(
        model.transform(DOCUMENTS).toarray(), known.transform(DOCUMENTS).toarray(), rtol=rtol
    )


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_threads_give_the_same_bits(n_jobs):
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(50)]
    documents = [" ".join(rng.choice(words, 20)) for _ in range(300)]
    one, many = TfidfVectorizer(n_jobs=1), TfidfVectorizer(n_jobs=n_jobs)
    assert_array_equal(
        one.fit_transform(documents).toarray(), many.fit_transform(documents).toarray()
    )


@pytest.mark.parametrize("counting", [{}, {"min_df": 2}, {"vocabulary": ["dog", "cat", "the"]}])
def test_documents_in_parts(counting):
    model = TfidfVectorizer(**counting).fit(DOCUMENTS)
    parts = Parts([DOCUMENTS[:2], [], DOCUMENTS[2:]], documents=True)
    other = TfidfVectorizer(**counting).fit(parts)
    assert other.vocabulary_ == model.vocabulary_
    assert_array_equal(other.idf_, model.idf_)
    blocks = list(other.transform(parts))
    table = np.vstack([block.toarray() for block in blocks])
    assert_array_equal(table, model.transform(DOCUMENTS).toarray())


def test_weights_can_be_set():
    model = TfidfVectorizer(vocabulary=["cat", "dog"], norm=None)
    model.idf_ = [2.0, 3.0]
    assert model.transform(["cat dog dog"]).toarray().tolist() == [[2.0, 6.0]]
    model.idf_ = [2.0]
    with pytest.raises(ValueError, match=r"idf_ must have a weight for each of 2 terms; got shape"):
        model.transform(["cat"])


def test_is_not_fitted_by_a_vocabulary_alone():
    with pytest.raises(ValueError, match="is not fitted"):
        TfidfVectorizer(vocabulary=["cat"]).transform(["cat"])
    counts = TfidfVectorizer(vocabulary=["cat"], use_idf=False, norm=None).transform(["cat cat"])
    assert counts.toarray().tolist() == [[2.0]]


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = TfidfVectorizer().fit(DOCUMENTS)
    before = model.transform(DOCUMENTS).toarray()
    with pytest.raises(ValueError, match="have no terms"):
        model.fit(["", "a"])
    assert_array_equal(model.transform(DOCUMENTS).toarray(), before)


def test_a_term_of_no_document_without_smoothing():
    model = TfidfVectorizer(vocabulary=["cat", "dog"], smooth_idf=False).fit(["cat"])
    assert np.isinf(model.idf_[1])
    assert model.transform(["cat", ""]).toarray().tolist() == [[1.0, 0.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="Set smooth_idf=True"):
        model.transform(["dog"])


def test_the_type_is_one_of_real_numbers():
    with pytest.raises(TypeError, match=r"dtype must be one of real numbers; got .*Pass float"):
        TfidfVectorizer(dtype=int).fit(DOCUMENTS)
