# SPDX-License-Identifier: BSD-3-Clause
"""What is varied of an estimator: for each of its parameters and kinds of data, the levels.

A level is a name and a function of the setting (``cases.Setting``) that makes the value. The first
level of a parameter is its default, or what suits few rows. Documented types and quoted words give
the levels (``tests.fuzz.surface``); what these cannot tell is in the tables below.
"""

import inspect
import re
from functools import cache

import numpy as np

from tests import test_contract as contract
from tests.fuzz import made, surface, values
from tests.pairs import problems

OF_DOCUMENTS = {"CountVectorizer", "LanguageModelClassifier", "NGramLanguageModel"}
OF_COUNTS = contract.COUNTS | {"TfidfTransformer"}
TAKES_A_COLUMN = {"IsotonicRegression"}


def these(*options):
    """Levels that are values."""
    return {str(value): (lambda _, value=value: value) for value in options}


def new(name, **settings):
    """An estimator, made anew for each fit."""
    return lambda _: surface.public()[name].call(**{**made.QUICK.get(name, {}), **settings})


LEARNERS = {
    "LogisticRegression": new("LogisticRegression"),
    "SVC": new("SVC", tol=1e-8),
    "KNeighborsClassifier": new("KNeighborsClassifier", n_neighbors=3),
    "GaussianNB": new("GaussianNB"),
    "DecisionTreeClassifier": new("DecisionTreeClassifier", max_depth=3, random_state=0),
    "LinearSVC": new("LinearSVC", tol=1e-8, max_iter=20000),
    "SVC of a kernel matrix": new("SVC", kernel="precomputed", tol=1e-8),
    "k-NN of distances": new("KNeighborsClassifier", n_neighbors=3, metric="precomputed"),
    "pipeline": lambda _: row_of(new("StandardScaler")(_), new("LogisticRegression")(_)),
    "HistGradientBoosting": new("HistGradientBoostingClassifier", max_iter=3, min_samples_leaf=4),
}
REGRESSORS = {
    "DecisionTreeRegressor": new("DecisionTreeRegressor", max_depth=3, random_state=0),
    "LinearRegression": new("LinearRegression"),
    "KNeighborsRegressor": new("KNeighborsRegressor", n_neighbors=3),
    "SVR": new("SVR", tol=1e-8),
    "KernelRidge of a matrix": new("KernelRidge", kernel="precomputed"),
    "PoissonRegressor": new("PoissonRegressor"),
    "pipeline": lambda _: row_of(new("StandardScaler")(_), new("Ridge")(_)),
}
DENSITIES = {
    "MultivariateNormal": new("MultivariateNormal", shrinkage=0.1),
    "spherical": new("MultivariateNormal", covariance_type="spherical"),
    "for each class": lambda s: {
        label: new("MultivariateNormal", shrinkage=0.1)(s) for label in s.classes
    },
}


def row_of(*estimators):
    from statfast.pipeline import make_pipeline

    return make_pipeline(*estimators)


def in_steps(*makers):
    return lambda s: [(f"s{i}", make(s)) for i, make in enumerate(makers)]


STEPS = {
    "scaler, discriminant": in_steps(new("StandardScaler"), new("LinearDiscriminantAnalysis")),
    "one": in_steps(new("LogisticRegression")),
    "nothing, PCA, k-NN": in_steps(
        lambda _: "passthrough", new("PCA", n_components=2), LEARNERS["KNeighborsClassifier"]
    ),
    "a kernel matrix": in_steps(lambda _: "passthrough", LEARNERS["SVC of a kernel matrix"]),
    "imputer, tree": in_steps(new("SimpleImputer"), LEARNERS["DecisionTreeClassifier"]),
    "boosting": in_steps(LEARNERS["HistGradientBoosting"]),
}


def columns(*parts):
    return lambda s: [(f"t{i}", make(s), which) for i, (make, which) in enumerate(parts)]


