# SPDX-License-Identifier: BSD-3-Clause
"""Default fits of every supervised class on ordinary data: quiet, but for warnings that are true.

The data are those that come with the package and R's; raw, with columns of unit variance, and as
frames. What is warned of or refused stands in the tables, with its reason.
"""

import csv
import gzip
import re
import warnings
from functools import cache

import numpy as np
import pytest

from statfast import datasets
from tests.contract import test_contract as contract

pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.once

# File, target, and columns left out: names of rows, or what the target is made of.
OF_CLASSES = {
    "biopsy": ("r/MASS_biopsy.csv", "class", {"ID"}),
    "Pima": ("r/MASS_Pima.tr.csv", "type", set()),
    "birthwt": ("r/MASS_birthwt.csv", "low", {"bwt"}),
    "crabs": ("r/MASS_crabs.csv", "sp", {"sex", "index"}),
    "synth": ("r/MASS_synth.tr.csv", "yc", set()),
    "infert": ("r/datasets_infert.csv", "case", {"education", "stratum", "pooled.stratum"}),
    "SAheart": ("esl/SAheart.csv", "chd", {"famhist"}),
    "Smarket": ("islr/Smarket.csv", "Direction", {"Today", "Year"}),
    "vowel": ("esl/vowel.train.csv", "y", {"row.names"}),
    "waveform": ("esl/waveform.train.csv", "y", set()),
}
OF_NUMBERS = {
    "Boston": ("r/MASS_Boston.csv", "medv", set()),
    "attitude": ("r/datasets_attitude.csv", "rating", set()),
    "faithful": ("r/datasets_faithful.csv", "waiting", set()),
    "longley": ("r/datasets_longley.csv", "Employed", {"rowname"}),
    "mtcars": ("r/datasets_mtcars.csv", "mpg", {"rowname"}),
    "stackloss": ("r/datasets_stackloss.csv", "stack.loss", set()),
    "swiss": ("r/datasets_swiss.csv", "Fertility", {"rowname"}),
    "clotting": ("r/stats_glm_clotting.csv", "lot1", {"lot2"}),
    "USArrests": ("r/datasets_USArrests.csv", "Murder", {"rowname"}),
    "ruspini": ("r/cluster_ruspini.csv", "y", {"rowname"}),
    "prostate": ("esl/prostate.csv", "lpsa", {"train"}),
}
BUNDLED = {"iris": datasets.load_iris, "wine": datasets.load_wine}

# Class, data, form, words (regular expressions) -> why the warning or refusal is right.
RIGHT = {
    ("CategoricalNB", ".*", ".*", "must hold the numbers of categories"): "X holds fractions",
    ("(Complement|Multinomial|Poisson)NB", "(synth|Smarket|vowel|waveform|zip)", ".*",
     "X must not be negative"):
        "X holds negative numbers",
    ("(Complement|Multinomial|Poisson)NB", ".*", "standardized", "X must not be negative"):
        "X holds negative numbers",
    ("GammaNB", ".*", ".*", "X must (be positive|not be negative)"): "X holds zeros",
    ("(Gamma|Poisson)Regressor", "prostate", ".*", "y must be (positive|not negative)"):
        "the response is a logarithm",
    (".*", "(digits|zip)", ".*",
     "^CollinearityWarning|as constant|within-class covariance is singular"):
        "pixels that are always white, and more pixels than rows",
    ("(Quadratic|Regularized)DiscriminantAnalysis", "(digits|spambase|zip)", ".*", "is singular"):
        "a class is constant in some columns",
    ("RegularizedDiscriminantAnalysisCV", "(digits|spambase|zip)", ".*", "^UserWarning: Singular"):
        "the same, for some of the pairs",
    ("NearestCentroid", "(digits|zip)", ".*", "is constant within each class"):
        "pixels that are always white",
    ("(Fixed|Tuned)Threshold.*", ".*", ".*", "Only binary classification"): "of more classes",
    ("StackingClassifier", "spambase", ".*", "as constant|within-class covariance is singular"):
        "words that no row of a fold has",
    ("LogisticRegression", "(crabs|iris|wine|vowel|digits|spambase|zip)", ".*",
     "^SeparationWarning"):
        "planes part these classes, as linear programming says",
    ("NuSVC", "(birthwt|infert)", "(raw|frame)", "cannot be separated with nu=0.5"):
        "reduced hulls of the classes meet: the machine is w = 0",
}  # fmt: skip


