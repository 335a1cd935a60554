# SPDX-License-Identifier: BSD-3-Clause
"""Steps that are kept, arguments that pass through steps, and scikit-learn's metadata routing."""

import numpy as np
import pytest

import statfast as sf
from statfast._estimator import Estimator, Regressor, Transformer

sklearn = pytest.importorskip("sklearn")
from sklearn import model_selection  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 2.0, 3.0] + RNG.normal(size=60)
WEIGHTS = RNG.uniform(0.5, 2.0, 60)
FITS = []


class Counted(Transformer, Estimator):
    """Doubles rows, and counts its fits."""

    def fit(self, X, y=None):
        FITS.append(len(X))
        return self._publish(X)

    def transform(self, X):
        return 2.0 * np.asarray(X)


class Watched(Regressor, Estimator):
    """Keeps what it is fitted with."""

    def fit(self, X, y, sample_weight=None, X_val=None):
        return self._publish(X, sample_weight_=sample_weight, X_val_=X_val)

    def predict(self, X):
        return np.zeros(len(X))


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# ------------------------------------------------------------------ memory
@pytest.mark.parametrize("kind", ["folder", "path", "object"])
def test_what_was_fitted_is_found_again(tmp_path, kind):
    joblib = pytest.importorskip("joblib")
    memory = {
        "folder": str(tmp_path),
        "path": tmp_path,
        "object": joblib.Memory(tmp_path, verbose=0),
    }
    FITS.clear()
    model = sf.make_pipeline(Counted(), sf.Ridge(), memory=memory[kind])
    first = model.fit(X, Y).predict(X)
    np.testing.assert_array_equal(model.fit(X, Y).predict(X), first)
    assert FITS == [60]
    model.set_params(ridge__alpha=5.0).fit(X, Y)
    assert FITS == [60]
    model.fit(X[1:], Y[1:])
    assert FITS == [60, 59]
    np.testing.assert_array_equal(
        first, sf.make_pipeline(Counted(), sf.Ridge()).fit(X, Y).predict(X)
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_other_weights_and_types_are_fitted_anew(tmp_path, dtype):
    pytest.importorskip("joblib")
    rows = X.astype(dtype)
    rows.flags.writeable = False
    kept = sf.make_pipeline(sf.StandardScaler(), sf.PCA(2), sf.Ridge(), memory=tmp_path)
    plain = sf.make_pipeline(sf.StandardScaler(), sf.PCA(2), sf.Ridge())
    for weights in (None, WEIGHTS, WEIGHTS + 1.0, WEIGHTS):
        found = kept.fit(rows, Y, sample_weight=weights).predict(rows)
        expected = plain.fit(rows, Y, sample_weight=weights).predict(rows)
        np.testing.assert_array_equal(found, expected)


def test_a_transformer_at_the_end_is_not_kept(tmp_path):
    pytest.importorskip("joblib")
    FITS.clear()
    model = sf.make_pipeline(sf.StandardScaler(), Counted(), memory=str(tmp_path))
    model.fit_transform(X)
    model.fit_transform(X)
    assert FITS == [60, 60]


def test_memory_is_checked():
    with pytest.raises(TypeError, match="memory must be None, a folder, or an object with cache"):
        sf.make_pipeline(Counted(), sf.Ridge(), memory=3).fit(X, Y)
    with pytest.raises(ValueError, match="memory must name a folder"):
        sf.make_pipeline(Counted(), sf.Ridge(), memory="").fit(X, Y)


# ------------------------------------------------------------------ rows for validation
@pytest.mark.parametrize("several", [False, True])
def test_rows_for_validation_pass_through_the_steps(several):
    value = (X[:5], X[5:9]) if several else X[:5]
    model = sf.Pipeline(
        [("scale", sf.StandardScaler()), ("same", "passthrough"), ("last", Watched())],
        transform_input=["X_val"],
    ).fit(X, Y, last__X_val=value)
    seen = model["last"].X_val_
    expected = sf.StandardScaler().fit(X).transform(X[:5])
    np.testing.assert_array_equal(seen[0] if several else seen, expected)
    assert isinstance(seen, tuple) == several
    plain = sf.Pipeline(model.steps).fit(X, Y, last__X_val=X[:5])
    np.testing.assert_array_equal(plain["last"].X_val_, X[:5])


def test_transform_input_is_checked():
    with pytest.raises(TypeError, match="transform_input must be a list of names"):
        sf.make_pipeline(Watched(), transform_input="X_val").fit(X, Y)


# ------------------------------------------------------------------ routing
def test_steps_get_what_they_ask_for(routing):
    scaler = sf.StandardScaler().set_fit_request(sample_weight=True)
    last = Watched().set_fit_request(sample_weight="mass", X_val=True)
    model = sf.make_pipeline(scaler, last, transform_input=["X_val"])
    model.fit(X, Y, sample_weight=WEIGHTS, mass=WEIGHTS + 1, X_val=X[:2])
    np.testing.assert_array_equal(model[-1].sample_weight_, WEIGHTS + 1)
    expected = sf.StandardScaler().fit(X, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(model[0].mean_, expected.mean_)
    np.testing.assert_array_equal(model[-1].X_val_, expected.transform(X[:2]))


def test_what_nobody_asked_for_is_an_error(routing):
    with pytest.raises(ValueError, match="not explicitly set as requested or not"):
        sf.make_pipeline(sf.StandardScaler(), Watched()).fit(X, Y, sample_weight=WEIGHTS)
    asked = Watched().set_fit_request(sample_weight=True)
    plain = sf.make_pipeline(sf.StandardScaler().set_fit_request(sample_weight=False), asked)
    assert plain.fit(X, Y, sample_weight=WEIGHTS)[0].mean_ == pytest.approx(X.mean(axis=0))
    with pytest.raises(TypeError, match="unexpected argument"):
        plain.fit(X, Y, other=WEIGHTS)


def test_nested_estimators_route(routing):
    asked = sf.StandardScaler().set_fit_request(sample_weight=True)
    last = Watched().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    columns = sf.ColumnTransformer([("one", asked, [0]), ("two", "passthrough", [1])])
    union = sf.FeatureUnion([("a", columns), ("b", asked)])
    target = sf.TransformedTargetRegressor(last, func=np.negative, inverse_func=np.negative)
    model = sf.make_pipeline(union, target).fit(X, Y, sample_weight=WEIGHTS)
    mean = sf.StandardScaler().fit(X, sample_weight=WEIGHTS).mean_
    np.testing.assert_array_equal(model[0]["b"].mean_, mean)
    np.testing.assert_array_equal(model[0]["a"]["one"].mean_, mean[:1])
    np.testing.assert_array_equal(model[-1].regressor_.sample_weight_, WEIGHTS)
    search = model_selection.GridSearchCV(
        model, {"transformedtargetregressor__func": [np.negative]}
    )
    search.fit(X, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(search.best_estimator_[-1].regressor_.sample_weight_, WEIGHTS)


def asked_for(fit, score):
    last = sf.Ridge().set_fit_request(sample_weight=fit).set_score_request(sample_weight=score)
    return sf.make_pipeline(sf.StandardScaler().set_fit_request(sample_weight=False), last)


def test_scores_get_what_they_ask_for(routing):
    model = asked_for(True, True).fit(X, Y, sample_weight=WEIGHTS)
    scaled = sf.StandardScaler().fit_transform(X)
    expected = sf.Ridge().fit(scaled, Y, WEIGHTS).score(scaled, Y, WEIGHTS)
    assert model.score(X, Y, sample_weight=WEIGHTS) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("fit", "score"), [(True, True), (True, False), (False, True)])
def test_folds_get_what_they_ask_for(routing, fit, score):
    model, cv = asked_for(fit, score), sf.KFold(3)
    expected = model_selection.cross_validate(
        model, X, Y, cv=cv, params={"sample_weight": WEIGHTS}
    )["test_score"]
    ours = sf.cross_validate(model, X, Y, cv=cv, params={"sample_weight": WEIGHTS})
    np.testing.assert_allclose(ours["test_score"], expected, rtol=1e-10)
    grid = {"ridge__alpha": [1.0, 10.0]}
    peer = model_selection.GridSearchCV(model, grid, cv=cv).fit(X, Y, sample_weight=WEIGHTS)
    search = sf.GridSearchCV(model, grid, cv=cv).fit(X, Y, sample_weight=WEIGHTS)
    for name in ("split0_test_score", "mean_test_score"):
        np.testing.assert_allclose(search.cv_results_[name], peer.cv_results_[name], rtol=1e-10)
    np.testing.assert_allclose(search.predict(X), peer.predict(X), rtol=1e-10)


def test_weights_that_nothing_asked_for_are_refused(routing):
    for check in (sf.cross_validate, model_selection.cross_validate):
        with pytest.raises(TypeError, match="not routed to any object"):
            check(asked_for(False, False), X, Y, params={"sample_weight": WEIGHTS})


def test_groups_reach_the_splitter_of_a_nested_search(routing):
    groups = np.repeat(np.arange(6), 10)
    search = sf.GridSearchCV(sf.Ridge(), {"alpha": [0.1, 1.0]}, cv=sf.GroupKFold(3))
    scores = model_selection.cross_val_score(
        search, X, Y, cv=sf.GroupKFold(2), params={"groups": groups}
    )
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(
        scores, sf.cross_val_score(search, X, Y, cv=sf.GroupKFold(2), groups=groups), rtol=1e-10
    )


class Shifted(Transformer, Estimator):
    """Adds what ``transform`` is given."""

    def fit(self, X, y=None):
        return self._publish(X)

    def transform(self, X, shift=0.0):
        return np.asarray(X) + shift

    def inverse_transform(self, X, shift=0.0):
        return np.asarray(X) - shift


def shifted():
    asked = Shifted().set_transform_request(shift=True)
    return asked.set_inverse_transform_request(shift=True)


@pytest.mark.parametrize("library", [sf, sklearn], ids=["here", "there"])
def test_transforms_get_what_they_ask_for(routing, library):
    pipeline = pytest.importorskip(f"{library.__name__}.pipeline")
    compose = pytest.importorskip(f"{library.__name__}.compose")
    unasked = Shifted().set_transform_request(shift=False)
    columns = compose.ColumnTransformer([("shifts", shifted(), [0, 1]), ("stays", unasked, [2])])
    expected = X + np.array([3.0, 3.0, 0.0])
    np.testing.assert_array_equal(columns.fit(X).transform(X, shift=3.0), expected)
    union = pipeline.FeatureUnion([("a", columns), ("b", Counted())]).fit(X)
    np.testing.assert_array_equal(union.transform(X, shift=3.0), np.c_[expected, 2.0 * X])
    model = pipeline.make_pipeline(columns, shifted()).fit(X)
    np.testing.assert_array_equal(model.transform(X, shift=3.0), expected + 3.0)
    both = pipeline.Pipeline([("a", shifted()), ("b", shifted()), ("c", "passthrough")]).fit(X)
    np.testing.assert_array_equal(both.inverse_transform(X, shift=3.0), X - 3.0 - 3.0)
    with pytest.raises(TypeError, match="unexpected argument"):
        columns.transform(X, other=3.0)


class Plain(Estimator):
    """A transformer without ``fit_transform``, whose both methods take an argument."""

    def fit(self, X, y=None, amount=None):
        return self._publish(X, amount_=amount)

    def transform(self, X, shift=0.0):
        return np.asarray(X) + shift


@pytest.mark.parametrize("library", [sf, sklearn], ids=["here", "there"])
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_steps_without_fit_transform_get_the_arguments_of_both_methods(routing, library, method):
    pipeline = pytest.importorskip(f"{library.__name__}.pipeline")
    compose = pytest.importorskip(f"{library.__name__}.compose")

    def plain():
        return Plain().set_fit_request(amount=True).set_transform_request(shift=True)

    given = {"amount": 7.0, "shift": 3.0}
    last = sf.StandardScaler().set_fit_request(sample_weight=False)
    model = pipeline.Pipeline([("a", plain()), ("same", "passthrough"), ("last", last)])
    getattr(model, method)(X, **given)
    assert model[0].amount_ == 7.0
    np.testing.assert_allclose(model[-1].mean_, X.mean(axis=0) + 3.0, rtol=1e-12)
    if method == "fit_transform":
        only = sf.Pipeline([("only", plain())])
        np.testing.assert_array_equal(only.fit_transform(X, **given), X + 3.0)
        columns = compose.ColumnTransformer([("a", plain(), [0]), ("b", "passthrough", [1])])
        expected = X[:, :2] + [3.0, 0.0]
        np.testing.assert_array_equal(columns.fit_transform(X, **given), expected)
        union = pipeline.FeatureUnion([("a", plain()), ("b", Counted())])
        np.testing.assert_array_equal(union.fit_transform(X, **given), np.c_[X + 3.0, 2.0 * X])


def test_a_transformer_at_the_end_gets_what_it_asks_for(routing):
    last = sf.StandardScaler().set_fit_request(sample_weight=True)
    expected = sf.StandardScaler().fit(X, sample_weight=WEIGHTS).mean_
    model = sf.make_pipeline(Counted(), last)
    np.testing.assert_allclose(model.fit(X, sample_weight=WEIGHTS)[-1].mean_, 2 * expected)
    model.fit_transform(X, sample_weight=WEIGHTS)
    np.testing.assert_allclose(model[-1].mean_, 2 * expected)


def test_transforms_without_routing_take_no_more():
    for model in (
        sf.ColumnTransformer([("a", Shifted(), [0])]),
        sf.FeatureUnion([("a", Shifted())]),
    ):
        with pytest.raises(ValueError, match="where scikit-learn's metadata routing is on"):
            model.fit(X).transform(X, shift=3.0)
    np.testing.assert_array_equal(
        sf.make_pipeline(Counted(), Shifted()).fit(X).transform(X, shift=3.0), 2.0 * X + 3.0
    )


class Marked(Regressor, Estimator):
    """Keeps the marks of its rows, and a setting."""

    def fit(self, X, y, marks=None, setting=None):
        return self._publish(X, marks_=marks, setting_=setting, first_=np.asarray(X)[:, 0])

    def predict(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize("library", [sf, sklearn], ids=["here", "there"])
def test_members_of_bagging_get_what_they_ask_for(routing, library):
    ensemble = pytest.importorskip(f"{library.__name__}.ensemble")
    asked = Marked().set_fit_request(marks=True, setting=True)
    bagging = ensemble.BaggingRegressor(asked, n_estimators=3, max_samples=0.5, random_state=0)
    bagging.fit(X, Y, marks=X[:, 0], setting="a")
    for member in bagging.estimators_:
        assert member.setting_ == "a"
        np.testing.assert_array_equal(member.marks_, member.first_)
    model = sf.make_pipeline(Counted(), bagging).fit(X, Y, marks=2.0 * X[:, 0])
    for member in model[-1].estimators_:
        np.testing.assert_array_equal(member.marks_, member.first_)
    with pytest.raises(TypeError, match="unexpected argument"):
        bagging.fit(X, Y, others=X[:, 0])
    with pytest.raises(ValueError, match="not explicitly set as requested or not"):
        ensemble.BaggingRegressor(Marked()).fit(X, Y, marks=X[:, 0])


@pytest.mark.parametrize("by_member", [False, True])
def test_weights_reach_bagging_by_its_request_or_that_of_its_estimator(routing, by_member):
    tree = sf.DecisionTreeRegressor()
    bagging = sf.BaggingRegressor(tree, n_estimators=3, random_state=0)
    (tree if by_member else bagging).set_fit_request(sample_weight=True)
    first = WEIGHTS * (np.arange(60) < 5)
    model = sf.make_pipeline(Counted(), bagging).fit(X, Y, sample_weight=first)
    assert max(rows.max() for rows in model[-1].estimators_samples_) < 5


class Shifting(sf.GaussianNB):
    """Whose methods say which of them was called, and with what."""

    def fit(self, X, y):
        return super().fit(X, y)

    def predict_proba(self, X, shift=0.0):
        return super().predict_proba(np.asarray(X) + shift)

    def predict_log_proba(self, X, wide=1.0):
        return super().predict_log_proba(np.asarray(X) * wide)


class Deciding(Regressor, Estimator):
    """A constant for each row that the call gives."""

    def fit(self, X, y):
        return self._publish(X)

    def predict(self, X, level=0.0):
        return np.zeros(len(X)) + level


class Voting(Estimator):
    """A classifier without probabilities, whose decisions and votes have arguments."""

    _estimator_type = "classifier"

    def fit(self, X, y):
        return self._publish(X, classes_=np.unique(y))

    def predict(self, X, level=0.0):
        return self.classes_[(np.asarray(X)[:, 0] > level).astype(int)]

    def decision_function(self, X, level=0.0):
        return np.asarray(X)[:, 0] - level


@pytest.mark.parametrize("library", [sf, sklearn], ids=["here", "there"])
def test_answers_of_members_get_what_they_ask_for(routing, library):
    ensemble = pytest.importorskip(f"{library.__name__}.ensemble")
    options = {"n_estimators": 3, "random_state": 0, "bootstrap": False}
    labels = (Y > 0).astype(int)
    member = Shifting().set_predict_proba_request(shift=True)
    member.set_predict_log_proba_request(wide=True)
    plain = sf.GaussianNB().fit(X, labels)
    model = ensemble.BaggingClassifier(member, **options).fit(X, labels)
    expected = plain.predict_proba(X + 0.5)
    np.testing.assert_allclose(model.predict_proba(X, shift=0.5), expected, rtol=1e-10)
    np.testing.assert_array_equal(model.predict(X, shift=0.5), expected.argmax(axis=1))
    logs = plain.predict_log_proba(3.0 * X)
    np.testing.assert_allclose(model.predict_log_proba(X, wide=3.0), logs, rtol=1e-9, atol=1e-12)
    assert np.abs(logs - np.log(plain.predict_proba(X))).max() > 1.0
    with pytest.raises(TypeError, match="unexpected argument"):
        model.predict(X, wide=3.0)
    voting = Voting().set_predict_request(level=True).set_decision_function_request(level=True)
    votes = ensemble.BaggingClassifier(voting, **options).fit(X, labels)
    np.testing.assert_array_equal(votes.predict(X, level=0.7), X[:, 0] > 0.7)
    np.testing.assert_allclose(votes.predict_proba(X, level=0.7)[:, 1], X[:, 0] > 0.7)
    np.testing.assert_allclose(votes.decision_function(X, level=0.7), X[:, 0] - 0.7)
    number = Deciding().set_predict_request(level=True)
    numbers = ensemble.BaggingRegressor(number, **options).fit(X, Y)
    np.testing.assert_allclose(numbers.predict(X, level=X[:, 1]), X[:, 1])
    chain = sf.make_pipeline(Counted(), numbers).fit(X, Y)
    np.testing.assert_allclose(chain.predict(X, level=2.0), 2.0)
    with pytest.raises(ValueError, match="not explicitly set as requested or not"):
        ensemble.BaggingRegressor(Deciding(), **options).fit(X, Y).predict(X, level=2.0)


def test_bagging_without_routing_takes_no_more():
    with pytest.raises(ValueError, match="where scikit-learn's metadata routing is on"):
        sf.BaggingRegressor(Marked()).fit(X, Y, marks=X[:, 0])
    with pytest.raises(ValueError, match=r"BaggingRegressor\.predict takes other arguments"):
        sf.BaggingRegressor(Deciding()).fit(X, Y).predict(X, level=1.0)
