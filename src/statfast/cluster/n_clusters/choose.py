# SPDX-License-Identifier: BSD-3-Clause
"""The choice of the number of clusters: scores for each number, and the best by one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._distance import PRECOMPUTED
from statfast._engine import checkpoint, each, grid
from statfast._estimator import Columned, Display, picture
from statfast._typing import Axes, DataFrame, Jobs, Rows, Seed
from statfast._validation import MAX_REPEATS, as_choice, as_count, as_generator, shown, wrong_type
from statfast.cluster.n_clusters.data import as_points
from statfast.cluster.n_clusters.gap import RULES, GapStatisticResult, _gap, gap_select
from statfast.cluster.n_clusters.methods import as_family, with_noise
from statfast.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    dbcv_score,
    dunn_index,
    scatter_decomposition,
    silhouette_score,
)

# criterion -> (score of rows and labels, whether the largest is the best)
CRITERIA: dict[str, tuple[Callable[..., Any], bool]] = {
    "silhouette": (silhouette_score, True),
    "calinski_harabasz": (calinski_harabasz_score, True),
    "davies_bouldin": (davies_bouldin_score, False),
    "dunn": (dunn_index, True),
    "dbcv": (dbcv_score, True),
}
OF_PAIRS = ("silhouette", "dunn", "dbcv")  # criteria that take any dissimilarities
ON_REQUEST = ("dbcv",)  # criteria that are computed only if asked for
NEED_ROWS = ("davies_bouldin", "gap")  # criteria that need means or reference sets
NUMBERS_PER_STRIP = 1 << 20  # numbers squared at a time


@dataclass(frozen=True, repr=False)
class NClustersResult(Columned):
    """Result of `choose_n_clusters`.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters tried, ascending: (K,).
    scores : dict
        By name, an array (K,) of each score: "within", the sum of squares within clusters, those of
        the criteria (NaN for one cluster), and, where it was asked for, "dbcv", or "gap" and
        "gap_se". Without "davies_bouldin" where there are no means. With "noise", the share of rows
        that are noise, where `noise_label` was given: other scores are those of the rest.
    labels : list
        For each k, the cluster of each row: (n,); -1 for noise.
    recommended : int
        The number of clusters by `criterion`.
    criterion : str
        The criterion asked for.
    gap : GapStatisticResult | None
        The gap statistic for all k from 1, where it was asked for.

    Examples
    --------
    >>> from statfast.cluster import choose_n_clusters
    >>> from statfast.datasets import load_iris
    >>> result = choose_n_clusters(load_iris().data, ks=[2, 3, 4], random_state=0)
    >>> result.scores["silhouette"].round(2)
    array([0.68, 0.55, 0.5 ])
    >>> result.recommended
    2
    """

    k: np.ndarray
    scores: dict
    labels: list
    recommended: int
    criterion: str
    gap: GapStatisticResult | None

    def to_frame(self) -> DataFrame:
        """Return the numbers as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            The scores, with the numbers of clusters as its index.
        """
        import pandas

        return pandas.DataFrame(self.scores, index=pandas.Index(self.k, name="k"))

    def plot(self, score: str | None = None, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw a score against the number of clusters: `statfast.plot.elbow`, `gap`.

        Parameters
        ----------
        score : str, optional
            One of `scores`; None is `criterion`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the line.

        Returns
        -------
        statfast.plot.Display
        """
        score = self.criterion if score is None else score
        if score == "gap" and self.gap is not None:
            return picture("gap")(self, ax=ax, **style)
        return picture("elbow")(self, score, ax=ax, **style)

    def _cells(self) -> list[list[str]]:
        cells = [["k ", *self.scores]]
        for i, k in enumerate(self.k):
            mark = "*" if k == self.recommended else " "
            cells.append([f"{k}{mark}", *(f"{scores[i]:.6g}" for scores in self.scores.values())])
        return cells

    def _widths(self) -> list[int]:
        return [5, 16, *(17 for _ in range(len(self.scores) - 1))]

    def _remarks(self) -> list[str]:
        return [f"* recommended by {self.criterion}"]


