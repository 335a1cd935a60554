# SPDX-License-Identifier: BSD-3-Clause
"""Grids of images have each image in its place, with its caption."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from statfast.datasets import load_digits
from statfast.plot import images

DIGITS = load_digits()
X = DIGITS.data[:7]


def cut(shown, i, k=0):
    (top, left), (high, wide) = shown.corners[i, k], shown.shape
    return shown.canvas[top : top + high, left : left + wide]


@pytest.mark.parametrize("n_columns", [None, 1, 3, 100])
def test_every_image_is_in_its_place(ax, n_columns):
    shown = images(X, n_columns=n_columns, ax=ax)
    for i, image in enumerate(X):
        assert_array_equal(cut(shown, i), image.reshape(8, 8))
    assert np.isfinite(shown.canvas).sum() == X.size  # nothing overlaps
    assert_array_equal(ax.images[0].get_array().filled(np.nan), shown.canvas)
    assert not ax.axison
    if n_columns == 3:
        assert len(np.unique(shown.corners[:, 0, 1])) == 3
        assert len(np.unique(shown.corners[:, 0, 0])) == 3


def test_images_that_are_not_square(ax):
    shown = images(X, shape=(4, 16), ax=ax)
    assert_array_equal(cut(shown, 2), X[2].reshape(4, 16))
    cube = X.reshape(7, 16, 4)
    assert_array_equal(cut(images(cube, ax=Figure().subplots()), 6), cube[6])


def test_captions_stand_above_their_images(ax):
    shown = images(X, captions=DIGITS.target[:7], ax=ax)
    assert [text.get_text() for text in ax.texts] == list("0123456")
    for text, (top, left) in zip(ax.texts, shown.corners[:, 0], strict=True):
        x, y = text.get_position()
        assert left <= x <= left + 8
        assert top - 2 < y < top
    assert shown.corners[:, 0, 0].min() > 0  # room for those of the first line


@pytest.mark.parametrize("k", [1, 3])
def test_others_stand_beside(ax, k):
    others = np.stack([X[::-1]] * k, axis=1) + np.arange(k)[:, None]
    words = [[f"{i}{j}" for j in range(k)] for i in range(7)]
    shown = images(X, beside=others, captions_beside=words, n_columns=2, ax=ax)
    for i in range(7):
        assert_array_equal(cut(shown, i), X[i].reshape(8, 8))
        for j in range(k):
            assert_array_equal(cut(shown, i, 1 + j), others[i, j].reshape(8, 8))
    assert np.isfinite(shown.canvas).sum() == X.size * (1 + k)
    assert [text.get_text() for text in ax.texts] == [word for row in words for word in row]
    if k == 1:
        flat = images(X, beside=others[:, 0], captions_beside=[w[0] for w in words],
                      n_columns=2, ax=Figure().subplots())  # fmt: skip
        assert_array_equal(flat.canvas, shown.canvas)
        cube = images(X, beside=others.reshape(7, 1, 8, 8), n_columns=2, ax=Figure().subplots())
        assert_array_equal(cut(cube, 3, 1), cut(shown, 3, 1))


def test_style_goes_to_the_picture(ax):
    images(X, cmap="viridis", vmax=20, ax=ax)
    assert ax.images[0].get_cmap().name == "viridis"
    assert ax.images[0].get_clim()[1] == 20


def test_letters_shrink_with_the_axes():
    sizes = []
    for inches in (10, 3):
        ax = Figure(figsize=(inches, inches)).subplots()
        images(np.tile(X, (10, 1)), captions=["8 as 3"] * 70, ax=ax)
        sizes.append(ax.texts[0].get_fontsize())
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"X": X[:, :60]}, ValueError, "shape must be given where images are not square"),
        ({"X": X * np.nan}, ValueError, "X contains NaN"),
        ({"X": np.zeros((0, 64))}, ValueError, "X"),
        ({"shape": (8, 9)}, ValueError, "shape must be that of the 64 pixels of X"),
        ({"shape": 8}, TypeError, "shape must be a pair of numbers of pixels"),
        ({"shape": (8, 8.0)}, TypeError, "shape must be an integer"),
        ({"captions": ["a"]}, ValueError, "captions must be one for each of 7 images; got 1"),
        ({"beside": X[:3]}, ValueError, "beside must have one or more images for each of 7"),
        ({"beside": X[:, :32]}, ValueError, "beside must hold images of 8 times 8 pixels"),
        (
            {"beside": np.zeros((7, 0, 64))},
            ValueError,
            "one or more images for each of 7; got none",
        ),
        ({"beside": "x"}, ValueError, "beside must have one or more images for each of 7"),
        ({"beside": X * np.nan}, ValueError, "beside contains"),
        (
            {"beside": X, "captions_beside": ["a"]},
            ValueError,
            "captions_beside must be one for each",
        ),
        ({"captions_beside": ["a"] * 7}, ValueError, "captions_beside must be one for each"),
        ({"n_columns": 0}, ValueError, "n_columns must be at least 1"),
    ],
)
def test_arguments_refused(ax, change, error, words):
    given = {"X": X, "ax": ax, **change}
    with pytest.raises(error, match=words):
        images(given.pop("X"), **given)
