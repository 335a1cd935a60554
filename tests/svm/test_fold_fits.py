# SPDX-License-Identifier: BSD-3-Clause
"""Machines on the folds of a cross-validation: one kernel matrix, and the answers of refits."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import (
    SVC,
    SVR,
    ColumnTransformer,
    ConvergenceWarning,
    NuSVC,
    NuSVR,
    PolynomialFeatures,
    StandardScaler,
    make_pipeline,
)
from statfast._estimator import Folds, FoldTask, copied
from statfast._validation import FitFailedWarning
from statfast.kernels import RBF, Laplacian, Linear, Polynomial, Spectrum
from statfast.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
    validation_curve,
)
from statfast.model_selection.evaluation.fold_strategies import FoldFits
from statfast.svm.dual.full_gram import FullGram
from statfast.svm.dual.gram import gram_of
from statfast.svm.dual.problems import c_svc, svr
from statfast.svm.dual.solver import ActiveSetLimits
from statfast.svm.machines import fold_fits
from tests.reference import refits

TIGHT = 1e-12


def cloud(seed=0, n=90, classes=2, d=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) + y[:, None], y, rng


def both(model, grid, X, y, weights=None, **more):
    """The search as it is, and one that knows nothing of the estimator."""
    more = {"cv": KFold(4), "refit": False} | more
    plain = {f"estimator__{name}": values for name, values in grid.items()}
    ours = GridSearchCV(model, grid, **more).fit(X, y, sample_weight=weights)
    peer = GridSearchCV(refits.Plain(model), plain, **more).fit(X, y, sample_weight=weights)
    assert (ours.path_, peer.path_) == ("shared structure", "refit")
    return ours.cv_results_, peer.cv_results_


def differ(ours, peer):
    return np.abs(ours["mean_test_score"] - peer["mean_test_score"]).max()


# ------------------------------------------------------------------ equal to refits
@pytest.mark.once
@given(
    st.integers(0, 2**32), st.integers(20, 60), st.integers(2, 3), st.booleans(), st.booleans(),
    st.sampled_from(["scale", 0.3]), st.sampled_from(["rbf", "linear", "laplacian"]),
)  # fmt: skip
def test_decision_values_are_those_of_refits(seed, n, classes, weighted, balanced, gamma, kernel):
    X, y, rng = cloud(seed, n, classes)
    weights = rng.integers(0, 3, n).astype(float) if weighted else None
    kept = {}
    for C in (0.3, 1.0, 10.0):
        model = SVC(
            C=C, gamma=gamma, kernel=kernel, tol=TIGHT, decision_function_shape="ovo",
            class_weight="balanced" if balanced else None,
        )  # fmt: skip
        pairs = list(KFold(3).split(X))
        kept[C] = refits.answers(model, X, y, pairs, "decision_function", weights)
    folds = Folds(X, y, weights, n, pairs)
    plan = model._plan_folds(FoldTask(folds, [{"C": C} for C in (10.0, 0.3, 1.0)]))
    for (_, test), fold in zip(pairs, plan.folds(), strict=True):
        for C, one in zip((10.0, 0.3, 1.0), fold.models, strict=True):
            if isinstance(one, Exception):
                assert kept[C][test[0]] is None
                continue
            assert C == one.C
            assert one.kkt_violation_.max() <= TIGHT or one.fit_status_ != 0
            want = np.array([kept[C][row] for row in test])
            np.testing.assert_allclose(one.decision_function(X[test]), want, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (SVR(tol=TIGHT), {"C": [0.1, 1.0, 10.0], "epsilon": [0.05, 0.2]}),
        (SVR(tol=TIGHT, kernel="poly", gamma=0.5, coef0=1.0, degree=2), {"C": [0.1, 1.0]}),
        (NuSVR(tol=TIGHT, gamma=0.3), {"C": [0.1, 1.0], "nu": [0.3, 0.6]}),
        (SVR(tol=TIGHT, kernel=Laplacian(0.2)), {"C": [0.1, 1.0], "epsilon": [0.02]}),
    ],
)
@pytest.mark.parametrize("cv", [KFold(4), TimeSeriesSplit(3)])  # of few rows: all at the bound
def test_regressors(model, grid, cv):
    X, _, rng = cloud(1)
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=len(X))
    for weights in (None, rng.uniform(0.0, 2.0, len(X)).round(1)):
        ours, peer = both(model, grid, X, y, weights, cv=cv)
        assert differ(ours, peer) < 1e-8


def test_nu_classifiers_hard_margins_and_probabilities():
    X, y, _ = cloud(2, classes=3)
    ours, peer = both(NuSVC(gamma=0.3, tol=1e-10), {"nu": [0.2, 0.4]}, X, y)
    assert differ(ours, peer) == 0.0
    apart = X + 20.0 * y[:, None]
    ours, peer = both(SVC(kernel="linear"), {"C": [1.0, np.inf, 100.0]}, apart, y)
    assert differ(ours, peer) == 0.0
    model = SVC(gamma=0.3, probability=True, random_state=0, tol=1e-10)
    ours, peer = both(model, {"C": [0.5, 5.0]}, X, y, scoring="neg_log_loss")
    assert differ(ours, peer) < 1e-6


def test_many_rows_and_threads():
    X, y, _ = cloud(3, n=2600)
    found = [
        GridSearchCV(SVC(gamma=0.2, tol=1e-5), {"C": [0.1, 10.0]}, cv=3, refit=False, n_jobs=k)
        .fit(X, y).cv_results_["mean_test_score"]
        for k in (1, 2, 7)
    ]  # fmt: skip
    assert found[0].tolist() == found[1].tolist() == found[2].tolist()
    task = FoldTask(Folds(X, y, None, len(y), [(np.arange(2500), np.arange(2500, 2600))] * 2))
    plans = [SVC(gamma=0.2, n_jobs=k)._plan_folds(task) for k in (1, 2, 7)]
    first, second, third = (next(plan.folds()).models[0].dual_coef_ for plan in plans)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)


def test_strings_and_matrices():
    rng = np.random.default_rng(4)
    words = ["".join(rng.choice(list("ab" if k % 2 else "bc"), 9)) for k in range(40)]
    y = np.arange(40) % 2
    want = cross_val_predict(refits.Plain(SVC(kernel=Spectrum(2))), words, y, cv=4)
    got = cross_validate(SVC(kernel=Spectrum(2)), words, y, cv=KFold(4))
    assert got.path == "shared structure"
    scores = [(want[test] == y[test]).mean() for _, test in KFold(4).split(words)]
    np.testing.assert_allclose(got["test_score"], scores)
    X, y, _ = cloud(5)
    for model, path in ((SVC(kernel="precomputed"), "shared structure"),
                        (SVC(kernel="precomputed", max_iter=10**6), "refit")):  # fmt: skip
        found = cross_validate(model, RBF(0.3).matrix(X), y, cv=5)
        assert found.path == path
        want = cross_validate(SVC(gamma=0.3), X, y, cv=5)["test_score"]
        np.testing.assert_allclose(found["test_score"], want)


# ------------------------------------------------------------------ at the end of a pipeline
@pytest.mark.once
@pytest.mark.parametrize(
    ("last", "grid"),
    [
        (SVC(tol=TIGHT), {"svc__C": [10.0, 0.1, 1.0]}),
        (SVC(tol=TIGHT, gamma=0.2), {"svc__C": [0.1, 1.0], "svc__gamma": [0.1, 0.5]}),
        (NuSVR(tol=TIGHT), {"nusvr__C": [0.1, 1.0], "nusvr__nu": [0.6]}),
        (SVR(tol=TIGHT), {"svr__C": [0.1, 1.0], "svr__epsilon": [0.05, 0.2]}),
        (SVC(tol=TIGHT), {"svc__C": [0.1, 1.0], "standardscaler__with_std": [True, False]}),
    ],
)
def test_pipelines_share_the_matrix_of_each_fold(last, grid):
    X, y, rng = cloud(11)
    X *= [1.0, 5.0, 0.2]
    X[3] = 1e2  # an outlier tells the scaling by all rows from that by the rows of the fold
    for steps in ((StandardScaler(),), (StandardScaler(), PolynomialFeatures(2)), (None,)):
        if steps[0] is None and any("scaler" in name for name in grid):
            continue
        model = make_pipeline(*("passthrough" if s is None else s for s in steps), last)
        for weights in (None, rng.integers(0, 3, len(X)).astype(float)):
            ours, peer = both(model, grid, X, y, weights, return_train_score=True)
            assert differ(ours, peer) < 1e-8
            gap = np.abs(ours["mean_train_score"] - peer["mean_train_score"])
            assert gap.max() < 1e-8


def test_pipelines_of_tables_and_their_models():
    X, y, _ = cloud(12)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abc"))
    labels = pandas.Series(y, index=range(90, 0, -1))
    model = make_pipeline(ColumnTransformer([("s", StandardScaler(), ["c", "a"])]), SVC())
    for with_train in (False, True):
        ours, peer = both(
            model, {"svc__C": [0.1, 1.0]}, table, labels, return_train_score=with_train
        )
        assert differ(ours, peer) == 0.0
    (train, _), *_ = pairs = list(KFold(3).split(X))
    folds = Folds(table, y, None, 90, pairs)
    fits = FoldFits(model, folds, [{"svc__C": 0.1}, {"svc__C": 1.0}])
    assert fits.strategy == "shared structure"
    first = next(iter(fits)).models
    assert [one.get_params()["svc__C"] for one in first] == [0.1, 1.0]
    for one, C in zip(first, (0.1, 1.0), strict=True):
        alone = copied(model).set_params(svc__C=C).fit(table.iloc[train], y[train])
        assert one.feature_names_in_.tolist() == ["a", "b", "c"]
        assert one.classes_.tolist() == alone.classes_.tolist()
        np.testing.assert_array_equal(one.predict(table), alone.predict(table))


def test_pipelines_that_share_nothing():
    X, y, _ = cloud(13)
    scaled = make_pipeline(StandardScaler(), SVC())
    assert cross_validate(scaled, X, y, cv=3).path == "refit"  # one machine for each matrix
    little = make_pipeline(StandardScaler(), SVC(cache_size=0.01))
    search = GridSearchCV(little, {"svc__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.path_ == "refit"
    # Room for the first folds of a time series only: the others are refitted.
    some = make_pipeline(StandardScaler(), SVC(tol=TIGHT, cache_size=0.03))
    ours, peer = both(some, {"svc__C": [0.1, 1.0]}, X, y, cv=TimeSeriesSplit(4))
    assert differ(ours, peer) == 0.0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = GridSearchCV(scaled, {"svc__C": [1.0, -1.0]}, cv=3).fit(X, y)
    assert any("C must be greater than 0; got -1" in str(w.message) for w in said)
    assert found.path_ == "shared structure"
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [False, True]
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match=r"All the 6 fits failed.*infinity"):
        GridSearchCV(scaled, {"svc__C": [1.0, 2.0]}, cv=[(np.arange(60), np.arange(60, 90))] * 3)\
            .fit(X, y)  # fmt: skip


# ------------------------------------------------------------------ what is given
def test_models_and_curves_are_those_of_refits():
    X, y, _ = cloud(6)
    pandas = pytest.importorskip("pandas")
    table, labels = (
        pandas.DataFrame(X, columns=list("abc")),
        pandas.Series(y, index=range(90, 0, -1)),
    )
    found = cross_validate(
        SVC(gamma=0.3), table, labels, cv=3, return_estimator=True, return_train_score=True
    )
    assert found.path == "shared structure"
    for model, (train, test), score in zip(
        found["estimator"], KFold(3).split(X), found["train_score"], strict=True
    ):
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.shape_fit_ == (60, 3)
        assert model.score(table.iloc[train], y[train]) == pytest.approx(score, abs=0.2)
        assert len(model.predict(table.iloc[test])) == 30
    ours = validation_curve(SVC(gamma=0.3), X, y, param_name="C", param_range=[0.1, 1.0, 10.0])
    plain = refits.Plain(SVC(gamma=0.3))
    peer = validation_curve(
        plain, X, y, param_name="estimator__C", param_range=[0.1, 1.0, 10.0], cv=5
    )
    for a, b in zip(ours, peer, strict=True):
        assert np.abs(a - b).max() <= 0.15  # which are stratified, and which are not


def test_names_of_the_ways():
    X, y, _ = cloud(7)

    def strategy(model, cv=KFold(3)):  # noqa: B008
        return cross_validate(model, X, y, cv=cv).path

    fixed = SVC(gamma=0.3)
    assert strategy(fixed) == strategy(fixed, ShuffleSplit(3, random_state=0)) == "shared structure"
    assert strategy(SVC()) == "refit"  # there is one machine for each matrix
    assert strategy(SVC(gamma=0.3, cache_size=0.01)) == "refit"
    assert (
        strategy(SVC(gamma=0.3, max_iter=10**7))
        == strategy(SVC(gamma=0.3, time_limit=60.0))
        == "refit"
    )
    assert strategy(SVC(gamma=0.3, callback=lambda told: None)) == "refit"
    search = GridSearchCV(SVC(), {"C": [1.0, 2.0], "gamma": ["scale", 0.1]}, cv=3).fit(X, y)
    assert search.path_ == "shared structure"


def test_many_rows_of_few_columns_are_refitted(monkeypatch):
    X, y, _ = cloud(8)
    monkeypatch.setattr(fold_fits, "ACTIVE_SET", ActiveSetLimits(max_rows_of_full_matrix=40))
    assert cross_validate(SVC(gamma=0.3), X, y, cv=3).path == "refit"
    wide = np.hstack([X, np.zeros((90, 400))])
    assert cross_validate(SVC(gamma=0.3), wide, y, cv=3).path == "shared structure"


def test_candidates_that_fail_are_told():
    X, y, _ = cloud(9)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = GridSearchCV(SVC(gamma=0.3), {"C": [-1.0, 1.0, "x"]}, cv=3).fit(X, y)
    assert found.path_ == "shared structure"
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [True, False, True]
    assert any("C must be greater than 0; got -1" in str(w.message) for w in said)
    y[30:] = 0  # two folds are of one class
    with pytest.warns(FitFailedWarning, match="y must hold at least 2 classes"):
        scores = cross_validate(SVC(gamma=0.3), X, y, cv=KFold(3))["test_score"]
    assert np.isnan(scores).tolist() == [True, False, False]


def test_what_does_not_converge_is_told():
    X, y, _ = cloud(10)
    with pytest.warns(ConvergenceWarning, match="SVC was stopped"):
        GridSearchCV(SVC(gamma=0.3, tol=1e-300), {"C": [1.0, 2.0]}, cv=3, refit=False).fit(X, y)


# ------------------------------------------------------------------ the parts
@pytest.mark.parametrize("kernel", [RBF(0.4), Linear(), Polynomial(2, 1.0, 1e4)])
def test_a_whole_matrix_is_that_of_its_points(kernel):
    X, _, rng = cloud(11, n=700)
    if type(kernel) is Linear:
        X = X + 1e3  # images far from 0
    places = np.sort(rng.choice(700, 300, replace=False))
    whole = FullGram(kernel.matrix(X), places)
    own = gram_of(kernel, np.ascontiguousarray(X[places]))
    b = rng.normal(size=300)
    b -= b.mean()
    index, at = np.arange(0, 300, 2), np.arange(1, 300, 3)
    K = kernel.matrix(X[places])
    size = np.abs(K).max()
    np.testing.assert_allclose(whole.exact(np.arange(300), b), K @ b, rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(
        whole.exact(index, b[index], at), K[np.ix_(at, index)] @ b[index], rtol=0, atol=1e-11 * size
    )
    for some in (np.arange(300), index, at):
        block, want = whole.block(some), own.block(some)
        assert block.shape == want.shape
        c = b[some] - b[some].mean()
        sums = K[np.ix_(some, some)] @ c
        away = block[:, : len(some)] @ c - sums  # a constant
        assert np.ptp(away) < 1e-5 * (np.ptp(sums) + 1.0)
    np.testing.assert_array_equal(whole.rows(index), whole.block(np.arange(300))[index, :300])
    total = np.ones(whole._ld)
    whole.add(index, b[index], total)
    want = 1.0 + K[:, index] @ b[index]
    np.testing.assert_allclose(total[:300], want, rtol=0, atol=1e-10 * size)


class Counted(FullGram):
    """A matrix that counts what is asked of it in float64."""

    asked = 0

    def exact(self, index, weights, at=None):
        self.asked += len(index)
        return super().exact(index, weights, at)


def solver(gram, tol):
    from types import SimpleNamespace

    from statfast.svm.dual.limits import Run

    given = SimpleNamespace(tol=tol, max_iter=None, time_limit=None, callback=None)
    return Run(given, gram)


def test_a_machine_starts_from_another():
    X, y, rng = cloud(12, n=400)
    K, rows, sign = RBF(0.5).matrix(X), np.arange(400), np.where(y == 0, 1.0, -1.0)
    gram = Counted(K, rows)
    run = solver(gram, 1e-8)
    low = c_svc(run, rows, sign, np.full(400, 1.0))
    gram.asked = 0
    same = c_svc(run, rows, sign, np.full(400, 1.0), low)
    assert (same.n_iter, gram.asked) == (0, 0)  # nothing is left to do, and nothing summed
    np.testing.assert_array_equal(same.coef, low.coef)
    warm = c_svc(run, rows, sign, np.full(400, 2.0), low)
    cold = c_svc(run, rows, sign, np.full(400, 2.0))
    assert warm.n_iter < cold.n_iter
    assert (warm.alpha[low.alpha == 1.0] == 2.0).mean() > 0.8  # what was at the bound is
    np.testing.assert_allclose(warm.values - warm.rho, cold.values - cold.rho, atol=1e-6)
    np.testing.assert_allclose(warm.values, K @ warm.coef, rtol=0, atol=1e-11)
    assert warm.dual == pytest.approx(cold.dual, rel=1e-9)
    target = np.sin(X[:, 0]) + 0.1 * rng.normal(size=400)
    low = svr(run, rows, target, np.full(400, 1.0), 0.1)
    warm = svr(run, rows, target, np.full(400, 3.0), 0.1, low)
    cold = svr(run, rows, target, np.full(400, 3.0), 0.1)
    assert warm.n_iter < cold.n_iter
    np.testing.assert_allclose(warm.values - warm.rho, cold.values - cold.rho, atol=1e-6)
    np.testing.assert_allclose(warm.values, K @ warm.coef, rtol=0, atol=1e-11)
