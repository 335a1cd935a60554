# SPDX-License-Identifier: BSD-3-Clause
"""Pictures on matplotlib axes. Needs the extra ``plot``; matplotlib is loaded when one is drawn."""

from statfast.plot.clusters import cluster_plot
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
from statfast.plot.display import Display
from statfast.plot.ensemble_plots import (
    boosting_errors,
    boosting_margins,
    partial_dependence,
    permutation_importances,
)
from statfast.plot.forest_plots import importances, out_of_bag
from statfast.plot.gap import elbow_plot, gap_plot
from statfast.plot.kernel_matrix_plot import kernel_matrix
from statfast.plot.normal_plots import (
    CanonicalVariatesDisplay,
    DensityContourDisplay,
    canonical_variates,
    density_contours,
)
from statfast.plot.path_plot import regularization_path
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
from statfast.plot.silhouette import silhouette_plot
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
    "cluster_plot",
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
    "elbow_plot",
    "gap_plot",
    "importances",
    "kernel_matrix",
    "learning_curves",
    "out_of_bag",
    "partial_dependence",
    "permutation_importances",
    "precision_recall",
    "pruning",
    "rda_grid",
    "reconstructions",
    "regularization_path",
    "roc",
    "scree",
    "silhouette_plot",
    "stability",
    "stepwise",
    "svm_margin",
    "table",
    "tree",
    "validation_curves",
    "word_weights",
]
