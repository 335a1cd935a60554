# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast.cluster.clara import CLARA
from statfast.cluster.kmeans import KMeans
from statfast.cluster.kmedoids import KMedoids
from statfast.cluster.step import LloydStep

__all__ = ["CLARA", "KMeans", "KMedoids", "LloydStep"]
