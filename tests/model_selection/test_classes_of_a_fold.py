# SPDX-License-Identifier: BSD-3-Clause
"""Classes of which a fold has no row: their weights weight nothing there."""

import numpy as np
import pytest

import statfast as sf

X = np.random.default_rng(0).standard_normal((30, 2))
LABELS = np.array(["a", "b", "c"], dtype=object)
Y = LABELS[(X[:, 0] > 0).astype(int)]
Y[:3] = "c"  # rows that one of the folds holds out
CLASSIFIERS = [
    sf.DecisionTreeClassifier(max_depth=2),
    sf.ExtraTreesClassifier(n_estimators=2, random_state=0),
    sf.HistGradientBoostingClassifier(max_iter=2),
    sf.LinearSVC(),
    sf.LogisticRegression(C=1.0),
    sf.RandomForestClassifier(n_estimators=2, random_state=0),
    sf.SVC(),
]
NAMED = {"c": 2.0, "a": 3.0}


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore:class_weight names 'c'")
def test_scores_where_a_fold_lacks_a_class_with_a_weight(model):
    model = model.__class__(**model.get_params() | {"class_weight": NAMED})
    got = sf.cross_val_score(model, X, Y, cv=sf.KFold(3), error_score="raise")
    alone = []
    for train, test in sf.KFold(3).split(X):
        known = {label: w for label, w in NAMED.items() if label in Y[train]}
        one = model.__class__(**model.get_params() | {"class_weight": known})
        alone.append(one.fit(X[train], Y[train]).score(X[test], Y[test]))
    np.testing.assert_allclose(got, alone)
    search = sf.GridSearchCV(model, {}, cv=sf.KFold(3)).fit(X, Y)
    np.testing.assert_allclose(search.best_score_, np.mean(alone))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_a_weight_of_no_class_is_warned_of(model):
    rows = Y != "c"
    model = model.__class__(**model.get_params() | {"class_weight": {"c": 2.0}})
    with pytest.warns(UserWarning, match=r"class_weight names 'c', which is not a class of y"):
        model.fit(X[rows], Y[rows])
    assert model.classes_.tolist() == ["a", "b"]


@pytest.mark.filterwarnings("ignore:class_weight names 'c'")
def test_wrappers_whose_parts_lack_a_class_with_a_weight():
    inside = sf.LogisticRegression(C=1.0, class_weight=NAMED)
    wrappers = [
        sf.CalibratedClassifierCV(inside, cv=sf.KFold(3)),
        sf.make_pipeline(sf.StandardScaler(), inside),
    ]
    for model in wrappers:
        assert model.fit(X, Y).classes_.tolist() == ["a", "b", "c"]
        assert np.isfinite(sf.cross_val_score(model, X, Y, cv=sf.KFold(3))).all()


def test_a_decision_between_two_of_three_classes():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [5.0], [5.1]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    folds = [([0, 1, 2, 3], [4, 5]), ([0, 2, 4], [1, 3]), ([1, 3, 5], [0, 2])]
    model = sf.LogisticRegression(C=1.0)
    found = sf.cross_val_predict(model, X, y, cv=folds, method="decision_function")
    two = model.fit(X[:4], y[:4]).decision_function(X[4:])
    np.testing.assert_allclose(found[4:, :2], np.column_stack([-two, two]))
    assert (found[4:, 2] < -1e300).all()


def test_a_fold_of_one_of_two_classes():
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    folds = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    found = sf.cross_val_predict(sf.GaussianNB(), X, y, cv=folds, method="predict_proba")
    assert found.shape == (4, 2)
    np.testing.assert_array_equal(found[2:], [[1.0, 0.0]] * 2)
