# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that are made by steps of their own: estimators, fitted models, and results."""

from dataclasses import dataclass

import numpy as np

from statfast import LogisticRegression
from tests.fuzz import surface
from tests.fuzz.documents import documents
from tests.fuzz.inputs import choose


@dataclass(frozen=True)
class Ref:
    """The answer of an earlier step."""

    name: str


TARGETS = {
    "gaussian": "numbers",
    "quasi": "numbers",
    "binomial": "binary",
    "quasibinomial": "shares",
    "poisson": "counts",
    "quasipoisson": "counts",
    "negative_binomial": "counts",
    "gamma": "positive",
    "inverse_gaussian": "positive",
}

LIKELIHOODS = ("GeneralizedLinearModel", "LinearRegression", "LogisticRegression")
DECISION_TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor")
FORESTS = ("RandomForestClassifier", "RandomForestRegressor")
BOOSTED = ("AdaBoostClassifier",)
# What is fitted for functions that take a model.
MODELS = {
    "anova": LIKELIHOODS,
    "drop1": LIKELIHOODS,
    "add1": LIKELIHOODS,
    "vif": LIKELIHOODS,
    "step": LIKELIHOODS,
    "coefficients": (*LIKELIHOODS, "Lasso"),
    "diagnostics": ("GeneralizedLinearModel", "LinearRegression"),
    "penalty_errors": ("LassoCV", "RidgeCV", "ElasticNetCV", "MultiTaskLassoCV"),
    "regression_curve": ("GeneralizedLinearModel", "LinearRegression", "KNeighborsRegressor"),
    "coefficient_stems": ("Lasso", "Ridge", "LinearSVC"),
    "coefficient_histogram": ("Lasso", "Ridge", "LinearSVC"),
    "densities": ("GaussianNB", "KernelDensityNB", "MixedNB", "MultivariateNormal"),
    "density_surface": ("GaussianNB", "QuadraticDiscriminantAnalysis", "MultivariateNormal"),
    "nearest": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "decision_regions": ("SVC", "KNeighborsClassifier", "LinearDiscriminantAnalysis"),
    "svm_margin": ("SVC", "NuSVC"),
    "biplot": ("PCA",),
    "component_scores": ("PCA",),
    "correlation_circle": ("PCA",),
    "reconstructions": ("PCA",),
    "boosting_errors": BOOSTED,
    "boosting_margins": BOOSTED,
    "canonical_variates": ("LinearDiscriminantAnalysis",),
    "density_contours": (
        "MultivariateNormal",
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
    ),
    "condensed_tree": ("HDBSCAN",),
    "reachability": ("HDBSCAN",),
    "rda_grid": ("RegularizedDiscriminantAnalysisCV",),
    "word_weights": ("MultinomialNB", "ComplementNB", "BernoulliNB"),
    "tree": DECISION_TREES,
    "split_table": DECISION_TREES,
    "importances": FORESTS,
    "out_of_bag": FORESTS,
    "selection_path": ("RFECV",),
    "shap_values": ("DecisionTreeRegressor", "Ridge", "RandomForestClassifier"),
    "subgroups": ("SubgroupDiscovery",),
    "regularization_path": ("LassoCV",),
    "export_text": DECISION_TREES,
    "tree_rules": DECISION_TREES,
    "write_arpa": ("NGramLanguageModel",),
    "permutation_importance": ("Ridge", "GaussianNB", "DecisionTreeRegressor"),
    "partial_dependence": ("Ridge", "LogisticRegression", *DECISION_TREES),
    "plot.partial_dependence": ("Ridge", "LogisticRegression", *DECISION_TREES),
}
# Of a classifier and rows, or of labels and scores.
PICTURES_OF_SCORES = (
    "calibration",
    "confusion",
    "cost_curves",
    "coverage",
    "precision_recall",
    "roc",
)
MODELS |= dict.fromkeys(
    PICTURES_OF_SCORES, ("GaussianNB", "LogisticRegression", "KNeighborsClassifier")
)
# Whose answer is passed to functions that take a result: by their names, or by the argument's.
RESULTS = {
    "choice": "choose_n_clusters",
    "explanation": "shap_values",
    "gap": "gap_statistic",
    "path": "lasso_path",
    "group_coverage": "coverage_report",
    "scree": "choose_components",
    "mixture_criteria": "choose_mixture",
    "bias_variance_target": "bias_variance",
    "comparison": "compare",
    "stepwise": "step",
    "pruning": "pruning_table",
    "itemsets": "frequent_itemsets",
    "rules": "association_rules",
    "stability": "cluster_stability",
    "table": "drop1",
    "permutation_importances": "permutation_importance",
}
CLASSIFIERS = (
    "LinearSVC",
    "LogisticRegression",
    "LeastSquaresClassifier",
    "SVC",
    "KNeighborsClassifier",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "DecisionTreeClassifier",
)
REGRESSORS = (
    "LinearRegression",
    "Ridge",
    "KNeighborsRegressor",
    "DecisionTreeRegressor",
    "Lasso",
    "PrincipalComponentRegression",
)
TRANSFORMERS = ("StandardScaler", "PCA", "SimpleImputer", "PolynomialFeatures", "RobustScaler")
TUNED = ("KNeighborsClassifier", "LogisticRegression", "LinearSVC")
TREES_ALONE = {"pruning_table"}
FITTED_ALONE = {"permutation_importance", "partial_dependence"}
# Settings under which a fit is quick, and converges.
QUICK = {
    "LogisticRegression": {"C": 1.0},
    "RFECV": {"estimator": LogisticRegression(C=1.0), "cv": 2},
    "SVC": {"max_iter": 1000},
    "AdaBoostClassifier": {"n_estimators": 3},
    "RandomForestClassifier": {"n_estimators": 3, "oob_score": True},
    "RandomForestRegressor": {"n_estimators": 3, "oob_score": True},
    "RegularizedDiscriminantAnalysisCV": {"alphas": [0.0, 0.5], "gammas": [0.0, 0.3]},
    "NGramLanguageModel": {"order": 2},
    "PolynomialFeatures": {"degree": 2},
}


