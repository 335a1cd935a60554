# SPDX-License-Identifier: BSD-3-Clause
"""Small calls stay cheap: how many Python functions they enter, and which they leave alone."""

import gc
import sys

import numpy as np
import pytest

from statfast.cluster import KMeans
from statfast.linear import LinearRegression, LogisticRegression
from statfast.neighbors import KNeighborsClassifier
from statfast.svm import SVC
from statfast.svm.dual import limits

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 5))
T = X @ np.arange(1.0, 6.0) + RNG.standard_normal(200)
Y = (T > 0).astype(int)

# The most Python functions that `predict` of one row may enter: about a fifth above what it does.
BUDGETS = [
    (KMeans(3, random_state=0), 24),
    (KNeighborsClassifier(), 46),
    (LinearRegression(), 22),
    (LogisticRegression(), 32),
    (SVC(), 42),
]


def count_calls(call):
    """How many Python functions a call enters."""
    count = 0

    def hear(frame, event, arg):
        nonlocal count
        count += event == "call"

    gc.disable()
    sys.setprofile(hear)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


@pytest.mark.parametrize(("model", "most"), BUDGETS, ids=lambda value: type(value).__name__)
def test_predicting_one_row_enters_few_functions(model, most):
    model.fit(X, T if isinstance(model, LinearRegression) else Y)
    row = X[:1]
    model.predict(row)
    model.predict(row)  # what is made once is made
    assert count_calls(lambda: model.predict(row)) <= most


def test_a_small_machine_does_not_read_the_free_memory(monkeypatch):
    def refuse():
        raise AssertionError

    monkeypatch.setattr(limits, "free_memory", refuse)
    assert SVC().fit(X, Y).score(X, Y) > 0.9
