# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast.cluster.bisecting import BisectingKMeans
from statfast.cluster.choose import Choice, choose_k
from statfast.cluster.clara import CLARA
from statfast.cluster.dendrogram import cophenetic, cophenetic_correlation, cut_tree, inconsistency
from statfast.cluster.dendrogram_order import leaves_list, optimal_leaf_ordering
from statfast.cluster.gap import Gap, choose_by_gap, gap_statistic
from statfast.cluster.hierarchy import AgglomerativeClustering
from statfast.cluster.kmeans import KMeans
from statfast.cluster.kmedoids import KMedoids
from statfast.cluster.linkage import linkage
from statfast.cluster.minibatch import MiniBatchKMeans
from statfast.cluster.plus_plus import kmeans_plusplus
from statfast.cluster.spanning import minimum_spanning_tree
from statfast.cluster.stability import Stability, cluster_stability
from statfast.cluster.step import LloydStep

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
