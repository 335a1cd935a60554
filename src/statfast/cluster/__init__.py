# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast._scikit_learn import missing_names
from statfast.cluster.density.dbscan import DBSCAN, dbscan
from statfast.cluster.density.hdbscan import HDBSCAN
from statfast.cluster.hierarchy.agglomerative import AgglomerativeClustering
from statfast.cluster.hierarchy.dendrogram import (
    cophenetic,
    cophenetic_correlation,
    cut_tree,
    inconsistency,
)
from statfast.cluster.hierarchy.flat_clusters import fcluster
from statfast.cluster.hierarchy.leaf_order import leaves_list, optimal_leaf_ordering
from statfast.cluster.hierarchy.linkage import linkage
from statfast.cluster.hierarchy.scipy_names import cophenet, inconsistent
from statfast.cluster.hierarchy.spanning_tree import minimum_spanning_tree
from statfast.cluster.kmeans.bisecting import BisectingKMeans
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.constrained import KMeansConstrained
from statfast.cluster.kmeans.kmeans import KMeans
from statfast.cluster.kmeans.kmeans_plusplus import kmeans_plusplus
from statfast.cluster.kmeans.minibatch import MiniBatchKMeans
from statfast.cluster.kmeans.spherical import SphericalKMeans
from statfast.cluster.medoids.clara import CLARA
from statfast.cluster.medoids.kmedoids import KMedoids
from statfast.cluster.modes.kmodes import KModes
from statfast.cluster.modes.kprototypes import KPrototypes
from statfast.cluster.n_clusters.choose import NClustersResult, choose_n_clusters
from statfast.cluster.n_clusters.gap import GapStatisticResult, gap_select, gap_statistic
from statfast.cluster.n_clusters.stability import StabilityResult, cluster_stability

__all__ = [
    "CLARA",
    "DBSCAN",
    "HDBSCAN",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "GapStatisticResult",
    "KMeans",
    "KMeansConstrained",
    "KMeansStatistics",
    "KMedoids",
    "KModes",
    "KPrototypes",
    "MiniBatchKMeans",
    "NClustersResult",
    "SphericalKMeans",
    "StabilityResult",
    "choose_n_clusters",
    "cluster_stability",
    "cophenet",
    "cophenetic",
    "cophenetic_correlation",
    "cut_tree",
    "dbscan",
    "fcluster",
    "gap_select",
    "gap_statistic",
    "inconsistency",
    "inconsistent",
    "kmeans_plusplus",
    "leaves_list",
    "linkage",
    "minimum_spanning_tree",
    "optimal_leaf_ordering",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