TRANSFORMERS = {
    "two scalers": columns(
        (new("StandardScaler"), slice(0, 2)), (new("MinMaxScaler"), slice(2, 4))
    ),
    "codes of a column": columns((new("OneHotEncoder", handle_unknown="ignore"), [1])),
    "dropped and passed": columns((lambda _: "drop", [0]), (lambda _: "passthrough", [2, 1])),
    "PCA": columns((new("PCA", n_components=1), [True, False, True, True])),
}


def uniform(s):
    return np.full(len(s.classes), 1 / len(s.classes))


def leaning(s):
    sizes = np.arange(1.0, 1 + len(s.classes))
    return (sizes / sizes.sum()).tolist()


def zero_one(s):
    return 1 - np.eye(len(s.classes))


def uneven(s):
    return np.triu(np.full((len(s.classes),) * 2, 2.0), 1) + np.tril(
        np.ones((len(s.classes),) * 2), -1
    )


def halves(s):
    order = np.arange(problems.N)
    return [
        (order[order % 2 == 1], order[order % 2 == 0]),
        (order[order % 2 == 0], order[order % 2 == 1]),
    ]


def grids(s):
    return [{"C": [0.1, 1.0]}, {"C": [1.0], "fit_intercept": [False]}]


NOTHING = {"None": lambda _: None}
SEEDS = {
    "0": lambda _: 0,
    "generator": lambda _: np.random.default_rng(3),
}
PRIORS = {**NOTHING, "uniform": uniform, "leaning": leaning}
COSTS = {**NOTHING, "0 and 1": zero_one, "uneven": uneven}
CLASS_WEIGHTS = {
    **NOTHING,
    "balanced": lambda _: "balanced",
    "of each": lambda s: {label: 1.0 + i for i, label in enumerate(s.classes)},
    "of one, a fraction": lambda s: {s.classes[-1]: 0.3},
}
FOREST_WEIGHTS = {**CLASS_WEIGHTS, "balanced_subsample": lambda _: "balanced_subsample"}
FOLDS = {"3": lambda _: 3, "2": lambda _: 2, "halves": halves}
METRICS = these(
    "euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "canberra",
    "hamming", "seuclidean", "gower", "precomputed",
)  # fmt: skip
METRICS["callable"] = lambda _: values.city
TREE_METRICS = these("minkowski", "manhattan", "chebyshev", "cosine", "hamming", "precomputed")
TREE_METRICS["callable"] = lambda _: values.city
KERNELS = these("rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed")
KERNELS["callable"] = lambda _: values.product
METRIC_PARAMS = {
    **NOTHING,
    "p and w": lambda s: {"w": np.array([1.0, 4.0, 0.25, 1.0])},
}
SHARES = {"1.0": lambda _: 1.0, "2": lambda _: 2, "0.5": lambda _: 0.5}
SIGNS = {**NOTHING, "of each": lambda _: [1, 0, -1, 0]}
CATEGORIES = {"from_dtype": lambda _: "from_dtype", **NOTHING, "one": lambda _: [1]}
PENALTIES = these(1.0, 0.1, 10.0)
SCORES = these(None, "accuracy", "neg_log_loss", "balanced_accuracy")
LIKELIHOOD_ERRORS = these("nonrobust", "HC0", "HC3", "cluster", "HAC")

