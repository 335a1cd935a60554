# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of moved and scaled columns, and what rows give with them."""

import numpy as np
import pytest

from statfast.linear.design.design import MAX_NUMBERS_OF_ONE_PRODUCT, linear_values
from statfast.linear.design.standardization import Standardization
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.links import LINKS


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize(
    "n", [5, MAX_NUMBERS_OF_ONE_PRODUCT // 4 + 1, 4 * MAX_NUMBERS_OF_ONE_PRODUCT]
)
def test_values_of_rows(n, targets, dtype):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4)).astype(dtype)
    coef = rng.normal(size=4 if targets is None else (targets, 4))
    intercept = rng.normal(size=() if targets is None else targets)
    expected = X.astype(float) @ coef.T + intercept
    values = linear_values(X, coef, intercept, n_jobs=2)
    assert values.dtype == dtype
    np.testing.assert_allclose(values, expected, rtol=16 * np.finfo(dtype).eps, atol=1e-6)
    if targets is None:
        offset = rng.normal(size=n)
        values = linear_values(X, coef, intercept, offset, dtype=np.float64)
        np.testing.assert_allclose(values, expected + offset, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("intercept", [False, True])
def test_coefficients_of_moved_rows_and_back(intercept):
    rng = np.random.default_rng(0)
    X, y = rng.normal(3, 1, (30, 4)), rng.normal(size=30)
    b = rng.normal(size=4 + intercept)
    rows = ModelRows(X, y, None, None, FAMILIES["gaussian"], LINKS["identity"], intercept)
    assert (np.abs(rows.shift) > 1).all() == intercept
    np.testing.assert_allclose(rows.from_user(rows.to_user(b)), b, rtol=1e-13)
    moved = X - rows.shift
    there = (b[0] + moved @ b[1:]) if intercept else moved @ b
    user = rows.to_user(b)
    np.testing.assert_allclose((user[0] + X @ user[1:]) if intercept else X @ user, there)
    frame = Standardization(intercept, rows.shift, rng.uniform(0.5, 2, 4), np.ones(4))
    values = frame.design(X) @ b
    np.testing.assert_allclose(frame.from_user((frame.to_user() @ b)[None])[0], b, rtol=1e-13)
    user = frame.to_user() @ b
    np.testing.assert_allclose((user[0] + X @ user[1:]) if intercept else X @ user, values)
