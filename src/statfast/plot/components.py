# SPDX-License-Identifier: BSD-3-Clause
"""Principal components: scree, biplot, circle of correlations, scores, and reconstructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display, shortened
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    as_count,
    as_feature_names,
    as_labels,
    not_fitted,
    shown,
    wrong_type,
)
from statfast.decomposition import PCA, ComponentChoice
from statfast.plot.clusterings import spread_out
from statfast.plot.colors import (
    COLORS,
    chosen_colors,
    gray,
    legend_of_classes,
    paper,
    scatter_classes,
)
from statfast.plot.regions import legend_text

MAX_ARROW_NAME = 20  # characters


def scree(choice: ComponentChoice | PCA, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw a scree plot, with the eigenvalues it is compared with.

    Parameters
    ----------
    choice : ComponentChoice or PCA
        What `choose_components` returned, with broken stick and parallel analysis; or a fitted PCA,
        whose variances alone are drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line of variances.

    Returns
    -------
    Display
        With ``eigenvalues``, ``broken_stick`` and ``reference``, where there are any.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `choice` is neither.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import choose_components
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import scree
    >>> result = choose_components(load_iris().data, random_state=0)
    >>> scree(result, ax=Figure().subplots()).eigenvalues.round(2).tolist()
    [2.92, 0.91, 0.15, 0.02]
    """
    if isinstance(choice, PCA):
        numbers = {"eigenvalues": _fitted(choice).explained_variance_}
    elif isinstance(choice, ComponentChoice):
        numbers = {"eigenvalues": choice.eigenvalues}
        numbers["broken_stick"] = choice.broken_stick * choice.eigenvalues.sum()
        if choice.reference is not None:
            numbers["reference"] = choice.reference
    else:
        raise wrong_type("choice", "what choose_components returned, or a PCA", choice)
    names = {"broken_stick": "broken stick", "reference": "parallel analysis"}

    def draw(shown: Display, ax: Any) -> None:
        at = np.arange(1, len(shown.eigenvalues) + 1)
        line = {"color": COLORS[0], "marker": "o", "label": "variance", **style}
        ax.plot(at, shown.eigenvalues, **line)
        for number, name in enumerate(sorted(numbers.keys() & names.keys())):
            line = {"color": COLORS[1 + number], "linestyle": ("--", ":")[number]}
            ax.plot(at, numbers[name], label=names[name], **line)
        ax.set_xlabel("component")
        ax.set_ylabel("variance")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_ylim(bottom=0)
        if len(numbers) > 1:
            ax.legend(frameon=False)

    return Display(draw, **numbers).plot(ax=ax)


