# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of printed results: tables, steps, prunings, clusters found again, and coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import CoefficientTable, Display
from statfast._typing import ArrayLike, Axes
from statfast._validation import as_choice, as_real, shown, to_array, wrong_type
from statfast.cluster import StabilityResult
from statfast.conformal import CoverageReport
from statfast.linear import StepwiseResult
from statfast.plot.colors import COLORS, gray
from statfast.plot.linear_models import interval_lines
from statfast.tree import PruningTable

# The first of these columns that a table has is drawn, unless another is asked for.
DRAWN_COLUMNS = ("GVIF", "Sum Sq", "LRT", "Deviance", "F", "Chi2")
SIGNIFICANT = 0.05


def table(
    result: CoefficientTable, column: str | None = None, *, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw a table of results: intervals of its rows, or bars of a column.

    Parameters
    ----------
    result : CoefficientTable
        Result of `conf_int`, `t_test`, `odds_ratios`, `anova`, `drop1`, `add1` or `vif`.
    column : str, optional
        A heading, to draw its bars. None draws intervals where the table has them (with the
        estimates, else the middles), or bars of the first of "GVIF", "Sum Sq", "LRT", "Deviance",
        "F", "Chi2" and the columns in order.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of points or bars.

    Returns
    -------
    Display
        With ``names``, ``values`` and ``ends`` (None of bars). What is significant at 0.05, or
        whose interval does not hold 0 (of ratios, 1), is filled. Rows without numbers are left
        out, and intervals without an end reach to the edge.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not a table of results.
    ValueError
        If there is no such column, or no number in it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearRegression, vif
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import table
    >>> X = load_iris().data
    >>> result = vif(LinearRegression().fit(X[:, :3], X[:, 3]))
    >>> table(result, ax=Figure().subplots()).ax_.get_xlabel()
    'GVIF'
    """
    if not isinstance(result, CoefficientTable):
        raise wrong_type("result", "a table of results, such as anova returns", result)
    columns = {name: np.asarray(values, float) for name, values in result.columns.items()}
    limits = [name for name in columns if name.endswith(" %") and name[0].isdigit()]
    names, ends, none = np.array(result.names, dtype=object), None, 0.0
    if column is None and len(limits) == 2:
        ends = np.column_stack([columns[name] for name in limits])
        middle = next((n for n in ("Estimate", "exp(coef)") if n in columns), None)
        with np.errstate(invalid="ignore"):  # An interval from -inf to inf has no middle.
            values = ends.mean(axis=1) if middle is None else columns[middle]
        none = 1.0 if middle == "exp(coef)" else 0.0
        label = f"{middle or 'interval'}, with {limits[0]} and {limits[1]}"
        filled = (ends[:, 0] > none) | (ends[:, 1] < none)
        kept = ~np.isnan(ends).any(axis=1)
    else:
        first = next((name for name in DRAWN_COLUMNS if name in columns), next(iter(columns)))
        label = first if column is None else as_choice(column, "column", tuple(columns))
        values = columns[label]
        p = next((columns[name] for name in columns if name.startswith("P>")), np.zeros(len(names)))
        filled, kept = p < SIGNIFICANT, np.isfinite(values)
    if not kept.any():
        raise ValueError(f"result must have numbers to draw; got none under {label!r}.")
    names, values, filled = names[kept], values[kept], filled[kept]
    ends = None if ends is None else ends[kept]

    def draw(display: Display, ax: Any) -> None:
        places = np.arange(len(names))[::-1]
        if ends is not None:
            points, lines, limits = interval_lines(values, ends, none == 1)
        for chosen, face in ((filled, COLORS[0]), (~filled, gray(ax, 1.0))):
            if ends is None:
                shape = {"color": face, "edgecolor": COLORS[0], "height": 0.6, **style}
                ax.barh(places[chosen], values[chosen], **shape)
            else:
                ax.hlines(
                    places[chosen], lines[chosen, 0], lines[chosen, 1], color=COLORS[0], zorder=2
                )
                shape = {"mfc": face, "mec": COLORS[0], "ms": 6, "zorder": 3, **style}
                ax.plot(points[chosen], places[chosen], "o", **shape)
        if ends is not None:
            ax.axvline(none, color=gray(ax, 0.6), linewidth=1.0, linestyle="--", zorder=1)
            if none:
                ax.set_xscale("log")
            if limits is not None:
                ax.set_xlim(limits)
        ax.set_yticks(places, names)
        ax.set_ylim(-0.7, len(names) - 0.3)
        ax.set_xlabel(label)
        _bare(ax)

    return Display(draw, names=names, values=values, ends=ends).plot(ax=ax)


def stepwise(result: StepwiseResult, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw the criterion after each step of a selection.

    Parameters
    ----------
    result : statfast.linear.StepwiseResult
        What `step` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line.

    Returns
    -------
    Display
        With ``names`` of the steps and the ``criterion`` after each.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not what `step` returned.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearRegression, step
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import stepwise
    >>> X = load_iris().data
    >>> result = step(LinearRegression(), X[:, :3], X[:, 3], start="none")
    >>> stepwise(result, ax=Figure().subplots()).names
    ['Start', '+ x2', '+ x1', '+ x0']
    """
    if not isinstance(result, StepwiseResult):
        raise wrong_type("result", "what step returned", result)
    names, (label, values) = list(result.path.names), list(result.path.columns.items())[-1]

    def draw(display: Display, ax: Any) -> None:
        ax.plot(range(len(names)), values, **{"color": COLORS[0], "marker": "o", **style})
        slanted = {"rotation": 30, "ha": "right"} if len(names) > 5 else {}
        ax.set_xticks(range(len(names)), names, **slanted)
        ax.set_xlabel("step")
        ax.set_ylabel(label)
        _bare(ax)

    return Display(draw, names=names, criterion=values).plot(ax=ax)


def pruning(result: PruningTable, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw cross-validated errors against tree size, as R's ``plotcp``.

    Parameters
    ----------
    result : statfast.tree.PruningTable
        What `pruning_table` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line of errors on rows held out.

    Returns
    -------
    Display
        With ``leaves``, ``xerror`` and ``limit``, the least error and its standard error together:
        the smallest tree below it is that of one standard error, which is marked.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not what `pruning_table` returned.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import pruning
    >>> from statfast.tree import DecisionTreeClassifier, pruning_table
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier()
    >>> result = pruning_table(tree, iris.data, iris.target, cv=np.arange(150) % 10)
    >>> pruning(result, ax=Figure().subplots()).leaves.tolist()
    [1, 2, 3, 4]
    """
    if not isinstance(result, PruningTable):
        raise wrong_type("result", "what pruning_table returned", result)
    leaves = np.asarray(result.n_splits) + 1
    limit = float(result.xerror[result.best] + result.xstd[result.best])
    small = result.one_standard_error

    def draw(display: Display, ax: Any) -> None:
        shape = {"color": COLORS[0], "marker": "o", "capsize": 3, **style}
        shape.setdefault("label", "cross-validation")
        ax.errorbar(leaves, result.xerror, yerr=result.xstd, **shape)
        ax.plot(leaves, result.rel_error, color=gray(ax, 0.6), marker=".", label="training")
        ax.axhline(limit, color=COLORS[1], linestyle="--", linewidth=1, label="least + 1 se")
        ax.plot(leaves[small], result.xerror[small], "o", ms=11, mfc="none", mec=COLORS[1])
        ax.set_xlabel("leaves")
        ax.set_ylabel("error relative to the root")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend(frameon=False)
        _bare(ax)

    return Display(draw, leaves=leaves, xerror=result.xerror, limit=limit).plot(ax=ax)


def stability(result: StabilityResult, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw the bootstrap stability of each cluster.

    Parameters
    ----------
    result : statfast.cluster.StabilityResult
        What `cluster_stability` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the points of the means.

    Returns
    -------
    Display
        With ``mean`` and ``jaccard``, the similarity in each set, which are the marks beside.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not what `cluster_stability` returned.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.cluster import cluster_stability
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import stability
    >>> result = cluster_stability(load_iris().data, 2, n_boot=5, random_state=0)
    >>> stability(result, ax=Figure().subplots()).mean.shape
    (2,)
    """
    if not isinstance(result, StabilityResult):
        raise wrong_type("result", "what cluster_stability returned", result)
    places = np.arange(len(result.mean))

    def draw(display: Display, ax: Any) -> None:
        for place, values in zip(places, result.jaccard.T, strict=True):
            ax.plot(np.full(len(values), place), values, "_", color=gray(ax, 0.75), zorder=1)
        ax.plot(places, result.mean, **{"color": COLORS[0], "marker": "o", "ls": "", **style})
        for height, name in ((0.75, "recovered"), (0.5, "dissolved")):
            ax.axhline(height, color=gray(ax, 0.6), linestyle="--", linewidth=1, zorder=0)
            ax.annotate(
                name, (1.01, height), xycoords=("axes fraction", "data"), ha="left", va="center",
                color=gray(ax, 0.4), fontsize="small",
            )  # fmt: skip
        ax.set_xticks(places)
        ax.set_xlim(-0.6, len(places) - 0.4)
        ax.set_ylim(-0.02, 1.05)
        ax.set_xlabel("cluster")
        ax.set_ylabel("Jaccard similarity")
        _bare(ax)

    return Display(draw, mean=result.mean, jaccard=result.jaccard).plot(ax=ax)


def group_coverage(
    report: CoverageReport, *, level: float | None = None, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw how often intervals or sets hold the truth, in all, by group and by size.

    Parameters
    ----------
    report : statfast.conformal.CoverageReport
        What `coverage_report` returned.
    level : float, optional
        The level that was asked for, which is drawn across; lines whose exact interval lies below
        it, so that chance alone hardly explains them, have a color of their own.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the points.

    Returns
    -------
    Display
        With ``names``, ``coverage``, ``lower``, ``upper``, ``rows`` and ``below``, whether the
        interval of a line lies below the level. Lines without rows are left out.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `report` is not what `coverage_report` returned.
    ValueError
        If `level` is not between 0 and 1, or the report has no rows.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.conformal import coverage_report
    >>> from statfast.plot import group_coverage
    >>> ends = [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]]
    >>> report = coverage_report([1.0, 2.0, 6.0], ends, groups=["a", "a", "b"], n_sizes=1)
    >>> group_coverage(report, level=0.9, ax=Figure().subplots()).names
    ['all', 'group a', 'group b', 'width to 2']
    """
    if not isinstance(report, CoverageReport):
        raise wrong_type("report", "what coverage_report returned", report)
    if level is not None:
        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    kept = np.flatnonzero(report.rows > 0)
    if not len(kept):
        raise ValueError("report must have rows to draw; it is of none.")
    names = [report.names[place] for place in kept]
    coverage, lower, upper, rows = (
        values[kept] for values in (report.coverage, report.lower, report.upper, report.rows)
    )
    below = upper < level if level is not None else np.zeros(len(kept), dtype=bool)

    def draw(display: Display, ax: Any) -> None:
        places = np.arange(len(names))[::-1]
        for chosen, color in ((~below, COLORS[0]), (below, COLORS[1])):
            ax.hlines(places[chosen], lower[chosen], upper[chosen], color=color, zorder=2)
            shape = {"color": color, "ms": 6, "zorder": 3, **style}
            ax.plot(coverage[chosen], places[chosen], "o", **shape)
        if level is not None:
            ax.axvline(level, color=gray(ax, 0.6), linewidth=1.0, linestyle="--", zorder=1)
        labels = [f"{name}\n{n} rows" for name, n in zip(names, rows, strict=True)]
        ax.set_yticks(places, labels)
        ax.set_ylim(-0.7, len(names) - 0.3)
        ax.set_xlabel("coverage")
        _bare(ax)

    return Display(
        draw, names=names, coverage=coverage, lower=lower, upper=upper, rows=rows, below=below
    ).plot(ax=ax)


def set_sizes(
    sets: ArrayLike | dict[str, ArrayLike], *, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw how many labels are in sets: the share of the rows with none, one, two, and so on.

    Parameters
    ----------
    sets : array-like of bool of shape (m, K), or dict of name to such
        What ``predict_set`` of a `ConformalClassifier` returned; of several, bars are drawn side
        by side.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the bars.

    Returns
    -------
    Display
        With ``sizes`` (S,), from 0 to the largest, ``shares``, a dict of (S,) by name, and
        ``means``, a dict of the mean number of labels.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `sets` is an empty dict.
    ValueError
        If sets are not of bool, or not a row for each sample.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import set_sizes
    >>> sets = [[True, False, False], [True, True, False], [False, True, False]]
    >>> set_sizes(sets, ax=Figure().subplots()).shares["sets"].round(2)
    array([0.  , 0.67, 0.33])
    """
    several = isinstance(sets, dict)
    if several and not sets:
        raise wrong_type("sets", "an array-like of bool, or a dict of one or more", sets)
    counts = {
        str(name): _labels_in_sets(values, f"sets[{name!r}]" if several else "sets")
        for name, values in (sets.items() if isinstance(sets, dict) else [("sets", sets)])
    }
    most = max(int(numbers.max()) for numbers in counts.values())
    sizes = np.arange(most + 1)
    shares = {
        name: np.bincount(numbers, minlength=most + 1) / len(numbers)
        for name, numbers in counts.items()
    }
    means = {name: float(numbers.mean()) for name, numbers in counts.items()}

    def draw(display: Display, ax: Any) -> None:
        width = 0.8 / len(shares)
        for place, (name, share) in enumerate(shares.items()):
            shift = (place - 0.5 * (len(shares) - 1)) * width
            label = f"{name}: {means[name]:.3g}"
            shape = {"color": COLORS[place % len(COLORS)], "width": width, "label": label, **style}
            ax.bar(sizes + shift, share, **shape)
        ax.set_xticks(sizes)
        ax.set_xlabel("labels in a set")
        ax.set_ylabel("share of rows")
        if several:
            top = ax.get_ylim()[1]
            ax.set_ylim(0, top * (1 + 0.09 * (1 + len(shares))))  # The legend's place.
            ax.legend(title="labels on average", frameon=False, fontsize="small")
        _bare(ax)

    return Display(draw, sizes=sizes, shares=shares, means=means).plot(ax=ax)


def _labels_in_sets(values: Any, name: str) -> NDArray[np.int64]:
    """The number of labels in each set."""
    table = to_array(values, name, "an array-like of bool, a row for each sample")
    if table.ndim != 2 or table.dtype != bool or not table.size:
        raise ValueError(
            f"{name} must be of bool, a row for each sample and a column for each label, as "
            f"predict_set returns them; got {shown(table.tolist())}."
        )
    return table.sum(axis=1)


def _bare(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
