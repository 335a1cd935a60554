# SPDX-License-Identifier: BSD-3-Clause
"""Tangent distance and its classifier: invariance, candidates, ties, sentences."""

import numpy as np
import pytest
from scipy import ndimage

from statfast._engine import blocks
from statfast.datasets import load_digits, load_mnist
from statfast.neighbors import KNeighborsClassifier, TangentDistanceClassifier, tangent_distance
from statfast.neighbors.images import tangent_space
from tests.reference import neighbors as plain
from tests.reference import tangent as twin

SHAPE = (24, 20)


def stroke():
    """A smooth curve drawn in gray, away from the edges."""
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    t = np.linspace(0, 1, 60)[:, None, None]
    down, across = 6 + 12 * t, 10 + 4 * np.sin(5 * t)
    return np.exp(-((y - down) ** 2 + (x - across) ** 2) / 3).max(axis=0)


def moved(image, name):
    """The image, moved a little."""
    center = (np.array(SHAPE) - 1) / 2
    angle = np.deg2rad(4)
    matrices = {
        "rotation": [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]],
        "scaling": np.eye(2) * 1.05,
        "stretch": np.diag([1.05, 1 / 1.05]),
        "slant": [[1, 0.06], [0.06, 1]],
    }
    if name in matrices:
        matrix = np.array(matrices[name])
        return ndimage.affine_transform(image, matrix, center - matrix @ center, order=3)
    if name == "thickness":
        across, down = np.gradient(image)
        return image + 0.3 * (across**2 + down**2)
    return ndimage.shift(image, {"right": (0, 0.6), "down": (0.6, 0)}[name], order=3)


MOTIONS = ["right", "down", "rotation", "scaling", "stretch", "slant", "thickness"]


@pytest.mark.parametrize("name", MOTIONS)
@pytest.mark.parametrize("two_sided", [True, False])
def test_small_motions_hardly_count(name, two_sided):
    image = stroke()
    other = moved(image, name)
    tangent = tangent_distance(image.ravel(), other.ravel(), image_shape=SHAPE, two_sided=two_sided)
    assert tangent < 0.25 * np.linalg.norm(image - other)


def test_other_differences_count():
    image = stroke()
    other = image + 0.3 * (np.indices(SHAPE).sum(axis=0) % 5 == 0)
    tangent = tangent_distance(image.ravel(), other.ravel(), image_shape=SHAPE, sigma=0)
    assert tangent > 0.8 * np.linalg.norm(image - other)


def test_distances_of_pairs_are_the_twins():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 5, 48))
    for two_sided in (True, False):
        want = [
            twin.squared_distance(p, q, (6, 8), 0.8, two_sided) for p, q in zip(a, b, strict=True)
        ]
        got = tangent_distance(a, b, image_shape=(6, -1), sigma=0.8, two_sided=two_sided)
        np.testing.assert_allclose(got, np.sqrt(want), rtol=1e-12)
        one = tangent_distance(a[2], b[2], image_shape=(-1, 8), sigma=0.8, two_sided=two_sided)
        assert isinstance(one, float)
        assert one == got[2]


def test_rows_may_lie_apart():
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 50, 7)).transpose(0, 2, 1)[:, :, 1:]
    np.testing.assert_array_equal(tangent_distance(a, b), tangent_distance(a.copy(), b.copy()))


@pytest.fixture(scope="module")
def digits():
    table = load_digits()
    return table.data[:150], table.target[:150], table.data[150:170]


def by_twin(X, Q, k, candidates, itself=False, **how):
    """Squared tangent distances and ids of the k best candidates, the slow way."""
    _, ids = plain.nearest(X, Q, candidates, itself)
    squared = np.array(
        [
            [twin.squared_distance(q, X[j], (8, 8), **how) for j in row]
            for q, row in zip(Q, ids, strict=True)
        ]
    )
    order = np.lexsort((ids, squared), axis=1)[:, :k]
    return np.take_along_axis(squared, order, 1), np.take_along_axis(ids, order, 1)


