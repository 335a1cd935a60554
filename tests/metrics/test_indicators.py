# SPDX-License-Identifier: BSD-3-Clause
"""Several labels a row: scores of indicators against scikit-learn's, and by hand."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import metrics

SETS = {
    "precision_score": {}, "recall_score": {}, "f1_score": {}, "jaccard_score": {},
    "fbeta_score": {"beta": 2.0},
}  # fmt: skip
WHOLE = ("accuracy_score", "zero_one_loss", "hamming_loss")


@st.composite
def marks(draw):
    n, k = draw(st.integers(1, 20)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    Y, P = (rng.random((2, n, k)) < draw(st.sampled_from([0.2, 0.6]))).astype(int)
    return Y, P, rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else None


@pytest.mark.once
@given(marks(), st.sampled_from(["micro", "macro", "weighted", "samples", None]))
def test_scikit_learn(drawn, average):
    theirs = pytest.importorskip("sklearn.metrics")
    Y, P, weights = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, more in SETS.items():
            more = more | {"average": average, "sample_weight": weights, "zero_division": 0}
            got, want = (getattr(m, name)(Y, P, **more) for m in (metrics, theirs))
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14, err_msg=name)
            for same in (P.tolist(), P.astype(bool), sparse.csr_array(P)):
                np.testing.assert_array_equal(getattr(metrics, name)(Y, same, **more), got)
            some = more | {"labels": [1, 0]}
            got, want = (getattr(m, name)(Y, P, **some) for m in (metrics, theirs))
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14, err_msg=name)
        for name in WHOLE:
            got, want = (getattr(m, name)(Y, P, sample_weight=weights) for m in (metrics, theirs))
            assert got == pytest.approx(want, rel=1e-12, abs=1e-14)


@pytest.mark.once
@given(marks(), st.booleans())
def test_report_of_scikit_learn(drawn, with_labels):
    theirs = pytest.importorskip("sklearn.metrics")
    Y, P, weights = drawn
    more = {"sample_weight": weights, "zero_division": 0}
    more |= {"labels": [1, 0], "target_names": ["one", "none"]} if with_labels else {}
    text, want = (m.classification_report(Y, P, **more, digits=3) for m in (metrics, theirs))
    assert [line.split()[0] for line in text.splitlines() if line] == [
        line.split()[0] for line in want.splitlines() if line
    ]
    got, want = (m.classification_report(Y, P, **more, output_dict=True) for m in (metrics, theirs))
    assert list(got) == list(want)
    for name, values in want.items():
        assert got[name] == pytest.approx(values, rel=1e-12, abs=1e-14), name


def test_report_by_hand():
    Y, P = [[1, 0, 1], [0, 1, 1], [1, 1, 0]], [[1, 0, 0], [0, 1, 1], [1, 0, 1]]
    text = metrics.classification_report(Y, P)
    assert [line.split() for line in text.splitlines() if line] == [
        ["precision", "recall", "f1-score", "support"],
        ["0", "1.00", "1.00", "1.00", "2"],
        ["1", "1.00", "0.50", "0.67", "2"],
        ["2", "0.50", "0.50", "0.50", "2"],
        ["micro", "avg", "0.80", "0.67", "0.73", "6"],
        ["macro", "avg", "0.83", "0.67", "0.72", "6"],
        ["weighted", "avg", "0.83", "0.67", "0.72", "6"],
        ["samples", "avg", "0.83", "0.67", "0.72", "6"],
    ]


@pytest.mark.parametrize("name", ["average_precision_score", "roc_auc_score"])
@given(drawn=marks(), average=st.sampled_from(["micro", "macro", "weighted", "samples", None]))
def test_rankings_of_scikit_learn(name, drawn, average):
    theirs = pytest.importorskip("sklearn.metrics")
    Y, P, weights = drawn
    scores = P + np.random.default_rng(0).integers(0, 3, P.shape) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = (
            getattr(m, name)(Y, scores, average=average, sample_weight=weights)
            for m in (metrics, theirs)
        )
        if name == "roc_auc_score" and average == "weighted" and not Y.any():
            assert np.isnan(got)  # of no pairs at all, where scikit-learn says 0
        else:
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


def test_labels_without_weight_are_left_out():
    Y, scores = [[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.3], [0.1, 0.5]]
    with pytest.warns(UserWarning, match="Only one class"):
        assert metrics.roc_auc_score(Y, scores, average="weighted") == 0.5
    with pytest.raises(ValueError, match="'samples' is for indicators"):
        metrics.roc_auc_score([0, 1, 2], np.eye(3), average="samples", multi_class="ovr")


@pytest.mark.parametrize("name", ["average_precision_score", "roc_auc_score"])
def test_scores_of_labels_refused(name):
    score = getattr(metrics, name)
    with pytest.raises(ValueError, match="y_true should be a 1d array, or hold 0 and 1"):
        score([[0, 2], [1, 0]], [[0.1, 0.2], [0.3, 0.1]])
    with pytest.raises(ValueError, match="y_score must have"):
        score([[0, 1], [1, 0]], [[0.1, 0.2, 0.5], [0.3, 0.1, 0.5]])


def test_by_hand():
    Y, P = [[1, 0, 1], [0, 1, 1], [1, 1, 0]], [[1, 0, 0], [0, 1, 1], [1, 0, 1]]
    assert metrics.accuracy_score(Y, P) == pytest.approx(1 / 3)
    assert metrics.accuracy_score(Y, P, normalize=False) == 1.0
    assert metrics.zero_one_loss(Y, P, normalize=False) == 2.0
    assert metrics.hamming_loss(Y, P) == pytest.approx(3 / 9)
    assert metrics.precision_score(Y, P, average="samples") == pytest.approx((1 + 1 + 0.5) / 3)
    assert metrics.recall_score(Y, P, average="samples") == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert metrics.recall_score(Y, P, average=None).tolist() == [1.0, 0.5, 0.5]


@pytest.mark.parametrize("name", [*SETS, *WHOLE])
def test_what_is_refused(name):
    score = partial(getattr(metrics, name), **SETS.get(name, {}))
    for Y, P, said in (
        ([[1, 0], [0, 1]], [1, 0], "different kinds"),
        ([[1, 0], [0, 1]], [[1, 0, 1], [0, 1, 1]], "same rows and columns"),
        ([[1, 2], [0, 1]], [[1, 0], [0, 1]], "y_true should be a 1d array, or hold 0 and 1"),
        ([[1, 0], [0, 1]], [[1.0, np.nan], [0, 1]], "y_pred should be a 1d array, or hold 0"),
    ):
        with pytest.raises(ValueError, match=said):
            score(Y, P)
    if name in SETS:
        with pytest.raises(ValueError, match="multilabel-indicator but average='binary'"):
            score([[1, 0], [0, 1]], [[1, 0], [0, 1]])
        with pytest.raises(ValueError, match="'samples' is for several labels"):
            score([1, 0], [0, 1], average="samples")
        with pytest.raises(ValueError, match="labels must be between 0 and 1"):
            score([[1, 0], [0, 1]], [[1, 0], [0, 1]], average="macro", labels=[2])


def test_no_labels_are_refused():
    marks = np.eye(3)
    for function in (metrics.precision_recall_fscore_support, metrics.multilabel_confusion_matrix):
        with pytest.raises(ValueError, match="labels must hold at least one label"):
            function(marks, marks, labels=[])


def test_labels_that_are_no_list():
    with pytest.raises(TypeError, match="labels"):
        metrics.multilabel_confusion_matrix(np.eye(3), np.eye(3), labels=len)
    one = metrics.multilabel_confusion_matrix(np.eye(3), np.eye(3), labels=np.array([1]))
    assert one.shape == (1, 2, 2)
