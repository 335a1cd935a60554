# SPDX-License-Identifier: BSD-3-Clause
"""The gap statistic: how much tighter clusters are than those of rows without clusters.

Tibshirani, Walther & Hastie 2001, doi:10.1111/1467-9868.00293; numbers and rules are those of R's
``clusGap`` and ``maxSE``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._distance import PLAIN, OfRows, rescaled
from statfast._engine import each, interruptible
from statfast._estimator import Columned, Display, picture
from statfast._typing import Array, ArrayLike, Axes, DataFrame, Jobs, Rows, Seed
from statfast._validation import (
    MAX_REPEATS,
    as_choice,
    as_count,
    as_generator,
    as_real,
    as_rows,
    shown,
)
from statfast.cluster.n_clusters.data import EUCLIDEAN, CheckedData
from statfast.cluster.n_clusters.methods import as_family, by_function, threads_of
from statfast.metrics.clustering.cluster_distances import SUM, gather
from statfast.metrics.clustering.validity import scatter_decomposition

RULES = ("firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax")
NULLS = ("pca", "box")


@dataclass(frozen=True, repr=False)
class GapStatisticResult(Columned):
    """Result of `gap_statistic`, for k = 1, 2, ...

    Attributes
    ----------
    k : ndarray
        Numbers of clusters, 1 to k_max.
    log_w : ndarray
        Logarithm of the within-cluster dispersion.
    expected : ndarray
        Its mean over the reference sets.
    gap : ndarray
        The difference.
    se : ndarray
        Standard error of the simulation, sqrt(1 + 1/B) times the standard deviation.

    Examples
    --------
    >>> from statfast.cluster import gap_statistic
    >>> from statfast.datasets import load_iris
    >>> result = gap_statistic(load_iris().data, k_max=4, n_boot=10, random_state=0)
    >>> result.k
    array([1, 2, 3, 4])
    >>> result.gap.round(1)
    array([0.1, 0.6, 0.9, 1. ])
    >>> result.best()
    4
    """

    k: np.ndarray
    log_w: np.ndarray
    expected: np.ndarray
    gap: np.ndarray
    se: np.ndarray

    def best(self, rule: str = "firstSEmax", *, factor: float = 1.0) -> int:
        """Choose the number of clusters by a rule of `gap_select`.

        Parameters
        ----------
        rule : str, default="firstSEmax"
            Which.
        factor : float, default=1.0
            Times the standard errors.

        Returns
        -------
        int
        """
        return int(self.k[gap_select(self.gap, self.se, rule, factor=factor)])

    def to_frame(self) -> DataFrame:
        """Return the numbers as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            With the numbers of clusters as its index.
        """
        import pandas

        names = ("log_w", "expected", "gap", "se")
        index = pandas.Index(self.k, name="k")
        return pandas.DataFrame({name: getattr(self, name) for name in names}, index=index)

    def plot(self, *, rule: str = "firstSEmax", ax: Axes | None = None, **style: Any) -> Display:
        """Draw the gaps and the number that a rule takes: `statfast.plot.gap`.

        Parameters
        ----------
        rule : str, default="firstSEmax"
            Rule of R's ``maxSE``: "firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax" or
            "globalmax".
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the line.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("gap")(self, rule=rule, ax=ax, **style)

    def _cells(self) -> list[list[str]]:
        columns = zip(self.k, self.log_w, self.expected, self.gap, self.se, strict=True)
        rows = ([str(k), *(f"{value:.4f}" for value in values)] for k, *values in columns)
        return [["k", "log W", "expected", "gap", "se"], *rows]

    def _widths(self) -> list[int]:
        return [4, 10, 10, 9, 9]

    def _remarks(self) -> list[str]:
        return [f"best by firstSEmax: {self.best()}"]


