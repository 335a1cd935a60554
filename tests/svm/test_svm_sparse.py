# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines of sparse rows give what those of the same dense rows give."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from statfast import ConvergenceWarning, GridSearchCV
from statfast._validation import memory
from statfast.kernels import RBF, Polynomial, Spectrum
from statfast.model_selection import KFold, LeaveOneOut
from statfast.svm import SVC, SVR, KernelRidge, NuSVC, NuSVR, OneClassSVM
from statfast.svm.machines import sparse_values

KINDS = (SVC, NuSVC, SVR, NuSVR, OneClassSVM)
KERNELS = (
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": "auto"},
    {"kernel": "sigmoid", "gamma": 0.02},
    {"kernel": RBF(0.2)},
)
TIGHT = 1e-9


def data(n=70, d=12, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    X[:, :classes] += 1.5 * np.eye(classes)[labels]
    X[5] = 0.0
    return X, labels


def answers(model, X):
    values = [model.predict(X)]
    if hasattr(model, "decision_function"):
        values.append(model.decision_function(X))
    return values


@pytest.mark.filterwarnings("ignore:.*positive semi-definite")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("params", KERNELS, ids=lambda params: str(params["kernel"]))
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_are_dense_rows(kind, params, weighted):
    X, labels = data()
    y = X @ np.linspace(-1, 1, X.shape[1]) if kind in (SVR, NuSVR) else labels
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float) if weighted else None
    made = {"nu": 0.2} if kind in (NuSVC, OneClassSVM) else {}
    dense = kind(tol=TIGHT, **params, **made).fit(X, y, sample_weight=weights)
    for form in ("csr", "csc", "coo"):
        S = sparse.coo_array(X).asformat(form)
        model = kind(tol=TIGHT, **params, **made).fit(S, y, sample_weight=weights)
        assert model.kernel_ == dense.kernel_ or isinstance(params["kernel"], str)
        assert getattr(model.kernel_, "gamma", 0) == pytest.approx(
            getattr(dense.kernel_, "gamma", 0), rel=1e-12
        )
        assert model.n_features_in_ == X.shape[1]
        assert model.support_vectors_.shape == (len(model.support_), X.shape[1])
        np.testing.assert_array_equal(model.support_vectors_.toarray(), X[model.support_])
        for asked in (S, X):
            found, expected = answers(model, asked), answers(dense, X)
            np.testing.assert_allclose(found[-1], expected[-1], atol=1e-5)
        for one, other in zip(answers(dense, S), answers(dense, X), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    if params["kernel"] == "linear":
        np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-5)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(S), model.predict(S))


@pytest.mark.parametrize("params", [*KERNELS, {"kernel": "rbf", "gamma": "scale"}], ids=str)
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_ridge_of_sparse_rows(params, form):
    X, labels = data()
    S = sparse.coo_array(X).asformat(form)
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    positive = weights + 1.0
    Y = np.column_stack([X @ np.linspace(-1, 1, X.shape[1]), labels])
    for y, alpha in ((Y[:, 0], 0.1), (Y, [0.5, 2.0])):
        dense = KernelRidge(alpha, **params).fit(X, y, sample_weight=weights)
        model = KernelRidge(alpha, **params).fit(S, y, sample_weight=weights)
        assert model.__sklearn_tags__().input_tags.sparse
        np.testing.assert_array_equal(model.X_fit_.toarray(), X)
        np.testing.assert_allclose(model.dual_coef_, dense.dual_coef_, rtol=0, atol=1e-9)
        expected = dense.predict(X)
        for one in (model, dense, pickle.loads(pickle.dumps(model))):
            for asked in (S, X, np.asfortranarray(X), X.tolist()):
                np.testing.assert_allclose(one.predict(asked), expected, rtol=0, atol=1e-9)
        for cv in (LeaveOneOut(), KFold(5)):
            found = [
                GridSearchCV(KernelRidge(**params), {"alpha": [0.1, 10.0]}, cv=cv,
                             scoring="neg_mean_squared_error").fit(rows, y, sample_weight=positive)
                for rows in (S, X)
            ]  # fmt: skip
            assert found[0].path_ == found[1].path_
            np.testing.assert_allclose(
                found[0].cv_results_["mean_test_score"],
                found[1].cv_results_["mean_test_score"],
                rtol=1e-9,
            )


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_sparse_ridge_as_in_scikit_learn(kernel):
    peer = pytest.importorskip("sklearn.kernel_ridge").KernelRidge
    X, labels = data(seed=4)
    S, fresh = sparse.csr_matrix(X), sparse.csr_matrix(data(seed=5)[0])
    made = {"kernel": kernel, "alpha": 0.5, "gamma": 0.02, "degree": 2}
    ours, theirs = KernelRidge(**made).fit(S, labels), peer(**made).fit(S, labels)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.predict(fresh), theirs.predict(fresh), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", [SVC, SVR, OneClassSVM])
