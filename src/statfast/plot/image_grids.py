# SPDX-License-Identifier: BSD-3-Clause
"""Images in a grid, each with its caption, and others beside it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Array, ArrayLike, Axes
from statfast._validation import as_count, as_names, as_rows, refuse_large, shown, wrong_type
from statfast.plot.colors import gray

GAP = 0.1  # Between images, as a share of their larger side.
GROUP_GAP = 0.5  # Between groups of images.
CAPTION = 0.32  # The room of a caption above its image, as a share of its height.
LETTER = 0.6  # The width of a letter, as a share of the size of the font.


def images(
    X: ArrayLike,
    *,
    shape: tuple[int, ...] | None = None,
    captions: ArrayLike | None = None,
    beside: ArrayLike | None = None,
    captions_beside: ArrayLike | None = None,
    n_columns: int | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw images in a grid, with captions, and others beside each.

    Parameters
    ----------
    X : array-like of shape (n, p) or (n, height, width)
        Gray images, a row each.
    shape : tuple of int, optional
        Height and width of an image in a row; None takes a square.
    captions : array-like of shape (n,), optional
        What stands above the images, such as their labels.
    beside : array-like of shape (n, p), (n, k, p) or (n, k, height, width), optional
        One or more others to the right of each image, such as its nearest neighbors.
    captions_beside : array-like of shape (n,) or (n, k), optional
        What stands above those.
    n_columns : int, optional
        Images, or groups of them, in a row of the grid; None makes the grid about as wide as high.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style, passed to ``ax.imshow``, such as ``vmin``, ``vmax`` and ``cmap``, otherwise "gray_r".

    Returns
    -------
    Display
        With ``canvas``, the picture (NaN between images), ``corners`` (n, 1 + k, 2), the row and
        column of the first pixel of each image, and ``shape``.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `shape` is not a pair of numbers.
    ValueError
        If images are not finite numbers, not of the shape, not square where there is none, or there
        is not one caption for each.
    MemoryError
        If the picture would take more than half of the free memory.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_digits
    >>> from statfast.plot import images
    >>> digits = load_digits()
    >>> shown = images(digits.data[:20], captions=digits.target[:20], ax=Figure().subplots())
    >>> shown.shape, shown.corners.shape
    ((8, 8), (20, 1, 2))
    """
    rows, size = _image_rows(X, "X", shape)
    n, groups = len(rows), rows[:, None]
    if beside is not None:
        others = _beside(beside, n, size)
        groups = np.concatenate([groups, others], axis=1)
    k = groups.shape[1] - 1
    texts = _captions(captions, captions_beside, n, k)
    if n_columns is None:
        n_columns = max(1, round(np.sqrt(n / (1 + k))))
    n_columns = min(as_count(n_columns, "n_columns"), n)
    corners, extent = _layout(n, k, n_columns, size, texts is not None)
    refuse_large(16 * extent[0] * extent[1], "The picture", "Draw fewer images.")
    canvas = np.full(extent, np.nan)
    for (top, left), image in zip(corners.reshape(-1, 2), groups.reshape(-1, *size), strict=True):
        canvas[top : top + size[0], left : left + size[1]] = image

    def draw(display: Display, ax: Any) -> None:
        ax.imshow(canvas, **{"cmap": "gray_r", "interpolation": "nearest", **style})
        ax.set_axis_off()
        if texts is None:
            return
        longest = max(max(map(len, row)) for row in texts)
        font = _font_size(ax, extent, size, longest)
        for (top, left), text in zip(corners.reshape(-1, 2), chain(*texts), strict=True):
            middle = left + 0.5 * size[1] - 0.5
            place = {"ha": "center", "va": "bottom", "fontsize": font, "color": gray(ax, 0.2)}
            if text:
                ax.text(middle, top - 0.5 - 0.04 * size[0], text, **place)

    return Display(draw, canvas=canvas, corners=corners, shape=size).plot(ax=ax)


