# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices as pictures: what a kernel takes for alike."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from statfast._estimator import Display
from statfast._typing import ArrayLike, Axes
from statfast._validation import as_labels
from statfast.kernels.named import kernel_for

if TYPE_CHECKING:
    from statfast.kernels.kernel import Kernel


def kernel_matrix(
    kernel: "str | Kernel | Callable[..., Any]",
    X: Any,
    y: ArrayLike | None = None,
    *,
    gamma: Literal["scale", "auto"] | float = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    colorbar: bool = True,
    ax: Axes | None = None,
    n_jobs: int | None = None,
    **style: Any,
) -> Display:
    """Draw a kernel matrix, ordered by class.

    A kernel that suits the classes has large values in the squares along the diagonal, and small
    ones outside.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A name ("linear", "poly", "rbf", "sigmoid", "laplacian", "spectrum", "precomputed"), a
        kernel object, or a function of two arrays of samples.
    X : array-like of shape (n, d), list of n strings, or matrix of shape (n, n) if precomputed
        Points.
    y : array-like of shape (n,), optional
        Their classes; None keeps the points in their order.
    gamma : {"scale", "auto"} or float, default="scale"
        For a named kernel: 1 / (d var), with the variance of all values of X; 1 / d; or a number.
    degree : int, default=3
        Degree of "poly", and the length of the substrings of "spectrum".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    colorbar : bool, default=True
        Whether to draw one.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    n_jobs : int, optional
        Threads that make the matrix.
    **style : object
        Style, passed to ``ax.imshow``. The default ``cmap`` is "viridis", or "RdBu_r" with white at
        0 where values are negative.

    Returns
    -------
    Display
        With ``values`` (n, n), and ``order``, the numbers of its rows. The image, the first point
        on top; lines between the classes, and their labels at the left.

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
    >>> shown = kernel_matrix("rbf", iris.data, iris.target, ax=Figure().subplots())
    >>> [label.get_text() for label in shown.ax_.get_yticklabels()]
    ['0', '1', '2']
    """
    chosen = kernel_for(kernel, gamma, degree, coef0, X)
    values = chosen.matrix(X, n_jobs=n_jobs)
    order = np.arange(len(values))
    if y is not None:
        classes, codes = as_labels(y, len(values))
        order = np.argsort(codes, kind="stable")
        values = values[np.ix_(order, order)]

    def draw(shown, ax):
        low, high = float(values.min()), float(values.max())
        given = {"cmap": "viridis"}
        if low < 0:
            reach = max(-low, high)
            given = {"cmap": "RdBu_r", "vmin": -reach, "vmax": reach}
        image = ax.imshow(values, **{"interpolation": "nearest", **given, **style})
        if colorbar:
            ax.figure.colorbar(image, ax=ax, label="kernel value", fraction=0.046, pad=0.04)
        if y is None:
            ax.set(xlabel="sample", ylabel="sample")
        else:
            counts = np.bincount(codes)
            ends = np.cumsum(counts)
            for end in ends[:-1] - 0.5:
                ax.axhline(end, color="white", linewidth=0.8)
                ax.axvline(end, color="white", linewidth=0.8)
            ax.set_xticks([])
            ax.set_yticks(ends - counts / 2 - 0.5, [str(label) for label in classes])
            ax.tick_params(left=False)
            ax.set(xlabel="samples by class", ylabel="samples by class")
        title = re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.4g}", str(chosen))
        ax.set_title(title if len(title) <= 60 else "kernel matrix")

    return Display(draw, values=values, order=order).plot(ax=ax)
