# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbours: searches exact and approximate, and what votes or averages among them."""

from statfast.neighbors.ball_tree import BallTree
from statfast.neighbors.classify import KNeighborsClassifier
from statfast.neighbors.kd_tree import KDTree
from statfast.neighbors.lsh import LSHNeighbors
from statfast.neighbors.nearest import NearestNeighbors
from statfast.neighbors.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from statfast.neighbors.regress import KNeighborsRegressor
from statfast.neighbors.tangent import TangentDistanceClassifier, tangent_distance

__all__ = [
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LSHNeighbors",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "TangentDistanceClassifier",
    "tangent_distance",
]
