# SPDX-License-Identifier: BSD-3-Clause
"""Successive halving: the schedule, the rows and the candidates of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import statfast as sf
from statfast.model_selection.search.halving import Schedule

pytest.importorskip("sklearn.experimental.enable_halving_search_cv")
peer = pytest.importorskip("sklearn.model_selection")
base = pytest.importorskip("sklearn.base")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((600, 2))
Y = RNG.integers(0, 2, 600)
GRID = {"a": [*range(13)], "b": [1, 2, 3]}
SPACE = {"a": stats.uniform(0, 5), "b": [1, 2, 3]}
COURSE = (
    "n_resources_", "n_candidates_", "n_remaining_candidates_", "max_resources_", "min_resources_",
    "n_iterations_", "n_required_iterations_", "n_possible_iterations_", "best_index_",
    "best_params_", "n_splits_",
)  # fmt: skip
KINDS = {"HalvingGridSearchCV": GRID, "HalvingRandomSearchCV": SPACE}
SETTINGS = [
    {},
    {"factor": 2},
    {"factor": 2.5, "min_resources": 30},
    {"aggressive_elimination": True, "max_resources": 200},
    {"min_resources": "smallest"},
    {"resource": "c", "max_resources": 50},
    {"resource": "c", "max_resources": 50, "min_resources": 2, "aggressive_elimination": True},
    {"cv": 3, "max_resources": 100},
    {"cv": peer.GroupKFold(4)},
    {"refit": False},
]


class Fake(base.BaseEstimator):
    """Its score tells its parameters, and the rows of fits and scores in their order."""

    def __init__(self, a=0, b=0, c=1):
        self.a, self.b, self.c = a, b, c

    def fit(self, X, y, sample_weight=None):
        self.seen_ = float(np.arange(len(X)) @ X[:, 0])
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def score(self, X, y, sample_weight=None):
        rows = np.arange(len(X)) @ X[:, 0] + self.seen_
        return float(np.sin(self.a * 12.9898 + self.b * 78.2) + 1e-6 * rows + 0.01 * self.c)


def searches(name, settings, candidates=None):
    space = KINDS[name] if candidates is None else candidates
    for home in (sf, peer):
        yield getattr(home, name)(Fake(), space, random_state=3, **settings)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("name", KINDS)
def test_searches_go_as_in_scikit_learn(name, settings):
    groups = {"groups": np.arange(600) % 11} if "GroupKFold" in str(settings) else {}
    mine, other = (search.fit(X, Y, **groups) for search in searches(name, settings))
    for attribute in COURSE:
        if not hasattr(other, attribute):
            assert not hasattr(mine, attribute)
            continue
        assert getattr(mine, attribute) == getattr(other, attribute), attribute
    assert mine.cv_results_["params"] == other.cv_results_["params"]
    for column, values in other.cv_results_.items():
        if "time" not in column and not column.startswith("param"):
            np.testing.assert_allclose(mine.cv_results_[column], values, rtol=1e-12, err_msg=column)


@pytest.mark.parametrize("n", [2, 5, 8, 9, 10, 27, 40])
@pytest.mark.parametrize("min_resources", ["exhaust", "smallest", 40])
def test_numbers_of_candidates_go_as_in_scikit_learn(n, min_resources):
    settings = {"min_resources": min_resources, "cv": 2}
    grid = {"a": [*range(n)]}
    mine, other = (s.fit(X, Y) for s in searches("HalvingGridSearchCV", settings, grid))
    for attribute in COURSE:
        assert getattr(mine, attribute) == getattr(other, attribute), attribute


@given(
    st.integers(1, 3000), st.floats(1.3, 6), st.integers(1, 50), st.integers(50, 10**6),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_a_schedule_keeps_its_bounds(n, factor, least, most, exhaust, aggressive):
    schedule = Schedule.planned(n, factor, least, most, exhaust, aggressive)
    resources = [schedule.resources(k) for k in range(schedule.n_iterations)]
    assert resources == sorted(resources)
    assert schedule.min_resources >= least
    if not aggressive or schedule.n_possible <= schedule.n_required:
        assert min(resources) == schedule.min_resources
    assert max(resources) <= most
    left = [n]
    for _ in resources:
        left.append(schedule.kept(left[-1]))
    assert left == sorted(left, reverse=True)
    assert min(left) >= 1
    if aggressive:
        assert left[-2] < factor + n / factor ** (schedule.n_iterations - 1) + 2
    elif exhaust and schedule.n_iterations == schedule.n_required > 1:
        assert resources[-1] * factor > most - factor ** len(resources)


def test_a_known_schedule():
    # Li et al. (2018), section 2: successive halving of 81 configurations to a resource of 81.
    schedule = Schedule.planned(81, 3, 1, 81, True, False)
    assert [schedule.resources(k) for k in range(schedule.n_iterations)] == [1, 3, 9, 27, 81]
    left = [81]
    while left[-1] > 1:
        left.append(schedule.kept(left[-1]))
    assert left == [81, 27, 9, 3, 1]


def test_of_equal_scores_the_last_go_on_and_nan_leaves_first():
    class Level(Fake):
        def score(self, X, y, sample_weight=None):
            return float("nan") if self.a in (1, 5) else 1.0

    search = sf.HalvingGridSearchCV(Level(), {"a": [*range(6)]}, factor=2, cv=2)
    tried = search.fit(X, Y).cv_results_
    params = np.array([candidate["a"] for candidate in tried["params"]])
    assert params[tried["iter"] == 1].tolist() == [2, 3, 4]
    assert params[tried["iter"] == 2].tolist() == [3, 4]
    assert search.best_params_ == {"a": 3}


@pytest.mark.parametrize("seed", [0, None])
def test_rows_are_drawn_from_their_folds(seed):
    seen = []

    class Recorded(Fake):
        def fit(self, X, y, sample_weight=None):
            self.rows_ = {*X[:, 0].astype(int).tolist()}
            return self

        def score(self, X, y, sample_weight=None):
            seen.append((self.rows_, {*X[:, 0].astype(int).tolist()}))
            return float(self.a)

    def shuffled():
        return sf.KFold(3, shuffle=True, random_state=np.random.RandomState(2))

    numbered = np.arange(60.0)[:, None]
    sf.HalvingGridSearchCV(
        Recorded(), {"a": [1, 2]}, factor=2, min_resources=30, return_train_score=False,
        random_state=seed, cv=shuffled(), refit=False,
    ).fit(numbered, Y[:60])  # fmt: skip
    folds = [{*test.tolist()} for _, test in shuffled().split(numbered)]
    sizes = []
    for fitted, rated in seen:
        (home,) = (fold for fold in folds if rated <= fold)
        assert not fitted & home
        sizes.append((len(fitted), len(rated)))
    assert sizes == [(20, 10)] * 6 + [(40, 20)] * 3


def test_a_function_chooses_among_all_candidates():
    search = sf.HalvingGridSearchCV(Fake(), GRID, refit=lambda results: 3, random_state=0)
    assert search.fit(X, Y).best_index_ == 3
    assert search.best_params_ == search.cv_results_["params"][3]


def test_rows_without_weight_are_no_resource():
    weights = np.resize([1.0, 0.0], 600)
    grid = {"shrinkage": [0.1, 0.5, 0.9]}
    model = sf.LinearDiscriminantAnalysis(solver="lsqr")
    search = sf.HalvingGridSearchCV(model, grid, cv=2, factor=2, random_state=0)
    search.fit(X, Y, sample_weight=weights)
    assert search.max_resources_ == 300
    assert search.n_resources_[-1] <= 300


def test_results_are_those_of_folds_of_fewer_rows():
    y = X @ [1.0, -1.0] + RNG.standard_normal(600)
    search = sf.HalvingGridSearchCV(
        sf.Ridge(), {"alpha": [0.1, 1.0, 10.0, 100.0]}, factor=2, cv=3, random_state=0
    ).fit(X, y)
    assert search.path_ in ("merged statistics", "merged statistics, refit")
    full = search.cv_results_["iter"] == search.cv_results_["iter"].max()
    alone = sf.GridSearchCV(sf.Ridge(), search.param_grid, cv=3).fit(X, y)
    assert search.n_resources_[-1] == 600
    for place in np.flatnonzero(full):
        alpha = search.cv_results_["params"][place]["alpha"]
        same = search.param_grid["alpha"].index(alpha)
        np.testing.assert_allclose(
            search.cv_results_["mean_test_score"][place],
            alone.cv_results_["mean_test_score"][same], rtol=1e-10,
        )  # fmt: skip
    np.testing.assert_allclose(
        search.predict(X), sf.Ridge(**search.best_params_).fit(X, y).predict(X), rtol=1e-10
    )


BAD = [
    ({"factor": 1}, ValueError, "factor must be"),
    ({"resource": 3}, TypeError, "resource must be 'n_samples' or the name of a parameter; got 3"),
    ({"resource": "d", "max_resources": 9}, ValueError, "'d', which is not a parameter of"),
    ({"resource": "a", "max_resources": 9}, ValueError, "a as the resource, since it is one of"),
    ({"resource": "c"}, ValueError, "max_resources='auto' is for resource='n_samples'"),
    ({"max_resources": 601}, ValueError, r"max_resources must be .* the number of rows"),
    ({"min_resources": 601}, ValueError, "min_resources_=601 is greater than max_resources_=600"),
    ({"min_resources": "most"}, ValueError, "min_resources must be"),
    ({"min_resources": 2, "cv": 5}, ValueError, "An iteration of 2 rows leaves a fold without"),
    ({"scoring": ["accuracy", "f1"]}, ValueError, "scoring must be one score here"),
    ({"cv": "five"}, TypeError, "cv must be"),
]


@pytest.mark.parametrize(("settings", "kind", "message"), BAD, ids=str)
@pytest.mark.parametrize("name", KINDS)
def test_bad_arguments_are_told(name, settings, kind, message):
    with pytest.raises(kind, match=message):
        getattr(sf, name)(Fake(), KINDS[name], **settings).fit(X, Y)


def test_candidates_and_resources_cannot_both_follow_from_the_other():
    search = sf.HalvingRandomSearchCV(Fake(), SPACE, min_resources="exhaust")
    with pytest.raises(ValueError, match="cannot be both set to 'exhaust'"):
        search.fit(X, Y)
