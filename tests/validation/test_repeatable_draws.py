# SPDX-License-Identifier: BSD-3-Clause
"""Draws without a seed are the same on every run of a test, so that none fails by luck."""

import os

import numpy as np
import pytest

import statfast as sf

pytestmark = pytest.mark.skipif(
    os.environ.get("HYPOTHESIS_PROFILE") == "explore", reason="explores: draws are new ones"
)


def draws():
    legacy = np.random.random(3)  # noqa: NPY002
    X = np.random.default_rng().normal(size=(90, 2))
    forest = sf.RandomForestClassifier(n_estimators=2).fit(X, X[:, 0] > 0)
    return legacy, X, forest.predict_proba(X[:, ::-1])


def test_draws_without_a_seed_are_those_of_the_name_of_the_test():
    np.random.default_rng.enter("a test")
    first, others = draws(), draws()
    np.random.default_rng.enter("a test")
    again = draws()
    for one, repeated, other in zip(first, again, others, strict=True):
        np.testing.assert_array_equal(one, repeated)
        assert not np.array_equal(one, other)


def test_seeds_that_are_passed_are_used():
    np.testing.assert_array_equal(
        np.random.default_rng(3).random(4), np.random.Generator(np.random.PCG64(3)).random(4)
    )
