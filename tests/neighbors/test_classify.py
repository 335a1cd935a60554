# SPDX-License-Identifier: BSD-3-Clause
"""KNeighborsClassifier against its twin and scikit-learn."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier as SklearnClassifier

from statfast.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from statfast.neighbors.search import search as search_module
from tests.reference import neighbors as twin

WEIGHTS = {
    "uniform": np.ones_like,
    "distance": twin.distance_weights,
    "callable": lambda d2: 1 / (1 + np.sqrt(d2)),
}


def gentle(distances):
    """A weight function that pickles."""
    return 1 / (1 + distances)


def classifier(k, weights="uniform", ties="lowest"):
    return KNeighborsClassifier(k, weights=gentle if weights == "callable" else weights, ties=ties)


@pytest.fixture
def blobs():
    """Two overlapping classes and query rows, no two distances equal."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    y = np.where(X[:, 0] + rng.standard_normal(300) > 0, "up", "down")
    return X, y, rng.standard_normal((100, 4))


@pytest.mark.parametrize("ties", ["lowest", "nearest"])
@pytest.mark.parametrize("weights", WEIGHTS)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    d=st.integers(1, 3),
    span=st.integers(1, 4),
)
def test_twin_on_tied_rows(ties, weights, seed, n, d, span):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(0, span, (n, d)), rng.integers(0, span, (12, d))
    y = rng.integers(0, 4, n) * 10
    k = int(rng.integers(1, n + 1))
    model = classifier(k, weights, ties).fit(X, y)

    classes, codes = np.unique(y, return_inverse=True)
    d2, ids = twin.nearest(X, Q, k)
    w = WEIGHTS[weights](d2)
    winners = twin.winners(codes, ids, d2, w, len(classes), ties)
    votes = twin.votes(codes, ids, w, len(classes))
    np.testing.assert_array_equal(model.classes_, classes)
    np.testing.assert_array_equal(model.predict(Q), classes[winners])
    np.testing.assert_allclose(
        model.predict_proba(Q), votes / votes.sum(axis=1, keepdims=True), rtol=1e-14
    )


@pytest.mark.parametrize("weights", ["uniform", "distance", gentle])
@pytest.mark.parametrize("k", [1, 4, 15])
def test_agrees_with_scikit_learn(blobs, weights, k):
    X, y, Q = blobs
    ours, theirs = (
        C(k, weights=weights).fit(X, y) for C in (KNeighborsClassifier, SklearnClassifier)
    )
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-9)
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["b", "a", "c"]),
        np.array(["b", "a", "c"], dtype=object),
        np.array([7, -3, 900000]),
        np.array([2.0, 1.0, 5.0]),
        np.array([3, 0, 255], dtype=np.uint8),
        np.array([True, False, True]),
    ],
)
def test_labels_of_any_dtype(labels):
    X = np.arange(3.0)[:, None]
    model = KNeighborsClassifier(1).fit(X, labels)
    found = model.predict(X)
    assert found.dtype == model.classes_.dtype
    assert found.tolist() == labels.tolist()
    assert model.classes_.tolist() == sorted(set(labels.tolist()))


def test_rows_at_distance_zero_take_all_the_weight():
    X, y = [[0.0], [0.0], [1e-9], [1e-9], [1e-9]], [0, 1, 2, 2, 2]
    model = KNeighborsClassifier(5, weights="distance").fit(X, y)
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0.5, 0.0]]
    assert model.predict([[0.0]]).tolist() == [0]


def test_tie_rules():
    X, y = [[0.0], [3.0], [4.1], [7.0]], ["a", "b", "b", "a"]
    lowest, nearest = (classifier(4, ties=t).fit(X, y) for t in ("lowest", "nearest"))
    assert lowest.predict([[3.5], [1.0]]).tolist() == ["a", "a"]
    assert nearest.predict([[3.5], [1.0]]).tolist() == ["b", "a"]


def test_one_class():
    model = KNeighborsClassifier(2).fit(np.zeros((3, 2)), ["only"] * 3)
    assert model.predict([[5.0, 5.0]]).tolist() == ["only"]
    assert model.predict_proba([[5.0, 5.0]]).tolist() == [[1.0]]


def test_without_rows_each_fitted_row_is_left_out(blobs):
    X, y, _ = blobs
    model = KNeighborsClassifier(5).fit(X, y)
    by_hand = [
        KNeighborsClassifier(5).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0]
        for i in range(60)
    ]
    assert model.predict()[:60].tolist() == by_hand
    assert model.predict_proba().shape == (300, 2)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_slices_change_nothing(blobs, weights, monkeypatch):
    X, y, _ = blobs
    model = classifier(7, weights).fit(X, y)
    labels, shares, left_out = model.predict(X), model.predict_proba(X), model.predict()
    monkeypatch.setattr(search_module, "MAX_HELD_NEIGHBORS", 1)  # 64 rows at a time
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_array_equal(model.predict_proba(X), shares)
    np.testing.assert_array_equal(model.predict(), left_out)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_same_bits_for_any_number_of_threads(weights):
    rng = np.random.default_rng(1)
    X, y, Q = rng.standard_normal((3000, 30)), rng.integers(0, 9, 3000), rng.random((1500, 30))
    shares = [
        classifier(9, weights).set_params(n_jobs=t).fit(X, y).predict_proba(Q) for t in (1, 2, 7)
    ]
    assert len({share.tobytes() for share in shares}) == 1