def new(drawing, name, settings=None):
    """An estimator, not fitted."""
    key = f"made{len(drawing.case.steps)}"
    settings = {**QUICK.get(name, {}), **(settings or {})}
    drawing.add(name, surface.public()[name].call, settings, out=key)
    return Ref(key)


def learner(drawing, thing):
    """What an argument ``estimator`` takes: not fitted but where a fitted one is wanted."""
    if thing.name in FITTED_ALONE:
        return model(drawing, thing)
    numbers = drawing.target_kind not in ("labels", "two labels", None)
    names = REGRESSORS if numbers else CLASSIFIERS
    if thing.name in TREES_ALONE or (
        thing.family in ("tree", "ensemble") and drawing.rng.random() < 0.8
    ):
        names = DECISION_TREES[numbers : numbers + 1]
    elif {"param_name", "param_grid", "param_distributions"} & thing.parameters.keys():
        names = ("KNeighborsRegressor", "Ridge") if numbers else TUNED
    if thing.name != "Pipeline" and drawing.rng.random() < 0.05:
        return in_a_row(drawing, names)
    return new(drawing, choose(drawing.rng, names))


def named_learners(drawing, thing):
    """Estimators with names, some of them dropped."""
    rng = drawing.rng
    made = [
        learner(drawing, thing) if rng.random() < 0.85 else "drop"
        for _ in range(int(rng.integers(1, 4)))
    ]
    return [("a" if rng.random() < 0.05 else f"m{i}", member) for i, member in enumerate(made)]


def in_a_row(drawing, names):
    """A pipeline that ends with one of these."""
    last = new(drawing, choose(drawing.rng, names))
    pairs = [("first", new(drawing, "StandardScaler")), ("last", last)]
    key = f"made{len(drawing.case.steps)}"
    drawing.add("Pipeline", surface.public()["Pipeline"].call, {"steps": pairs}, out=key)
    return Ref(key)


def steps(drawing, thing):
    """What a pipeline holds: mostly transformers, and a learner at the end."""
    rng = drawing.rng
    first = [
        new(drawing, choose(rng, TRANSFORMERS)) if rng.random() < 0.9 else "passthrough"
        for _ in range(int(rng.integers(0, 3)))
    ]
    if drawing.calm:
        last = new(drawing, ("LogisticRegression", "PCA")[drawing.turn % 2])
        made = (new(drawing, "StandardScaler"), last)
        return made if thing.name == "make_pipeline" else [("a", made[0]), ("b", last)]
    last = learner(drawing, thing) if rng.random() < 0.85 else choose(rng, ("passthrough", None))
    made = (*first, last)
    if thing.name == "make_pipeline":
        return made
    return [(choose(rng, "abc") if rng.random() < 0.05 else f"s{i}", m) for i, m in enumerate(made)]


