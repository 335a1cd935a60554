# SPDX-License-Identifier: BSD-3-Clause
"""Ranges, medians and missing values: by definition and by scikit-learn's answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from statfast import Chunks, MinMaxScaler, RobustScaler, SimpleImputer

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4)) * [1.0, 10.0, 1e-3, 0.0] + [0.0, 1e6, 5.0, 2.0]


def peer(name):
    return getattr(pytest.importorskip("sklearn.preprocessing"), name)


@pytest.mark.parametrize("how", [{}, {"feature_range": (-1, 2)}, {"clip": True}])
def test_min_max(how):
    ours, other = MinMaxScaler(**how).fit(X), peer("MinMaxScaler")(**how).fit(X)
    for name in ("data_min_", "data_max_", "data_range_", "scale_", "min_", "n_samples_seen_"):
        assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-12)
    assert_allclose(ours.transform(1.1 * X), other.transform(1.1 * X), rtol=1e-7, atol=1e-9)
    Z = ours.transform(X)
    assert_allclose(Z.min(axis=0), how.get("feature_range", (0, 1))[0], atol=1e-12)
    assert_allclose(ours.inverse_transform(Z), X, rtol=1e-9)


def test_min_max_in_parts():
    whole = MinMaxScaler().fit(X)
    model = MinMaxScaler().partial_fit(X[:7]).partial_fit(X[7:])
    for other in (model, MinMaxScaler().fit(Chunks([X[:30], X[30:]]))):
        assert np.array_equal(other.data_max_, whole.data_max_)
        assert np.array_equal(other.scale_, whole.scale_)
        assert other.n_samples_seen_ == 60
    columns, state = model._prepare(X)
    parts = [model._statistics((columns[0][some],), state) for some in (slice(9), slice(9, 60))]
    assert np.array_equal(MinMaxScaler()._solve(parts[0] + parts[1], state).min_, whole.min_)
    with pytest.raises(ValueError, match="X has 3 features"):
        model.partial_fit(X[:, :3])


@pytest.mark.parametrize("how", [{}, {"unit_variance": True}, {"quantile_range": (10, 90)},
                                 {"with_centering": False}, {"with_scaling": False}])  # fmt: skip
def test_robust(how):
    ours, other = RobustScaler(**how).fit(X), peer("RobustScaler")(**how).fit(X)
    for name in ("center_", "scale_"):
        if getattr(other, name) is None:
            assert getattr(ours, name) is None
        else:
            assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-12)
    assert_allclose(ours.transform(X), other.transform(X), rtol=1e-12)
    assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-12)


def test_robust_of_sparse_rows():
    S = sparse.random_array(
        (80, 5), density=0.7, random_state=np.random.default_rng(1), format="csr"
    )
    ours = RobustScaler(with_centering=False).fit(S)
    dense = RobustScaler(with_centering=False).fit(S.toarray())
    assert_allclose(ours.scale_, dense.scale_)
    assert_allclose(ours.transform(S).toarray(), dense.transform(S.toarray()))
    with pytest.raises(TypeError, match="Cannot center sparse matrices"):
        RobustScaler().fit(S)


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("indicator", [False, True])
@pytest.mark.parametrize("missing", [np.nan, -1.0])
def test_imputer(strategy, indicator, missing):
    impute = pytest.importorskip("sklearn.impute")
    A = np.round(RNG.standard_normal((50, 4)), 1)
    A[RNG.random(A.shape) < 0.2] = missing
    A[:, 3] = np.abs(A[:, 3]) if missing == missing else 1.0
    how = {"strategy": strategy, "add_indicator": indicator, "missing_values": missing}
    ours, other = SimpleImputer(**how).fit(A), impute.SimpleImputer(**how).fit(A)
    assert_allclose(ours.statistics_, other.statistics_.astype(float), atol=1e-12)
    B = A.copy()
    assert_allclose(ours.transform(A), other.transform(A).astype(float), atol=1e-12)
    assert np.array_equal(A, B, equal_nan=True)
    assert ours.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()


def test_columns_without_values():
    A = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    with pytest.warns(UserWarning, match=r"all their values are missing: column\(s\) 0"):
        model = SimpleImputer().fit(A)
    assert model.transform(A).tolist() == [[1.0], [3.0]]
    assert SimpleImputer(keep_empty_features=True).fit_transform(A)[:, 0].tolist() == [0.0, 0.0]


def test_refusals():
    with pytest.raises(ValueError, match="feature_range must hold a number and a larger one"):
        MinMaxScaler((1, 0)).fit(X)
    with pytest.raises(TypeError, match="feature_range must be a pair"):
        MinMaxScaler(3).fit(X)
    with pytest.raises(ValueError, match="quantile_range must rise"):
        RobustScaler(quantile_range=(75, 25)).fit(X)
    bad = X.copy()
    bad[2, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN, first at row 2, column 1"):
        SimpleImputer(missing_values=-1.0).fit(bad)
    bad[2, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        SimpleImputer().fit(bad)


@pytest.mark.parametrize("pair", [[[1.0, 2.0], [3.0]], np.array(0.0), np.eye(2), 3, None, (1,)])
def test_ranges_are_pairs(pair):
    for model in (MinMaxScaler(feature_range=pair), RobustScaler(quantile_range=pair)):
        with pytest.raises(TypeError, match=r"_range must be a (pair of|number)"):
            model.fit([[0.0], [1.0]])


@pytest.mark.parametrize("ends", [(0.0, 50.0), (50.0, 100.0)])
def test_the_normal_distribution_has_no_extremes(ends):
    X = np.arange(9.0)[:, None]
    assert RobustScaler(quantile_range=ends).fit(X).scale_.tolist() == [4.0]
    with pytest.raises(ValueError, match="quantile_range must lie between 0 and 100 with unit"):
        RobustScaler(quantile_range=ends, unit_variance=True).fit(X)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("strategy", ["mean", "constant"])
def test_imputer_in_parts(form, strategy):
    rows = X.copy()
    rows[RNG.random(rows.shape) < 0.3] = np.nan
    rows[:20, 1] = np.nan  # a column without values in the first part
    whole = SimpleImputer(strategy=strategy, add_indicator=True).fit(form(rows))
    parts = SimpleImputer(strategy=strategy, add_indicator=True, keep_empty_features=True)
    for part in np.split(rows, [20, 30]):
        parts.partial_fit(form(part))
    assert_allclose(parts.statistics_, whole.statistics_, rtol=1e-13)
    assert parts.indicator_features_.tolist() == whole.indicator_features_.tolist()
    parts.fit(form(rows[:7]))  # starts anew
    assert_allclose(parts.statistics_[0], np.nanmean(rows[:7, 0]) if strategy == "mean" else 0.0)


def test_imputer_in_parts_keeps_names_and_refuses():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, np.nan], "b": [2.0, 4.0]})
    model = SimpleImputer().partial_fit(frame).partial_fit(frame * 3.0)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.statistics_.tolist() == [2.0, 6.0]
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[["a"]])
    for strategy in ("median", "most_frequent", np.max):
        with pytest.raises(ValueError, match="Call fit with all rows"):
            SimpleImputer(strategy=strategy).partial_fit(frame)
    model = SimpleImputer(strategy="constant").partial_fit([[1.0]])
    with pytest.raises(ValueError, match="other than numbers"):
        model.partial_fit([["one"]])
