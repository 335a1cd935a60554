# SPDX-License-Identifier: BSD-3-Clause
"""What scores ask for where scikit-learn's metadata routing is on: weights, and other arguments."""

import numpy as np
import pytest

import statfast as sf
from statfast import feature_selection, metrics, model_selection

sklearn = pytest.importorskip("sklearn")
pytest.importorskip("sklearn.experimental.enable_halving_search_cv")
from sklearn import feature_selection as peer_selection  # noqa: E402
from sklearn import metrics as peer_metrics  # noqa: E402
from sklearn import model_selection as peer  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X @ [1.0, 2.0, 3.0, 0.0] + RNG.normal(size=60)
WEIGHTS = RNG.uniform(0.1, 5.0, 60)
REVERSED = WEIGHTS[::-1].copy()
CV = sf.KFold(3)
CALLS = {
    "cross_validate": lambda m, f, e, s, p: np.r_[
        *(
            m.cross_validate(e, X, Y, cv=CV, scoring=s, params=p, return_train_score=True)[name]
            for name in ("test_score", "train_score")
        )
    ],
    "cross_val_score": lambda m, f, e, s, p: m.cross_val_score(e, X, Y, cv=CV, scoring=s, params=p),
    "grid": lambda m, f, e, s, p: _table(
        m.GridSearchCV(e, {"alpha": [1.0, 100.0]}, cv=CV, scoring=s).fit(X, Y, **p)
    ),
    "random": lambda m, f, e, s, p: _table(
        m.RandomizedSearchCV(
            e, {"alpha": [1.0, 100.0]}, n_iter=2, cv=CV, scoring=s, random_state=0
        ).fit(X, Y, **p)
    ),
    "halving": lambda m, f, e, s, p: _course(
        m.HalvingGridSearchCV(
            e, {"alpha": [1.0, 10.0, 100.0, 1e3]}, factor=2, cv=CV, scoring=s, random_state=0
        ).fit(X, Y, **p)
    ),
    "halving of drawn candidates": lambda m, f, e, s, p: _course(
        m.HalvingRandomSearchCV(
            e, {"alpha": [1.0, 10.0, 100.0, 1e3]}, n_candidates=4, min_resources=15, factor=2,
            cv=CV, scoring=s, random_state=0,
        ).fit(X, Y, **p)
    ),
    "RFECV": lambda m, f, e, s, p: f.RFECV(e, cv=CV, scoring=s).fit(X, Y, **p).cv_results_[
        "mean_test_score"
    ],
    "sequential": lambda m, f, e, s, p: (
        f.SequentialFeatureSelector(e, cv=CV, scoring=s, n_features_to_select=2)
        .fit(X, Y, **p)
        .support_.astype(float)
    ),
    "learning_curve": lambda m, f, e, s, p: m.learning_curve(
        e, X, Y, cv=CV, scoring=s, params=p
    )[2],
    "validation_curve": lambda m, f, e, s, p: m.validation_curve(
        e, X, Y, param_name="alpha", param_range=[1.0, 10.0], cv=CV, scoring=s, params=p
    )[1],
    "permutations": lambda m, f, e, s, p: m.permutation_test_score(
        e, X, Y, cv=CV, scoring=s, params=p, n_permutations=5, random_state=0
    )[1],
}  # fmt: skip


def _table(search):
    return np.r_[
        search.cv_results_["split0_test_score"], search.best_score_, search.best_estimator_.coef_
    ]


def _course(search):
    """Scores of all iterations on all folds, of rows that are fitted and rows that are not."""
    scores = [
        values for name, values in sorted(search.cv_results_.items())
        if name.startswith("split") and name.endswith("score")
    ]  # fmt: skip
    candidates = [params["alpha"] for params in search.cv_results_["params"]]
    return np.r_[*scores, candidates, _table(search)]


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def scorer(library, request):
    made = library.make_scorer(library.mean_absolute_error, greater_is_better=False)
    return made.set_score_request(sample_weight=request)


def asked(fit, score):
    return sf.Ridge().set_fit_request(sample_weight=fit).set_score_request(sample_weight=score)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("scoring", [None, "here", "there", "by another name"])
