# SPDX-License-Identifier: BSD-3-Clause
"""A tree as a picture; forests: importances of columns, and the out-of-bag error tree by tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._estimator import Display, new_axes, shortened, weight_text
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    as_choice,
    as_count,
    as_digits,
    as_feature_names,
    as_real,
    not_fitted,
    shown,
    wrong_type,
)
from statfast.plot.colors import COLORS, gray
from statfast.tree import DecisionTreeClassifier, DecisionTreeRegressor

MAX_CLASSES_COUNTED = 4  # The most classes whose counts fit into a box.
FONT = 7.0  # points: the least size of the text in a figure of its own
MAX_INCHES = 60.0  # of a side of such a figure
MAX_QUESTION_NAME = 26  # characters of the name of a column


def tree(
    model: DecisionTreeClassifier | DecisionTreeRegressor,
    *,
    feature_names: ArrayLike | None = None,
    class_names: ArrayLike | None = None,
    show: Literal["label", "proba", "score", "counts"] | None = None,
    max_depth: int | None = None,
    decimals: int = 2,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw a decision tree.

    Rows that answer yes go to the left. If values were missing in the fit, a line says where rows
    go whose value is: as the first surrogate sends them, if there is one, else to yes or no. The
    color of a box is that of its largest class, paler where the classes are mixed; of a
    regression, the darker the larger the value.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted; members of a forest, too.
    feature_names : array-like of str, shape (p,), optional
        Names of the columns; None takes those of the fit.
    class_names : array-like of str, shape (K,), optional
        What the classes are called, in the order of `classes_`. None shows the labels.
    show : {"label", "proba", "score", "counts"}, optional
        What boxes show of the classes: the label of the largest; the share of each; of two classes
        the score log2(w1 / w0) of the weights of the second and of the first, which ranks leaves;
        or the weight of each. None shows the label with the weights of up to four classes, else
        with its share; it is the only one of a regression, which shows the mean.
    max_depth : int, optional
        Nodes below so many splits are not drawn; what is cut ends in a dashed box. None draws all.
    decimals : int, default=2
        Of thresholds and values.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the text in the boxes: `fontsize` is otherwise chosen so that neighbors do not touch.

    Returns
    -------
    statfast.plot.Display
        With `nodes`, of shape (m,): the nodes drawn, a parent before its children; `positions`,
        of shape (m, 2): leaves are one apart, and depths are negative; and `texts`, m strings.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is not a tree.
    ValueError
        If names are not one for each column or class, a count is negative, or `show` is not for
        trees of this kind: of a regression, of several outputs, or, for scores, of more classes
        than two.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import tree
    >>> from statfast.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> picture = tree(model, feature_names=iris.feature_names, ax=Figure().subplots())
    >>> print(picture.texts[1])
    0
    50 / 0 / 0
    >>> print(tree(model, show="proba", ax=Figure().subplots()).texts[2])
    0.00 / 0.50 / 0.50
    """
    if not isinstance(model, DecisionTreeClassifier | DecisionTreeRegressor):
        raise wrong_type("model", "a DecisionTreeClassifier or DecisionTreeRegressor", model)
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    features = as_feature_names(feature_names, model, model.n_features_in_)
    classes = _class_names(model, class_names)
    digits = as_digits(decimals, "decimals")
    arrays = model.tree_
    deepest = arrays.max_depth if max_depth is None else as_count(max_depth, "max_depth", low=0)
    nodes = _preorder(arrays, deepest)
    best = None if classes is None else [_best(model, k) for k in range(len(classes))]
    says = _verdict(model, show, classes, best, digits)
    node_texts = [_text_of_node(model, node, features, says, digits) for node in nodes]

    def draw(display: Display, ax: Any) -> None:
        _draw(display, ax, arrays, None if best is None else best[0], deepest, style)

    numbers = {"nodes": np.array(nodes), "positions": _positions(arrays, nodes, deepest)}
    if ax is None:
        ax = new_axes()
        ax.figure.set_size_inches(_room_for(node_texts, numbers["positions"]))
        ax.set_position((0.01, 0.01, 0.98, 0.98))
    return Display(draw, **numbers, texts=node_texts).plot(ax=ax)


def _class_names(model: Any, names: Any) -> Any:
    """Names of the classes of each output; None for a regression."""
    labels = getattr(model, "classes_", None)
    if labels is None:
        if names is not None:
            raise ValueError(
                f"class_names must be None for a regression; got {shown(names)}. Leave it out."
            )
        return None
    several = isinstance(labels, list)
    if names is None:
        return [[str(label) for label in output] for output in (labels if several else [labels])]
    names = [str(name) for name in names]
    if several or len(names) != len(labels):
        wanted = "None with several outputs" if several else f"{len(labels)} names"
        raise ValueError(f"class_names must be {wanted}; got {len(names)} names.")
    return [names]


