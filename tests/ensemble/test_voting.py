# SPDX-License-Identifier: BSD-3-Clause
"""Voting: majorities, means, their weights and ties, and what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import statfast as sf
from statfast._estimator import Classifier, Estimator, copied
from statfast._validation import FitFailedWarning
from statfast.datasets import load_wine
from statfast.model_selection import KFold, cross_val_predict, cross_validate
from tests.reference import combination as twin
from tests.reference.refits import Plain

NAMES = np.array(["ash", "elm", "oak"])


def sample(seed=0, n=60, k=3):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, 3)) + 1.2 * codes[:, None]
    return X, NAMES[codes], X @ [1.0, -0.5, 0.2] + rng.normal(size=n)


def classifiers():
    return [
        ("lda", sf.LinearDiscriminantAnalysis()),
        ("nb", sf.GaussianNB()),
        ("tree", sf.DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]


def regressors():
    return [("ridge", sf.Ridge(2.0)), ("tree", sf.DecisionTreeRegressor(max_depth=3))]


class Fixed(Classifier, Estimator):
    """A classifier that says the same of all rows."""

    def __init__(self, label="ash"):
        self.label = label

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.full(len(X), self.label)

    def predict_proba(self, X):
        return np.tile((self.classes_ == self.label) * 1.0, (len(X), 1))


@given(
    seed=st.integers(0, 10**6),
    weights=st.none() | st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any),
    k=st.sampled_from([2, 3]),
)
def test_votes_and_means_are_those_of_the_definition(seed, weights, k):
    X, y, _ = sample(seed, k=k)
    members = classifiers()
    models = twin.fits([member for _, member in members], X, y)
    counted = [1.0] * 3 if weights is None else weights
    classes = np.unique(y)
    hard = sf.VotingClassifier(members, weights=weights).fit(X, y)
    np.testing.assert_array_equal(hard.predict(X), twin.majority(models, X, classes, counted))
    codes = np.column_stack([np.searchsorted(classes, model.predict(X)) for model in models])
    np.testing.assert_array_equal(hard.transform(X), codes)
    soft = sf.VotingClassifier(members, voting="soft", weights=weights).fit(X, y)
    mean = twin.mean_answer(models, X, "predict_proba", counted)
    np.testing.assert_allclose(soft.predict_proba(X), mean, rtol=1e-12, atol=1e-15)
    assert soft.transform(X).shape == (len(X), 3 * k)
    deep = soft.set_params(flatten_transform=False).transform(X)
    np.testing.assert_array_equal(deep[1], models[1].predict_proba(X))


@given(seed=st.integers(0, 10**6), weights=st.sampled_from([None, [1, 3], [0.0, 2.0]]))
def test_a_mean_of_regressors_is_that_of_the_definition(seed, weights):
    X, _, y = sample(seed)
    rows = 1.0 + np.arange(len(y)) % 3
    model = sf.VotingRegressor(regressors(), weights=weights).fit(X, y, sample_weight=rows)
    models = twin.fits([member for _, member in regressors()], X, y, rows)
    expected = twin.mean_answer(models, X, "predict", weights or [1.0, 1.0])
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(
        model.transform(X), np.column_stack([one.predict(X) for one in models])
    )


def test_ties_go_to_the_lowest_label():
    X, y, _ = sample()
    for order in (["oak", "elm"], ["elm", "oak"]):
        members = [(label, Fixed(label)) for label in order]
        for voting in ("hard", "soft"):
            model = sf.VotingClassifier(members, voting=voting).fit(X, y)
            assert set(model.predict(X)) == {"elm"}
    members.append(("oak too", Fixed("oak")))
    assert set(sf.VotingClassifier(members).fit(X, y).predict(X)) == {"oak"}
    model = sf.VotingClassifier(members, weights=[3, 1, 1]).fit(X, y)
    assert set(model.predict(X)) == {"elm"}


def test_the_squared_error_of_the_mean_is_that_of_krogh_and_vedelsby():
    X, _, y = sample(3)
    weights = np.array([1.0, 3.0])
    model = sf.VotingRegressor(regressors(), weights=weights).fit(X, y)
    mean, members = model.predict(X), model.transform(X)
    share = weights / weights.sum()
    errors = (members - y[:, None]) ** 2 @ share
    ambiguity = (members - mean[:, None]) ** 2 @ share
    np.testing.assert_allclose((mean - y) ** 2, errors - ambiguity, rtol=1e-9, atol=1e-12)


def test_members_by_name_are_set_dropped_and_kept():
    X, y, _ = sample()
    members = classifiers()
    model = sf.VotingClassifier(members, voting="soft", weights=[1, 2, 4])
    model.set_params(nb="drop", tree__max_depth=1).fit(X, y)
    assert model.get_params()["tree__max_depth"] == 1
    assert model.get_params()["nb"] == "drop"
    assert list(model.named_estimators_) == ["lda", "nb", "tree"]
    assert model.named_estimators_.nb == "drop"
    assert model.named_estimators_["tree"] is model.estimators_[1]
    assert not hasattr(model.named_estimators.tree, "classes_")
    fitted = twin.fits([members[0][1], members[2][1]], X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), twin.mean_answer(fitted, X, "predict_proba", [1, 4]), rtol=1e-12
    )
    expected = [f"votingclassifier_{name}{k}" for name in ("lda", "tree") for k in range(3)]
    assert model.get_feature_names_out().tolist() == expected
    again = pickle.loads(pickle.dumps(model))
    assert again.named_estimators_.tree.max_depth == 1


def test_methods_are_there_where_they_can_be():
    X, y, _ = sample()
    hard, soft = (sf.VotingClassifier(classifiers(), voting=v) for v in ("hard", "soft"))
    assert hasattr(soft, "predict_proba")
    assert not hasattr(hard, "predict_proba")
    with pytest.raises(AttributeError, match="not available when voting='hard'"):
        hard.predict_proba  # noqa: B018
    with pytest.raises(ValueError, match="not supported when voting='soft' and"):
        soft.set_params(flatten_transform=False).fit(X, y).get_feature_names_out()


def test_class_weights_name_labels_and_weights_reach_all():
    X, y, _ = sample()
    by_label = {"ash": 1.0, "elm": 5.0, "oak": 0.5}
    logistic = sf.LogisticRegression(C=1.0, class_weight=by_label)
    plain = sf.LogisticRegression(C=1.0)
    own = sf.VotingClassifier([("l", logistic), ("d", plain)], voting="soft").fit(X, y)
    rows = np.vectorize(by_label.get)(y)
    by_rows = plain.fit(X, y, sample_weight=rows).predict_proba(X)
    np.testing.assert_allclose(own.transform(X)[:, :3], by_rows, rtol=1e-8)
    model = sf.VotingClassifier([("l", plain), ("d", plain)], voting="soft")
    model.fit(X, y, sample_weight=rows * (y != "ash"))
    assert model.classes_.tolist() == ["elm", "oak"]
    assert model.predict_proba(X).shape == (len(X), 2)


def test_members_of_scikit_learn_and_sparse_rows():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB

    X, y, _ = sample()
    members = [("theirs", LogisticRegression()), ("ours", sf.LogisticRegression(C=1.0)),
               ("nb", BernoulliNB())]  # fmt: skip
    dense = sf.VotingClassifier(members, voting="soft").fit(X, y)
    rows = sparse.csr_array(X)
    some = sf.VotingClassifier(members, voting="soft").fit(rows, y)
    np.testing.assert_allclose(some.predict_proba(rows), dense.predict_proba(X), atol=1e-5)
    assert some.__sklearn_tags__().input_tags.sparse
    members.append(("trees", sf.DecisionTreeClassifier()))
    members.append(("lda", sf.LinearDiscriminantAnalysis()))
    assert not sf.VotingClassifier(members).__sklearn_tags__().input_tags.sparse
    weights = np.where(y == "ash", 0.0, 1.0)  # scikit-learn's keep such a class otherwise
    model = sf.VotingClassifier(members[:3], voting="soft").fit(X, y, sample_weight=weights)
    assert model.predict_proba(X).shape == (len(X), 2)


REFUSED = [
    ({"estimators": None}, TypeError, "estimators must be a list of pairs"),
    ({"estimators": []}, TypeError, "estimators must be a list of pairs"),
    ({"estimators": [sf.GaussianNB()]}, TypeError, "estimators must be a list of pairs"),
    ({"estimators": [("a", sf.GaussianNB)]}, TypeError, "'a' must have fit and predict"),
    ({"estimators": [("a", sf.StandardScaler())]}, TypeError, "'a' must have fit and predict"),
    ({"estimators": [("a", sf.Ridge())]}, ValueError, "'a' should be a classifier"),
    ({"estimators": [("a", "drop")]}, ValueError, "all dropped"),
    ({"estimators": [("a", sf.GaussianNB()), ("a", sf.GaussianNB())]}, ValueError, "must differ"),
    ({"estimators": [("a__b", sf.GaussianNB())]}, ValueError, "hold no '__'"),
    ({"estimators": [("voting", sf.GaussianNB())]}, ValueError, "not be a parameter"),
    ({"weights": [1.0]}, ValueError, "weights must have one number for each of 3 estimators"),
    ({"weights": [1, -1, 2]}, ValueError, "weights must not be negative"),
    ({"weights": [0, 0, 0]}, ValueError, "weights must not all be 0"),
    ({"voting": "loud"}, ValueError, "voting must be"),
    ({"estimators": [("m", sf.LinearSVC()), ("n", sf.GaussianNB())], "voting": "soft"},
     TypeError, "'m' must have predict_proba for voting='soft'"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "kind", "message"), REFUSED)
def test_what_is_refused(params, kind, message):
    X, y, _ = sample()
    with pytest.raises(kind, match=message):
        sf.VotingClassifier(**{"estimators": classifiers(), **params}).fit(X, y)


def test_what_else_is_refused():
    X, y, numbers = sample()
    knn = [("knn", sf.KNeighborsClassifier()), ("nb", sf.GaussianNB())]
    with pytest.raises(TypeError, match="'knn' does not take it"):
        sf.VotingClassifier(knn).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="'f' predicts 'yew', which is not a class of y"):
        sf.VotingClassifier([("f", Fixed("yew"))]).fit(X, y).predict(X)
    with pytest.raises(ValueError, match="y must have one output; got 2"):
        sf.VotingRegressor(regressors()).fit(X, np.column_stack([numbers, numbers]))
    with pytest.raises(ValueError, match="'nb' should be a regressor"):
        sf.VotingRegressor([("nb", sf.GaussianNB())]).fit(X, numbers)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 7])
def test_threads_change_nothing(n_jobs):
    X, y, _ = sample(n=200)
    model = sf.VotingClassifier(classifiers(), voting="soft", n_jobs=n_jobs).fit(X, y)
    plain = sf.VotingClassifier(classifiers(), voting="soft").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_frames_names_and_output():
    pd = pytest.importorskip("pandas")
    X, y, numbers = sample()
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(y))[::-1])
    model = sf.VotingRegressor(regressors()).set_output(transform="pandas").fit(frame, numbers)
    table = model.transform(frame)
    assert list(table.columns) == ["votingregressor_ridge", "votingregressor_tree"]
    assert (table.index == frame.index).all()
    assert all(list(one.feature_names_in_) == ["a", "b", "c"] for one in model.estimators_)
    search = sf.GridSearchCV(
        sf.VotingClassifier(classifiers(), voting="soft"),
        {"tree__max_depth": [1, 3], "nb": ["drop", sf.GaussianNB()]}, cv=3, error_score="raise",
    ).fit(frame, y)  # fmt: skip
    assert len(search.cv_results_["mean_test_score"]) == 4


# ------------------------------------------------------------------ cross-validation


SUMS = [("lda", sf.LinearDiscriminantAnalysis()), ("nb", sf.GaussianNB())]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_of_members_that_are_sums_are_not_refitted(voting, weighted):
    X, y = load_wine(return_X_y=True)
    y = np.array(["a", "b", "c"])[y]
    rng = np.random.default_rng(0)
    w = rng.integers(0, 3, len(y)).astype(float) if weighted else None
    cv = KFold(6, shuffle=True, random_state=1)
    trees = [*SUMS, ("tree", sf.DecisionTreeClassifier(max_depth=3, random_state=0))]
    for members, path in ((SUMS, "merged statistics"), (trees, "shared structure")):
        model = sf.VotingClassifier(members, voting=voting, weights=range(1, len(members) + 1))
        scores = cross_validate(model, X, y, cv=cv, sample_weight=w, return_estimator=True)
        known = cross_validate(Plain(model), X, y, cv=cv, sample_weight=w)
        assert (scores.path, known.path) == (path, "refit")
        assert_allclose(scores["test_score"], known["test_score"], rtol=1e-12)
        for fitted, (train, _) in zip(scores["estimator"], cv.split(X), strict=True):
            kept = train if w is None else train[w[train] > 0]
            want = copied(model).fit(X[kept], y[kept], None if w is None else w[kept])
            assert list(fitted.named_estimators_) == [name for name, _ in members]
            assert fitted.n_features_in_ == X.shape[1]
            assert_array_equal(fitted.predict(X), want.predict(X))
            if voting == "soft":
                assert_allclose(fitted.predict_proba(X), want.predict_proba(X), atol=1e-9)


def test_folds_of_regressors_and_their_tables():
    pandas = pytest.importorskip("pandas")
    X, y = load_wine().data[:, 1:], load_wine().data[:, 0]
    table = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    model = sf.VotingRegressor(
        [("line", sf.LinearRegression()), ("ridge", sf.Ridge())], weights=[3, 1]
    )
    scores = cross_validate(model, table, y, cv=4, return_estimator=True)
    assert scores.path == "merged statistics"
    assert_allclose(
        scores["test_score"], cross_validate(Plain(model), X, y, cv=4)["test_score"], rtol=1e-9
    )
    assert scores["estimator"][0].feature_names_in_.tolist() == list(table.columns)
    got = cross_val_predict(model, X, y, cv=4)
    assert_allclose(got, cross_val_predict(Plain(model), X, y, cv=4), rtol=1e-9)


def test_a_fold_without_a_class_votes_among_the_others():
    X, y = load_wine(return_X_y=True)
    pairs = [(np.flatnonzero(y != 2), np.flatnonzero(y == 2)), (np.arange(0, 178, 2), [1, 3, 5])]
    model = sf.VotingClassifier(SUMS, voting="soft")
    scores = cross_validate(model, X, y, cv=pairs, return_estimator=True)
    assert scores["estimator"][0].classes_.tolist() == [0, 1]
    assert scores["test_score"][0] == 0.0


def test_what_a_fold_refuses_is_what_a_refit_refuses():
    X, y = load_wine(return_X_y=True)
    wrong = sf.VotingClassifier([*SUMS, ("line", sf.LinearRegression())])
    with pytest.raises(ValueError, match="'line' should be a classifier"):
        cross_validate(wrong, X, y, cv=3, error_score="raise")
    pairs = [(np.arange(178), np.arange(5)), (np.flatnonzero(y == 1), np.arange(5))]
    with pytest.warns(FitFailedWarning, match="1 fit.*y must hold at least 2 classes"):
        scores = cross_validate(sf.VotingClassifier(SUMS), X, y, cv=pairs)
    assert np.isnan(scores["test_score"]).tolist() == [False, True]