def test_sparse_rows_as_in_scikit_learn(kind):
    peer = getattr(pytest.importorskip("sklearn.svm"), kind.__name__)
    X, labels = data(seed=3, classes=2)
    S = sparse.csr_matrix(X)
    ours = kind(tol=TIGHT).fit(S, labels * 1)
    theirs = peer(tol=TIGHT).fit(S, labels * 1)
    method = "predict" if kind is SVR else "decision_function"
    expected = getattr(theirs, method)(S)
    np.testing.assert_allclose(getattr(ours, method)(S), expected, atol=1e-5)


def test_probabilities_and_searches_of_sparse_rows():
    X, labels = data(classes=2)
    S = sparse.csr_array(X)
    made = {"probability": True, "tol": TIGHT, "random_state": 0}
    ours, dense = (SVC(**made).fit(rows, labels) for rows in (S, X))
    np.testing.assert_allclose(ours.predict_proba(S), dense.predict_proba(X), atol=1e-4)
    grid = {"C": [0.1, 10.0], "gamma": [0.05, 0.5]}
    found = [
        GridSearchCV(SVC(tol=TIGHT), grid, cv=3).fit(rows, labels).cv_results_["mean_test_score"]
        for rows in (S, X)
    ]
    np.testing.assert_allclose(found[0], found[1])


def test_values_come_in_blocks_and_one_by_one(monkeypatch):
    X, labels = data()
    S = sparse.csr_array(X)
    whole = SVC().fit(S, labels).decision_function(S)
    monkeypatch.setattr(sparse_values, "VALUES_OF_BLOCK", 100)
    model = SVC().fit(S, labels)
    np.testing.assert_array_equal(model.decision_function(S), whole)
    alone = np.vstack([model.decision_function(S[[i]]) for i in range(len(X))])
    np.testing.assert_allclose(alone, whole, rtol=0, atol=1e-14)


def test_what_is_refused(monkeypatch):
    X, labels = data()
    S = sparse.csr_array(X)
    for kernel in ("laplacian", Polynomial(2) * RBF(1.0), lambda A, B: A @ B.T):
        with pytest.raises(TypeError, match=r"X must be an array for kernel=.*Pass X.toarray"):
            SVC(kernel=kernel).fit(S, labels)
    for kernel in ("precomputed", "spectrum"):
        with pytest.raises((TypeError, ValueError), match="X"):
            SVC(kernel=kernel).fit(S, labels)
    for kernel in ("laplacian", "cosine"):
        with pytest.raises(TypeError, match=r"X must be an array for kernel=.*Pass X.toarray"):
            KernelRidge(kernel=kernel).fit(S, labels)
        assert not KernelRidge(kernel=kernel).__sklearn_tags__().input_tags.sparse
        dense = KernelRidge(kernel=kernel).fit(X, labels)
        np.testing.assert_allclose(dense.predict(S), dense.predict(X), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="NaN"):
        SVC().fit(S * np.nan, labels)
    with pytest.raises(ValueError, match="whose squares overflow"):
        SVC().fit(S * 1e200, labels)
    model = SVC().fit(S, labels)
    with pytest.raises(ValueError, match="X has 3 features, but SVC is expecting 12"):
        model.predict(S[:, [0, 1, 2]])
    with (
        pytest.warns(UserWarning, match="The columns of X lie far from 0"),
        pytest.warns(ConvergenceWarning),
    ):
        SVC(kernel="poly", max_iter=5).fit(sparse.csr_array(X + 1e4), labels)
    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 30)
    wide = sparse.csr_array((20_000, 3))
    with pytest.raises(MemoryError, match="matrix of 20000 sparse rows needs"):
        SVC().fit(wide, np.arange(20_000) % 2)


def test_rows_without_a_nonzero():
    S, labels = sparse.csr_array((6, 3)), np.arange(6) % 2
    model = SVC().fit(S, labels)
    assert model.kernel_.gamma == 1.0
    np.testing.assert_allclose(
        model.decision_function(S),
        SVC().fit(S.toarray(), labels).decision_function(S.toarray()),
        atol=1e-3,
    )


@pytest.mark.parametrize("cls", [SVR, NuSVR])
def test_a_machine_without_support_vectors_answers_any_rows(cls):
    X = np.random.default_rng(0).normal(size=(20, 3))
    words = ["ab", "ba", "aab"]
    texts = cls(kernel=Spectrum(2)).fit(words, [2.0] * 3)
    np.testing.assert_array_equal(texts.predict(words), [2.0] * 3)
    for rows in (X, sparse.csr_array(X)):
        model = cls().fit(rows, np.full(20, 2.0))
        assert not len(model.support_)
        np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), np.full(20, 2.0))
