# SPDX-License-Identifier: BSD-3-Clause
"""Scores of single columns: definitions, known answers, sources of rows, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

import statfast
from statfast.datasets import load_iris
from statfast.feature_selection import chi2, f_classif, f_regression, r_regression
from tests.reference import feature_scores as twin

IRIS = load_iris()
SEEDS = st.integers(0, 2**32 - 1)


def table(seed, n_min=6):
    """Random rows, labels, numbers and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    n, d, K = int(rng.integers(n_min, 60)), int(rng.integers(1, 8)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    y = np.concatenate([np.arange(K).repeat(2)[:n], rng.integers(0, K, max(0, n - 2 * K))])
    weights = rng.integers(0, 4, n).astype(float)
    weights[: 2 * K] = 1.0 + rng.integers(0, 2, min(n, 2 * K))
    return X, y, X @ rng.normal(size=d) + rng.normal(size=n), weights


@given(SEEDS)
def test_f_of_classes_is_that_of_its_definition(seed):
    X, y, _, weights = table(seed, 12)
    for w in (None, weights):
        np.testing.assert_allclose(f_classif(X, y, w), twin.f_of_classes(X, y, w), rtol=1e-7)


@given(SEEDS)
def test_chi_squared_is_that_of_its_definition(seed):
    X, y, _, weights = table(seed)
    X = np.floor(np.abs(X)) + 1.0
    for w in (None, weights):
        got, want = chi2(X, y, w), twin.chi_squared(X, y, w)
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-10 * np.abs(X).sum())


@given(SEEDS)
def test_correlations_are_those_of_their_definition(seed):
    X, _, y, weights = table(seed)
    for w in (None, weights):
        for center in (True, False):
            got = r_regression(X, y, center=center, sample_weight=w)
            want = twin.correlations(X, y, w, center)
            np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-10)
            total = len(y) if w is None else w.sum()
            free = total - 1 - center
            F, p = f_regression(X, y, center=center, sample_weight=w)
            np.testing.assert_allclose(F, want**2 / (1 - want**2) * free, rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(p, stats.f.sf(F, 1, free), rtol=1e-8, atol=1e-300)


def test_iris_has_its_known_answers():
    """As ``summary(aov(...))`` of R prints them."""
    F, p = f_classif(IRIS.data, IRIS.target)
    np.testing.assert_allclose(F, [119.2645, 49.16004, 1180.161, 960.0071], rtol=2e-6)
    np.testing.assert_allclose(p[1], 4.492017e-17, rtol=1e-5)


def test_two_classes_are_the_t_test():
    two = IRIS.target != "setosa" if IRIS.target.dtype.kind == "U" else IRIS.target != 0
    X, y = IRIS.data[two], IRIS.target[two]
    first = y == y[0]
    t = stats.ttest_ind(X[first], X[~first])
    F, p = f_classif(X, y)
    np.testing.assert_allclose(F, t.statistic**2, rtol=1e-9)
    np.testing.assert_allclose(p, t.pvalue, rtol=1e-8)


def test_counts_of_one_column_are_the_test_of_fit():
    counts = np.array([[30.0], [50.0], [40.0]])
    got = chi2(counts, ["a", "b", "c"])
    np.testing.assert_allclose(np.ravel(got), stats.chisquare([30, 50, 40]), rtol=1e-12)


def test_columns_far_from_zero_keep_the_digits_of_their_means():
    far = 2.0**33
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 100, (200, 3)).astype(float), rng.integers(0, 3, 200)
    target = X[:, 0] + rng.normal(size=200)
    rtol = 8 * far * np.finfo(float).eps  # A mean is rounded, and the means differ by some units.
    np.testing.assert_allclose(f_classif(X + far, y), f_classif(X, y), rtol=rtol)
    np.testing.assert_allclose(
        f_regression(X + far, target)[0], f_regression(X, target)[0], rtol=rtol
    )


