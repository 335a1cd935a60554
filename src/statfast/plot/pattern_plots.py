# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of patterns: association rules by support and confidence, subgroups by cover."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np

from statfast._estimator import Display, shortened, weight_text
from statfast._typing import Axes
from statfast._validation import as_count, not_fitted, wrong_type
from statfast.patterns import AssociationRules, SubgroupDiscovery, SubgroupTable
from statfast.plot.colors import COLORS, gray

TOUCHING = 0.06  # of an axis: the numbers of nearer points would cover each other
KEY_WIDTH = 62  # characters of a line of the key
MAX_KEY = 100  # characters of a description in it: two lines


def rules(result: AssociationRules, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw confidence against support, with lift as color.

    Parameters
    ----------
    result : AssociationRules
        Result of `statfast.association_rules`, or some of its rules.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the points, such as ``s`` or ``cmap``.

    Returns
    -------
    Display
        With ``support``, ``confidence``, ``lift`` and ``names``, in the order of the table. Rules
        of high lift lie above others.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` holds no rules.
    ValueError
        If there are no rules.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import association_rules, frequent_itemsets
    >>> from statfast.plot import rules
    >>> sets = frequent_itemsets([["bread", "milk"], ["bread"], ["milk", "tea"]], 0.3)
    >>> result = association_rules(sets, min_threshold=0.5)
    >>> rules(result, ax=Figure().subplots()).lift.round(2)
    array([1.5 , 0.75, 0.75, 1.5 ])
    """
    if not isinstance(result, AssociationRules):
        raise wrong_type("result", "a result of association_rules", result)
    if not len(result):
        raise ValueError("result must hold at least one rule; got none. Lower min_threshold.")

    def draw(display: Display, ax: Any) -> None:
        order = np.argsort(display.lift, kind="stable")
        shape = {"s": 18.0, "cmap": "viridis", "linewidths": 0, **style}
        points = ax.scatter(
            display.support[order], display.confidence[order], c=display.lift[order], **shape
        )
        ax.figure.colorbar(points, ax=ax, label="lift")
        ax.set_xlabel("support")
        ax.set_ylabel("confidence")

    numbers = {name: result.measure(name) for name in ("support", "confidence", "lift")}
    return Display(draw, names=list(result.table().names), **numbers).plot(ax=ax)


def subgroups(
    model: SubgroupDiscovery | SubgroupTable,
    *,
    most: int = 20,
    n_named: int = 5,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw subgroups as points: in coverage space, or by size and mean.

    Of a class, a subgroup is a point in coverage space: the weight of the class and of the rest
    that it covers. The dotted diagonal is what as many rows drawn from all would cover; a subgroup
    is the better by weighted relative accuracy the farther it is from it, and the dashed line has
    points that are as good as the best. Of a numeric target, a subgroup is a point by its share of
    the weight and its mean; the dotted line is the mean of all rows.

    Parameters
    ----------
    model : SubgroupDiscovery or SubgroupTable
        Fitted.
    most : int, default=20
        Subgroups to draw, the best first.
    n_named : int, default=5
        How many of them are numbered, and described below the picture.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    statfast.plot.Display
        With `x` and `y`, of shape (m,), and `descriptions`, a list, of the subgroups drawn.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If it is neither a SubgroupDiscovery nor a SubgroupTable.
    ValueError
        If a count is out of its range.

    References
    ----------
    J. Fuernkranz and P. A. Flach (2005). ROC 'n' rule learning. Machine Learning 58, 39-77.
    https://doi.org/10.1007/s10994-005-5011-x

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.patterns import SubgroupDiscovery
    >>> from statfast.plot import subgroups
    >>> iris = load_iris()
    >>> model = SubgroupDiscovery(3, pos_label=1).fit(iris.data, iris.target)
    >>> shown = subgroups(model, ax=Figure().subplots())
    >>> shown.y.round()  # of the 50 rows of the class
    array([50., 50., 50.])
    """
    table = _table_of(model)
    drawn = slice(as_count(most, "most"))
    named = as_count(n_named, "n_named", low=0)
    positives = (table.size * table.target)[drawn]
    nominal = table.label is not None
    numbers = (
        {"x": table.size[drawn] - positives, "y": positives}
        if nominal
        else {"x": table.share[drawn], "y": table.target[drawn]}
    )

    def draw(display: Display, ax: Any) -> None:
        if nominal:
            _draw_coverage(display, ax, table)
        else:
            ax.axhline(table.base, color=gray(ax, 0.6), linestyle=":", linewidth=1)
            ax.set_xlim(0.0, 1.0)
            ax.margins(y=0.1)
            ax.set_xlabel("share of the rows")
            ax.set_ylabel("mean of the target")
        points = {"color": COLORS[0], "linestyle": "none", "marker": "o", "zorder": 3, **style}
        ax.plot(display.x, display.y, **points)
        _number(display, ax, named)
        texts = enumerate((shortened(d, MAX_KEY) for d in display.descriptions[:named]), start=1)
        lines = ["\n     ".join(wrap(f"{k}  {text}", KEY_WIDTH)) for k, text in texts]
        below = ("axes fraction", ax.xaxis.label)  # the key begins below the label of the axis
        ax.annotate(
            "\n".join(lines), (0.0, 0.0), (0, -6), xycoords=below, textcoords="offset points",
            va="top", fontsize="small",
        )  # fmt: skip

    return Display(draw, **numbers, descriptions=table.descriptions[drawn]).plot(ax=ax)


def _table_of(model: Any) -> SubgroupTable:
    if isinstance(model, SubgroupTable):
        return model
    if not isinstance(model, SubgroupDiscovery):
        raise wrong_type("model", "a SubgroupDiscovery or SubgroupTable", model)
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    return model.subgroups_


def _draw_coverage(display: Display, ax: Any, table: SubgroupTable) -> None:
    of_class, rest = table.class_weights
    ax.plot([0.0, rest], [0.0, of_class], color=gray(ax, 0.6), linestyle=":", linewidth=1)
    away = display.y / of_class - display.x / rest  # proportional to weighted relative accuracy
    if len(away):
        best = away[np.abs(away).argmax()]
        line = {"color": gray(ax, 0.5), "linestyle": "--", "linewidth": 1}
        ax.plot([0.0, rest], [best * of_class, (1.0 + best) * of_class], **line)
    ax.set_xlim(-0.02 * rest, 1.02 * rest)
    ax.set_ylim(-0.02 * of_class, 1.02 * of_class)
    ax.set_aspect("equal" if max(of_class, rest) < 5 * min(of_class, rest) else "auto")
    ax.set_xlabel(f"others covered (of {weight_text(rest, 1)})")
    ax.set_ylabel(f"class {shortened(table.label)} covered (of {weight_text(of_class, 1)})")


def _number(display: Display, ax: Any, named: int) -> None:
    """Write the numbers of subgroups beside the points, those of points that touch together."""
    at: dict[tuple[float, float], list[str]] = {}
    points = list(zip(display.x.tolist(), display.y.tolist(), strict=True))[:named]
    across, up = (TOUCHING * abs(np.subtract(*limits)) for limits in (ax.get_xlim(), ax.get_ylim()))
    for k, point in enumerate(points, start=1):
        near = (p for p in at if abs(p[0] - point[0]) < across and abs(p[1] - point[1]) < up)
        at.setdefault(next(near, point), []).append(str(k))
    for point, labels in at.items():
        ax.annotate(", ".join(labels), point, (4, 4), textcoords="offset points", fontsize="small")
