# SPDX-License-Identifier: BSD-3-Clause
"""Several outputs: an estimator for each, chains, their definition, peers and refusals."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import statfast as sf
from tests.reference import chains as twin

KINDS = (
    sf.ClassifierChain, sf.MultiOutputClassifier, sf.MultiOutputRegressor, sf.RegressorChain,
)  # fmt: skip
LOGISTIC = sf.LogisticRegression(C=1.0)


def sample(seed=0, n=90):
    """Rows, three labels of 0 and 1 that depend on one another, and three numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.normal(size=n) > 0
    second = first ^ (X[:, 1] + rng.normal(size=n) > 1.0)
    labels = np.column_stack([first, second, second | (X[:, 2] > 0.5)]).astype(int)
    return X, labels, X @ rng.normal(size=(3, 3)) + labels + 0.3 * rng.normal(size=(n, 3))


def targets(cls, labels, numbers):
    return numbers if "Regressor" in cls.__name__ else labels


def member(cls):
    return sf.Ridge(0.5) if "Regressor" in cls.__name__ else LOGISTIC


@given(seed=st.integers(0, 10**6), order=st.permutations([0, 1, 2]), folds=st.booleans(),
       regress=st.booleans())  # fmt: skip
def test_chains_are_those_of_the_definition(seed, order, folds, regress):
    X, labels, numbers = sample(seed)
    if regress:
        estimator, Y, cls = sf.DecisionTreeRegressor(max_depth=2), numbers, sf.RegressorChain
        splitter = sf.KFold(3)
    else:
        estimator, Y, cls = sf.GaussianNB(), labels, sf.ClassifierChain
        splitter = sf.StratifiedKFold(3)
    model = cls(estimator, order=order, cv=3 if folds else None).fit(X, Y)
    models = twin.fit(estimator, X, Y, order, splitter.split if folds else None)
    expected = twin.predict(models, X, order)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9, atol=1e-9)
    assert model.order_.tolist() == order


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_separate_outputs_are_fits_one_by_one(seed, weighted):
    X, labels, numbers = sample(seed)
    weights = 1.0 + np.arange(len(X)) % 3 if weighted else None
    for cls in (sf.MultiOutputClassifier, sf.MultiOutputRegressor):
        Y = targets(cls, labels, numbers)
        model = cls(member(cls)).fit(X, Y, sample_weight=weights)
        for place in range(3):
            alone = member(cls).fit(X, Y[:, place], sample_weight=weights)
            np.testing.assert_array_equal(model.predict(X)[:, place], alone.predict(X))
            if cls is sf.MultiOutputClassifier:
                shares = model.predict_proba(X)[place]
                np.testing.assert_array_equal(shares, alone.predict_proba(X))


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function",
               ["predict_proba", "predict"]],
)  # fmt: skip
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("order", [None, [2, 0, 1]])
def test_chains_of_classifiers_are_those_of_scikit_learn(method, cv, order):
    peers = pytest.importorskip("sklearn.multioutput")
    from sklearn.linear_model import LogisticRegression

    X, labels, _ = sample(1)
    settings = {"chain_method": method, "cv": cv, "order": order}
    ours = sf.ClassifierChain(LogisticRegression(), **settings).fit(X, labels)
    peer = peers.ClassifierChain(LogisticRegression(), **settings).fit(X, labels)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    for name in ("predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_allclose(getattr(ours, name)(X), getattr(peer, name)(X), rtol=1e-9)
    assert ours.chain_method_ == peer.chain_method_
    assert ours.score(X, labels) == peer.score(X, labels)


def test_numbers_are_those_of_scikit_learn():
    peers = pytest.importorskip("sklearn.multioutput")
    from sklearn.linear_model import Ridge

    X, _, numbers = sample(2)
    for cv in (None, 3):
        ours = sf.RegressorChain(Ridge(), order=[1, 2, 0], cv=cv).fit(X, numbers)
        peer = peers.RegressorChain(Ridge(), order=[1, 2, 0], cv=cv).fit(X, numbers)
        np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)
        assert ours.score(X, numbers) == pytest.approx(peer.score(X, numbers))
    ours = sf.MultiOutputRegressor(Ridge()).fit(X, numbers)
    peer = peers.MultiOutputRegressor(Ridge()).fit(X, numbers)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


def test_least_squares_gains_nothing_by_a_chain():
    X, _, numbers = sample(3)
    chain = sf.RegressorChain(sf.LinearRegression()).fit(X, numbers)
    alone = sf.MultiOutputRegressor(sf.LinearRegression()).fit(X, numbers)
    np.testing.assert_allclose(chain.predict(X), alone.predict(X), rtol=1e-9, atol=1e-9)