def test_search_methods_are_those_of_nearest_neighbors(blobs):
    X, y, Q = blobs
    model, search = KNeighborsClassifier(3).fit(X, y), NearestNeighbors(3).fit(X)
    np.testing.assert_array_equal(model.kneighbors(Q), search.kneighbors(Q))
    np.testing.assert_array_equal(
        model.kneighbors_graph(Q).toarray(), search.kneighbors_graph(Q).toarray()
    )


@pytest.mark.parametrize("ties", ["lowest", "nearest", "random"])
@pytest.mark.parametrize("weights", WEIGHTS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40), span=st.integers(1, 4))
def test_leave_one_out_for_many_k_is_that_of_each(ties, weights, seed, n, span):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, span, (n, 2)), rng.integers(0, 3, n)
    ks = rng.permutation(n - 1)[:5] + 1
    model = classifier(1, weights, ties).set_params(random_state=0).fit(X, y)
    errors = model.leave_one_out(ks)
    for k, error in zip(ks, errors, strict=True):
        assert error == (model.set_params(n_neighbors=int(k)).predict() != y).mean()
    assert model.tune_n_neighbors(ks) == ks[errors == errors.min()].max()


def test_leave_one_out_in_slices(blobs, monkeypatch):
    X, y, _ = blobs
    for weights in WEIGHTS:
        model = classifier(3, weights).fit(X, y)
        whole = model.leave_one_out([9, 1, 4, 9])
        assert whole[0] == whole[3]
        monkeypatch.setattr(search_module, "MAX_HELD_NEIGHBORS", 1)  # 64 rows at a time
        np.testing.assert_array_equal(model.leave_one_out([9, 1, 4, 9]), whole)
        monkeypatch.undo()


def test_choosing_k_takes_any_iterable_and_changes_nothing(blobs):
    X, y, _ = blobs
    model = KNeighborsClassifier(3).fit(X, y)
    before = dict(model.__dict__)
    assert model.tune_n_neighbors(k for k in (1, 5, 25)) == model.tune_n_neighbors(
        np.array([25, 5, 1])
    )
    assert model.__dict__ == before


@pytest.mark.parametrize(
    ("ks", "error", "message"),
    [
        ([], ValueError, "ks must hold"),
        ([0], ValueError, "ks must be between 1 and"),
        ([1, 300], ValueError, r"besides the row itself \(299\); got 300"),
        ([1.5], TypeError, "ks must be an integer"),
        (3, TypeError, "ks must be a list"),
        (np.array(2), TypeError, "ks must be a list"),
        ("123", TypeError, "ks must be a list"),
    ],
)
def test_bad_numbers_to_choose_from(blobs, ks, error, message):
    X, y, _ = blobs
    model = KNeighborsClassifier(3).fit(X, y)
    for method in (model.leave_one_out, model.tune_n_neighbors):
        with pytest.raises(error, match=message):
            method(ks)
        with pytest.raises(ValueError, match="not fitted"):
            getattr(KNeighborsClassifier(), method.__name__)(ks)


def test_random_ties_depend_on_the_row_and_the_seed_alone():
    X = np.arange(400.0)[:, None]
    y, Q = np.arange(400) % 2, np.arange(399.0)[:, None] + 0.25
    first = classifier(2, ties="random").set_params(random_state=1).fit(X, y)
    labels = first.predict(Q)
    assert 140 < labels.sum() < 260
    np.testing.assert_array_equal(labels[::-1], first.predict(Q[::-1]))
    np.testing.assert_array_equal(labels, [first.predict(q[None])[0] for q in Q])
    again, other = (
        classifier(2, ties="random").set_params(random_state=s).fit(X, y) for s in (1, 2)
    )
    np.testing.assert_array_equal(labels, again.predict(Q))
    assert (labels != other.predict(Q)).any()


def test_score_takes_weights(blobs):
    X, y, Q = blobs
    model = KNeighborsClassifier(3).fit(X, y)
    truth = np.where(Q[:, 0] > 0, "up", "down")
    right = model.predict(Q) == truth
    weights = np.arange(1.0, 101.0)
    assert model.score(Q, truth, sample_weight=weights) == pytest.approx(
        np.average(right, weights=weights), rel=1e-14
    )


