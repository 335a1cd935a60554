# SPDX-License-Identifier: BSD-3-Clause
"""Pictures on matplotlib axes. Needs the extra ``plot``; matplotlib is loaded when one is drawn."""

from statfast._estimator import Display
from statfast.plot.band_plot import prediction_bands
from statfast.plot.cluster_plots import clusters
from statfast.plot.coefficient_plot import coefficients
from statfast.plot.components import (
    biplot,
    component_scores,
    correlation_circle,
    reconstructions,
    scree,
)
from statfast.plot.dendrogram_plot import dendrogram
from statfast.plot.diagnostic_plots import diagnostics
from statfast.plot.ensemble_plots import (
    boosting_errors,
    boosting_margins,
    partial_dependence,
    permutation_importances,
)
from statfast.plot.forest_plots import importances, out_of_bag
from statfast.plot.gap_plot import elbow, gap
from statfast.plot.kernel_matrix_plot import kernel_matrix
from statfast.plot.normal_plots import (
    CanonicalVariatesDisplay,
    DensityContourDisplay,
    canonical_variates,
    density_contours,
)
from statfast.plot.path_plot import regularization_path
from statfast.plot.penalty_plots import penalty_errors, search_scores
from statfast.plot.probability_plots import calibration, confusion
from statfast.plot.ranking_plots import cost_curves, coverage, precision_recall, roc
from statfast.plot.rda_grid_plot import RDAGridDisplay, rda_grid
from statfast.plot.regions import decision_regions
from statfast.plot.result_plots import pruning, stability, stepwise, table
from statfast.plot.selection_plots import (
    ComparisonDisplay,
    CurveDisplay,
    TargetDisplay,
    bias_variance_target,
    comparison,
    learning_curves,
    validation_curves,
)
from statfast.plot.silhouette_plot import silhouette
from statfast.plot.svm import svm_margin
from statfast.plot.tree_picture import tree
from statfast.plot.word_weights_plot import WordWeightsDisplay, word_weights

__all__ = [
    "CanonicalVariatesDisplay",
    "ComparisonDisplay",
    "CurveDisplay",
    "DensityContourDisplay",
    "Display",
    "RDAGridDisplay",
    "TargetDisplay",
    "WordWeightsDisplay",
    "bias_variance_target",
    "biplot",
    "boosting_errors",
    "boosting_margins",
    "calibration",
    "canonical_variates",
    "clusters",
    "coefficients",
    "comparison",
    "component_scores",
    "confusion",
    "correlation_circle",
    "cost_curves",
    "coverage",
    "decision_regions",
    "dendrogram",
    "density_contours",
    "diagnostics",
    "elbow",
    "gap",
    "importances",
    "kernel_matrix",
    "learning_curves",
    "out_of_bag",
    "partial_dependence",
    "penalty_errors",
    "permutation_importances",
    "precision_recall",
    "prediction_bands",
    "pruning",
    "rda_grid",
    "reconstructions",
    "regularization_path",
    "roc",
    "scree",
    "search_scores",
    "silhouette",
    "stability",
    "stepwise",
    "svm_margin",
    "table",
    "tree",
    "validation_curves",
    "word_weights",
]
