# SPDX-License-Identifier: BSD-3-Clause
"""Pictures on matplotlib axes. Needs the extra ``plot``; matplotlib is loaded when one is drawn."""

from statfast._estimator import Display
from statfast.plot.classifier_scores import (
    calibration,
    confusion,
    cost_curves,
    coverage,
    precision_recall,
    roc,
)
from statfast.plot.clusterings import clusters, elbow, gap, neighbor_distances, silhouette
from statfast.plot.coefficient_plots import coefficient_histogram, coefficient_stems
from statfast.plot.components import (
    biplot,
    component_scores,
    correlation_circle,
    reconstructions,
    scree,
)
from statfast.plot.dendrogram_plot import condensed_tree, dendrogram, reachability
from statfast.plot.density_plots import densities, density_surface
from statfast.plot.ensemble_plots import (
    boosting_errors,
    boosting_margins,
    partial_dependence,
    permutation_importances,
)
from statfast.plot.image_grids import images
from statfast.plot.kernel_machines import kernel_matrix, margin_losses, svm_margin
from statfast.plot.linear_models import (
    WordWeightsDisplay,
    coefficients,
    diagnostics,
    word_weights,
)
from statfast.plot.normal_plots import (
    CanonicalVariatesDisplay,
    DensityContourDisplay,
    canonical_variates,
    density_contours,
    mixture_criteria,
)
from statfast.plot.pattern_plots import rules, subgroups
from statfast.plot.penalties import (
    RDAGridDisplay,
    penalty_errors,
    rda_grid,
    regularization_path,
    search_scores,
)
from statfast.plot.plane_geometry import nearest, projection
from statfast.plot.regions import decision_regions
from statfast.plot.regression_curves import regression_curve
from statfast.plot.result_plots import (
    group_coverage,
    pruning,
    set_sizes,
    stability,
    stepwise,
    table,
)
from statfast.plot.selection_plots import (
    ComparisonDisplay,
    CurveDisplay,
    TargetDisplay,
    bias_variance_target,
    comparison,
    learning_curves,
    selection_path,
    validation_curves,
)
from statfast.plot.shap_plots import shap_bar, shap_beeswarm, shap_dependence, shap_waterfall
from statfast.plot.trees import importances, out_of_bag, tree

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
    "coefficient_histogram",
    "coefficient_stems",
    "coefficients",
    "comparison",
    "component_scores",
    "condensed_tree",
    "confusion",
    "correlation_circle",
    "cost_curves",
    "coverage",
    "decision_regions",
    "dendrogram",
    "densities",
    "density_contours",
    "density_surface",
    "diagnostics",
    "elbow",
    "gap",
    "group_coverage",
    "images",
    "importances",
    "kernel_matrix",
    "learning_curves",
    "margin_losses",
    "mixture_criteria",
    "nearest",
    "neighbor_distances",
    "out_of_bag",
    "partial_dependence",
    "penalty_errors",
    "permutation_importances",
    "precision_recall",
    "projection",
    "pruning",
    "rda_grid",
    "reachability",
    "reconstructions",
    "regression_curve",
    "regularization_path",
    "roc",
    "rules",
    "scree",
    "search_scores",
    "selection_path",
    "set_sizes",
    "shap_bar",
    "shap_beeswarm",
    "shap_dependence",
    "shap_waterfall",
    "silhouette",
    "stability",
    "stepwise",
    "subgroups",
    "svm_margin",
    "table",
    "tree",
    "validation_curves",
    "word_weights",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