@pytest.mark.once
@pytest.mark.parametrize("candidates", [1, 7, 50])
@pytest.mark.parametrize("two_sided", [True, False])
def test_neighbors_are_the_twins(digits, candidates, two_sided):
    X, y, Q = digits
    X, y, Q = X[:50], y[:50], Q[:10]  # the last number of candidates is all rows
    k = min(3, candidates)
    model = TangentDistanceClassifier(k, n_candidates=candidates, two_sided=two_sided).fit(X, y)
    squared, ids = by_twin(X, Q, k, candidates, sigma=0.65, two_sided=two_sided)
    distances, found = model.kneighbors(Q)
    np.testing.assert_array_equal(found, ids)
    np.testing.assert_allclose(distances, np.sqrt(squared), rtol=1e-9)
    shares = np.array([np.bincount(y[row], minlength=10) / k for row in ids])
    np.testing.assert_allclose(model.predict_proba(Q), shares, rtol=1e-15)
    np.testing.assert_array_equal(model.predict(Q), shares.argmax(axis=1))


def test_without_rows_each_image_is_left_out(digits):
    X, y, _ = digits
    X, y = X[:40], y[:40]
    model = TangentDistanceClassifier(2, n_candidates=9).fit(X, y)
    squared, ids = by_twin(X, X, 2, 9, itself=True, sigma=0.65)
    distances, found = model.kneighbors()
    np.testing.assert_array_equal(found, ids)
    np.testing.assert_allclose(distances, np.sqrt(squared), rtol=1e-9)
    assert model.predict().shape == (40,)


def test_one_candidate_is_the_euclidean_neighbor(digits):
    X, y, Q = digits
    np.testing.assert_array_equal(
        TangentDistanceClassifier(n_candidates=1).fit(X, y).predict(Q),
        KNeighborsClassifier(1).fit(X, y).predict(Q),
    )


def test_more_candidates_than_rows_are_all_rows(digits):
    X, y, Q = digits
    few, many = (
        TangentDistanceClassifier(2, n_candidates=c).fit(X, y).kneighbors(Q) for c in (150, 9999)
    )
    np.testing.assert_array_equal(few[0], many[0])
    np.testing.assert_array_equal(few[1], many[1])


def test_equal_images_go_to_the_lowest_index(digits):
    X, _, Q = digits
    twice = np.vstack([X, X[::-1]])
    model = TangentDistanceClassifier(2, n_candidates=20).fit(twice, np.arange(len(twice)))
    distances, ids = model.kneighbors(Q)
    np.testing.assert_array_equal(distances[:, 0], distances[:, 1])
    np.testing.assert_array_equal(ids.sum(axis=1), 2 * len(X) - 1)
    assert (ids[:, 0] < len(X)).all()


def test_tied_votes(digits):
    X, _, Q = digits
    X = X[:2]
    nearest = TangentDistanceClassifier().fit(X, [0, 1]).predict(Q)
    assert set(nearest) == {0, 1}
    both = TangentDistanceClassifier(2, ties="nearest").fit(X, [0, 1])
    np.testing.assert_array_equal(both.predict(Q), nearest)
    np.testing.assert_array_equal(both.set_params(ties="lowest").predict(Q), np.zeros(len(Q)))


def test_same_bits_for_any_number_of_threads(digits, monkeypatch):
    X, y, Q = digits
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    want = TangentDistanceClassifier(5, n_candidates=30, n_jobs=1).fit(X, y).kneighbors(Q)
    for n_jobs, flop in ((2, 1e5), (7, 1e5), (2, 1e7), (2, 1.0)):
        monkeypatch.setattr(
            tangent_space, "FLOP_PER_CALL", flop
        )  # from many queries to one pair a call
        got = TangentDistanceClassifier(5, n_candidates=30, n_jobs=n_jobs).fit(X, y).kneighbors(Q)
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_array_equal(got[1], want[1])


def test_slices_of_queries(digits, monkeypatch):
    X, y, _ = digits
    model = TangentDistanceClassifier(2, n_candidates=5).fit(X, y)
    want = model.kneighbors(X)
    monkeypatch.setattr("statfast.neighbors.images.tangent.MAX_HELD_CANDIDATES", 1)
    got = model.kneighbors(X)
    np.testing.assert_array_equal(got[0], want[0])
    np.testing.assert_array_equal(got[1], want[1])


