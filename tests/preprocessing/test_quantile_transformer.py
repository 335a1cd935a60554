# SPDX-License-Identifier: BSD-3-Clause
"""Columns mapped to a uniform or normal distribution by their quantiles."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm

from statfast import QuantileTransformer
from statfast.preprocessing import quantile_transform


def peer(**params):
    return pytest.importorskip("sklearn.preprocessing").QuantileTransformer(**params)


def samples(n=120):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.exponential(size=n), rng.integers(0, 6, n)])
    X[4, 0] = X[9, 2] = np.nan
    return X


@pytest.mark.filterwarnings("ignore:n_quantiles")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("output_distribution", ["uniform", "normal"])
@pytest.mark.parametrize("n_quantiles", [2, 7, 120, 1000])
def test_scikit_learn_maps_the_same(n_quantiles, output_distribution, dtype):
    X = samples().astype(dtype)
    params = {"n_quantiles": n_quantiles, "output_distribution": output_distribution}
    # In float32, scikit-learn does not see that a value is the largest.
    ours, theirs = QuantileTransformer(**params).fit(X), peer(**params).fit(X.astype(float))
    assert ours.n_quantiles_ == theirs.n_quantiles_
    near = 1e-8 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(ours.references_, theirs.references_)
    np.testing.assert_allclose(ours.quantiles_, theirs.quantiles_, rtol=near, atol=near)
    for rows in (X, (X * 1.3 - 0.1).astype(dtype)):
        made, wanted = ours.transform(rows), theirs.transform(rows.astype(float))
        assert made.dtype == dtype
        np.testing.assert_allclose(made, wanted, atol=near)
        back = ours.inverse_transform(wanted)
        np.testing.assert_allclose(back, theirs.inverse_transform(wanted), atol=10 * near)


@pytest.mark.filterwarnings("ignore:n_quantiles")
@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize("output_distribution", ["uniform", "normal"])
@pytest.mark.parametrize("n_quantiles", [5, 41])
def test_sparse_samples(n_quantiles, output_distribution, ignore):
    rng = np.random.default_rng(2)
    table = rng.uniform(1, 9, (60, 4)) * (rng.random((60, 4)) < 0.4)
    table[:, 3] = 0.0
    X = sparse.csr_array(table)
    params = {
        "n_quantiles": n_quantiles, "output_distribution": output_distribution,
        "ignore_implicit_zeros": ignore,
    }  # fmt: skip
    ours, theirs = QuantileTransformer(**params).fit(X), peer(**params).fit(X)
    np.testing.assert_allclose(ours.quantiles_, theirs.quantiles_, atol=1e-12)
    made, wanted = ours.transform(X), theirs.transform(X)
    assert made.format == "csr"
    np.testing.assert_allclose(made.toarray(), wanted.toarray(), atol=1e-8)
    np.testing.assert_array_equal(X.toarray(), table)
    back, other = ours.inverse_transform(made), theirs.inverse_transform(wanted)
    np.testing.assert_allclose(back.toarray(), other.toarray(), atol=1e-8)
    if ignore or output_distribution == "normal":
        return
    dense = QuantileTransformer(n_quantiles=n_quantiles).fit(table)
    np.testing.assert_allclose(dense.transform(table), made.toarray(), atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_as_many_quantiles_as_samples_give_ranks(n):
    x = np.random.default_rng(3).normal(size=n) ** 3
    made = QuantileTransformer(n_quantiles=n).fit_transform(x[:, None])[:, 0]
    np.testing.assert_allclose(made, np.argsort(np.argsort(x)) / max(n - 1, 1), atol=1e-12)


def test_rising_functions_and_units_change_nothing():
    x = np.random.default_rng(4).normal(size=(99, 1))
    normal = QuantileTransformer(n_quantiles=99, output_distribution="normal")
    plain = normal.fit_transform(x)
    for changed in (np.exp(x), x**3, x * 2.0**-60, x * 2.0**60):
        np.testing.assert_allclose(normal.fit_transform(changed), plain, atol=1e-9)
    wanted = norm.ppf(np.argsort(np.argsort(x[:, 0])) / 98).clip(-5.2, 5.2)
    np.testing.assert_allclose(plain[:, 0], wanted, atol=1e-3)


def test_all_samples_are_looked_at():
    x = np.random.default_rng(5).normal(size=(30_000, 1))
    model = QuantileTransformer(n_quantiles=11, subsample=100, random_state=0).fit(x)
    wanted = np.quantile(x, np.linspace(0, 1, 11))
    np.testing.assert_allclose(model.quantiles_[:, 0], wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ends_come_back(dtype):
    X = np.linspace(-3, 8, 40, dtype=dtype)[:, None]
    model = QuantileTransformer(n_quantiles=40, output_distribution="normal").fit(X)
    made = model.transform(np.array([[-99.0], [-3.0], [8.0], [99.0]], dtype=dtype))
    np.testing.assert_allclose(made[:, 0], [-5.1993376, -5.1993376, 5.1993376, 5.1993376])
    assert model.inverse_transform(made)[:, 0].tolist() == [-3.0, -3.0, 8.0, 8.0]


def test_columns_without_values_and_huge_ones():
    X = np.array([[np.nan, -1.6e308], [np.nan, 1.6e308], [np.nan, 1.2e308]])
    model = QuantileTransformer(n_quantiles=2).fit(X)
    made = model.transform([[1.0, 0.0], [np.nan, 1.6e308]])
    np.testing.assert_allclose(made, [[np.nan, 0.5], [np.nan, 1.0]])
    np.testing.assert_allclose(model.inverse_transform([[0.5, 0.75]]), [[np.nan, 8e307]])


def test_warnings_and_refusals():
    with pytest.warns(UserWarning, match=r"n_quantiles \(1000\) is greater than the total number"):
        assert QuantileTransformer().fit([[1.0], [2.0]]).n_quantiles_ == 2
    with pytest.warns(UserWarning, match="takes effect only with sparse"):
        QuantileTransformer(n_quantiles=2, ignore_implicit_zeros=True).fit([[1.0], [2.0]])
    negative = sparse.csr_array(np.array([[1.0, -2.0], [0.0, 3.0]]))
    model = QuantileTransformer(n_quantiles=2)
    with pytest.raises(ValueError, match="only accepts non-negative sparse matrices"):
        model.fit(negative)
    with pytest.raises(ValueError, match="only accepts non-negative sparse matrices"):
        model.fit(abs(negative)).transform(negative)
    with pytest.raises(ValueError, match="X contains infinity"):
        model.fit([[np.inf], [1.0]])
    with pytest.raises(ValueError, match="X has 1 features, but"):
        model.fit(abs(negative)).transform(sparse.csr_array((2, 1)))


def test_the_function_maps_rows_too():
    X = samples()[:, :2]
    by_columns = quantile_transform(X, n_quantiles=10, output_distribution="normal")
    model = QuantileTransformer(n_quantiles=10, output_distribution="normal")
    np.testing.assert_array_equal(by_columns, model.fit_transform(X))
    turned = quantile_transform(X.T, axis=1, n_quantiles=10, output_distribution="normal")
    np.testing.assert_array_equal(turned.T, by_columns)
    assert quantile_transform([3.0, 1.0, 2.0], n_quantiles=3).tolist() == [1.0, 0.0, 0.5]
