# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbours: the search, and the estimators that vote or average among them."""

from statfast.neighbors.ball_tree import BallTree
from statfast.neighbors.classify import KNeighborsClassifier
from statfast.neighbors.kd_tree import KDTree
from statfast.neighbors.nearest import NearestNeighbors
from statfast.neighbors.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from statfast.neighbors.regress import KNeighborsRegressor

__all__ = [
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
]
