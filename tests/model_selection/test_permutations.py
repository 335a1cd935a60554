# SPDX-License-Identifier: BSD-3-Clause
"""Permutation tests: scores and p-values of scikit-learn, and of fits one by one."""

import numpy as np
import pytest
from scipy.special import comb

import statfast as sf
from statfast.model_selection import LeaveOneOut, ShuffleSplit, permutation_test_score

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 4))
T = X[:, 0] + RNG.standard_normal(90)
C = np.where(X[:, 0] + RNG.standard_normal(90) > 0, "yes", "no")
G = np.arange(90) % 7
W = RNG.uniform(0.5, 2.0, 90)

INDEPENDENT = {
    "LinearRegression": sf.LinearRegression(),
    "Ridge": sf.Ridge(),
    "KernelRidge": sf.KernelRidge(),
    "KNeighborsRegressor": sf.KNeighborsRegressor(),
    "RadiusNeighborsRegressor": sf.RadiusNeighborsRegressor(4.0),
    "Pipeline": sf.make_pipeline(sf.StandardScaler(), sf.Ridge()),
}


def one_by_one(model, X, y, **how):
    """By the definition: a cross-validation for each permutation, drawn as documented."""
    groups, times = how.pop("groups", None), how.pop("n_permutations", 100)
    rng = np.random.RandomState(how.pop("random_state", 0))
    rated = how if groups is None else {**how, "groups": groups}
    score, scores = sf.cross_val_score(model, X, y, **rated).mean(), []
    for _ in range(times):
        places = np.arange(len(y))
        for group in [None] if groups is None else np.unique(groups):
            members = places if group is None else np.flatnonzero(groups == group)
            places[members] = rng.permutation(members)
        scores.append(sf.cross_val_score(model, X, y[places], **rated).mean())
    return score, np.array(scores), (1 + (np.array(scores) >= score).sum()) / (times + 1)


SETTINGS = [
    {},
    {"groups": G},
    {"cv": sf.GroupKFold(3), "groups": G},
    {"cv": LeaveOneOut(), "scoring": "neg_mean_absolute_error", "n_permutations": 7},
    {"cv": ShuffleSplit(3, random_state=1)},
    {"scoring": "neg_mean_squared_error", "random_state": 5},
    {"scoring": lambda model, X, y: -np.abs(model.predict(X) - y).max(), "n_permutations": 20},
]
WEIGHTED = [{"sample_weight": W}, {"params": {"sample_weight": W}}]


def agree(result, expected):
    np.testing.assert_allclose(result[0], expected[0], rtol=1e-10)
    np.testing.assert_allclose(result[1], expected[1], rtol=1e-8, atol=1e-11)
    assert result[2] == expected[2]


@pytest.mark.parametrize("how", [*SETTINGS, *WEIGHTED], ids=lambda how: "-".join(how) or "defaults")
@pytest.mark.parametrize("name", INDEPENDENT)
def test_targets_fitted_at_once_score_as_one_by_one(name, how):
    if how in WEIGHTED and "Neighbors" in name:
        pytest.skip("neighbors take no weights")
    agree(
        permutation_test_score(INDEPENDENT[name], X, T, **how),
        one_by_one(INDEPENDENT[name], X, T, **how),
    )


@pytest.mark.parametrize(
    "how",
    [{}, {"groups": G}, {"scoring": "neg_log_loss"}],
    ids=lambda how: "-".join(how) or "defaults",
)
@pytest.mark.parametrize(
    "model",
    [
        sf.LinearDiscriminantAnalysis(), sf.GaussianNB(),
        sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis()),
    ],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_labels_are_permuted_and_stratified_again(model, how):
    how = how | {"n_permutations": 15}
    agree(permutation_test_score(model, X, C, **how), one_by_one(model, X, C, **how))


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    "how", [{}, {"groups": G}, {"random_state": 7}], ids=lambda how: "-".join(how) or "defaults"
)
@pytest.mark.parametrize("kind", ["regression", "classes", "several targets"])
def test_scores_are_those_of_scikit_learn(kind, how):
    peer = pytest.importorskip("sklearn.model_selection")
    linear = pytest.importorskip("sklearn.linear_model")
    bayes = pytest.importorskip("sklearn.naive_bayes")
    y = {"regression": T, "classes": C, "several targets": np.column_stack([T, X[:, 1]])}[kind]
    models = sf.LinearRegression(), linear.LinearRegression()
    if kind == "classes":
        models = sf.GaussianNB(), bayes.GaussianNB()
    want = peer.permutation_test_score(models[1], X, y, n_permutations=20, **how)
    for model in models:  # an estimator of scikit-learn's is refitted
        agree(permutation_test_score(model, X, y, n_permutations=20, **how), want)