def test_digits_are_told_apart_better():
    table = load_digits()
    X, y = table.data, table.target
    wrong = [
        (model.fit(X[:1000], y[:1000]).predict(X[1000:]) != y[1000:]).sum()
        for model in (KNeighborsClassifier(1), TangentDistanceClassifier())
    ]
    assert wrong[1] < wrong[0]


# ---------------------------------------------------------------- sentences
@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"image_shape": (5, 13)}, ValueError, "image_shape must be .* of 64 pixels"),
        ({"image_shape": (5, -1)}, ValueError, "image_shape must be"),
        ({"image_shape": (-1, -1)}, ValueError, "image_shape must be"),
        ({"image_shape": (0, -1)}, ValueError, "image_shape must be"),
        ({"image_shape": (8,)}, TypeError, "image_shape must be two integers"),
        ({"image_shape": (8.0, 8.0)}, TypeError, "image_shape must be two integers"),
        ({"image_shape": 8}, TypeError, "image_shape must be two integers"),
        ({"sigma": -1}, ValueError, "sigma must be at least 0"),
        ({"sigma": 9}, ValueError, "sigma must be at most 8"),
        ({"n_candidates": 0}, ValueError, "n_candidates must be at least 1"),
        ({"n_neighbors": 101}, ValueError, r"between 1 and n_candidates \(100\)"),
        ({"two_sided": "yes"}, TypeError, "two_sided must be True or False"),
        ({"ties": "first"}, ValueError, "ties must be"),
    ],
)
def test_parameters_refused(digits, params, error, words):
    X, y, _ = digits
    with pytest.raises(error, match=words):
        TangentDistanceClassifier(**params).fit(X, y)


def test_columns_that_make_no_square():
    X, y = np.ones((4, 10)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"X has 10 columns, which make no square image. Pass"):
        TangentDistanceClassifier().fit(X, y)
    with pytest.raises(ValueError, match="a has 10 columns"):
        tangent_distance(X, X)
    assert TangentDistanceClassifier(image_shape=(1, -1)).fit(X, y).image_shape_ == (1, 10)


def test_pairs_refused():
    a = np.ones((2, 9))
    with pytest.raises(
        ValueError, match=r"a and b must be as many images .* \(2, 9\) and \(1, 9\)"
    ):
        tangent_distance(a, a[:1])
    for ragged in ([[1.0, 2.0], [3.0]], [1.0, [2.0]]):
        with pytest.raises(ValueError, match="a should be a 2-d array-like of numbers"):
            tangent_distance(ragged, ragged)
    with pytest.raises(ValueError, match="b contains NaN"):
        tangent_distance(a[0], a[0] * np.nan)
    with pytest.raises(ValueError, match=r"a holds an image so far .* overflows"):
        tangent_distance(np.eye(9) * 1e200, np.zeros((9, 9)))


def test_more_neighbors_than_rows(digits):
    X, y, Q = digits
    model = TangentDistanceClassifier(4).fit(X[:4], y[:4])
    with pytest.raises(ValueError, match=r"besides the row itself \(3\)"):
        model.predict()
    with pytest.raises(ValueError, match=r"the number of fitted rows \(4\)"):
        model.kneighbors(Q, 5)


def test_squares_that_overflow(digits):
    X, y, _ = digits
    with pytest.raises(ValueError, match="overflows"):
        TangentDistanceClassifier().fit(X * 1e200, y).predict(X * -1e200)


# ---------------------------------------------------------------- known
@pytest.mark.once
def test_mnist(shared_data):
    """The first thousand; all ten thousand have 309 and 136 errors."""
    data = load_mnist(shared_data("mnist"))
    Q, truth = data.X_test[:1000], data.y_test[:1000]
    errors = [
        int((model.fit(data.X_train, data.y_train).predict(Q) != truth).sum())
        for model in (KNeighborsClassifier(1), TangentDistanceClassifier())
    ]
    assert errors == [38, 23]
