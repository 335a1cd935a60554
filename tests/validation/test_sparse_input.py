# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices whose parts do not fit each other: a sentence, where scipy's kernels would write
and read wherever an index points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import statfast
from statfast import metrics
from statfast._estimator.regressor import Regressor
from statfast._validation import compress_rows
from statfast._validation import sparse as _sparse
from statfast.inspection import shap_values
from statfast.linear import LogisticRegression
from tests.contract.test_contract import COUNTS, ESTIMATORS, SPARSE_AFTER_DENSE, make, methods

N, D = 12, 8


def sound(kind):
    X = np.random.default_rng(0).integers(-3, 4, (N, D)) * 1.0
    return sparse.coo_array(X).asformat(kind)


def put(part, place, value):
    def damage(X):
        array = getattr(X, part).copy()
        array[place] = value
        setattr(X, part, array)

    return damage


def change(part, function):
    return lambda X: setattr(X, part, function(getattr(X, part)))


def stored_key(key):
    return lambda X: dict.__setitem__(X._dict, key, 1.0)


LINES = {
    "index beyond": put("indices", -1, 10**7),
    "index far beyond": put("indices", 0, 2**31 - 1),
    "index of the width": put("indices", 3, N),
    "negative index": put("indices", -1, -1),
    "very negative index": put("indices", 0, -(10**7)),
    "falling starts": put("indptr", 2, 10**6),
    "negative start": put("indptr", 1, -5),
    "late start": put("indptr", 0, 1),
    "starts beyond": put("indptr", -1, 10**6),
    "none by the last start": put("indptr", -1, 0),
    "short starts": change("indptr", lambda a: a[:-1]),
    "no starts": change("indptr", lambda a: a[:0]),
    "long starts": change("indptr", lambda a: np.append(a, a[-1])),
    "starts of floats": change("indptr", lambda a: a * 1.0),
    "starts in rows": change("indptr", lambda a: a[None]),
    "short data": change("data", lambda a: a[:-3]),
    "no data": change("data", lambda a: a[:0]),
    "short indices": change("indices", lambda a: a[:-3]),
    "indices of floats": change("indices", lambda a: a * np.nan),
}
POINTS = {
    "row beyond": put("row", 0, 10**7),
    "negative row": put("row", 0, -1),
    "column beyond": put("col", -1, D),
    "negative column": put("col", -1, -(10**7)),
    "short data": change("data", lambda a: a[:-3]),
    "short rows": change("row", lambda a: a[:-3]),
}
DAMAGES = {
    "csr": LINES,
    "csc": LINES,
    "bsr": {
        **LINES,
        "blocks that do not tile": change("data", lambda a: np.ones((len(a), 5, 7))),
        "flat blocks": change("data", np.ravel),
        "empty blocks": change("data", lambda a: a[:, :0]),
    },
    "coo": POINTS,
    "dia": {
        "short offsets": change("offsets", lambda a: a[:-3]),
        "short data": change("data", lambda a: a[:1]),
        "flat data": change("data", np.ravel),
    },
    "lil": {
        "short data": lambda X: X.data[2].pop(),
        "short rows": lambda X: X.rows[2].pop(),
        "column beyond": lambda X: X.rows[2].__setitem__(0, 10**7),
        "negative column": lambda X: X.rows[2].__setitem__(0, -(10**7)),
        "no rows": change("rows", lambda a: a[:3]),
    },
    "dok": {
        "row beyond": stored_key((N, 0)),
        "negative column": stored_key((0, -(10**7))),
    },
}
CASES = [(kind, damage) for kind in DAMAGES for damage in DAMAGES[kind]]
REFUSAL = "X is a damaged sparse matrix: "


def damaged(kind, damage):
    X = sound(kind)
    DAMAGES[kind][damage](X)
    return X


def parts(X):
    return [value.copy() for value in X.__dict__.values() if isinstance(value, np.ndarray)]


each_case = pytest.mark.parametrize(("kind", "damage"), CASES, ids=map("-".join, CASES))
takes_sparse = pytest.mark.parametrize(
    "cls",
    [cls for cls in ESTIMATORS if make(cls).__sklearn_tags__().input_tags.sparse],
    ids=lambda cls: cls.__name__,
)
predicts_sparse = pytest.mark.parametrize(
    "cls",
    [cls for cls in ESTIMATORS if cls.__name__ in SPARSE_AFTER_DENSE],
    ids=lambda cls: cls.__name__,
)


def labels(cls):
    y = np.arange(N) % 2
    return y + 1.5 if issubclass(cls, Regressor) else y  # positive, as some models ask


@each_case
def test_a_damaged_matrix_is_refused(kind, damage):
    X = damaged(kind, damage)
    before = parts(X)
    with pytest.raises(ValueError, match=REFUSAL):
        _sparse.as_csr(X)
    for a, b in zip(parts(X), before, strict=True):
        np.testing.assert_array_equal(a, b)  # to be looked at changes nothing


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("make_one", [sparse.coo_array, sparse.coo_matrix])
def test_a_sound_matrix_is_taken(kind, make_one):
    X = make_one(sound("coo")).asformat(kind)
    np.testing.assert_array_equal(_sparse.as_csr(X).toarray(), X.toarray())
    if kind in ("csr", "csc", "bsr"):  # room left at the end, as scipy leaves it, is no damage
        X.indices = np.append(X.indices, 10**7)
        X.data = np.append(X.data, X.data[:1], axis=0)
        np.testing.assert_array_equal(_sparse.as_csr(X).toarray(), sound("coo").toarray())


