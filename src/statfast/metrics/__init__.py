# SPDX-License-Identifier: BSD-3-Clause
"""Scores: of classifiers, rankings, probabilities, regressions and clusterings."""

from statfast._scikit_learn import missing_names
from statfast.metrics import cluster as cluster
from statfast.metrics import pairwise as pairwise
from statfast.metrics.classification.confusion_scores import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    hamming_loss,
    matthews_corrcoef,
    zero_one_loss,
)
from statfast.metrics.classification.costs import expected_cost, prevalence_weights
from statfast.metrics.classification.likelihood_ratios import (
    class_likelihood_ratios,
    multilabel_confusion_matrix,
)
from statfast.metrics.classification.rates import (
    false_negative_rate,
    false_positive_rate,
    negative_predictive_value,
    specificity_score,
)
from statfast.metrics.classification.report import classification_report
from statfast.metrics.classification.set_scores import (
    f1_score,
    fbeta_score,
    jaccard_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from statfast.metrics.classification.top_k import top_k_accuracy_score
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
from statfast.metrics.clustering.density_validity import dbcv_score
from statfast.metrics.clustering.pairs import fowlkes_mallows_score, pair_confusion_matrix
from statfast.metrics.clustering.silhouette import silhouette_samples, silhouette_score
from statfast.metrics.clustering.validity import (
    ScatterDecomposition,
    calinski_harabasz_score,
    cluster_diameter_separation,
    davies_bouldin_score,
    dunn_index,
    scatter_decomposition,
)
from statfast.metrics.distance.axioms import MetricCheck, metric_check, open_ball
from statfast.metrics.distance.tables import (
    pairwise_distances,
    pairwise_distances_argmin,
    pairwise_distances_argmin_min,
    pairwise_kernels,
)
from statfast.metrics.probability.margins import hinge_loss, margin_loss
from statfast.metrics.probability.reliability import (
    ScoreParts,
    calibration_curve,
    score_decomposition,
)
from statfast.metrics.probability.scores import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    log_loss,
    squared_probability_error,
)
from statfast.metrics.ranking.areas import partial_auc_score, ranking_error, roc_auc_score
from statfast.metrics.ranking.curves import (
    auc,
    coverage_curve,
    det_curve,
    gain_curve,
    roc_curve,
)
from statfast.metrics.ranking.discounted_gain import dcg_score, ndcg_score
from statfast.metrics.ranking.hull import brier_curve, cost_curve, h_measure, roc_hull
from statfast.metrics.ranking.intervals import (
    AUCInterval,
    AUCTest,
    ROCBand,
    auc_interval,
    auc_test,
    roc_band,
)
from statfast.metrics.ranking.precision_recall import (
    average_precision_score,
    precision_recall_curve,
    precision_recall_interpolation,
)
from statfast.metrics.ranking.thresholds import (
    IsoLine,
    KolmogorovSmirnov,
    OperatingPoint,
    choose_threshold,
    iso_line,
    ks_statistic,
)
from statfast.metrics.regression.deviances import (
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from statfast.metrics.regression.error_means import (
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_pinball_loss,
    mean_squared_error,
    mean_squared_log_error,
    median_absolute_error,
    root_mean_squared_error,
    root_mean_squared_log_error,
)
from statfast.metrics.regression.explained import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    r2_score,
)
from statfast.metrics.scorers import get_scorer, get_scorer_names, make_scorer

__all__ = [
    "AUCInterval",
    "AUCTest",
    "IsoLine",
    "KolmogorovSmirnov",
    "MetricCheck",
    "OperatingPoint",
    "ROCBand",
    "ScatterDecomposition",
    "ScoreParts",
    "accuracy_score",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "auc",
    "auc_interval",
    "auc_test",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_curve",
    "brier_score_loss",
    "calibration_curve",
    "calinski_harabasz_score",
    "choose_threshold",
    "class_likelihood_ratios",
    "classification_report",
    "cluster_diameter_separation",
    "cohen_kappa_score",
    "completeness_score",
    "confusion_matrix",
    "contingency_matrix",
    "cost_curve",
    "coverage_curve",
    "d2_absolute_error_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "davies_bouldin_score",
    "dbcv_score",
    "dcg_score",
    "det_curve",
    "dunn_index",
    "expected_cost",
    "explained_variance_score",
    "f1_score",
    "false_negative_rate",
    "false_positive_rate",
    "fbeta_score",
    "fowlkes_mallows_score",
    "gain_curve",
    "get_scorer",
    "get_scorer_names",
    "h_measure",
    "hamming_loss",
    "hinge_loss",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "iso_line",
    "jaccard_score",
    "ks_statistic",
    "log_loss",
    "make_scorer",
    "margin_loss",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "metric_check",
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "ndcg_score",
    "negative_predictive_value",
    "normalized_mutual_info_score",
    "open_ball",
    "pair_confusion_matrix",
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_kernels",
    "partial_auc_score",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_recall_interpolation",
    "precision_score",
    "prevalence_weights",
    "r2_score",
    "rand_score",
    "ranking_error",
    "recall_score",
    "roc_auc_score",
    "roc_band",
    "roc_curve",
    "roc_hull",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "scatter_decomposition",
    "score_decomposition",
    "silhouette_samples",
    "silhouette_score",
    "specificity_score",
    "squared_probability_error",
    "top_k_accuracy_score",
    "v_measure_score",
    "zero_one_loss",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