def transformers(drawing, thing):
    """What stands side by side: transformers, of some columns or of all."""
    rng, made = drawing.rng, []
    for _ in range(int(rng.integers(1, 4))):
        word = rng.random() < 0.2
        made.append(choose(rng, ("drop", "passthrough")) if word else new(
            drawing, choose(rng, TRANSFORMERS)))  # fmt: skip
    if thing.name == "make_union":
        return tuple(made)
    name = "a" if rng.random() < 0.05 else "t{}"
    if "ColumnTransformer" not in thing.name:
        return [(name.format(k), part) for k, part in enumerate(made)]
    columns = [rng.integers(-1, drawing.data.d, 2).tolist() for _ in made]
    if thing.name == "make_column_transformer":
        return tuple(zip(made, columns, strict=True))
    return [(name.format(k), *pair) for k, pair in enumerate(zip(made, columns, strict=True))]


def model(drawing, thing):
    """A fitted model, made by steps of its own."""
    rng, data = drawing.rng, drawing.data
    names = MODELS.get(thing.name, ("LinearRegression",))
    if thing.name in FITTED_ALONE:  # the target is there
        numbers = drawing.target_kind == "numbers"
        names = [name for name in names if (name in REGRESSORS) == numbers]
    name = choose(rng, names)
    if drawing.common is None:
        pictures = thing.family == "plot" and name not in LIKELIHOODS
        drawing.common = data.X[:, : 2 if pictures else 5]  # a search fits for each column
    if name in MODELS["word_weights"]:
        drawing.common = np.minimum(np.abs(np.nan_to_num(drawing.common)), 1e6)
    settings = {"C": np.inf} if name == "LogisticRegression" and rng.random() < 0.5 else {}
    if name == "GeneralizedLinearModel":
        settings["family"] = choose(rng, list(TARGETS))
        drawing.target_kind = TARGETS[settings["family"]]
    elif thing.name not in PICTURES_OF_SCORES:
        drawing.target_kind = "numbers" if name in REGRESSORS else "labels"
    made = new(drawing, name, settings)
    if not hasattr(drawing, "y"):
        drawing.y = data.target(drawing.target_kind)
    args = {"X": drawing.common, "y": drawing.y}
    if name == "NGramLanguageModel":
        args = {"raw_documents": documents(drawing)}
    elif name in ("PCA", "MultivariateNormal"):
        del args["y"]
    drawing.add(f"{name}.fit", "fit", args, made.name)
    return made


def search(drawing, thing):
    """A fitted search over one or two parameters."""
    grid = {"n_neighbors": [1, 3], "weights": ["uniform", "distance"]}
    if drawing.rng.random() < 0.5:
        del grid["weights"]
    settings = {"estimator": new(drawing, "KNeighborsClassifier"), "param_grid": grid, "cv": 2}
    made = new(drawing, "GridSearchCV", settings)
    args = {"X": drawing.data.X, "y": drawing.data.target("labels")}
    drawing.add("GridSearchCV.fit", "fit", args, made.name)
    return made


def models(drawing, thing):
    size = int(drawing.rng.integers(1, 4))
    if thing.name != "compare":
        return tuple(model(drawing, thing) for _ in range(size))
    made = [learner(drawing, thing) for _ in range(size + 1)]
    return made if drawing.rng.random() < 0.5 else dict(zip("abcd", made, strict=False))


def result(drawing, thing, name):
    """What another function gives, or a fitted model that holds it."""
    if thing.name == "selection_path":
        return model(drawing, thing)
    wanted = RESULTS.get(thing.name, RESULTS.get(name))
    made = surface.public()[wanted or choose(drawing.rng, sorted({*RESULTS.values()}))]
    key = f"{name}{len(drawing.case.steps)}"
    drawing.target_kind = drawing.kind_of_target(made)
    args = drawing.arguments(made, wrong="valid")
    drawing.add(made.name, made.call, args, out=key)
    return Ref(key)