def _image_rows(X: Any, name: str, shape: Any) -> tuple[Array, tuple[int, int]]:
    """Images (n, height, width), and their size."""
    if shape is not None and (not isinstance(shape, list | tuple) or len(shape) != 2):
        raise wrong_type("shape", "a pair of numbers of pixels", shape)
    size = None if shape is None else tuple(as_count(side, "shape") for side in shape)
    dims = np.ndim(X) if isinstance(X, np.ndarray | list | tuple) else 2
    if dims == 3:
        table = np.asarray(X)
        size = size or table.shape[1:]
        X = table.reshape(len(table), -1)
    rows = as_rows(X, name=name)
    p = rows.shape[1]
    if size is None:
        side = round(np.sqrt(p))
        size = (side, side)
        if side * side != p:
            raise ValueError(
                f"shape must be given where images are not square; {name} has {p} columns."
            )
    if size[0] * size[1] != p:
        raise ValueError(f"shape must be that of the {p} pixels of {name}; got {shown(size)}.")
    return rows.reshape(len(rows), *size), (size[0], size[1])


def _beside(beside: Any, n: int, size: tuple[int, int]) -> Array:
    """Images (n, k, height, width) that stand beside n others."""
    try:
        table = np.asarray(beside)
    except ValueError:
        raise wrong_type("beside", "an array of images", beside) from None
    if table.ndim not in (2, 3, 4) or len(table) != n:
        raise ValueError(
            f"beside must have one or more images for each of {n}; got shape {table.shape}."
        )
    k = 1 if table.ndim == 2 else table.shape[1]
    if not k:
        raise ValueError(f"beside must have one or more images for each of {n}; got none.")
    if table.shape[:1] == (0,) or table[0].size != k * size[0] * size[1]:
        raise ValueError(f"beside must hold images of {size[0]} times {size[1]} pixels, as X does.")
    rows = as_rows(table.reshape(n * k, -1), name="beside")
    return rows.reshape(n, k, *size)


def _captions(captions: Any, beside: Any, n: int, k: int) -> list[list[str]] | None:
    """What stands above each image of each group."""
    if captions is None and beside is None:
        return None
    first = [""] * n if captions is None else as_names(captions, "captions")
    if len(first) != n:
        raise ValueError(f"captions must be one for each of {n} images; got {len(first)}.")
    others = [[""] * k] * n
    if beside is not None:
        table = np.asarray(beside, dtype=object)
        if table.shape not in ((n, k), (n,)) or (table.ndim == 1 and k != 1):
            raise ValueError(
                f"captions_beside must be one for each image beside, ({n}, {k}); got shape "
                f"{table.shape}."
            )
        others = [[str(text) for text in row] for row in table.reshape(n, k).tolist()]
    return [[text, *more] for text, more in zip(first, others, strict=True)]


def _layout(n: int, k: int, n_columns: int, size: Any, captions: bool) -> Any:
    """The first pixels of the images (n, 1 + k, 2), and the pixels of the whole."""
    gap = max(1, round(GAP * max(size)))
    room = gap + (max(2, round(CAPTION * size[0])) if captions else 0)
    between = max(gap + 1, round(GROUP_GAP * size[1])) if k else gap
    wide = (1 + k) * size[1] + k * gap + between
    at = np.arange(n)
    top = (at // n_columns) * (size[0] + room) + (room - gap if captions else 0)
    left = (at % n_columns) * wide
    columns = left[:, None] + np.arange(1 + k) * (size[1] + gap)
    corners = np.stack([np.broadcast_to(top[:, None], columns.shape), columns], axis=-1)
    n_lines = -(-n // n_columns)
    extent = int(corners[..., 0].max()) + size[0], n_columns * wide - between
    return corners, (max(extent[0], n_lines), extent[1])


def _font_size(ax: Any, extent: Any, size: Any, longest: int) -> float:
    """Points such that a caption is no wider than its image, nor higher than its room."""
    pixel = min(ax.bbox.width / extent[1], ax.bbox.height / extent[0]) * 72.0 / ax.figure.dpi
    wide = size[1] * pixel / (LETTER * max(longest, 1))
    return float(max(1.0, min(11.0, 0.75 * CAPTION * size[0] * pixel, wide)))
