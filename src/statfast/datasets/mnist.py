# SPDX-License-Identifier: BSD-3-Clause
"""MNIST from its four original files, which are not shipped: their license is unclear."""

from __future__ import annotations

import gzip
import os
import zlib
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from statfast._validation import wrong_type

_BYTES = 0x08  # the idx type code of unsigned bytes


class Mnist(NamedTuple):
    """The handwritten digits of MNIST, as bytes.

    Attributes
    ----------
    X_train : ndarray of shape (60000, 784), uint8
        Images to learn from, row after row of the image.
    y_train : ndarray of shape (60000,), uint8
        Their digits.
    X_test : ndarray of shape (10000, 784), uint8
        Images to classify.
    y_test : ndarray of shape (10000,), uint8
        Their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.datasets import Mnist
    >>> images, digits = np.zeros((3, 784), dtype=np.uint8), np.array([7, 2, 1], dtype=np.uint8)
    >>> X_train, y_train, X_test, y_test = Mnist(images[:2], digits[:2], images[2:], digits[2:])
    >>> X_train.shape, y_test
    ((2, 784), array([1], dtype=uint8))
    """

    X_train: NDArray[np.uint8]
    y_train: NDArray[np.uint8]
    X_test: NDArray[np.uint8]
    y_test: NDArray[np.uint8]


def load_mnist(folder: str | os.PathLike | None = None) -> Mnist:
    """MNIST: 28 x 28 images of handwritten digits, gray levels 0 to 255.

    Parameters
    ----------
    folder : path, optional
        The folder that holds the four files ``train-images-idx3-ubyte.gz``,
        ``train-labels-idx1-ubyte.gz``, ``t10k-images-idx3-ubyte.gz`` and
        ``t10k-labels-idx1-ubyte.gz``. None takes ``$STATFAST_DATA/mnist``.

    Returns
    -------
    Mnist
        The named tuple ``(X_train, y_train, X_test, y_test)`` of uint8 arrays, of shapes
        (60000, 784), (60000,), (10000, 784) and (10000,).

    Raises
    ------
    FileNotFoundError
        If `folder` is None and the environment variable STATFAST_DATA is not set, or if one of
        the files is missing.
    ValueError
        If a file is not an idx file of bytes.

    Notes
    -----
    55 MB of memory; half a second to decompress.

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. and Haffner, P. (1998). Gradient-based learning applied to
    document recognition. Proceedings of the IEEE 86, 2278-2324.
    https://doi.org/10.1109/5.726791.

    Examples
    --------
    >>> from statfast.datasets import load_mnist
    >>> X_train, y_train, X_test, y_test = load_mnist()  # doctest: +SKIP
    >>> X_train.shape, X_test.shape, y_train[:3]  # doctest: +SKIP
    ((60000, 784), (10000, 784), array([5, 0, 4], dtype=uint8))
    """
    if folder is None:
        data = os.environ.get("STATFAST_DATA")
        if not data:
            raise FileNotFoundError(
                "MNIST was not loaded: folder is None and the environment variable "
                "STATFAST_DATA is not set. Pass the folder of the four .gz files, or set "
                "STATFAST_DATA to the folder above 'mnist'."
            )
        folder = Path(data) / "mnist"
    elif not isinstance(folder, str | os.PathLike):
        raise wrong_type("folder", "a path", folder)
    read = [
        _read_idx(Path(folder) / f"{part}-{kind}-ubyte.gz")
        for part in ("train", "t10k")
        for kind in ("images-idx3", "labels-idx1")
    ]
    X_train, y_train, X_test, y_test = read
    return Mnist(_flat(X_train), y_train, _flat(X_test), y_test)


def _flat(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return images.reshape(len(images), -1)


def _read_idx(path: Path) -> NDArray[np.uint8]:
    """An idx file: two zero bytes, type code, number of axes, big-endian lengths, the elements."""
    if not path.is_file():
        raise FileNotFoundError(
            f"MNIST's file {path.name} is not in {path.parent}. Put the four .gz files of MNIST "
            "there, or pass the folder that holds them."
        )
    try:
        raw = gzip.decompress(path.read_bytes())
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is damaged ({error}). Download it again.") from error
    axes = raw[3] if raw[:3] == bytes([0, 0, _BYTES]) and len(raw) > 3 else 0
    head = 4 + 4 * axes
    if axes and len(raw) >= head:
        shape = tuple(np.frombuffer(raw[4:head], dtype=">u4").tolist())
        if len(raw) - head == prod(shape):
            return np.frombuffer(raw, np.uint8, offset=head).reshape(shape)
    raise ValueError(f"{path} does not hold an idx array of bytes. Download it again.")
