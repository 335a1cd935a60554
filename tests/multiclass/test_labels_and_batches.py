# SPDX-License-Identifier: BSD-3-Clause
"""Reductions: indicator matrices, batches by partial_fit, threads."""

import numpy as np
import pytest
from scipy import sparse

from statfast import (
    SVC,
    GaussianNB,
    LogisticRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from statfast.datasets import load_digits, load_iris
from statfast.multiclass import one_vs_rest
from statfast.preprocessing import LabelBinarizer

iris = load_iris()
X, y = iris.data, np.array(["ash", "elm", "oak"])[iris.target]
LABELS = np.column_stack([iris.target == 0, iris.target > 0, X[:, 1] > 3.0]).astype(int)
ridge = LogisticRegression(C=1.0)


# ------------------------------------------------------------------ several labels for a row


def test_labels_are_those_of_their_learners():
    model = OneVsRestClassifier(ridge).fit(X, LABELS)
    assert model.multilabel_
    assert model.classes_.tolist() == [0, 1, 2]
    assert not hasattr(model, "code_")
    for j in range(3):
        one = LogisticRegression(C=1.0).fit(X, LABELS[:, j])
        np.testing.assert_array_equal(model.decision_function(X)[:, j], one.decision_function(X))
        np.testing.assert_array_equal(model.predict_proba(X)[:, j], one.predict_proba(X)[:, 1])
        np.testing.assert_array_equal(model.predict(X)[:, j], one.predict(X))
    assert model.score(X, LABELS) == (model.predict(X) == LABELS).all(axis=1).mean()
    weights = np.arange(150.0)
    whole = np.average((model.predict(X) == LABELS).all(axis=1), weights=weights)
    assert model.score(X, LABELS, weights) == whole
    assert not OneVsRestClassifier(ridge).fit(X, y).multilabel_


@pytest.mark.parametrize("held", [np.array, lambda a: a.tolist(), lambda a: a.astype(bool),
                                  np.asfortranarray, lambda a: a.astype(np.float32)])  # fmt: skip
def test_containers_of_indicators(held):
    expected = OneVsRestClassifier(ridge).fit(X, LABELS)
    found = OneVsRestClassifier(ridge).fit(X, held(LABELS))
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert found.predict(X).dtype == np.int64


@pytest.mark.parametrize("held", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_indicators_are_answered_sparse(held):
    expected = OneVsRestClassifier(ridge).fit(X, LABELS)
    found = OneVsRestClassifier(ridge).fit(X, held(LABELS))
    assert sparse.issparse(found.predict(X))
    np.testing.assert_array_equal(found.predict(X).toarray(), expected.predict(X))
    assert found.score(X, held(LABELS)) == expected.score(X, LABELS)


def test_labels_against_scikit_learn():
    peers = pytest.importorskip("sklearn.multiclass")
    line = pytest.importorskip("sklearn.linear_model").LogisticRegression()
    ours, theirs = (cls(line).fit(X, LABELS) for cls in (OneVsRestClassifier,
                                                         peers.OneVsRestClassifier))  # fmt: skip
    for method in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(ours, method)(X), getattr(theirs, method)(X))
    assert ours.score(X, LABELS) == theirs.score(X, LABELS)
    assert ours.n_classes_ == theirs.n_classes_
    assert ours.multilabel_ is theirs.multilabel_ is True
    for given in (y, LABELS, sparse.csr_matrix(LABELS), y[50:]):
        rows = X[50:] if given is not y and given.shape == (100,) else X
        ours.fit(rows, given)
        theirs.fit(rows, given)
        own, other = ours.label_binarizer_, theirs.label_binarizer_
        assert own.y_type_ == other.y_type_
        assert own.sparse_input_ == other.sparse_input_
        np.testing.assert_array_equal(own.classes_, other.classes_)
        columns = other.transform(given).toarray()
        np.testing.assert_array_equal(own.transform(given), columns)
        back, expected = (one.inverse_transform(columns) for one in (own, other))
        assert sparse.issparse(back) == sparse.issparse(expected)
        if sparse.issparse(back):
            back, expected = back.toarray(), expected.toarray()
        np.testing.assert_array_equal(back, expected)


def test_labels_that_all_rows_have():
    peers = pytest.importorskip("sklearn.multiclass")
    line = pytest.importorskip("sklearn.linear_model").LogisticRegression()
    # The first of scikit-learn's learners chooses the threshold of all: it must be no constant.
    full = np.column_stack([LABELS[:, 2], np.zeros(150), np.ones(150)]).astype(int)
    ours, theirs = OneVsRestClassifier(line), peers.OneVsRestClassifier(line)
    with (
        pytest.warns(UserWarning, match="Of y, no row has label 1"),
        pytest.warns(UserWarning, match="Of y, all rows have label 2"),
    ):
        ours.fit(X, full)
    with pytest.warns(UserWarning, match="Label"):
        theirs.fit(X, full)
    for method in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(ours, method)(X), getattr(theirs, method)(X))
    with pytest.warns(UserWarning, match="all rows have label"):
        ours.fit(X, np.ones((150, 2), int))
    assert ours.predict(X).all()
    assert ours.predict_proba(X).all()


