# SPDX-License-Identifier: BSD-3-Clause
"""Bins of columns: edges, numbers of bins, and the way back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import KBinsDiscretizer
from statfast.preprocessing.bases.quantiles import step_quantiles

STRATEGIES = ("uniform", "quantile", "kmeans")


def peer(**params):
    return pytest.importorskip("sklearn.preprocessing").KBinsDiscretizer(**params)


def dense(table):
    return table.toarray() if hasattr(table, "toarray") else table


def samples(n=59, ties=True):
    """A prime number of rows, whose quantiles are those of numpy to the last bit."""
    rng = np.random.default_rng(0)
    third = rng.integers(0, 30, n) if ties else rng.uniform(0, 30, n)
    return np.column_stack([rng.normal(size=n), rng.uniform(size=n), third])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_bins", [2, 5, [3, 2, 7]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scikit_learn_cuts_the_same_bins(n_bins, strategy, encode, weighted, dtype):
    # Which center is nearest to a value between two is decided by rounding.
    X = samples(ties=strategy != "kmeans").astype(dtype)
    weights = np.where(np.arange(len(X)) % 5 == 0, 0.0, 1.37) if weighted else None
    params = {"n_bins": n_bins, "strategy": strategy, "encode": encode}
    ours = KBinsDiscretizer(**params).fit(X, sample_weight=weights)
    theirs = peer(**params).fit(X, sample_weight=weights)
    assert ours.n_bins_.tolist() == theirs.n_bins_.tolist()
    for mine, other in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-6)
    made, wanted = ours.transform(X), theirs.transform(X)
    assert made.dtype == wanted.dtype
    assert type(made).__name__.startswith("csr" if encode == "onehot" else "ndarray")
    # A value at an edge may be on either side of an edge in another precision.
    assert (dense(made) != dense(wanted)).mean() < (0.02 if dtype == np.float32 else 1e-9)
    np.testing.assert_allclose(
        ours.inverse_transform(wanted), theirs.inverse_transform(wanted), rtol=1e-5, atol=1e-6
    )
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("method", [
    "inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased",
])  # fmt: skip
def test_definitions_of_quantiles(method):
    X = samples()[:, :2]
    ours = KBinsDiscretizer(4, quantile_method=method).fit(X)
    theirs = peer(n_bins=4, quantile_method=method).fit(X)
    for mine, other in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13)


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), min_size=1, max_size=30),
    st.integers(1, 12),
    st.booleans(),
)
def test_quantiles_of_weights_are_those_of_repeated_values(pairs, parts, average):
    values, times = (np.array(column) for column in zip(*pairs, strict=True))
    times[0] += 1
    shares = np.arange(parts + 1) / parts
    made = step_quantiles(values * 1.0, times * 1.0, shares, average)
    rows = np.sort(values.repeat(times))
    n = len(rows)
    for j, quantile in enumerate(made):  # by whole numbers, which are not rounded
        low = rows[max(-(-j * n // parts), 1) - 1]
        high = rows[min(j * n // parts, n - 1)]
        assert quantile == ((low + high) / 2 if average else low)
    np.testing.assert_array_equal(made, step_quantiles(rows * 1.0, None, shares, average))


def test_quantiles_where_numpy_misses_the_middle_of_a_step():
    X = np.arange(171.0)[:, None]
    edges = KBinsDiscretizer(6).fit(X).bin_edges_[0]
    assert edges.tolist() == [0.0, 28.0, 56.5, 85.0, 113.5, 142.0, 170.0]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_weights_are_repeated_rows(strategy):
    rng = np.random.default_rng(1)
    X, times = rng.lognormal(size=(40, 2)), rng.integers(0, 4, 40)
    weighted = KBinsDiscretizer(4, strategy=strategy).fit(X, sample_weight=times)
    repeated = KBinsDiscretizer(4, strategy=strategy).fit(X.repeat(times, 0))
    for mine, other in zip(weighted.bin_edges_, repeated.bin_edges_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("k", [2, 5, 8])
def test_centers_are_means_of_what_is_nearest(seed, k):
    x = np.random.default_rng(seed).lognormal(sigma=1.5, size=80)
    edges = KBinsDiscretizer(k, strategy="kmeans").fit(x[:, None]).bin_edges_[0]
    bins = np.searchsorted(edges[1:-1], x, side="right")
    means = np.array([x[bins == b].mean() for b in range(k)])
    np.testing.assert_allclose(edges[1:-1], (means[1:] + means[:-1]) / 2, rtol=1e-12)


def test_centers_of_few_values_and_far_from_zero():
    few = KBinsDiscretizer(5, strategy="kmeans")
    with pytest.warns(UserWarning, match="too small"):
        few.fit([[1.0], [2.0], [2.0], [4.0]])
    assert few.bin_edges_[0].tolist() == [1.0, 1.5, 3.0, 4.0]
    x = np.array([0.0, 1.0, 2.0, 50.0, 51.0, 90.0])
    near = KBinsDiscretizer(3, strategy="kmeans").fit(x[:, None]).bin_edges_[0]
    far = KBinsDiscretizer(3, strategy="kmeans").fit(x[:, None] + 2.0**40).bin_edges_[0]
    np.testing.assert_allclose(far - 2.0**40, near, atol=1e-3)


def test_a_constant_column_comes_back():
    X = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0]])
    model = KBinsDiscretizer(2, encode="ordinal", strategy="uniform")
    with pytest.warns(UserWarning, match="Feature 1 is constant"):
        model.fit(X)
    assert model.bin_edges_[1].tolist() == [-np.inf, np.inf]
    assert model.n_bins_.tolist() == [2, 1]
    assert model.inverse_transform(model.transform(X)).tolist() == [[1.75, 7], [1.75, 7], [3.25, 7]]


def test_the_unit_of_a_column_leaves_its_bins():
    X = samples()
    for strategy in STRATEGIES:
        model = KBinsDiscretizer(4, encode="ordinal", strategy=strategy)
        tiny = X * 2.0**-40
        np.testing.assert_array_equal(model.fit_transform(tiny), model.fit_transform(X))


def test_types_of_what_is_given():
    X = samples()
    for encode in ("onehot", "onehot-dense", "ordinal"):
        model = KBinsDiscretizer(3, encode=encode, dtype=np.float32).fit(X)
        made = model.transform(X)
        assert made.dtype == np.float32
        assert model.inverse_transform(made).dtype == np.float32
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    made = KBinsDiscretizer(2, encode="onehot-dense").set_output(transform="pandas")
    assert made.fit_transform(frame).columns.tolist()[:2] == ["a_0.0", "a_1.0"]
    assert KBinsDiscretizer(2, subsample=10, random_state=0).fit(X).n_bins_.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("params", "X", "message"),
    [
        ({"n_bins": 1}, [[1.0], [2.0]], "n_bins must be at least 2; got 1"),
        ({"n_bins": [2, 3]}, [[1.0], [2.0]], r"n_bins must be a scalar or array of shape"),
        ({"n_bins": [2.5]}, [[1.0], [2.0]], "at indices 0: n_bins must hold integers"),
        ({"n_bins": "many"}, [[1.0], [2.0]], "n_bins must be an integer"),
        ({"dtype": int}, [[1.0], [2.0]], "dtype must be numpy.float32"),
        ({}, [[-1.7e308], [1.7e308]], "so far apart that their difference overflows"),
        ({}, [[np.nan], [1.0]], "X contains NaN"),
    ],
)
def test_refusals(params, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        KBinsDiscretizer(**params).fit(X)


def test_refusals_of_weights_and_of_bins():
    X = samples()
    with pytest.raises(ValueError, match="quantile_method must be 'averaged_inverted_cdf' or"):
        KBinsDiscretizer(quantile_method="linear").fit(X, sample_weight=np.ones(len(X)))
    model = KBinsDiscretizer(3, encode="ordinal").fit(X)
    for wrong in (3.0, -1.0):
        with pytest.raises(ValueError, match="whose bins are numbered from 0 to 2"):
            model.inverse_transform([[0.0, wrong, 0.0]])
    with pytest.raises(ValueError, match="X has 2 features, but 3"):
        model.inverse_transform([[0.0, 1.0]])
    with pytest.raises(ValueError, match="Expected 9 columns"):
        KBinsDiscretizer(3).fit(X).inverse_transform([[0.0, 1.0]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("bins", [2, 7, 33, 34, 60])
def test_a_value_is_in_the_bin_whose_lower_edge_it_is_the_last_to_reach(bins, kind):
    """Few and many edges, several blocks of rows, values on the edges and beyond them."""
    rng = np.random.default_rng(bins)
    train = np.column_stack([rng.standard_normal(500), rng.integers(0, 4, 500), np.full(500, 3.0)])
    model = KBinsDiscretizer(bins, encode="ordinal").fit(train)
    draws = rng.integers(0, 2 * bins, (40_000, 3))
    X = np.column_stack(
        [np.resize(np.append(e, [-9.0, 9.0]), 2 * bins)[d]
         for e, d in zip(model.bin_edges_, draws.T, strict=True)]
    ).clip(-1e3, 1e3).astype(kind)  # fmt: skip
    got = model.transform(X)
    assert got.dtype == kind
    for j, edges in enumerate(model.bin_edges_):
        inner = edges[1:-1]
        want = np.array([(inner <= value).sum() for value in np.unique(X[:, j])])
        assert (got[:, j] == want[np.searchsorted(np.unique(X[:, j]), X[:, j])]).all()
