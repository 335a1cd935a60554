# SPDX-License-Identifier: BSD-3-Clause
"""What screening leaves out is not active at the solution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import enet_path
from statfast.linear.design.columns import Columns
from statfast.linear.penalized.coordinate_descent import Descent
from tests.data import correlated_columns
from tests.reference.lasso import elastic_net


def table(n, p, seed, rho):
    rng = np.random.default_rng(seed)
    X = correlated_columns(rng, n, p, rho)
    return X, X[:, : max(1, p // 5)].sum(1) + rng.standard_normal(n)


@settings(max_examples=25)
@given(
    n=st.integers(5, 25), extra=st.integers(1, 25), seed=st.integers(0, 2**32 - 1),
    rho=st.sampled_from([0.0, 0.9]), share=st.sampled_from([0.7, 0.3, 0.1]),
    ratio=st.sampled_from([1.0, 0.6]), positive=st.booleans(), rough=st.sampled_from([1e-1, 1e-4]),
)  # fmt: skip
def test_columns_proved_inactive_are_zero(n, extra, seed, rho, share, ratio, positive, rough):
    """At any point: here at solutions so rough that the proof has to do with a large gap."""
    X, y = table(n, n + extra, seed, rho)
    y = y - y.mean()
    columns = Columns(X, None, True, False)
    coordinate_descent = Descent(columns, y, positive)
    if coordinate_descent.largest == 0:
        return
    alpha = share * coordinate_descent.largest / n / ratio
    l1, l2 = n * alpha * ratio, n * alpha * (1 - ratio)
    coordinate_descent.solve(l1, l2, np.inf, rough, 3)
    best, _ = elastic_net(X, y, alpha, ratio, positive=positive)
    assert np.abs(best[coordinate_descent.spared]).max(initial=0.0) <= 1e-9 * np.abs(best).max()


def test_something_is_proved():
    X, y = table(40, 120, 1, 0.5)
    coordinate_descent = Descent(Columns(X, None, True, False), y - y.mean())
    coordinate_descent.solve(0.3 * coordinate_descent.largest, 0.0, np.inf, 1e-10, 1000)
    assert coordinate_descent.spared.sum() > 60


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_paths_with_and_without_the_proof(ratio, monkeypatch):
    X, y = table(50, 150, 2, 0.8)
    with_it = enet_path(X, y, l1_ratio=ratio, alphas=30, tol=1e-13)
    monkeypatch.setattr(Descent, "_spare", lambda *args: None)
    without = enet_path(X, y, l1_ratio=ratio, alphas=30, tol=1e-13)
    np.testing.assert_allclose(with_it.coefs, without.coefs, atol=1e-6)  # gaps are 1e-13
    assert (with_it.dual_gaps <= 1e-13 * ((y - y.mean()) ** 2).mean()).all()


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_strong_rule_that_is_wrong_is_repaired(ratio, monkeypatch):
    """Columns that no rule suspects are found by the pass over all of them."""
    from statfast.linear.penalized import coordinate_descent

    X, y = table(50, 150, 3, 0.8)
    right = enet_path(X, y, l1_ratio=ratio, alphas=20, tol=1e-13)
    monkeypatch.setattr(coordinate_descent, "SUSPECTED_SHARE_OF_MARGIN", -5.0)
    late = enet_path(X, y, l1_ratio=ratio, alphas=20, tol=1e-13)
    np.testing.assert_allclose(late.coefs, right.coefs, atol=1e-6)  # gaps are 1e-13