def _preorder(arrays: Any, deepest: Any) -> Any:
    """Nodes not below `deepest` splits: each, then those to its left, then those to its right."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if arrays.children_left[node] >= 0 and arrays.depth[node] < deepest:
            waiting += [int(arrays.children_right[node]), int(arrays.children_left[node])]
    return order


def _positions(arrays: Any, nodes: Array, deepest: Any) -> Any:
    """Ends are one apart, from the left to the right; a parent is between its children."""
    across, ends = {}, 0
    for node in nodes:
        if arrays.children_left[node] < 0 or arrays.depth[node] == deepest:
            across[node], ends = float(ends), ends + 1
    for node in reversed(nodes):
        if node not in across:
            left, right = arrays.children_left[node], arrays.children_right[node]
            across[node] = (across[left] + across[right]) / 2.0
    return np.array([[across[node], -float(arrays.depth[node])] for node in nodes])


def _best(model: Any, output: int) -> Any:
    """The code of the class that each node stands for."""
    best, several = model.node_classes(), isinstance(model.classes_, list)
    labels = model.classes_[output] if several else model.classes_
    return np.searchsorted(labels, best[:, output] if several else best)


def _question(model: Any, node: int, features: Any, digits: int) -> Any:
    """What a node asks, and where rows go that cannot answer."""
    arrays = model.tree_
    name = shortened(features[arrays.feature[node]], MAX_QUESTION_NAME)
    sets = model.split_categories(node)
    if sets is None:
        asked = f"{name} \N{LESS-THAN OR EQUAL TO} {arrays.threshold[node]:.{digits}f}"
    else:
        labels = [str(label) for label in sets[0]]
        if len(labels) > MAX_CLASSES_COUNTED:
            labels = [*labels[: MAX_CLASSES_COUNTED - 1], "\N{HORIZONTAL ELLIPSIS}"]
        asked = f"{name} in {{{', '.join(labels)}}}"
    if not model._saw_missing:
        return [asked]
    routes, side = arrays.routes, "yes" if arrays.missing_go_to_left[node] else "no"
    surrogates = [] if routes is None else routes.surrogates[routes.surrogates["node"] == node]
    by = "".join(f"as {features[surrogate['column']]}, " for surrogate in surrogates[:1])
    return [asked, f"missing: {by}{side}"]


def _text_of_node(model: Any, node: int, features: Any, says: Any, digits: int) -> Any:
    """The lines of a box: the question, the answer, and the rows behind it."""
    arrays = model.tree_
    lines = _question(model, node, features, digits) if arrays.children_left[node] >= 0 else []
    lines += says(node)
    return "\n".join(lines)


def _verdict(model: Any, show: Any, classes: Any, best: Any, digits: int) -> Callable[[int], Any]:
    """What says the answer of a node, in lines."""
    as_choice(show, "show", (None, "label", "proba", "score", "counts"))
    arrays = model.tree_
    if show is not None and (classes is None or len(classes) > 1):
        kind = "a regression" if classes is None else "several outputs"
        raise ValueError(f"show must be None for a tree of {kind}; got {show!r}. Leave it out.")
    if show == "score" and len(classes[0]) != 2:
        raise ValueError(
            f"show='score' needs a tree of two classes; got {len(classes[0])}. Pass show='proba'."
        )

    single = classes is not None and len(classes) == 1
    totals = np.asarray(model.node_counts()) if single else np.empty(0)

    def mean(node: int) -> list[str]:
        weight = arrays.weighted_n_node_samples[node]
        text = ", ".join(f"{value:.{digits}f}" for value in arrays.value[node][:, 0])
        return [text, f"n = {weight_text(weight, digits)}"]

    def label(node: int) -> list[str]:
        return [", ".join(names[b[node]] for names, b in zip(classes, best, strict=True))]

    def shares(node: int) -> list[str]:
        return [" / ".join(f"{share:.{digits}f}" for share in arrays.value[node][0])]

    def score(node: int) -> list[str]:
        first, second = arrays.value[node][0]
        with np.errstate(divide="ignore"):
            value = np.log2(second) - np.log2(first)
        text = f"{value:+.{digits}f}" if np.isfinite(value) else f"{value:+.0f}"
        return [text.replace("inf", "\N{INFINITY}").replace("-", "\N{MINUS SIGN}")]

    def counts(node: int) -> list[str]:
        return [" / ".join(weight_text(weight, digits) for weight in totals[node])]

    def label_and_counts(node: int) -> list[str]:
        weight = arrays.weighted_n_node_samples[node]
        if len(classes) == 1 and len(classes[0]) <= MAX_CLASSES_COUNTED:
            return label(node) + counts(node)
        value, codes = arrays.value[node], [b[node] for b in best]
        text = ", ".join(f"{value[k, b]:.{digits}f}" for k, b in enumerate(codes))
        return [*label(node), f"{text} of {weight_text(weight, digits)}"]

    if classes is None:
        return mean
    saying = {"label": label, "proba": shares, "score": score, "counts": counts}
    return saying.get(show, label_and_counts)


def _colors(arrays: Any, nodes: Array, best: Any) -> Any:
    """The color of each box: of the largest class by its share, or of the value."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    value = arrays.value[nodes][:, 0, : int(arrays.n_classes[0])]
    if best is None:
        means = value[:, 0]
        low, high = means.min(), means.max()
        place = (means - low) / (high - low) if high > low else np.zeros(len(means))
        return colormaps["Blues"](0.08 + 0.5 * place)[:, :3]
    k = value.shape[1]
    palette = colormaps["tab10" if k <= 10 else "hsv"]
    plain = np.array([to_rgb(palette(j if k <= 10 else j / k)) for j in range(k)])
    even = 1.0 / k
    sure = (value.max(axis=1) - even) / (1.0 - even) if k > 1 else np.ones(len(nodes))
    depth = 0.1 + 0.5 * np.clip(sure, 0.0, 1.0)[:, None]
    return 1.0 - depth * (1.0 - plain[best[nodes]])


