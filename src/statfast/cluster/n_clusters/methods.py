# SPDX-License-Identifier: BSD-3-Clause
"""Clustering methods by name, each a function that returns labels for several k."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from statfast._distance import ALIASES, PRECOMPUTED
from statfast._typing import Array, Jobs
from statfast._validation import as_labels, shown, wrong_type
from statfast.cluster.hierarchy.dendrogram import cut_tree
from statfast.cluster.hierarchy.linkage import LINKAGES, SQUARED, linkage
from statfast.cluster.kmeans.kmeans import KMeans
from statfast.cluster.medoids.kmedoids import KMedoids
from statfast.cluster.n_clusters.data import EUCLIDEAN, SCALED, CheckedData
from statfast.metrics.clustering.checked_labels import is_noise

STARTS = 5  # runs of k-means: the choice should not depend on a single start


def by_kmeans(points: CheckedData, ks: list[int] | range, seed: int) -> list[Array]:
    """Labels by k-means from several starts."""
    rows = points.X
    return [
        KMeans(k, n_init=STARTS, random_state=seed).fit(rows).labels_
        if k > 1
        else one_cluster(rows)
        for k in ks
    ]


def by_kmedoids(points: Any, ks: Any, seed: int) -> Any:
    """Labels by FasterPAM from BUILD."""
    X, metric = points.X, points.metric_arguments
    return [KMedoids(k, **metric).fit(X).labels_ if k > 1 else one_cluster(X) for k in ks]


def by_linkage(points: Any, ks: Any, seed: int, *, rule: Any) -> Any:
    """Labels from one dendrogram, cut into each number of clusters."""
    if points.n == 1:
        return [one_cluster(points.X) for _ in ks]
    return list(cut_tree(linkage(points.X, rule, **points.metric_arguments), ks).T)


def one_cluster(rows: Array) -> Array:
    """All rows in one cluster."""
    return np.zeros(len(rows), np.int32)


FAMILIES = {
    "kmeans": by_kmeans,
    "kmedoids": by_kmedoids,
    **{rule: partial(by_linkage, rule=rule) for rule in LINKAGES},
}


def as_family(method: Any, metric: Any = EUCLIDEAN) -> Any:
    """Check `method`; returns a function of (points, ks, seed) that returns labels for each k."""
    if isinstance(method, str) and method in FAMILIES:
        _require_metric(method, metric)
        return FAMILIES[method]
    wanted = f"one of {', '.join(map(repr, FAMILIES))}, or a function of rows and a number"
    if callable(method):
        return partial(by_function, function=method)
    if isinstance(method, str):
        raise ValueError(f"method must be {wanted}; got {shown(method)}.")
    raise wrong_type("method", wanted, method)


def _require_metric(method: str, metric: str) -> None:
    """Refuse what is defined by means, or by Euclidean distance, for other dissimilarities."""
    if not isinstance(metric, str) and not callable(metric):
        return  # as_points refuses it
    name = "a function" if callable(metric) else ALIASES.get(metric, metric)
    means = method == "kmeans" or (method in SQUARED and name != PRECOMPUTED)
    if means and name not in SCALED:
        got = name if callable(metric) else shown(metric)
        raise ValueError(
            f"The method {method!r} is defined by Euclidean distance; got metric {got}. "
            "Choose 'kmedoids', or a linkage such as 'average'."
        )


def by_function(points: Any, ks: Any, seed: int, *, function: Any, noise_label: Any = None) -> Any:
    """Labels by the user's function; those of noise are -1."""
    labelings = [function(points.rows, k) for k in ks]
    if any(labels is None for labels in labelings):
        raise ValueError("The function given as method must return labels; got None. Return them.")
    checked = []
    for labels in labelings:
        classes, codes = as_labels(labels, points.n, name="What method returns")
        noise = is_noise(classes, noise_label)
        checked.append(np.where(noise, -1, np.cumsum(~noise) - 1)[codes] if noise.any() else codes)
    return checked


def with_noise(family: Callable[..., Any], noise_label: Any) -> Callable[..., Any]:
    """The method, whose function may call rows noise."""
    is_noise(np.zeros(0), noise_label)  # refuses what is not a label
    if getattr(family, "func", None) is not by_function:
        return family
    return partial(family, noise_label=noise_label)


def threads_of(family: Callable[..., Any], n_jobs: Jobs) -> Any:
    """The threads that may call a method: one for a user's function, which may have a state."""
    return 1 if getattr(family, "func", None) is by_function else n_jobs
