# SPDX-License-Identifier: BSD-3-Clause
"""Posteriors, costs and decisions, against answers known from textbooks and by hand."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast.decision import (
    bayes_error,
    conditional_risk,
    decide,
    estimate_probabilities,
    posteriors,
)

TABLE = [
    [0, 0.3226, 0.6774],
    [0.0090, 0.8442, 0.1467],
    [0.2531, 0.7420, 0.0049],
    [0.7895, 0.2105, 0],
]


def test_known_decisions():
    assert "".join("ABC"[k] for k in decide(TABLE)) == "CBBA"
    least = np.mean([0.3226, 0.1557, 0.2580, 0.2105])
    assert bayes_error(TABLE) == pytest.approx(least, rel=1e-12)


def test_spam_by_two_words():
    """Maximum a posteriori and maximum likelihood agree: ham, ham, spam, spam."""
    spam, ham = [0.033, 0.067, 0.233, 0.667], [0.857, 0.086, 0.043, 0.014]
    likelihoods = np.column_stack([spam, ham])
    found = posteriors(likelihoods, [0.3, 0.7], evidence=[0.61, 0.08, 0.10, 0.21])
    assert_allclose(found[:, 0], [0.0162, 0.251, 0.699, 0.953], atol=5e-4)
    by_sum = posteriors(likelihoods, [0.3, 0.7])
    assert_allclose(by_sum.sum(axis=1), 1.0, rtol=1e-14)
    assert_array_equal(decide(by_sum), [1, 1, 0, 0])
    assert_array_equal(decide(posteriors(likelihoods, [0.5, 0.5])), [1, 1, 0, 0])


def test_probability_estimates():
    assert_allclose(estimate_probabilities([3, 2, 5]), [0.3, 0.2, 0.5])
    assert_allclose(estimate_probabilities([3, 2, 5], "laplace"), np.array([4, 3, 6]) / 13)
    prior = [0.5, 0.25, 0.25]
    found = estimate_probabilities([3, 2, 5], "m", m=4, prior=prior)
    assert_allclose(found, np.array([5.0, 3.0, 6.0]) / 14)
    assert_allclose(estimate_probabilities([3, 2, 5], "m", m=3), np.array([4, 3, 6]) / 13)
    both = estimate_probabilities([[0, 0], [1, 3]], "laplace")
    assert_allclose(both, [[0.5, 0.5], [2 / 6, 4 / 6]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0, 0],), "counts are all zero"),
        (([-1, 2],), "counts must not be negative"),
        (([1, 2], "bayes"), "method"),
        (([1, 2], "m"), "m must be given"),
        (([1, 2], "ml", 2.0), "m and prior are for"),
        (([1, 2], "m", -1.0), "m must be at least 0"),
        (([1, 2], "m", 1.0, [0.5, 0.6]), "prior must be 2 probabilities"),
        (([0, 0], "m", 0.0), "counts are all zero"),
    ],
)
def test_estimates_refuse(arguments, words):
    names = ("counts", "method", "m", "prior")
    given = dict(zip(names, arguments, strict=False))
    with pytest.raises(ValueError, match=words):
        estimate_probabilities(given.pop("counts"), given.pop("method", "ml"), **given)


@given(st.integers(1, 30), st.integers(2, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_risk_is_the_definition(n, n_classes, n_decisions, seed):
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.ones(n_classes), n)
    cost = rng.normal(size=(n_classes, n_decisions))
    risk = conditional_risk(table, cost)
    for i in range(n):
        for j in range(n_decisions):
            by_hand = sum(table[i, k] * cost[k, j] for k in range(n_classes))
            assert risk[i, j] == pytest.approx(by_hand, abs=1e-12)
    best = decide(table, cost)
    assert_allclose(risk[np.arange(n), best], risk.min(axis=1))
    assert bayes_error(table, cost) == pytest.approx(risk.min(axis=1).mean())


def test_costs_are_rows_true_columns_decided():
    dear = [[0.0, 1.0], [20.0, 0.0]]  # to miss the second class costs 20
    assert_array_equal(decide([[0.9, 0.1], [0.96, 0.04]], dear), [1, 0])
    assert_array_equal(decide([[0.9, 0.1]], np.transpose(dear)), [0])
    # The threshold of the posterior is 1 / (1 + c), c the ratio of the costs.
    at = 1.0 / 21.0
    assert_array_equal(
        decide([[1 - at - 1e-9, at + 1e-9], [1 - at + 1e-9, at - 1e-9]], dear), [1, 0]
    )


def test_rejection():
    table = [[0.5, 0.5], [0.7, 0.3], [0.95, 0.05]]
    assert_array_equal(decide(table, reject=0.2), [-1, -1, 0])
    assert_array_equal(decide(table, reject=0.3 + 1e-12), [-1, 0, 0])
    assert_array_equal(decide(table, reject=0.5), [0, 0, 0])  # a tie decides
    assert bayes_error(table, reject=0.2) == pytest.approx((0.2 + 0.2 + 0.05) / 3)
    assert bayes_error(table, sample_weight=[1, 0, 3]) == pytest.approx((0.5 + 3 * 0.05) / 4)


@pytest.mark.parametrize(
    ("table", "cost", "words"),
    [
        ([[0.5, 0.4]], None, "posteriors must sum to 1 in each row; got 0.9 at row 0"),
        ([[1.5, -0.5]], None, "posteriors must not be negative"),
        ([[0.5, 0.5]], [[0, 1]], "cost must have a row for each of 2 classes"),
        ([[0.5, 0.5]], [[0, np.inf], [1, 0]], "cost contains infinity"),
        ([[0.5, np.nan]], None, "NaN"),
    ],
)
def test_decisions_refuse(table, cost, words):
    with pytest.raises(ValueError, match=words):
        decide(table, cost)


def test_posteriors_refuse():
    for arguments, words in (
        (([[0.0, 0.0]], [0.5, 0.5]), "likelihoods are 0 in every class at row 0"),
        (([[-1.0, 0.0]], [0.5, 0.5]), "likelihoods must not be negative"),
        (([[1.0, 0.0]], [0.5, 0.6]), "priors must be 2 probabilities"),
        (([[1.0, 0.0]], [1.0]), "priors must be 2 probabilities"),
    ):
        with pytest.raises(ValueError, match=words):
            posteriors(*arguments)
    with pytest.raises(ValueError, match="one number for each row"):
        posteriors([[1.0, 0.0]], [0.5, 0.5], evidence=[1.0, 2.0])


@pytest.mark.parametrize("wrong", [[[1.0, 2.0], [3.0]], "ab", {}, object()])
def test_what_are_no_probabilities(wrong):
    with pytest.raises((TypeError, ValueError), match="priors"):
        posteriors([[0.2, 0.8]], wrong)
    with pytest.raises((TypeError, ValueError), match="evidence"):
        posteriors([[0.2, 0.8]], [0.5, 0.5], evidence=wrong)


def test_posteriors_whose_sum_overflows():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="posteriors must sum to 1"):
            conditional_risk([[1.7e308, 1.7e308]])
