# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast.cluster.dendrogram import (
    cophenetic,
    cophenetic_correlation,
    cut_tree,
    inconsistency,
)
from statfast.cluster.dendrogram_order import leaves_list, optimal_leaf_ordering
from statfast.cluster.hierarchy import AgglomerativeClustering
from statfast.cluster.kmeans import KMeans
from statfast.cluster.linkage import linkage
from statfast.cluster.spanning import minimum_spanning_tree
from statfast.cluster.step import LloydStep

__all__ = [
    "AgglomerativeClustering",
    "KMeans",
    "LloydStep",
    "cophenetic",
    "cophenetic_correlation",
    "cut_tree",
    "inconsistency",
    "leaves_list",
    "linkage",
    "minimum_spanning_tree",
    "optimal_leaf_ordering",
]
