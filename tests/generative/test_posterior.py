# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of linear scores and posteriors against their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._core.generative import linear_scores as kernel
from tests.reference import moments as twin


@st.composite
def rules(draw):
    """A block of rows and a linear rule."""
    b, d, n_classes = draw(st.integers(1, 40)), draw(st.integers(1, 40)), draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.uint8]))
    X = rng.integers(0, 256, (b, d)) if dtype is np.uint8 else rng.normal(size=(b, d))
    coef = draw(st.sampled_from([0.01, 1.0, 30.0])) * rng.normal(size=(n_classes, d))
    return X.astype(dtype), coef, rng.normal(size=n_classes)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["scores", "softmax"])
@given(rule=rules())
def test_values_match_twin(name, dtype, rule):
    X, coef, intercept = rule
    ours, theirs = np.empty((len(X), len(coef)), dtype), np.empty((len(X), len(coef)))
    getattr(kernel, name)(X, coef, intercept, ours)
    getattr(twin, name)(X, coef, intercept, theirs)
    size = np.abs(X.astype(float)) @ np.abs(coef).T + np.abs(intercept)
    # An error of a score is a relative error of a posterior.
    slack = 1e-14 * (size if name == "scores" else theirs * size.max() + 1e-290)
    if dtype is np.float32:
        slack = slack + 2e-7 * np.abs(theirs) + 1e-38
    assert (np.abs(ours - theirs) <= slack).all()
    if name == "softmax":
        assert_allclose(
            ours.sum(axis=1, dtype=float), 1.0, rtol=1e-6 if dtype is np.float32 else 1e-14
        )


@given(rule=rules())
def test_argmax_is_that_of_the_scores(rule):
    X, coef, intercept = rule
    winners, values = np.empty(len(X), np.intp), np.empty((len(X), len(coef)))
    kernel.argmax(X, coef, intercept, winners)
    kernel.scores(X, coef, intercept, values)
    assert_array_equal(winners, values.argmax(axis=1))


def test_ties_go_to_the_lowest_class():
    X = np.array([[1.0, 2.0], [-3.0, 1.0]])
    coef = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    winners = np.empty(2, np.intp)
    kernel.argmax(X, coef, np.zeros(4), winners)
    assert_array_equal(winners, [1, 0])


def test_extreme_scores_make_no_nan():
    X = np.array([[1e5], [-1e5], [0.0]])
    out = np.empty((3, 3))
    kernel.softmax(X, np.array([[1.0], [0.0], [-1.0]]), np.zeros(3), out)
    assert_allclose(out, [[1, 0, 0], [0, 0, 1], [1 / 3] * 3], rtol=1e-15)
