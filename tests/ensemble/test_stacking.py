# SPDX-License-Identifier: BSD-3-Clause
"""Stacking: columns of rows held out, what the final estimator learns of them, what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import statfast as sf
from statfast._estimator import as_folds, copied
from tests.ensemble.test_voting import Fixed, sample
from tests.reference import combination as twin


class Kept(sf.LinearRegression):
    """A final estimator that keeps what it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        model = super().fit(X, y, sample_weight=sample_weight)
        self.columns, self.weights = X, sample_weight
        return model


class KeptLabels(sf.LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        model = super().fit(X, y, sample_weight=sample_weight)
        self.columns = X
        return model


def classifiers():
    return [
        ("lda", sf.LinearDiscriminantAnalysis()),
        ("machine", sf.LinearSVC(random_state=0)),
        ("knn", sf.KNeighborsClassifier(3)),
    ]


def pairs_of(cv, X, y, classes=True):
    splitter = sf.StratifiedKFold(cv) if classes else sf.KFold(cv)
    return list(splitter.split(X, y))


@given(seed=st.integers(0, 10**6), k=st.sampled_from([2, 3]), passthrough=st.booleans(),
       method=st.sampled_from(["auto", "predict"]))  # fmt: skip
def test_columns_are_those_of_refits(seed, k, passthrough, method):
    X, y, _ = sample(seed, k=k)
    model = sf.StackingClassifier(
        classifiers(), KeptLabels(C=1.0), cv=3, stack_method=method, passthrough=passthrough
    ).fit(X, y)
    methods = ["predict_proba", "decision_function", "predict_proba"]
    methods = methods if method == "auto" else ["predict"] * 3
    assert model.stack_method_ == methods
    members = [member for _, member in classifiers()]
    expected = twin.held_out_columns(members, X, y, pairs_of(3, X, y), methods)
    expected = np.hstack([expected, X]) if passthrough else expected
    np.testing.assert_allclose(model.final_estimator_.columns, expected, rtol=1e-6, atol=1e-8)
    final = sf.LogisticRegression(C=1.0).fit(expected, y)
    whole = twin.held_out_columns(members, X, y, [(np.arange(len(y)), np.arange(len(y)))], methods)
    whole = np.hstack([whole, X]) if passthrough else whole
    np.testing.assert_allclose(model.transform(X), whole, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), final.predict_proba(whole), atol=1e-5)
    assert model.transform(X).shape[1] == len(model.get_feature_names_out())


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_columns_of_regressors_are_those_of_refits(seed, weighted):
    X, _, y = sample(seed)
    weights = (np.arange(len(y)) % 4).astype(float) if weighted else None
    members = [sf.Ridge(2.0), sf.LinearRegression(), sf.DecisionTreeRegressor(max_depth=2)]
    named = list(zip("abc", members, strict=True))
    model = sf.StackingRegressor(named, Kept(), cv=4).fit(X, y, sample_weight=weights)
    expected = twin.held_out_columns(
        members, X, y, pairs_of(4, X, y, False), ["predict"] * 3, weights
    )
    np.testing.assert_allclose(model.final_estimator_.columns, expected, rtol=1e-8, atol=1e-9)
    assert (model.final_estimator_.weights is None) == (weights is None)
    final = sf.LinearRegression().fit(expected, y, sample_weight=weights)
    columns = np.column_stack([one.predict(X) for one in model.estimators_])
    np.testing.assert_allclose(model.predict(X), final.predict(columns), rtol=1e-6, atol=1e-6)
    assert model.strategies_[:2] == ["merged statistics"] * 2


def test_no_fold_is_refitted_of_sums(monkeypatch):
    X, y, numbers = sample(n=120)
    fits = []
    fit = sf.LinearDiscriminantAnalysis.fit

    def counted(self, *args, **kwargs):
        fits.append(self)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(sf.LinearDiscriminantAnalysis, "fit", counted)
    members = [("lda", sf.LinearDiscriminantAnalysis()), ("nb", sf.GaussianNB())]
    model = sf.StackingClassifier(members, cv=10).fit(X, y)
    assert len(fits) == 1
    assert model.strategies_ == ["merged statistics"] * 2
    knn = [("knn", sf.KNeighborsRegressor()), ("ridge", sf.Ridge())]
    left_out = sf.StackingRegressor(knn, cv=sf.LeaveOneOut()).fit(X, numbers)
    assert left_out.strategies_ == ["closed form"] * 2


def test_fitted_members_are_kept():
    X, y, _ = sample()
    members = [(name, copied(m).fit(X[:40], y[:40])) for name, m in classifiers()]
    model = sf.StackingClassifier(members, cv="prefit").fit(X[40:], y[40:])
    assert all(a is b for a, (_, b) in zip(model.estimators_, members, strict=True))
    assert model.strategies_ == ["prefit"] * 3
    columns = np.hstack([
        members[0][1].predict_proba(X), members[1][1].decision_function(X),
        members[2][1].predict_proba(X),
    ])  # fmt: skip
    np.testing.assert_array_equal(model.transform(X), columns)
    final = sf.LogisticRegression(C=1.0).fit(columns[40:], y[40:])
    np.testing.assert_array_equal(model.predict(X), final.predict(columns))
    with pytest.raises(sf.NotFittedError):
        sf.StackingClassifier(classifiers(), cv="prefit").fit(X, y)
    with pytest.raises(ValueError, match="cv must be"):
        sf.StackingClassifier(classifiers(), cv="fitted").fit(X, y)


