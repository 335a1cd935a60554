# SPDX-License-Identifier: BSD-3-Clause
"""The names that a file may hold: classes, functions and types, and where they are.

A file knows a class by its name alone, which no two classes of statfast share, so that modules may
move. A class of a file is never renamed: what takes its place is entered here under the old name.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from statfast._estimator import Estimator

_RECORDS = {  # module: its classes that stand in fitted models
    "_distance.gower": "GowerColumns",
    "_distance.kd_tree": "KDArrays",
    "_distance.metrics": "Metric",
    "_distance.precision": "Float32Frame",
    "_estimator.left_out_fits": "StoredLeftOut",
    "_estimator.scorers": "Scorer",
    "_estimator.sums.class_moments": "MomentsByClass",
    "_estimator.sums.moments": "ColumnMoments UnknownSums",
    "_estimator.tables": "CoefficientTable",
    "_validation.categories": "CategoryColumns",
    "calibration.calibrated": "CalibratedClassifier",
    "cluster.density.mutual_reachability": "DensityRule",
    "cluster.kmeans.minibatch_steps": "Batches",
    "cluster.modes.columns": "MixedColumns",
    "cluster.modes.mixed_rows": "Prototypes",
    "conformal.classifier": "HeldLabels LabelScore",
    "conformal.held_out_rows": "FoldModel",
    "conformal.regression_fits": "FitsOfFolds QuantileFits BootstrapFits",
    "conformal.regressor": "HeldRows",
    "decomposition.components.moments": "Moments",
    "ensemble.bagging.model": "BaggingDraws",
    "ensemble.boosting.bins": "Thresholds",
    "ensemble.boosting.losses": (
        "AbsoluteError BoostingLoss ExponentialLoss GammaDeviance LogLoss MultinomialLoss "
        "OneClass PinballError PoissonDeviance"
    ),
    "ensemble.boosting.model": "_Boosted",
    "ensemble.boosting.trees": "BoostedTree BoostedTrees",
    "ensemble.forest.grow_forest": "ForestTree Sampling",
    "ensemble.forest.isolation_forest": "IsolationTree",
    "feature_selection.subset_scores": "SizeScores",
    "generative.covariance.empirical": "PrecisionFactor",
    "generative.discriminant.class_covariances": "EstimatedScatters",
    "generative.naive_bayes.bernoulli": "FittedPresence PresenceDensity",
    "generative.naive_bayes.categorical": "CategoryCounts CategoryDensity FittedCategories",
    "generative.naive_bayes.counts": "ComplementDensity CountDensity FittedComplement FittedCounts",
    "generative.naive_bayes.density": "BayesSums Sums",
    "generative.naive_bayes.gamma": "FittedGamma GammaDensity GammaMoments",
    "generative.naive_bayes.gaussian": "FittedNormal NormalDensity",
    "generative.naive_bayes.kernel_density": "ColumnKernels FittedKernels WeightedValues",
    "generative.naive_bayes.mixed": "FittedMixed MixedDensity SideSums",
    "generative.naive_bayes.poisson": "FittedPoisson PoissonDensity",
    "generative.normal.class_moments": "ClassMoments ClassScatters",
    "generative.normal.covariance_factor": "CovarianceFactor",
    "generative.normal.fourth_moments": "FourthMoments",
    "generative.normal.quartic_moments": "QuarticMoments",
    "generative.normal.whitening": "Whitening",
    "kernels": (
        "ConstantKernel FunctionKernel Laplacian Linear Mismatch Polynomial Precomputed RBF "
        "Sigmoid Spectrum"
    ),
    "kernels.kernel": "Normalized Power Product Scaled Sum",
    "linear.inference.inference": "Result",
    "linear.least_squares.leave_one_out": "LinearFit LinearFullFits LinearLeftOutFits",
    "model_selection": (
        "Bootstrap GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut "
        "LeavePGroupsOut LeavePOut PredefinedSplit RepeatedKFold RepeatedStratifiedKFold "
        "ShuffleSplit StratifiedGroupKFold StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit"
    ),
    "multiclass.codes": "CodeMatrix",
    "neighbors.brute.binary": "BinaryIndex",
    "neighbors.brute.brute": "BruteIndex",
    "neighbors.brute.precomputed": "BlockwiseIndex PrecomputedIndex PrecomputedMetric",
    "neighbors.brute.sparse": "SparseIndex",
    "neighbors.brute.user_metric": "FunctionIndex",
    "neighbors.density.weighted_tree": "WeightedTree",
    "neighbors.hashing.hashes": "Hashes",
    "neighbors.hashing.tables": "HashTables",
    "neighbors.spatial.ball_index": "BallTreeIndex",
    "neighbors.spatial.function_tree": "FunctionTree",
    "neighbors.spatial.kd_index": "KDTreeIndex",
    "neighbors.vote.regress": "AveragesWithNewRow AveragesWithoutRows",
    "patterns.conditions.condition": "Condition",
    "patterns.rule_lists.rule_table": "ClassificationRule RuleTable",
    "patterns.subgroups.subgroup_table": "SubgroupTable",
    "pipeline": "make_column_selector",
    "preprocessing.encoding.categories": "EncodedCounts",
    "preprocessing.imputation.impute": "Totals",
    "preprocessing.scaling.power_curves": "Curve",
    "preprocessing.scaling.ranges": "Extremes",
    "svm.machines.expansion": "Expansion",
    "svm.machines.kernel_machine": "DualVariables",
    "svm.machines.training": "TrainingPoints",
    "svm.ridge.kernel_ridge": "KernelLeftOutFits RidgeExpansion",
    "text.language.ngram_counts": "NGramCounts",
    "tree.cart.priors": "TreePriors",
    "tree.structure.non_numeric_splits": "Routes",
    "tree.structure.predictor": "TreePredictor",
    "tree.structure.tree_arrays": "LeafStatistics TreeStructure",
}
_MODULE_OF = {name: module for module, names in _RECORDS.items() for name in names.split()}

# Attributes from which an object is made; others follow from them.
CONSTRUCTED = {"BoostedTrees": ("first", "trees")}
# Attributes that are made when they are first needed, and what they are before.
DERIVED: dict[str, dict[str, Any]] = {"TreePredictor": {"made": {}}}

# Families whose public functions are parameters of estimators: scores and metrics.
_FUNCTIONS_OF = ("feature_selection", "metrics")
_PRIVATE_FUNCTIONS = {  # others, by their names in files: module and name
    "by_score": ("_estimator", "by_score"),
    "equal_labels": ("metrics.scorers", "_equal"),
    **{
        f"{name}_table": ("_distance.blockwise", name)
        for name in (
            "braycurtis", "canberra", "dice", "jensenshannon", "minkowski", "nan_euclidean",
            "of_sets", "rogerstanimoto", "russellrao", "sokalsneath", "yule",
        )
    },
}  # fmt: skip
METHODS = {("GowerColumns", "table")}  # of records, that stand in others

_NUMPY_TYPES = (
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "bool_", "str_", "object_",
)  # fmt: skip
PLAIN_TYPES: dict[str, type] = {
    **{kind.__name__: kind for kind in (bool, int, float, str, object)},
    **{name: getattr(np, name) for name in _NUMPY_TYPES},
}


@cache
def class_of(name: str) -> type | None:
    """The class of a record or of a public estimator; None if files do not name it."""
    if not isinstance(name, str):
        return None
    if name in _MODULE_OF:
        return getattr(import_module(f"statfast.{_MODULE_OF[name]}"), name)
    home = sys.modules["statfast"]._HOME_OF.get(name)
    if home is None:
        return None
    kind = getattr(import_module(f"statfast.{home}"), name)
    return kind if isinstance(kind, type) and issubclass(kind, Estimator) else None


@cache
def function_of(name: str) -> Any:
    """The function of statfast of that name, if a model may use it; else None."""
    if name in _PRIVATE_FUNCTIONS:
        module, private = _PRIVATE_FUNCTIONS[name]
        return getattr(import_module(f"statfast.{module}"), private)
    for home in _FUNCTIONS_OF:
        family = import_module(f"statfast.{home}")
        if name in family.__all__ and not isinstance(getattr(family, name), type):
            return getattr(family, name)
    return None


def function_name(value: Any) -> str | None:
    """The name of a function in files; None if they have none for it."""
    if function_of(value.__name__) is value:
        return value.__name__
    return next((name for name in _PRIVATE_FUNCTIONS if function_of(name) is value), None)


def plain_name(value: type) -> str | None:
    """The name of a type of numbers or text."""
    return next((name for name, kind in PLAIN_TYPES.items() if kind is value), None)
