# SPDX-License-Identifier: BSD-3-Clause
"""What a weight is: each estimator keeps its row of the table in docs/howto/weights.rst.

The data overlap, so that penalties, smoothing and divisors show.
"""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import statfast
from statfast import LinearDiscriminantAnalysis, MultivariateNormal
from tests.contract import test_contract as contract

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "weights.rst"
N = 45
rng = np.random.default_rng(11)
labels = np.repeat(["ash", "elm", "oak"], N // 3)[rng.permutation(N)]
codes = np.unique(labels, return_inverse=True)[1]
centers = np.array([[2, 2, 2, 2], [7, 7, 2, 15], [15, 2, 15, 7]])
X = centers[codes] + rng.integers(0, 16, (N, 4)) * 1.0
numbers = 1.5 * codes + 1.0 + 0.3 * (np.arange(N) % 5)
weights = 1.0 + np.arange(N) % 3
times = np.arange(N) % 4  # a row in four has weight 0

OF_TEXT = {"LanguageModelClassifier", "NGramLanguageModel"}
FREE = LinearDiscriminantAnalysis(method="mle", solver="lsqr")  # knows no unit
NB, LINE = statfast.GaussianNB(), statfast.LinearRegression()
SHRINKAGES = {"shrinkage": [0.1, 0.5]}
CRITERIA = {"criterion": ["gini", "entropy"]}
DEPTH_GROWS = {
    "estimator": statfast.DecisionTreeClassifier(),
    "resource": "max_depth",
    "min_resources": 2,
    "max_resources": 4,
}
SETTINGS = {  # besides those of the contract: what shows the relation of the table
    "BayesClassifier": {"density": MultivariateNormal(shrinkage=0.1, method="mle")},
    "CalibratedClassifierCV": {"estimator": FREE},
    "ConformalClassifier": {"estimator": FREE},
    "ConformalRegressor": {"estimator": LINE},
    "CostSensitiveClassifier": {"estimator": FREE},
    "ClassifierChain": {"estimator": FREE},
    "MultiOutputClassifier": {"estimator": FREE},
    "MultiOutputRegressor": {"estimator": LINE},
    "RegressorChain": {"estimator": LINE},
    "FixedThresholdClassifier": {"estimator": FREE},
    "GridSearchCV": {"estimator": FREE, "param_grid": SHRINKAGES},
    "HalvingGridSearchCV": {"param_grid": CRITERIA, **DEPTH_GROWS},
    "HalvingRandomSearchCV": {"param_distributions": CRITERIA, **DEPTH_GROWS},
    "HuberRegressor": {"alpha": 3.0, "tol": 1e-12},
    "LinearSVC": {"tol": 1e-10},
    "LinearSVR": {"tol": 1e-10},
    "MixedNB": {"densities": "poisson"},
    "NuSVC": {"gamma": 0.3},
    "OneVsOneClassifier": {"estimator": FREE},
    "OneVsRestClassifier": {"estimator": FREE},
    "OutputCodeClassifier": {"estimator": FREE},
    "Pipeline": {"steps": [("scale", statfast.StandardScaler()), ("lda", FREE)]},
    "RandomizedSearchCV": {"estimator": FREE, "param_distributions": SHRINKAGES},
    "RegularizedDiscriminantAnalysisCV": {"gammas": [0.1]},
    "RFE": {"estimator": FREE},
    "RFECV": {"estimator": FREE, "cv": 3},
    "RidgeCV": {"alphas": [0.1, 1.0]},
    "RidgeClassifierCV": {"alphas": [0.1, 1.0]},
    "SVC": {"gamma": 0.3, "probability": False},
    "SelectFromModel": {"estimator": FREE},
    "SequentialFeatureSelector": {"estimator": FREE, "cv": 3},
    "StackingClassifier": {"estimators": [("free", FREE), ("nb", NB)], "final_estimator": NB},
    "StackingRegressor": {"estimators": [("line", LINE)], "final_estimator": LINE},
    "TunedThresholdClassifierCV": {"estimator": FREE, "cv": 3, "scoring": "accuracy"},
    "VotingClassifier": {"estimators": [("free", FREE), ("nb", NB)]},
    "VotingRegressor": {"estimators": [("line", LINE)]},
}


def rows_of_table():
    """(names, relation, what counts rows) of each row of the page."""
    cells = re.findall(
        r"^   \* - (.+)\n     - (.+)\n     -(.*)\n     -", PAGE.read_text("utf-8"), re.M
    )
    return [(re.findall(r"`(\w+)`", names), how, what.strip()) for names, how, what in cells[1:]]


REFUSE_WEIGHTS_OF_ONE = {"PrincipalComponentRegression"}  # as the last column says
TABLE = {name: (how, what) for names, how, what in rows_of_table() for name in names}


def weighted_estimators():
    """All public classes whose fit takes weights."""
    public = {name: getattr(statfast, name) for name in dir(statfast) if name[0].isupper()}
    return {
        name: thing
        for name, thing in public.items()
        if inspect.isclass(thing)
        and hasattr(thing, "fit")
        and "sample_weight" in inspect.signature(thing.fit).parameters
    }


ESTIMATORS = weighted_estimators()
CLASSIFIERS = [
    name for name in sorted(ESTIMATORS)
    if hasattr(ESTIMATORS[name], "predict_proba")
    and name not in contract.OF_COMPONENTS | contract.SEVERAL_OUTPUTS
]  # fmt: skip
each = pytest.mark.parametrize("name", sorted(ESTIMATORS))


def make(name, **params):
    cls = ESTIMATORS[name]
    own = {**contract.SMALL.get(name, {}), **contract.WIDE.get(name, {}), **SETTINGS.get(name, {})}
    return cls(**{**own, **params})


def rows_of(name, X=X):
    if name in OF_TEXT:
        return [text_of(row) for row in X]
    if name == "TfidfTransformer":
        return np.where(X > 9.0, X, 0.0)  # words that some documents lack
    return X[:, :1] if name in contract.ONE_COLUMN else X


def text_of(row):
    return " ".join("abcdefgh"[int(v) % 8] * (1 + int(v) % 3) for v in row)


def target_of(name):
    if name in contract.SEVERAL_OUTPUTS:
        if contract.regresses(ESTIMATORS[name]):
            return np.column_stack([numbers, numbers[::-1]])
        return np.column_stack([codes == 1, codes > 0])
    if name in contract.BINARY:
        return np.where(labels == "oak", "elm", labels)
    return (
        numbers if contract.regresses(ESTIMATORS[name]) or name == "IsotonicRegression" else labels
    )


def fitted(name, rows=None, target=None, sample_weight=None, **params):
    rows = X if rows is None else rows
    target = target_of(name) if target is None else target
    more = {} if sample_weight is None else {"sample_weight": sample_weight}
    return make(name, **params).fit(rows_of(name, rows), target, **more)


def answers(name, model):
    rows = rows_of(name)
    if name == "NGramLanguageModel":
        return [("log_prob", model.log_prob(rows))]
    if name in contract.SEVERAL_OUTPUTS:
        return [("predict", model.predict(rows))]
    told = contract.answers_and_statistics(model, rows)
    if name == "SequentialFeatureSelector":
        told = [*told, ("scores", model.size_scores_.means)]
    return [(what, a.toarray() if sparse.issparse(a) else a) for what, a in told]


def assert_same(name, got, want, rtol=1e-6, values=1.0):
    """`values` is what all but labels are multiplied by."""
    told = [
        (what, array / values if "predict" not in what and array.dtype.kind == "f" else array)
        for what, array in answers(name, got)
    ]
    contract.assert_close(told, answers(name, want), rtol)


def folds_of(name, places):
    """Three folds of the rows at these places of the data: equal rows are in the same."""
    if "cv" not in make(name).get_params():
        return {}
    of = np.arange(N) % 3
    return {
        "cv": [(np.flatnonzero(of[places] != k), np.flatnonzero(of[places] == k)) for k in range(3)]
    }


# ------------------------------------------------------------------ the table


def test_the_table_names_all_that_take_weights():
    assert sorted(TABLE) == sorted(ESTIMATORS)


def test_the_table_uses_its_words():
    counted = {"", "draws", "folds", "leave-one-out", "gamma", "starts", "categories", "leaves"}
    assert {what for _, what in TABLE.values()} <= counted
    for name, (how, _) in TABLE.items():
        assert relation(name, 2.0) is not None, how


def relation(name, c):
    """Parameters with weights and with weights times c, and the factor of values, by the table."""
    how, _ = TABLE[name]
    if how in ("the same", "as its estimator"):
        return {}, {}, 1.0
    if how == "as more rows":
        return {}, {}, None
    if how == "the same, values times c":
        return {}, {}, c
    if found := re.fullmatch(r"(?:the same|as its estimator,) with ``(\w+)=(.+)``", how):
        setting = {found[1]: eval(found[2], {})}
        return setting, setting, 1.0
    if found := re.fullmatch(r"the same with ``(\w+) ([/*]) c``", how):
        before = np.asarray(make(name).get_params()[found[1]])
        after = before / c if found[2] == "/" else before * c
        return {}, {found[1]: after.tolist()}, 1.0
    return None


@each
def test_weights_of_one_are_none(name):
    assert_same(name, fitted(name, sample_weight=np.ones(N)), fitted(name), rtol=1e-8)


@each
@pytest.mark.filterwarnings("ignore:sample_weight sums to")  # of inference
@pytest.mark.parametrize("c", [3.0, 1 / 3, 1e-6, 1e6])
def test_all_weights_times_a_constant(name, c):
    before, after, values = relation(name, c)
    if values is not None:
        if name in REFUSE_WEIGHTS_OF_ONE and c * weights.sum() <= 1.0:
            with pytest.raises(ValueError, match="sample_weight must sum to more than 1"):
                fitted(name, sample_weight=c * weights, **after)
            return
        plain = fitted(name, sample_weight=weights, **before)
        assert_same(name, fitted(name, sample_weight=c * weights, **after), plain, values=values)
    elif c == 3.0:
        threefold = fitted(name, X.repeat(3, axis=0), target_of(name).repeat(3, axis=0))
        assert_same(name, fitted(name, sample_weight=np.full(N, c)), threefold)


@each
def test_a_weight_of_two_is_the_row_twice(name):
    if name in contract.LABEL_ROWS:
        pytest.skip("answers for its rows alone")
    if TABLE[name][1] in ("draws", "starts", "leave-one-out", "leaves"):
        pytest.skip(f"counts rows: {TABLE[name][1]}")
    target, places = target_of(name), np.arange(N).repeat(times)
    weighted = fitted(name, sample_weight=times, **folds_of(name, np.arange(N)))
    repeated = fitted(name, X[places], target[places], **folds_of(name, places))
    assert_same(name, weighted, repeated)
    plain = fitted(name, **folds_of(name, np.arange(N)))
    apart = zip(answers(name, weighted), answers(name, plain), strict=True)
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in apart), "the weights changed nothing"


