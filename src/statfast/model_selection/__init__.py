# SPDX-License-Identifier: BSD-3-Clause
"""Model selection: splitters, cross-validation that shares its work, and tests between models."""

from statfast.model_selection.partitions import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from statfast.model_selection.resampling import (
    Bootstrap,
    ShuffleSplit,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    train_test_split,
)
from statfast.model_selection.search import GridSearchCV, RandomizedSearchCV
from statfast.model_selection.validate import (
    cross_val_predict,
    cross_val_score,
    cross_validate,
)

__all__ = [
    "Bootstrap",
    "GridSearchCV",
    "GroupKFold",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "PredefinedSplit",
    "RandomizedSearchCV",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "train_test_split",
]