def test_labels_of_kernels_and_weights():
    plain = OneVsRestClassifier(SVC(kernel="linear")).fit(X, LABELS)
    made = OneVsRestClassifier(SVC(kernel="precomputed")).fit(X @ X.T, LABELS)
    np.testing.assert_array_equal(made.predict(X @ X.T), plain.predict(X))
    times = np.arange(150) % 3
    weighted = OneVsRestClassifier(ridge).fit(X, LABELS, sample_weight=times)
    repeated = OneVsRestClassifier(ridge).fit(X.repeat(times, axis=0), LABELS.repeat(times, axis=0))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize(
    ("labels", "params", "message"),
    [
        (2 * LABELS, {}, "y of two dimensions must be an indicator matrix"),
        (np.where(LABELS, "yes", "no"), {}, "must be an indicator matrix"),
        (LABELS[:9], {}, r"y must have one row per row of X \(150\); got 9"),
        (LABELS, {"ordered": True}, "ordered=True is for one label of each row"),
    ],
)
def test_indicators_refused(labels, params, message):
    with pytest.raises(ValueError, match=message):
        OneVsRestClassifier(ridge, **params).fit(X, labels)


def test_indicators_of_other_labels():
    model = OneVsRestClassifier(ridge).fit(X, LABELS)
    with pytest.raises(ValueError, match="y must be an indicator matrix of 3 columns"):
        model.score(X, LABELS[:, :2])
    with pytest.raises(ValueError, match="y must be an indicator matrix of 3 columns"):
        model.score(X, y)
    with pytest.raises(ValueError, match="one row per row of X"):
        model.score(X, LABELS[:9])
    with pytest.raises(ValueError, match="partial_fit takes one label for each row"):
        OneVsRestClassifier(GaussianNB()).fit(X, LABELS).partial_fit(X, y)
    for cls in (OneVsOneClassifier, OutputCodeClassifier):
        with pytest.raises(ValueError, match="y should be a 1d array"):
            cls(ridge).fit(X, LABELS)
    pair = OneVsRestClassifier(ridge).fit(X[50:], y[50:]).label_binarizer_
    assert isinstance(pair, LabelBinarizer)
    assert pair.y_type_ == "binary"
    assert (pair.transform(["no such label"]) == 0).all()


# ------------------------------------------------------------------ batches

BATCHES = np.array_split(np.random.default_rng(3).permutation(150), 4)


@pytest.mark.parametrize("cls", [OneVsRestClassifier, OneVsOneClassifier])
@pytest.mark.parametrize("first", ["partial_fit", "fit"])
def test_batches_are_one_fit(cls, first):
    weights = np.arange(150) % 3 + 1.0
    whole = cls(GaussianNB()).fit(X, y, weights)
    model = cls(GaussianNB())
    for k, rows in enumerate(BATCHES):
        if k == 0 and first == "fit":
            model.fit(X[rows], y[rows], weights[rows])
        else:
            classes = ["oak", "ash", "elm"] if k == 0 else None
            model.partial_fit(X[rows], y[rows], classes, sample_weight=weights[rows])
    np.testing.assert_allclose(
        model.decision_function(X), whole.decision_function(X), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-6)
    assert model.n_features_in_ == 4
    assert model.code_.classes == ("ash", "elm", "oak")