def test_folds_of_a_chain_are_not_refitted(monkeypatch):
    X, labels, _ = sample()
    fits = []
    fit = sf.LinearDiscriminantAnalysis.fit

    def counted(self, *args, **kwargs):
        fits.append(self)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(sf.LinearDiscriminantAnalysis, "fit", counted)
    sf.ClassifierChain(sf.LinearDiscriminantAnalysis(), cv=10).fit(X, labels)
    assert len(fits) == 3


def test_labels_of_any_kind():
    X, labels, _ = sample()
    names = np.array(["no", "yes"])[labels]
    by_name = sf.ClassifierChain(LOGISTIC, chain_method="predict_proba").fit(X, names)
    by_code = sf.ClassifierChain(LOGISTIC, chain_method="predict_proba").fit(X, labels)
    np.testing.assert_array_equal(by_name.predict_proba(X), by_code.predict_proba(X))
    np.testing.assert_array_equal(by_name.predict(X), np.array(["no", "yes"])[by_code.predict(X)])
    plain = sf.ClassifierChain(LOGISTIC).fit(X, names)
    codes = sf.ClassifierChain(LOGISTIC).fit(X, labels)
    np.testing.assert_array_equal(plain.predict(X), np.array(["no", "yes"])[codes.predict(X)])
    mixed = np.column_stack([names[:, 0].astype(object), labels[:, 1] + 5])
    model = sf.MultiOutputClassifier(sf.GaussianNB()).fit(X, mixed)
    assert [classes.tolist() for classes in model.classes_] == [["no", "yes"], [5, 6]]
    assert set(model.predict(X)[:, 1]) <= {5, 6}
    assert model.score(X, mixed) == (model.predict(X) == mixed).all(axis=1).mean()
    rows = sparse.csr_array(labels)
    np.testing.assert_array_equal(
        sf.MultiOutputClassifier(LOGISTIC).fit(X, rows).predict(X),
        sf.MultiOutputClassifier(LOGISTIC).fit(X, labels).predict(X),
    )


@pytest.mark.parametrize("cls", KINDS)
def test_containers_pickles_and_searches(cls):
    pd = pytest.importorskip("pandas")
    X, labels, numbers = sample()
    Y = targets(cls, labels, numbers)
    plain = cls(member(cls)).fit(X, Y)
    index = np.arange(len(X))[::-1]
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=index)
    of_frames = cls(member(cls)).fit(frame, pd.DataFrame(Y, columns=["u", "v", "w"], index=index))
    np.testing.assert_array_equal(of_frames.predict(frame), plain.predict(X))
    assert of_frames.feature_names_in_.tolist() == ["a", "b", "c"]
    of_sparse = cls(member(cls)).fit(sparse.csr_array(X), Y)
    near = np.isclose(of_sparse.predict(sparse.csr_array(X)).astype(float), plain.predict(X))
    assert near.mean() > 0.98
    again = pickle.loads(pickle.dumps(plain))
    np.testing.assert_array_equal(again.predict(X), plain.predict(X))
    name = "alpha" if "Regressor" in cls.__name__ else "C"
    grid = {f"estimator__{name}": [0.1, 1.0]}
    search = sf.GridSearchCV(cls(member(cls)), grid, cv=2, error_score="raise").fit(X, Y)
    assert search.best_params_[f"estimator__{name}"] in (0.1, 1.0)
    with pytest.raises(ValueError, match=f"X has 2 features, but {cls.__name__} is expecting 3"):
        plain.predict(X[:, :2])
    with pytest.raises(sf.NotFittedError):
        cls(member(cls)).predict(X)
    chain = sf.make_pipeline(sf.StandardScaler(), cls(member(cls))).fit(X, Y)
    assert chain.predict(X).shape == Y.shape


@pytest.mark.parametrize("cls", KINDS)
def test_weights_are_repeated_rows(cls):
    X, labels, numbers = sample()
    Y, times = targets(cls, labels, numbers), np.arange(90) % 3
    weighted = cls(member(cls)).fit(X, Y, sample_weight=times)
    repeated = cls(member(cls)).fit(X.repeat(times, axis=0), Y.repeat(times, axis=0))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-7, atol=1e-7)
    ones = cls(member(cls)).fit(X, Y, sample_weight=np.ones(90))
    np.testing.assert_allclose(ones.predict(X), cls(member(cls)).fit(X, Y).predict(X), rtol=1e-9)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 7])
