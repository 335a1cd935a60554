# SPDX-License-Identifier: BSD-3-Clause
"""Pictures on matplotlib axes. Needs the extra ``plot``; matplotlib is loaded when one is drawn."""

from statfast.plot.clusters import cluster_plot
from statfast.plot.coefficient_plot import coefficients
from statfast.plot.dendrogram_plot import dendrogram
from statfast.plot.diagnostic_plots import diagnostics
from statfast.plot.gap import elbow_plot, gap_plot
from statfast.plot.kernel_matrix_plot import kernel_matrix
from statfast.plot.path_plot import regularization_path
from statfast.plot.regions import decision_regions
from statfast.plot.silhouette import silhouette_plot
from statfast.plot.svm import svm_margin

__all__ = [
    "cluster_plot",
    "coefficients",
    "decision_regions",
    "dendrogram",
    "diagnostics",
    "elbow_plot",
    "gap_plot",
    "kernel_matrix",
    "regularization_path",
    "silhouette_plot",
    "svm_margin",
]
