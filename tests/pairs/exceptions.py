# SPDX-License-Identifier: BSD-3-Clause
"""Levels that checks of parameters cannot know: of classes, columns, estimators and functions."""

import re

import numpy as np

from tests.fuzz import made, surface, values
from tests.pairs import problems


def values_of(*options):
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


def by_name(*makers):
    """Two estimators with names, made for each fit."""
    return lambda s: [(name, make(s)) for name, make in zip("uv", makers, strict=True)]


DROPPED = {"drop": lambda _: "drop"}
COMBINED_CLASSIFIERS = {
    "discriminant, logistic": by_name(
        new("LinearDiscriminantAnalysis"), LEARNERS["LogisticRegression"]
    ),
    "tree, dropped": by_name(LEARNERS["DecisionTreeClassifier"], DROPPED["drop"]),
    "Bayes, k-NN": by_name(LEARNERS["GaussianNB"], LEARNERS["KNeighborsClassifier"]),
    "machine, pipeline": by_name(LEARNERS["LinearSVC"], LEARNERS["pipeline"]),
    "a kernel matrix, Bayes": by_name(LEARNERS["SVC of a kernel matrix"], LEARNERS["GaussianNB"]),
}
COMBINED_REGRESSORS = {
    "line, tree": by_name(REGRESSORS["LinearRegression"], REGRESSORS["DecisionTreeRegressor"]),
    "dropped, pipeline": by_name(DROPPED["drop"], REGRESSORS["pipeline"]),
    "k-NN, machine": by_name(REGRESSORS["KNeighborsRegressor"], REGRESSORS["SVR"]),
    "a matrix, line": by_name(REGRESSORS["KernelRidge of a matrix"], new("Ridge")),
}
IMPORTANT = {
    key: LEARNERS[key] for key in ("LogisticRegression", "LinearSVC", "DecisionTreeClassifier")
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


def union(*transformers):
    return lambda s: [(f"t{k}", made(s)) for k, made in enumerate(transformers)]


UNIONS = {
    "two scalers": union(new("StandardScaler"), new("MinMaxScaler")),
    "dropped and passed": union(new("PCA", n_components=1), lambda _: "drop",
                                lambda _: "passthrough"),
}  # fmt: skip


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
PRIORS = {"uniform": uniform, "leaning": leaning}
COSTS = {"0 and 1": zero_one, "uneven": uneven}
CLASS_WEIGHTS = {
    "balanced": lambda _: "balanced",
    "of each": lambda s: {label: 1.0 + i for i, label in enumerate(s.classes)},
    "of one, a fraction": lambda s: {s.classes[-1]: 0.3},
}
FOLDS = {"3": lambda _: 3, "2": lambda _: 2, "halves": halves}
METRICS = values_of(
    "euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "canberra",
    "hamming", "seuclidean", "gower", "precomputed", "yule", "dice",
) | {"callable": lambda _: values.city}  # fmt: skip
TREE_METRICS = values_of(
    "minkowski", "manhattan", "chebyshev", "cosine", "hamming", "precomputed"
) | {"callable": lambda _: values.city}  # fmt: skip
KERNELS = values_of("precomputed") | {"callable": lambda _: values.product}
METRIC_PARAMS = {"p and w": lambda s: {"w": np.array([1.0, 4.0, 0.25, 1.0])}}
SEARCHED = {key: LEARNERS[key] for key in ("LogisticRegression", "SVC", "SVC of a kernel matrix")}
GRIDS = {"C": lambda _: {"C": [0.1, 1.0]}, "two": grids}
IMAGES = {"a row": lambda _: (1, -1), "a square": lambda _: (2, 2)}
OUTLIERS = {"most_frequent": lambda _: "most_frequent", "one": lambda s: s.classes[0]}
REJECTED = {"a name": lambda s: "none" if isinstance(s.classes[0], str) else -9}
REFERENCES = {"the last": lambda s: s.classes[-1]}
EACH_DENSITY = {"of each": lambda _: ["gaussian", "poisson", "categorical", "gamma"]}
KNOTS = {"of each": lambda _: [[0.0, 2.0]] * problems.D}
COVARIANCES = {"one": new("MultivariateNormal", shrinkage=0.1)}

LIKELIHOOD_ERRORS = values_of("nonrobust", "HC0", "HC3", "cluster", "HAC")

# ------------------------------------------------------------------ the table
ANY = ".*"
TREES = "(DecisionTree|RandomForest|ExtraTrees)"
BOOSTING = "HistGradientBoosting.*"
CLUSTERINGS = "AgglomerativeClustering|KMedoids|CLARA|NearestNeighbors"
NEIGHBOR_MODELS = "(KNeighbors|RadiusNeighbors).*|LocalOutlierFactor"
MACHINES = "SVC|SVR|NuSVC|NuSVR|OneClassSVM"
REGRESSING = "(AdaBoost|Bagging|Conformal|MultiOutput)Regressor|RegressorChain"
SEARCHES = "(Grid|Randomized|HalvingGrid|HalvingRandom)SearchCV"

OF_CLASSES = "it is given for each class"
OF_COLUMNS = "it is given for each column"
OF_ESTIMATORS = "an estimator is in it"
OF_FUNCTIONS = "a function of the user's"
JUDGED_BY_FIT = "what it may be depends on the data or on other parameters"
COMPARED = "two fits are compared, which must end at the same answer"
SUITS_THE_ROWS = "others suit no problem here: 42 rows of small whole numbers, some of them new"

# Estimators and parameters (regular expressions), the levels, and why they are not the declared
# ones alone. `INSTEAD` are all there are; the first row that matches counts. `BESIDE` come after
# the default and the declared ones, and all rows that match count.
INSTEAD = [
    (ANY, "random_state", SEEDS, COMPARED),
    ("QuantileTransformer", "ignore_implicit_zeros", values_of(False),
     "without zeros, sparse rows have other quantiles than dense ones"),
    (ANY, "copy", values_of(True), "without a copy, rows may be written over"),
    ("SVC|SVR|NuSVC|NuSVR|OneClassSVM|LinearSVC|LinearSVR", "tol", values_of(1e-8), COMPARED),
    ("LinearSVC|LinearSVR", "max_iter", values_of(20000), COMPARED),
    (MACHINES, "max_iter", values_of(5000), COMPARED),
    (ANY, "time_limit", values_of(None, 60.0), "what a fit reaches in a second varies"),
    ("RatingsFactorization", "tol", values_of(0.03), COMPARED),
    ("NMF", "init", values_of(None, "random", "nndsvd", "nndsvda", "nndsvdar"),
     "'custom' needs arguments of fit"),
    (REGRESSING, "estimator", REGRESSORS, OF_ESTIMATORS),
    (SEARCHES, "estimator", SEARCHED, OF_ESTIMATORS),
    ("RFE|RFECV|SelectFromModel|SequentialFeatureSelector", "estimator", IMPORTANT, OF_ESTIMATORS),
    ("RFE|RFECV|SelectFromModel", "importance_getter", values_of("auto"), OF_ESTIMATORS),
    ("SelectFromModel", "prefit", values_of(False), "the estimators are not fitted"),
    (ANY, "estimator", LEARNERS, OF_ESTIMATORS),
    ("TunedThresholdClassifierCV", "cost",
     {"even": lambda _: (1.0, 1.0), "uneven": lambda _: (1.0, 5.0)}, JUDGED_BY_FIT),
    ("TunedThresholdClassifierCV", "thresholds",
     {**values_of(9), "listed": lambda _: [-0.5, 0.3, 0.5, 0.7]}, SUITS_THE_ROWS),
    ("(Fixed|Tuned)Threshold.*", "pos_label",
     {**NOTHING, "the first": lambda s: s.classes[0]}, OF_CLASSES),
    (".*Chain", "order",
     {**NOTHING, "backwards": lambda _: [1, 0], "random": lambda _: "random"}, OF_CLASSES),
    (".*Chain", "cv", {**NOTHING, "3": lambda _: 3}, JUDGED_BY_FIT),
    ("Dummy.*", "constant", NOTHING, "there is one for each output"),
    ("(Voting|Stacking)Classifier", "estimators", COMBINED_CLASSIFIERS, OF_ESTIMATORS),
    ("(Voting|Stacking)Regressor", "estimators", COMBINED_REGRESSORS, OF_ESTIMATORS),
    ("VotingClassifier", "flatten_transform", values_of(True), "without it, rows come second"),
    (ANY, "density", DENSITIES, OF_ESTIMATORS),
    ("FunctionTransformer", "validate", values_of(True), "without it, rows come back as passed"),
    ("FunctionTransformer", "func|inverse_func", {**NOTHING, "arctan": lambda _: np.arctan},
     OF_FUNCTIONS),
    ("FunctionTransformer", "check_inverse", values_of(False), "arctan does not undo itself"),
    (ANY, "steps", STEPS, OF_ESTIMATORS),
    (ANY, "transformers", TRANSFORMERS, OF_ESTIMATORS),
    (ANY, "transformer_list", UNIONS, OF_ESTIMATORS),
    ("Conformal.*", "cv", NOTHING, JUDGED_BY_FIT),
    (ANY, "cv", FOLDS, JUDGED_BY_FIT),
    (ANY, "param_grid|param_distributions", GRIDS, JUDGED_BY_FIT),
    (CLUSTERINGS, "metric", METRICS, JUDGED_BY_FIT),
    (NEIGHBOR_MODELS, "metric", TREE_METRICS, JUDGED_BY_FIT),
    ("KernelDensity", "metric", values_of("euclidean", "manhattan", "chebyshev"), JUDGED_BY_FIT),
    ("Halving.*", "max_resources", values_of("auto", 27), SUITS_THE_ROWS),
    ("Halving.*", "min_resources", values_of("exhaust", "smallest", 20), SUITS_THE_ROWS),
    ("Halving.*", "resource", values_of("n_samples"), "estimators have no parameter in common"),
    (SEARCHES, "error_score", values_of("raise", np.nan), "a fit that fails is to be seen"),
    (ANY, "image_shape", IMAGES, OF_COLUMNS),
    ("AgglomerativeClustering", "connectivity", NOTHING, JUDGED_BY_FIT),
    ("AgglomerativeClustering", "linkage",
     values_of("average", "ward", "complete", "single", "weighted", "centroid", "median", "genie"),
     "the default, ward, takes Euclidean distances alone"),
    ("NearestNeighbors|RadiusNeighbors.*", "radius", values_of(20.0, 8.0), SUITS_THE_ROWS),
    ("KMeansConstrained", "size_min", values_of(1, 3), SUITS_THE_ROWS),
    ("KMeansConstrained", "size_max", values_of(60, 20), SUITS_THE_ROWS),
    ("GammaNB", "smallest", values_of(0.2, None), "rows hold 0"),
    ("RadiusNeighborsClassifier", "outlier_label", OUTLIERS, "new rows may have no neighbors"),
    ("CategoricalNB", "min_categories", values_of(70), SUITS_THE_ROWS),
    ("OneHotEncoder", "handle_unknown", values_of("ignore", "infrequent_if_exist", "warn"),
     SUITS_THE_ROWS),
    ("OrdinalEncoder", "handle_unknown", values_of("use_encoded_value"), SUITS_THE_ROWS),
    ("OrdinalEncoder", "unknown_value", values_of(-1), SUITS_THE_ROWS),
    ("TangentDistanceClassifier", "n_candidates", values_of(20, 3), SUITS_THE_ROWS),
    ("MultivariateNormal", "shrinkage", values_of(0.1, "ledoit_wolf", "oas", None), SUITS_THE_ROWS),
    ("QuadraticDiscriminantAnalysis", "reg_param", values_of(0.1, 0.0, 1.0), SUITS_THE_ROWS),
    ("RegularizedDiscriminantAnalysisCV", "alphas", {"two": lambda _: [0.0, 0.3]}, JUDGED_BY_FIT),
    ("RegularizedDiscriminantAnalysisCV", "gammas", {"two": lambda _: [0.1, 0.5]}, JUDGED_BY_FIT),
    (".*Vectorizer", "input", values_of("content"), "the others read files"),
    ("HashingVectorizer", "n_features", values_of(64, 1), "2**31 columns are no dense table"),
    ("OutputCodeClassifier", "code_size", values_of(None, 0.75, 3.0), "1e6 is work for minutes"),
    (BOOSTING, "min_samples_leaf", values_of(1, 5, 20), SUITS_THE_ROWS),
    (BOOSTING, "max_iter", values_of(5, 12), SUITS_THE_ROWS),
]  # fmt: skip
BESIDE = [
    (ANY, "priors|class_prior", PRIORS, OF_CLASSES),
    ("DecisionTreeClassifier", "priors", values_of("uniform"), JUDGED_BY_FIT),
    (ANY, "cost", COSTS, OF_CLASSES),
    (ANY, "class_weight", CLASS_WEIGHTS, OF_CLASSES),
    (".*ForestClassifier|ExtraTreesClassifier", "class_weight", values_of("balanced_subsample"),
     OF_CLASSES),
    (ANY, "reject", values_of(0.3), "others are no costs of a decision between few classes"),
    (ANY, "reject_label", REJECTED, OF_CLASSES),
    (ANY, "reference", REFERENCES, OF_CLASSES),
    (ANY, "monotonic_cst", {"of each": lambda _: [1, 0, -1, 0]}, OF_COLUMNS),
    (ANY, "categorical_features", {**NOTHING, "one": lambda _: [1]}, OF_COLUMNS),
    (ANY, "interaction_cst", {**values_of("pairwise", "no_interactions"),
                              "groups": lambda _: [[0, 1]]}, OF_COLUMNS),
    (ANY, "metric_params", METRIC_PARAMS, OF_COLUMNS),
    ("MixedNB", "densities", EACH_DENSITY, OF_COLUMNS),
    ("PiecewiseLinearFeatures", "knots", KNOTS, OF_COLUMNS),
    ("ColumnTransformer|FeatureUnion", "transformer_weights", {"one": lambda _: {"t0": 2.0}},
     OF_ESTIMATORS),
    (ANY, "covariance_estimator", COVARIANCES, OF_ESTIMATORS),
    ("TunedThresholdClassifierCV", "scoring", values_of("accuracy"),
     JUDGED_BY_FIT),
    ("Voting.*", "weights", {"uneven": lambda _: [1.0, 2.5]}, OF_ESTIMATORS),
    ("StackingClassifier", "final_estimator",
     {key: LEARNERS[key] for key in ("GaussianNB", "DecisionTreeClassifier")}, OF_ESTIMATORS),
    ("StackingRegressor", "final_estimator",
     {key: REGRESSORS[key] for key in ("LinearRegression", "DecisionTreeRegressor")},
     OF_ESTIMATORS),
    ("NGramLanguageModel", "weights", {"two": lambda _: [0.4, 0.6]}, JUDGED_BY_FIT),
    ("BisectingKMeans|(MiniBatch)?KMeans", "init", {"callable": lambda _: values.first_rows},
     OF_FUNCTIONS),
    (ANY, "tokenizer", {"split": lambda _: str.split}, OF_FUNCTIONS),
    (ANY, "preprocessor", {"upper": lambda _: str.upper}, OF_FUNCTIONS),
    (ANY, "stemmer", {"first letters": lambda _: lambda word: word[:3]}, OF_FUNCTIONS),
    (ANY, "feature_name_combiner", {"callable": lambda _: "{}_{}".format}, OF_FUNCTIONS),
    (ANY, "callback", {"one": lambda _: values.quiet}, OF_FUNCTIONS),
    (ANY, "p", values_of(1, 3.5), JUDGED_BY_FIT),
    (f"{MACHINES}|KernelRidge", "kernel", KERNELS, JUDGED_BY_FIT),
    ("KernelRidge|.*NB", "alpha", values_of(0.1, 10.0), JUDGED_BY_FIT),
    (ANY, "alphas", {"three": lambda _: [0.1, 1.0, 10.0], "a number": lambda _: 10}, JUDGED_BY_FIT),
    (f"{TREES}.*", "max_features", values_of(1.0, 2, 0.5), JUDGED_BY_FIT),
    (f"{TREES}.*", "max_samples", values_of(0.5, 12), JUDGED_BY_FIT),
    (f"{TREES}.*", "min_samples_leaf", values_of(3, 0.1), JUDGED_BY_FIT),
    (f"{TREES}.*", "min_samples_split", values_of(7, 0.3), JUDGED_BY_FIT),
    (f"{TREES}.*", "oob_score|early_stopping", values_of(False, True), JUDGED_BY_FIT),
    (f"{TREES}.*", "verbose", values_of(1), JUDGED_BY_FIT),
    (BOOSTING, "early_stopping", values_of(False, True), JUDGED_BY_FIT),
    ("HistGradientBoostingClassifier", "scoring", values_of(None, "accuracy"), JUDGED_BY_FIT),
    ("HistGradientBoostingRegressor", "scoring", values_of(None, "r2"), JUDGED_BY_FIT),
    (BOOSTING, "quantile|validation_fraction", values_of(0.3), JUDGED_BY_FIT),
    (f"{SEARCHES}|LogisticRegressionCV", "scoring",
     values_of("accuracy", "neg_log_loss", "balanced_accuracy"), JUDGED_BY_FIT),
    ("RidgeClassifierCV", "scoring", values_of(None, "accuracy", "f1_macro"), JUDGED_BY_FIT),
    ("RidgeCV", "scoring", values_of(None, "r2", "neg_mean_absolute_error"), JUDGED_BY_FIT),
    ("PCA|PrincipalComponentRegression", "n_components",
     values_of(2, 0.8, "kaiser"), JUDGED_BY_FIT),
    ("PCA", "n_components", values_of("mle", "broken_stick"), JUDGED_BY_FIT),
    ("(Linear|Quadratic)DiscriminantAnalysis", "shrinkage", values_of("auto", 0.3),
     JUDGED_BY_FIT),
    ("OneHotEncoder|OrdinalEncoder|KBinsDiscretizer", "dtype", values_of(np.float32),
     JUDGED_BY_FIT),
    ("KBinsDiscretizer", "n_bins", {**values_of(2), "each": lambda _: [2, 3, 4, 5]}, OF_COLUMNS),
    ("OneHotEncoder", "drop", values_of("first", "if_binary"), JUDGED_BY_FIT),
    ("OrdinalEncoder", "encoded_missing_value", values_of(-2), JUDGED_BY_FIT),
    ("SplineTransformer", "knots", values_of("uniform", "quantile"), JUDGED_BY_FIT),
    ("KNNImputer", "weights", {"callable": lambda _: np.ones_like}, OF_FUNCTIONS),
    ("SimpleImputer", "fill_value", values_of(7), JUDGED_BY_FIT),
    ("MinMaxScaler", "feature_range", {"others": lambda _: (-2.0, 5.0)}, JUDGED_BY_FIT),
    ("RobustScaler", "quantile_range", {"others": lambda _: (10.0, 60.0)}, JUDGED_BY_FIT),
]  # fmt: skip


def rows_of(table, thing, parameter):
    return [
        row for row in table
        if re.fullmatch(row[0], thing.name) and re.fullmatch(row[1], parameter.name)
    ]  # fmt: skip


def levels_of(thing, parameter):
    """Levels in place of the declared ones, or None; and those beside them."""
    instead = [levels for *_, levels, _ in rows_of(INSTEAD, thing, parameter)]
    beside = {}
    for *_, levels, _ in rows_of(BESIDE, thing, parameter):
        beside |= levels
    return instead[0] if instead else None, beside
