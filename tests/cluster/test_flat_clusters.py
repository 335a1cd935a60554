# SPDX-License-Identifier: BSD-3-Clause
"""Flat clusters: scipy's labels, number for number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy

from statfast.cluster import AgglomerativeClustering, fcluster, inconsistency, linkage


@given(
    st.integers(2, 40), st.integers(0, 2**32 - 1), st.booleans(),
    st.sampled_from(["single", "average", "complete", "ward", "centroid"]),
)  # fmt: skip
def test_as_scipy(n, seed, ties, method):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float) if ties else rng.standard_normal((n, 2))
    Z = linkage(X, method)
    R = hierarchy.inconsistent(Z)
    heights = rng.choice(Z[:, 2])
    marks = rng.integers(0, 5, n - 1).astype(float)
    for t in (heights, np.nextafter(heights, 0), 0.0):
        expected = hierarchy.fcluster(Z, t, "distance")
        np.testing.assert_array_equal(fcluster(Z, t, "distance"), expected)
    for t in (0.0, 0.7, 1.1):
        np.testing.assert_array_equal(fcluster(Z, t, R=R), hierarchy.fcluster(Z, t, R=R))
    most = hierarchy.maxRstat(Z, np.column_stack([marks] * 4), 3)
    for t in (0.0, 2.0):
        expected = hierarchy.fcluster(Z, t, "monocrit", monocrit=most)
        np.testing.assert_array_equal(fcluster(Z, t, "monocrit", monocrit=marks), expected)
    for k in {1, 2, (n + 1) // 2, n}:
        expected = hierarchy.fcluster(Z, k, "maxclust")
        np.testing.assert_array_equal(fcluster(Z, k, "maxclust"), expected)
        # scipy searches among numbers that need not rise from merge to merge; here the least wins.
        found = fcluster(Z, k, "maxclust_monocrit", monocrit=marks)
        cuts = [fcluster(Z, t, "monocrit", monocrit=marks) for t in np.unique(most)]
        least = next((cut for cut in cuts if cut.max() <= k), None) if k < n else np.arange(n) + 1
        np.testing.assert_array_equal(found, least)


def test_the_estimator_keeps_its_linkage_matrix():
    X = np.random.default_rng(0).standard_normal((30, 3))
    model = AgglomerativeClustering(3, linkage="average").fit(X)
    np.testing.assert_array_equal(model.linkage_matrix_, linkage(X, "average"))
    found = fcluster(model.linkage_matrix_, 3, "maxclust")
    assert len(set(zip(found, model.labels_, strict=True))) == 3


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "height"}, "criterion must be"),
        ({"criterion": "monocrit"}, "needs monocrit; got none"),
        ({"criterion": "monocrit", "monocrit": [1.0]}, r"monocrit must have shape \(3,\)"),
        ({"criterion": "monocrit", "monocrit": [1.0, np.nan, 2]}, "monocrit must not hold NaN"),
        ({"R": np.zeros((2, 4))}, r"R must have shape \(3, 4\)"),
        ({"criterion": "maxclust", "t": 0}, "t must be at least 1"),
    ],
)
def test_bad_input(params, message):
    Z = linkage(np.arange(4.0)[:, None] ** 2, "single")
    with pytest.raises((ValueError, TypeError), match=message):
        fcluster(Z, **({"t": 1.0} | params))


def test_inconsistency_is_computed_if_it_is_not_given():
    Z = linkage(np.random.default_rng(1).standard_normal((25, 2)), "average")
    np.testing.assert_array_equal(fcluster(Z, 0.9), fcluster(Z, 0.9, R=inconsistency(Z)))
    np.testing.assert_array_equal(fcluster(Z, 0.9, depth=4), hierarchy.fcluster(Z, 0.9, depth=4))
