# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of patterns: association rules by support, confidence and lift."""

from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Axes
from statfast._validation import wrong_type
from statfast.patterns import AssociationRules


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