def test_a_splitter_that_draws_anew_is_asked_for_each_permutation():
    how = {"n_permutations": 5, "scoring": "neg_mean_squared_error"}
    seeds = (np.random.RandomState(4) for _ in range(2))
    cvs = (sf.KFold(3, shuffle=True, random_state=seed) for seed in seeds)
    agree(
        permutation_test_score(sf.Ridge(), X, T, cv=next(cvs), **how),
        one_by_one(sf.Ridge(), X, T, cv=next(cvs), **how),
    )


def test_iterables_of_folds_are_read_once():
    pairs = [*sf.KFold(4).split(X)]
    result = permutation_test_score(sf.Ridge(), X, T, cv=iter(pairs), n_permutations=9)
    agree(result, permutation_test_score(sf.Ridge(), X, T, cv=sf.KFold(4), n_permutations=9))


def test_the_p_value_of_few_rows_is_that_of_all_orders():
    # Of 7 rows, 4 of one class: the 35 ways to deal out labels are equally likely.
    x = np.array([0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0])[:, None]
    y = np.array([0, 0, 0, 0, 1, 1, 1])
    folds = [([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6])]
    model = sf.LinearRegression()
    score, of_permuted, pvalue = permutation_test_score(
        model, x, y, cv=folds, n_permutations=4000, random_state=1
    )
    assert score == pytest.approx(np.corrcoef(x[:, 0], y)[0, 1] ** 2)
    # Only the order as it is fits the line as well.
    chance = 1 / comb(7, 3)
    assert pvalue == pytest.approx(chance, abs=4 * np.sqrt(chance / 4000))
    assert pvalue == (1 + (of_permuted > score - 1e-9).sum()) / 4001


@pytest.mark.parametrize("model", [sf.KNeighborsRegressor(89), sf.DummyRegressor()])
def test_scores_that_rounding_alone_tells_apart_are_equal(model):
    how = {"cv": LeaveOneOut(), "scoring": "neg_mean_absolute_error", "n_permutations": 9}
    assert permutation_test_score(model, X, T, **how)[2] == 1.0


def test_blocks_of_targets_do_not_matter(monkeypatch):
    whole = permutation_test_score(sf.Ridge(), X, T, n_permutations=11)
    module = "statfast.model_selection.evaluation.permutations._VALUES_AT_ONCE"
    monkeypatch.setattr(module, 300)
    agree(permutation_test_score(sf.Ridge(), X, T, n_permutations=11), whole)


def test_rows_without_weight_keep_their_targets():
    weights = np.r_[np.ones(45), np.zeros(45)]
    huge = np.r_[T[:45], np.full(45, 1e9)]
    pairs = [([*range(15, 90)], [*range(15)]), ([*range(15)], [*range(15, 45)])]
    how = {"cv": pairs, "sample_weight": weights, "n_permutations": 9}
    short = {"cv": [([*range(15, 45)], pairs[0][1]), pairs[1]], "n_permutations": 9}
    agree(
        permutation_test_score(sf.LinearRegression(), X, huge, **how),
        permutation_test_score(sf.LinearRegression(), X[:45], T[:45], **short),
    )


def test_subclasses_with_a_fit_of_their_own_are_refitted():
    class Shifted(sf.LinearRegression):
        def predict(self, X):
            return super().predict(X) + self.coef_.sum()

    how = {"n_permutations": 5, "scoring": "neg_mean_squared_error"}
    agree(
        permutation_test_score(Shifted(), X, T, **how),
        one_by_one(Shifted(), X, T, **how),
    )


def test_threads_do_not_matter():
    results = [permutation_test_score(sf.Ridge(n_jobs=k), X, T)[1].tobytes() for k in (1, 2, 7)]
    assert len(set(results)) == 1


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ({"n_permutations": 0}, ValueError, "n_permutations must be"),
        ({"scoring": ["r2", "max_error"]}, TypeError, "scoring must be a name or a function"),
        ({"groups": G[:4]}, ValueError, "groups must have one group for each"),
        ({"cv": 91}, ValueError, "cv must be"),
        ({"params": {"tint": 3}}, TypeError, "params names 'tint'"),
        ({"random_state": "x"}, TypeError, "random_state"),
    ],
    ids=str,
)
def test_bad_arguments_are_told(how, kind, message):
    with pytest.raises(kind, match=message):
        permutation_test_score(sf.Ridge(), X, T, **how)
    with pytest.raises(ValueError, match="y must be passed"):
        permutation_test_score(sf.Ridge(), X, None)
