# SPDX-License-Identifier: BSD-3-Clause
"""Hierarchies of clusters: dendrograms, and the condensed tree and reachability of HDBSCAN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from statfast._estimator import Display, new_axes
from statfast._typing import Array, ArrayLike, Axes
from statfast._validation import (
    as_choice,
    as_count,
    as_real,
    is_iterable,
    unusable_model,
    wrong_type,
)
from statfast.cluster.density.condensed_tree import Clusters
from statfast.cluster.hierarchy.dendrogram import as_linkage, heights_within, leaves_of
from statfast.plot.colors import COLORS, chosen_colors, gray

SIDES = ("top", "bottom", "left", "right")
ABOVE = "0.6"  # The gray of merges above the cut.
NOISE = "0.7"  # The gray of rows in no selected cluster.
HEADROOM = 1.05  # The height of the axes, relative to the highest of what is shown.
# The sizes of names of leaves in points; names that would have to be smaller are left out.
MAX_TEXT_SIZE, MIN_TEXT_SIZE = 8.0, 4.0
LINE = 1.1  # The height of a line of text, relative to its size.


def dendrogram(
    Z: ArrayLike,
    *,
    n_clusters: int | None = None,
    height: float | None = None,
    max_leaves: int | None = None,
    labels: Sequence[Any] | None = None,
    orientation: Literal["top", "bottom", "left", "right"] = "top",
    colors: Sequence[Any] | None = None,
    linewidth: float = 1.0,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw a dendrogram, its clusters colored below a cut.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix, of `statfast.linkage` or scipy.
    n_clusters : int, optional
        Cut into so many clusters, after the first n - n_clusters merges.
    height : float, optional
        Cut at this height. Give at most one of the two; without one, all is of one color.
    max_leaves : int, optional
        Show the last merges only, of at most so many clusters; these are drawn as leaves, named by
        the number of their rows in brackets.
    labels : sequence of n str, optional
        Names of the rows; None names them by number. Leaves too close for names to be read have
        none: a larger figure gives them room.
    orientation : {"top", "bottom", "left", "right"}, default="top"
        Where the root is.
    colors : sequence of matplotlib colors, optional
        Of the clusters, from left to right, repeated if there are more; None takes a palette.
    linewidth : float, default=1.0
        In typographic points.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot, which leaves room for the names.
    **style : object
        Style of the lines, passed to ``matplotlib.collections.LineCollection``.

    Returns
    -------
    Display
        With ``leaves``, the clusters drawn as leaves from the left, and the ``height`` of the cut
        or None. Leaf i from the left is at i; the line of the cut, if there is one, is dashed.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If Z is not a linkage matrix, if both `n_clusters` and `height` are given, if a parameter is
        out of its range, or if there are not n labels.

    Notes
    -----
    A cut into a number of clusters is drawn half-way between the highest merge made and the lowest
    that is not. Without recursion: trees may be as deep as they have leaves. Cost: O(n).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import linkage
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import dendrogram
    >>> Z = linkage(load_iris().data, "ward")
    >>> shown = dendrogram(Z, n_clusters=3, max_leaves=20, ax=Figure().subplots())
    >>> len(shown.leaves), round(shown.height, 1)
    (20, 9.3)
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba_array

    Z = as_linkage(Z)
    n = len(Z) + 1
    as_choice(orientation, "orientation", SIDES)
    linewidth = as_real(linewidth, "linewidth", 0.0)
    shown = n if max_leaves is None else min(n, as_count(max_leaves, "max_leaves", 2))
    if labels is not None and (isinstance(labels, str) or not is_iterable(labels)):
        raise wrong_type("labels", f"a name for each of the {n} rows", labels)
    # Labels are taken by position, whatever the index of a pandas Series.
    labels = None if labels is None else list(labels)
    if labels is not None and len(labels) != n:
        raise ValueError(
            f"labels must name each of the {n} rows; got {len(labels)}. Pass a name for each."
        )
    if colors is not None and not hasattr(colors, "__len__"):
        raise wrong_type("colors", "a sequence of colors, or None", colors)
    if colors is not None and len(colors) == 0:
        raise ValueError("colors must hold at least one color; got none. Pass some, or None.")
    made, line = cut_of(Z, n_clusters, height)

    x, y, leaves = places(Z, shown)
    merges = np.arange(n - shown, n - 1)
    a, b = Z[merges, 0].astype(np.intp), Z[merges, 1].astype(np.intp)
    top = y[n + merges]
    paths = np.stack(
        [
            np.stack([x[a], y[a]]),
            np.stack([x[a], top]),
            np.stack([x[b], top]),
            np.stack([x[b], y[b]]),
        ]
    ).transpose(2, 0, 1)
    upright = orientation in ("top", "bottom")
    cluster = clusters_of(Z, made, x)
    palette = to_rgba_array(colors if colors is not None else COLORS)
    inks = np.where(
        made[merges, None], palette[cluster[n + merges] % len(palette)], to_rgba_array(ABOVE)
    )

    def draw(shown, ax):
        shape = {"colors": inks, "linewidths": linewidth, **style}
        ax.add_collection(LineCollection(paths if upright else paths[:, :, ::-1], **shape))
        frame(ax, x[leaves], y, line, orientation)
        name_leaves(ax, Z, leaves, labels, orientation)

    if ax is None:
        ax = new_axes()
        ax.figure.set_layout_engine("constrained")
    return Display(draw, leaves=leaves, height=line).plot(ax=ax)


def cut_of(Z: Array, n_clusters: Any, height: Any) -> Any:
    """Which merges are made, and at what height the cut is drawn (None: nowhere)."""
    n = len(Z) + 1
    if n_clusters is not None and height is not None:
        raise ValueError(
            f"Only one of n_clusters and height may be given; got {n_clusters} and {height}. "
            "Leave one out."
        )
    if height is not None:
        height = as_real(height, "height")
        return heights_within(Z) <= height, height
    if n_clusters is None:
        return np.ones(n - 1, bool), None
    k = as_count(n_clusters, "n_clusters", 1, n, limit="the number of rows")
    made = np.arange(n - 1) < n - k
    below = Z[made, 2].max() if made.any() else 0.0
    above = Z[~made, 2].min() if not made.all() else 1.05 * below
    return made, float(below + above) / 2


def places(Z: Array, shown: int) -> tuple[Array, Array, Array]:
    """Across and up of every cluster, and the clusters drawn as leaves, from left to right."""
    n = len(Z) + 1
    start, _ = leaves_of(Z)
    first = n - shown  # Merges before this one are not drawn.
    roots = np.setdiff1d(Z[first:, :2].astype(np.intp), np.arange(n + first, 2 * n - 1))
    leaves = roots[np.argsort(start[roots])]
    x, y = np.full(2 * n - 1, np.nan), np.zeros(2 * n - 1)
    x[leaves] = np.arange(shown)
    y[n:] = Z[:, 2]
    y[leaves[leaves >= n]] = 0.0  # Subtrees that are not shown are drawn as leaves at height 0.
    for i, (a, b) in enumerate(Z[first:, :2].astype(np.intp).tolist(), start=n + first):
        x[i] = (x[a] + x[b]) / 2
    return x, y, leaves


def clusters_of(Z: Array, made: Array, x: Array) -> Array:
    """The number of the cluster, from left to right, that each merge that is made belongs to."""
    n = len(Z) + 1
    start, _ = leaves_of(Z)
    top = np.arange(2 * n - 1)
    pairs = Z[:, :2].astype(np.intp).tolist()
    for i in range(n - 2, -1, -1):
        if made[i]:
            top[pairs[i]] = top[n + i]
    tops = np.unique(top[n:][made])
    number = np.zeros(2 * n - 1, np.intp)
    number[tops[np.argsort(start[tops])]] = np.arange(len(tops))
    return number[top]


def frame(ax: Any, leaves: Any, y: Any, line: Any, orientation: Any) -> None:
    """Limits of the axes, and the line of the cut."""
    upright = orientation in ("top", "bottom")
    ends = np.array([-0.5, len(leaves) - 0.5])
    high = 1.05 * max(y.max(), line or 0.0) or 1.0
    if line is not None:
        draw = ax.axhline if upright else ax.axvline
        draw(line, color=gray(ax, 0.3), linestyle="--", linewidth=0.8, zorder=0)
    ground = -0.01 * high  # The axis begins below 0, so that merges at height 0 can be seen.
    up = (ground, high) if orientation in ("top", "right") else (high, ground)
    (ax.set_xlim if upright else ax.set_ylim)(ends)
    (ax.set_ylim if upright else ax.set_xlim)(up)
    for side in ("top", "right", "bottom", "left"):
        ax.spines[side].set_visible(side == ("left" if upright else "bottom"))
    (ax.set_ylabel if upright else ax.set_xlabel)("height")


def name_leaves(ax: Any, Z: Any, leaves: Any, labels: Any, orientation: Any) -> None:
    """A name at each leaf, where there is room for it."""
    n, upright = len(Z) + 1, orientation in ("top", "bottom")
    axis, box = ax.xaxis if upright else ax.yaxis, ax.get_window_extent()
    room = (box.width if upright else box.height) * 72 / ax.figure.dpi / len(leaves)
    if room < LINE * MIN_TEXT_SIZE:
        axis.set_ticks([])
        return
    names = [
        f"({Z[leaf - n, 3]:.0f})" if leaf >= n else str(leaf if labels is None else labels[leaf])
        for leaf in leaves.tolist()
    ]
    axis.set_ticks(range(len(leaves)), names)
    axis.set_tick_params(length=0, labelsize=min(MAX_TEXT_SIZE, room / LINE))
    if upright:
        axis.set_tick_params(rotation=90)
    if orientation == "bottom":
        axis.tick_top()
    if orientation == "left":
        axis.tick_right()


# ---------- The hierarchy of HDBSCAN
def condensed_tree(
    model: Any, *, colors: Sequence[Any] | None = None, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw how the clusters of HDBSCAN lose rows as the density rises, and where they divide.

    Parameters
    ----------
    model : HDBSCAN
        Fitted.
    colors : sequence of matplotlib colors, optional
        One for each selected cluster, in the order of labels; None takes a palette that repeats.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the areas, passed to ``matplotlib.collections.PolyCollection``.

    Returns
    -------
    Display
        With ``labels`` (m,), of each cluster of the tree the selected cluster that it is part of or
        -1, ``birth`` and ``death`` (m,), the densities at which it begins and at which its last
        rows leave it, and its ``center`` (m,) across. The root is the first.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is not an HDBSCAN.
    ValueError
        If there are fewer colors than selected clusters.

    Notes
    -----
    Up is the density, 1 / distance; an area is as wide as a cluster has rows, or weight, and its
    size the stability by which "eom" selects. Parts of a cluster stand side by side below its
    middle. Infinite densities, of equal rows, are drawn a little above the highest finite one. What
    is not part of a selected cluster is gray. Cost: O(n log n).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import HDBSCAN
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import condensed_tree
    >>> model = HDBSCAN(min_cluster_size=10).fit(load_iris().data)
    >>> shown = condensed_tree(model, ax=Figure().subplots())
    >>> shown.labels
    array([-1,  0,  1])
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    require_hierarchy(model)
    clusters = Clusters(model.condensed_tree_, len(model._core))
    labels = model._selected
    palette = chosen_colors(colors, int(labels.max()) + 1)
    finite = clusters.level[np.isfinite(clusters.level)]
    top = HEADROOM * float(finite.max(initial=0.0)) or 1.0
    center = centers_of(clusters)
    by_cluster = np.argsort(clusters.cluster, kind="stable")
    ends = np.cumsum(np.bincount(clusters.cluster, minlength=clusters.count))[:-1]
    members = np.split(by_cluster, ends)
    areas = [outline(clusters, c, members[c], center[c], top) for c in range(clusters.count)]
    inks = np.array([to_rgb(NOISE) if c < 0 else palette[c] for c in labels])

    def draw(shown: Display, ax: Any) -> None:
        ax.add_collection(PolyCollection(areas, **{"facecolors": inks, "linewidths": 0, **style}))
        ax.set_xlim(0.0, clusters.size[0])
        ax.set_ylim(0.0, top)
        ax.set_xlabel("rows")
        ax.set_ylabel("density (1 / distance)")

    return Display(
        draw, labels=labels, birth=clusters.birth, death=clusters.death, center=center
    ).plot(ax=ax)


def reachability(
    model: Any, *, colors: Sequence[Any] | None = None, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw the distances at which HDBSCAN joins rows, side by side: valleys are clusters.

    Parameters
    ----------
    model : HDBSCAN
        Fitted.
    colors : sequence of matplotlib colors, optional
        One for each cluster, in the order of labels; None takes a palette that repeats.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the bars, passed to ``matplotlib.collections.PolyCollection``.

    Returns
    -------
    Display
        With ``order`` (m,), the clustered rows in the order of the hierarchy, and
        ``reachability`` (m,), the mutual reachability distance at which each is joined to the row
        before it, by steps that are no longer; infinite for the first.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is not an HDBSCAN.
    ValueError
        If there are fewer colors than clusters.

    Notes
    -----
    The picture of OPTICS, from the merges by mutual reachability: a horizontal line cuts it into
    the clusters of DBSCAN at that radius. Rows without weight, and those that are not finite, are
    left out; noise is gray. Infinite distances, that of the first row among them, are drawn a
    little above the highest finite one. Cost: O(n).

    References
    ----------
    M. Ankerst, M. M. Breunig, H.-P. Kriegel, J. Sander (1999). OPTICS: ordering points to identify
    the clustering structure. SIGMOD 1999, 49-60. doi:10.1145/304182.304187

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import HDBSCAN
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import reachability
    >>> model = HDBSCAN(min_cluster_size=10).fit(load_iris().data)
    >>> shown = reachability(model, ax=Figure().subplots())
    >>> len(shown.order), round(float(shown.reachability[1:].max()), 2)
    (150, 1.64)
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    require_hierarchy(model)
    kept = model._kept
    rows = np.arange(len(model._core)) if kept is None else np.flatnonzero(kept)
    labels = model.labels_[rows]
    palette = chosen_colors(colors, int(model.labels_.max()) + 1)
    order, height = joined_leaves(model.single_linkage_tree_, len(rows))
    finite = height[np.isfinite(height)]
    top = HEADROOM * float(finite.max(initial=0.0)) or 1.0
    up, x = np.minimum(height, top), np.arange(len(order))
    corners = [(x, 0 * up), (x, up), (x + 1, up), (x + 1, 0 * up)]
    bars = np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)
    inks = np.array([to_rgb(NOISE) if c < 0 else palette[c] for c in labels[order]])

    def draw(shown: Display, ax: Any) -> None:
        ax.add_collection(
            PolyCollection(list(bars), **{"facecolors": inks, "linewidths": 0, **style})
        )
        ax.set_xlim(0, len(order))
        ax.set_ylim(0.0, top)
        ax.set_xlabel("rows in the order of the hierarchy")
        ax.set_ylabel("reachability distance")

    return Display(draw, order=rows[order], reachability=height).plot(ax=ax)


def require_hierarchy(model: Any) -> None:
    """Refuse a model that is not a fitted HDBSCAN."""
    if not (hasattr(model, "condensed_tree_") and hasattr(model, "single_linkage_tree_")):
        raise unusable_model(model, "a fitted HDBSCAN")


def joined_leaves(Z: Array, n: int) -> tuple[Array, Array]:
    """The leaves of a linkage matrix from left to right, and the height at which each is joined to
    those on its left."""
    if n == 1:
        return np.zeros(1, np.intp), np.full(1, np.inf)
    start, _ = leaves_of(Z)
    order, height = np.empty(n, np.intp), np.full(n, np.inf)
    order[start[:n]] = np.arange(n)
    a, b = Z[:, 0].astype(np.intp), Z[:, 1].astype(np.intp)
    height[np.maximum(start[a], start[b])] = Z[:, 2]
    return order, height


def centers_of(clusters: Clusters) -> Array:
    """Where the middle of each cluster is across: parts side by side below that of the whole."""
    center = np.full(clusters.count, clusters.size[0] / 2)
    width = np.bincount(clusters.parent[1:], clusters.size[1:], clusters.count)
    left = np.zeros(clusters.count)  # The next free place below each cluster.
    for c in range(clusters.count):
        parent = clusters.parent[c]
        if c:
            center[c] = left[parent] + clusters.size[c] / 2
            left[parent] += clusters.size[c]
        left[c] = center[c] - width[c] / 2
    return center


def outline(clusters: Clusters, c: int, rows: Array, center: float, top: float) -> Array:
    """The corners of the area of a cluster, which becomes narrower at each density at which rows
    leave it."""
    levels, place = np.unique(np.minimum(clusters.level[rows], top), return_inverse=True)
    leaving = np.bincount(place, clusters.weight[rows], len(levels))
    width = clusters.size[c] - np.concatenate([[0.0], np.cumsum(leaving)])
    ends = np.concatenate([levels, [min(clusters.death[c], top)]])
    up = np.repeat(np.concatenate([[min(clusters.birth[c], top)], ends]), 2)[1:-1]
    half = np.repeat(width, 2) / 2
    return np.concatenate(
        [np.stack([center - half, up], axis=1), np.stack([center + half, up], axis=1)[::-1]]
    )
