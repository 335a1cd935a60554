# SPDX-License-Identifier: BSD-3-Clause
"""Reading MNIST's idx files."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from statfast.datasets import load_mnist

PARTS = ("train", "t10k")


def idx(array):
    lengths = np.array(array.shape, dtype=">i4").tobytes()
    return bytes([0, 0, 8, array.ndim]) + lengths + array.astype(np.uint8).tobytes()


def write_mnist(folder, images, labels):
    """The same images and labels as both parts."""
    folder.mkdir()
    for part in PARTS:
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            (folder / f"{part}-{kind}-ubyte.gz").write_bytes(gzip.compress(idx(array)))


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    write_mnist(tmp_path / "mnist", rng.integers(0, 256, (7, 3, 5)), np.arange(7))
    return tmp_path / "mnist"


def test_reads_bytes(folder, monkeypatch):
    data = load_mnist(folder)
    expected = np.random.default_rng(0).integers(0, 256, (7, 15))
    for images, labels in ((data.X_train, data.y_train), (data.X_test, data.y_test)):
        assert images.dtype == labels.dtype == np.uint8
        assert_array_equal(images, expected)
        assert_array_equal(labels, np.arange(7))
    monkeypatch.setenv("STATFAST_DATA", str(folder.parent))
    assert_array_equal(load_mnist().X_test, data.X_test)


def test_says_where_it_looked(folder, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"train-images-idx3-ubyte\.gz is not in .*nowhere"):
        load_mnist(tmp_path / "nowhere")
    (folder / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"t10k-labels-idx1-ubyte\.gz"):
        load_mnist(str(folder))
    monkeypatch.delenv("STATFAST_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="STATFAST_DATA is not set"):
        load_mnist()


WHOLE = idx(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not gzip",
        gzip.compress(WHOLE)[:-9],
        gzip.compress(b""),
        gzip.compress(WHOLE[:6]),
        gzip.compress(WHOLE[:-1]),
        gzip.compress(WHOLE + b"\0"),
        gzip.compress(b"\0\0\x0d" + WHOLE[3:]),
    ],
    ids=["empty", "text", "cut", "nothing", "header", "short", "long", "float"],
)
def test_refuses_a_damaged_file(folder, content):
    (folder / "train-images-idx3-ubyte.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"train-images-idx3-ubyte\.gz .*Download it again"):
        load_mnist(folder)


def test_the_real_files(shared_data):
    data = load_mnist(shared_data("mnist"))
    assert data.X_train.shape == (60000, 784)
    assert data.X_test.shape == (10000, 784)
    assert_array_equal(
        np.bincount(data.y_train), [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    )
    assert_array_equal(
        np.bincount(data.y_test), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    )
    assert data.X_train.mean() / 255 == pytest.approx(0.13066, abs=1e-5)


def test_a_folder_that_is_no_path():
    with pytest.raises(TypeError, match="folder must be a path"):
        load_mnist(3)