@each
def test_a_row_of_weight_0_is_not_there(name):
    target, places = target_of(name), np.flatnonzero(times)
    weighted = fitted(name, sample_weight=times, **folds_of(name, np.arange(N)))
    alone = fitted(name, X[places], target[places], times[places], **folds_of(name, places))
    assert_same(name, weighted, alone)


# ------------------------------------------------------------------ classes without weight


@pytest.mark.parametrize("lost", ["ash", "elm", "oak"])
@pytest.mark.parametrize("name", [n for n in CLASSIFIERS if n not in contract.BINARY])
def test_a_class_without_weight_is_not_there(name, lost):
    reduced, kept = np.where(labels == lost, 0.0, weights), np.flatnonzero(labels != lost)
    weighted = fitted(name, sample_weight=reduced, **folds_of(name, np.arange(N)))
    alone = fitted(name, X[kept], labels[kept], reduced[kept], **folds_of(name, kept))
    assert weighted.classes_.tolist() == sorted({"ash", "elm", "oak"} - {lost})
    assert lost not in weighted.predict(rows_of(name))
    assert_same(name, weighted, alone)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_with_weight_is_one_class(name):
    reduced, kept = np.where(labels == "elm", weights, 0.0), np.flatnonzero(labels == "elm")
    outcomes = []
    for rows, target, w in ((X, labels, reduced), (X[kept], labels[kept], reduced[kept])):
        places = np.arange(N) if len(rows) == N else kept
        try:
            model = fitted(name, rows, target, w, **folds_of(name, places))
            outcomes.append(model.classes_.tolist())
        except ValueError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", [n for n in CLASSIFIERS if "class_weight" in make(n).get_params()])
