# SPDX-License-Identifier: BSD-3-Clause
"""Scores against the number of clusters: the gap statistic, and the elbow of any score."""

from statfast._validation import as_choice, wrong_type
from statfast.cluster import GapStatisticResult, NClustersResult
from statfast.plot.regions import COLORS, new_axes


def gap_plot(gap, *, rule="firstSEmax", ax=None):
    """Draw gap statistics with their standard errors, and the number a rule takes.

    Parameters
    ----------
    gap : statfast.cluster.GapStatisticResult
        What `gap_statistic` returned, or a `NClustersResult` that has one.
    rule : str, default="firstSEmax"
        See `gap_select`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.

    Returns
    -------
    ax : matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `gap` is no GapStatisticResult, and no NClustersResult that has one.
    ValueError
        If the rule is unknown.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.cluster import gap_statistic
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import gap_plot
    >>> found = gap_statistic(load_iris().data, k_max=4, n_boot=10, random_state=0)
    >>> gap_plot(found, ax=Figure().subplots()).get_xlabel()
    'clusters'
    """
    if isinstance(gap, NClustersResult) and gap.gap is None:
        raise TypeError(
            "gap must be a NClustersResult that has a gap statistic; got one by "
            f"{gap.criterion!r}. Call choose_n_clusters with criterion='gap', or draw its scores "
            "with elbow_plot."
        )
    gap = gap.gap if isinstance(gap, NClustersResult) else gap
    if not isinstance(gap, GapStatisticResult):
        raise wrong_type("gap", "what gap_statistic returned", gap)
    best = gap.best(rule)
    ax = new_axes() if ax is None else ax
    ax.errorbar(gap.k, gap.gap, yerr=gap.se, color=COLORS[0], marker="o", capsize=3)
    _mark(ax, best, f"{best} by {rule}")
    ax.set_ylabel("gap")
    _number_axis(ax, gap.k)
    return ax


def elbow_plot(choice, score="within", *, ax=None):
    """Draw a score against the number of clusters, and mark the one recommended.

    Parameters
    ----------
    choice : statfast.cluster.NClustersResult
        What `choose_n_clusters` returned.
    score : str, default="within"
        One of ``choice.scores``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.

    Returns
    -------
    ax : matplotlib.axes.Axes

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
    >>> from statfast.plot import elbow_plot
    >>> found = choose_n_clusters(load_iris().data, ks=range(1, 6), random_state=0)
    >>> elbow_plot(found, ax=Figure().subplots()).get_ylabel()
    'within'
    """
    if not isinstance(choice, NClustersResult):
        raise wrong_type("choice", "what choose_n_clusters returned", choice)
    as_choice(score, "score", choice.scores)
    ax = new_axes() if ax is None else ax
    ax.plot(choice.k, choice.scores[score], color=COLORS[0], marker="o")
    _mark(ax, choice.recommended, f"{choice.recommended} by {choice.criterion}")
    ax.set_ylabel(score)
    _number_axis(ax, choice.k)
    return ax


def _mark(ax, k, label):
    ax.axvline(k, color=COLORS[1], linestyle="--", linewidth=1, zorder=0, label=label)
    ax.legend(frameon=False)


def _number_axis(ax, ks):
    ax.set_xlabel("clusters")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlim(min(ks) - 0.5, max(ks) + 0.5)