# Of a parameter of any estimator, by its name; of one, by the name of that and its own.
BY_NAME = {
    "n_jobs": these(None, 2),
    "random_state": SEEDS,
    "verbose": these(0, 1),
    "priors": PRIORS,
    "class_prior": {**PRIORS, "laplace": lambda _: "laplace"},
    "cost": COSTS,
    "class_weight": CLASS_WEIGHTS,
    "cv": FOLDS,
    "metric": METRICS,
    "metric_params": METRIC_PARAMS,
    "kernel": KERNELS,
    "p": these(2, 1, 3.5),
    "density": DENSITIES,
    "steps": STEPS,
    "transformers": TRANSFORMERS,
    "transformer_weights": {**NOTHING, "one": lambda _: {"t0": 2.0}},
    "monotonic_cst": SIGNS,
    "categorical_features": CATEGORIES,
    "interaction_cst": {**these(None, "pairwise", "no_interactions"), "groups": lambda _: [[0, 1]]},
    "max_features": SHARES,
    "max_samples": these(None, 0.5, 12),
    "min_samples_leaf": these(1, 3, 0.1),
    "min_samples_split": these(2, 7, 0.3),
    "min_weight_fraction_leaf": these(0.0, 0.1),
    "min_impurity_decrease": these(0.0, 0.01),
    "ccp_alpha": these(0.0, 0.02),
    "max_depth": these(None, 1, 3),
    "max_leaf_nodes": these(None, 2, 5),
    "max_surrogates": these(5, 0),
    "alpha": PENALTIES,
    "alphas": {"three": lambda _: [0.1, 1.0, 10.0], "a number": lambda _: 10},
    "Cs": {"two": lambda _: [0.1, 1.0], "a number": lambda _: 3},
    "l1_ratios": {"l2": lambda _: (0.0,), "three": lambda _: [0.0, 0.5, 1.0]},
    "l1_ratio": these(0.5, 0.1, 1.0),
    "scoring": SCORES,
    "reject": these(None, 0.3),
    "reject_label": {
        **NOTHING,
        "a name": lambda s: "none" if isinstance(s.classes[0], str) else -9,
    },
    "outlier_label": {"most_frequent": lambda _: "most_frequent", "one": lambda s: s.classes[0]},
    "reference": {**NOTHING, "the last": lambda s: s.classes[-1]},
    "param_grid": {"C": lambda _: {"C": [0.1, 1.0]}, "two": grids, "nothing": lambda _: {}},
    "param_distributions": {"C": lambda _: {"C": [0.1, 1.0]}, "two": grids},
    "refit": these(True, False),
    "error_score": these("raise", np.nan),
    "code": these(
        "dense_random",
        "one_vs_rest",
        "ordered",
        "one_vs_one",
        "exhaustive",
        "hadamard",
        "sparse_random",
    ),
    "code_size": these(None, 3.0),
    "image_shape": {"a row": lambda _: (1, -1), "a square": lambda _: (2, 2)},
    "n_clusters": these(3, 1, 5),
    "n_neighbors": these(3, 1, 10),
    "connectivity": NOTHING,
    "distance_threshold": NOTHING,
    "sample_size": these("auto", 12),
    "batch_size": these(1024, 10),
    "init_size": these(None, 12),
    "n_init": these(1, 3),
    "max_no_improvement": these(10, None),
    "densities": {
        **these("gaussian", "poisson", "kernel"),
        "of each": lambda _: ["gaussian", "poisson", "categorical", "gamma"],
    },
    "missing": {},  # from the documented words
    "bandwidth": these("silverman", "scott", 1.5),
    "smallest": these(0.2, None),
    "covariance_estimator": {**NOTHING, "one": new("MultivariateNormal", shrinkage=0.1)},
    "shrinkage": these(None, "auto", 0.3),
    "reg_param": these(0.1, 0.0),
    "gamma": these("scale", "auto", 0.3),
    "degree": these(3, 2),
    "coef0": these(0.0, 1.0),
    "callback": {**NOTHING, "one": lambda _: values.quiet},
    "time_limit": these(None, 60.0),
    "cache_size": these(None, 1.0),
    "dual": these("auto", True, False),
    "tol": {},
    "n_estimators": these(5, 1, 2),
    "max_iter": {},
    "n_components": these(None, 2, 1),
    "dtype": {},
    "feature_range": {"0 to 1": lambda _: (0, 1), "others": lambda _: (-2.0, 5.0)},
    "quantile_range": {"quarters": lambda _: (25.0, 75.0), "others": lambda _: (10.0, 60.0)},
    "categories": these("auto"),
    "min_frequency": these(None, 2, 0.2),
    "max_categories": these(None, 2),
    "min_categories": these(70),
    "missing_values": these(np.nan),
    "fill_value": these(None, 7),
    "strategy": these("mean", "median", "most_frequent", "constant"),
    "unknown_value": these(-1),
    "encoded_missing_value": these(np.nan, -2),
    "knots": {**NOTHING, "of each": lambda _: [[0.0, 2.0]] * problems.D},
    "power": {},
    "theta": these(None, 2.0),
    "weights": {},
    "vocabulary": these(None),
    "stop_words": {**these(None, "english"), "some": lambda _: ["the", "and"]},
    "ngram_range": {"words": lambda _: (1, 1), "pairs": lambda _: (1, 2)},
    "max_df": these(1.0, 30),
    "min_df": these(1, 0.1),
    "token_pattern": {r"\w+": lambda _: r"(?u)\b\w\w+\b"},
    "input": these("content"),
    "encoding": these("utf-8"),
    "tokenizer": {**NOTHING, "split": lambda _: str.split},
    "preprocessor": {**NOTHING, "upper": lambda _: str.upper},
    "stemmer": {**NOTHING, "first letters": lambda _: lambda word: word[:3]},
    "analyzer": these("word", "char", "char_wb"),
    "discount": these(None, 0.5),
    "order": these(2, 3),
    "feature_name_combiner": {**these("concat"), "callable": lambda _: "{}_{}".format},
    "verbose_feature_names_out": these(True, False),
    "remainder": these("drop", "passthrough"),
    "radius": these(20.0, 8.0),
    "binarize": these(0.0, 2.0),
    "var_smoothing": these(1e-9, 0.1),
    "quantile": these(None, 0.3),
    "validation_fraction": these(0.1, 0.3),
    "n_iter_no_change": these(10, 2),
    "min_hessian": {},
    "leaf_size": these(None, 3),
    "unseen": {},
    "y_min": these(None, 2.0),
    "y_max": these(None, 7.0),
    "copy": these(True),
    "width": these(None, 4.0),
    "n_probes": these(None, 2),
    "sigma": these(0.65, 0.0),
    "iterated_power": these("auto", 3),
    "sparse_threshold": these(0.3, 1.0),
    "n_knots": these(4, 2),
    "recall": these(0.9),
    "n_tables": these(None, 2),
    "hash_length": these(None, 3),
    "n_candidates": these(20, 3),
}
CLUSTERINGS = ("KMedoids", "CLARA")
BY_ESTIMATOR = {
    ("ColumnTransformer", "verbose"): these(False, True),
    ("AgglomerativeClustering", "metric"): METRICS,
    ("AgglomerativeClustering", "linkage"): these("average", "ward", "complete", "single",
                                                  "weighted", "centroid", "median"),
    **{(f"KNeighbors{kind}", "metric"): TREE_METRICS for kind in ("Classifier", "Regressor")},
    **{(f"RadiusNeighbors{kind}", "metric"): TREE_METRICS for kind in ("Classifier", "Regressor")},
    **{(name, "class_weight"): FOREST_WEIGHTS
       for name in ("RandomForestClassifier", "ExtraTreesClassifier")},
    ("DecisionTreeClassifier", "priors"): {**PRIORS, "word": lambda _: "uniform"},
    ("LogisticRegression", "C"): these(1.0, 0.01, np.inf),
    ("LogisticRegression", "l1_ratio"): these(0.0, 0.5, 1.0),
    ("KernelDensityNB", "bandwidth"): these("silverman", "scott", 1.5),
    **{(name, "init"): these("auto", "build", "lab", "k-medoids++", "random")
       for name in CLUSTERINGS},
    **{(name, "init"): {**these("k-means++", "k-means||", "random"),
                        "callable": lambda _: values.first_rows}
       for name in ("KMeans", "MiniBatchKMeans", "BisectingKMeans")},
    ("HistGradientBoostingClassifier", "max_iter"): these(5, 12),
    ("HistGradientBoostingRegressor", "max_iter"): these(5, 12),
    ("HistGradientBoostingClassifier", "max_features"): these(1.0, 0.5),
    ("HistGradientBoostingRegressor", "max_features"): these(1.0, 0.5),
    ("HistGradientBoostingClassifier", "min_samples_leaf"): these(1, 5),
    ("HistGradientBoostingRegressor", "min_samples_leaf"): these(1, 5),
    ("HistGradientBoostingClassifier", "scoring"): these("loss", None, "accuracy"),
    ("HistGradientBoostingRegressor", "scoring"): these("loss", None, "r2"),
    ("HistGradientBoostingClassifier", "max_leaf_nodes"): these(31, None, 3),
    ("HistGradientBoostingRegressor", "max_leaf_nodes"): these(31, None, 3),
    ("HistGradientBoostingClassifier", "max_bins"): these(255, 3),
    ("HistGradientBoostingRegressor", "max_bins"): these(255, 3),
    ("CountVectorizer", "max_features"): these(None, 4),
    ("CountVectorizer", "dtype"): these(np.int64, np.float32),
    ("OneHotEncoder", "dtype"): these(np.float64, np.float32),
    ("OrdinalEncoder", "dtype"): these(np.float64, np.float32),
    ("OneHotEncoder", "handle_unknown"): these("ignore", "infrequent_if_exist", "warn"),
    ("OrdinalEncoder", "handle_unknown"): these("use_encoded_value"),
    ("GeneralizedLinearModel", "family"): these("gaussian", "binomial", "poisson", "gamma",
                                                "inverse_gaussian", "negative_binomial", "quasi",
                                                "quasibinomial", "quasipoisson", "tweedie"),
    ("GeneralizedLinearModel", "link"): these(None, "log", "identity", "sqrt", "probit"),
    ("GeneralizedLinearModel", "power"): these(None, 1.5),
    ("TweedieRegressor", "power"): these(0.0, 1.5, 2, 3),
    ("TweedieRegressor", "link"): these("auto", "log", "identity"),
    ("HuberRegressor", "alpha"): these(0.0001, 0.1),
    ("HuberRegressor", "epsilon"): these(1.35, 3.0),
    ("LinearSVC", "C"): PENALTIES,
    ("LinearSVC", "max_iter"): these(20000),
    ("LinearSVR", "max_iter"): these(20000),
    ("NuSVC", "nu"): these(0.3, 0.1),
    ("NuSVC", "max_iter"): these(5000),
    ("NuSVR", "max_iter"): these(5000),
    ("SVC", "max_iter"): these(5000),
    ("SVR", "max_iter"): these(5000),
    ("OneClassSVM", "max_iter"): these(5000),
    **{(name, "tol"): these(1e-8) for name in ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM",
                                                "LinearSVC", "LinearSVR")},
    ("RatingsFactorization", "n_components"): these(2, 3),
    ("RatingsFactorization", "tol"): these(0.03),
    ("RatingsFactorization", "alpha"): these(40.0),
    ("TruncatedSVD", "n_components"): these(2, 3),
    ("PCA", "n_components"): these(None, 2, 0.8, "mle", "kaiser", "broken_stick"),
    ("PrincipalComponentRegression", "n_components"): these(None, 2, 0.8, "kaiser"),
    ("LSHNeighbors", "metric"): these("euclidean", "cosine"),
    ("MultivariateNormal", "shrinkage"): these(0.1, "ledoit_wolf", "oas", None),
    ("RegularizedDiscriminantAnalysis", "alpha"): these(0.3, 0.0, 1.0),
    ("RegularizedDiscriminantAnalysis", "gamma"): these(0.1, 0.0, 1.0),
    ("RegularizedDiscriminantAnalysisCV", "alphas"): {"two": lambda _: [0.0, 0.3]},
    ("RegularizedDiscriminantAnalysisCV", "gammas"): {"two": lambda _: [0.1, 0.5]},
    ("NGramLanguageModel", "weights"): {**NOTHING, "two": lambda _: [0.4, 0.6]},
    ("BaggingClassifier", "n_estimators"): these(3, 1),
    ("BaggingRegressor", "n_estimators"): these(3, 1),
    ("PiecewiseLinearFeatures", "n_knots"): these(4, 1),
    ("PolynomialFeatures", "degree"): {**these(2, 3), "range": lambda _: (2, 3)},
    ("Ridge", "alpha"): PENALTIES,
    ("IncrementalPCA", "batch_size"): these(None, 10),
    ("LinearDiscriminantAnalysis", "n_components"): these(None, 1),
    ("PCA", "power_iteration_normalizer"): these("auto", "QR", "LU", "none"),
    ("CalibratedClassifierCV", "ensemble"): these("auto", True, False),
    ("GridSearchCV", "estimator"): {
        "LogisticRegression": LEARNERS["LogisticRegression"],
        "SVC": LEARNERS["SVC"],
        "SVC of a kernel matrix": LEARNERS["SVC of a kernel matrix"],
    },
    ("IsotonicRegression", "out_of_bounds"): these("clip", "nan", "raise"),
}  # fmt: skip
BY_ESTIMATOR["RandomizedSearchCV", "estimator"] = BY_ESTIMATOR["GridSearchCV", "estimator"]