@cache
def read(path, target, left_out):
    with open(path, encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if not {"", "NA"} & {*row.values()}]
    names = [name for name in rows[0] if name != target and name not in left_out]
    X = np.array([[float(row[name]) for name in names] for row in rows])
    y = np.array([row[target] for row in rows])
    return X, y, names


def forms(X, names):
    """The rows raw, of unit variance, and as a frame."""
    spread = X.std(axis=0)
    yield "raw", X
    yield "standardized", (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    yield "frame", pandas.DataFrame(X, columns=names, index=np.arange(len(X))[::-1])


@cache
def wide(shared_data):
    """Images of 64 and 256 pixels, and counts of words and signs: fewer rows, as there are many."""
    digits = datasets.load_digits()
    found = [("digits", digits.data[:300], digits.target[:300])]
    for name, path, head in (
        ("spambase", "spam/spambase.data.gz", 0), ("zip", "esl/zip.train.csv.gz", 1)
    ):  # fmt: skip
        with gzip.open(shared_data(*path.split("/")), "rt") as lines:
            table = np.loadtxt(lines, delimiter=",", skiprows=head)
        X, y = (table[:, 1:], table[:, 0]) if head else (table[:, :-1], table[:, -1])
        rows = np.flatnonzero(np.isin(y, (2, 3, 6)))[:120] if head else slice(None, None, 15)
        found.append((name, X[rows], y[rows].astype(int)))
    return found


def problems(cls, shared_data):
    numbers = contract.regresses(cls)
    for name, (path, target, left_out) in (OF_NUMBERS if numbers else OF_CLASSES).items():
        X, y, names = read(shared_data(*path.split("/")), target, frozenset(left_out))
        yield name, X, y.astype(float) if numbers else y, names
    for name, load in () if numbers else BUNDLED.items():
        data = load()
        yield name, data.data, data.target, list(data.feature_names)
    for name, X, y in () if numbers else wide(shared_data):
        yield name, X, y, [f"x{j}" for j in range(X.shape[1])]


KINDS = {cls: cls().__sklearn_tags__().estimator_type for cls in contract.ESTIMATORS}
SUPERVISED = [cls for cls, kind in KINDS.items() if kind in ("classifier", "regressor")]
# What has no default, of those that take another estimator or a shape.
REQUIRED = (
    "BayesClassifier", "ColumnTransformer", "CostSensitiveClassifier", "FixedThresholdClassifier",
    "FeatureUnion", "GridSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "MixedNB",
    "TunedThresholdClassifierCV",
    "OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier", "Pipeline",
    "RandomizedSearchCV", "StackingClassifier", "StackingRegressor", "TangentDistanceClassifier",
    "VotingClassifier", "VotingRegressor",
)  # fmt: skip


def default(cls):
    return contract.small(cls) if cls.__name__ in REQUIRED else cls()


def complaints(cls, shared_data):
    """What fits and predictions say: (data, form, words) of warnings and refusals."""
    for name, X, y, names in problems(cls, shared_data):
        for form, rows in forms(X, names):
            with warnings.catch_warnings(record=True) as raised:
                warnings.simplefilter("always")
                try:
                    said = default(cls).fit(rows, y).predict(rows)
                except ValueError as error:
                    yield name, form, f"{type(error).__name__}: {error}"
                    continue
            for one in raised:
                yield name, form, f"{one.category.__name__}: {one.message}"
            if said.dtype.kind == "f" and not np.isfinite(said).all():
                yield name, form, "predictions that are not finite"


@pytest.mark.parametrize("cls", SUPERVISED, ids=lambda cls: cls.__name__)
def test_default_fits_say_nothing_but_what_is_true(cls, shared_data):
    wrong = []
    for name, form, words in complaints(cls, shared_data):
        case = (cls.__name__, name, form)
        if not any(
            all(map(re.fullmatch, patterns[:3], case)) and re.search(patterns[3], words)
            for patterns in RIGHT
        ):
            wrong.append(f"{name}, {form}: {words[:300]}")
    assert not wrong, "\n".join(wrong)
