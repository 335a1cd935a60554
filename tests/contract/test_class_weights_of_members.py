# SPDX-License-Identifier: BSD-3-Clause
"""Class weights of members name the user's labels, whatever their wrapper makes of these."""

import warnings

import numpy as np
import pytest

import statfast as sf

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2], 40)
X = RNG.normal(size=(120, 2)) + 1.2 * CODES[:, None]
NAMES = np.array(["low", "mid", "top"])[CODES]
SHIFTED = CODES + 1  # integers of which some are codes of others
WEIGHTS = {"low": 1.0, "mid": 3.0, "top": 0.5}
FACTORS = np.array([1.0, 3.0, 0.5])
REDUCTIONS = {
    "one vs one": sf.OneVsOneClassifier,
    "one vs rest": sf.OneVsRestClassifier,
    "output codes": lambda member: sf.OutputCodeClassifier(member, random_state=0),
}
MEMBERS = {
    "logistic": lambda w: sf.LogisticRegression(C=1.0, class_weight=w),
    "machine": lambda w: sf.LinearSVC(class_weight=w, random_state=0),
    "tree": lambda w: sf.DecisionTreeClassifier(max_depth=2, class_weight=w, random_state=0),
}


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("kind", MEMBERS)
@pytest.mark.parametrize("wrapper", REDUCTIONS)
def test_reductions_weight_the_rows_of_each_label(wrapper, kind, shifted):
    y = SHIFTED if shifted else NAMES
    weights = dict(zip(np.unique(y).tolist(), FACTORS, strict=True))
    make = REDUCTIONS[wrapper]
    rows = 0.5 + np.arange(120) % 3
    for more in ({}, {"sample_weight": rows}):
        given = make(MEMBERS[kind](weights))
        got = given.fit(X, y, **more)
        want = make(MEMBERS[kind](None))
        want.fit(X, y, sample_weight=FACTORS[CODES] * (rows if more else 1.0))
        np.testing.assert_allclose(got.decision_function(X), want.decision_function(X), rtol=1e-9)
        assert given.estimator.class_weight == weights  # the user's own is as it was
    model = make(MEMBERS[kind]({np.unique(y).tolist()[0]: 0.0})).fit(X, y)
    assert model.classes_.tolist() == np.unique(y).tolist()[1:]


@pytest.mark.parametrize("wrapper", REDUCTIONS)
def test_reductions_refuse_labels_that_they_cannot_weight(wrapper):
    pipeline = sf.make_pipeline(sf.StandardScaler(), MEMBERS["logistic"](WEIGHTS))
    with pytest.raises(ValueError, match="logisticregression__class_weight of the estimator names"):
        REDUCTIONS[wrapper](pipeline).fit(X, NAMES)
    with pytest.warns(UserWarning, match="class_weight names 'none', which is not a class of y"):
        REDUCTIONS[wrapper](MEMBERS["logistic"]({"none": 2.0})).fit(X, NAMES)
    pipeline.set_params(logisticregression__class_weight="balanced")
    REDUCTIONS[wrapper](pipeline).fit(X, NAMES)


def test_labels_that_are_the_sides_pass_through_pipelines():
    y = (CODES > 0).astype(int)
    pipeline = sf.make_pipeline(sf.StandardScaler(), MEMBERS["logistic"]({0: 1.0, 1: 4.0}))
    got = sf.OneVsRestClassifier(pipeline).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(got, pipeline.fit(X, y).predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("kind", MEMBERS)
def test_bagging_weights_by_label(kind, scaled):
    def bagged(class_weight):
        member = MEMBERS[kind](class_weight)
        member = sf.make_pipeline(sf.StandardScaler(), member) if scaled else member
        return sf.BaggingClassifier(member, 5, random_state=0)

    want = bagged(dict(enumerate(FACTORS))).fit(X, CODES)
    for y in (NAMES, SHIFTED):
        weights = dict(zip(np.unique(y).tolist(), FACTORS, strict=True))
        got = bagged(weights).fit(X, y)
        assert np.array_equal(got.predict_proba(X), want.predict_proba(X))
        assert repr(got.estimator_) == repr(got.estimator)
    plain = bagged(None).fit(X, CODES)
    assert not np.array_equal(plain.predict_proba(X), want.predict_proba(X))


@pytest.mark.parametrize("kind", MEMBERS)
@pytest.mark.parametrize("wrapper", ["calibration", "AdaBoost", "pipeline", "search", "costs"])
def test_wrappers_that_hand_labels_on(wrapper, kind):
    if wrapper == "AdaBoost" and kind != "tree":
        pytest.skip("linear members of boosting need not be better than chance")
    if wrapper == "costs" and kind == "machine":
        pytest.skip("a machine without probabilities")
    make = {
        "calibration": lambda member: sf.CalibratedClassifierCV(member, cv=3),
        "AdaBoost": lambda member: sf.AdaBoostClassifier(member, n_estimators=3, random_state=0),
        "pipeline": lambda member: sf.make_pipeline(sf.StandardScaler(), member),
        "search": lambda member: sf.GridSearchCV(member, {"class_weight": [member.class_weight]}),
        "costs": lambda member: sf.CostSensitiveClassifier(member, 1.0 - np.eye(3)),
    }[wrapper]
    want = make(MEMBERS[kind](dict(enumerate(FACTORS)))).fit(X, CODES)
    for y in (NAMES, SHIFTED):
        weights = dict(zip(np.unique(y).tolist(), FACTORS, strict=True))
        got = make(MEMBERS[kind](weights)).fit(X, y)
        np.testing.assert_array_equal(got.predict(X), np.unique(y)[want.predict(X)])