SOURCES = {
    "a list": lambda X: X.tolist(),
    "columns first": np.asfortranarray,
    "every other row": lambda X: X.repeat(2, axis=0)[::2],
    "float32": lambda X: X.astype(np.float32),
    "int64": lambda X: X.astype(np.int64),
    "uint8": lambda X: X.astype(np.uint8),
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "chunks": lambda X: statfast.Chunks(lambda: iter([X[:7], X[7:40], X[40:]])),
}
ROWS = np.random.default_rng(3).integers(0, 9, (90, 5)).astype(float)
LABELS = np.random.default_rng(4).integers(0, 3, 90)
NUMBERS = ROWS @ np.arange(5.0) + np.random.default_rng(5).normal(size=90)
SCORES = {
    "f_classif": lambda X: f_classif(X, LABELS),
    "chi2": lambda X: chi2(X, LABELS),
    "f_regression": lambda X: f_regression(X, NUMBERS),
    "r_regression": lambda X: (r_regression(X, NUMBERS),),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("score", SCORES)
def test_rows_of_any_kind_have_the_same_scores(score, source):
    got, want = SCORES[score](SOURCES[source](ROWS)), SCORES[score](ROWS)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == np.float64
        np.testing.assert_allclose(a, b, rtol=1e-10)


@pytest.mark.parametrize("score", SCORES)
def test_any_number_of_threads_gives_the_same_bits(score, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(40_000, 12)))
    y, target = rng.integers(0, 3, len(X)), rng.normal(size=len(X))
    functions = {
        "f_classif": lambda: f_classif(X, y), "chi2": lambda: chi2(X, y),
        "f_regression": lambda: f_regression(X, target),
        "r_regression": lambda: r_regression(X, target),
    }  # fmt: skip
    bits = set()
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("STATFAST_NUM_THREADS", threads)
        bits.add(np.concatenate([np.ravel(functions[score]())]).tobytes())
    assert len(bits) == 1


@given(SEEDS)
def test_order_of_rows_columns_and_names_of_classes_do_not_matter(seed):
    X, y, target, weights = table(seed, 12)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    names = np.array(["pine", "oak", "elm", "ash"])[y]
    got = f_classif(X[rows][:, columns], names[rows], weights[rows])
    np.testing.assert_allclose(got, np.array(f_classif(X, y, weights))[:, columns], rtol=1e-8)
    got = r_regression(X[rows][:, columns], target[rows], sample_weight=weights[rows])
    want = r_regression(X, target, sample_weight=weights)[columns]
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-12)


@given(SEEDS)
def test_weights_count_rows(seed):
    X, y, target, weights = table(seed, 12)
    times = weights.astype(int)
    again, labels, numbers = X.repeat(times, axis=0), y.repeat(times), target.repeat(times)
    np.testing.assert_allclose(f_classif(X, y, weights), f_classif(again, labels), rtol=1e-7)
    np.testing.assert_allclose(
        f_regression(X, target, sample_weight=weights)[0],
        f_regression(again, numbers)[0], rtol=1e-6, atol=1e-10,
    )  # fmt: skip
    counts = np.floor(np.abs(X)) + 1.0
    got, want = chi2(counts, y, weights), chi2(counts.repeat(times, axis=0), labels)
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-9)


def test_constant_columns():
    X = np.column_stack([np.full(6, 0.1), [1.0, 1, 1, 2, 2, 2], [0.0, 1, 2, 3, 4, 5]])
    y = [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning, match=r"Features \[0\] are constant"):
        F, p = f_classif(X, y)
    assert np.isnan([F[0], p[0]]).all()
    assert (F[1], p[1]) == (np.inf, 0.0)
    assert np.isfinite(F[2])
    F, p = f_regression(X, y)
    assert (F[0], p[0]) == (0.0, 1.0)
    assert (F[1], p[1]) == (np.finfo(float).max, 0.0)
    F, p = f_regression(X, y, force_finite=False)
    assert np.isnan([F[0], p[0]]).all()
    assert (F[1], p[1]) == (np.inf, 0.0)
    assert r_regression(X, y)[0] == 0.0
    assert np.isnan(r_regression(X, y, force_finite=False)[0])
    assert np.isnan(chi2(np.zeros((4, 1)), [0, 0, 1, 1])).all()


