# SPDX-License-Identifier: BSD-3-Clause
"""Mutual information: definitions, known answers, independence of threads, what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast.feature_selection import mutual_info_classif, mutual_info_regression
from statfast.feature_selection.mutual_information import (
    information_of_classes,
    information_of_plane,
)
from statfast.metrics import mutual_info_score
from tests.reference import feature_scores as twin

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 6))
def test_of_classes_is_that_of_its_definition(seed, k):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    x, y = rng.normal(size=n), rng.integers(0, 4, n)
    y = np.unique(y, return_inverse=True)[1]
    got = max(0.0, information_of_classes(x, y, k))
    np.testing.assert_allclose(got, twin.information_of_classes(x, y, k), rtol=1e-9, atol=1e-12)


@given(SEEDS, st.integers(1, 6), st.sampled_from(["normal", "line", "heavy", "lattice"]))
def test_of_the_plane_is_that_of_its_definition(seed, k, shape):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(k + 1, 80))
    x = rng.normal(size=n)
    y = {
        "normal": rng.normal(size=n), "line": 2 * x + 1e-3 * rng.normal(size=n),
        "heavy": rng.standard_cauchy(n) * x**3, "lattice": np.round(rng.normal(size=n)),
    }[shape]  # fmt: skip
    if shape == "lattice":
        x = np.round(2 * x)  # Many distances are equal, and some 0.
    x, y = (x, y) if shape != "lattice" else (x + 1e-9 * rng.normal(size=n), y + 1e-9 * x)
    got = max(0.0, information_of_plane(x, y, k))
    np.testing.assert_allclose(got, twin.information_of_plane(x, y, k), rtol=1e-9, atol=1e-12)


def test_strips_of_many_points_find_the_nearest():
    """More than one strip of hundreds of points, and clusters that lie across them."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(size=600), 5 + 1e-6 * rng.normal(size=300)])
    y = np.concatenate([x[:600] ** 2, rng.normal(size=300)])
    for k in (1, 4):
        got, want = information_of_plane(x, y, k), twin.information_of_plane(x, y, k)
        np.testing.assert_allclose(got, want, rtol=1e-10)


def test_equal_values_count_as_near():
    x, y = np.array([0.0, 0, 0, 0, 1, 1, 1, 5]), np.array([0, 0, 1, 1, 0, 1, 1, 0])
    assert np.isfinite(information_of_classes(x, y, 2))


def test_normal_columns_have_the_known_information():
    """Of two normal columns with correlation r it is -log(1 - r^2) / 2."""
    rng = np.random.default_rng(0)
    for r in (0.0, 0.6, 0.9):
        x, e = rng.normal(size=(2, 20_000))
        y = r * x + np.sqrt(1 - r**2) * e
        got = mutual_info_regression(x[:, None], y, random_state=0)
        np.testing.assert_allclose(got, -0.5 * np.log(1 - r**2), atol=0.02)