@takes_sparse
def test_every_fit_refuses_a_damaged_matrix(cls):
    model = make(cls)
    before = dict(model.__dict__)
    for kind, damage in CASES:
        with pytest.raises(ValueError, match=REFUSAL):
            model.fit(damaged(kind, damage), labels(cls))
    assert model.__dict__ == before


@predicts_sparse
@pytest.mark.filterwarnings("ignore:.*columns that depend on those before")  # of a stack's members
def test_every_prediction_refuses_a_damaged_matrix(cls):
    X = sound("coo").toarray()
    model = make(cls).fit(np.abs(X) if cls.__name__ in COUNTS else X, labels(cls))
    for name in methods(model):
        for kind, damage in CASES:
            with pytest.raises(ValueError, match=REFUSAL):
                getattr(model, name)(damaged(kind, damage))


ROWS = np.random.default_rng(0).normal(size=(N, D))
TREE = statfast.DecisionTreeRegressor().fit(ROWS, ROWS[:, 0])
LINE = statfast.Ridge().fit(ROWS, ROWS[:, 0])
NEAREST = statfast.KNeighborsRegressor(2).fit(ROWS, ROWS[:, 0])
FUNCTIONS = {
    "enet_path": lambda X: statfast.enet_path(X, np.arange(N)),
    "lasso_path": lambda X: statfast.lasso_path(X, np.arange(N)),
    "logistic_path": lambda X: statfast.logistic_path(X, np.arange(N) % 2),
    "kmeans_plusplus": lambda X: statfast.kmeans_plusplus(X, 2),
    "shap_values": lambda X: shap_values(TREE, X),
    "shap_values of a line": lambda X: shap_values(LINE, X),
    "shap_values of others": lambda X: shap_values(NEAREST, X, background=ROWS),
    "partial_fit": lambda X: statfast.MiniBatchKMeans(2).partial_fit(X),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_refuse_a_damaged_matrix(function):
    for kind, damage in CASES:
        with pytest.raises(ValueError, match=REFUSAL):
            function(damaged(kind, damage))


OF_INDICATORS = {
    "accuracy_score": lambda Y, whole: metrics.accuracy_score(whole, Y),
    "f1_score": lambda Y, whole: metrics.f1_score(Y, whole, average="macro"),
    "roc_auc_score": lambda Y, whole: metrics.roc_auc_score(Y, whole),
    "average_precision_score": lambda Y, whole: metrics.average_precision_score(Y, whole),
    "OneVsRestClassifier": lambda Y, whole: statfast.OneVsRestClassifier(statfast.GaussianNB()).fit(
        whole, Y
    ),
}


@pytest.mark.parametrize("function", OF_INDICATORS.values(), ids=OF_INDICATORS)
def test_indicators_of_a_damaged_matrix_are_refused(function):
    whole = (sound("coo").toarray() > 0).astype(np.int64)
    for kind, damage in CASES:
        with pytest.raises(ValueError, match="is a damaged sparse matrix: "):
            function(damaged(kind, damage), whole)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_nan_in_a_large_matrix_is_named_in_little_memory(kind, value):
    n, d = 200_000, 1_000_000  # 1.11 TiB as an array
    X = sparse.coo_array(([1.0, value], ([0, n - 1], [5, d - 1])), shape=(n, d)).asformat(kind)
    what = "NaN" if np.isnan(value) else "infinity, or a value too large for float64"
    with pytest.raises(ValueError, match=f"X contains {what}, first at row 199999, column 999999"):
        _sparse.as_csr(X)


@pytest.mark.parametrize("kind", DAMAGES)
def test_no_rows_are_refused(kind):
    X = sparse.coo_array((0, 4)).asformat(kind)
    reduction = statfast.OneVsRestClassifier(LogisticRegression(C=1.0))
    with pytest.raises(ValueError, match=r"X has 0 sample\(s\)"):
        reduction.fit(X, [])
    reduction.fit(np.eye(4), [0, 1, 2, 0])
    with pytest.raises(ValueError, match=r"X has 0 sample\(s\)"):
        reduction.predict(X)


@pytest.mark.parametrize("dtype", [">f8", "f2"])
def test_values_that_scipy_cannot_index(dtype):
    X = sparse.random_array(
        (30, 4), density=0.5, random_state=np.random.default_rng(0), format="csr"
    )
    X.data = np.round(X.data, 1).astype(dtype)
    y = np.arange(30.0)
    model = statfast.ensemble.BaggingRegressor(statfast.Lasso(0.1), n_estimators=3, random_state=0)
    plain = X.data.astype(np.float32 if dtype == "f2" else np.float64)
    as_plain = sparse.csr_array((plain, X.indices, X.indptr), shape=X.shape)
    expected = model.fit(as_plain, y).predict(as_plain)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), expected)


@pytest.mark.parametrize("order", ["C", "F"])
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 30),
    d=st.integers(1, 9),
    share=st.floats(0, 1),
    dtype=st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_]),
)
def test_compressed_rows_are_those_of_scipy(order, seed, n, d, share, dtype):
    rng = np.random.default_rng(seed)
    rows = np.where(rng.random((n, d)) < share, rng.integers(1, 5, (n, d)), 0).astype(dtype)
    if dtype in (np.float64, np.float32) and n:
        rows[0, 0], rows[-1, -1] = np.nan, -0.0
    rows = np.asarray(rows, order=order)
    ours, theirs = compress_rows(rows), sparse.csr_array(rows)
    assert ours.dtype == theirs.dtype
    assert ours.indices.dtype == theirs.indices.dtype == ours.indptr.dtype
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
    assert ours.has_canonical_format