def test_threads_change_nothing(n_jobs):
    X, labels, numbers = sample()
    for cls in (sf.MultiOutputClassifier, sf.MultiOutputRegressor):
        Y = targets(cls, labels, numbers)
        model = cls(member(cls), n_jobs=n_jobs).fit(X, Y)
        np.testing.assert_array_equal(model.predict(X), cls(member(cls)).fit(X, Y).predict(X))


def test_batches():
    X, labels, _ = sample()
    model = sf.MultiOutputClassifier(sf.GaussianNB())
    for part in (slice(0, 40), slice(40, 90)):
        model.partial_fit(X[part], labels[part], classes=[[0, 1]] * 3)
    whole = sf.MultiOutputClassifier(sf.GaussianNB()).fit(X, labels)
    for ours, want in zip(model.predict_proba(X), whole.predict_proba(X), strict=True):
        np.testing.assert_allclose(ours, want, rtol=1e-6)
    assert not hasattr(sf.MultiOutputClassifier(LOGISTIC), "partial_fit")
    with pytest.raises(ValueError, match="y must have 3 outputs, as in the first batch; got 2"):
        model.partial_fit(X, labels[:, :2])


def test_methods_are_those_of_the_estimator():
    machine = sf.LinearSVC(random_state=0)
    assert not hasattr(sf.MultiOutputClassifier(machine), "predict_proba")
    assert not hasattr(sf.ClassifierChain(machine), "predict_proba")
    assert not hasattr(sf.ClassifierChain(machine), "predict_log_proba")
    assert hasattr(sf.ClassifierChain(machine), "decision_function")
    assert not hasattr(sf.ClassifierChain(sf.GaussianNB()), "decision_function")


def test_a_random_order_is_drawn_by_the_seed():
    X, labels, _ = sample()
    orders = [
        sf.ClassifierChain(LOGISTIC, order="random", random_state=seed).fit(X, labels).order_
        for seed in (0, 0, *range(1, 9))
    ]
    np.testing.assert_array_equal(orders[0], orders[1])
    assert len({tuple(order.tolist()) for order in orders}) > 1


REFUSED = [
    (sf.ClassifierChain, {"order": [0, 1]}, ValueError, "order must hold each of the 3 outputs"),
    (sf.ClassifierChain, {"order": "up"}, ValueError, "order must be"),
    (sf.RegressorChain, {"order": [0, 1, 1]}, ValueError, "invalid order"),
    (sf.ClassifierChain, {"chain_method": "ask"}, ValueError, "chain_method must be"),
    (sf.ClassifierChain, {"estimator": None}, TypeError, "estimator must be an estimator"),
    (sf.MultiOutputRegressor, {"estimator": sf.StandardScaler()}, TypeError, "with predict"),
    (sf.ClassifierChain, {"estimator": sf.LinearSVC(), "chain_method": "predict_proba"},
     TypeError, "chain_method asks for predict_proba; LinearSVC has none"),
    (sf.RegressorChain, {"cv": [([0, 1], [2, 3])]}, ValueError, "only works for partitions"),
]  # fmt: skip


@pytest.mark.parametrize(("cls", "settings", "kind", "message"), REFUSED)
def test_what_is_refused(cls, settings, kind, message):
    X, labels, numbers = sample()
    with pytest.raises(kind, match=message):
        cls(**{"estimator": member(cls), **settings}).fit(X, targets(cls, labels, numbers))


@pytest.mark.parametrize("cls", KINDS)
def test_targets_that_are_refused(cls):
    X, labels, numbers = sample()
    Y = targets(cls, labels, numbers)
    with pytest.raises(ValueError, match="y must have at least two dimensions"):
        cls(member(cls)).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match=r"\by\b"):
        cls(member(cls)).fit(X, Y[:-1])
    with pytest.raises(ValueError, match=r"\by\b"):
        cls(member(cls)).fit(X, None)
    with pytest.raises(ValueError, match="X contains NaN"):
        cls(member(cls)).fit(np.where(X > 1, np.nan, X), Y)
    estimator = sf.KNeighborsRegressor() if "Regressor" in cls.__name__ else sf.SVC()
    if "Regressor" in cls.__name__:
        with pytest.raises(TypeError, match="does not support sample weights"):
            cls(estimator).fit(X, Y, sample_weight=np.ones(90))
    if cls is sf.ClassifierChain:
        three = np.column_stack([np.arange(90) % 3, labels[:, 0]])
        model = cls(LOGISTIC).fit(X, three)
        assert model.predict(X).shape == (90, 2)
        with pytest.raises(ValueError, match="must hold two classes in each output for predict_p"):
            model.predict_proba(X)
