# SPDX-License-Identifier: BSD-3-Clause
"""Settings that do not go together, as documented: each with the factors that are put back."""

import re

# Estimator, words of the refusal (regular expressions) -> the factors to put back.
INCOMPATIBLE = {
    # Data that an estimator is not for.
    (".*", r"X(\.data)? contains NaN"): ("gaps",),
    ("GammaNB", "must be positive; got 0"): ("smallest",),
    ("RatingsFactorization", "must not be negative where implicit"): ("implicit",),
    ("GaussianMixture", "collapsed|lost all rows"): ("reg_covar",),
    ("NMF", "solver='cd' is for|must be positive for beta_loss"): ("solver", "beta_loss"),
    ("IsotonicRegression", "y_min must not be above"): ("y_min", "y_max"),
    ("IsotonicRegression", "below or above the places of the fit"): ("out_of_bounds",),
    (".*", "y must (be (positive|not negative|non-negative)|not be negative)"): (
        "target", "family", "power", "criterion", "loss", "estimator",
    ),
    (".*Forest.*|ExtraTrees.*|DecisionTree.*", "of the . outputs"): ("class_weight",),
    ("DecisionTreeClassifier", "of one output; y has several"): ("priors", "cost"),
    (".*", "several targets|y must lie between 0 and 1"): ("target",),
    ("OneVsRestClassifier", "must be an indicator matrix"): ("target",),
    (".*", "is for two classes"): ("target", "loss", "offset"),
    (".*", "monotonic_cst (constrains|is not supported)"): ("monotonic_cst",),
    # Weights that are numbers of rows, and are too small for variances.
    (".*", "sum to more than 1|larger sum of sample_weight|of which there is no unbiased|"
           "needs more than one row; the class|more rows, by (weight|sample_weight)"): (
        "sample_weight",
    ),
    ("RegularizedDiscriminantAnalysisCV", "are singular without a row"): ("sample_weight",),
    ("PowerTransformer", "only be applied to strictly positive data"): ("method",),
    ("QuantileTransformer", "non-negative sparse matrices"): ("rows",),
    ("SplineTransformer", "beyond the limits of the knots"): ("extrapolation", "sample_weight"),
    ("SplineTransformer", "require degree < n_knots"): ("n_knots", "extrapolation"),
    ("TargetEncoder", "target_type='|y must hold numbers"): ("target_type", "target"),
    ("KBinsDiscretizer", "quantile_method must be"): ("quantile_method", "sample_weight"),
    (".*", "HAC' is of rows in order"): ("cov_type",),
    ("LanguageModelClassifier", "must be whole numbers"): ("sample_weight",),
    ("Ridge.*CV", "cv!=None and .* are incompatible"): ("store_cv_results", "alpha_per_target"),
    ("RidgeCV", "criterion='gcv' leaves no rows out"): ("criterion",),
    ("LogisticRegressionCV", "rule='1se' compares means over folds"): ("rule",),
    ("LogisticRegressionCV", "are all held out by a fold of cv"): ("sample_weight", "cv"),
    (".*", "sample_weight (was passed|is not taken)|must take sample_weight"): (
        "sample_weight", "estimator", "estimators", "final_estimator",
    ),
    ("TunedThresholdClassifierCV", "target must be"): ("criterion",),
    ("TunedThresholdClassifierCV", "makes constant predictions"): ("estimator", "sample_weight"),
    ("TunedThresholdClassifierCV", "refit must be True where cv has several"): ("refit",),
    ("(Fixed|Tuned)Threshold.*", "estimator must have (predict_proba|decision_function)"): (
        "response_method", "estimator",
    ),
    ("Dummy.*", "(constant|quantile) has to be specified"): ("strategy",),
    ("ConformalClassifier", "estimator must be an estimator with predict_proba"): ("estimator",),
    ("ConformalRegressor", "method='.*' (is for|needs)"): ("method", "estimator"),
    ("ClassifierChain", "chain_method asks for"): ("chain_method", "estimator"),
    ("ClassifierChain", "X contains infinity"): ("chain_method",),  # the logarithm of 0
    (".*Chain", "(should|must) be a square matrix|number of (columns|fitted)|X has . features"): (
        "estimator",
    ),
    ("RFECV|SequentialFeatureSelector", "nested=True needs two other folds"): ("nested", "cv"),
    ("SequentialFeatureSelector", "should be a square matrix"): ("estimator",),
    ("Voting.*", "must have predict_proba for voting"): ("estimators",),
    ("Stacking.*", "stack_method=.* asks estimators for it"): ("stack_method", "estimators"),
    # Inference.
    (".*", "A penalized fit has no standard errors"): ("cov_type",),
    ("LinearRegression", "held at zero or above"): ("cov_type",),
    ("LogisticRegression", "likelihood has no finite maximum"): ("cov_type",),
    (".*", "variances are not numbers"): ("sample_weight", "cov_type"),
    (".*", "kind='HC1' divides by"): ("sample_weight", "cov_type"),
    (".*", "is of rows that are left out, and sample_weight counts"): ("sample_weight", "cov_type"),
    # Responses of which no coefficients give means, as the link has a range.
    ("GeneralizedLinearModel|TweedieRegressor", "such that no start gives finite means|knows no"
     " mean|likelihood has no finite maximum|maximum of the likelihood is at the boundary"): (
         "link", "family", "power",
     ),
    # Parameters that exclude each other.
    ("GenericUnivariateSelect", "param must be"): ("mode", "param"),
    ("RuleListClassifier", "ordered=False goes with"): ("ordered", "algorithm", "evaluation"),
    (".*", "class_weight must be None with priors"): ("class_weight",),
    (".*SVC", "break_ties must be False"): ("break_ties",),
    ("LinearSVC", "penalty='l1' (goes with|has no solver)"): ("penalty",),
    ("DecisionTree.*", "splitter='random' does not go"): ("splitter",),
    (".*Forest.*|ExtraTrees.*|DecisionTree.*|HistGradient.*",
     "criterion='absolute_error' does not go with"): ("criterion",),
    (".*Discriminant.*", "exclude each other|needs solver="): (
        "covariance_estimator", "shrinkage", "solver",
    ),
    ("QuadraticDiscriminantAnalysis", "shrinkage needs"): ("shrinkage",),
    ("NGramLanguageModel", "weights must have one for each"): ("weights", "order"),
    ("LanguageModelClassifier", "priors must be None or 'laplace'"): ("priors",),
    # Of two classes, one has no weight: nothing is left to tell apart.
    (".*", "(?s)2 classes.* one class"): ("sample_weight",),
    ("DecisionTreeClassifier", r"cost must be 0 on .*array\(\[\[0"): ("sample_weight",),
    (".*SearchCV", "Invalid parameter"): ("param_grid", "param_distributions"),
    ("HalvingRandomSearchCV", "cannot be both set to 'exhaust'"): (
        "n_candidates", "min_resources",
    ),
    # Few rows are drawn, which may lack a class.
    ("Halving.*", "least 2 classes|not in labels"): ("min_resources", "max_resources", "cv"),
    ("Halving.*", "min_resources_=.* is greater"): (
        "min_resources", "max_resources", "cv", "target", "sample_weight",
    ),
    (".*SearchCV", "asks for predict_proba"): ("scoring",),
    ("Bagging.*|.*Forest.*|ExtraTrees.*",
     "oob_score (needs|is of)|max_samples needs"): ("oob_score", "max_samples", "bootstrap"),
    ("BaggingClassifier", "members that know all"): ("max_samples",),
    ("HistGradientBoosting.*", "quantile must be given"): ("quantile", "loss"),
    ("HistGradientBoosting.*", "more than max_bins"): ("categorical_features", "max_bins"),
    ("TangentDistanceClassifier", "between 1 and n_candidates"): ("n_candidates",),
    ("LogisticRegression", "method='firth' takes no other"): ("method",),
    ("LogisticRegression", "l1_ratio mixes the penalties of a finite C"): ("l1_ratio",),
    (".*SearchCV", "No candidate has a score|All the . fits failed"): (
        "scoring", "error_score",
    ),
    (".*", "reject_label must not be a class"): ("reject_label", "reject"),
    ("LogisticRegression", "offset has no part|offset is for two"): ("offset",),
    ("GeneralizedLinearModel", "(theta|power) is for '"): ("theta", "power"),
    ("CostSensitiveClassifier", "with fit and predict_proba"): ("estimator",),
    ("AdaBoostClassifier", "must be better than chance"): ("estimator", "sample_weight"),
    ("SVC|LinearSVC", "C must be finite, as"): ("C",),
    ("NuSVC", "nu must be at most"): ("nu", "class_weight", "sample_weight"),
    ("NuSVC", "cannot be separated with nu"): ("nu", "kernel", "class_weight", "sample_weight"),
    (".*", "n_components must be between"): ("n_components",),
    ("(Count|Tfidf)Vectorizer", "leave no terms|fewer documents than min_df"): ("max_df", "min_df"),
    ("AgglomerativeClustering", "Exactly one of n_clusters and"): (
        "n_clusters", "distance_threshold",
    ),
    ("Bagging.*", "must hold at least 2 classes|number of fitted rows|are all constant"): (
        "max_samples",
    ),
    ("CLARA", "sample_size must be between"): ("sample_size",),
    ("HDBSCAN", "must be at most the weight of all"): ("sample_weight",),
    ("KMeansConstrained", "size_max must be at least"): ("size_max", "n_clusters"),
    ("PolynomialFeatures", "no column is left"): ("include_bias", "degree"),
    ("BernoulliNB", "must hold 0 and 1 where binarize is None"): ("binarize",),
    ("MiniBatchKMeans", "init_size must be at least"): ("init_size",),
    ("MixedNB", "Of the 'gamma' columns|which fit has not seen"): ("densities",),
    # Metrics and kernels.
    (".*", "metric_params of the metric"): ("metric_params",),
    (".*", r"city\(\) got an unexpected keyword argument 'w'"): ("metric_params",),
    (".*", "does not serve the metric '.*' on sparse rows"): ("algorithm", "rows"),
    (".*", "does not serve the metric"): ("algorithm",),
    (".*", "takes dense rows|at least 2 dense rows"): ("metric", "p"),
    (".*SV.|KernelRidge|OneClassSVM", "X must be an array for kernel"): ("kernel",),
    (".*", "X must be an array for kernel"): ("rows",),
    ("Bagging.*", "are of columns of X, which for"): ("max_features", "bootstrap_features"),
    ("AgglomerativeClustering", "is defined by Euclidean distance"): ("linkage",),
    ("CLARA", "metric must be one of"): ("metric",),
    ("KMedoids", "matrix_free cannot be True"): ("matrix_free",),
    ("ClassifierChain", "X must be a square table of distances"): ("estimator",),
    (".*", "neighbors stored in each row"): ("estimator", "rows"),
    # Sparse rows.
    (".*KMeans", "dense data is required. Pass init"): ("init",),
    (".*", "X must be dense for missing="): ("missing", "rows"),
    (".*", "X must be dense for categorical_features"): ("categorical_features", "rows"),
    (".*", "dense data is required. Pass X|Cannot center sparse"): ("rows", "estimator"),
}  # fmt: skip
TABLE = [(*map(re.compile, patterns), factors) for patterns, factors in INCOMPATIBLE.items()]

