# SPDX-License-Identifier: BSD-3-Clause
"""Clusterings by name, as the choice of their number needs them: labels for several k."""

from functools import partial

import numpy as np

from statfast._errors import shown, wrong_type
from statfast._validation import as_labels
from statfast.cluster.dendrogram import cut_tree
from statfast.cluster.kmeans import KMeans
from statfast.cluster.kmedoids import KMedoids
from statfast.cluster.linkage import linkage

STARTS = 5  # of k-means: the choice should not hang on one


def by_kmeans(rows, ks, seed):
    """Labels by k-means from several starts."""
    return [
        KMeans(k, n_init=STARTS, random_state=seed).fit(rows).labels_ if k > 1 else together(rows)
        for k in ks
    ]


def by_kmedoids(rows, ks, seed):
    """Labels by FasterPAM from BUILD."""
    return [KMedoids(k).fit(rows).labels_ if k > 1 else together(rows) for k in ks]


def by_linkage(rows, ks, seed, *, rule):
    """Labels from one dendrogram, cut into each number of clusters."""
    if len(rows) == 1:
        return [together(rows) for _ in ks]
    return list(cut_tree(linkage(rows, rule), ks).T)


def together(rows):
    """All rows in one cluster."""
    return np.zeros(len(rows), np.int32)


LINKAGES = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
FAMILIES = {
    "kmeans": by_kmeans,
    "kmedoids": by_kmedoids,
    **{rule: partial(by_linkage, rule=rule) for rule in LINKAGES},
}


def as_family(method):
    """Check `method`; gives a function of (rows, numbers of clusters, seed): labels for each."""
    if isinstance(method, str) and method in FAMILIES:
        return FAMILIES[method]
    wanted = f"one of {', '.join(map(repr, FAMILIES))}, or a function of rows and a number"
    if callable(method):
        return partial(by_function, function=method)
    if isinstance(method, str):
        raise ValueError(f"method must be {wanted}; got {shown(method)}.")
    raise wrong_type("method", wanted, method)


def by_function(rows, ks, seed, *, function):
    """Labels by the user's function."""
    found = [function(rows, k) for k in ks]
    if any(labels is None for labels in found):
        raise ValueError("The function given as method must return labels; got None. Return them.")
    return [as_labels(z, len(rows), name="What method returns")[1] for z in found]


def threads_of(family, n_jobs):
    """How many threads may call it: a function of the user's may have a state, and is called in
    order."""
    return 1 if getattr(family, "func", None) is by_function else n_jobs