@pytest.mark.parametrize(("fit", "score"), [(False, True), (True, False), (True, True)])
def test_scores_are_weighted_as_they_ask(call, scoring, fit, score):
    if call == "RFECV" and scoring is None:
        pytest.skip("Its score is r2, which asks for nothing.")
    params = {"sample_weight": WEIGHTS} if fit or scoring != "by another name" else {}
    made = {None: None, "here": scorer(metrics, score), "there": scorer(peer_metrics, score)}
    if scoring == "by another name":
        params |= {"others": REVERSED}
        made[scoring] = scorer(metrics, "others")
    ours, expected = (
        CALLS[call](*modules, asked(fit, score), made[scoring], params)
        for modules in ((model_selection, feature_selection), (peer, peer_selection))
    )
    np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-12)


def test_weights_of_scores_matter():
    plain = sf.cross_val_score(sf.Ridge(), X, Y, cv=CV)
    weighted = sf.cross_val_score(
        asked(False, True), X, Y, cv=CV, params={"sample_weight": WEIGHTS}
    )
    expected = [
        metrics.r2_score(
            Y[test],
            sf.Ridge().fit(X[train], Y[train]).predict(X[test]),
            sample_weight=WEIGHTS[test],
        )
        for train, test in CV.split(X)
    ]
    assert np.abs(plain - weighted).min() > 1e-4
    np.testing.assert_allclose(weighted, expected, rtol=1e-10)


def test_each_of_several_scores_has_its_own():
    scoring = {
        "plain": metrics.get_scorer("r2").set_score_request(sample_weight=False),
        "first": metrics.get_scorer("r2").set_score_request(sample_weight="a"),
        "second": metrics.get_scorer("r2").set_score_request(sample_weight="b"),
    }
    ours, expected = (
        module.cross_validate(
            sf.Ridge(), X, Y, cv=CV, scoring=scoring, params={"a": WEIGHTS, "b": REVERSED}
        )
        for module in (model_selection, peer)
    )
    for name in ("test_plain", "test_first", "test_second"):
        np.testing.assert_allclose(ours[name], expected[name], rtol=1e-10)
    assert len({float(ours[name][0]) for name in ("test_plain", "test_first", "test_second")}) == 3


def shares_right(y, predicted, side=None, share=0.5):
    right = np.abs(y - predicted) < 1.0
    return share * right[side == 0].mean() + (1.0 - share) * right[side == 1].mean()


def test_other_arguments_of_scores_are_cut_to_the_rows():
    made = metrics.make_scorer(shares_right).set_score_request(side=True, share=True)
    params = {"side": np.tile([0, 1], 30), "share": 0.25}
    ours, expected = (
        module.cross_val_score(sf.Ridge(), X, Y, cv=CV, scoring=made, params=params)
        for module in (model_selection, peer)
    )
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    assert len(set(expected)) > 1


def test_what_a_score_did_not_decide_on_is_an_error():
    for module in (model_selection, peer):
        with pytest.raises(ValueError, match="not explicitly set as requested or not requested"):
            module.cross_val_score(
                asked(True, None), X, Y, cv=CV, scoring=metrics.get_scorer("r2"),
                params={"sample_weight": WEIGHTS},
            )  # fmt: skip
        with pytest.raises(TypeError, match="unexpected argument"):
            module.cross_val_score(sf.Ridge(), X, Y, cv=CV, params={"elsewhere": WEIGHTS})


def test_weights_of_scores_are_checked():
    with pytest.raises(ValueError, match="sample_weight"):
        sf.cross_val_score(asked(False, True), X, Y, cv=CV, params={"sample_weight": WEIGHTS - 3.0})


def test_a_search_is_scored_by_what_its_scorer_asks_for():
    for made in (scorer(metrics, True), scorer(metrics, "others")):
        ours, expected = (
            module.GridSearchCV(sf.Ridge(), {"alpha": [1.0]}, cv=CV, scoring=made).fit(X, Y)
            for module in (model_selection, peer)
        )
        name = "sample_weight" if made.requests["sample_weight"] is True else "others"
        found = ours.score(X, Y, **{name: WEIGHTS})
        assert found == pytest.approx(expected.score(X, Y, **{name: WEIGHTS}), rel=1e-12)
        assert found != ours.score(X, Y)
        with pytest.raises(TypeError, match="unexpected argument"):
            ours.score(X, Y, unknown=WEIGHTS)


