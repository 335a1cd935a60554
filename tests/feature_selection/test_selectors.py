# SPDX-License-Identifier: BSD-3-Clause
"""Selectors: rules against their definitions, known answers, rows of all kinds, what is refused."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import statfast as sf
from statfast.datasets import load_iris, load_wine
from statfast.feature_selection import univariate

IRIS, WINE = load_iris(), load_wine()
SEEDS = st.integers(0, 2**32 - 1)


# ------------------------------------------------------------------ rules
@given(SEEDS)
def test_the_best_are_the_largest_of_equals_the_first(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, 12).astype(float)
    scores[rng.random(12) < 0.2] = np.nan
    count = int(rng.integers(0, 13))
    order = sorted(range(12), key=lambda j: (np.isnan(scores[j]), -np.nan_to_num(scores[j]), j))
    chosen = np.flatnonzero(univariate.choose_best(scores, count))
    assert sorted(order[:count]) == chosen.tolist()


@given(SEEDS, st.floats(0, 100))
def test_a_percentile_keeps_as_many_as_fit(seed, percentile):
    scores = np.random.default_rng(seed).integers(0, 6, 15).astype(float)
    support = univariate.choose_percentile(scores, percentile)
    kept, others = scores[support], scores[~support]
    assert not len(kept) or not len(others) or kept.min() >= others.max()
    assert len(kept) <= np.ceil(15 * percentile / 100)
    equals = np.flatnonzero(scores == kept.min()) if len(kept) else []
    assert sorted(support[equals].tolist(), reverse=True) == support[equals].tolist()


@given(SEEDS, st.floats(0, 1))
def test_false_discoveries_are_benjamini_and_hochbergs(seed, alpha):
    p = np.random.default_rng(seed).random(9) ** 3
    p[0] = np.nan
    ranked = sorted(p[1:])
    passed = [i for i in range(8) if ranked[i] <= alpha * (i + 1) / 9]
    limit = ranked[passed[-1]] if passed else -1.0
    got = univariate.choose_by_false_discoveries(p, alpha)
    assert got.tolist() == [bool(value <= limit) for value in p]


def test_benjamini_and_hochbergs_own_example():
    """The fifteen p-values of their paper: four are significant, and by Bonferroni three."""
    p = np.array([
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
        0.5719, 0.6528, 0.7590, 1.0,
    ])  # fmt: skip
    assert univariate.choose_by_false_discoveries(p, 0.05).sum() == 4
    assert univariate.choose_by_family_error(p, 0.05).sum() == 3
    assert univariate.choose_by_false_positives(p, 0.05).sum() == 9


def score_and_test(X, y):
    return X[0], 1.0 / (1.0 + X[0])


def test_rules_of_the_generic_selector_are_those_of_the_others():
    X = np.random.default_rng(0).gamma(1.0, 30.0, (5, 12))
    pairs = [
        (("k_best", 3), sf.SelectKBest(score_and_test, k=3)),
        (("k_best", "all"), sf.SelectKBest(score_and_test, k="all")),
        (("percentile", 40), sf.SelectPercentile(score_and_test, percentile=40)),
        (("fpr", 0.05), sf.SelectFpr(score_and_test)),
        (("fdr", 0.2), sf.SelectFdr(score_and_test, alpha=0.2)),
        (("fwe", 0.3), sf.SelectFwe(score_and_test, alpha=0.3)),
    ]
    for (mode, setting), selector in pairs:
        generic = sf.GenericUnivariateSelect(score_and_test, mode=mode, param=setting).fit(X)
        want = selector.fit(X).get_support()
        assert want.sum() > 0
        assert generic.get_support().tolist() == want.tolist()


def test_iris_and_wine_have_their_known_answers():
    assert sf.SelectKBest(k=2).fit(IRIS.data, IRIS.target).get_support(indices=True).tolist() == [
        2,
        3,
    ]
    chosen = sf.SelectKBest(sf.chi2, k=2).fit(IRIS.data, IRIS.target).get_support(indices=True)
    assert chosen.tolist() == [2, 3]
    wine = sf.SelectKBest(k=3).fit(WINE.data, WINE.target).get_support(indices=True)
    assert wine.tolist() == [6, 11, 12]  # flavanoids, OD280/OD315, proline


# ------------------------------------------------------------------ answers
@pytest.fixture
def selector():
    return sf.SelectKBest(k=2).fit(IRIS.data, IRIS.target)


def test_columns_go_and_come_back(selector):
    chosen = selector.transform(IRIS.data)
    np.testing.assert_array_equal(chosen, IRIS.data[:, [2, 3]])
    assert chosen.base is None or not np.shares_memory(chosen, IRIS.data)
    back = selector.inverse_transform(chosen)
    np.testing.assert_array_equal(back[:, 2:], chosen)
    assert not back[:, :2].any()
    rows = selector.transform(sparse.csr_array(IRIS.data))
    np.testing.assert_array_equal(rows.toarray(), chosen)
    back = selector.inverse_transform(rows)
    np.testing.assert_array_equal(back.toarray()[:, 2:], chosen)
    assert selector.transform(IRIS.data.astype(np.float32)).dtype == np.float32


def test_frames_keep_names_and_types():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 1, 1, 1], "c": [0.5, 1.0, 0.0, 2.0]})
    selector = sf.VarianceThreshold().set_output(transform="pandas").fit(frame)
    out = selector.transform(frame)
    assert out.columns.tolist() == ["a", "c"]
    assert out.dtypes.astype(str).tolist() == ["int64", "float64"]
    assert selector.get_feature_names_out().tolist() == ["a", "c"]
    polars = pytest.importorskip("polars")
    out = selector.set_output(transform="polars").transform(polars.from_pandas(frame))
    assert out.columns == ["a", "c"]
    assert out.schema["a"] == polars.Int64


def test_settings_may_change_after_the_fit(selector):
    assert selector.set_params(k=3).transform(IRIS.data).shape == (150, 3)
    with pytest.raises(ValueError, match="k must be at least 0"):
        selector.set_params(k=-1).get_support()


def test_chunks_and_parts_have_the_same_scores():
    X, y = IRIS.data, IRIS.target
    numbers = X[:, 3] + np.arange(150) % 7
    chunks = sf.Chunks(lambda: iter([X[:20], X[20:90], X[90:]]))
    cuts = [slice(0, 20), slice(20, 90), slice(90, 150)]
    for score, goal in ((sf.f_classif, y), (sf.chi2, y), (sf.f_regression, numbers)):
        want = sf.SelectKBest(score, k=2).fit(X, goal)
        parts = sf.Parts([(X[cut], goal[cut]) for cut in cuts])
        for got in (
            sf.SelectKBest(score, k=2).fit(chunks, goal), sf.SelectKBest(score, k=2).fit(parts)
        ):  # fmt: skip
            np.testing.assert_allclose(got.scores_, want.scores_, rtol=1e-9)
            np.testing.assert_allclose(got.pvalues_, want.pvalues_, rtol=1e-9)
            assert got.n_features_in_ == 4
    want = sf.VarianceThreshold().fit(X).variances_
    for rows in (chunks, sf.Parts([X[cut] for cut in cuts])):
        np.testing.assert_allclose(sf.VarianceThreshold().fit(rows).variances_, want, rtol=1e-12)


def test_summaries_show_the_best_first(selector):
    frame = selector.summary().to_frame()
    assert frame.index.tolist() == ["x2", "x3", "x0", "x1"]
    assert frame.columns.tolist() == ["F", "Pr(>F)", "Selected"]
    assert "Score function:             f_classif" in str(selector.summary())
    model = sf.LinearRegression()
    for other in (sf.RFE(model), sf.SelectFromModel(model), sf.VarianceThreshold()):
        frame = other.fit(IRIS.data, IRIS.data[:, 0]).summary().to_frame()
        assert frame["Selected"].sum() == other.get_support().sum()
    chosen = sf.SelectPercentile(sf.r_regression).fit(IRIS.data, IRIS.data[:, 0]).summary()
    assert chosen.to_frame().columns.tolist() == ["r", "Selected"]


def test_selectors_survive_pickles_and_pipelines(selector):
    again = pickle.loads(pickle.dumps(selector))
    assert again.transform(IRIS.data).tobytes() == selector.transform(IRIS.data).tobytes()
    model = sf.make_pipeline(sf.SelectKBest(k=2), sf.LinearDiscriminantAnalysis())
    assert model.fit(IRIS.data, IRIS.target).score(IRIS.data, IRIS.target) > 0.95
    search = sf.GridSearchCV(model, {"selectkbest__k": [1, 2, 4]}, cv=5)
    assert search.fit(IRIS.data, IRIS.target).best_score_ > 0.95


def test_a_score_function_of_ones_own_gets_checked_rows():
    seen = []

    def sizes(X, y, sample_weight=None):
        seen.append((type(X), None if sample_weight is None else len(sample_weight)))
        return np.abs(X).sum(axis=0)

    selector = sf.SelectKBest(sizes, k=1).fit([[1, 2], [3, 5]], [0, 1], sample_weight=[1, 2])
    assert selector.get_support().tolist() == [False, True]
    assert selector.pvalues_ is None
    assert seen == [(np.ndarray, 2)]


# ------------------------------------------------------------------ variances
def test_variances_of_what_is_not_missing():
    X = np.array([[1.0, np.nan, 0.1, np.nan], [2.0, 5.0, 0.1, np.nan], [4.0, 7.0, 0.1, np.nan]])
    selector = sf.VarianceThreshold().fit(X)
    np.testing.assert_allclose(selector.variances_[:2], [np.var([1, 2, 4]), 1.0])
    assert selector.variances_[2] == 0.0
    assert np.isnan(selector.variances_[3])
    assert selector.get_support().tolist() == [True, True, False, False]
    np.testing.assert_array_equal(selector.transform(X), X[:, :2])


@given(SEEDS)
def test_variances_are_those_of_their_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) * 10.0 ** rng.integers(-5, 5, 4)
    X[rng.random(X.shape) < 0.2] = np.nan
    weights = rng.integers(0, 3, 30) + 0.0
    weights[0] = 1.0
    X[0] = 1.0
    got = sf.VarianceThreshold().fit(X, sample_weight=weights).variances_
    again = X.repeat(weights.astype(int), axis=0)
    np.testing.assert_allclose(got, np.nanvar(again, axis=0), rtol=1e-9, atol=1e-12)
    dense = np.nan_to_num(X)
    got = sf.VarianceThreshold().fit(sparse.csr_array(dense)).variances_
    np.testing.assert_allclose(got, dense.var(axis=0), rtol=1e-9)


def test_a_constant_column_far_from_zero_has_no_variance():
    X = np.column_stack([np.full(1000, 0.1) + 1e9, np.arange(1000.0)])
    assert sf.VarianceThreshold().fit(X).variances_[0] == 0.0


# ------------------------------------------------------------------ models
def regression(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, 3 * X[:, 1] - 2 * X[:, 4] + X[:, 0] + 0.1 * rng.normal(size=n)


def test_thresholds():
    X, y = regression()
    sizes = np.abs(sf.LinearRegression().fit(X, y).coef_)
    for threshold, limit in {
        None: sizes.mean(), "mean": sizes.mean(), "median": np.median(sizes), 0.5: 0.5,
        "1.25*mean": 1.25 * sizes.mean(), "0.5 * median": 0.5 * np.median(sizes), -np.inf: -np.inf,
    }.items():  # fmt: skip
        selector = sf.SelectFromModel(sf.LinearRegression(), threshold=threshold).fit(X, y)
        assert selector.threshold_ == pytest.approx(limit)
        assert selector.get_support().tolist() == (sizes >= limit).tolist()
    for model in (sf.Lasso(0.1), sf.LassoCV(alphas=3, cv=3), sf.ElasticNet(0.1, l1_ratio=1)):
        assert sf.SelectFromModel(model).fit(X, y).threshold_ == 1e-5


def test_most_features_and_norms():
    X, y = regression()
    model = sf.LinearRegression()
    selector = sf.SelectFromModel(model, threshold=-np.inf, max_features=2).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 4]
    assert selector.max_features_ == 2
    selector = sf.SelectFromModel(model, threshold=-np.inf, max_features=lambda X: X.shape[1] // 2)
    assert selector.fit(X, y).get_support(indices=True).tolist() == [0, 1, 4]
    two = np.column_stack([y, -y + X[:, 5]])
    coef = sf.LinearRegression().fit(X, two).coef_
    for order in (1, 2, np.inf):
        selector = sf.SelectFromModel(model, norm_order=order, threshold=0.0).fit(X, two)
        want = np.linalg.norm(coef, order, axis=0)
        got = selector.summary().to_frame()["Importance"].sort_index()
        np.testing.assert_allclose(got, want)


def test_fitted_models_are_taken_over():
    X, y = regression()
    model = sf.LinearRegression().fit(X, y)
    want = sf.SelectFromModel(sf.LinearRegression()).fit(X, y)
    at_once = sf.SelectFromModel(model, prefit=True)
    np.testing.assert_array_equal(at_once.transform(X), want.transform(X))
    assert at_once.get_feature_names_out().tolist() == want.get_feature_names_out().tolist()
    fitted = sf.SelectFromModel(model, prefit=True).fit(X)
    assert fitted.get_support().tolist() == want.get_support().tolist()
    assert fitted.estimator_ is not model
    with pytest.raises(sf.NotFittedError):
        sf.SelectFromModel(sf.LinearRegression(), prefit=True).fit(X, y)
    with pytest.raises(sf.NotFittedError):
        sf.SelectFromModel(sf.LinearRegression(), prefit=True).transform(X)


def test_importances_from_where_one_says():
    X, y = regression()
    steps = sf.make_pipeline(sf.StandardScaler(), sf.LinearRegression())
    path = "named_steps.linearregression.coef_"
    for getter in (path, lambda model: model[-1].coef_):
        assert (
            sf.SelectFromModel(steps, importance_getter=getter).fit(X, y).get_support().sum() == 3
        )
        chosen = sf.RFE(steps, n_features_to_select=2, importance_getter=getter).fit(X, y)
        assert chosen.get_support(indices=True).tolist() == [1, 4]
    forest = sf.RandomForestRegressor(n_estimators=5, random_state=0)
    assert sf.SelectFromModel(forest).fit(X, y).get_support()[[1, 4]].all()


def test_more_rows_by_partial_fit():
    X, y = regression()
    codes = (y > 0).astype(int)
    selector = sf.SelectFromModel(sf.GaussianNB(), importance_getter="theta_")
    assert not hasattr(sf.SelectFromModel(sf.Lasso()), "partial_fit")
    selector.partial_fit(X[:40], codes[:40], classes=[0, 1]).partial_fit(X[40:], codes[40:])
    want = sf.GaussianNB().fit(X, codes).theta_
    np.testing.assert_allclose(selector.estimator_.theta_, want, rtol=1e-8)


@pytest.mark.parametrize(("step", "wanted"), [(1, None), (2, 1), (0.4, 2), (1, 0.5), (5, 4)])
def test_elimination_is_that_of_its_definition(step, wanted):
    X, y = regression()
    selector = sf.RFE(sf.Ridge(), n_features_to_select=wanted, step=step).fit(X, y)
    target = {None: 3, 0.5: 3}.get(wanted, wanted)
    width = step if step >= 1 else max(1, int(step * 6))
    left, removed = list(range(6)), []
    while len(left) > target:
        sizes = np.abs(sf.Ridge().fit(X[:, left], y).coef_)
        gone = [left[j] for j in np.argsort(sizes)[: min(width, len(left) - target)]]
        removed.append(gone)
        left = [j for j in left if j not in gone]
    ranking = np.ones(6, int)
    for rank, gone in enumerate(reversed(removed), 2):
        ranking[gone] = rank
    assert selector.ranking_.tolist() == ranking.tolist()
    assert selector.n_features_ == len(left) == selector.support_.sum()
    rest = sf.Ridge().fit(X[:, left], y)
    np.testing.assert_allclose(selector.predict(X), rest.predict(X[:, left]))
    assert selector.score(X, y) == pytest.approx(rest.score(X[:, left], y))


def test_elimination_has_the_methods_of_its_estimator():
    codes = IRIS.target
    selector = sf.RFE(sf.LinearDiscriminantAnalysis(), n_features_to_select=2).fit(IRIS.data, codes)
    assert selector.classes_.tolist() == np.unique(codes).tolist()
    for method in ("predict_proba", "predict_log_proba", "decision_function"):
        assert getattr(selector, method)(IRIS.data).shape == (150, 3)
    assert not hasattr(sf.RFE(sf.Ridge()), "predict_proba")
    weights = np.arange(150) % 3 + 1.0
    assert 0.9 < selector.score(IRIS.data, codes, sample_weight=weights) <= 1.0


def test_elimination_says_how_far_it_is(capsys):
    X, y = regression()
    sf.RFE(sf.Ridge(), n_features_to_select=4, verbose=1).fit(X, y)
    assert capsys.readouterr().out.splitlines()[0] == "6 features, of which 1 go"


def test_equal_importances_keep_the_first():
    X, y = regression()
    equal = sf.RFE(sf.Ridge(), importance_getter=lambda m: np.ones(m.n_features_in_)).fit(X, y)
    assert equal.ranking_.tolist() == [1, 1, 1, 2, 3, 4]
    kept = sf.SelectFromModel(
        sf.Ridge(), max_features=2, importance_getter=lambda m: np.ones(m.n_features_in_)
    ).fit(X, y)
    assert kept.get_support(indices=True).tolist() == [0, 1]


# ------------------------------------------------------------------ what is refused
X, Y = regression()
CODES = (Y > 0).astype(int)
REFUSED = [
    (lambda: sf.SelectKBest(k=-1).fit(X, CODES), "k must be at least 0"),
    (lambda: sf.SelectKBest(k="most").fit(X, CODES), "k must be"),
    (lambda: sf.SelectKBest("f").fit(X, CODES), "score_func must be a function"),
    (lambda: sf.SelectPercentile(percentile=101).fit(X, CODES), "percentile must be at most 100"),
    (lambda: sf.SelectFpr(alpha=-0.1).fit(X, CODES), "alpha must be at least 0"),
    (lambda: sf.SelectFdr(sf.mutual_info_classif).fit(X, CODES), "mutual_info_classif gives none"),
    (lambda: sf.SelectFwe(sf.r_regression).fit(X, Y), "r_regression gives none"),
    (lambda: sf.SelectKBest(lambda X, y: [1.0]).fit(X, Y), r"scores of shape \(6,\)"),
    (lambda: sf.SelectKBest(lambda X, y: (X[0], [1.0])).fit(X, Y), r"p-values of shape \(6,\)"),
    (
        lambda: sf.SelectKBest(lambda X, y: X[0]).fit(X, Y, sample_weight=np.ones(80)),
        "takes no sample_weight",
    ),
    (
        lambda: sf.SelectKBest(sf.mutual_info_classif).fit(sf.Chunks(lambda: iter([X])), CODES),
        "needs all rows at once; got Chunks",
    ),
    (
        lambda: sf.SelectKBest(sf.mutual_info_classif).fit(sf.Parts([(X, CODES)])),
        "no exact form for rows that lie in parts",
    ),
    (lambda: sf.SelectKBest().fit(X), "the target y is None"),
    (lambda: sf.GenericUnivariateSelect(mode="best").fit(X, CODES), "mode must be"),
    (
        lambda: sf.GenericUnivariateSelect(mode="k_best", param=0.5).fit(X, CODES),
        "param must be an integer",
    ),
    (lambda: sf.GenericUnivariateSelect(mode="fdr", param=2).fit(X, CODES), "be at most 1"),
    (
        lambda: sf.GenericUnivariateSelect(sf.r_regression, mode="fpr", param=0.1).fit(X, Y),
        "r_regression gives none",
    ),
    (lambda: sf.VarianceThreshold(-1).fit(X), "threshold must be at least 0"),
    (lambda: sf.VarianceThreshold(1e9).fit(X), "No feature in X meets the variance threshold"),
    (lambda: sf.VarianceThreshold().fit(X[:1]), "only one sample"),
    (lambda: sf.VarianceThreshold().fit(np.full((3, 1), np.inf)), "infinity"),
    (lambda: sf.VarianceThreshold().fit(1e200 * X), "squares overflow"),
    (lambda: sf.SelectFromModel().fit(X, Y), "estimator must be"),
    (lambda: sf.SelectFromModel(sf.Ridge).fit(X, Y), "Pass an instance"),
    (lambda: sf.SelectFromModel(sf.KNeighborsRegressor()).fit(X, Y), "has neither"),
    (lambda: sf.SelectFromModel(sf.Ridge(), threshold="2*most").fit(X, Y), "threshold must be"),
    (lambda: sf.SelectFromModel(sf.Ridge(), threshold=[1]).fit(X, Y), "threshold must be"),
    (lambda: sf.SelectFromModel(sf.Ridge(), max_features=7).fit(X, Y), r"of columns \(6\)"),
    (lambda: sf.SelectFromModel(sf.Ridge(), importance_getter="a.b").fit(X, Y), "no attribute"),
    (lambda: sf.SelectFromModel(sf.Ridge(), importance_getter=3).fit(X, Y), "importance_getter"),
    (
        lambda: sf.SelectFromModel(sf.Ridge(), importance_getter=lambda m: [1.0]).fit(X, Y),
        "each of the 6 columns",
    ),
    (
        lambda: sf.SelectFromModel(
            sf.Ridge(), importance_getter=lambda m: np.full(6, np.nan)
        ).fit(X, Y),
        "importance of column 0 of Ridge is NaN",
    ),
    (lambda: sf.RFE(sf.Ridge(), step=0).fit(X, Y), "step must be at least 1"),
    (lambda: sf.RFE(sf.Ridge(), step=1.5).fit(X, Y), "step must be at most 1"),
    (lambda: sf.RFE(sf.Ridge(), n_features_to_select=0).fit(X, Y), "n_features_to_select must be"),
    (lambda: sf.RFE(sf.Ridge(), n_features_to_select=-0.5).fit(X, Y), "n_features_to_select must"),
    (lambda: sf.RFE(sf.KNeighborsClassifier()).fit(X, CODES), "has neither"),
    (lambda: sf.RFE(sf.Ridge()).predict(X), "not fitted"),
    (lambda: sf.RFE(sf.Ridge()).fit(X, Y).predict(X[:, :5]), "expecting 6 features"),
    (lambda: sf.SelectKBest(k=2).fit(X, CODES).inverse_transform(X), "each of the 2 selected"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_bad_input_is_refused_with_a_sentence(number):
    call, sentence = REFUSED[number]
    with pytest.raises((ValueError, TypeError, sf.NotFittedError)) as caught:
        call()
    assert re.search(sentence, str(caught.value)), caught.value


def test_what_is_odd_is_warned_of():
    with pytest.warns(UserWarning, match="k=9 is more than the 6 features of X"):
        assert sf.SelectKBest(k=9).fit(X, CODES).get_support().all()
    with pytest.warns(UserWarning, match="n_features_to_select=9 is more than"):
        assert sf.RFE(sf.Ridge(), n_features_to_select=9).fit(X, Y).support_.all()
    none = sf.SelectKBest(k=0).fit(X, CODES)
    with pytest.warns(UserWarning, match="SelectKBest selected no features"):
        assert none.transform(X).shape == (80, 0)


# ------------------------------------------------------------------ scikit-learn
def test_scikit_learn_selects_the_same():
    theirs = pytest.importorskip("sklearn.feature_selection")
    cases = [("SelectKBest", {"k": k}) for k in (0, 1, 3, "all")]
    cases += [("SelectPercentile", {"percentile": k}) for k in (0, 10, 33, 50, 77, 100)]
    cases += [(name, {"alpha": alpha}) for name in ("SelectFpr", "SelectFdr", "SelectFwe")
              for alpha in (0.0, 0.01, 0.05, 0.5, 1.0)]  # fmt: skip
    for name, options in cases:
        for score, goal in (("f_classif", CODES), ("f_regression", Y)):
            ours = getattr(sf, name)(getattr(sf, score), **options).fit(X, goal)
            want = getattr(theirs, name)(getattr(theirs, score), **options).fit(X, goal)
            assert ours.get_support().tolist() == want.get_support().tolist(), (name, options)


def test_scikit_learn_selects_the_same_by_models():
    theirs = pytest.importorskip("sklearn.feature_selection")
    from sklearn.linear_model import Lasso, Ridge

    for options in (
        {}, {"threshold": "1.25*mean"}, {"max_features": 2},
        {"threshold": -np.inf, "max_features": 3},
    ):  # fmt: skip
        for model in (Ridge(), Lasso(0.1)):
            ours = sf.SelectFromModel(model, **options).fit(X, Y)
            want = theirs.SelectFromModel(model, **options).fit(X, Y)
            assert ours.get_support().tolist() == want.get_support().tolist()
            assert ours.threshold_ == pytest.approx(want.threshold_)
    for options in ({}, {"n_features_to_select": 2}, {"step": 0.4}, {"n_features_to_select": 0.5}):
        ours, want = sf.RFE(Ridge(), **options).fit(X, Y), theirs.RFE(Ridge(), **options).fit(X, Y)
        assert ours.ranking_.tolist() == want.ranking_.tolist()


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_selector_by_a_model_needs_an_estimator(method):
    with pytest.raises((TypeError, AttributeError), match="estimator"):
        getattr(sf.SelectFromModel(None), method)([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_that_store_nothing(weighted):
    X, y = sparse.csr_matrix((12, 4)), np.arange(12) % 2
    weights = np.ones(12) if weighted else None
    with pytest.warns(UserWarning, match="are constant"):
        assert np.isnan(sf.SelectKBest(k=2).fit(X, y, weights).scores_).all()
    with pytest.raises(ValueError, match="variance"):
        sf.VarianceThreshold().fit(X, sample_weight=weights)


@pytest.mark.parametrize("score", [univariate.f_classif, univariate.f_regression])
def test_a_block_of_sparse_rows_that_stores_nothing(score):
    X = np.vstack([np.zeros((9000, 3)), np.eye(3), np.eye(3)[:1]])
    y = np.arange(len(X)) % 2
    scores, known = (
        sf.SelectKBest(score, k=1).fit(rows, y).scores_ for rows in (sparse.csr_array(X), X)
    )
    np.testing.assert_allclose(scores, known, rtol=1e-9)


def test_an_estimator_that_is_none_is_refused():
    with pytest.raises(TypeError, match="estimator"):
        sf.SelectFromModel(None, prefit=True).summary()
