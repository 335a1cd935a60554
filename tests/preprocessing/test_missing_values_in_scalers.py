# SPDX-License-Identifier: BSD-3-Clause
"""Scalers pass over NaN: fits count the values that are there, and NaN stays in place."""

import numpy as np
import pytest
from scipy import sparse

from statfast import MinMaxScaler, RobustScaler, StandardScaler, cross_val_score
from statfast.ensemble import HistGradientBoostingRegressor
from statfast.pipeline import make_pipeline

SCALERS = [StandardScaler, MinMaxScaler, RobustScaler]


def rows_with_gaps(dtype=np.float64, n=200):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4)) * [1.0, 2.0, 3.0, 4.0] + [0.0, 1000.0, 2.0, 3.0]
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 3] = 7.0
    X[::3, 3] = np.nan
    return X.astype(dtype)


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_each_column_is_scaled_as_without_its_gaps(scaler, dtype):
    X = rows_with_gaps(dtype)
    model = scaler().fit(X)
    scaled = model.transform(X)
    assert scaled.dtype == dtype
    assert np.array_equal(np.isnan(scaled), np.isnan(X))
    back = model.inverse_transform(scaled)
    error = np.nanmax(np.abs(back - X), axis=0)
    assert (error <= 8.0 * np.finfo(dtype).eps * np.nanmax(np.abs(X), axis=0)).all()
    for j in range(X.shape[1]):
        there = ~np.isnan(X[:, j])
        alone = scaler().fit_transform(X[there, j][:, None])[:, 0]
        np.testing.assert_allclose(scaled[there, j], alone, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("scaler", SCALERS)
def test_answers_and_attributes_of_scikit_learn(scaler):
    peer = getattr(pytest.importorskip("sklearn.preprocessing"), scaler.__name__)
    X = rows_with_gaps()
    theirs, ours = peer().fit(X), scaler().fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-10, atol=1e-12)
    for name, value in vars(theirs).items():
        if name.endswith("_"):
            np.testing.assert_allclose(getattr(ours, name), value, rtol=1e-10, err_msg=name)


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.filterwarnings("error")
def test_a_column_without_values_stays_nan(scaler):
    X = rows_with_gaps()
    X[:, 1] = np.nan
    scaled = scaler().fit_transform(X)
    assert np.isnan(scaled[:, 1]).all()
    others = [0, 2, 3]
    np.testing.assert_array_equal(scaled[:, others], scaler().fit_transform(X[:, others]))


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler])
def test_batches_add_up_whatever_each_of_them_lacks(scaler):
    X = rows_with_gaps()
    X[:50, 0] = np.nan  # the first batch has no value of it
    whole, batches = scaler().fit(X), scaler()
    for start in range(0, len(X), 50):
        batches.partial_fit(X[start : start + 50])
    np.testing.assert_allclose(batches.transform(X), whole.transform(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(batches.n_samples_seen_, whole.n_samples_seen_)


def test_weights_equal_repeated_rows():
    X = rows_with_gaps()
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    weighted = StandardScaler().fit(X, sample_weight=weights)
    repeated = StandardScaler().fit(np.repeat(X, weights, axis=0))
    np.testing.assert_array_equal(weighted.n_samples_seen_, repeated.n_samples_seen_)
    np.testing.assert_allclose(weighted.mean_, repeated.mean_, rtol=1e-12)
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-12)
    weights[~np.isnan(X[:, 0])] = 0  # no value of the first column counts
    assert np.isnan(StandardScaler().fit(X, sample_weight=weights).mean_[0])


@pytest.mark.parametrize(
    "scaler", [StandardScaler(with_mean=False), RobustScaler(with_centering=False)]
)
def test_stored_gaps_of_sparse_rows(scaler):
    rows = sparse.random_array((60, 5), density=0.5, rng=np.random.default_rng(0), format="csr")
    rows.data[::7] = np.nan
    dense = scaler.fit(rows.toarray()).transform(rows.toarray())
    np.testing.assert_allclose(scaler.fit(rows).transform(rows).toarray(), dense, rtol=1e-10)


@pytest.mark.parametrize("scaler", SCALERS)
def test_infinity_is_refused_beside_nan(scaler):
    X = rows_with_gaps()
    model = scaler().fit(X)
    X[17, 2] = -np.inf
    for call in (scaler().fit, model.transform, model.inverse_transform):
        with pytest.raises(ValueError, match=r"X contains infinity.*row 17, column 2"):
            call(X)


def test_folds_of_a_pipeline_pass_gaps_on_to_a_model_that_takes_them():
    X = rows_with_gaps()
    y = np.nan_to_num(X[:, 0])
    model = HistGradientBoostingRegressor(max_iter=10)
    scores = cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=4)
    np.testing.assert_allclose(scores, cross_val_score(model, X, y, cv=4), atol=0.05)
