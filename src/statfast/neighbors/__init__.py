# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors: exact and approximate searches, models that vote or average among them, and
densities."""

from statfast._scikit_learn import missing_names
from statfast.neighbors.density.kernel_density import KernelDensity
from statfast.neighbors.density.local_outlier_factor import LocalOutlierFactor
from statfast.neighbors.density.neighbors_density import neighbors_density
from statfast.neighbors.hashing.lsh import LSHNeighbors
from statfast.neighbors.images.tangent import TangentDistanceClassifier, tangent_distance
from statfast.neighbors.search.nearest import NearestNeighbors
from statfast.neighbors.spatial.ball_tree import BallTree
from statfast.neighbors.spatial.kd_tree import KDTree
from statfast.neighbors.vote.classify import KNeighborsClassifier
from statfast.neighbors.vote.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from statfast.neighbors.vote.regress import KNeighborsRegressor

__all__ = [
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelDensity",
    "LSHNeighbors",
    "LocalOutlierFactor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "TangentDistanceClassifier",
    "neighbors_density",
    "tangent_distance",
]

__getattr__ = missing_names(__name__)