def component_scores(
    model: PCA,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    components: tuple[int, ...] = (0, 1),
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the scores along two components, colored by class.

    Parameters
    ----------
    model : PCA
        Fitted, with two components or more.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Classes, shown by color.
    components : tuple of int, default=(0, 1)
        Which two components, from 0.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the points.

    Returns
    -------
    Display
        With ``scores`` (n, 2).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError, ValueError
        If `model` is not a fitted PCA or has not these components, or X or y do not fit it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import PCA
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import component_scores
    >>> iris = load_iris()
    >>> model = PCA().fit(iris.data)
    >>> component_scores(model, iris.data, iris.target, ax=Figure().subplots()).scores.shape
    (150, 2)
    """
    pair = _pair(model, components)
    scores = _two_scores(model, X, pair)
    return Display(_points(model, len(scores), y, pair, style), scores=scores).plot(ax=ax)


def biplot(
    model: PCA,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    components: tuple[int, ...] = (0, 1),
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw a biplot: scores as points, features as arrows.

    An arrow's length along an axis is the coefficient of the column in that component, all arrows
    by one factor, so that the longest reaches as far as the points.

    Parameters
    ----------
    model : PCA
        Fitted model.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Classes, shown by color.
    components : tuple of int, default=(0, 1)
        Which two components, from 0.
    feature_names : sequence of str, optional
        Names of the columns; None takes those of the fit, or numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the points.

    Returns
    -------
    Display
        With ``scores`` (n, 2) and ``arrows`` (d, 2).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError, ValueError
        As for `component_scores`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import PCA
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import biplot
    >>> X = load_iris().data
    >>> biplot(PCA().fit(X), X, ax=Figure().subplots()).arrows.shape
    (4, 2)
    """
    pair = _pair(model, components)
    names = as_feature_names(feature_names, model, model.n_features_in_)
    scores = _two_scores(model, X, pair)
    points, loadings = _points(model, len(scores), y, pair, style), model.loadings_[:, list(pair)]
    longest = np.sqrt((loadings**2).sum(axis=1)).max() or 1.0

    def draw(shown: Display, ax: Any) -> None:
        points(shown, ax)
        _arrows(ax, shown.arrows, names)
        ax.set_xlim(1.15 * np.array(ax.get_xlim()))  # Makes room for names.

    arrows = loadings * (np.abs(scores).max() / longest)
    return Display(draw, scores=scores, arrows=arrows).plot(ax=ax)


def correlation_circle(
    model: PCA,
    *,
    components: tuple[int, ...] = (0, 1),
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the correlation circle: correlations of the features with two components.

    The closer an arrow comes to the circle, the better the two components represent the column.

    Parameters
    ----------
    model : PCA
        Fitted model.
    components : tuple of int, default=(0, 1)
        Which two components, from 0.
    feature_names : sequence of str, optional
        Names of the columns; None takes those of the fit, or numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the arrows.

    Returns
    -------
    Display
        With ``correlations`` (d, 2).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError, ValueError
        If `model` is not a fitted PCA, or has not these components.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import PCA
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import correlation_circle
    >>> model = PCA(correlation=True).fit(load_iris().data)
    >>> correlation_circle(model, ax=Figure().subplots()).correlations.shape
    (4, 2)
    """
    pair = _pair(model, components)
    names = as_feature_names(feature_names, model, model.n_features_in_)

    def draw(shown: Display, ax: Any) -> None:
        turn = np.linspace(0.0, 2.0 * np.pi, 200)
        ax.plot(np.cos(turn), np.sin(turn), color=gray(ax, 0.7), linewidth=1)
        _arrows(ax, shown.correlations, names, **style)
        ax.set_aspect("equal")
        ax.set_xlim(-1.5, 1.5)
        ax.set_ylim(-1.25, 1.25)
        _name_axes(ax, model, pair)

    return Display(draw, correlations=model.variable_correlations()[:, list(pair)]).plot(ax=ax)


def reconstructions(
    model: PCA,
    X: Rows,
    shape: tuple[int, ...],
    *,
    n_components: Sequence[int] = (1, 5, 20),
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw images beside their reconstructions from few components.

    Parameters
    ----------
    model : PCA
        Fitted model.
    X : array-like of shape (r, d)
        Images, a row each.
    shape : tuple of int
        Rows and columns of an image.
    n_components : sequence of int, default=(1, 5, 20)
        How many components; those beyond the model's are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style, passed to ``imshow``.

    Returns
    -------
    Display
        With ``images`` (r, 1 + len(n_components), d).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError, ValueError
        If `model` is not a fitted PCA, or the shape is not that of its columns.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import PCA
    >>> from statfast.datasets import load_digits
    >>> from statfast.plot import reconstructions
    >>> X = load_digits().data
    >>> ax = Figure().subplots()
    >>> reconstructions(PCA().fit(X), X[:2], (8, 8), ax=ax).images.shape
    (2, 4, 64)
    """
    _fitted(model)
    if not isinstance(shape, list | tuple) or len(shape) != 2:
        raise wrong_type("shape", "a pair of numbers of pixels", shape)
    high, wide = (as_count(side, "shape") for side in shape)
    if high * wide != model.n_features_in_:
        raise ValueError(
            f"shape must be that of {model.n_features_in_} columns; got {shown(shape)}."
        )
    counts = [as_count(k, "n_components", 0) for k in n_components]
    scores = np.asarray(model.transform(X))
    images = [np.asarray(X, dtype=np.float64)]
    for k in counts:
        kept = np.where(np.arange(scores.shape[1]) < k, scores, 0.0)
        images.append(model.inverse_transform(kept))
    names = ["image", *map(str, counts)]

    def draw(shown: Display, ax: Any) -> None:
        room = np.full((len(scores), len(names), high + 1, wide + 1), np.nan)
        room[:, :, :high, :wide] = shown.images.reshape(len(scores), len(names), high, wide)
        sheet = room.transpose(0, 2, 1, 3).reshape(len(scores) * (high + 1), -1)
        ax.imshow(sheet[:-1, :-1], **{"cmap": "gray_r", **style})
        ax.set_xticks((wide - 1) / 2 + (wide + 1) * np.arange(len(names)), names)
        ax.set_yticks([])
        ax.set_xlabel("components")
        ax.tick_params(length=0)
        ax.set_frame_on(False)

    return Display(draw, images=np.stack(images, axis=1)).plot(ax=ax)


# ---------------------------------------------------------------- inside


def _fitted(model: Any) -> PCA:
    if not isinstance(model, PCA):
        raise wrong_type("model", "a PCA", model)
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    return model


def _pair(model: Any, components: Any) -> Any:
    most = len(_fitted(model).components_)
    several = isinstance(components, list | tuple) or getattr(components, "ndim", 0) > 0
    if not several or len(components) != 2:
        raise ValueError(f"components must be two; got {shown(components)}. Pass a pair.")
    return tuple(as_count(k, "components", 0, most - 1) for k in components)


def _two_scores(model: PCA, X: Any, pair: tuple[int, int]) -> Array:
    return np.asarray(model.transform(X))[:, list(pair)]


def _points(
    model: PCA, n: int, y: Any, pair: tuple[int, int], style: dict[Any, Any]
) -> Callable[..., Any]:
    """What draws scores as points, by class if there are any."""
    classes, codes = (None, None) if y is None else as_labels(y, n)
    style = {"s": 16, "linewidths": 0, **style}

    def draw(shown: Display, ax: Any) -> None:
        if classes is None or codes is None:
            ax.scatter(*shown.scores.T, **{"color": COLORS[0], **style})
        else:
            names = [legend_text(name) for name in classes.tolist()]
            palette = chosen_colors(None, len(names))
            scatter_classes(ax, shown.scores, codes, palette, names, style)
            legend_of_classes(ax, len(names), n)
        _name_axes(ax, model, pair)

    return draw


def _arrows(ax: Any, ends: Array, names: list[str], **style: Any) -> None:
    style = {"color": gray(ax, 0.25), "linewidth": 1, "head_width": 0.02 * np.abs(ends).max(),
             "length_includes_head": True, **style}  # fmt: skip
    for x, y in ends:
        ax.arrow(0.0, 0.0, x, y, **style)
    size, line = 1.08 * np.abs(ends).max(), 0.11 * np.abs(ends).max()
    for right in (False, True):
        chosen = np.flatnonzero((ends[:, 0] >= 0) == right)
        chosen = chosen[np.argsort(ends[chosen, 1], kind="stable")]
        heights = spread_out(ends[chosen, 1], line, max(size, line * len(chosen) / 2))
        for j, height in zip(chosen, heights, strict=True):
            ax.annotate(
                shortened(names[j], MAX_ARROW_NAME), ends[j],
                xytext=(ends[j, 0] + (0.03 if right else -0.03) * size, height),
                ha="left" if right else "right", va="center", fontsize="small",
                bbox={"boxstyle": "square,pad=0.1", "fc": paper(ax), "ec": "none", "alpha": 0.7},
            )  # fmt: skip


def _name_axes(ax: Any, model: PCA, pair: tuple[int, int]) -> None:
    share = 100.0 * model.explained_variance_ratio_
    ax.set_xlabel(f"component {pair[0] + 1} ({share[pair[0]]:.1f} %)")
    ax.set_ylabel(f"component {pair[1] + 1} ({share[pair[1]]:.1f} %)")
    ax.axhline(0.0, color=gray(ax, 0.85), linewidth=0.8, zorder=0)
    ax.axvline(0.0, color=gray(ax, 0.85), linewidth=0.8, zorder=0)
