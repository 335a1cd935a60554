# SPDX-License-Identifier: BSD-3-Clause
"""Scores."""

from statfast.metrics.agreement import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    completeness_score,
    contingency_matrix,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)
from statfast.metrics.silhouette import silhouette_samples, silhouette_score
from statfast.metrics.validity import (
    Scatter,
    calinski_harabasz_score,
    cluster_extremes,
    davies_bouldin_score,
    dunn_index,
    scatter_decomposition,
)

__all__ = [
    "Scatter",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "cluster_extremes",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "dunn_index",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "scatter_decomposition",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]
