# SPDX-License-Identifier: BSD-3-Clause
"""Scores at the coefficients of many folds: what a sweep of each fold's rows gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from statfast._core.linear import irls
from tests.core.linear.test_irls import aux_of, drawn


@pytest.mark.parametrize("pair", irls.KINDS)
@given(
    n=st.sampled_from([1, 2, 7, 8, 9, 127, 128, 129, 300]), p=st.sampled_from([1, 3, 4, 20, 63]),
    folds=st.integers(1, 5), seed=st.integers(0, 2**32), single=st.booleans(),
    weighted=st.booleans(), shares=st.booleans(),
)  # fmt: skip
def test_scores_are_sweeps_of_runs(pair, n, p, folds, seed, single, weighted, shares):
    rng = np.random.default_rng(seed)
    one = bool(rng.integers(2))
    how = {"weighted": weighted, "offset": bool(rng.integers(2)), "intercept": one}
    dtype = np.float32 if single else np.float64
    X, shift, one, b, y, weight, offset = drawn(rng, n, p, pair, dtype, shares=shares, **how)
    B = b * rng.uniform(0.5, 1.0, (folds, 1))
    aux, kind, q = aux_of(pair, y), irls.KINDS[pair], len(b)
    runs, want = [], [(np.zeros(q), np.zeros(2)) for _ in range(folds)]
    for f in rng.permutation(folds):
        start, stop = np.sort(rng.integers(0, n + 1, 2))
        for a, z in ((0, start), (stop, n)):
            runs.append((f, a, z))
            some = slice(a, z)
            cut = (None if v is None else v[some] for v in (weight, offset, aux))
            if a == z:  # sweep takes no empty blocks
                continue
            irls.sweep(X[some], shift, B[f], kind, y[some], *cut, None, *want[f])
    g, sums = np.zeros((folds, q)), np.zeros((folds, 2))
    irls.scores(
        X, shift, one, B, kind, y, weight, offset, aux, np.array(runs, dtype=np.intp), g, sums
    )
    size = 1.0 + n * np.abs([score for score, _ in want]).max()
    assert_allclose(g, [score for score, _ in want], rtol=1e-11, atol=1e-14 * size)
    assert_allclose(sums, [pair_ for _, pair_ in want], rtol=1e-10, atol=1e-11)


def test_no_runs_add_nothing():
    g, sums = np.ones((2, 3)), np.ones((2, 2))
    X, none = np.ones((4, 2)), np.zeros((0, 3), dtype=np.intp)
    kind = irls.KINDS["poisson", "log"]
    irls.scores(X, np.zeros(2), True, g.copy(), kind, np.ones(4), None, None, None, none, g, sums)
    assert (g == 1.0).all()
    assert (sums == 1.0).all()