def test_pickle(blobs):
    X, y, Q = blobs
    for weights in WEIGHTS:
        model = classifier(5, weights).fit(X, y)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict_proba(Q), model.predict_proba(Q))
        assert copy.predict(Q).tolist() == model.predict(Q).tolist()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda d: d[:, :-1], r"shape \(2, 3\); got shape \(2, 2\)"),
        (lambda d: d - 100.0, "at least 0; got -"),
        (lambda d: d * np.nan, "at least 0; got nan"),
        (lambda d: d * 0.0 + 1e308, "at least 0; got 1e.308"),
        (lambda d: d * 0.0, "a positive weight in each row"),
    ],
)
def test_bad_weight_functions(returned, message):
    model = KNeighborsClassifier(3, weights=returned).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])
    for method in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=message):
            method([[0.0], [1.5]])


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_infinite_weights_decide_alone():
    X = np.repeat(np.arange(6.0), 2)[:, None]
    y = np.array([0, 1, 1, 0, 2, 2] * 2)
    Q = [[0.0], [1.5], [2.0], [2.2]]
    for cls, k in (
        (KNeighborsClassifier, 5),
        (KNeighborsRegressor, 5),
        (RadiusNeighborsClassifier, 1.6),
        (RadiusNeighborsRegressor, 1.6),
    ):
        known, model = (cls(k, weights=w).fit(X, y) for w in ("distance", lambda d: 1.0 / d))
        np.testing.assert_array_equal(model.predict(Q), known.predict(Q))
    farthest = KNeighborsClassifier(3, weights=lambda d: np.where(d == d.max(), np.inf, 1.0))
    model = farthest.fit([[0.0], [1.0], [3.0]], ["a", "a", "b"])
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[0.0, 1.0]])
    refused = KNeighborsClassifier(2, weights=lambda d: np.where(d == 0.0, np.inf, -1.0))
    with pytest.raises(ValueError, match="at least 0"):
        refused.fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"weights": "gaussian"}, ValueError),
        ({"weights": None}, (TypeError, ValueError)),
        ({"ties": "highest"}, ValueError),
        ({"random_state": -1}, ValueError),
        ({"algorithm": "magic"}, ValueError),
        ({"n_neighbors": 0}, ValueError),
        ({"n_neighbors": 1.5}, TypeError),
    ],
)
def test_bad_parameters_leave_the_estimator_as_it_was(params, error):
    (name,) = params
    model = KNeighborsClassifier(1).fit([[0.0], [1.0]], ["a", "b"])
    before = model.get_params()
    model.set_params(**params)
    with pytest.raises(error, match=name):
        model.fit(np.zeros((5, 2)), np.arange(5))
    model.set_params(**before)
    assert model.predict([[0.9]]).tolist() == ["b"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "y must have one label per row"),
        ([0.5, 1.5, 2.5], "Unknown label type: continuous"),
        ([0.0, np.nan, 1.0], "NaN"),
        (None, "y"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message):
        KNeighborsClassifier(1).fit(np.zeros((3, 2)), y)


def test_too_many_neighbors():
    model = KNeighborsClassifier(3).fit([[0.0], [1.0]], [0, 1])
    for method in (model.predict, model.predict_proba):
        with pytest.raises(
            ValueError, match=r"n_neighbors must be between 1 and .* \(2\); got 3\."
        ):
            method([[0.5]])


def test_not_fitted():
    for method in ("predict", "predict_proba", "kneighbors"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(KNeighborsClassifier(), method)([[0.0]])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("ties", ["lowest", "nearest", "random"])
def test_several_outputs_are_elected_one_by_one(weights, ties):
    rng = np.random.default_rng(5)
    X, Q = rng.integers(0, 5, (300, 3)) * 1.0, rng.integers(0, 5, (70, 3)) * 1.0
    Y = np.column_stack([rng.integers(0, 4, 300), rng.integers(7, 9, 300)])
    made = {"n_neighbors": 4, "weights": weights, "ties": ties, "random_state": 3}
    model = KNeighborsClassifier(**made).fit(X, Y)
    alone = [KNeighborsClassifier(**made).fit(X, y) for y in Y.T]
    for rows in (Q, None):
        want = np.column_stack([one.predict(rows) for one in alone])
        np.testing.assert_array_equal(model.predict(rows), want)
        for share, one in zip(model.predict_proba(rows), alone, strict=True):
            np.testing.assert_array_equal(share, one.predict_proba(rows))
    assert model.outputs_2d_
    assert [classes.tolist() for classes in model.classes_] == [[0, 1, 2, 3], [7, 8]]
    want = np.mean([one.leave_one_out([1, 2, 5]) for one in alone], axis=0)
    np.testing.assert_allclose(model.leave_one_out([1, 2, 5]), want, rtol=1e-12)


def test_several_outputs_as_scikit_learn():
    rng = np.random.default_rng(6)
    X, Q = rng.normal(size=(200, 4)), rng.normal(size=(50, 4))
    Y = np.column_stack([rng.integers(0, 3, 200), rng.integers(0, 2, 200)])
    for weights in ("uniform", "distance"):
        ours, theirs = (
            cls(5, weights=weights).fit(X, Y) for cls in (KNeighborsClassifier, SklearnClassifier)
        )
        np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
        for a, b in zip(ours.predict_proba(Q), theirs.predict_proba(Q), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)
    with pytest.raises(ValueError, match="score is of one output"):
        ours.score(X, Y)
