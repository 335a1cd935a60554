# SPDX-License-Identifier: BSD-3-Clause
"""Random problems for all estimators, and how answers are compared."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from tests.contract import test_contract as contract

# A relation is tried on few problems of each estimator; HYPOTHESIS_PROFILE=explore draws more.
limited_examples = settings(max_examples=max(2, settings.default.max_examples // 30))
seeds = st.integers(0, 2**32 - 1)


def on_problems(test):
    """Run a test on some seeds."""
    return limited_examples(given(seed=seeds)(test))


def problem(cls, seed, *, n_classes=3, n=48, d=4):
    """Rows and a target: labels that are names, or numbers that are positive.

    The numbers are whole in float32, so that float32 and float64 hold the same.
    """
    rng = np.random.default_rng(seed)
    n_classes = 2 if cls.__name__ in contract.BINARY else n_classes
    codes = rng.permutation(np.arange(n) % n_classes)
    X = 2.0 * rng.normal(size=(n_classes, d))[codes] + 1.5 * rng.normal(size=(n, d))
    if cls.__name__ in contract.COUNTS:
        X = np.floor(3 * np.abs(X))
    X = X.astype(np.float32).astype(np.float64)
    if contract.regresses(cls):
        y = np.exp(0.3 * X @ rng.normal(size=d) / np.sqrt(1 + (X**2).mean()))
        return X, y + rng.exponential(size=n)
    return X, np.array(["ash", "elm", "oak", "yew"])[:n_classes][codes]


def agree(first, second, rtol):
    """Assert that answers (pairs of a name and an array) are alike; rtol 0 means the same bits."""
    for (name, a), (_, b) in zip(first, second, strict=True):
        assert a.shape == b.shape, name
        if rtol == 0 or b.dtype.kind != "f":
            np.testing.assert_array_equal(a, b, err_msg=name)
            continue
        size = np.abs(b[np.isfinite(b)]).max(initial=0)
        np.testing.assert_allclose(a, b, rtol, atol=rtol * size, err_msg=name)


def answers(model, X):
    """Pairs of a name and an array for all that a model says of rows."""
    for name, array in contract.answers(model, X):
        yield name, array.toarray() if hasattr(array, "toarray") else np.asarray(array)


def distances(Q, X):
    return cdist(Q, X)


def products(Q, X):
    return Q @ X.T


def bells(Q, X):
    return np.exp(-0.5 * cdist(Q, X) ** 2)