def gap_statistic(
    X: Rows,
    *,
    method: str | Callable[..., Any] = "kmeans",
    k_max: int = 10,
    n_boot: int = 100,
    power: Literal[1, 2] = 2,
    null: Literal["pca", "box"] = "pca",
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> GapStatisticResult:
    """Gap statistic: within-cluster dispersion against that of reference data without clusters.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite rows.
    method : str or callable, default="kmeans"
        How rows are clustered: "kmeans", from five starts; "kmedoids"; a method of `linkage`, such
        as "ward", whose dendrogram is cut; or a function of rows and a number of clusters that
        returns labels, which may have any metric: reference sets are of rows.
    k_max : int, default=10
        Most clusters.
    n_boot : int, default=100
        Reference sets, B.
    power : {1, 2}, default=2
        Of the distances whose means make up the dispersion: 2 are sums of squares about the means,
        as in the paper; 1 is the default of R's ``clusGap``.
    null : {"pca", "box"}, default="pca"
        Reference sets are uniform in a box along the principal axes ("scaledPCA" in R) or along
        the columns ("original").
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the reference sets and starts; an integer makes the result
        reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number. A callable `method` is called in one.

    Returns
    -------
    GapStatisticResult
        With `k`, `log_w`, `expected`, `gap`, `se`, and ``best(rule)``.

    Raises
    ------
    ValueError
        If X is not finite or has fewer distinct rows than k_max + 1, so that a dispersion is 0,
        or if a parameter is out of its range.

    Notes
    -----
    Cost: B + 1 clusterings for each k.

    References
    ----------
    Tibshirani, R., Walther, G. and Hastie, T. (2001). Estimating the number of clusters in a data
    set via the gap statistic. Journal of the Royal Statistical Society B 63, 411-423.
    doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import gap_statistic
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> X[:30] += 8
    >>> X[30:60] -= 8
    >>> gap_statistic(X, k_max=5, n_boot=20, random_state=0).best()
    3
    """
    rows = as_rows(X)
    family = as_family(method)
    k_max = as_count(k_max, "k_max", 1, len(rows), limit="the number of rows")
    n_boot = as_count(n_boot, "n_boot", 2, high=MAX_REPEATS)
    power = as_count(power, "power", 1, 2)
    as_choice(null, "null", NULLS)
    rng = as_generator(random_state)
    return _gap(rows, family, k_max, n_boot, power, null, rng, n_jobs)


def gap_select(
    gap: ArrayLike, se: ArrayLike, rule: str = "firstSEmax", *, factor: float = 1.0
) -> int:
    """Choose the number of clusters from gap statistics, as R's ``maxSE``.

    Parameters
    ----------
    gap : array-like of shape (K,)
        GapStatisticResult statistics of growing numbers of clusters.
    se : array-like of shape (K,)
        Their standard errors.
    rule : {"firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax"}
        "firstmax" and "globalmax" take the first local or the global maximum; "firstSEmax" and
        "globalSEmax" the first that is not less than that by more than its standard error;
        "Tibs2001SEmax" the first k with gap(k) >= gap(k + 1) - se(k + 1). Default "firstSEmax".
    factor : float, default=1.0
        Times the standard errors.

    Returns
    -------
    int
        Counted from 0.

    Raises
    ------
    ValueError
        If the rule is unknown, factor is negative, or `gap` and `se` are not as many finite
        numbers, those of `se` not negative.

    Examples
    --------
    >>> from statfast.cluster import gap_select
    >>> gap_select([0.1, 0.5, 0.52, 0.4], [0.03, 0.03, 0.03, 0.03])
    1
    >>> gap_select([0.1, 0.5, 0.52, 0.4], [0.03, 0.03, 0.03, 0.03], "globalmax")
    2
    """
    as_choice(rule, "rule", RULES)
    gap, se = _numbers(gap, "gap"), _numbers(se, "se")
    if len(gap) != len(se):
        raise ValueError(
            f"gap and se must hold one number each for each k; got {len(gap)} and {len(se)}. "
            "Pass those of one gap_statistic."
        )
    if (se < 0).any():
        raise ValueError(f"se must not be negative; got {se.min()}. Pass standard errors.")
    margin = as_real(factor, "factor", 0) * se
    if rule == "Tibs2001SEmax":
        return _first(gap[:-1] >= gap[1:] - margin[1:], len(gap) - 1)
    if rule.startswith("global"):
        top = int(gap.argmax())
    else:
        top = _first(np.diff(gap) <= 0, len(gap) - 1)
    if rule.endswith("SEmax"):
        return _first(gap[:top] >= gap[top] - margin[top], top)
    return top


def _numbers(values: Any, name: str) -> Array:
    """Several finite numbers."""
    try:
        flat = np.ndim(values) == 1 and np.size(values) > 0
    except ValueError:  # rows of different length
        flat = False
    if not flat:
        raise ValueError(
            f"{name} must be a 1-d array of numbers, one for each k; got {shown(values)}. "
            f"Pass what gap_statistic found as {name}."
        )
    return as_rows(np.asarray(values)[None], name=name, keep=(np.float64,))[0]


def _first(holds: Array, otherwise: int) -> int:
    return int(holds.argmax()) if holds.any() else otherwise


def _gap(
    rows: Array,
    family: Callable[..., Any],
    k_max: int,
    n_boot: int,
    power: int,
    null: str,
    rng: np.random.Generator,
    n_jobs: Jobs,
) -> GapStatisticResult:
    rows, scale = np.ascontiguousarray(rows, np.float64), 1.0
    _require_spread(len(np.unique(rows, axis=0)) > k_max, k_max)
    if getattr(family, "func", None) is not by_function:
        rows, scale = rescaled(rows, n_jobs)
    ks = range(1, k_max + 1)
    seeds = rng.integers(2**32, size=n_boot + 1)
    middle = rows.mean(axis=0)
    moved = rows - middle
    axes = np.eye(rows.shape[1])
    if null == "pca":
        axes = interruptible(np.linalg.svd, moved, full_matrices=False)[2]
    turned = moved @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)

    def work(b: int) -> list[float]:
        seed = int(seeds[b])
        data = rows
        if b:
            drawn = np.random.default_rng(seed).uniform(low, high, (len(rows), len(low)))
            data = drawn @ axes + middle
        labels = family(CheckedData(data, EUCLIDEAN, None, data), ks, seed)
        return [_log_dispersion(data, each_k, power) for each_k in labels]

    log_dispersions = np.array(each(work, range(n_boot + 1), n_jobs=threads_of(family, n_jobs)))
    _require_spread(np.isfinite(log_dispersions).all(), k_max)
    log_dispersions -= power * np.log(scale)
    log_w, reference = log_dispersions[0], log_dispersions[1:]
    expected = reference.mean(axis=0)
    se = np.sqrt((1 + 1 / n_boot) * reference.var(axis=0, ddof=1))
    return GapStatisticResult(np.array(ks), log_w, expected, expected - log_w, se)


def _require_spread(holds: bool, k_max: int) -> None:
    if not holds:
        raise ValueError(
            f"The dispersion within clusters is 0 for k_max={k_max}: X has too few distinct rows. "
            f"{'Lower k_max' if k_max > 1 else 'Pass rows that differ'}."
        )


def _log_dispersion(rows: Array, labels: Array, power: int) -> float:
    """log W: a quarter of the sum, over clusters, of |x - y|^power of ordered pairs / size."""
    if power == 2:
        w = scatter_decomposition(rows, labels, n_jobs=1).within
    else:
        _, codes = np.unique(labels, return_inverse=True)
        sizes = np.bincount(codes)
        parts = np.zeros(len(rows))

        def use(which, sums):
            row_codes = codes[which]
            parts[which] = sums[np.arange(len(which)), row_codes] / sizes[row_codes]

        gather(OfRows(rows, PLAIN), codes, len(sizes), (SUM,), use, 1)
        w = parts.sum() / 2
    with np.errstate(divide="ignore"):
        return np.log(w / 2)
