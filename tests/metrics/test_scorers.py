# SPDX-License-Identifier: BSD-3-Clause
"""Scorers: scikit-learn's numbers by scikit-learn's names."""

import warnings

import numpy as np
import pytest

from statfast import (
    DecisionTreeClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
)
from statfast._validation import UndefinedMetricWarning
from statfast.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    get_scorer,
    get_scorer_names,
    make_scorer,
)
from statfast.model_selection import GridSearchCV, KFold, cross_val_score

peer = pytest.importorskip("sklearn.metrics")
SINGLE_LABEL_SCORES = ("d2_log_loss_score", "d2_brier_score")  # of one label a row here


@pytest.mark.filterwarnings("ignore:k=2 is not less")
@pytest.mark.parametrize("name", get_scorer_names())
def test_the_numbers_of_scikit_learn(name):
    if name not in peer.get_scorer_names():
        assert name == "max_error"
        return
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    w = rng.integers(1, 4, 80).astype(float)
    two = (X[:, 0] + rng.standard_normal(80) > 0).astype(int)
    three = two + (X[:, 1] > 1)
    number = np.exp(X[:, 0] + 0.1 * rng.standard_normal(80)) + 5
    tried = 0
    clusterings = [n for n in get_scorer_names() if n.endswith("_score") and "d2" not in n]
    for y in (two, three, number, np.column_stack([two, three > 1, X[:, 2] > 0]).astype(int)):
        regress = y is number
        if (regress and name in clusterings) or (y.ndim == 2 and name in SINGLE_LABEL_SCORES):
            continue
        model = LinearRegression() if regress else LinearDiscriminantAnalysis()
        model = DecisionTreeClassifier(max_depth=2) if y.ndim == 2 else model
        model.fit(X, y)
        for weights in (None, w):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = peer.get_scorer(name)(model, X, y, sample_weight=weights)
            except (ValueError, TypeError, AttributeError):
                continue
            if np.isnan(want):
                continue
            tried += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                got = get_scorer(name)(model, X, y, sample_weight=weights)
            np.testing.assert_allclose(got, want, rtol=1e-10)
    assert tried


def test_every_scorer_of_scikit_learn_has_its_name():
    assert set(peer.get_scorer_names()) <= set(get_scorer_names())


def test_labels_of_one_class_only():
    """A label that no row of the fit has is never expected, one that all have always is."""
    X = np.arange(8.0)[:, None]
    y = np.column_stack([X[:, 0] > 3, np.ones(8), np.zeros(8)]).astype(int)
    model = DecisionTreeClassifier().fit(X, y)
    predicted = get_scorer("roc_auc").asked(model, X)
    np.testing.assert_array_equal(predicted, y)


@pytest.mark.parametrize("scoring", ["f1_samples", "precision_micro", "roc_auc"])
def test_several_labels_in_cross_validation(scoring):
    from sklearn.model_selection import cross_val_score as their_scores

    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 3))
    y = (X @ rng.standard_normal((3, 4)) + rng.standard_normal((90, 4)) > 0).astype(int)
    model = DecisionTreeClassifier(max_depth=3)
    got = cross_val_score(model, X, y, cv=3, scoring=scoring)
    np.testing.assert_allclose(got, their_scores(model, X, y, cv=3, scoring=scoring), rtol=1e-12)
    search = GridSearchCV(model, {"max_depth": [1, 3]}, cv=3, scoring=scoring).fit(X, y)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(got.mean(), rel=1e-12)


def test_scores_of_single_rows():
    model = LinearRegression().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.5])
    X, y = np.array([[3.0], [4.0]]), np.array([3.0, 6.0])
    tried = 0
    for name in get_scorer_names():
        scorer = get_scorer(name)
        if scorer.each is None or name == "accuracy":
            continue
        tried += 1
        alone = [scorer(model, X[i : i + 1], y[i : i + 1]) for i in range(2)]
        np.testing.assert_allclose(scorer.each(y, model.predict(X), None), alone)
    assert tried >= 4


def test_scorers_made():
    X, y = [[0.0], [1.0], [0.4], [3.0]], [0, 0, 1, 1]
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert make_scorer(accuracy_score)(model, X, y) == model.score(X, y)
    loss = make_scorer(accuracy_score, greater_is_better=False)
    assert loss(model, X, y) == -model.score(X, y)

    def mean(y, predicted):
        return float(np.mean(predicted))

    for response, want in (
        ("predict_proba", model.predict_proba(X)[:, 1].mean()),
        ("decision_function", model.decision_function(X).mean()),
        (("decision_function", "predict_proba"), model.decision_function(X).mean()),
    ):
        assert make_scorer(mean, response_method=response)(model, X, y) == pytest.approx(want)
    assert get_scorer(mean) is mean


def test_what_is_no_scorer():
    with pytest.raises(ValueError, match="scoring must be one of the names"):
        get_scorer("acc")
    with pytest.raises(TypeError, match="scoring must be a name or a function"):
        get_scorer(3)
    with pytest.raises(TypeError, match="score_func must be a function"):
        make_scorer("accuracy")
    with pytest.raises(ValueError, match="response_method must be"):
        make_scorer(accuracy_score, response_method="guess")


@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("positive", ["no", "yes"])
def test_scores_of_the_class_that_is_named(positive, response):
    """Probabilities and decision values are those of ``pos_label``, be it the first or second."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 2))
    names = np.where(rows[:, 0] + rng.standard_normal(40) > 0.5, "yes", "no")
    codes = (names == positive).astype(int)
    named, coded = LogisticRegression().fit(rows, names), LogisticRegression().fit(rows, codes)
    losses = [average_precision_score]
    if response == "predict_proba":
        losses.append(brier_score_loss)
    for loss in losses:
        by_name = make_scorer(loss, response_method=response, pos_label=positive)
        by_code = make_scorer(loss, response_method=response)
        want = by_code(coded, rows, codes)
        assert by_name(named, rows, names) == pytest.approx(want, rel=1e-9)
        got = cross_val_score(LogisticRegression(), rows, names, cv=KFold(3), scoring=by_name)
        want = cross_val_score(LogisticRegression(), rows, codes, cv=KFold(3), scoring=by_code)
        np.testing.assert_allclose(got, want, rtol=1e-9)


def test_weights_of_scores_that_know_none():
    X, y = np.arange(12.0)[:, None], np.arange(12.0) ** 2
    model, weights = LinearRegression().fit(X, y), np.arange(12.0) % 3
    scorer = get_scorer("neg_max_error")
    assert scorer(model, X, y, weights) == scorer(model, X[weights > 0], y[weights > 0])
    scores = cross_val_score(
        model, X, y, cv=KFold(3), scoring="max_error", params={"sample_weight": weights}
    )
    assert np.isfinite(scores).all()
    with pytest.raises(ValueError, match="takes no sample_weight"):
        get_scorer("rand_score")(model, X, y, weights)