@pytest.mark.parametrize("name", ["OneVsRestClassifier", "OneVsOneClassifier"])
def test_batches_against_scikit_learn(name):
    peers = pytest.importorskip("sklearn.multiclass")
    perceptron = pytest.importorskip("sklearn.linear_model").SGDClassifier(random_state=0)
    ours = {"OneVsRestClassifier": OneVsRestClassifier, "OneVsOneClassifier": OneVsOneClassifier}
    own, other = ours[name](perceptron), getattr(peers, name)(perceptron)
    for k, rows in enumerate(BATCHES):
        for model in (own, other):
            model.partial_fit(X[rows], iris.target[rows], classes=None if k else [0, 1, 2])
    np.testing.assert_array_equal(own.predict(X), other.predict(X))
    if name == "OneVsRestClassifier":
        np.testing.assert_array_equal(own.decision_function(X), other.decision_function(X))


def test_a_class_that_has_not_come_yet():
    some = iris.target < 2
    pairs = OneVsOneClassifier(GaussianNB()).partial_fit(X[some], y[some], np.unique(y))
    assert pairs.predict(X[some]).tolist() == y[some].tolist()
    alone = OneVsOneClassifier(GaussianNB(), asymmetric=True)
    alone.partial_fit(X[:50], y[:50], np.unique(y))
    with pytest.raises(ValueError, match=r"no row of the classes \['elm', 'oak'\]"):
        alone.predict(X)
    alone.partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(
        alone.predict(X), OneVsOneClassifier(GaussianNB(), asymmetric=True).fit(X, y).predict(X)
    )


def test_batches_refused_leave_the_model_as_it_was():
    model = OneVsRestClassifier(GaussianNB()).partial_fit(X, y, np.unique(y))
    before = model.decision_function(X)
    broken = X.copy()
    broken[3, 2] = np.nan
    for rows, labels, message in (
        (broken, y, "NaN"),
        (X, np.where(y == "oak", "yew", y), "y holds the class 'yew'"),
        (X[:, :3], y, "3 features"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(rows, labels)
        np.testing.assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(X, y, ["ash", "elm"])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        OneVsOneClassifier(GaussianNB()).partial_fit(X, y)
    with pytest.raises(ValueError, match="classes must hold at least 2 classes"):
        OneVsOneClassifier(GaussianNB()).partial_fit(X, y, ["ash"])
    assert not hasattr(OneVsRestClassifier(ridge), "partial_fit")
    with pytest.raises(AttributeError, match="LogisticRegression has not"):
        OneVsOneClassifier(ridge).partial_fit(X, y, np.unique(y))


def test_names_of_columns_stay_through_batches():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = OneVsRestClassifier(GaussianNB()).partial_fit(frame, y, np.unique(y))
    model.partial_fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[list("dcba")], y)


# ------------------------------------------------------------------ threads


@pytest.mark.parametrize("cls", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier])
def test_threads_share_the_learners(cls, monkeypatch):
    """The same bits on any number of threads; several are at work where there is enough of it."""
    import threading

    used = set()
    trained = one_vs_rest.learners.trained

    def watched(*args):
        used.add(threading.get_ident())
        return trained(*args)

    monkeypatch.setattr(one_vs_rest.learners, "trained", watched)
    digits = load_digits()
    rows, labels = digits.data[::3] / 16.0, digits.target[::3]
    given = {"random_state": 0} if cls is OutputCodeClassifier else {}
    found = []
    for threads in (1, 2, 7):
        used.clear()
        model = cls(ridge, n_jobs=threads, **given).fit(rows, labels)
        assert (len(used) > 1) == (threads > 1)
        found.append((model.decision_function(rows), model.predict_proba(rows)))
    for values, shares in found[1:]:
        assert values.tobytes() == found[0][0].tobytes()
        assert shares.tobytes() == found[0][1].tobytes()


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_threads_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a positive number of threads"):
        OneVsRestClassifier(ridge, n_jobs=n_jobs).fit(X, y)
