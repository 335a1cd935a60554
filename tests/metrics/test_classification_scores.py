# SPDX-License-Identifier: BSD-3-Clause
"""Scores of labels: scikit-learn's answers, counts by hand, known answers, and bad input."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast import UndefinedMetricWarning, metrics
from statfast._core.metrics import confusion
from statfast.metrics.classification import label_table as counting

peer = pytest.importorskip("sklearn.metrics")

AVERAGES = [None, "micro", "macro", "weighted"]
SETS = ["precision_score", "recall_score", "f1_score", "jaccard_score"]
WHOLE = ["accuracy_score", "zero_one_loss", "hamming_loss", "balanced_accuracy_score",
         "matthews_corrcoef", "cohen_kappa_score"]  # fmt: skip


@st.composite
def labeled(draw, classes=4):
    """True and predicted labels of one type, and weights or None."""
    n, k = draw(st.integers(1, 40)), draw(st.integers(1, classes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    names = draw(st.sampled_from([
        np.arange(4), np.array([-7, 0, 3, 90000]), np.array([1, 2, 3, 4], dtype=np.uint8),
        np.array(["ab", "b", "c", "dd"]), np.array([0.0, 1, 2, 7]),
        np.array(["x", "y", "z", "zz"], dtype=object), np.array([2**62, 2**62 + 1, 0, 1]),
    ]))  # fmt: skip
    weights = draw(st.sampled_from([None, "int", "float"]))
    if weights is not None:
        weights = rng.integers(0, 3, n) + (rng.random(n) if weights == "float" else 0)
        weights[0] = 1
    return names[rng.integers(0, k, n)], names[rng.integers(0, k, n)], weights


def both(name, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [getattr(home, name)(*args, **kwargs) for home in (metrics, peer)]


@given(labeled())
def test_confusion_matrix(rows):
    y, p, w = rows
    ours, theirs = both("confusion_matrix", y, p, sample_weight=w)
    assert ours.dtype == theirs.dtype
    assert_allclose(ours, theirs, rtol=1e-13)
    for normalize in ("true", "pred", "all"):
        assert_allclose(*both("confusion_matrix", y, p, sample_weight=w, normalize=normalize))
    some = [*np.unique(y)[::-1], "no" if y.dtype.kind in "UO" else 55]
    assert_allclose(*both("confusion_matrix", y, p, labels=some))


@given(labeled(), st.sampled_from(SETS), st.sampled_from(AVERAGES), st.sampled_from([0, 1, np.nan]))
def test_shares_of_classes(rows, name, average, zero_division):
    y, p, w = rows
    if name == "jaccard_score" and np.isnan(zero_division):
        zero_division = 0  # scikit-learn's takes 0 and 1 alone
    options = {"average": average, "sample_weight": w, "zero_division": zero_division}
    assert_allclose(*both(name, y, p, **options), rtol=1e-12)
    options["labels"] = [np.unique(p)[-1], np.unique(y)[0]]
    assert_allclose(*both(name, y, p, **options), rtol=1e-12)


@given(labeled(), st.sampled_from([0, 0.5, 1, 2, np.inf]), st.sampled_from(AVERAGES))
def test_f_measures(rows, beta, average):
    y, p, w = rows
    options = {"average": average, "sample_weight": w, "beta": beta}
    assert_allclose(*both("fbeta_score", y, p, **options), rtol=1e-12)
    for ours, theirs in zip(*both("precision_recall_fscore_support", y, p, **options), strict=True):
        assert (ours is None) == (theirs is None)
        assert ours is None or np.allclose(ours, theirs, rtol=1e-12)


@given(labeled(), st.sampled_from(WHOLE))
def test_scores_of_all_classes(rows, name):
    y, p, w = rows
    assert_allclose(*both(name, y, p, sample_weight=w), rtol=1e-11, atol=1e-14)


@given(labeled())
def test_variants(rows):
    y, p, w = rows
    for name in ("accuracy_score", "zero_one_loss"):
        assert_allclose(*both(name, y, p, sample_weight=w, normalize=False), rtol=1e-12, atol=1e-12)
    if len(np.unique(y)) > 1:  # one class: not a number, where scikit-learn may say -inf
        assert_allclose(*both("balanced_accuracy_score", y, p, sample_weight=w, adjusted=True))
    for weights in ("linear", "quadratic"):
        ours, theirs = both("cohen_kappa_score", y, p, sample_weight=w, weights=weights)
        assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)


@given(labeled(classes=2))
def test_two_classes(rows):
    y, p, w = rows
    positive = np.unique(np.concatenate([y, p])).tolist()[-1]
    options = {"pos_label": positive, "sample_weight": w}
    for name in SETS:
        assert_allclose(*both(name, y, p, **options), rtol=1e-12)
    w = np.ones(len(y)) if w is None else w
    tp, fp, fn, tn = (
        w[((y == positive) == a) & ((p == positive) == b)].sum()
        for a, b in ((1, 1), (0, 1), (1, 0), (0, 0))
    )
    for name, part, rest in (
        ("specificity_score", tn, fp), ("false_positive_rate", fp, tn),
        ("false_negative_rate", fn, tp), ("negative_predictive_value", tn, fn),
    ):  # fmt: skip
        found = getattr(metrics, name)(y, p, zero_division=0, **options)
        assert found == pytest.approx(part / (part + rest) if part + rest else 0.0)


@pytest.mark.once
@given(labeled(), st.booleans())
def test_report(rows, output_dict):
    y, p, w = rows
    options = {"sample_weight": w, "output_dict": output_dict, "digits": 3}
    ours, theirs = both("classification_report", y, p, **options)
    if output_dict:
        assert ours.keys() == theirs.keys()
        for key, value in theirs.items():
            assert ours[key] == pytest.approx(value, nan_ok=True)
    elif w is None:
        assert without_points(ours) == without_points(theirs)
    few, theirs = both("classification_report", y, p, labels=np.unique(y)[:1], zero_division=0)
    assert without_points(few) == without_points(theirs)


def without_points(report):
    """Without the ".0" that scikit-learn gives to some numbers of rows, and their alignment."""
    return re.sub(r" +(\d+)(\.0)?$", r" \1", report, flags=re.MULTILINE)


def test_report_names():
    y, p = [0, 1, 1], [0, 1, 0]
    ours, theirs = both("classification_report", y, p, target_names=["left", "right hand side"])
    assert ours == theirs
    with pytest.raises(ValueError, match="There are 2 classes, but target_names has 1"):
        metrics.classification_report(y, p, target_names=["a"])


@given(labeled(), st.integers(1, 5), st.booleans())
def test_top_k(rows, k, normalize):
    y, _, w = rows
    scores = np.random.default_rng(0).integers(0, 3, (len(y), len(np.unique(y))))
    scores = scores.astype(float)
    if scores.shape[1] < 3:
        scores = scores[:, 0]
    options = {"k": k, "normalize": normalize, "sample_weight": w}
    if len(np.unique(y)) == 1:
        with pytest.raises(ValueError, match="y_score must have a column for each class"):
            metrics.top_k_accuracy_score(y, scores, **options)
        return
    assert_allclose(*both("top_k_accuracy_score", y, scores, **options))


def test_known_answers():
    y, p = np.repeat([1, 1, 0, 0], [30, 20, 10, 40]), np.repeat([1, 0, 1, 0], [30, 20, 10, 40])
    assert metrics.accuracy_score(y, p) == 0.70
    assert metrics.precision_score(y, p) == 0.75
    assert metrics.balanced_accuracy_score(y, p) == pytest.approx((0.6 + 0.8) / 2)
    y, p = np.repeat([0, 0, 1, 1], [88, 6, 4, 2]), np.repeat([0, 1, 0, 1], [88, 6, 4, 2])
    assert metrics.accuracy_score(y, p) == 0.90
    assert metrics.accuracy_score(y, np.zeros(100, int)) == 0.94


def test_expected_cost():
    y, d = np.array(["a", "b", "c", "a"]), np.array(["b", "b", "a", "?"])
    cost = [[0, 1, 2, 0.5], [3, 0, 4, 0.5], [5, 6, 0, 0.5]]
    found = metrics.expected_cost(y, d, cost, decisions=["a", "b", "c", "?"])
    assert found == (1 + 0 + 5 + 0.5) / 4
    weighted = metrics.expected_cost(
        y, d, cost, decisions=["a", "b", "c", "?"], sample_weight=[1, 1, 0, 2]
    )
    assert weighted == (1 + 0 + 2 * 0.5) / 4
    ones = 1 - np.eye(3)
    some = y[[1, 1, 0, 0]]
    assert metrics.expected_cost(y, some, ones) == metrics.zero_one_loss(y, some)
    with pytest.raises(ValueError, match="cost must have a row for each"):
        metrics.expected_cost([0, 1], [0, 1], [[1, 2]])
    with pytest.raises(ValueError, match="decision holds '\\?', which is not one of"):
        metrics.expected_cost(y, d, ones, labels=["a", "b", "c"])
    with pytest.raises(ValueError, match="cost contains NaN"):
        metrics.expected_cost([0, 1], [0, 1], [[np.nan, 2], [0, 0]])
    with pytest.raises(ValueError, match="decision must have one entry"):
        metrics.expected_cost([0, 1], [0], [[0, 2], [0, 0]])


def test_prevalence():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    sens, spec = metrics.recall_score(y, p), metrics.specificity_score(y, p)
    for share in (0.01, 0.5, 0.9):
        w = metrics.prevalence_weights(y, share)
        assert w.sum() == pytest.approx(300)
        assert w[y == 1].sum() / 300 == pytest.approx(share)
        bayes = share * sens / (share * sens + (1 - share) * (1 - spec))
        assert metrics.precision_score(y, p, sample_weight=w) == pytest.approx(bayes)
        assert metrics.recall_score(y, p, sample_weight=w) == pytest.approx(sens)
    three = rng.integers(0, 3, 300)
    w = metrics.prevalence_weights(three, {0: 1, 1: 1, 2: 1})
    p = rng.integers(0, 3, 300)
    accuracy = metrics.accuracy_score(three, p, sample_weight=w)
    assert accuracy == pytest.approx(metrics.balanced_accuracy_score(three, p))
    assert_allclose(w, metrics.prevalence_weights(three, [2, 2, 2]))
    for wrong, why in (
        (1.5, "at most 1"), ([1, 2], "a share for each class"), ({0: 1}, "must name each class"),
        ([0, 0, 0], "must give some class a share"), (0.5, "may be a number if"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            metrics.prevalence_weights(three, wrong)


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.int16, np.int32, np.int64, np.uint64, bool]
)
def test_counting_in_blocks(dtype, monkeypatch):
    """Blocks, narrow and wide types, and a label that is first seen late."""
    rng = np.random.default_rng(1)
    y, p = (rng.integers(0, 2, 5000).astype(dtype) for _ in range(2))
    if dtype is not bool:
        y[-1], p[-2] = 90, 77
    w = rng.random(5000)
    whole = metrics.confusion_matrix(y, p), metrics.confusion_matrix(y, p, sample_weight=w)
    monkeypatch.setattr(counting, "ROWS_OF_TASK", 640)
    classes = np.unique(np.concatenate([y, p]))
    twin = np.array([[((y == a) & (p == b)).sum() for b in classes] for a in classes])
    assert_array_equal(metrics.confusion_matrix(y, p), twin)
    assert_array_equal(whole[0], twin)
    assert_allclose(metrics.confusion_matrix(y, p, sample_weight=w), whole[1], rtol=1e-13)
    assert_array_equal(metrics.confusion_matrix(y[::-1], p[::-1]), twin)


def test_many_labels():
    y = np.arange(5000)
    p = np.roll(y, 1)
    p[:100] = y[:100]
    assert metrics.accuracy_score(y, p) == 100 / 5000
    assert metrics.recall_score(y, p, average="macro") == pytest.approx(100 / 5000)
    assert metrics.f1_score(y, p, average="micro") == pytest.approx(100 / 5000)
    assert metrics.recall_score(y, p, labels=[0, 200], average=None).tolist() == [1, 0]
    assert metrics.confusion_matrix(y * 1000, p * 1000, labels=[0, 1000]).tolist() == [
        [1, 0],
        [0, 1],
    ]


def test_kernel_refuses_labels_out_of_range():
    a = np.array([0, 5, 1], dtype=np.int64)
    tables = np.zeros((4, 2, 2), dtype=np.int64)
    assert not confusion.count(a, a[::-1].copy(), 0, tables)
    assert tables.sum() == 0 or tables.sum() < 3
    assert confusion.extent(a, -a) == (-5, 5)
    extreme = np.array([-(2**63), 2**63 - 1])
    assert confusion.extent(extreme, extreme) == (-(2**63), 2**63 - 1)
    assert metrics.confusion_matrix(extreme, extreme).tolist() == [[1, 0], [0, 1]]


def test_undefined_shares_warn():
    with pytest.warns(UndefinedMetricWarning, match="Precision is undefined"):
        assert metrics.precision_score([0, 1], [0, 0]) == 0.0
    with pytest.warns(UndefinedMetricWarning, match="kappa is undefined"):
        assert np.isnan(metrics.cohen_kappa_score([1, 1], [1, 1]))
    with pytest.warns(UserWarning, match="A single label was found"):
        metrics.confusion_matrix([1, 1], [1, 1])
    with pytest.warns(UserWarning, match="classes not in y_true"):
        metrics.balanced_accuracy_score([1, 1], [1, 0])
    with pytest.warns(UserWarning, match="is ignored when average"):
        metrics.precision_score([0, 1], [0, 1], pos_label=0, average="macro")
    assert metrics.precision_score([0, 1], [0, 0], zero_division=1) == 1.0


BAD = [
    (([], []), {}, ValueError, "y_true holds 0 labels"),
    (([0, 1], [0]), {}, ValueError, "got 2 and 1"),
    (([0, 1], ["a", "b"]), {}, TypeError, "same type"),
    (([0, np.nan], [0, 1]), {}, ValueError, "y_true contains NaN"),
    (([0.5, 1], [0, 1]), {}, ValueError, "continuous"),
    (([[0, 1], [1, 0]], [0, 1]), {}, ValueError, "several labels a row"),
    (([0, None], [0, 1]), {}, (TypeError, ValueError), "missing"),
    (([0, 1j], [0, 1]), {}, ValueError, "[Cc]omplex"),
    (([0, 1, 2], [0, 1, 1]), {}, ValueError, "average='binary'"),
    (([0, 2], [0, 2]), {}, ValueError, "pos_label=1 is not a valid label"),
    (([0, 1], [0, 1]), {"average": "samples"}, ValueError, "average must be"),
    (([0, 1], [0, 1]), {"zero_division": 2}, ValueError, "zero_division must be"),
    (([0, 1], [0, 1]), {"sample_weight": [-1, 1]}, ValueError, "must not be negative"),
    (([0, 1], [0, 1]), {"sample_weight": [0, 0]}, ValueError, "zero for every row"),
    (([0, 1], [0, 1]), {"labels": [], "average": "macro"}, ValueError, "at least one label"),
]


@pytest.mark.parametrize(("args", "kwargs", "kind", "why"), BAD)
def test_bad_input(args, kwargs, kind, why):
    with pytest.raises(kind, match=why):
        metrics.precision_score(*args, **kwargs)


def test_more_bad_input():
    with pytest.raises(ValueError, match="At least one label specified must be in y_true"):
        metrics.confusion_matrix([0, 1], [0, 1], labels=[5])
    with pytest.raises(ValueError, match="beta must be at least 0"):
        metrics.fbeta_score([0, 1], [0, 1], beta=-1)
    with pytest.raises(ValueError, match="labels must be sorted"):
        metrics.top_k_accuracy_score([0, 1, 2], np.eye(3), labels=[2, 1, 0])
    with pytest.raises(ValueError, match="which is not in labels"):
        metrics.top_k_accuracy_score([0, 1, 7], np.eye(3), labels=[0, 1, 2])


@pytest.mark.parametrize("label", [[1], np.array([1, 2]), {}, object(), 1j])
def test_a_positive_label_is_one_label(label):
    for call in (
        lambda: metrics.precision_score([0, 1], [0, 1], pos_label=label),
        lambda: metrics.recall_score([0, 1], [0, 1], pos_label=label, average="macro"),
        lambda: metrics.roc_curve([0, 1], [0.1, 0.2], pos_label=label),
    ):
        with pytest.raises(TypeError, match="pos_label must be one label"):
            call()


@pytest.mark.parametrize("labels", [3, [[0, 1], [1]], [{}], "ab", {"a": 1}, np.array(2)])
def test_labels_are_a_list_of_labels(labels):
    for call in (
        lambda: metrics.confusion_matrix([0, 1], [0, 1], labels=labels),
        lambda: metrics.classification_report([0, 1], [0, 1], labels=labels),
        lambda: metrics.log_loss([0, 1], [0.1, 0.8], labels=labels),
        lambda: metrics.expected_cost([0, 1], [0, 1], np.eye(2), labels=labels),
        lambda: metrics.top_k_accuracy_score([0, 1], [0.1, 0.8], k=1, labels=labels),
    ):
        with pytest.raises((TypeError, ValueError), match="labels"):
            call()


def test_odd_arguments():
    for zero in (np.array([0, 1]), [0], {}):
        with pytest.raises(ValueError, match="zero_division must be"):
            metrics.f1_score([0, 1], [0, 1], zero_division=zero)
    with pytest.raises(TypeError, match="beta must be a number"):
        metrics.fbeta_score([0, 1], [0, 1], beta=np.array([1.0, 2.0]))
    true, pred = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    assert metrics.fbeta_score(true, pred, beta=1e300) == metrics.recall_score(true, pred)
    with pytest.raises(TypeError, match="target_names must be"):
        metrics.classification_report([0, 1], [0, 1], target_names={"a": 1})
    assert "7" in metrics.classification_report([0, 1], [0, 1], target_names=[7, 8])
    with pytest.raises(TypeError, match="Labels in y and decision should be of the same type"):
        metrics.expected_cost([True, False], ["a", "b"], np.eye(4))
    with pytest.raises(ValueError, match="prevalence must have a share for each class"):
        metrics.prevalence_weights([0, 1], [[0.1, 0.9]])


def test_a_prevalence_is_of_one_label():
    with pytest.raises(TypeError, match="pos_label must be one label of y_true"):
        metrics.prevalence_weights([0, 1, 1], 0.3, pos_label=[0, 1])