@cache
def estimators():
    """Name -> thing, for all public estimators."""
    return {
        name: thing
        for name, thing in surface.public().items()
        if thing.is_class and hasattr(thing.call, "fit") and hasattr(thing.call, "get_params")
    }


def parameter_levels(thing, parameter):
    """Name -> maker of the levels of a parameter."""
    name = parameter.name
    given = BY_ESTIMATOR.get((thing.name, name))
    if given is not None:
        return given
    if name == "estimator":
        return REGRESSORS if contract.regresses(thing.call) else LEARNERS
    if BY_NAME.get(name):
        return BY_NAME[name]
    return these(*dict.fromkeys(documented(parameter)))


def documented(parameter):
    """Values that the documented type names, the default first."""
    default, kind = parameter.default, parameter.type
    braces = re.search(r"\{(.*?)\}", kind)
    words = re.findall(r'"([^"]+)"', braces[1]) if braces else ()
    if not parameter.required:
        yield default
    if isinstance(default, bool) or "bool" in kind:
        yield from (False, True)
    elif words:
        yield from words
    elif kind.startswith("str"):
        yield from parameter.words
    elif parameter.name in values.COSTLY:
        yield from values.COSTLY[parameter.name]
    elif "float" in kind:
        near = default if isinstance(default, int | float) and default else 1.0
        yield from (near / 2, near * 2) if np.isfinite(near) else (1.0, 0.1)
    elif "int" in kind:
        yield from (1, 2, 3)