GRID = {"alpha": [1.0, 10.0, 100.0]}
BY_GROUP = {
    "grid": lambda m, e, cv, p: _course(m.GridSearchCV(e, GRID, cv=cv).fit(X, Y, **p)),
    "halving": lambda m, e, cv, p: _course(
        m.HalvingGridSearchCV(e, GRID, cv=cv, factor=2, random_state=0).fit(X, Y, **p)
    ),
    "scores": lambda m, e, cv, p: m.cross_val_score(e, X, Y, cv=cv, params=p),
    "nested": lambda m, e, cv, p: m.cross_val_score(
        m.GridSearchCV(e, GRID, cv=cv), X, Y, cv=cv, params=p
    ),
    "learning_curve": lambda m, e, cv, p: m.learning_curve(e, X, Y, cv=cv, params=p)[2],
    "permutations": lambda m, e, cv, p: m.permutation_test_score(
        e, X, Y, cv=cv, params=p, n_permutations=3, random_state=0
    )[0],
}


@pytest.mark.parametrize("home", [model_selection, peer], ids=["here", "there"])
@pytest.mark.parametrize("kind", ["GroupKFold", "LeaveOneGroupOut", "GroupShuffleSplit"])
@pytest.mark.parametrize("call", BY_GROUP)
def test_splitters_get_groups_by_the_name_that_they_ask_for(call, kind, home):
    groups = np.arange(60) % 3
    settings = {"n_splits": 3, "random_state": 0} if kind == "GroupShuffleSplit" else {}
    settings = {"n_splits": 3} if kind == "GroupKFold" else settings
    splitter = getattr(home, kind)(**settings).set_split_request(groups="hospital")
    params = {"sample_weight": WEIGHTS, "hospital": groups}
    if call == "nested":  # Of the rows of an outer fold there are groups for fewer inner ones.
        params["hospital"] = np.arange(60) % 7
    ours, expected = (
        BY_GROUP[call](module, asked(True, False), splitter, params)
        for module in (model_selection, peer)
    )
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_groups_are_asked_for_as_in_scikit_learn():
    for module in (model_selection, peer):
        for asked_for in (True, False, None, "hospital"):
            splitter = module.GroupKFold().set_split_request(groups=asked_for)
            assert splitter.get_metadata_routing().split.requests == {"groups": asked_for}
        assert not hasattr(module.KFold(), "set_split_request")


def test_nested_searches_hand_weights_to_their_scorer():
    search = sf.GridSearchCV(
        asked(False, None), {"alpha": [1.0, 100.0]}, cv=CV, scoring=scorer(metrics, True)
    )
    params = {"sample_weight": WEIGHTS}
    other = peer.GridSearchCV(
        asked(False, None), {"alpha": [1.0, 100.0]}, cv=CV, scoring=scorer(peer_metrics, True)
    )
    expected = peer.cross_val_score(other, X, Y, cv=CV, params=params)
    for module in (model_selection, peer):
        found = module.cross_val_score(search, X, Y, cv=CV, params=params)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_left_out_rows_without_weight_have_no_score():
    weights = WEIGHTS * (np.arange(60) != 7)
    found = sf.cross_val_score(
        asked(False, True), X, Y, cv=sf.LeaveOneOut(),
        scoring=metrics.get_scorer("neg_mean_squared_error").set_score_request(sample_weight=True),
        params={"sample_weight": weights},
    )  # fmt: skip
    assert np.flatnonzero(np.isnan(found)).tolist() == [7]


def test_models_learn_by_increments_with_what_partial_fit_asks_for():
    labels = (Y > 0).astype(int)
    model = sf.GaussianNB()
    for method in ("fit", "partial_fit", "score"):
        getattr(model, f"set_{method}_request")(sample_weight=method != "score")
    ours, expected = (
        module.learning_curve(
            model, X, labels, cv=CV, params={"sample_weight": WEIGHTS},
            exploit_incremental_learning=True,
        )[2]
        for module in (model_selection, peer)
    )  # fmt: skip
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


@pytest.mark.parametrize("cv", [CV, sf.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_scores_without_weights_of_weighted_fits(cv):
    """Statistics of the rows held out have the weights of the fits, which these scores have not."""
    with sklearn.config_context(enable_metadata_routing=False):
        ours, expected = (
            module.validation_curve(
                sf.Ridge(), X, Y, param_name="alpha", param_range=[1.0, 10.0], cv=cv,
                params={"sample_weight": WEIGHTS},
            )[1]
            for module in (model_selection, peer)
        )  # fmt: skip
    np.testing.assert_allclose(ours, expected, rtol=1e-10)