def choose_n_clusters(
    X: Rows,
    *,
    method: str | Callable[..., Any] = "kmeans",
    metric: str | Callable[..., Any] = "euclidean",
    metric_params: dict[Any, Any] | None = None,
    ks: Iterable[int] | None = None,
    criterion: Literal[
        "silhouette", "gap", "calinski_harabasz", "davies_bouldin", "dunn", "dbcv"
    ] = "silhouette",
    n_boot: int = 50,
    rule: str = "firstSEmax",
    noise_label: Any = None,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> NClustersResult:
    """Choose the number of clusters by several criteria.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
        Finite rows, or the dissimilarities between them: a square matrix, or its upper triangle row
        by row, as scipy's ``pdist`` gives it.
    method : str or callable, default="kmeans"
        How rows are clustered: "kmeans", from five starts; "kmedoids"; a method of `linkage`, such
        as "ward", whose dendrogram is cut; or a function of rows (of the square matrix, if
        precomputed) and a number of clusters that returns labels.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`; a function of two rows, taken as symmetric and
        called once for each pair; or "precomputed". "kmeans" takes Euclidean distance only, also
        after scaling ("seuclidean", "mahalanobis"); "ward", "centroid" and "median" that, or
        "precomputed".
    metric_params : dict, optional
        Further parameters of the metric, such as ``{"p": 3}`` of "minkowski".
    ks : iterable of int, optional
        Numbers of clusters, from 1 to n - 1; None is 2 to 10, or to n - 1.
    criterion : {"silhouette", "gap", "calinski_harabasz", "davies_bouldin", "dunn", "dbcv"}
        What the recommendation follows: the largest silhouette width, variance ratio, Dunn index or
        `dbcv_score`, the least Davies-Bouldin score (the smallest such k), or `rule` on the gap
        statistic, which can recommend 1 as well. "gap" and "dbcv" are computed only if asked for;
        "davies_bouldin" and "gap" need rows and Euclidean distance, "dbcv" needs rows.
        Default "silhouette".
    n_boot : int, default=50
        Reference sets of the gap statistic.
    rule : str, default="firstSEmax"
        Rule by which the gap statistic chooses, as R's ``maxSE``: "firstSEmax", "Tibs2001SEmax",
        "globalSEmax", "firstmax" or "globalmax".
    noise_label : label, optional
        The label that a callable `method` gives to rows in no cluster, such as -1: scores
        are those of the other rows, except for "dbcv", which counts noise as 0, and the share of
        noise is among them. None counts each label as a cluster.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the starts and reference sets; an integer makes the result
        reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    NClustersResult
        With `k`, `scores`, `labels`, `recommended`, `criterion` and `gap`; ``print`` shows a table.

    Raises
    ------
    ValueError
        If X is not finite or has fewer than three rows, `ks` holds no numbers from 1 to n - 1, no
        number of clusters more than one is found and the criterion needs one, the metric is none
        of the method or of the criterion, `noise_label` is given for the gap statistic,
        dissimilarities are not valid, or a parameter is out of its range.
    MemoryError
        If a square matrix has to be made that would take more than half the free memory.

    Notes
    -----
    Of other dissimilarities than Euclidean distance, sums of squares, from which "within" and
    "calinski_harabasz" are made, are those of all pairs of rows of a cluster, divided by its size:
    of Euclidean distances these are the sums about the means.

    Cost: a clustering and O(n^2 d) of scores for each k.

    References
    ----------
    Anderson, M. J. (2001). A new method for non-parametric multivariate analysis of variance.
    Austral Ecology 26, 32-46. doi:10.1111/j.1442-9993.2001.01070.pp.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import choose_n_clusters
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> X[:30] += 8
    >>> X[30:60] -= 8
    >>> choose_n_clusters(X, ks=range(2, 6), random_state=0).recommended
    3

    Any whole number may be chosen so, such as the least rows of a dense region. The more rows are
    left out as noise, the better other scores than "dbcv" become:

    >>> from statfast.cluster import DBSCAN
    >>> def dense(rows, min_samples):
    ...     return DBSCAN(eps=1.0, min_samples=min_samples).fit_predict(rows)
    >>> result = choose_n_clusters(
    ...     X, method=dense, ks=[5, 8, 12], criterion="dbcv", noise_label=-1
    ... )
    >>> for score in ("silhouette", "noise", "dbcv"):
    ...     print(f"{score:<10}", result.scores[score].round(2))
    silhouette [0.85 0.86 0.88]
    noise      [0.04 0.13 0.47]
    dbcv       [0.82 0.77 0.47]
    """
    family = as_family(method, metric)
    as_choice(criterion, "criterion", (*CRITERIA, "gap"))
    as_choice(rule, "rule", RULES)
    if noise_label is not None and criterion == "gap":
        raise ValueError(
            "criterion='gap' is of clusterings of all rows; got a noise_label. Choose another "
            "criterion, or noise_label=None."
        )
    family = with_noise(family, noise_label)
    n_boot = as_count(n_boot, "n_boot", 2, high=MAX_REPEATS)
    rng = as_generator(random_state)
    points = as_points(X, metric, metric_params, n_min=3, n_jobs=n_jobs)
    if criterion in NEED_ROWS and not points.plain:
        raise ValueError(
            f"criterion={criterion!r} needs rows and Euclidean distance; got metric "
            f"{shown(metric)}. Choose 'silhouette', 'dunn' or 'calinski_harabasz'."
        )
    if criterion in ON_REQUEST and points.metric == PRECOMPUTED and points.rows is points.X:
        raise ValueError(
            f"criterion={criterion!r} needs rows, whose columns count; got dissimilarities. Choose "
            "'silhouette' or 'dunn'."
        )
    ks = _numbers(range(2, min(11, points.n)) if ks is None else ks, points.n)
    seed = int(rng.integers(2**32))

    gap = None
    if criterion == "gap":
        gap = _gap(points.X, family, max(ks), n_boot, 2, "pca", rng, n_jobs)
        recommended = int(gap.k[gap_select(gap.gap, gap.se, rule)])
        ks = sorted({*ks, recommended})

    labels = family(points, ks, seed)
    scores = _scores(points, labels, criterion, n_jobs)
    if noise_label is not None:
        scores["noise"] = np.array([np.mean(z < 0) for z in labels])

    if gap is not None:
        places = np.array(ks) - 1
        scores["gap"], scores["gap_se"] = gap.gap[places], gap.se[places]
    else:
        best = scores[criterion] if CRITERIA[criterion][1] else -scores[criterion]
        if np.isnan(best).all():
            raise ValueError(
                f"criterion={criterion!r} needs from 2 to n - 1 clusters, and none of "
                f"ks={shown(ks)} gave so many. Pass other numbers, or criterion='gap'."
            )
        recommended = ks[int(np.nanargmax(best))]
    return NClustersResult(np.array(ks), scores, labels, recommended, criterion, gap)


def _scores(points: Any, labels: Any, criterion: str, n_jobs: Jobs) -> Any:
    """The scores of all clusterings, by name; labels of noise are -1."""
    if points.plain:
        within = [
            scatter_decomposition(points.X, z, noise_label=-1).within if (z >= 0).any() else np.nan
            for z in labels
        ]
        scores = {"within": np.array(within)}
    else:
        within, ratio = _square_scores(points, labels, n_jobs)
        scores = {"within": within, "calinski_harabasz": ratio}
    names = [name for name in CRITERIA if name not in ON_REQUEST or name == criterion]
    for name in names:
        if points.plain or name in OF_PAIRS:
            score = CRITERIA[name][0]
            metric = points.metric_arguments if name in OF_PAIRS else {}
            if name in ON_REQUEST:
                metric = {**metric, "d": points.rows.shape[1]}

            def score_labels(z, name=name, score=score, metric=metric):
                sizes = np.bincount(z[z >= 0])
                if name in ON_REQUEST:
                    defined = (sizes > 1).sum() >= 2
                else:
                    defined = 2 <= (sizes > 0).sum() < sizes.sum()
                return score(points.X, z, noise_label=-1, **metric) if defined else np.nan

            scores[name] = np.array(each(score_labels, labels, n_jobs=n_jobs))
    return {name: scores[name] for name in ("within", *names) if name in scores}


def _square_scores(points: Any, labels: Any, n_jobs: Jobs) -> Any:
    """Sums of squares within clusters, and the variance ratio, of dissimilarities."""
    codes, alone = [], []
    for z in labels:
        clusters, coded = np.unique(z, return_inverse=True)
        codes.append(coded - np.count_nonzero(clusters < 0))
        alone.append(np.where(z < 0, -1, 0))
    sums, unit = pair_scatter(points.source(n_jobs), [*codes, *alone], n_jobs)
    within, total = sums[: len(codes)], sums[len(codes) :]
    n_clusters = np.array([z.max() + 1.0 for z in codes])
    n = np.array([np.count_nonzero(z >= 0) for z in codes])
    ratio = np.full(len(codes), np.nan)
    defined = (n_clusters >= 2) & (n_clusters < n)
    between = (total - within)[defined]
    above = between * (n - n_clusters)[defined]
    below = within[defined] * (n_clusters[defined] - 1)
    ratio[defined] = np.divide(above, below, out=np.ones(len(above)), where=below > 0)
    with np.errstate(over="ignore"):
        return np.where(n > 0, within * unit * unit, np.nan), ratio


def _numbers(ks: Any, n: int) -> Any:
    try:
        numbers = list(ks)
    except TypeError as error:
        raise wrong_type("ks", "several numbers of clusters, such as range(2, 11)", ks) from error
    checked = sorted(
        {as_count(k, "ks", 1, n - 1, limit="the number of rows less 1") for k in numbers}
    )
    if not checked:
        raise ValueError("ks must hold at least one number of clusters; got none. Pass some.")
    return checked


# ---------- Sums of squares of clusters of which dissimilarities alone are known
# The sum of squares of a cluster about its mean is the sum of the squared distances of its pairs,
# divided by its number of points (Anderson 2001, doi:10.1111/j.1442-9993.2001.01070.pp.x), which
# needs no mean. In a matrix that is not symmetric, each direction of a pair counts half.
def pair_scatter(source: Any, labelings: Any, n_jobs: Jobs = None) -> Any:
    """Sum of squares within clusters, for several clusterings.

    Parameters
    ----------
    source : Square, Condensed or OfRows
    labelings : list of ndarray of shape (n,)
        Codes 0, ..., k - 1, of which each has a row; -1 for rows that are left out.
    n_jobs : int, optional

    Returns
    -------
    sums : ndarray of shape (len(labelings),)
        In units of `unit` squared.
    unit : float
        The largest dissimilarity; 1 if that is 0.
    """
    n = source.n
    left_out = [codes.min() < 0 for codes in labelings]  # then code 0 is theirs
    labelings = [codes + noise for codes, noise in zip(labelings, left_out, strict=True)]
    orders = [np.argsort(codes, kind="stable") for codes in labelings]
    sizes = [np.bincount(codes) for codes in labelings]
    step = max(1, NUMBERS_PER_STRIP // n)

    def work(block: Any) -> Any:
        strips = []
        for start in range(block.start, block.stop, step):
            checkpoint()
            rows = slice(start, min(start + step, block.stop))
            squares = source.block(rows, slice(None)).astype(np.float64)
            high = float(squares.max(initial=0.0)) or 1.0
            squares /= high
            with np.errstate(under="ignore"):
                squares *= squares
            sums = np.empty(len(labelings))
            for i, codes in enumerate(labelings):
                begins = np.concatenate([[0], np.cumsum(sizes[i])[:-1]])
                inside = np.add.reduceat(squares[:, orders[i]], begins, axis=1)
                strip_codes = codes[rows]
                means = inside[np.arange(len(strip_codes)), strip_codes] / sizes[i][strip_codes]
                if left_out[i]:
                    means[strip_codes == 0] = 0.0
                sums[i] = means.sum() / 2
            strips.append((high, sums))
        return strips

    blocks = grid(n, least=64, most=max(64, (1 << 24) // n))
    parts = each(work, blocks, n_jobs=n_jobs, effort=8.0 * n * n * len(labelings))
    strips = [strip for part in parts for strip in part]
    unit = max(high for high, _ in strips)
    return sum((high / unit) ** 2 * sums for high, sums in strips), unit
