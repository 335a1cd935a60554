# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices as pictures: what a kernel takes for alike."""

import re

import numpy as np

from statfast._validation import as_labels
from statfast.kernels.named import kernel_for
from statfast.plot.regions import new_axes


def kernel_matrix(
    kernel, X, y=None, *, gamma="scale", degree=3, coef0=0.0, cmap=None, colorbar=True, ax=None,
    n_jobs=None,
):  # fmt: skip
    """Draw the matrix of a kernel between points, ordered by class.

    A kernel that suits the classes has large values in the squares along the diagonal, and small
    ones outside.

    Parameters
    ----------
    kernel : str, Kernel or callable
        As in `statfast.kernels.kernel_matrix`.
    X : array-like of shape (n, d), list of n strings, or matrix of shape (n, n) if precomputed
        Points.
    y : array-like of shape (n,), optional
        Their classes; None keeps the points in their order.
    gamma : {"scale", "auto"} or float, default="scale"
    degree : int, default=3
    coef0 : float, default=0.0
        As in `statfast.kernels.kernel_matrix`.
    cmap : str or matplotlib colormap, optional
        None takes "viridis", or "RdBu_r" with white at 0 where values are negative.
    colorbar : bool, default=True
        Whether to draw one.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    n_jobs : int, optional
        Threads that make the matrix.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The image, the first point on top; lines between the classes, and their labels at the left.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        As in `statfast.kernels.kernel_matrix`, or if y has not one label a point.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import kernel_matrix
    >>> iris = load_iris()
    >>> ax = kernel_matrix("rbf", iris.data, iris.target, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0', '1', '2']
    """
    chosen = kernel_for(kernel, gamma, degree, coef0, X)
    values = chosen.matrix(X, n_jobs=n_jobs)
    ax = new_axes() if ax is None else ax
    if y is not None:
        classes, codes = as_labels(y, len(values))
        order = np.argsort(codes, kind="stable")
        values = values[np.ix_(order, order)]
    low, high = float(values.min()), float(values.max())
    limits = {"cmap": cmap or "viridis"}
    if low < 0:
        reach = max(-low, high)
        limits = {"cmap": cmap or "RdBu_r", "vmin": -reach, "vmax": reach}
    image = ax.imshow(values, interpolation="nearest", **limits)
    if colorbar:
        ax.figure.colorbar(image, ax=ax)
    if y is None:
        ax.set_ylabel("point")
    else:
        ends = np.cumsum(np.bincount(codes))
        for end in ends[:-1] - 0.5:
            ax.axhline(end, color="white", linewidth=0.8)
            ax.axvline(end, color="white", linewidth=0.8)
        ax.set_xticks([])
        ax.set_yticks(ends - np.bincount(codes) / 2 - 0.5, [str(label) for label in classes])
        ax.tick_params(left=False)
    title = re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.4g}", str(chosen))
    ax.set_title(title if len(title) <= 60 else "kernel matrix")
    return ax