# Kind of defect, call, words -> the reason why it is none.
NO_DEFECTS = {
    (
        "plain refused",
        "GeneralizedLinearModel|TweedieRegressor",
        "such that no start gives finite means",
    ): "sparse rows begin elsewhere, and find means",
    ("not finite", r".*\.predict_log_proba", "an infinity"): "log 0 is -inf",
    ("probabilities", r"ClassifierChain\.predict_proba", "sum to 1"): "each is of an output",
    ("classes", r"Pipeline\.predict", "k-NN"): "the last step takes no weights",
}
REASONS = [(*map(re.compile, patterns), reason) for patterns, reason in NO_DEFECTS.items()]

# Estimator, levels (regular expressions) -> why plain rows are answered otherwise.
DIFFERENT = [
    ("RatingsFactorization", {"rows": "csr"}, "what is not stored is not known"),
    ("CLARA", {"rows": "Fortran", "metric": "seuclidean"},
     "variances are summed in another order, and their rounding parts medoids that tie"),
    (".*", {"rows": "csr", "estimator": "k-NN of distances"}, "as the next line says"),
    (".*Neighbors.*|LocalOutlierFactor", {"rows": "csr", "metric": "precomputed"},
     "a distance that is not stored is of no neighbor, also that of a row to itself"),
    (".*Neighbors.*|LocalOutlierFactor", {"rows": "csr", "metric_params": "p and w"},
     "rows are multiplied by roots of the weights, and rounding parts those that tie"),
    ("MixedNB", {"rows": "int32|Int64", "densities": "None"}, "integers are taken for categories"),
    ("(Nu)?SV[CR]", {"rows": "csr", "kernel": "sigmoid"},
     "the kernel is not positive definite, and rounding decides between several optima"),
    (".*Neighbors.*", {"rows": "float32", "metric": "precomputed", "ties": "random"},
     "a draw depends on the numbers of the row, and float32 rounds distances"),
    ("LogisticRegression", {"C": "0.01", "l1_ratio": "1.0", "class_weight": "balanced"},
     "all coefficients are 0 and classes weigh the same, so that they tie"),
    ("StackingRegressor",
     {"rows": "float32", "passthrough": "True", "final_estimator": "LinearRegression"},
     "the answer of a line depends on the columns beside it, and rounding tells which is left out"),
    (".*SearchCV", {"rows": "float32", "scoring": "neg_log_loss"},
     "probabilities of float32 rows are float32, whose epsilon bounds the loss of a row"),
    ("OneVsOneClassifier|OutputCodeClassifier", {"rows": "float32"},
     "logarithms of small probabilities multiply their rounding"),
]  # fmt: skip


def factors_of(name, words, setting):
    """The factors to put back, or None if the refusal is not known."""
    for names, pattern, factors in TABLE:
        away = [key for key in factors if key in setting.levels and not setting.is_first(key)]
        if away and names.fullmatch(name) and pattern.search(words):
            return factors
    return None


def reason_of(kind, where, text):
    """Why a defect is none, or None."""
    for kinds, calls, pattern, why in REASONS:
        if kinds.fullmatch(kind) and calls.fullmatch(where) and pattern.search(text):
            return why
    return None


def differs(setting):
    """Whether the answers may differ from those of plain rows, as `DIFFERENT` says."""
    return any(
        re.fullmatch(names, setting.case.name)
        and all(re.fullmatch(level, str(setting.levels.get(key))) for key, level in levels.items())
        for names, levels, _ in DIFFERENT
    )
