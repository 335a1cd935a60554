# SPDX-License-Identifier: BSD-3-Clause
"""Scores of clusterings, under scikit-learn's name of the module."""

from statfast._scikit_learn import missing_names
from statfast.metrics.clustering.agreement import (
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
from statfast.metrics.clustering.pairs import fowlkes_mallows_score, pair_confusion_matrix
from statfast.metrics.clustering.silhouette import silhouette_samples, silhouette_score
from statfast.metrics.clustering.validity import calinski_harabasz_score, davies_bouldin_score

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]

__getattr__ = missing_names(__name__)
