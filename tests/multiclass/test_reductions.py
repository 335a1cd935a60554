# SPDX-License-Identifier: BSD-3-Clause
"""Reductions: each learner on its own classes, decoding, probabilities, parameters, refusals."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pandas import Series
from scipy import sparse
from scipy.special import expit

from statfast import (
    SVC,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from statfast.datasets import load_iris, load_wine
from statfast.kernels import Precomputed
from statfast.multiclass import CodeMatrix, one_vs_one_code, one_vs_rest_code, random_code
from statfast.multiclass.decoding import bradley_terry, of_pairs, scores

iris = load_iris()
X, y = iris.data, np.array(["ash", "elm", "oak"])[iris.target]
ridge = LogisticRegression(C=1.0)


class Plain:
    """The least that a learner needs: no parameters, no scikit-learn."""

    def fit(self, X, y):
        self.middle = np.asarray(X)[:, 2].mean()
        self.up = np.asarray(X)[y == 1, 2].mean() > self.middle
        return self

    def decision_function(self, X):
        return (np.asarray(X)[:, 2] - self.middle) * (1 if self.up else -1)


class Silent:
    def fit(self, X, y):
        return self


# ------------------------------------------------------------------ learners and codes


def test_each_learner_is_fitted_to_its_classes():
    model = OneVsRestClassifier(ridge).fit(X, y)
    for k, learner in enumerate(model.estimators_):
        one = LogisticRegression(C=1.0).fit(X, (iris.target == k).astype(int))
        np.testing.assert_array_equal(learner.coef_, one.coef_)
    model = OneVsOneClassifier(ridge).fit(X, y)
    for (a, b), learner in zip([(0, 1), (0, 2), (1, 2)], model.estimators_, strict=True):
        both = np.isin(iris.target, (a, b))
        one = LogisticRegression(C=1.0).fit(X[both], (iris.target[both] == a).astype(int))
        np.testing.assert_array_equal(learner.coef_, one.coef_)
    model = OneVsRestClassifier(ridge, ordered=True).fit(X, y)
    rest = iris.target > 0
    one = LogisticRegression(C=1.0).fit(X[rest], (iris.target[rest] == 1).astype(int))
    np.testing.assert_array_equal(model.estimators_[1].coef_, one.coef_)
    assert len(model.estimators_) == 2
    assert len(OneVsOneClassifier(ridge, asymmetric=True).fit(X, y).estimators_) == 6


def test_the_estimator_itself_stays_unfitted():
    base = LogisticRegression(C=1.0)
    OneVsRestClassifier(base).fit(X, y)
    assert not base.__sklearn_is_fitted__()


def test_against_scikit_learn():
    peers = pytest.importorskip("sklearn.multiclass")
    linear = pytest.importorskip("sklearn.linear_model")
    base = linear.LogisticRegression(tol=1e-10, max_iter=10_000)
    for ours, theirs in (
        (OneVsRestClassifier(base), peers.OneVsRestClassifier(base)),
        (OneVsOneClassifier(base), peers.OneVsOneClassifier(base)),
    ):
        ours.fit(X, y)
        theirs.fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), 1e-5)
        assert np.array_equal(ours.predict(X), theirs.predict(X))
    ours, theirs = OneVsRestClassifier(base).fit(X, y), peers.OneVsRestClassifier(base).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5)


def test_two_classes_take_one_learner():
    some = iris.target > 0
    for cls in (OneVsRestClassifier, OneVsOneClassifier):
        model = cls(ridge).fit(X[some], y[some])
        one = LogisticRegression(C=1.0).fit(X[some], y[some])
        assert len(model.estimators_) == 1
        assert model.decision_function(X).shape == (150,)
        assert np.array_equal(model.predict(X), one.predict(X))
        np.testing.assert_allclose(
            model.predict_proba(X), one.predict_proba(X), rtol=1e-6, atol=1e-6
        )


@pytest.mark.parametrize(
    ("code", "n_classifiers"),
    [("one_vs_rest", 3), ("ordered", 2), ("one_vs_one", 3), ("asymmetric", 6), ("exhaustive", 3),
     ("hadamard", 3), ("dense_random", 4), ("sparse_random", 4), ([[1, 0], [-1, 1], [0, -1]], 2),
     (np.array([[1.0, 1], [-1, 1], [0, -1]]), 2), (one_vs_one_code(3), 3)],
)  # fmt: skip
def test_codes(code, n_classifiers):
    model = OutputCodeClassifier(ridge, code=code, random_state=0).fit(X, y)
    assert len(model.estimators_) == model.code_.n_classifiers == n_classifiers
    assert model.code_.classes == ("ash", "elm", "oak")
    assert model.score(X, y) > 0.85
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert np.mean(model.classes_[shares.argmax(axis=1)] == y) > 0.85


def test_distance_decoding_is_that_of_the_code():
    model = OutputCodeClassifier(ridge, code="exhaustive", decoding="distance").fit(X, y)
    signs = np.column_stack([np.sign(one.decision_function(X)) for one in model.estimators_])
    distances = model.code_.distances(signs)
    np.testing.assert_array_equal(model.decision_function(X), -distances)
    assert np.array_equal(model.predict(X), model.classes_[distances.argmin(axis=1)])


def test_ties_go_to_the_lowest_label():
    code = CodeMatrix([[1, 0], [-1, 1], [0, -1]])
    values = np.array([[-1.0, -2.0]])
    assert scores("distance", values, code.matrix).argmax() == 2
    tie = np.array([[0.0, 0.0]])
    for decoding in ("distance", "linear", "exponential", "logistic", "hinge"):
        assert scores(decoding, tie, code.matrix[:2]).argmax() == 0


@pytest.mark.parametrize("decoding", ["distance", "linear", "exponential", "logistic", "hinge"])
def test_losses_are_their_definitions(decoding):
    rng = np.random.default_rng(1)
    matrix, f = random_code(4, 8, sparse=True, random_state=0).matrix, rng.normal(size=(30, 8)) * 3
    loss = {
        "distance": lambda z: (1 - np.sign(z)) / 2,
        "linear": lambda z: -z,
        "exponential": lambda z: np.exp(-z),
        "logistic": lambda z: np.log1p(np.exp(-2 * z)),
        "hinge": lambda z: np.maximum(0, 1 - z),
    }[decoding]
    want = -np.array([[loss(row * word).sum() for word in matrix] for row in f])
    want = -np.log(-want) if decoding == "exponential" else want
    np.testing.assert_allclose(scores(decoding, f, matrix), want, rtol=1e-10, atol=1e-12)
    assert np.isfinite(scores(decoding, 1e5 * f, matrix)).all()


def test_ordered_learners_decide_in_turn():
    model = OneVsRestClassifier(ridge, ordered=True).fit(X, y)
    values = np.column_stack([one.decision_function(X) for one in model.estimators_])
    first = np.where(values[:, 0] > 0, 0, np.where(values[:, 1] > 0, 1, 2))
    assert np.array_equal(model.predict(X), model.classes_[first])
    found = model.decision_function(X)
    assert ((found > 0).sum(axis=1) <= 1).all()
    p = expit(values)
    want = np.column_stack([p[:, 0], (1 - p[:, 0]) * p[:, 1], (1 - p[:, 0]) * (1 - p[:, 1])])
    np.testing.assert_allclose(model.predict_proba(X), want, rtol=1e-10)


# ------------------------------------------------------------------ probabilities


def shares_of(p, matrix):
    """What learners say whose probabilities are those of p."""
    yes, no = p @ (matrix > 0), p @ (matrix < 0)
    return yes / (yes + no)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_consistent_shares_give_their_probabilities(k):
    p = np.random.default_rng(k).dirichlet(np.ones(k), 50)
    pairs = one_vs_one_code(k)
    np.testing.assert_allclose(of_pairs(shares_of(p, pairs.matrix), pairs.matrix), p, atol=1e-6)
    both = one_vs_one_code(k, asymmetric=True).matrix
    np.testing.assert_allclose(of_pairs(shares_of(p, both), both), p, atol=1e-6)
    for code in (pairs, random_code(k, 12, sparse=True, random_state=0)):
        mass = np.random.default_rng(0).uniform(1, 3, code.n_classifiers)
        found = bradley_terry(shares_of(p, code.matrix), code.matrix, mass)
        np.testing.assert_allclose(found, p, atol=1e-5)


def test_bradley_terry_maximizes_its_likelihood():
    rng = np.random.default_rng(0)
    matrix, mass = random_code(4, 7, random_state=2).matrix, rng.uniform(1, 3, 7)
    r = rng.uniform(0.05, 0.95, (5, 7))

    def likelihood(p):
        s = shares_of(p, matrix)
        return (r * np.log(s) + (1 - r) * np.log1p(-s)) @ mass

    p = bradley_terry(r, matrix, mass)
    for _ in range(200):
        q = np.abs(p * (1 + 1e-2 * rng.standard_normal(p.shape)))
        assert (likelihood(q / q.sum(axis=1, keepdims=True)) <= likelihood(p) + 1e-9).all()


def test_certain_learners():
    """Probabilities of 0 and 1 that contradict each other."""
    r = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    for found in (of_pairs(r, one_vs_one_code(3).matrix),
                  bradley_terry(r, one_vs_one_code(3).matrix, np.ones(3))):  # fmt: skip
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        np.testing.assert_allclose(found[0], 1 / 3, atol=1e-6)
        assert found[1].argmax() == 2


# ------------------------------------------------------------------ inputs, parameters, refusals


@pytest.mark.parametrize("cls", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier])
def test_sparse_rows_reach_the_learners(cls):
    wine = load_wine()
    rows = np.where(wine.data > np.median(wine.data, axis=0), np.round(wine.data), 0.0)
    dense = cls(LinearSVC()).fit(rows, wine.target)
    assert dense.__sklearn_tags__().input_tags.sparse
    dense, thin = (
        cls(LinearSVC(), **({"code": "exhaustive"} if cls is OutputCodeClassifier else {})).fit(
            given, wine.target
        )
        for given in (rows, sparse.csc_matrix(rows))
    )
    np.testing.assert_allclose(
        thin.decision_function(sparse.coo_array(rows)), dense.decision_function(rows), rtol=1e-6,
        atol=1e-7,
    )  # fmt: skip


def test_lists_of_text_are_passed_through():
    class Length:
        def fit(self, X, y):
            assert isinstance(X, list)
            self.cut = np.mean([len(x) for x, label in zip(X, y, strict=True) if label])
            return self

        def decision_function(self, X):
            return 0.5 - np.abs(np.array([len(x) for x in X]) - self.cut)

    words = ["a", "b", "cc", "dd", "eee", "fff"]
    model = OneVsOneClassifier(Length()).fit(words, [1, 1, 2, 2, 3, 3])
    assert list(model.predict(["x", "yy", "zzz"])) == [1, 2, 3]


@pytest.mark.parametrize("held", [list, tuple, np.array, partial(np.array, dtype=object), Series])
def test_containers_of_text(held):
    words, kinds = ["abab", "babab", "ccdd", "dcdc", "efef", "fefe"], [0, 0, 1, 1, 2, 2]
    model = OneVsOneClassifier(SVC(kernel="spectrum", degree=2)).fit(held(words), kinds)
    assert model.predict(held(words)).tolist() == kinds


def test_precomputed_kernels_are_cut():
    svm = pytest.importorskip("sklearn.svm")
    K = X @ X.T
    model = OneVsOneClassifier(svm.SVC(kernel="precomputed")).fit(K, y)
    plain = OneVsOneClassifier(svm.SVC(kernel="linear")).fit(X, y)
    np.testing.assert_allclose(model.decision_function(K), plain.decision_function(X), rtol=1e-6)
    ours = [
        OneVsOneClassifier(SVC(kernel=kernel)).fit(K, y).decision_function(K)
        for kernel in ("precomputed", Precomputed() + Precomputed())
    ]
    twice = OneVsOneClassifier(SVC(kernel="precomputed")).fit(2.0 * K, y).decision_function(2.0 * K)
    np.testing.assert_allclose(ours[0], plain.decision_function(X), atol=2e-3)
    np.testing.assert_allclose(ours[1], twice, atol=1e-9)


def test_a_learner_with_probabilities_alone():
    class Odds(LogisticRegression):
        decision_function = None

        def predict_proba(self, X):
            one = expit(LogisticRegression.decision_function(self, X))
            return np.column_stack([1 - one, one])

    model = OneVsRestClassifier(Odds(C=1.0)).fit(X, y)
    other = OneVsRestClassifier(ridge).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), rtol=1e-6)


def test_log_odds_of_probabilities_near_one():
    # 1 - 1.7e-5 has two digits less than 1.7e-5 in float32.
    rows = np.round(X, 1).astype(np.float32)
    values = [
        OneVsRestClassifier(GaussianNB()).fit(one, y).decision_function(one)
        for one in (rows, rows.astype(np.float64))
    ]
    far = np.abs(values[1]) < 80  # beyond, float32 has no such probability
    assert_allclose(values[0][far], values[1][far], rtol=1e-5, atol=1e-5)


def test_a_plain_learner():
    model = OneVsOneClassifier(Plain()).fit(X, y)
    assert model.score(X, y) > 0.9
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="Plain has not"):
        model.predict_proba(X)
    with pytest.raises(TypeError, match=r"sample_weight was passed, but Plain.fit does not take"):
        model.fit(X, y, sample_weight=np.ones(150))


def test_weights_are_passed_on():
    weights = np.arange(150) % 3
    for cls in (OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier):
        given = {"random_state": 0} if cls is OutputCodeClassifier else {}
        weighted = cls(ridge, **given).fit(X, y, sample_weight=weights)
        repeated = cls(ridge, **given).fit(X.repeat(weights, axis=0), y.repeat(weights))
        np.testing.assert_allclose(
            weighted.decision_function(X), repeated.decision_function(X), rtol=1e-7, atol=1e-8
        )
        np.testing.assert_allclose(
            weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-8
        )


@pytest.mark.parametrize("cls", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier])
def test_a_class_without_weight_is_left_out(cls):
    seed = {"random_state": 0} if cls is OutputCodeClassifier else {}
    weighted = cls(ridge, **seed).fit(X, y, sample_weight=y != "ash")
    without = cls(ridge, **seed).fit(X[y != "ash"], y[y != "ash"])
    assert weighted.classes_.tolist() == without.classes_.tolist()
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X), rtol=1e-6)


def test_nested_parameters():
    model = OneVsRestClassifier(LogisticRegression(C=1.0))
    assert model.get_params()["estimator__C"] == 1.0
    model.set_params(estimator__C=7.0, ordered=True)
    assert model.estimator.C == 7.0
    assert {one.C for one in model.fit(X, y).estimators_} == {7.0}
    nested = OneVsRestClassifier(OneVsOneClassifier(LinearDiscriminantAnalysis()))
    assert nested.set_params(estimator__estimator__tol=1e-3).fit(X, y).score(X, y) > 0.7
    assert nested.estimator.estimator.tol == 1e-3


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (None, "estimator must be a classifier with fit; got None"),
        (LogisticRegression, "estimator must be a classifier with fit.*Pass an instance"),
        (Silent(), "estimator must have decision_function or predict_proba; Silent has neither"),
    ],
)
def test_what_is_no_learner(estimator, words):
    with pytest.raises(TypeError, match=words):
        OneVsRestClassifier(estimator).fit(X, y)


class Says(Plain):
    """A learner whose decision values are what it is told."""

    def __init__(self, values):
        self.values = values

    def decision_function(self, X):
        return np.asarray(self.values(np.asarray(X)[:, 2]))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            lambda x: np.where(x > 4.0, np.nan, x),
            r"Says\.decision_function gave nan, first for row 5",
        ),
        (
            lambda x: np.ones((len(x), 3)),
            r"must tell one value for each of 150 rows, or two; got 450",
        ),
        (lambda x: 1.0, "got 1 numbers"),
    ],
)
@pytest.mark.parametrize("cls", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier])
def test_learners_that_say_nothing(cls, values, words):
    with pytest.raises(ValueError, match=words):
        cls(Says(values)).fit(X, y).predict(X)


@pytest.mark.parametrize("decoding", ["linear", "exponential", "logistic", "hinge"])
def test_learners_that_are_certain(decoding):
    code = [[1, 0, 1], [-1, 1, 0], [0, -1, -1]]
    model = OutputCodeClassifier(Says(lambda x: x * np.inf), code=code, decoding=decoding)
    assert np.isfinite(model.fit(X, y).decision_function(X)).all()
    assert (model.predict(X) == "ash").all()


def test_refusals():
    with pytest.raises(ValueError, match="at least 2 classes; got one class, 'ash'"):
        OneVsOneClassifier(ridge).fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="code has 2 rows, one for each class, but there are 3"):
        OutputCodeClassifier(ridge, code=[[1], [-1]]).fit(X, y)
    with pytest.raises(ValueError, match="code must be a matrix or one of 'one_vs_rest'"):
        OutputCodeClassifier(ridge, code="ternary").fit(X, y)
    with pytest.raises(ValueError, match="decoding must be"):
        OneVsOneClassifier(ridge, decoding="majority").fit(X, y)
    with pytest.raises(TypeError, match="ordered must be True or False"):
        OneVsRestClassifier(ridge, ordered="yes").fit(X, y)
    with pytest.raises(ValueError, match="code_size must be greater than 0"):
        OutputCodeClassifier(ridge, code="hadamard", code_size=0).fit(X, y)


def test_bradley_terry_of_a_class_that_no_learner_is_about():
    matrix = np.array([[1, 1], [-1, 0], [0, -1], [0, 0]])
    r = np.array([[0.5, 0.75], [0.2, 0.9]])
    p = bradley_terry(r, matrix, np.ones(2))
    np.testing.assert_allclose(p[:, 3], 0.25)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(p[:, :3], 0.75 * bradley_terry(r, matrix[:3], np.ones(2)), rtol=1e-6)
    shares = np.array([3, 3, 1]) / 7  # of which the first is 1 : 1 to one, 3 : 1 to the other
    np.testing.assert_allclose(p[0, :3], 0.75 * shares, rtol=1e-6)


def test_attributes_of_scikit_learn():
    for cls in (OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier):
        assert cls(ridge).fit(X, y).n_classes_ == 3
        assert not hasattr(cls(ridge), "n_classes_")
    model = OutputCodeClassifier(ridge, code="exhaustive").fit(X, y)
    np.testing.assert_array_equal(model.code_book_, [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]])
    assert model.code_book_.dtype == np.float64
    assert not hasattr(OutputCodeClassifier(ridge), "code_book_")


def test_rows_of_pairs_of_kernels():
    peers = pytest.importorskip("sklearn.multiclass")
    machine = SVC(kernel="precomputed")
    ours = OneVsOneClassifier(machine).fit(X @ X.T, y)
    theirs = peers.OneVsOneClassifier(machine).fit(X @ X.T, y)
    for own, other in zip(ours.pairwise_indices_, theirs.pairwise_indices_, strict=True):
        np.testing.assert_array_equal(own, other)
    two = iris.target < 2
    ours.fit((X @ X.T)[np.ix_(two, two)], y[two])
    assert [index.tolist() for index in ours.pairwise_indices_] == [list(range(100))]
    assert OneVsOneClassifier(ridge).fit(X, y).pairwise_indices_ is None
    assert not hasattr(OneVsOneClassifier(ridge), "pairwise_indices_")


def test_columns_of_pairs_have_their_names():
    code = one_vs_one_code(3, asymmetric=True)
    assert code.columns == ("0|1", "1|0", "0|2", "2|0", "1|2", "2|1")
    assert str(code).splitlines()[1].split() == list(code.columns)
    assert "<th>2|0</th>" in code._repr_html_()
    trees = CodeMatrix(one_vs_one_code(3).matrix, classes=("ash", "elm", "oak"))
    assert trees.columns == ("ash|elm", "ash|oak", "elm|oak")
    long = CodeMatrix(one_vs_one_code(3).matrix, classes=("a" * 20, "b", "c"))
    assert str(long).splitlines()[1].split() == ["0", "1", "2"]
    assert one_vs_rest_code(3).columns == ("0", "1", "2")
    assert one_vs_one_code(2).columns == ("0",)