def test_a_class_of_class_weight_0_is_not_there(name):
    if contract.small(ESTIMATORS[name]).get_params()["class_weight"] is not None:
        pytest.skip("has a weight of its own")
    there = np.flatnonzero(codes < 2)
    model = fitted(
        name, class_weight={"ash": 1.0, "elm": 2.0, "oak": 0.0}, **folds_of(name, np.arange(N))
    )
    alone = fitted(
        name, X[there], labels[there], class_weight={"ash": 1.0, "elm": 2.0},
        **folds_of(name, there),
    )  # fmt: skip
    assert model.classes_.tolist() == ["ash", "elm"]
    assert_same(name, model, alone)


# ------------------------------------------------------------------ the same, by other ways

row_weights = np.where(labels == "elm", 0.0, weights)
kept = np.flatnonzero(row_weights)
CUTS = [slice(0, 10), slice(10, 30), slice(30, N)]
OF_SUMS = ["GaussianNB", "LeastSquaresClassifier", "LinearDiscriminantAnalysis", "MultinomialNB"]


def frame(rows, target, row_weights, index):
    pandas = pytest.importorskip("pandas")
    return (
        pandas.DataFrame(rows, columns=list("abcd"), index=index),
        pandas.Series(target, index=index[::-1]),
        pandas.Series(row_weights, index=index),
    )