BAD = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 1.0]])
Y = [0, 0, 1, 1]
REFUSED = [
    (lambda: f_classif(BAD, [1, 1, 1, 1]), "y must hold at least 2 classes"),
    (lambda: f_classif(BAD, Y, [1, 1, 0, 0]), "y must hold at least 2 classes"),
    (lambda: f_classif(BAD[:2], [0, 1]), r"more rows, by sample_weight, than .* classes \(2\)"),
    (lambda: f_classif(BAD, Y, np.full(4, 0.1)), "by sample_weight, than there are classes"),
    (lambda: f_classif(BAD, [0.5, 1, 1, 0]), "continuous"),
    (lambda: f_classif(BAD, Y[:3]), "one label per row of X"),
    (lambda: f_classif(np.where(BAD > 4, np.nan, BAD), Y), "NaN, first at row 2, column 1"),
    (lambda: f_classif(np.where(BAD > 4, np.inf, BAD), Y), "infinity"),
    (lambda: f_classif(1e200 * BAD, Y), "squares overflow"),
    (lambda: f_classif(1e-200 * BAD, Y), "squares vanish"),
    (lambda: chi2(-BAD, Y), "X must not be negative"),
    (lambda: chi2(sparse.csr_array(-BAD), Y), "X must not be negative"),
    (lambda: chi2(np.where(BAD > 4, np.nan, BAD), Y), "NaN, first at row 2, column 1"),
    (lambda: chi2(np.full((4, 1), 1e308), Y), "sum overflows"),
    (lambda: chi2(BAD, [2, 2, 2, 2]), "y must hold at least 2 classes"),
    (lambda: f_regression(BAD[:2], [1.0, 2.0]), "more than 2 rows"),
    (lambda: f_regression(BAD, BAD), "should be a 1d array"),
    (lambda: f_regression(BAD, [1, np.nan, 2, 3]), "NaN"),
    (lambda: f_regression(np.where(BAD > 4, np.nan, BAD), Y), "NaN, first at row 2, column 1"),
    (lambda: r_regression(1e200 * BAD, Y), "squares overflow"),
    (lambda: r_regression(BAD, [1e200, 0, 1, 2]), "y holds values so large"),
    (lambda: r_regression(BAD, [1e-200, 0, 0, 0]), "y holds values so small"),
    (lambda: r_regression(BAD, Y, center=2), "center must be True or False"),
    (lambda: r_regression(BAD, Y, force_finite=None), "force_finite must be True or False"),
    (lambda: r_regression(BAD, Y, sample_weight=[-1, 1, 1, 1]), "must not be negative"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_bad_input_is_refused_with_a_sentence(number):
    call, sentence = REFUSED[number]
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert re.search(sentence, str(caught.value)), caught.value


def test_scikit_learn_has_the_same_scores():
    theirs = pytest.importorskip("sklearn.feature_selection")
    for X in (ROWS, sparse.csr_array(ROWS)):
        np.testing.assert_allclose(f_classif(X, LABELS), theirs.f_classif(X, LABELS), rtol=1e-9)
        np.testing.assert_allclose(chi2(X, LABELS), theirs.chi2(X, LABELS), rtol=1e-9)
        for center in (True, False):
            got = f_regression(X, NUMBERS, center=center)
            np.testing.assert_allclose(
                got, theirs.f_regression(X, NUMBERS, center=center), rtol=1e-8
            )
            got = r_regression(X, NUMBERS, center=center)
            np.testing.assert_allclose(
                got, theirs.r_regression(X, NUMBERS, center=center), rtol=1e-9
            )
