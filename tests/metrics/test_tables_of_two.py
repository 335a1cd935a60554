# SPDX-License-Identifier: BSD-3-Clause
"""Likelihood ratios, matrices of each label, pairs of rows: by definition and by scikit-learn."""

import warnings
from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast._validation import UndefinedMetricWarning
from statfast.metrics import (
    brier_score_loss,
    class_likelihood_ratios,
    fowlkes_mallows_score,
    log_loss,
    multilabel_confusion_matrix,
    pair_confusion_matrix,
)

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


@given(labels)
def test_pairs_by_their_definition(both):
    table = np.zeros((2, 2), int)
    for (a, b), (c, d) in permutations(both, 2):
        table[int(a == c), int(b == d)] += 1
    true, pred = zip(*both, strict=True)
    found = pair_confusion_matrix(true, pred)
    np.testing.assert_array_equal(found, table)
    assert found.dtype == np.int64
    together = table[1, 1]
    precision, recall = (together / max(1, table[:, 1].sum()), together / max(1, table[1].sum()))
    score = fowlkes_mallows_score(true, pred)
    assert score == pytest.approx(np.sqrt(precision * recall), abs=1e-12)
    assert isinstance(score, float)


def test_pairs_of_many_rows_are_counted_exactly():
    """Where floating point would round: 10^10 pairs and one."""
    true, pred = np.zeros(100_001, int), np.zeros(100_001, int)
    pred[0] = 1
    n = 100_001
    expected = [[0, 0], [2 * (n - 1), (n - 1) * (n - 2)]]
    np.testing.assert_array_equal(pair_confusion_matrix(true, pred), expected)


def test_pairs_against_scikit_learn():
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 200), np.array(["x", "y", "z"])[rng.integers(0, 3, 200)]
    np.testing.assert_array_equal(pair_confusion_matrix(a, b), theirs.pair_confusion_matrix(a, b))
    assert fowlkes_mallows_score(a, b) == pytest.approx(theirs.fowlkes_mallows_score(a, b))


@pytest.mark.parametrize("named", [None, [1, 0]])
@pytest.mark.parametrize("weighted", [False, True])
def test_ratios_against_scikit_learn(named, weighted):
    theirs = pytest.importorskip("sklearn.metrics").class_likelihood_ratios
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 90)
    pred = np.where(rng.random(90) < 0.7, true, 1 - true)
    weights = rng.uniform(0.5, 2.0, 90) if weighted else None
    found = class_likelihood_ratios(true, pred, labels=named, sample_weight=weights)
    expected = theirs(true, pred, labels=named, sample_weight=weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    rates = [np.average(pred[true == k], weights=None if weights is None else weights[true == k])
             for k in (1, 0)]  # fmt: skip
    if named is None:
        np.testing.assert_allclose(found[0], rates[0] / rates[1], rtol=1e-12)
        np.testing.assert_allclose(found[1], (1 - rates[0]) / (1 - rates[1]), rtol=1e-12)


@pytest.mark.parametrize("instead", [np.nan, 1.0, {"LR+": inf, "LR-": 0.0}])
def test_ratios_without_a_denominator(instead):
    theirs = pytest.importorskip("sklearn.metrics").class_likelihood_ratios
    for true, pred, part in (
        ([0, 1, 1], [0, 1, 0], "No negative row was taken for positive"),
        ([0, 0, 1, 1], [1, 1, 1, 0], "No negative row was found"),
        ([0, 0, 0], [1, 0, 0], "No row of y_true is of the positive class"),
    ):
        with pytest.warns(UndefinedMetricWarning, match=part):
            found = class_likelihood_ratios(true, pred, replace_undefined_by=instead)
        with warnings.catch_warnings(), np.errstate(invalid="ignore"):
            warnings.simplefilter("ignore")
            expected = theirs(true, pred, replace_undefined_by=instead)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "instead", [0.5, True, "nan", {"LR+": 2.0}, {"LR+": 0.5, "LR-": 0.5}, {"LR+": 2, "LR-": 2}]
)
def test_ratios_refuse_what_cannot_stand_for_them(instead):
    with pytest.raises(ValueError, match=r"replace_undefined_by must be nan, 1\.0, or a dict"):
        class_likelihood_ratios([0, 1], [0, 1], replace_undefined_by=instead)


def test_ratios_are_of_two_classes():
    with pytest.raises(ValueError, match="is of two classes; got 3"):
        class_likelihood_ratios([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="is of two classes; got 1"):
        class_likelihood_ratios([0, 0], [0, 0])


MARKS = np.random.default_rng(2).integers(0, 2, (2, 30, 4))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("named", [None, [2, 0]])
@pytest.mark.parametrize("kind", ["labels", "indicators", "sparse", "rows"])
def test_matrices_of_each_label(kind, named, weighted):
    theirs = pytest.importorskip("sklearn.metrics").multilabel_confusion_matrix
    true, pred = MARKS if kind != "labels" else MARKS[:, :, 0] + 2 * MARKS[:, :, 1]
    if kind == "sparse":
        true, pred = sparse.csr_matrix(true), sparse.csc_matrix(pred)
    more = {
        "sample_weight": np.arange(1.0, 31.0) if weighted else None,
        "labels": named,
        "samplewise": kind == "rows",
    }
    found, expected = (f(true, pred, **more) for f in (multilabel_confusion_matrix, theirs))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.dtype == expected.dtype


def test_matrices_of_rows_need_several_labels():
    with pytest.raises(ValueError, match="samplewise must be False for one label a row"):
        multilabel_confusion_matrix([0, 1], [0, 1], samplewise=True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ours", [log_loss, brier_score_loss])
def test_losses_of_indicators(ours, dtype):
    theirs = getattr(pytest.importorskip("sklearn.metrics"), ours.__name__)
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(4), 30).astype(dtype)
    shares[0] = [0, 1, 0, 0]
    for weights in (None, rng.uniform(0.5, 2.0, 30)):
        expected = theirs(MARKS[0], shares, sample_weight=weights)
        found = ours(MARKS[0], shares, sample_weight=weights)
        assert found == pytest.approx(expected, rel=1e-5 if dtype == np.float32 else 1e-12)
    with pytest.raises(ValueError, match="must have the same shape where y_true holds indicators"):
        ours(MARKS[0], shares[:, :2])
    one = np.eye(4, dtype=int)[rng.integers(0, 4, 30)]
    assert ours(one, shares) == pytest.approx(ours(one.argmax(axis=1), shares, labels=range(4)))
