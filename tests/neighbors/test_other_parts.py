# SPDX-License-Identifier: BSD-3-Clause
"""The nearest rows of other parts, against all distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._distance import as_metric
from statfast.neighbors.brute import other_parts
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.other_parts import OtherParts


def twin(X, part, query, k, metric):
    """Reduced distances by numpy, infinite where there are no more."""
    apart = np.abs(X[query][:, None] - X[None])
    of = {"euclidean": (apart**2).sum(2), "manhattan": apart.sum(2), "chebyshev": apart.max(2)}
    table = of[metric]
    table[part[query][:, None] == part] = np.inf
    table = np.pad(table, ((0, 0), (0, k)), constant_values=np.inf)
    return np.sort(table, axis=1)[:, :k], table


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 700),
    d=st.integers(1, 30),
    k=st.integers(1, 9),
    parts=st.integers(1, 9),
    kind=st.sampled_from(["normal", "grid", "far", "copies"]),
    metric=st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
)
@settings(max_examples=60, deadline=None)
def test_nearest_of_other_parts(seed, n, d, k, parts, kind, metric):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = {
        "normal": X,
        "grid": np.round(X),
        "far": X + 1e6,
        "copies": X[rng.integers(0, min(3, n), n)],
    }[kind]
    part = rng.integers(0, parts, n) ** 2 % n
    query = rng.permutation(n)[: rng.integers(1, n + 1)].astype(np.int32)
    index = BruteIndex.build(X, metric=as_metric(metric, d=d))
    search = OtherParts(index, part.astype(np.int32))
    reduced, ids, failed = search.nearest(query, k)
    expected, table = twin(X, part, query, k, metric)
    assert kind in ("copies", "grid", "far") or not failed.any()
    answered = ~failed
    np.testing.assert_allclose(reduced[answered], expected[answered], rtol=1e-12)
    there = np.isfinite(reduced) & answered[:, None]
    rows = np.broadcast_to(np.arange(len(query))[:, None], ids.shape)
    np.testing.assert_allclose(table[rows[there], ids[there]], reduced[there], rtol=1e-12)
    assert (ids[answered][~np.isfinite(reduced[answered])] == -1).all()


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_threads_and_blocks_change_nothing(n_jobs, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(6000, 12)), 1)
    part = np.where(rng.random(6000) < 0.6, 0, rng.integers(0, 900, 6000)).astype(np.int32)
    query = rng.permutation(6000)[:5000].astype(np.int32)
    index = BruteIndex.build(X)
    one = OtherParts(index, part).nearest(query, 8, 1)
    monkeypatch.setattr(other_parts, "MIN_QUERIES_OF_PART", 10)
    monkeypatch.setattr(other_parts, "MAX_QUERIES_PER_TASK", 192)
    for got, want in zip(OtherParts(index, part).nearest(query, 8, n_jobs), one, strict=True):
        np.testing.assert_array_equal(got, want)
