# SPDX-License-Identifier: BSD-3-Clause
"""Boosting of targets of any size, and of targets that vary by any ratio."""

import warnings

import numpy as np
import pytest

from statfast import HistGradientBoostingRegressor

X = np.arange(200.0)[:, None]
Y = 2.0 + np.sin(X[:, 0] / 12.0)
HALVES = (X[:, 0] >= 100).astype(float)
QUANTILE = {"loss": "quantile", "quantile": 0.4}


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("power", [-1015, -1005, -990, 990, 1020])
@pytest.mark.parametrize(
    "params",
    [{"loss": loss} for loss in ("squared_error", "absolute_error", "poisson", "gamma")]
    + [QUANTILE],
    ids=lambda params: params["loss"],
)
def test_targets_of_any_size(params, power):
    model = HistGradientBoostingRegressor(max_iter=30, **params)
    want = model.fit(X, Y).predict(X)
    got = np.ldexp(model.fit(X, np.ldexp(Y, power)).predict(X), -power)
    np.testing.assert_allclose(got, want, rtol=1e-8)


@pytest.mark.parametrize("ratio", [1e5, 1e7, 1e9, 1e12, 1e20])
@pytest.mark.parametrize("n", [200, 20_000])
def test_gamma_targets_of_any_ratio(ratio, n):
    rows = (np.arange(n) >= n // 2).astype(float)[:, None]
    y = np.where(rows[:, 0] == 0.0, 1.0, ratio)
    said = HistGradientBoostingRegressor(loss="gamma").fit(rows, y).predict(rows)
    np.testing.assert_allclose(said, y, rtol=1e-3)
    y = np.where(rows[:, 0] == 0.0, ratio, 1.0)
    weights = 1e-3 + np.arange(n) % 3
    model = HistGradientBoostingRegressor(loss="gamma", monotonic_cst=[-1])
    np.testing.assert_allclose(model.fit(rows, y, weights).predict(rows), y, rtol=1e-3)


@pytest.mark.parametrize("ratio", [1e5, 1e9, 1e20])
def test_gamma_targets_of_categories_of_any_ratio(ratio):
    codes = np.arange(200) % 4
    y = ratio ** (codes / 3.0)
    model = HistGradientBoostingRegressor(loss="gamma", categorical_features=[0], max_iter=300)
    said = model.fit(codes[:, None].astype(float), y).predict(codes[:, None].astype(float))
    np.testing.assert_allclose(said, y, rtol=1e-2)


@pytest.mark.parametrize(
    "params", [{"loss": "absolute_error"}, {"loss": "quantile", "quantile": 0.5}]
)
@pytest.mark.parametrize("share", [0.45, 0.5, 0.55])
def test_rows_that_are_predicted_right_do_not_hide_others(params, share):
    y = (X[:, 0] >= 200 * (1.0 - share)).astype(float)  # the median is one of two values
    said = HistGradientBoostingRegressor(**params).fit(X, y).predict(X)
    np.testing.assert_allclose(said, y, atol=1e-3)
