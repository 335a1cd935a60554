# SPDX-License-Identifier: BSD-3-Clause
"""Hashed columns: published hashes, scikit-learn's table, and what a hash may not change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from statfast._core.text.hashes import hash_terms

from statfast import Parts
from statfast.text import CountVectorizer, HashingVectorizer

DOCUMENTS = ["The cat sat on the mat.", "the dog, the CAT; and the mat_2!", "", "Ärger, 東京都"]


def murmur(raw):
    """MurmurHash3 of 32 bits with seed 0, by its definition, in whole numbers without a limit."""
    bits32 = 2**32 - 1
    state = 0

    def rotated(word, bits):
        return (word << bits | word >> (32 - bits)) & bits32

    for first in range(0, len(raw), 4):
        word = int.from_bytes(raw[first : first + 4], "little")
        word = rotated(word * 0xCC9E2D51 & bits32, 15) * 0x1B873593 & bits32
        state ^= word
        if first + 4 <= len(raw):
            state = (rotated(state, 13) * 5 + 0xE6546B64) & bits32
    state ^= len(raw)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        state = (state ^ state >> shift) * factor & bits32
    state ^= state >> 16
    return state - 2**32 if state >= 2**31 else state


def hashed(terms):
    out = np.empty(len(terms), np.int32)
    hash_terms(terms, out)
    return out.tolist()


def test_known_hashes():
    # Of the test vectors of the hash that circulate: 32 bits, seed 0.
    known = {"": 0, "test": 0xBA6BD213, "Hello, world!": 0xC0363E43, "hello": 0x248BFA47}
    assert [h % 2**32 for h in hashed(list(known))] == list(known.values())


@given(st.lists(st.text(max_size=20), max_size=8))
def test_hashes_are_those_of_the_definition(terms):
    assert hashed(terms) == [murmur(term.encode("utf-8", "surrogatepass")) for term in terms]


SETTINGS = [
    {},
    {"n_features": 7},
    {"n_features": 1},
    {"n_features": 3, "alternate_sign": False, "norm": "l1"},
    {"n_features": 2, "binary": True, "norm": None},
    {"ngram_range": (1, 3), "n_features": 2**31 - 1},
    {"analyzer": "char", "ngram_range": (1, 4), "n_features": 1000, "dtype": np.float32},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "stop_words": None},
    {"stop_words": "english", "norm": None},
    {"tokenizer": str.split, "token_pattern": None, "n_features": 64},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.filterwarnings("ignore:.*token_pattern")
def test_is_that_of_scikit_learn(settings):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    known = text.HashingVectorizer(**settings).transform(DOCUMENTS)
    rows = HashingVectorizer(**settings).transform(DOCUMENTS)
    assert rows.shape == known.shape
    assert rows.dtype == known.dtype
    assert rows.has_canonical_format
    difference = abs(rows - known)
    assert difference.max() <= (1e-6 if settings.get("dtype") is np.float32 else 1e-14)


def test_sums_of_counts_are_kept_without_signs():
    counts = CountVectorizer().fit_transform(DOCUMENTS)
    rows = HashingVectorizer(n_features=4, alternate_sign=False, norm=None).transform(DOCUMENTS)
    assert_array_equal(rows.sum(axis=1), counts.sum(axis=1))


def test_without_collisions_lengths_are_those_of_counts():
    counts = CountVectorizer().fit_transform(DOCUMENTS)
    rows = HashingVectorizer(norm=None).transform(DOCUMENTS)
    assert rows.nnz == counts.nnz
    assert_allclose(sparse.linalg.norm(rows, axis=1), sparse.linalg.norm(counts, axis=1))


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_threads_and_batches_give_the_same_bits(n_jobs):
    rng = np.random.default_rng(0)
    documents = [" ".join(f"w{k}" for k in rng.integers(0, 99, 20)) for _ in range(200)]
    whole = HashingVectorizer(n_features=50, n_jobs=1).transform(documents)
    model = HashingVectorizer(n_features=50, n_jobs=n_jobs)
    batches = [model.transform(documents[a : a + 30]) for a in range(0, 200, 30)]
    assert_array_equal(sparse.vstack(batches).toarray(), whole.toarray())


def test_nothing_is_fitted():
    model = HashingVectorizer(n_features=8)
    before = model.transform(DOCUMENTS).toarray()
    assert model.fit() is model
    assert model.partial_fit(DOCUMENTS[:1]) is model
    assert_array_equal(model.fit_transform(DOCUMENTS).toarray(), before)
    assert model.transform([]).shape == (0, 8)


def test_documents_in_parts():
    parts = Parts([DOCUMENTS[:1], DOCUMENTS[1:]], documents=True)
    model = HashingVectorizer(n_features=8).fit(parts)
    blocks = list(model.transform(parts))
    assert_array_equal(sparse.vstack(blocks).toarray(), model.transform(DOCUMENTS).toarray())


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_features": 0}, ValueError, "n_features must be"),
        ({"n_features": 2**31}, ValueError, "n_features must be"),
        ({"n_features": 2.5}, TypeError, "n_features must be"),
        ({"norm": "max"}, ValueError, "norm must be"),
        ({"dtype": int}, TypeError, "dtype must be one of real numbers"),
    ],
)
def test_wrong_parameters(params, error, message):
    with pytest.raises(error, match=message):
        HashingVectorizer(**params).fit(DOCUMENTS)
    with pytest.raises(error, match=message):
        HashingVectorizer(**params).transform(DOCUMENTS)


def test_one_string_is_not_documents():
    with pytest.raises(ValueError, match="Pass a list of documents"):
        HashingVectorizer().transform("the cat")
    with pytest.raises(ValueError, match="Pass a list of documents"):
        HashingVectorizer().fit("the cat")
