# SPDX-License-Identifier: BSD-3-Clause
"""Public names of scikit-learn that are not here, and what takes their place where something does.

Modules that have the name of one of scikit-learn's ask this table for what they do not hold. A name
leaves the table when it comes to the package: a test compares it with the installed scikit-learn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from opcode import opmap
from types import FrameType

_BASE = "statfast.Estimator is the base of what is here, and works with the mixins of sklearn.base"
_TAKES_OURS = "the one of sklearn.base takes what is here"
_DISTANCES = "use pairwise_distances(X, Y, metric=...)"
_KERNELS = "use pairwise_kernels(X, Y, metric=...) or statfast.kernels"
_SPLITTERS = "a splitter is any object with split and get_n_splits"
_DOWNLOADS = "nothing is downloaded here"
_BOOSTING = "use {}, which bins columns; or sklearn.ensemble's"

# Module: {name: what to use in its place, or "" where that is scikit-learn's own}. A name with
# several names is written as a tuple.
_ABSENT: dict[str, dict[str | tuple[str, ...], str]] = {
    "base": {
        (
            "BaseEstimator",
            "BiclusterMixin",
            "ClassNamePrefixFeaturesOutMixin",
            "ClassifierMixin",
            "ClusterMixin",
            "DensityMixin",
            "MetaEstimatorMixin",
            "MultiOutputMixin",
            "OneToOneFeatureMixin",
            "OutlierMixin",
            "RegressorMixin",
            "TransformerMixin",
        ): _BASE,
        (
            "clone",
            "is_classifier",
            "is_clusterer",
            "is_outlier_detector",
            "is_regressor",
        ): _TAKES_OURS,
    },
    "calibration": {"CalibrationDisplay": "use statfast.plot.calibration"},
    "cluster": {
        (
            "AffinityPropagation",
            "MeanShift",
            "OPTICS",
            "SpectralBiclustering",
            "SpectralClustering",
            "SpectralCoclustering",
            "affinity_propagation",
            "cluster_optics_dbscan",
            "cluster_optics_xi",
            "compute_optics_graph",
            "estimate_bandwidth",
            "get_bin_seeds",
            "mean_shift",
            "spectral_clustering",
        ): "",
        "Birch": "use MiniBatchKMeans, or KMeans of Chunks",
        "FeatureAgglomeration": "use AgglomerativeClustering of the columns, as rows",
        "k_means": "use KMeans",
        ("linkage_tree", "ward_tree"): "use linkage",
    },
    "covariance": {("GraphicalLasso", "GraphicalLassoCV", "graphical_lasso"): ""},
    "cross_decomposition": {
        ("CCA", "PLSCanonical", "PLSSVD"): "",
        "PLSRegression": "PrincipalComponentRegression is near, or use scikit-learn's",
    },
    "datasets": {
        (
            "clear_data_home",
            "fetch_20newsgroups",
            "fetch_20newsgroups_vectorized",
            "fetch_california_housing",
            "fetch_covtype",
            "fetch_file",
            "fetch_kddcup99",
            "fetch_lfw_pairs",
            "fetch_lfw_people",
            "fetch_olivetti_faces",
            "fetch_openml",
            "fetch_rcv1",
            "fetch_species_distributions",
            "get_data_home",
        ): _DOWNLOADS,
        (
            "dump_svmlight_file",
            "load_files",
            "load_linnerud",
            "load_sample_image",
            "load_sample_images",
            "load_svmlight_file",
            "load_svmlight_files",
            "make_biclusters",
            "make_blobs",
            "make_checkerboard",
            "make_circles",
            "make_classification",
            "make_friedman1",
            "make_friedman2",
            "make_friedman3",
            "make_gaussian_quantiles",
            "make_hastie_10_2",
            "make_low_rank_matrix",
            "make_moons",
            "make_multilabel_classification",
            "make_regression",
            "make_s_curve",
            "make_sparse_coded_signal",
            "make_sparse_spd_matrix",
            "make_sparse_uncorrelated",
            "make_spd_matrix",
            "make_swiss_roll",
        ): "",
    },
    "decomposition": {
        (
            "DictionaryLearning",
            "FactorAnalysis",
            "FastICA",
            "KernelPCA",
            "LatentDirichletAllocation",
            "MiniBatchDictionaryLearning",
            "MiniBatchSparsePCA",
            "SparseCoder",
            "SparsePCA",
            "dict_learning",
            "dict_learning_online",
            "fastica",
            "sparse_encode",
        ): "",
        ("MiniBatchNMF", "non_negative_factorization"): "use NMF",
        "randomized_svd": "use TruncatedSVD",
    },
    "ensemble": {
        "BaseEnsemble": "ensembles here have estimators_, and statfast.Estimator as their base",
        "GradientBoostingClassifier": _BOOSTING.format("HistGradientBoostingClassifier"),
        "GradientBoostingRegressor": _BOOSTING.format("HistGradientBoostingRegressor"),
        "RandomTreesEmbedding": "",
    },
    "exceptions": {
        (
            "DataDimensionalityWarning",
            "EfficiencyWarning",
            "EstimatorCheckFailedWarning",
            "PositiveSpectrumWarning",
            "SkipTestWarning",
            "UnsetMetadataPassedError",
        ): "nothing here raises it",
    },
    "feature_extraction": {
        ("DictVectorizer", "FeatureHasher", "grid_to_graph", "img_to_graph"): "",
    },
    "feature_extraction.image": {
        (
            "PatchExtractor",
            "extract_patches_2d",
            "grid_to_graph",
            "img_to_graph",
            "reconstruct_from_patches_2d",
        ): "",
    },
    "feature_extraction.text": {
        "ENGLISH_STOP_WORDS": 'pass stop_words="english" to a vectorizer',
        ("strip_accents_ascii", "strip_accents_unicode", "strip_tags"): (
            "pass strip_accents to a vectorizer"
        ),
    },
    "feature_selection": {
        "SelectorMixin": "selectors here have get_support and transform",
        "f_oneway": "use f_classif, or scipy.stats.f_oneway",
    },
    "frozen": {"FrozenEstimator": "scikit-learn's wraps what is here"},
    "gaussian_process": {
        ("GaussianProcessClassifier", "GaussianProcessRegressor"): "",
        "kernels": "the kernels of statfast.kernels are those of machines, without priors",
    },
    "impute": {"IterativeImputer": ""},
    "inspection": {
        "DecisionBoundaryDisplay": "use statfast.plot.decision_regions",
        "PartialDependenceDisplay": "use statfast.plot.partial_dependence",
    },
    "isotonic": {"check_increasing": 'use IsotonicRegression(increasing="auto")'},
    "kernel_approximation": {
        (
            "AdditiveChi2Sampler",
            "Nystroem",
            "PolynomialCountSketch",
            "RBFSampler",
            "SkewedChi2Sampler",
        ): "",
    },
    "linear_model": {
        (
            "ARDRegression",
            "BayesianRidge",
            "OrthogonalMatchingPursuit",
            "OrthogonalMatchingPursuitCV",
            "QuantileRegressor",
            "orthogonal_mp",
            "orthogonal_mp_gram",
        ): "",
        ("Lars", "LassoLars", "LassoLarsIC", "lars_path", "lars_path_gram"): (
            "use lasso_path, whose coefficients are those of the lasso at each alpha"
        ),
        ("LarsCV", "LassoLarsCV"): "use LassoCV",
        ("PassiveAggressiveClassifier", "Perceptron", "SGDClassifier"): (
            "use LogisticRegression, which takes rows in Chunks"
        ),
        ("PassiveAggressiveRegressor", "SGDRegressor"): (
            "use LinearRegression, Ridge or ElasticNet, which take rows in Chunks"
        ),
        "SGDOneClassSVM": "use OneClassSVM",
        ("RANSACRegressor", "TheilSenRegressor"): "use HuberRegressor",
        "ridge_regression": "use Ridge or ridge_path",
    },
    "manifold": {
        (
            "ClassicalMDS",
            "Isomap",
            "LocallyLinearEmbedding",
            "MDS",
            "SpectralEmbedding",
            "TSNE",
            "locally_linear_embedding",
            "smacof",
            "spectral_embedding",
            "trustworthiness",
        ): "",
    },
    "metrics": {
        "ConfusionMatrixDisplay": "use statfast.plot.confusion",
        "DetCurveDisplay": "draw the rates of det_curve",
        "PrecisionRecallDisplay": "use statfast.plot.precision_recall",
        "PredictionErrorDisplay": "use statfast.plot.diagnostics",
        "RocCurveDisplay": "use statfast.plot.roc",
        ("DistanceMetric", "euclidean_distances"): _DISTANCES,
        "pairwise_distances_chunked": "use pairwise_distances_argmin or NearestNeighbors",
        "check_scoring": "use get_scorer",
        "confusion_matrix_at_thresholds": "use roc_curve, or statfast.plot.coverage",
        (
            "consensus_score",
            "coverage_error",
            "label_ranking_average_precision_score",
            "label_ranking_loss",
            "metric_at_thresholds",
            "nan_euclidean_distances",
        ): "",
    },
    "metrics.cluster": {
        ("consensus_score", "entropy", "expected_mutual_information"): "",
    },
    "metrics.pairwise": {
        (
            "cosine_distances",
            "distance_metrics",
            "euclidean_distances",
            "haversine_distances",
            "manhattan_distances",
        ): _DISTANCES,
        (
            "cosine_similarity",
            "kernel_metrics",
            "laplacian_kernel",
            "linear_kernel",
            "polynomial_kernel",
            "rbf_kernel",
            "sigmoid_kernel",
        ): _KERNELS,
        "pairwise_distances_chunked": "use pairwise_distances_argmin or NearestNeighbors",
        (
            "additive_chi2_kernel",
            "check_paired_arrays",
            "check_pairwise_arrays",
            "chi2_kernel",
            "nan_euclidean_distances",
            "paired_cosine_distances",
            "paired_distances",
            "paired_euclidean_distances",
            "paired_manhattan_distances",
        ): "",
    },
    "mixture": {"BayesianGaussianMixture": "choose_mixture compares numbers of components"},
    "model_selection": {
        ("BaseCrossValidator", "BaseShuffleSplit"): _SPLITTERS,
        "LearningCurveDisplay": "use statfast.plot.learning_curves",
        "ValidationCurveDisplay": "use statfast.plot.validation_curves",
    },
    "neighbors": {
        (
            "VALID_METRICS",
            "VALID_METRICS_SPARSE",
        ): "see the metrics of NearestNeighbors",
        "NeighborhoodComponentsAnalysis": "",
    },
    "neural_network": {("BernoulliRBM", "MLPClassifier", "MLPRegressor"): ""},
    "random_projection": {
        (
            "GaussianRandomProjection",
            "SparseRandomProjection",
            "johnson_lindenstrauss_min_dim",
        ): "",
    },
    "semi_supervised": {("LabelPropagation", "LabelSpreading", "SelfTrainingClassifier"): ""},
    "svm": {"l1_min_c": "the least C of an l1 penalty is found by LogisticRegression's path"},
    "tree": {
        "BaseDecisionTree": "statfast.Estimator is the base of trees, too",
        "ExtraTreeClassifier": "use ExtraTreesClassifier(n_estimators=1)",
        "ExtraTreeRegressor": "use ExtraTreesRegressor(n_estimators=1)",
        "export_graphviz": "use export_text or statfast.plot.tree",
        "plot_tree": "use statfast.plot.tree",
    },
}
ABSENT = {
    module: {
        name: advice
        for names, advice in rows.items()
        for name in ((names,) if isinstance(names, str) else names)
    }
    for module, rows in _ABSENT.items()
}


def absence(module: str, name: str) -> str:
    """The sentence for a name of scikit-learn's ``module`` that is not here."""
    advice = ABSENT[module][name] or f"sklearn.{module}.{name} can be used together with statfast"
    return f"statfast.{module} has no {name}: {advice}."


def refusal(module: str, name: str, frame: FrameType) -> Exception:
    """The exception for a name that is not here, which a frame looks up in a module.

    ``from statfast.cluster import Name`` would hide the sentence of an AttributeError behind one of
    its own, so that it gets an ImportError; `hasattr` answers False only for an AttributeError.
    """
    sentence, code = absence(module, name), frame.f_code
    imports = code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
    if imports or code.co_filename == "<frozen importlib._bootstrap>":
        return ImportError(sentence)
    return AttributeError(sentence)


def refuse(name: str) -> None:
    """Say what to use, if scikit-learn has the name in some module, to who asks the caller."""
    for module, names in ABSENT.items():
        if name in names:
            raise refusal(module, name, sys._getframe(2))


def missing_names(module: str) -> Callable[[str], object]:
    """The ``__getattr__`` of a module with the name of one of scikit-learn's."""
    short = module.removeprefix("statfast.")

    def refuse_missing(name: str) -> object:
        if name in ABSENT.get(short, {}):
            raise refusal(short, name, sys._getframe(1))
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return refuse_missing
