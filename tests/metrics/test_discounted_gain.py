# SPDX-License-Identifier: BSD-3-Clause
"""Discounted cumulative gain, and the detection error tradeoff."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from statfast.metrics import dcg_score, det_curve, ndcg_score


def twin(truth, scores, k=None, base=2.0):
    """The mean over all orders that the scores allow, by trying all of them."""
    found = []
    for order in permutations(range(len(truth))):
        ranked = [scores[j] for j in order]
        if ranked == sorted(ranked, reverse=True):
            gains = [truth[j] / (np.log(r + 2) / np.log(base)) for r, j in enumerate(order)]
            found.append(sum(gains[:k]))
    return np.mean(found)


@given(st.data())
def test_all_orders_of_ties(data):
    m = data.draw(st.integers(1, 5))
    truth = data.draw(st.lists(st.integers(0, 4), min_size=m, max_size=m))
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=m, max_size=m))
    k = data.draw(st.none() | st.integers(1, 6))
    base = data.draw(st.sampled_from([2.0, 10.0]))
    want = twin(truth, scores, k, base)
    found = dcg_score([truth], [scores], k=k, log_base=base)
    assert_allclose(found, want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("ignore", [True, False])
@pytest.mark.parametrize("k", [None, 1, 3, 99])
def test_as_scikit_learn(k, ignore):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(0, 4, (40, 9)).astype(float), rng.integers(0, 5, (40, 9)) / 4.0
    truth[3] = 0.0
    scores += np.arange(9) * 1e-3 if ignore else 0.0  # they break ties in another order
    weights = rng.uniform(0, 2, 40)
    more = {"k": k, "sample_weight": weights, "ignore_ties": ignore}
    for name, own in (("dcg_score", dcg_score), ("ndcg_score", ndcg_score)):
        want = getattr(theirs, name)(truth, scores, **more)
        assert_allclose(own(truth, scores, **more), want, rtol=1e-12)


def test_known_answer():
    """The example of Järvelin and Kekäläinen's formula, base 2: 3, 2, 3, 0, 1, 2."""
    gains = [[3, 2, 3, 0, 1, 2]]
    assert_allclose(dcg_score(gains, [[6, 5, 4, 3, 2, 1]]), 6.861126688593502, rtol=1e-14)
    assert ndcg_score(gains, gains) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ndcg_score([[1, -1]], [[1, 2]]), "negative y_true"),
        (lambda: ndcg_score([[1]], [[1]]), "more than one document"),
        (lambda: dcg_score([[1, 2]], [[1]]), "y_score must have the shape of y_true"),
        (lambda: dcg_score([[1, 2]], [[1, np.nan]]), "y_score"),
        (lambda: dcg_score([[1, 2]], [[1, 2]], k=0), "k must be"),
        (lambda: dcg_score([[1, 2]], [[1, 2]], log_base=1), "log_base must be"),
        (lambda: det_curve([1, 1], [0.1, 0.2], pos_label=1), "Only one class"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 3)), min_size=1))
def test_det_curve_as_scikit_learn(rows):
    theirs = pytest.importorskip("sklearn.metrics").det_curve
    y, scores, weights = (np.array(column, float) for column in zip(*rows, strict=True))
    for w in (None, weights):
        held = y if w is None else y[w > 0]
        if len(set(held.tolist())) < 2:
            continue
        for drop in (False, True):
            ours = det_curve(y, scores, sample_weight=w, drop_intermediate=drop)
            want = theirs(y, scores, sample_weight=w, drop_intermediate=drop)
            for a, b in zip(ours, want, strict=True):
                assert_allclose(a, b, atol=1e-12)