def test_a_regressor_among_classes_learns_their_places():
    X, y, _ = sample()
    members = [("line", sf.LinearRegression()), ("nb", sf.GaussianNB())]
    model = sf.StackingClassifier(members, cv=3).fit(X, y)
    codes = np.searchsorted(["ash", "elm", "oak"], y)
    line = sf.LinearRegression().fit(X, codes)
    np.testing.assert_allclose(model.transform(X)[:, 0], line.predict(X), rtol=1e-10)
    assert model.score(X, y) > 0.6


def test_methods_are_those_of_the_final_estimator():
    X, y, _ = sample()
    members = [("lda", sf.LinearDiscriminantAnalysis())]
    machine = sf.StackingClassifier(members, sf.LinearSVC(random_state=0))
    assert not hasattr(machine, "predict_proba")
    assert machine.fit(X, y).decision_function(X).shape == (len(X), 3)
    trees = sf.StackingClassifier(members, sf.DecisionTreeClassifier(max_depth=2))
    assert not hasattr(trees, "decision_function")
    assert trees.fit(X, y).predict_proba(X).shape == (len(X), 3)


def test_groups_and_folds_by_hand():
    X, y, numbers = sample()
    groups = np.arange(len(y)) // 6
    members = [("tree", sf.DecisionTreeRegressor(max_depth=2))]
    grouped = sf.StackingRegressor(members, Kept(), cv=sf.GroupKFold(3))
    grouped.fit(X, numbers, groups=groups)
    pairs = list(sf.GroupKFold(3).split(X, numbers, groups))
    listed = sf.StackingRegressor(members, Kept(), cv=pairs).fit(X, numbers)
    np.testing.assert_array_equal(grouped.final_estimator_.columns, listed.final_estimator_.columns)
    assert len(as_folds(pairs, X, numbers, len(y))) == 3
    with pytest.raises(ValueError, match="StackingRegressor only works for partitions"):
        sf.StackingRegressor(members, cv=pairs[:2]).fit(X, numbers)


def test_sparse_rows_pass_through_sparse():
    X, y, _ = sample()
    rows = sparse.csr_array(X)
    members = [("logistic", sf.LogisticRegression(C=1.0)), ("machine", sf.LinearSVC())]
    model = sf.StackingClassifier(members, passthrough=True, cv=3).fit(rows, y)
    dense = sf.StackingClassifier(members, passthrough=True, cv=3).fit(X, y)
    columns = model.transform(rows)
    assert sparse.issparse(columns)
    np.testing.assert_allclose(columns.toarray(), dense.transform(X), atol=1e-4)
    assert (model.predict(rows) == dense.predict(X)).mean() > 0.95


def test_members_of_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    X, y, _ = sample()
    members = [("logistic", LogisticRegression()), ("nb", GaussianNB())]
    for final in (None, sf.GaussianNB()):
        theirs = GaussianNB() if final else LogisticRegression(tol=1e-10, max_iter=1000)
        peer = StackingClassifier(members, theirs, passthrough=True).fit(X, y)
        model = sf.StackingClassifier(members, final, passthrough=True).fit(X, y)
        np.testing.assert_allclose(model.transform(X), peer.transform(X), rtol=1e-12)
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)
        assert model.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
        assert model.strategies_ == ["refit"] * 2


def test_frames_pickles_and_searches():
    pd = pytest.importorskip("pandas")
    X, y, _ = sample()
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(y))[::-1])
    model = sf.StackingClassifier(classifiers(), passthrough=True, cv=3)
    model.set_output(transform="pandas").fit(frame, y)
    table = model.transform(frame)
    assert list(table.columns[-3:]) == ["a", "b", "c"]
    assert (table.index == frame.index).all()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    search = sf.GridSearchCV(
        sf.StackingClassifier(classifiers(), sf.LogisticRegression(C=1.0), cv=3),
        {"final_estimator__C": [0.1, 1.0], "knn__n_neighbors": [1, 5]}, cv=2, error_score="raise",
    ).fit(frame, y)  # fmt: skip
    assert search.best_estimator_.final_estimator_.C in (0.1, 1.0)
    assert (
        "final_estimator__C"
        in model.set_params(final_estimator=sf.LogisticRegression()).get_params()
    )


def test_what_is_refused():
    X, y, numbers = sample()
    with pytest.raises(ValueError, match="final_estimator should be a classifier"):
        sf.StackingClassifier(classifiers(), sf.Ridge()).fit(X, y)
    with pytest.raises(ValueError, match="final_estimator should be a regressor"):
        sf.StackingRegressor([("r", sf.Ridge())], sf.GaussianNB()).fit(X, numbers)
    with pytest.raises(TypeError, match="final_estimator must be an estimator"):
        sf.StackingClassifier(classifiers(), sf.Ridge).fit(X, y)
    with pytest.raises(ValueError, match=r"'machine', .* does not have the method predict_proba"):
        sf.StackingClassifier(classifiers(), stack_method="predict_proba").fit(X, y)
    with pytest.raises(TypeError, match="'knn' does not take it"):
        sf.StackingClassifier(classifiers()).fit(X, y, sample_weight=np.ones(len(y)))
    final = sf.KNeighborsClassifier()
    with pytest.raises(TypeError, match="final_estimator does not take it"):
        sf.StackingClassifier(classifiers()[:1], final).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="at least 2 classes"):
        sf.StackingClassifier(classifiers()).fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="X must hold numbers"):
        sf.StackingClassifier(classifiers()).fit(X.astype(str), y)
    with pytest.raises(ValueError, match="not a class of y"):
        sf.StackingClassifier([("f", Fixed("yew"))], stack_method="predict").fit(X, y)
