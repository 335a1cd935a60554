# SPDX-License-Identifier: BSD-3-Clause
"""Model selection: splitters, cross-validation that shares its work, and tests between models."""

from statfast._scikit_learn import missing_names
from statfast.model_selection.comparison.comparison import Comparison, compare
from statfast.model_selection.comparison.estimates import (
    BootstrapEstimate,
    NestedInterval,
    bootstrap_error,
    external_validation,
    nested_cv_interval,
)
from statfast.model_selection.comparison.paired_tests import (
    TestResult,
    bayesian_t_test,
    corrected_t_test,
    five_by_two_test,
    friedman_test,
    mcnemar_test,
)
from statfast.model_selection.comparison.variance import BiasVariance, bias_variance
from statfast.model_selection.evaluation.curves import learning_curve, validation_curve
from statfast.model_selection.evaluation.left_out import LeftOutAnswers, leave_one_out
from statfast.model_selection.evaluation.permutations import permutation_test_score
from statfast.model_selection.evaluation.scoring import FoldScores
from statfast.model_selection.evaluation.validate import (
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from statfast.model_selection.search.fixed_threshold import FixedThresholdClassifier
from statfast.model_selection.search.grids import ParameterGrid, ParameterSampler
from statfast.model_selection.search.halving import HalvingGridSearchCV, HalvingRandomSearchCV
from statfast.model_selection.search.randomized_search import RandomizedSearchCV
from statfast.model_selection.search.search import GridSearchCV
from statfast.model_selection.search.tuned_threshold import TunedThresholdClassifierCV
from statfast.model_selection.splitting.fold_arguments import PredefinedSplit, check_cv
from statfast.model_selection.splitting.leaving_out import (
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
)
from statfast.model_selection.splitting.partitions import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from statfast.model_selection.splitting.resampling import (
    Bootstrap,
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    train_test_split,
)

__all__ = [
    "BiasVariance",
    "Bootstrap",
    "BootstrapEstimate",
    "Comparison",
    "FixedThresholdClassifier",
    "FoldScores",
    "GridSearchCV",
    "GroupKFold",
    "GroupShuffleSplit",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "LeftOutAnswers",
    "NestedInterval",
    "ParameterGrid",
    "ParameterSampler",
    "PredefinedSplit",
    "RandomizedSearchCV",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TestResult",
    "TimeSeriesSplit",
    "TunedThresholdClassifierCV",
    "bayesian_t_test",
    "bias_variance",
    "bootstrap_error",
    "check_cv",
    "compare",
    "corrected_t_test",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "external_validation",
    "five_by_two_test",
    "friedman_test",
    "learning_curve",
    "leave_one_out",
    "mcnemar_test",
    "nested_cv_interval",
    "permutation_test_score",
    "train_test_split",
    "validation_curve",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