CONTAINERS = {
    "frames with an index": lambda: frame(X, labels, row_weights, np.arange(N)[::-1] // 2),
    "categories": lambda: (X, pytest.importorskip("pandas").Categorical(labels), row_weights),
    "numbers as labels": lambda: (X, codes - 1.0, row_weights),
    "lists": lambda: (X.tolist(), labels.tolist(), row_weights.tolist()),
    "float32": lambda: (X.astype(np.float32), labels, row_weights.astype(np.float32)),
    "sparse rows": lambda: (sparse.csr_array(X), labels, row_weights),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", ["LogisticRegression", "OneVsOneClassifier", "LinearSVC", "SVC"])
def test_of_any_container(name, container):
    rows, target, held = CONTAINERS[container]()
    params = {"estimator": statfast.LogisticRegression(C=1.0)} if "One" in name else {}
    model = make(name, **params).fit(rows, target, sample_weight=held)
    alone = fitted(name, X[kept], labels[kept], row_weights[kept], **params)
    assert len(model.classes_) == 2
    first = model.predict(rows) == model.classes_[0]
    assert np.array_equal(first, alone.predict(X) == "ash")


@pytest.mark.parametrize("name", [*OF_SUMS, "LogisticRegression"])
def test_of_parts_and_chunks(name):
    alone = fitted(name, X[kept], labels[kept], row_weights[kept])
    pieces = [lambda part=part: (X[part], labels[part], row_weights[part]) for part in CUTS]
    assert_same(name, make(name).fit(statfast.Parts(pieces)), alone)
    rows = statfast.Chunks(lambda: (X[part] for part in CUTS))
    assert_same(name, make(name).fit(rows, labels, sample_weight=row_weights), alone)


@pytest.mark.parametrize("name", ["GaussianNB", "LinearDiscriminantAnalysis", "OneVsOneClassifier"])
def test_of_batches(name):
    """Labels that were not announced may come with weight 0, and batches without weight."""
    own = {"estimator": statfast.GaussianNB()} if "One" in name else {}
    model = make(name, **own)
    for part in CUTS:
        model.partial_fit(
            X[part], labels[part], classes=["ash", "oak"], sample_weight=row_weights[part]
        )
    assert_same(name, model, fitted(name, X[kept], labels[kept], row_weights[kept], **own))


def test_a_pair_of_classes_may_miss_a_batch():
    model = statfast.OneVsOneClassifier(statfast.GaussianNB())
    first = np.where(labels[:20] == "ash", 1.0, 0.0)
    model.partial_fit(X[:20], labels[:20], classes=["ash", "elm", "oak"], sample_weight=first)
    model.partial_fit(X[20:], labels[20:], sample_weight=weights[20:])
    rest = np.r_[first, weights[20:]]
    alone = statfast.OneVsOneClassifier(statfast.GaussianNB()).fit(X, labels, rest)
    assert_same("OneVsOneClassifier", model, alone)


def test_labels_that_all_rows_with_weight_share():
    several = np.column_stack([codes == 0, codes == 1, codes > 0]).astype(int)
    with pytest.warns(UserWarning, match="no row has label 1"):
        model = make("OneVsRestClassifier").fit(X, several, sample_weight=row_weights)
    assert not model.predict(X)[:, 1].any()


def test_inference_of_such_a_fit_takes_the_same_rows():
    near = 0.1 * X + 2.0 * np.random.default_rng(1).normal(size=X.shape)
    model = statfast.LogisticRegression().fit(near, labels, sample_weight=row_weights)
    alone = statfast.LogisticRegression().fit(
        near[kept], labels[kept], sample_weight=row_weights[kept]
    )
    got = model.robust_covariance(near, labels, "HC0", sample_weight=row_weights)
    want = alone.robust_covariance(near[kept], labels[kept], "HC0", sample_weight=row_weights[kept])
    np.testing.assert_allclose(got, want, rtol=1e-6)
    with pytest.raises(ValueError, match="y holds 'elm', which is not a class of the fit"):
        model.robust_covariance(near, labels, "HC0", sample_weight=weights)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_a_fold_without_weight_calibrates_nothing(method):
    of = np.arange(N) % 3
    folds = [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]
    model = statfast.CalibratedClassifierCV(FREE, method=method, cv=folds)
    with pytest.raises(ValueError, match="sample_weight is zero for all rows of a fold"):
        model.fit(X, labels, sample_weight=np.where(of == 0, 0.0, 1.0))
