# SPDX-License-Identifier: BSD-3-Clause
"""How many clusters: all scores for each number of them, and the number that one of them takes."""

from dataclasses import dataclass

import numpy as np

from statfast._blocks import each
from statfast._errors import shown, wrong_type
from statfast._validation import as_choice, as_count, as_generator, as_rows
from statfast.cluster.families import as_family
from statfast.cluster.gap import RULES, Gap, _gap, choose_by_gap
from statfast.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    dunn_index,
    scatter_decomposition,
    silhouette_score,
)

# criterion -> (score of rows and labels, whether the largest is the best)
CRITERIA = {
    "silhouette": (silhouette_score, True),
    "calinski_harabasz": (calinski_harabasz_score, True),
    "davies_bouldin": (davies_bouldin_score, False),
    "dunn": (dunn_index, True),
}


@dataclass(frozen=True)
class Choice:
    """What `choose_k` found.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters tried, ascending: (K,).
    scores : dict
        By name, an array (K,) of each score: "within", the sum of squares within clusters, those of
        the criteria (NaN for one cluster), and, where it was asked for, "gap" and "gap_se".
    labels : list
        For each k, the cluster of each row: (n,).
    recommended : int
        The number of clusters by `criterion`.
    criterion : str
        The criterion asked for.
    gap : Gap | None
        The gap statistic for all k from 1, where it was asked for.
    """

    k: np.ndarray
    scores: dict
    labels: list
    recommended: int
    criterion: str
    gap: Gap | None

    def __str__(self):
        names = list(self.scores)
        lines = ["   k " + " ".join(f"{name:>17}" for name in names)]
        for i, k in enumerate(self.k):
            mark = "*" if k == self.recommended else " "
            lines.append(
                f"{k:4d}{mark}" + " ".join(f"{self.scores[name][i]:17.6g}" for name in names)
            )
        return "\n".join([*lines, f"* recommended by {self.criterion}"])


def choose_k(
    X, *, method="kmeans", k=None, criterion="silhouette", n_boot=50, rule="firstSEmax",
    random_state=None, n_jobs=None,
):  # fmt: skip
    """Cluster rows into several numbers of clusters, score each, and recommend one.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite rows.
    method : str or callable, default="kmeans"
        How rows are clustered: see `gap_statistic`.
    k : iterable of int, optional
        Numbers of clusters, from 1 to n - 1; None is 2 to 10, or to n - 1.
    criterion : {"silhouette", "gap", "calinski_harabasz", "davies_bouldin", "dunn"}
        What recommends: the largest silhouette width, variance ratio or Dunn index, the least
        Davies-Bouldin score (the smallest such k), or `rule` on the gap statistic, which can
        recommend 1 as well and is computed only if asked for. Default "silhouette".
    n_boot : int, default=50
        Reference sets of the gap statistic.
    rule : str, default="firstSEmax"
        Of the gap statistic: see `choose_by_gap`.
    random_state : int, numpy.random.Generator, RandomState or SeedSequence, optional
        Source of starts and reference sets.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    Choice
        With `k`, `scores`, `labels`, `recommended`, `criterion` and `gap`; ``print`` shows a table.

    Raises
    ------
    ValueError
        If X is not finite or has fewer than three rows, `k` holds no numbers from 1 to n - 1, no
        number of clusters more than one is found and the criterion needs one, or a parameter is out
        of its range.

    Notes
    -----
    Cost: a clustering and O(n^2 d) of scores for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import choose_k
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> X[:30] += 8
    >>> X[30:60] -= 8
    >>> choose_k(X, k=range(2, 6), random_state=0).recommended
    3
    """
    rows = as_rows(X, n_min=3)
    family = as_family(method)
    as_choice(criterion, "criterion", (*CRITERIA, "gap"))
    as_choice(rule, "rule", RULES)
    ks = _numbers(range(2, min(11, len(rows))) if k is None else k, len(rows))
    n_boot = as_count(n_boot, "n_boot", 2)
    rng = as_generator(random_state)
    seed = int(rng.integers(2**32))

    gap = None
    if criterion == "gap":
        gap = _gap(rows, family, max(ks), n_boot, 2, "pca", rng, n_jobs)
        recommended = int(gap.k[choose_by_gap(gap.gap, gap.se, rule)])
        ks = sorted({*ks, recommended})

    labels = family(rows, ks, seed)
    scores = {"within": np.array([scatter_decomposition(rows, z).within for z in labels])}
    for name, (score, _) in CRITERIA.items():
        scores[name] = np.array(each(lambda z, s=score: _scored(s, rows, z), labels, n_jobs=n_jobs))

    if gap is not None:
        at = np.array(ks) - 1
        scores["gap"], scores["gap_se"] = gap.gap[at], gap.se[at]
    else:
        best = scores[criterion] if CRITERIA[criterion][1] else -scores[criterion]
        if np.isnan(best).all():
            raise ValueError(
                f"criterion={criterion!r} needs from 2 to n - 1 clusters, and none of k={shown(ks)}"
                " gave so many. Pass other numbers, or criterion='gap'."
            )
        recommended = ks[int(np.nanargmax(best))]
    return Choice(np.array(ks), scores, labels, recommended, criterion, gap)


def _scored(score, rows, labels):
    found = len(np.unique(labels))
    return score(rows, labels) if 2 <= found < len(rows) else np.nan


def _numbers(k, n):
    try:
        given = list(k)
    except TypeError as error:
        raise wrong_type("k", "several numbers of clusters, such as range(2, 11)", k) from error
    ks = sorted({as_count(one, "k", 1, n - 1, limit="the number of rows less 1") for one in given})
    if not ks:
        raise ValueError("k must hold at least one number of clusters; got none. Pass some.")
    return ks
