# SPDX-License-Identifier: BSD-3-Clause
"""The axioms of a metric on data, and open balls."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from statfast.metrics import metric_check, open_ball

X = np.random.default_rng(0).normal(size=(25, 3))


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev", "mahalanobis"])
def test_metrics_are_metrics(name):
    found = metric_check(name, X)
    assert found
    assert str(found) == "A metric on these 25 points."
    own = {"manhattan": "cityblock"}.get(name, name)
    more = {"VI": np.linalg.inv(np.cov(X.T))} if name == "mahalanobis" else {}
    np.testing.assert_allclose(found.distances, cdist(X, X, own, **more), rtol=1e-9, atol=1e-12)


def test_the_triple_that_breaks_the_inequality():
    found = metric_check("sqeuclidean", X)
    assert not found
    i, j, k = found.triangle
    D = cdist(X, X, "sqeuclidean")
    gaps = D[:, None, :] - D[:, :, None] - D[None, :, :]  # (i, j, k)
    assert found.excess == pytest.approx(gaps.max())
    assert gaps[i, j, k] == pytest.approx(gaps.max())
    assert found.symmetry is None
    assert f"d({i}, {k})" in str(found)


def test_each_axiom_is_told():
    points = [0.0, 1.0, 4.0]
    assert metric_check(lambda a, b: abs(a - b), points)
    assert metric_check(lambda a, b: a - b, points).nonnegative == (0, 2)
    assert metric_check(lambda a, b: abs(a - b) + 1.0, points).identity == (0, 0)
    assert metric_check(lambda a, b: 0.0, points).identity == (0, 1)
    lame = metric_check(lambda a, b: abs(a - b) * (2.0 if a < b else 1.0), points)
    assert sorted(lame.symmetry) == [0, 2]
    assert "but d(" in str(lame)


def test_objects_of_any_kind():
    def hamming(a, b):
        return sum(x != y for x, y in zip(a, b, strict=True))

    assert metric_check(hamming, ["abc", "abc", "xyz"])
    assert metric_check("euclidean", [[0.0], [0.0], [1.0]])  # equal points are no distance apart
    assert metric_check("euclidean", [[1.0, 2.0]])


@pytest.mark.parametrize(
    ("d", "points", "error", "words"),
    [
        (3, X, TypeError, "d must be a function"),
        (lambda a, b: np.nan, X, ValueError, "NaN for points 0 and 0"),
        (lambda a, b: "far", X, TypeError, "got 'far' for points 0 and 0"),
        (lambda a, b: 0.0, [], ValueError, "X must hold points"),
        ("no such", X, ValueError, "metric"),
    ],
)
def test_refusals(d, points, error, words):
    with pytest.raises(error, match=words):
        metric_check(d, points)


def test_open_balls():
    # (3, 2) and (8, 6) are sqrt(41) apart.
    point, other = [3.0, 2.0], [[8.0, 6.0]]
    assert not open_ball(other, point, 6.4)[0]
    assert open_ball(other, point, 6.5)[0]
    for metric, apart in (("manhattan", 9.0), ("chebyshev", 5.0)):
        assert not open_ball(other, point, apart, metric=metric)[0]
        assert open_ball(other, point, apart + 1e-9, metric=metric)[0]
    cubic = (5**3 + 4**3) ** (1 / 3)
    for shift, within in ((-1e-9, False), (1e-9, True)):
        got = open_ball(other, point, cubic + shift, metric="minkowski", metric_params={"p": 3})
        assert got[0] == within
    V = np.array([[2.0, 0.5], [0.5, 1.0]])
    u = np.array([5.0, 4.0])
    apart = np.sqrt(u @ np.linalg.solve(V, u))
    for factor, within in ((0.999, False), (1.001, True)):
        ball = open_ball(other, point, factor * apart, metric="mahalanobis", metric_params={"V": V})
        assert ball[0] == within
    ball = open_ball(X, X[3], 1.0, metric=lambda a, b: np.abs(a - b).sum())
    assert_array_equal(ball, np.abs(X - X[3]).sum(axis=1) < 1.0)
    for center, radius in (([0.0], 1.0), ([0.0] * 3, 0.0), ([0.0] * 3, -1.0)):
        with pytest.raises(ValueError, match="center must|radius must"):  # noqa: RUF043
            open_ball(X, center, radius)
