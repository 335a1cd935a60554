# SPDX-License-Identifier: BSD-3-Clause
"""Products of the columns of sparse rows, beside those of dense ones."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from statfast.preprocessing import PolynomialFeatures


def twin(X, least, degree, only, bias):
    """The terms in the order of itertools, each as a product of columns."""
    combine = combinations if only else combinations_with_replacement
    degrees = range(max(least, 1), degree + 1)
    terms = [()] * bias + [t for k in degrees for t in combine(range(X.shape[1]), k)]
    return np.column_stack([np.prod(X[:, list(t)], axis=1) for t in terms])


def sparse_rows(seed, n, d, density, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)) * (rng.random((n, d)) < density)
    return X.astype(dtype)


@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), d=st.integers(1, 6),
    density=st.sampled_from([0.0, 0.3, 1.0]), least=st.integers(0, 4), more=st.integers(0, 3),
    only=st.booleans(), bias=st.booleans(), kind=st.sampled_from(["csr", "csc", "coo"]),
    dtype=st.sampled_from([np.float64, np.float32, np.int64]),
)  # fmt: skip
def test_terms_are_the_twins(seed, n, d, density, least, more, only, bias, kind, dtype):
    X = sparse_rows(seed, n, d, density, dtype)
    degree = least + more
    if not bias and (degree == 0 or (only and max(least, 1) > d)):
        return  # No column is left, which is refused.
    model = PolynomialFeatures((least, degree), interaction_only=only, include_bias=bias)
    out = model.fit_transform(sparse.coo_array(X).asformat(kind))
    want = twin(X.astype(float), least, degree, only, bias)
    assert out.format == ("csc" if kind == "csc" else "csr")
    assert out.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert out.has_canonical_format
    assert out.nnz == np.count_nonzero(want)
    assert_allclose(out.toarray(), want)
    assert model.get_feature_names_out().shape == (want.shape[1],)
    assert_allclose(model.transform(X), want)


def test_stored_zeros_make_no_terms():
    X = sparse.csr_array(np.array([[1.0, 2.0, 3.0]]))
    X.data[1] = 0.0
    out = PolynomialFeatures(2, include_bias=False).fit_transform(X)
    assert out.nnz == 5
    assert X.nnz == 3  # The rows are left as they were.


def test_rows_beyond_one_call_of_the_kernel(monkeypatch):
    from statfast.preprocessing.bases import polynomials

    X = sparse.csr_array(sparse_rows(0, 50, 8, 0.4))
    whole = PolynomialFeatures(3).fit_transform(X)
    monkeypatch.setattr(polynomials, "TERMS_OF_CALL", 7)
    pieces = PolynomialFeatures(3).fit_transform(X)
    assert (pieces != whole).nnz == 0


def test_many_columns_have_places_of_64_bits():
    d = 200_000
    X = sparse.csr_array(([2.0, 3.0], ([0, 0], [5, d - 1])), shape=(2, d))
    out = PolynomialFeatures(2).fit_transform(X)
    assert out.shape == (2, 1 + d + d * (d + 1) // 2)
    assert out.indices.dtype == np.int64
    assert out[[0], [out.shape[1] - 1]][0] == 9.0
    assert out.data.tolist() == [1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 1.0]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="A product of columns of X"):
        PolynomialFeatures(3).fit_transform(sparse.csr_array([[1e200, 1.0]]))
    with pytest.raises(ValueError, match="A product of columns of X"):
        PolynomialFeatures(3).fit_transform(sparse.csr_array([[1e20, 1.0]], dtype=np.float32))
    wide = sparse.csr_array(np.ones((1, 300)))
    with pytest.raises(MemoryError, match="The columns made of X"):
        PolynomialFeatures(9).fit_transform(wide)
    with pytest.raises(ValueError, match="features"):
        PolynomialFeatures().fit(wide).transform(sparse.csr_array((2, 3)))
