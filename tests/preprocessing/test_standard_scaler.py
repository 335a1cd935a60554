# SPDX-License-Identifier: BSD-3-Clause
"""Scaled columns: scikit-learn's answers, however the rows come, and what cannot be scaled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import Chunks, StandardScaler

peer = pytest.importorskip("sklearn.preprocessing").StandardScaler


def sample(seed, n=60, d=5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.integers(-5, 6, d)
    X[:, rng.integers(d)] = 0.1
    return X, rng.integers(0, 4, n).astype(float)


@given(st.integers(0, 2**32), st.integers(1, 70), st.booleans(), st.booleans())
def test_the_answers_of_scikit_learn(seed, n, mean, std):
    X, w = sample(seed, n)
    w[0] += 1.0
    params = {"with_mean": mean, "with_std": std}
    for weights in (None, w):
        mine = StandardScaler(**params).fit(X, sample_weight=weights)
        other = peer(**params).fit(X, sample_weight=weights)
        assert mine.n_samples_seen_ == (
            other.n_samples_seen_ if mean or std or weights is None else w.sum()
        )
        for name in ("mean_", "var_", "scale_"):
            got, want = getattr(mine, name), getattr(other, name)
            assert (got is None) == (want is None)
            if want is not None:
                np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-25)
        Z = mine.transform(X)
        np.testing.assert_allclose(Z, other.transform(X), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(mine.inverse_transform(Z), X, rtol=1e-10, atol=1e-12)


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_rows_may_come_in_parts(seed, parts):
    X, w = sample(seed)
    whole = StandardScaler().fit(X, sample_weight=w)
    some = StandardScaler()
    for rows, weights in zip(np.array_split(X, parts), np.array_split(w, parts), strict=True):
        if weights.any():
            some.partial_fit(rows, sample_weight=weights)
    chunked = StandardScaler().fit(Chunks(lambda: np.array_split(X, parts)), sample_weight=w)
    for other in (some, chunked):
        np.testing.assert_allclose(other.mean_, whole.mean_, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(other.scale_, whole.scale_, rtol=1e-11)


def test_sparse_rows():
    X = sparse.random_array(
        (50, 4), density=0.3, random_state=np.random.default_rng(0), format="csr"
    )
    w = np.arange(50.0) % 3
    mine = StandardScaler(with_mean=False).fit(X, sample_weight=w)
    dense = StandardScaler(with_mean=False).fit(X.toarray(), sample_weight=w)
    np.testing.assert_allclose(mine.scale_, dense.scale_)
    np.testing.assert_allclose(mine.transform(X).toarray(), dense.transform(X.toarray()))
    np.testing.assert_allclose(mine.inverse_transform(mine.transform(X)).toarray(), X.toarray())
    mine.partial_fit(X)
    with pytest.raises(TypeError, match="Cannot center sparse matrices"):
        StandardScaler().fit(X)
    with pytest.raises(TypeError, match="Cannot center sparse matrices"):
        StandardScaler().fit(X.toarray()).transform(X)
    with pytest.raises(ValueError, match="expecting 4 features"):
        mine.transform(X[:, :2])
    with pytest.raises(ValueError, match="overflow"):
        StandardScaler(with_mean=False).fit(X * 1e200)


@pytest.mark.parametrize("first", [1e9, -1e12])
def test_an_outlier_first_takes_no_digits(first):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((5000, 3))
    X[0] = first
    mine = StandardScaler().fit(X)
    np.testing.assert_allclose(mine.var_, X.var(axis=0), rtol=1e-13)
    far = StandardScaler().fit(X[1:] + 1e8)
    np.testing.assert_allclose(far.scale_, (X[1:] + 1e8).std(axis=0), rtol=1e-9)


def test_constant_columns_are_let_be():
    X = np.full((1000, 2), 0.1)
    X[:, 1] = 1e300
    mine = StandardScaler().fit(X)
    assert mine.var_.tolist() == [0.0, 0.0]
    assert mine.scale_.tolist() == [1.0, 1.0]
    assert not mine.transform(X).any()


def test_what_cannot_be_scaled():
    with pytest.raises(ValueError, match="squares overflow"):
        StandardScaler().fit([[1e200], [-1e200]])
    with pytest.raises(ValueError, match="squares vanish"):
        StandardScaler().fit([[1e-200], [-1e-200]])
    scaler = StandardScaler().fit([[1e-100], [2e-100]])
    with pytest.raises(ValueError, match="X scaled contains infinity"):
        scaler.transform([[1e300]])


def test_names_and_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": [1.0, 2.0, 4.0], "v": [0.0, 5.0, 1.0]}, index=list("abc"))
    out = StandardScaler().set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["u", "v"]
    assert out.index.tolist() == ["a", "b", "c"]
    bare = StandardScaler().fit(frame.to_numpy())
    assert bare.get_feature_names_out().tolist() == ["x0", "x1"]
    assert bare.get_feature_names_out(["p", "q"]).tolist() == ["p", "q"]
    assert StandardScaler().fit(np.ones((2, 2), np.float32)).transform(
        np.ones((1, 2), np.float32)
    ).dtype == np.float32  # fmt: skip


def test_parts_too_far_apart_to_be_merged():
    model = StandardScaler().partial_fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="X holds values so large that their squares overflow"):
        model.partial_fit([[1e200], [1e200]])
    assert model.mean_.tolist() == [0.5]


@pytest.mark.parametrize("unit", [1e-80, 1e-6, 1e6, 1e16, 1e80])
def test_a_column_is_constant_or_not_whatever_its_rows_weigh(unit):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5.0, 1.0, 40), np.full(40, 0.1), 1e9 + rng.normal(size=40)])
    weights = 1.0 + np.arange(40) % 3
    plain = StandardScaler().fit(X, sample_weight=weights)
    other = StandardScaler().fit(X, sample_weight=unit * weights)
    np.testing.assert_allclose(other.scale_, plain.scale_, rtol=1e-12)
    assert plain.scale_[1] == other.scale_[1] == 1.0


def test_float32_rows_are_rounded_once():
    X = np.random.default_rng(0).normal(300.0, 7.0, size=(500, 3)).astype(np.float32)
    model = StandardScaler().fit(X)
    exact = (X.astype(np.float64) - model.mean_) / model.scale_
    np.testing.assert_array_equal(model.transform(X), exact.astype(np.float32))
