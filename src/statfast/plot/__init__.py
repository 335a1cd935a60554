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
from statfast.plot.clusterings import clusters, elbow, gap, silhouette
from statfast.plot.components import (
    biplot,
    component_scores,
    correlation_circle,
    reconstructions,
    scree,
)
from statfast.plot.dendrogram_plot import dendrogram
from statfast.plot.ensemble_plots import (
    boosting_errors,
    boosting_margins,
    partial_dependence,
    permutation_importances,
)
from statfast.plot.kernel_machines import kernel_matrix, svm_margin
from statfast.plot.linear_models import (
    WordWeightsDisplay,
    coefficients,
    diagnostics,
    prediction_bands,
    word_weights,
)
from statfast.plot.normal_plots import (
    CanonicalVariatesDisplay,
    DensityContourDisplay,
    canonical_variates,
    density_contours,
    mixture_criteria,
)
from statfast.plot.penalties import (
    RDAGridDisplay,
    penalty_errors,
    rda_grid,
    regularization_path,
    search_scores,
)
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
    "mixture_criteria",
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