@cache
def factors(name):
    """Name of a factor -> its levels, for all that is varied of an estimator."""
    thing = estimators()[name]
    found = {key: parameter_levels(thing, p) for key, p in thing.parameters.items()}
    taken = inspect.signature(thing.call.fit).parameters
    if name in OF_DOCUMENTS:
        found["rows"] = problems.DOCUMENTS
    elif name not in TAKES_A_COLUMN:
        found["rows"] = dict(problems.CONTAINERS)
        tags = contract.make(thing.call).__sklearn_tags__()
        if not tags.input_tags.sparse:
            del found["rows"]["csr"]
        if takes_missing(thing):
            found["gaps"] = {"none": False, "some": True}
    targets = target_levels(thing)
    if targets:
        found["target"] = targets
    if "sample_weight" in taken and thing.name not in ("NGramLanguageModel",):
        found["sample_weight"] = problems.WEIGHTS
    if "offset" in taken:
        found["offset"] = problems.OFFSETS
    if "cov_type" in taken:
        found["cov_type"] = LIKELIHOOD_ERRORS
    if "groups" in taken and "cov_type" not in taken:
        found["groups"] = problems.GROUPS
    return found


def takes_missing(thing):
    parameters = thing.parameters
    return (
        contract.make(thing.call).__sklearn_tags__().input_tags.allow_nan
        or "missing" in parameters
        or "steps" in parameters
        or ("estimator" in parameters)
    )


def target_levels(thing):
    if "y" not in inspect.signature(thing.call.fit).parameters:
        return None
    tags = (
        thing.call().__sklearn_tags__()
        if thing.name in OF_DOCUMENTS
        else contract.make(thing.call).__sklearn_tags__()
    )
    several = tags.target_tags.multi_output
    if tags.estimator_type == "classifier":
        return problems.CLASSES | (problems.SEVERAL_CLASSES if several else {})
    if tags.estimator_type == "regressor":
        return problems.NUMBERS | (problems.SEVERAL_NUMBERS if several else {})
    return None
