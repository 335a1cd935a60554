# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast.cluster.hierarchy.agglomerative import AgglomerativeClustering
from statfast.cluster.hierarchy.dendrogram import (
    cophenetic,
    cophenetic_correlation,
    cut_tree,
    inconsistency,
)
from statfast.cluster.hierarchy.leaf_order import leaves_list, optimal_leaf_ordering
from statfast.cluster.hierarchy.linkage import linkage
from statfast.cluster.hierarchy.spanning_tree import minimum_spanning_tree
from statfast.cluster.kmeans.bisecting import BisectingKMeans
from statfast.cluster.kmeans.center_sums import LloydStep
from statfast.cluster.kmeans.kmeans import KMeans
from statfast.cluster.kmeans.kmeans_plusplus import kmeans_plusplus
from statfast.cluster.kmeans.minibatch import MiniBatchKMeans
from statfast.cluster.medoids.clara import CLARA
from statfast.cluster.medoids.kmedoids import KMedoids
from statfast.cluster.n_clusters.choose import Choice, choose_k
from statfast.cluster.n_clusters.gap import Gap, choose_by_gap, gap_statistic
from statfast.cluster.n_clusters.stability import Stability, cluster_stability

__all__ = [
    "CLARA",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "Choice",
    "Gap",
    "KMeans",
    "KMedoids",
    "LloydStep",
    "MiniBatchKMeans",
    "Stability",
    "choose_by_gap",
    "choose_k",
    "cluster_stability",
    "cophenetic",
    "cophenetic_correlation",
    "cut_tree",
    "gap_statistic",
    "inconsistency",
    "kmeans_plusplus",
    "leaves_list",
    "linkage",
    "minimum_spanning_tree",
    "optimal_leaf_ordering",
]
