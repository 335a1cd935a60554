# SPDX-License-Identifier: BSD-3-Clause
"""Coders of labels: numbers and tables and back, in the answers and the words of scikit-learn."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import LabelBinarizer, LabelEncoder, MultiLabelBinarizer, NotFittedError
from statfast.preprocessing import label_binarize

LABELS = [
    [3, 1, 2, 1],
    ["spam", "ham", "spam", "eggs"],
    [True, False, True],
    [2.5, np.nan, 1.5, np.nan],
    np.array(["b", None, "a", "b"], dtype=object),
    np.array(["b", np.nan, "a"], dtype=object),
    np.arange(5, dtype=np.uint8),
    [7],
]


def same(ours, expected):
    ours, expected = np.asarray(ours, dtype=object), np.asarray(expected, dtype=object)
    assert ours.shape == expected.shape
    for one, other in zip(ours.ravel(), expected.ravel(), strict=True):
        assert one == other or (one != one and other != other)


@pytest.mark.parametrize("y", LABELS, ids=str)
def test_encoder_gives_the_answers_of_scikit_learn(y):
    peer = pytest.importorskip("sklearn.preprocessing").LabelEncoder()
    ours = LabelEncoder()
    codes = ours.fit_transform(y)
    np.testing.assert_array_equal(codes, peer.fit_transform(y))
    assert codes.dtype == np.int64
    same(ours.classes_, peer.classes_)
    same(ours.inverse_transform(codes), peer.inverse_transform(codes))
    np.testing.assert_array_equal(LabelEncoder().fit(y).transform(y), codes)


@given(st.lists(st.one_of(st.integers(-5, 5)), min_size=1, max_size=30))
def test_codes_are_places_among_the_sorted_labels(y):
    model = LabelEncoder().fit(y)
    assert model.classes_.tolist() == sorted(set(y))
    assert model.transform(y).tolist() == [sorted(set(y)).index(label) for label in y]
    assert model.inverse_transform(model.transform(y)).tolist() == y


def test_encoder_says_what_is_wrong():
    model = LabelEncoder()
    with pytest.raises(NotFittedError):
        model.transform(["a"])
    model.fit(["a", "b"])
    with pytest.raises(ValueError, match=r"previously unseen labels: \['c', 'd'\]"):
        model.transform(["a", "c", "d", "c"])
    with pytest.raises(ValueError, match=r"previously unseen labels: \[-1, 2\].*from 0 to 1"):
        model.inverse_transform([0, -1, 2])
    with pytest.raises(ValueError, match="1d array"):
        model.fit([["a", "b"], ["c", "d"]])
    with pytest.raises(TypeError, match="uniformly strings or numbers"):
        model.fit(np.array(["a", 1], dtype=object))
    assert model.transform([]).shape == (0,)
    assert model.inverse_transform([]).shape == (0,)
    assert pickle.loads(pickle.dumps(model)).transform(["b"]).tolist() == [1]


TABLES = [
    ["b", "a", "c", "a"],
    ["yes", "no", "yes"],
    ["one", "one"],
    [1, 2, 6, 4, 2],
    [1.0, 3.0, 2.0],
    np.array([[0, 1, 1], [1, 0, 0]]),
    sparse.csr_array(np.array([[0, 1, 1], [1, 0, 0]])),
]


@pytest.mark.parametrize("y", TABLES, ids=str)
@pytest.mark.parametrize("marks", [{}, {"neg_label": -1}, {"pos_label": 5, "neg_label": 2}])
def test_binarizer_gives_the_answers_of_scikit_learn(y, marks):
    peer = pytest.importorskip("sklearn.preprocessing").LabelBinarizer(**marks)
    ours = LabelBinarizer(**marks).fit(y)
    if sparse.issparse(y) and marks:  # scikit-learn keeps sparse tables, whose zeros have no mark
        np.testing.assert_array_equal(
            ours.transform(y), np.where(y.toarray(), *(ours.pos_label, ours.neg_label))
        )
        return
    peer_table = peer.fit_transform(y)
    table = ours.transform(y)
    np.testing.assert_array_equal(
        table, peer_table.toarray() if sparse.issparse(peer_table) else peer_table
    )
    same(ours.classes_, peer.classes_)
    assert (ours.y_type_, ours.sparse_input_) == (peer.y_type_, peer.sparse_input_)
    back, expected = ours.inverse_transform(table), peer.inverse_transform(table)
    if sparse.issparse(expected):
        assert sparse.issparse(back)
        back, expected = back.toarray(), expected.toarray()
    same(back, expected)


def test_sparse_tables_hold_what_dense_ones_hold():
    y = ["b", "a", "c", "a"]
    packed = LabelBinarizer(sparse_output=True).fit_transform(y)
    assert sparse.issparse(packed)
    assert packed.nnz == len(y)
    np.testing.assert_array_equal(packed.toarray(), LabelBinarizer().fit_transform(y))
    assert LabelBinarizer().fit(y).inverse_transform(packed).tolist() == y


@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=20),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True),
)
def test_a_row_marks_its_class_whatever_their_order(y, classes):
    table = label_binarize(y, classes=classes)
    if len(classes) == 1:
        assert table.tolist() == [[0]] * len(y)
    elif len(classes) == 2:
        assert table[:, 0].tolist() == [int(label == classes[1]) for label in y]
    else:
        assert table.tolist() == [[int(label == name) for name in classes] for label in y]


def test_labels_that_are_not_known_are_in_no_class():
    model = LabelBinarizer().fit(["a", "b", "c"])
    assert model.transform(["z", "b"]).tolist() == [[0, 0, 0], [0, 1, 0]]


def test_scores_are_decided_by_the_threshold_and_ties_by_the_first_class():
    two = LabelBinarizer().fit(["no", "yes"])
    assert two.inverse_transform([0.4, 0.6]).tolist() == ["no", "yes"]
    assert two.inverse_transform([[0.4], [0.6]], threshold=0.7).tolist() == ["no", "no"]
    assert two.inverse_transform([[0.9, 0.1], [0.1, 0.9]]).tolist() == ["no", "yes"]
    three = LabelBinarizer().fit(["a", "b", "c"])
    assert three.inverse_transform([[0.2, 0.4, 0.4]]).tolist() == ["b"]


@pytest.mark.parametrize(("setting", "words"), [
    ({"neg_label": 1}, "strictly less than pos_label"),
    ({"neg_label": -1, "sparse_output": True}, "zero neg_label"),
    ({"pos_label": 0, "neg_label": -1, "sparse_output": True}, "non zero pos_label"),
])  # fmt: skip
def test_marks_that_make_no_table_are_refused(setting, words):
    with pytest.raises(ValueError, match=words):
        LabelBinarizer(**setting).fit(["a", "b"])
    with pytest.raises(ValueError, match=words):
        label_binarize(["a", "b"], classes=["a", "b"], **setting)


@pytest.mark.parametrize("mark", [{1}, "1", 0.5, None])
def test_marks_that_are_no_integers_are_refused(mark):
    with pytest.raises((TypeError, ValueError), match="pos_label"):
        label_binarize(["a", "b"], classes=["a", "b"], pos_label=mark)


def test_binarizer_says_what_is_wrong():
    model = LabelBinarizer()
    with pytest.raises(NotFittedError):
        model.transform(["a"])
    for wrong, words in (
        ([], "0 samples"),
        ([1.5, 2.0], "continuous"),
        ([[1, 2], [3, 4]], "must be an indicator matrix"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(wrong)
    model.fit(["a", "b", "c"])
    with pytest.raises(ValueError, match="not fitted with multilabel input"):
        model.transform([[1, 0, 1], [0, 1, 1]])
    with pytest.raises(ValueError, match=r"Y must have 3 column"):
        model.inverse_transform([[1, 0]])
    with pytest.raises(ValueError, match="classes must name the 2 columns"):
        label_binarize([[1, 0], [0, 1]], classes=["a"])


SETS = [
    [{"bread", "milk"}, {"milk"}, set()],
    [(1, 2), (3,), (2, 2)],
    [["x"], ["y", "x"]],
    [[]],
]


@pytest.mark.parametrize("rows", SETS, ids=str)
@pytest.mark.parametrize("packed", [False, True])
def test_sets_of_labels_give_the_answers_of_scikit_learn(rows, packed):
    peer = pytest.importorskip("sklearn.preprocessing").MultiLabelBinarizer(sparse_output=packed)
    ours = MultiLabelBinarizer(sparse_output=packed)
    table, peer_table = ours.fit_transform(rows), peer.fit_transform(rows)
    assert sparse.issparse(table) == packed
    if packed:
        table, peer_table = table.toarray(), peer_table.toarray()
    np.testing.assert_array_equal(table, peer_table)
    same(ours.classes_, peer.classes_)
    assert ours.classes_.dtype == peer.classes_.dtype or not len(ours.classes_)
    assert [set(row) for row in ours.inverse_transform(table)] == [set(row) for row in rows]
    np.testing.assert_array_equal(MultiLabelBinarizer().fit(iter(rows)).transform(rows), table)


def test_classes_of_the_user_are_the_columns():
    model = MultiLabelBinarizer(classes=["z", "a"])
    assert model.fit_transform([["a"], ["z", "a"]]).tolist() == [[0, 1], [1, 1]]
    assert model.classes_.tolist() == ["z", "a"]
    with pytest.warns(UserWarning, match=r"unknown class\(es\) \['b'\] will be ignored"):
        assert model.transform([["b", "a"]]).tolist() == [[0, 1]]


def test_sets_say_what_is_wrong():
    model = MultiLabelBinarizer()
    with pytest.raises(NotFittedError):
        model.transform([["a"]])
    with pytest.raises(TypeError, match="iterable of sets"):
        model.fit("abc")
    with pytest.raises(TypeError, match="set of labels for each row; got 3"):
        model.fit([3, 4])
    with pytest.raises(ValueError, match="duplicate classes"):
        MultiLabelBinarizer(classes=["a", "a"]).fit([["a"]])
    model.fit([["a", "b"]])
    with pytest.raises(ValueError, match=r"yt must have 2 columns; got shape \(1, 1\)"):
        model.inverse_transform([[1]])
    with pytest.raises(ValueError, match="only 0s and 1s"):
        model.inverse_transform([[1, 2]])


@pytest.mark.parametrize("y", [[np.array(3)], np.array(3)])
def test_an_array_without_dimensions_is_no_set_of_labels(y):
    with pytest.raises(TypeError, match="y must"):
        MultiLabelBinarizer().fit(y)


@pytest.mark.parametrize(("Y", "error"), [(len, TypeError), ([b"X"], ValueError)])
def test_scores_that_are_no_numbers_are_refused(Y, error):
    with pytest.raises(error, match="Y"):
        LabelBinarizer().fit([0, 1]).inverse_transform(Y)


def test_tables_of_rows_of_different_lengths_are_refused():
    model = MultiLabelBinarizer().fit([["a", "b"]])
    with pytest.raises(ValueError, match="yt should"):
        model.inverse_transform([[1, 0], [1]])


def test_no_labels_are_no_classes():
    assert LabelEncoder().fit(np.array([])).classes_.shape == (0,)
    assert LabelEncoder().fit_transform([]).shape == (0,)