def test_uniform_columns_of_classes_have_the_known_information():
    """Uniform on (0, 2) and (1, 3) with equal odds: half of log 2."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    x = rng.uniform(0, 2, 20_000) + y
    got = mutual_info_classif(x[:, None], y, random_state=0)
    np.testing.assert_allclose(got, 0.5 * np.log(2), atol=0.02)


def test_discrete_columns_are_counted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = np.column_stack(
        [y + rng.integers(0, 2, 200), rng.normal(size=200), rng.integers(0, 4, 200)]
    )
    want = [mutual_info_score(X[:, j].astype(int), y) for j in (0, 2)]
    for discrete in ([True, False, True], [0, 2], [0, -1], np.array([0, 2])):
        got = mutual_info_classif(X, y, discrete_features=discrete, random_state=0)
        np.testing.assert_allclose(got[[0, 2]], want, rtol=1e-12)
    rows = sparse.csr_array(X[:, [0, 2]])
    np.testing.assert_allclose(mutual_info_classif(rows, y), want, rtol=1e-12)
    # The roles of column and target are changed.
    target = y + 0.1 * rng.normal(size=200)
    got = mutual_info_regression(X, target, discrete_features=[0, 2], random_state=0)
    codes = X[:, 0].astype(int)
    want = twin.information_of_classes(target, codes, 3)
    np.testing.assert_allclose(got[0], want, rtol=1e-6)
    distinct = np.arange(200.0)[:, None]
    assert mutual_info_regression(distinct, target, discrete_features=True) == 0.0


@pytest.mark.parametrize("threads", [2, 7])
def test_any_number_of_threads_gives_the_same_bits(threads):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 9)), rng.integers(0, 3, 5000)
    target = X[:, 0] * X[:, 1]
    for function, goal in ((mutual_info_classif, y), (mutual_info_regression, target)):
        alone = function(X, goal, random_state=3, n_jobs=1)
        assert alone.tobytes() == function(X, goal, random_state=3, n_jobs=threads).tobytes()


def test_kinds_of_rows_do_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 200, (80, 3)).astype(float), rng.integers(0, 2, 80)
    want = mutual_info_classif(X, y, random_state=0)
    before = X.copy()
    for rows in (X.tolist(), np.asfortranarray(X), X.astype(np.float32), X.astype(np.uint8)):
        got = mutual_info_classif(rows, y, random_state=0)
        assert got.tobytes() == want.tobytes()
    np.testing.assert_array_equal(X, before)


@given(SEEDS)
def test_units_and_names_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    y[:3] = [0, 1, 2]
    want = mutual_info_classif(X, y, random_state=0)
    names = np.array(["c", "a", "b"])[y]
    np.testing.assert_allclose(mutual_info_classif(X * 1024.0, names, random_state=0), want)
    np.testing.assert_allclose(
        mutual_info_classif(X * 2.0**-600, y, random_state=0), want, rtol=1e-9, atol=1e-12
    )


def test_constant_columns_tell_nothing():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    assert mutual_info_classif(np.ones((500, 1)), y, random_state=0)[0] < 0.1
    assert mutual_info_regression(np.ones((500, 1)), rng.normal(size=500), random_state=0)[0] < 0.1


X = np.random.default_rng(0).normal(size=(8, 3))
Y = np.array([0, 1, 0, 1, 0, 1, 0, 1])
REFUSED = [
    (lambda: mutual_info_classif(X, np.zeros(8)), "y must hold at least 2 classes"),
    (lambda: mutual_info_classif(X, Y[:5]), "one label per row of X"),
    (lambda: mutual_info_classif(X, Y, n_neighbors=0), "n_neighbors must be at least 1"),
    (lambda: mutual_info_classif(X, Y, n_neighbors=1.5), "n_neighbors must be an integer"),
    (lambda: mutual_info_regression(X, Y, n_neighbors=8), r"number of rows \(8\); got 8"),
    (lambda: mutual_info_classif(np.where(X > 1, np.nan, X), Y), "NaN"),
    (lambda: mutual_info_classif(X, Y, discrete_features="yes"), "discrete_features must be"),
    (lambda: mutual_info_classif(X, Y, discrete_features=[True]), "each of the 3 columns"),
    (lambda: mutual_info_classif(X, Y, discrete_features=[3]), "which has 3; got 3"),
    (lambda: mutual_info_classif(X, Y, discrete_features=[0.5]), "discrete_features must be"),
    (lambda: mutual_info_classif(X, Y, copy="no"), "copy must be True or False"),
    (lambda: mutual_info_classif(X, Y, random_state="x"), "random_state must be"),
    (lambda: mutual_info_classif(X, Y, n_jobs=0), "n_jobs"),
    (lambda: mutual_info_regression(X, X), "should be a 1d array"),
    (
        lambda: mutual_info_classif(sparse.csr_array(X), Y, discrete_features=False),
        "Sparse X must have discrete columns alone",
    ),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_bad_input_is_refused_with_a_sentence(number):
    call, sentence = REFUSED[number]
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert re.search(sentence, str(caught.value)), caught.value


@pytest.mark.parametrize("k", [1, 3, 8])
def test_scikit_learn_has_the_same_estimates(k):
    theirs = pytest.importorskip("sklearn.feature_selection")
    rng = np.random.default_rng(k)
    X = rng.normal(size=(400, 4))
    X[:, 3] = rng.integers(0, 5, 400)
    y = (X[:, 0] + rng.normal(size=400) > 0) + 2 * (X[:, 3] > 3)
    target = np.sin(X[:, 1]) + X[:, 3] + 0.3 * rng.normal(size=400)
    options = {"n_neighbors": k, "discrete_features": [3], "random_state": 0}
    got = mutual_info_classif(X, y, **options)
    np.testing.assert_allclose(got, theirs.mutual_info_classif(X, y, **options), atol=1e-9)
    got = mutual_info_regression(X, target, **options)
    want = theirs.mutual_info_regression(X, target, **options)
    np.testing.assert_allclose(got, want, atol=1e-9)
