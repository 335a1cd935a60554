# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators share: parameters, mixins, sums and folds, class weights, printed tables."""

from statfast._estimator.accepted import ANY, accepted_names, taking
from statfast._estimator.base import Estimator
from statfast._estimator.bootstrap import BOOTSTRAPS, BootstrapEstimate, no_information
from statfast._estimator.calibrators import isotonic, pooled, sigmoid, sigmoid_fit
from statfast._estimator.class_pairs import LEAST, ROWS, coupled
from statfast._estimator.class_weights import (
    class_factors,
    class_weighted,
    classes_with_weight,
    require_several,
    times_classes,
    times_factors,
    weighted_labels,
)
from statfast._estimator.copies import copied, takes_weights
from statfast._estimator.delegation import delegated
from statfast._estimator.elsewhere import hits, shipped, squares, with_pairs
from statfast._estimator.folds import (
    RULES,
    as_folds,
    chosen,
    folds_of,
    group_runs,
    parts_of_folds,
    require_members,
    require_sizes,
    rows_besides,
    runs,
    shares_of_folds,
    stratified_runs,
)
from statfast._estimator.mixins import (
    Classifier,
    Clusterer,
    Transformer,
    accuracy,
    codes_among,
    known_classes,
    output_container,
    require_same_labels,
)
from statfast._estimator.moments import ColumnMoments, column_moments
from statfast._estimator.part_sums import (
    Look,
    has_weight,
    looked,
    named_rows,
    prepared_parts,
    require_finite_part,
    require_finite_sums,
    statistics_of_part,
)
from statfast._estimator.regressor import Regressor, r_squared
from statfast._estimator.scorers import RESPONSES, Answers, Scorer, by_score
from statfast._estimator.sparse_coefficients import SparseCoefficients
from statfast._estimator.sums import (
    FitState,
    rows_at,
    summed,
    sums_of,
    sums_of_folds,
    without_each,
)
from statfast._estimator.tables import CoefficientTable, Summary, Tabled

__all__ = [
    "ANY",
    "BOOTSTRAPS",
    "LEAST",
    "RESPONSES",
    "ROWS",
    "RULES",
    "Answers",
    "BootstrapEstimate",
    "Classifier",
    "Clusterer",
    "CoefficientTable",
    "ColumnMoments",
    "Estimator",
    "FitState",
    "Look",
    "Regressor",
    "Scorer",
    "SparseCoefficients",
    "Summary",
    "Tabled",
    "Transformer",
    "accepted_names",
    "accuracy",
    "as_folds",
    "by_score",
    "chosen",
    "class_factors",
    "class_weighted",
    "classes_with_weight",
    "codes_among",
    "column_moments",
    "copied",
    "coupled",
    "delegated",
    "folds_of",
    "group_runs",
    "has_weight",
    "hits",
    "isotonic",
    "known_classes",
    "looked",
    "named_rows",
    "no_information",
    "output_container",
    "parts_of_folds",
    "pooled",
    "prepared_parts",
    "r_squared",
    "require_finite_part",
    "require_finite_sums",
    "require_members",
    "require_same_labels",
    "require_several",
    "require_sizes",
    "rows_at",
    "rows_besides",
    "runs",
    "shares_of_folds",
    "shipped",
    "sigmoid",
    "sigmoid_fit",
    "squares",
    "statistics_of_part",
    "stratified_runs",
    "summed",
    "sums_of",
    "sums_of_folds",
    "takes_weights",
    "taking",
    "times_classes",
    "times_factors",
    "weighted_labels",
    "with_pairs",
    "without_each",
]
