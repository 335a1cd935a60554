# SPDX-License-Identifier: BSD-3-Clause
"""Kernels on strings: whole numbers, equal to those of slow counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast.kernels import Mismatch, Spectrum, as_kernel, mercer_check, substrings
from tests.reference import kernels as twin

DNA = "ACGT"
strings = st.lists(st.text("aß€𝄞", max_size=12), min_size=1, max_size=12)


def random_strings(n, longest, alphabet=DNA, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(alphabet), rng.integers(longest + 1))) for _ in range(n)]


@given(X=strings, Y=strings, k=st.integers(1, 5))
def test_spectrum_counts_substrings(X, Y, k):
    assert np.array_equal(Spectrum(k).matrix(X, Y), twin.spectrum(X, Y, k))
    K = Spectrum(k).matrix(X)
    assert np.array_equal(K, twin.spectrum(X, X, k))
    assert np.array_equal(K.diagonal(), Spectrum(k).diagonal(X))


@settings(max_examples=40)
@given(
    X=st.lists(st.text("ab", max_size=8), min_size=1, max_size=5),
    Y=st.lists(st.text("abc", max_size=8), min_size=1, max_size=5),
    k=st.integers(1, 4),
    m=st.integers(0, 3),
    spare=st.integers(0, 1),
)
def test_mismatch_counts_near_words(X, Y, k, m, spare):
    m = min(m, k - 1)
    alphabet = "abc" + "d" * spare
    kernel = Mismatch(k, m, len(alphabet))
    assert np.array_equal(kernel.matrix(X, Y), twin.mismatch(X, Y, k, m, alphabet))
    assert np.array_equal(kernel.diagonal(Y), twin.mismatch(Y, Y, k, m, alphabet).diagonal())


@pytest.mark.parametrize("dense", [1e-9, 32, 1e9])  # no substring in columns, some, and all
@pytest.mark.parametrize("alphabet", ["AC", DNA, "ACDEFGHIKLMNPQRSTVWY"])
def test_columns_and_lists_add_up(monkeypatch, dense, alphabet):
    monkeypatch.setattr(substrings, "TILE_PRODUCTS_PER_LIST_PRODUCT", dense)
    monkeypatch.setattr(substrings, "PRODUCTS_OF_CALL", 100)
    monkeypatch.setattr(substrings, "SUBSTRINGS_OF_CALL", 200)
    X, Y = random_strings(130, 30, alphabet), random_strings(70, 30, alphabet, 1)
    for k in (1, 2, 4):
        assert np.array_equal(Spectrum(k).matrix(X, Y), twin.spectrum(X, Y, k))
        assert np.array_equal(Spectrum(k).matrix(X), twin.spectrum(X, X, k))


def test_parts_of_blocks(monkeypatch):
    monkeypatch.setattr(Spectrum, "_width", 64)
    monkeypatch.setattr(substrings, "TILE_PRODUCTS_PER_LIST_PRODUCT", 1)
    X = random_strings(200, 20, "ACDEFGHIKLMNPQRSTVWY")
    assert np.array_equal(Spectrum(2).matrix(X), twin.spectrum(X, X, 2))


@pytest.mark.parametrize("kernel", [Spectrum(3), Mismatch(4, 1, 4), Spectrum(2).normalize()])
def test_the_same_bits_on_any_number_of_threads(kernel):
    X, Y = random_strings(700, 40), random_strings(300, 40, seed=1)
    for args in ((X,), (X, Y)):
        one = kernel.matrix(*args, n_jobs=1)
        for n_jobs in (2, 7):
            assert np.array_equal(one, kernel.matrix(*args, n_jobs=n_jobs))
    K = kernel.matrix(X)
    assert np.array_equal(K[40:50], kernel.matrix(X[40:50], X))
    assert kernel.positive_definite
    assert mercer_check(kernel, X[:60])


def test_substrings_longer_than_numbers():
    """Beyond 62 bits, and tables beyond four times the letters, are numbered in between."""
    alphabet = [chr(256 + i) for i in range(3000)]
    X = random_strings(20, 60, alphabet)
    X += [string[7:] + "x" for string in X]
    for k in (5, 12):
        assert np.array_equal(Spectrum(k).matrix(X), twin.spectrum(X, X, k))
    X = random_strings(30, 90, "AC")
    assert np.array_equal(Spectrum(70).matrix(X), twin.spectrum(X, X, 70))


def test_any_container_of_str_or_bytes():
    pandas = pytest.importorskip("pandas")
    X = ["abab", "", "ba"]
    expected = twin.spectrum(X, X, 2)
    assert expected[0, 0] == 5
    for same in (
        tuple(X), np.array(X), np.array(X, object), pandas.Series(X), np.array(X).tolist(),
        [string.encode() for string in X], np.array([string.encode() for string in X]),
    ):  # fmt: skip
        assert np.array_equal(Spectrum(2).matrix(same), expected)
    assert np.array_equal(Spectrum(1).matrix([b"\x00\xff", b"\xff"]), [[2, 1], [1, 1]])
    assert np.array_equal(Spectrum(1).matrix(["\ud800a", "a\U0010ffff"]), [[2, 1], [1, 2]])


def test_strings_without_substrings():
    assert not Spectrum(3).matrix(["ab", "", "c"]).any()
    assert not Spectrum(1).matrix(["", ""]).any()
    assert not Spectrum(2).normalize().matrix(["a", ""]).any()
    assert not Mismatch(3, 1).matrix(["", "ab"]).any()
    counts, names = Spectrum(3).features(["ab", ""])
    assert counts.shape == (2, 0)
    assert names == []


def test_features_are_counts_in_order():
    X = ["abab", "cab", ""]
    counts, names = Spectrum(2).features(X)
    assert names == ["ab", "ba", "ca"]
    assert np.array_equal(counts.toarray(), [[2, 1, 0], [1, 0, 1], [0, 0, 0]])
    assert Spectrum(1).features([b"ba"])[1] == [b"a", b"b"]
    X = random_strings(30, 40, "ACDEF")
    counts, _ = Spectrum(3).features(X)
    assert counts.has_canonical_format
    assert np.array_equal((counts @ counts.T).toarray(), Spectrum(3).matrix(X))


def test_scikit_learn_counts_the_same():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    X = random_strings(60, 50)
    counter = text.CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False)
    counts = counter.fit_transform(X)
    ours, names = Spectrum(3).features(X)
    assert names == counter.get_feature_names_out().tolist()
    assert np.array_equal(ours.toarray(), counts.toarray())


def test_the_alphabet_comes_from_the_points_unless_given():
    X = ["ACG", "ACT", "AGT"]
    assert np.array_equal(Mismatch(3, 1).matrix(X), Mismatch(3, 1, 4).matrix(X))
    assert as_kernel(Mismatch(3, 1), X=X) == Mismatch(3, 1, 4)
    assert (
        as_kernel((Mismatch(3, 1) + Spectrum(2)).normalize(), X=X)
        == (Mismatch(3, 1, 4) + Spectrum(2)).normalize()
    )
    assert as_kernel(Mismatch(3, 1), X=[b"aa"]) == Mismatch(3, 1, 1)
    assert np.array_equal(Mismatch(3, 0).matrix(X), Spectrum(3).matrix(X))
    with pytest.raises(ValueError, match=r"letters that occur \(4\); got 3. Raise letters"):
        Mismatch(3, 1, 3).matrix(X)


@pytest.mark.parametrize(
    ("args", "error", "match"),
    [
        (("abc",), TypeError, "X must be a list of strings, all str or all bytes; got 'abc'"),
        (([],), ValueError, r"X has 0 sample\(s\)"),
        ((["a", None],), TypeError, r"got None \(NoneType\) at 1. Drop or convert it"),
        ((["a", b"a"],), TypeError, "got b'a' .bytes. at 1"),
        ((["a"], [b"a"]), TypeError, "X and Y must both hold str, or both bytes"),
        (([1.0, 2.0],), TypeError, "as Spectrum.k=3. takes strings; got 1.0 .float. at 0"),
        (
            (np.zeros((3, 2)),),
            ValueError,
            r"an array of shape \(3, 2\).* a kernel of rows",
        ),
        (([[1.0]],), TypeError, r"got \[1.0\] \(list\) at 0"),
        ((3,), TypeError, r"got 3 \(int\)"),
        ((["a"], "a"), TypeError, "Y must be a list of strings"),
    ],
)
def test_what_is_no_list_of_strings_is_named(args, error, match):
    with pytest.raises(error, match=match):
        Spectrum(3).matrix(*args)