def _draw(display: Display, ax: Any, arrays: Any, best: Any, deepest: Any, style: Any) -> None:
    nodes, at = display.nodes, display.positions
    place = dict(zip(nodes.tolist(), at, strict=True))
    for node in nodes.tolist():
        if arrays.children_left[node] < 0 or arrays.depth[node] == deepest:
            continue
        for child in (arrays.children_left[node], arrays.children_right[node]):
            (x, y), (below, under) = place[node], place[int(child)]
            ax.plot([x, below, below], [y, y, under], color=gray(ax, 0.5), linewidth=0.9, zorder=1)
    ax.set_xlim(at[:, 0].min() - 0.6, at[:, 0].max() + 0.6)
    ax.set_ylim(at[:, 1].min() - 0.5, 0.5)
    size = {"fontsize": _font_size(ax, display.texts, at)}
    colors = _colors(arrays, nodes, best)
    for node, (x, y), text, color in zip(nodes.tolist(), at, display.texts, colors, strict=True):
        cut = arrays.children_left[node] >= 0 and arrays.depth[node] == deepest
        box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": "0.4"}
        box["linestyle"] = "--" if cut else "-"
        ink = {"color": "0.1", "ha": "center", "va": "center"}  # The boxes are light in any theme.
        ax.text(x, y, text, **{**ink, "bbox": box, **size, **style})
    if len(nodes) > 1:
        sides = (
            (arrays.children_left[0], "yes ", "right"),
            (arrays.children_right[0], " no", "left"),
        )
        for child, word, side in sides:  # The words stand beside the lines, where there is no box.
            x, y = place[int(child)]
            ax.text(x, y / 2.0, word, ha=side, va="center", color=gray(ax, 0.35), **size)
    ax.set_axis_off()


def _font_size(ax: Any, texts: list[Any], at: Any) -> Any:
    """Points such that neighbors of a level do not touch: a letter is some 0.6 of them wide."""
    width, height = (72.0 / ax.figure.dpi * size for size in ax.bbox.size)
    return max(1.0, min(10.0, *_fitting_sizes(texts, at, width, height)))


def _fitting_sizes(texts: list[Any], at: Any, width: float, height: float) -> list[float]:
    """The font sizes at which boxes fill the height, and neighbors the width, of a picture."""
    across = width / (np.ptp(at[:, 0]) + 1.2)
    down = height / (np.ptp(at[:, 1]) + 1.0)
    fits = [down / 5.5]
    for depth in np.unique(at[:, 1]):
        level = np.flatnonzero(at[:, 1] == depth)
        letters = [max(map(len, texts[i].split("\n"))) + 2.0 for i in level]
        if len(level) == 1:
            fits.append(width / (0.6 * letters[0]))
        for i in range(len(level) - 1):
            gap = at[level[i + 1], 0] - at[level[i], 0]
            fits.append(gap * across / (0.3 * (letters[i] + letters[i + 1])))
    return fits


