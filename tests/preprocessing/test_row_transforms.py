# SPDX-License-Identifier: BSD-3-Clause
"""Transformers that learn nothing, the scaler by largest values, and functions of one call."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import Binarizer, FunctionTransformer, MaxAbsScaler, Normalizer, make_pipeline
from statfast import preprocessing as ours
from statfast.linear import Ridge

ROWS = np.random.default_rng(0).normal(size=(40, 6)) * [1.0, 1e-3, 1e3, 1.0, 0.0, 5.0]


def peer():
    return pytest.importorskip("sklearn.preprocessing")


def dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_norms_of_rows(norm, dtype, kind):
    X = ROWS.astype(dtype)
    X[3] = 0.0
    X[7, 2:] = 0.0
    out = Normalizer(norm).fit(kind(X)).transform(kind(X))
    assert out.dtype == dtype
    assert sparse.issparse(out) == sparse.issparse(kind(X))
    rtol = 1e-6 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(dense(out), peer().normalize(X, norm), rtol=rtol, atol=1e-300)
    again, norms = ours.normalize(kind(X), norm, return_norm=True)
    np.testing.assert_array_equal(dense(again), dense(out))
    order = {"l1": 1, "l2": 2, "max": np.inf}[norm]
    np.testing.assert_allclose(norms, np.linalg.norm(X.astype(float), order, axis=1), rtol=1e-6)
    columns = ours.normalize(kind(X), norm, axis=0)
    np.testing.assert_allclose(dense(columns), dense(ours.normalize(kind(X.T), norm)).T, rtol=rtol)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e200, 1.7e308])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_norms_of_huge_and_tiny_rows(size, kind):
    X = size * np.array([[0.6, 0.8], [1.0, 0.0]])
    out = dense(Normalizer().transform(kind(X)))
    np.testing.assert_allclose(out, [[0.6, 0.8], [1.0, 0.0]], rtol=1e-9)


def test_a_row_has_its_answer_whatever_rows_are_beside_it():
    X = np.random.default_rng(1).normal(size=(5000, 33))
    whole = Normalizer().transform(X)
    np.testing.assert_array_equal(whole[4321], Normalizer().transform(X[4321:4322])[0])


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 1.0])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_values_above_a_threshold(threshold, kind):
    X = kind(ROWS)
    if threshold < 0 and sparse.issparse(X):
        for call in (
            Binarizer(threshold=threshold).transform,
            lambda X: ours.binarize(X, threshold=threshold),
        ):
            with pytest.raises(ValueError, match="threshold < 0"):
                call(X)
        return
    expected = (threshold < ROWS).astype(float)
    np.testing.assert_array_equal(dense(Binarizer(threshold=threshold).transform(X)), expected)
    np.testing.assert_array_equal(dense(ours.binarize(X, threshold=threshold)), expected)


@pytest.mark.parametrize("model", [Normalizer(), Binarizer()])
def test_nothing_is_learned_but_columns_are_remembered(model):
    assert model.transform(ROWS).shape == ROWS.shape
    fitted = model.fit(ROWS)
    with pytest.raises(ValueError, match="X has 3 features"):
        fitted.transform(ROWS[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        model.transform(np.full((2, 6), np.nan))
    assert fitted.get_feature_names_out().tolist() == [f"x{j}" for j in range(6)]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("clip", [False, True])
def test_largest_values(kind, clip):
    theirs = peer().MaxAbsScaler(clip=clip).fit(ROWS)
    model = MaxAbsScaler(clip=clip).fit(kind(ROWS))
    for name in ("max_abs_", "scale_", "n_samples_seen_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(theirs, name))
    later = 2.0 * ROWS
    np.testing.assert_allclose(dense(model.transform(kind(later))), theirs.transform(later))
    np.testing.assert_allclose(
        dense(model.inverse_transform(kind(ROWS))), theirs.inverse_transform(ROWS)
    )


@pytest.mark.filterwarnings("ignore:All-NaN:RuntimeWarning")  # of scikit-learn
def test_largest_values_add_up_and_pass_gaps():
    X = ROWS.copy()
    X[::3, 0] = np.nan
    X[:, 4] = np.nan
    whole, parts = MaxAbsScaler().fit(X), MaxAbsScaler()
    for rows in np.array_split(X, 4):
        parts.partial_fit(rows)
    np.testing.assert_array_equal(parts.transform(X), whole.transform(X))
    np.testing.assert_allclose(whole.transform(X), peer().MaxAbsScaler().fit_transform(X))


SCALES = {
    "scale": [{}, {"with_mean": False}, {"with_std": False}],
    "minmax_scale": [{}, {"feature_range": (-2.0, 3.0)}],
    "maxabs_scale": [{}],
    "robust_scale": [{}, {"with_centering": False}, {"quantile_range": (10.0, 90.0)}],
}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("name", "setting"), [(name, setting) for name, all_of in SCALES.items() for setting in all_of]
)
def test_functions_of_one_call(name, setting, axis):
    ours_of, theirs_of = getattr(ours, name), getattr(peer(), name)
    np.testing.assert_allclose(
        ours_of(ROWS, axis=axis, **setting),
        theirs_of(ROWS, axis=axis, **setting),
        rtol=1e-9,
        atol=1e-9,
    )
    np.testing.assert_allclose(
        ours_of(ROWS[:, 0], **setting), theirs_of(ROWS[:, 0], **setting), atol=1e-12
    )
    with pytest.raises(ValueError, match=r"axis must be between 0 and 1; got 2"):
        ours_of(ROWS, axis=2)


def test_functions_keep_sparse_rows_sparse():
    rows = sparse.csr_array(np.where(ROWS > 0, ROWS, 0.0))
    for call in (
        lambda X: ours.scale(X, with_mean=False), ours.maxabs_scale,
        lambda X: ours.robust_scale(X, with_centering=False), ours.add_dummy_feature,
    ):  # fmt: skip
        out = call(rows)
        assert sparse.issparse(out)
        np.testing.assert_allclose(out.toarray(), call(rows.toarray()), rtol=1e-12)
    with pytest.raises(TypeError, match="Cannot center sparse"):
        ours.scale(rows)


@given(st.floats(-1e3, 1e3))
def test_a_constant_column_comes_first(value):
    out = ours.add_dummy_feature(ROWS, value)
    assert (out[:, 0] == value).all()
    np.testing.assert_array_equal(out[:, 1:], ROWS)


# ------------------------------------------------------------------ functions of the user
def half(X, by=2.0):
    return X / by


def test_functions_get_their_arguments():
    model = FunctionTransformer(half, np.multiply, kw_args={"by": 4.0}, inv_kw_args={"x2": 4.0})
    model = FunctionTransformer(
        half, lambda X, by: X * by, kw_args={"by": 4.0}, inv_kw_args={"by": 4.0}
    )
    np.testing.assert_array_equal(model.fit_transform(ROWS), ROWS / 4.0)
    np.testing.assert_allclose(model.inverse_transform(ROWS / 4.0), ROWS)
    assert FunctionTransformer().fit_transform(ROWS) is ROWS
    assert not hasattr(model, "get_feature_names_out")


def test_functions_that_do_not_undo_each_other_warn():
    with pytest.warns(UserWarning, match="not strictly inverse"):
        FunctionTransformer(np.exp, np.sqrt).fit(np.abs(ROWS))
    FunctionTransformer(np.exp, np.sqrt, check_inverse=False).fit(np.abs(ROWS))
    FunctionTransformer(np.expm1, np.log1p).fit(np.abs(ROWS[:, [0, 1]]))


def test_names_are_those_of_columns_or_of_a_function():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    one = FunctionTransformer(np.sqrt, feature_names_out="one-to-one")
    out = one.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["a", "b"]
    doubled = FunctionTransformer(
        lambda X: np.hstack([X, X]),
        feature_names_out=lambda model, names: [*names, *(f"{name}_again" for name in names)],
    ).fit(frame.to_numpy())
    assert doubled.get_feature_names_out(["a", "b"]).tolist() == ["a", "b", "a_again", "b_again"]
    with pytest.raises(ValueError, match="feature_names_out"):
        FunctionTransformer(feature_names_out="two-to-one").fit(frame)


def test_validation_is_for_those_who_ask():
    words = [["a"], ["b"]]
    assert FunctionTransformer().fit(words).transform(words) is words
    checked = FunctionTransformer(validate=True)
    with pytest.raises(ValueError, match="X"):
        checked.fit(words)
    checked.fit(ROWS)
    with pytest.raises(ValueError, match="X has 2 features"):
        checked.transform(ROWS[:, :2])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        checked.fit(sparse.csr_array(ROWS))
    packed = FunctionTransformer(validate=True, accept_sparse=True)
    assert sparse.issparse(packed.fit_transform(sparse.csr_array(ROWS)))


def test_functions_in_a_pipeline():
    y = ROWS @ np.arange(6.0)
    piped = make_pipeline(FunctionTransformer(half), Ridge(alpha=1e-3)).fit(ROWS, y)
    alone = Ridge(alpha=1e-3).fit(ROWS / 2.0, y)
    np.testing.assert_allclose(piped.predict(ROWS), alone.predict(ROWS / 2.0))


@pytest.mark.parametrize("setting", [{"func": np.ones(3)}, {"inv_kw_args": np.ones(3)}])
@pytest.mark.parametrize("method", ["fit", "transform", "inverse_transform"])
def test_wrong_functions_are_refused_by_each_method(setting, method):
    with pytest.raises(TypeError, match=next(iter(setting))):
        getattr(FunctionTransformer(**setting), method)(ROWS)


def test_ragged_rows_are_refused_by_the_identity():
    with pytest.raises(ValueError, match="X should be"):
        FunctionTransformer().fit([[1.0, 2.0], [3.0]])


@pytest.mark.parametrize("axis", [np.zeros(2), 2, "rows", True, None])
@pytest.mark.parametrize("name", ["scale", "minmax_scale", "maxabs_scale", "normalize"])
def test_an_axis_is_0_or_1(name, axis):
    with pytest.raises((TypeError, ValueError), match="axis must be"):
        getattr(ours, name)(ROWS, axis=axis)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_damaged_sparse_matrix_is_refused(axis):
    damaged = sparse.csc_array(ROWS)
    damaged.indptr = damaged.indptr.copy()
    damaged.indptr[-1] += 1000
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        ours.maxabs_scale(damaged, axis=axis)
