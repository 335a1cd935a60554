# SPDX-License-Identifier: BSD-3-Clause
"""Exact, fast statistical learning on numpy and scipy alone."""

from statfast._base import Estimator
from statfast._blocks import set_progress
from statfast._chunks import Chunks
from statfast._errors import ConvergenceWarning, NotFittedError
from statfast.cluster import (
    CLARA,
    AgglomerativeClustering,
    KMeans,
    KMedoids,
    LloydStep,
    choose_n_clusters,
    cluster_stability,
    cophenetic,
    cophenetic_correlation,
    cut_tree,
    gap_statistic,
    inconsistency,
    leaves_list,
    linkage,
    minimum_spanning_tree,
    optimal_leaf_ordering,
)
from statfast.generative import LinearDiscriminantAnalysis
from statfast.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    KNeighborsRegressor,
    LSHNeighbors,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    TangentDistanceClassifier,
    tangent_distance,
)

__version__ = "0.1.0"

__all__ = [
    "CLARA",
    "AgglomerativeClustering",
    "BallTree",
    "Chunks",
    "ConvergenceWarning",
    "Estimator",
    "KDTree",
    "KMeans",
    "KMedoids",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LSHNeighbors",
    "LinearDiscriminantAnalysis",
    "LloydStep",
    "NearestNeighbors",
    "NotFittedError",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "TangentDistanceClassifier",
    "choose_n_clusters",
    "cluster_stability",
    "cophenetic",
    "cophenetic_correlation",
    "cut_tree",
    "gap_statistic",
    "inconsistency",
    "leaves_list",
    "linkage",
    "minimum_spanning_tree",
    "optimal_leaf_ordering",
    "set_progress",
    "tangent_distance",
]
