# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors: exact and approximate searches, models that vote or average among them, and
densities."""

from statfast._scikit_learn import missing_names
from statfast.neighbors.density.kernel_density import KernelDensity
from statfast.neighbors.density.local_outlier_factor import LocalOutlierFactor
from statfast.neighbors.density.neighbors_density import neighbors_density
from statfast.neighbors.hashing.lsh import LSHNeighbors
from statfast.neighbors.images.tangent import TangentDistanceClassifier, tangent_distance
from statfast.neighbors.search.graphs import (
    kneighbors_graph,
    radius_neighbors_graph,
    sort_graph_by_row_values,
)
from statfast.neighbors.search.nearest import NearestNeighbors
from statfast.neighbors.search.transformers import (
    KNeighborsTransformer,
    RadiusNeighborsTransformer,
)
from statfast.neighbors.spatial.ball_tree import BallTree
from statfast.neighbors.spatial.kd_tree import KDTree
from statfast.neighbors.vote.classify import KNeighborsClassifier
from statfast.neighbors.vote.nearest_centroid import NearestCentroid
from statfast.neighbors.vote.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from statfast.neighbors.vote.regress import KNeighborsRegressor

__all__ = [
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "LSHNeighbors",
    "LocalOutlierFactor",
    "NearestCentroid",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "TangentDistanceClassifier",
    "kneighbors_graph",
    "neighbors_density",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
    "tangent_distance",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
