# SPDX-License-Identifier: BSD-3-Clause
"""Class moments against their two-pass definition, and the kernel against its twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._core.rows import pooled_scatter as kernel
from statfast._engine.chunks import Chunks
from statfast.generative.normal.class_moments import ClassMoments, class_moments
from tests.reference import moments as twin


@st.composite
def samples(draw):
    """Rows of some dtype, codes that leave classes out now and then, and weights or None."""
    n, d, n_classes = draw(st.integers(1, 60)), draw(st.integers(1, 40)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.uint8]))
    X = rng.integers(0, 256, (n, d)) if dtype is np.uint8 else 3.0 + rng.normal(size=(n, d))
    weights = rng.integers(0, 4, n).astype(float) if draw(st.booleans()) else None
    return X.astype(dtype), rng.integers(0, n_classes, n), weights, n_classes


@given(samples())
def test_kernel_matches_twin(sample):
    X, codes, weights, n_classes = sample
    d = X.shape[1]
    shift = np.random.default_rng(1).normal(size=(n_classes, d))
    ours, theirs = (
        (np.full(n_classes, 2.0), np.full((n_classes, d), 3.0), np.full((d, d), 5.0))
        for _ in range(2)
    )
    kernel.class_scatter(X, codes, weights, shift, *ours)
    twin.class_scatter(X, codes, weights, shift, *theirs)
    assert_allclose(ours[0], theirs[0], rtol=1e-14)
    assert_allclose(ours[1], theirs[1], rtol=1e-12, atol=1e-11)
    below = np.tril_indices(d)
    assert_allclose(ours[2][below], theirs[2][below], rtol=1e-12, atol=1e-9)


@given(samples())
def test_moments_are_those_of_the_definition(sample):
    X, codes, weights, n_classes = sample
    got = class_moments(X, codes, weights, n_classes)
    seen = np.flatnonzero(np.bincount(codes, weights, n_classes) > 0)
    ranks = np.full(n_classes, -1)
    ranks[seen] = np.arange(len(seen))
    counted = ranks[codes] >= 0
    mass, means, within = twin.within_and_means(
        X[counted], ranks[codes[counted]], None if weights is None else weights[counted], len(seen)
    )
    assert_allclose(got.class_counts[seen], mass, rtol=1e-14)
    assert got.class_counts.sum() == pytest.approx(mass.sum())
    assert_allclose(got.means[seen], means, rtol=1e-12, atol=1e-12)
    size = max(1.0, np.abs(within).max(initial=0.0))
    assert_allclose(got.within, within, rtol=1e-10, atol=1e-12 * size)
    assert_array_equal(got.within, got.within.T)


@pytest.mark.parametrize("order", ["mixed", "sorted"])
@pytest.mark.parametrize("odd", [False, True])
def test_no_digits_lost_far_from_the_origin(order, odd):
    """Integers keep the definition exact; classes 1e8 and 1e6 away from 0 and from each other."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 3000)
    if order == "mixed":
        rng.shuffle(codes)
    close = rng.integers(-8, 9, (9000, 4))
    places = np.array([[10**8, 0, -(10**6), 5]] * 3) * np.array([[1], [-2], [3]])
    X = (close + places[codes]).astype(float)
    weights = np.ones(9000)
    if odd:  # the rows that the classes are taken about are far away, and weigh nothing
        first = np.unique(codes, return_index=True)[1]
        X[first], weights[first] = 1e9, 0.0
    _, _, within = twin.within_and_means(X - places[codes], codes, weights, 3)
    got = class_moments(X, codes, weights, 3)
    assert_allclose(got.within, within, rtol=1e-13, atol=1e-13 * within.max())


def test_constant_columns_have_exactly_no_variance():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 5000)
    X = np.column_stack(
        [np.full(5000, 0.1), np.array([0.1, 0.2, 0.3])[codes], rng.normal(size=5000)]
    )
    within = class_moments(X, codes, None, 3).within
    assert within[0, 0] == within[1, 1] == 0.0
    assert within[2, 2] > 0.0


@given(samples(), st.data())
def test_moments_add(sample, data):
    X, codes, weights, n_classes = sample
    cut = data.draw(st.integers(0, len(X)))
    parts = [part for part in (slice(0, cut), slice(cut, None)) if len(X[part])]
    found = [
        class_moments(X[part], codes[part], None if weights is None else weights[part], n_classes)
        for part in parts
    ]
    total = found[0] if len(found) == 1 else found[0] + found[1]
    whole = class_moments(X, codes, weights, n_classes)
    seen = whole.class_counts > 0
    assert_allclose(total.class_counts, whole.class_counts, rtol=1e-14)
    assert_allclose(total.means[seen], whole.means[seen], rtol=1e-12, atol=1e-12)
    size = max(1.0, np.abs(whole.within).max())
    assert_allclose(total.within, whole.within, rtol=1e-10, atol=1e-12 * size)


def test_adding_keeps_classes_unseen_by_one_part():
    one = ClassMoments(np.array([2.0, 0.0]), np.array([[1.0], [0.0]]), np.array([[4.0]]))
    two = ClassMoments(np.array([0.0, 3.0]), np.array([[0.0], [7.0]]), np.array([[5.0]]))
    total = one + two
    assert_array_equal(total.class_counts, [2.0, 3.0])
    assert_array_equal(total.means, [[1.0], [7.0]])
    assert_array_equal(total.within, [[9.0]])


@pytest.mark.parametrize("cuts", [[], [1], [3, 3, 200], [150, 290]])
def test_chunks_are_the_rows(cuts):
    rng = np.random.default_rng(0)
    X, codes, weights = rng.normal(size=(300, 3)), rng.integers(0, 4, 300), rng.random(300)
    whole = class_moments(X, codes, weights, 4)
    got = class_moments(Chunks(np.split(X, cuts)), codes, weights, 4)
    assert_allclose(got.class_counts, whole.class_counts, rtol=1e-14)
    assert_allclose(got.means, whole.means, rtol=1e-12)
    assert_allclose(got.within, whole.within, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [299, 301])
def test_chunks_of_another_length_than_the_labels(n):
    with pytest.raises(ValueError, match=rf"one label per row of X \(300\); got {n}"):
        class_moments(Chunks([np.eye(3)] * 100), np.zeros(n, np.intp), None, 1)
