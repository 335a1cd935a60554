# SPDX-License-Identifier: BSD-3-Clause
"""Scores against the number of clusters: the gap statistic, and the elbow of any score."""

from typing import Any

from statfast._estimator import Display
from statfast._typing import Axes
from statfast._validation import as_choice, wrong_type
from statfast.cluster import GapStatisticResult, NClustersResult
from statfast.plot.regions import COLORS

NAMES = {"within": "sum within clusters"}


def gap(
    found: GapStatisticResult, *, rule: str = "firstSEmax", ax: Axes | None = None, **style: Any
) -> Display:
    """Draw gap statistics with standard errors, and the number a rule chooses.

    Parameters
    ----------
    found : statfast.cluster.GapStatisticResult
        What `gap_statistic` returned, or a `NClustersResult` that has one.
    rule : str, default="firstSEmax"
        Rule of R's ``maxSE``: "firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax" or
        "globalmax".
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line, passed to ``ax.errorbar``.

    Returns
    -------
    Display
        With ``k``, ``gap``, ``se`` and ``best``.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `found` is no GapStatisticResult, and no NClustersResult that has one.
    ValueError
        If the rule is unknown.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.cluster import gap_statistic
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import gap
    >>> found = gap_statistic(load_iris().data, k_max=4, n_boot=10, random_state=0)
    >>> gap(found, ax=Figure().subplots()).best == found.best()
    True
    """
    if isinstance(found, NClustersResult) and found.gap is None:
        raise TypeError(
            "found must be a NClustersResult that has a gap statistic; got one by "
            f"{found.criterion!r}. Call choose_n_clusters with criterion='gap', or draw its "
            "scores with elbow."
        )
    found = found.gap if isinstance(found, NClustersResult) else found
    if not isinstance(found, GapStatisticResult):
        raise wrong_type("found", "what gap_statistic returned", found)
    best = found.best(rule)

    def draw(shown, ax):
        given = {"color": COLORS[0], "marker": "o", "capsize": 3, **style}
        ax.errorbar(shown.k, shown.gap, yerr=shown.se, **given)
        _mark(ax, shown, rule)
        ax.set_ylabel("gap statistic, with standard error")

    return Display(draw, k=found.k, gap=found.gap, se=found.se, best=best).plot(ax=ax)


def elbow(
    choice: NClustersResult, score: str = "within", *, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw a score against the number of clusters, and mark the one recommended.

    Parameters
    ----------
    choice : statfast.cluster.NClustersResult
        What `choose_n_clusters` returned.
    score : str, default="within"
        One of ``choice.scores``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``k``, ``scores`` and ``best``, the number recommended.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `choice` is no NClustersResult, or `score` no string.
    ValueError
        If there is no such score.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.cluster import choose_n_clusters
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import elbow
    >>> found = choose_n_clusters(load_iris().data, ks=range(1, 6), random_state=0)
    >>> elbow(found, ax=Figure().subplots()).best == found.recommended
    True
    """
    if not isinstance(choice, NClustersResult):
        raise wrong_type("choice", "what choose_n_clusters returned", choice)
    as_choice(score, "score", choice.scores)

    def draw(shown, ax):
        ax.plot(shown.k, shown.scores, **{"color": COLORS[0], "marker": "o", **style})
        _mark(ax, shown, choice.criterion)
        ax.set_ylabel(NAMES.get(score, score.replace("_", " ")))

    best = choice.recommended
    return Display(draw, k=choice.k, scores=choice.scores[score], best=best).plot(ax=ax)


def _mark(ax, shown, rule):
    """A line at the number chosen, and an axis of whole numbers."""
    label = f"{shown.best}, chosen by {rule}"
    ax.axvline(shown.best, color=COLORS[1], linestyle="--", linewidth=1, zorder=0, label=label)
    ax.legend(frameon=False)
    ax.set_xlabel("number of clusters")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlim(min(shown.k) - 0.5, max(shown.k) + 0.5)