def _room_for(texts: list[Any], at: Any) -> tuple[float, float]:
    """Width and height in inches of a figure in which the font is no smaller than FONT."""
    width, height = 6.4, 4.8
    of_height, *of_width = _fitting_sizes(texts, at, 72.0 * width, 72.0 * height)
    height *= max(1.0, FONT / of_height)
    width *= max(1.0, FONT / min(of_width, default=FONT))
    return min(width, MAX_INCHES), min(height, MAX_INCHES)


def importances(
    model: Any,
    *,
    feature_names: ArrayLike | None = None,
    level: float = 0.9,
    most: int = 20,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw impurity importances of a forest, and their variation over trees.

    Parameters
    ----------
    model : random forest or extremely randomized trees
        Fitted.
    feature_names : array-like of str, shape (p,), optional
        Names of the columns; None takes those of the fit.
    level : float, default=0.9
        The share of the trees that the intervals hold: from the quantile (1 - level) / 2 of the
        importances of single trees to that of (1 + level) / 2. This is how trees differ, not the
        error of the mean.
    most : int, default=20
        Columns to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    statfast.plot.Display
        With `names`, `means` (as `feature_importances_`) and `intervals`, of shape (m, 2), of the
        columns drawn.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is not a forest.
    ValueError
        If `level` is not between 0 and 1, `most` is less than 1, or names are not one for each
        column.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.ensemble import RandomForestClassifier
    >>> from statfast.plot import importances
    >>> iris = load_iris()
    >>> model = RandomForestClassifier(50, random_state=0).fit(iris.data, iris.target)
    >>> sorted(importances(model, ax=Figure().subplots()).names[:2])
    ['x2', 'x3']
    """
    _forest(model, "tree_importances_")
    trees = model.tree_importances_
    names = as_feature_names(feature_names, model, model.n_features_in_)
    level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    order = np.argsort(-model.feature_importances_, kind="stable")[: as_count(most, "most")]
    ends = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]

    def draw(display: Display, ax: Any) -> None:
        at = np.arange(len(display.means))
        drawn = {"color": COLORS[0], "marker": "o", "linestyle": "none", **style}
        ax.hlines(at, *display.intervals.T, color=drawn["color"], linewidth=1.5, alpha=0.6)
        ax.plot(display.means, at, **drawn)
        ax.set_yticks(at, display.names)
        ax.invert_yaxis()
        ax.set_xlim(left=0.0)
        ax.set_xlabel("importance (decrease of impurity)")

    return Display(
        draw,
        names=[names[j] for j in order],
        means=model.feature_importances_[order],
        intervals=np.quantile(trees[:, order], ends, axis=0).T,
    ).plot(ax=ax)


def out_of_bag(
    model: Any, X: Rows, y: ArrayLike, *, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw the out-of-bag error of a forest against the number of trees.

    Parameters
    ----------
    model : random forest, or extremely randomized trees with ``bootstrap=True``
        Fitted.
    X : array-like of shape (n, p)
        The rows of the fit.
    y : array-like of shape (n,) or (n, outputs)
        Their targets.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the line.

    Returns
    -------
    statfast.plot.Display
        With `errors`, of shape (n_estimators,), as ``model.out_of_bag_errors(X, y)``.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is not a forest.
    ValueError
        If the model was fitted with ``bootstrap=False``, or X has another shape than at fit.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.ensemble import RandomForestClassifier
    >>> from statfast.plot import out_of_bag
    >>> iris = load_iris()
    >>> model = RandomForestClassifier(50, random_state=0).fit(iris.data, iris.target)
    >>> shown = out_of_bag(model, iris.data, iris.target, ax=Figure().subplots())
    >>> float(shown.errors[-1].round(2))
    0.05
    """
    _forest(model, "out_of_bag_errors")
    errors = model.out_of_bag_errors(X, y)

    def draw(display: Display, ax: Any) -> None:
        trees = np.arange(1, len(display.errors) + 1)
        ax.plot(trees, display.errors, **{"color": COLORS[0], **style})
        ax.set_xlabel("trees")
        share = hasattr(model, "classes_")
        ax.set_ylabel("out-of-bag error" if share else "out-of-bag mean squared error")
        ax.set_ylim(bottom=0.0)

    return Display(draw, errors=errors).plot(ax=ax)


def _forest(model: Any, needed: str) -> None:
    """Refuse what is not a forest; one that is not fitted refuses by itself."""
    if not hasattr(type(model), needed):
        raise wrong_type("model", "a random forest or extremely randomized trees", model)
