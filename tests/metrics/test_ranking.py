# SPDX-License-Identifier: BSD-3-Clause
"""Rankings: all pairs by brute force, scikit-learn's and pROC's answers, and bad input."""

import json
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast import UndefinedMetricWarning, metrics
from statfast._core.order import pool
from statfast.metrics.ranking import sorted_pass
from statfast.metrics.ranking.intervals import _areas_and_covariance
from tests.reference import rankings as twin

peer = pytest.importorskip("sklearn.metrics")


@st.composite
def ranked(draw, n_max=60, weights=True):
    """Labels, scores of some kind with ties, and weights or None."""
    n = draw(st.integers(2, n_max))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    scores = rng.standard_normal(n) + y
    kind = draw(st.sampled_from(["real", "tied", "integer", "float32", "wide", "tiny", "huge"]))
    if kind == "tied":
        scores = scores.round()
    elif kind == "integer":
        scores = rng.integers(-3, 3, n) * 2**54 + rng.integers(0, 2, n)
    elif kind == "float32":
        scores = scores.astype(np.float32)
    elif kind == "wide":
        scores *= 10.0 ** rng.integers(-200, 200, n)
    elif kind == "tiny":
        scores = rng.integers(-3, 3, n) * 5e-324
    elif kind == "huge":
        scores = rng.choice([-1.7e308, 1.7e308, 0.0, -0.0], n)
    w = None
    if weights:
        w = draw(st.sampled_from([None, rng.integers(0, 3, n), rng.random(n)]))
        if w is not None:
            w[:2] = 1
    return y, scores, w


@pytest.fixture(params=["few", "blocks"])
def cut(request, monkeypatch):
    """Whether rows are so few that one spread is enough, or go through blocks and buckets."""
    if request.param == "blocks":
        monkeypatch.setattr(sorted_pass, "MAX_ROWS_OF_ONE_CALL", 1)
        monkeypatch.setattr(sorted_pass, "ROWS_PER_TASK", 64)


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


# ------------------------------------------------------------------ the sorted pass
@pytest.mark.parametrize(
    "kind", ["real", "tied", "one", "skewed", "infinite", "integer", "float32"]
)
@pytest.mark.parametrize("n", [3, 50, 900, 20000])
def test_sorted_pass(kind, n, cut):
    rng = np.random.default_rng(n)
    s = rng.standard_normal(n)
    s = {
        "real": s, "tied": s.round(1), "one": np.ones(n), "skewed": np.exp(80 * s),
        "infinite": np.where(s > 1, np.inf, np.where(s < -1, -np.inf, s)),
        "integer": (s * 2**60).astype(np.int64), "float32": s.astype(np.float32),
    }[kind]  # fmt: skip
    y = rng.integers(0, 2, n).astype(np.uint8)
    y[:2] = 0, 1
    steps = sorted_pass.steps_of(s, y)
    values, at = np.unique(s, return_inverse=True)
    assert_array_equal(steps.values, values[::-1].astype(steps.values.dtype))
    assert_array_equal(steps.positive, np.bincount(at, y)[::-1])
    assert_array_equal(steps.negative, np.bincount(at, 1 - y.astype(int))[::-1])
    assert sorted_pass.pair_counts(s, y) == (steps.area(), y.sum(), n - y.sum())
    order = sorted_pass.order_of(s)
    assert_array_equal(order.rows, np.lexsort((np.arange(n), -at)))
    assert_array_equal(order.ends, np.cumsum(np.bincount(at)[::-1]))
    if n <= 900:
        assert sorted_pass.pair_counts(s, y)[0] == twin.twice_the_pairs(y, s)


def test_threads_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    s, y = rng.standard_normal(300_000), rng.integers(0, 2, 300_000).astype(np.uint8)
    found = []
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("STATFAST_NUM_THREADS", threads)
        steps = sorted_pass.steps_of(s, y)
        found.append((sorted_pass.pair_counts(s, y), steps.tp.tobytes(), steps.values.tobytes()))
    assert found[0] == found[1] == found[2]


def test_many_rows():
    """So many rows that passes over them are made aside: the answers are the same."""
    y = np.tile(np.array([0, 1], dtype=np.uint8), 400_000)
    s = np.arange(len(y), dtype=np.float64)
    assert metrics.roc_auc_score(y, s) == pytest.approx(0.5, abs=1e-5)
    fpr, tpr, thresholds = metrics.roc_curve(y, s, drop_intermediate=False)
    assert len(thresholds) == len(y) + 1
    assert metrics.auc(fpr, tpr) == pytest.approx(metrics.roc_auc_score(y, s), rel=1e-12)
    found = metrics.auc_test(y, s, -s)
    assert found.auc1 + found.auc2 == pytest.approx(1)


# ------------------------------------------------------------------ areas and curves
@given(ranked())
def test_area(rows):
    y, s, w = rows
    found = metrics.roc_auc_score(y, s, sample_weight=w)
    assert found == pytest.approx(twin.area(y, s, w), rel=1e-12)
    if w is None:
        assert found == twin.area(y, s)  # to the last bit
        assert metrics.roc_auc_score(np.array(["no", "yes"])[y], s) == found
        assert metrics.roc_auc_score(y.astype(bool), s) == found
        assert metrics.ranking_error(y, s, as_fraction=True) == 1 - twin.exact_area(y, s)
        assert metrics.ranking_error(1 - y, s, pos_label=0) == metrics.ranking_error(y, s)
    assert metrics.ranking_error(y, s, sample_weight=w) == pytest.approx(1 - found, abs=1e-12)


@given(ranked(), st.booleans())
def test_roc_curve(rows, drop):
    y, s, w = rows
    ours = metrics.roc_curve(y, s, sample_weight=w, drop_intermediate=drop)
    theirs = quiet(peer.roc_curve, y, s, sample_weight=w, drop_intermediate=drop)
    if w is None or not drop:  # else rounding decides which steps are the same
        for a, b in zip(ours, theirs, strict=True):
            assert_allclose(a, b, rtol=1e-12)
    assert metrics.auc(*ours[:2]) == pytest.approx(twin.area(y, s, w))
    negatives, positives, thresholds = metrics.coverage_curve(y, s, sample_weight=w)
    assert_allclose(negatives / negatives[-1], metrics.roc_curve(y, s, sample_weight=w)[0])
    assert len(positives) == len(thresholds)


@given(ranked(), st.booleans())
def test_precision_recall(rows, drop):
    y, s, w = rows
    options = {"sample_weight": w, "drop_intermediate": drop}
    for a, b in zip(
        metrics.precision_recall_curve(y, s, **options),
        quiet(peer.precision_recall_curve, y, s, **options),
        strict=True,
    ):
        assert_allclose(a, b, rtol=1e-12)
    found = metrics.average_precision_score(y, s, sample_weight=w)
    assert found == pytest.approx(quiet(peer.average_precision_score, y, s, sample_weight=w))
    recall, precision, area = metrics.precision_recall_interpolation(
        y, s, sample_weight=w, n_points=20001
    )
    assert area == pytest.approx(np.trapezoid(precision, recall), abs=2e-3)


@given(ranked(), st.sampled_from([0.05, 0.3, 0.77, 1.0]))
def test_partial_area(rows, most):
    y, s, w = rows
    ours = metrics.roc_auc_score(y, s, max_fpr=most, sample_weight=w)
    assert ours == pytest.approx(quiet(peer.roc_auc_score, y, s, max_fpr=most, sample_weight=w))


@given(st.integers(0, 2**32), st.sampled_from(["macro", "weighted"]))
def test_areas_of_classes(seed, average):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 4, 60), rng.random((60, 4)).round(1) + 0.1
    y[:4] = range(4)
    p /= p.sum(axis=1, keepdims=True)
    for kind in ("ovr", "ovo"):
        options = {"multi_class": kind, "average": average}
        assert metrics.roc_auc_score(y, p, **options) == pytest.approx(
            peer.roc_auc_score(y, p, **options), rel=1e-12
        )
    w = rng.random(60)
    for way in (average, "micro", None):
        options = {"multi_class": "ovr", "average": way, "sample_weight": w}
        assert_allclose(metrics.roc_auc_score(y, p, **options), peer.roc_auc_score(y, p, **options))
    for way in (average, "micro", None):
        options = {"average": way, "sample_weight": w}
        assert_allclose(
            metrics.average_precision_score(y, p, **options),
            peer.average_precision_score(y, p, **options),
        )
    some = y[y < 3], p[y < 3]
    options = {"multi_class": "ovr", "average": None, "labels": [0, 1, 2, 3]}
    assert np.isnan(quiet(metrics.roc_auc_score, *some, **options)[3])


@given(ranked())
def test_hull(rows):
    y, s, w = rows
    fpr, tpr, thresholds = metrics.roc_hull(y, s, sample_weight=w)
    assert_array_equal([fpr[0], tpr[0], fpr[-1], tpr[-1]], [0, 0, 1, 1])
    run, rise = np.diff(fpr), np.diff(tpr)
    assert (rise[:-1] * run[1:] > rise[1:] * run[:-1]).all()  # it turns at each corner
    x, h, _ = metrics.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    top = [np.interp(a, fpr, tpr) if a > 0 else tpr[fpr == 0].max() for a in x]
    assert (h <= np.array(top) + 1e-12).all()
    assert np.isin(thresholds[1:], s.astype(thresholds.dtype)).all()
    at, cost, best = metrics.cost_curve(y, s, sample_weight=w)
    grid = np.linspace(0, 1, 50)
    lines = np.min([(1 - b) * grid + a * (1 - grid) for a, b in zip(x, h, strict=True)], axis=0)
    assert_allclose(np.interp(grid, at, cost), lines, atol=1e-12)
    assert len(best) == len(at) - 1


@given(ranked())
def test_h_measure_is_an_integral(rows):
    y, s, w = rows
    w = np.ones(len(y)) if w is None else w
    share = w[y == 1].sum() / w.sum()
    for shape in ((2.0, 2.0), (1 + share, 2 - share)):
        assert metrics.h_measure(y, s, shape=shape, sample_weight=w) == pytest.approx(
            twin.h_measure(y, s, w, shape), abs=1e-4
        )
    assert metrics.h_measure(y, s, sample_weight=w) == pytest.approx(
        metrics.h_measure(y, s, shape=shape, sample_weight=w)
    )


@given(ranked())
def test_brier_curve(rows):
    y, s, w = rows
    p = np.clip(np.abs(s.astype(float)) % 1, 0, 1)
    cost, loss = metrics.brier_curve(y, p, n_points=20001, sample_weight=w)
    brier = np.average((p - y) ** 2, weights=w)
    assert np.trapezoid(loss, cost) == pytest.approx(brier, abs=1e-3)


@given(ranked())
def test_thresholds(rows):
    y, s, w = rows
    s = s.astype(float) if s.dtype.kind == "i" else s  # a threshold is a float
    fpr, tpr, _ = metrics.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    point = metrics.choose_threshold(y, s, sample_weight=w)
    assert point.value == pytest.approx((tpr - fpr).max())
    weights = np.ones(len(y)) if w is None else w
    assert point.tp == pytest.approx(weights[(s >= point.threshold) & (y == 1)].sum())
    assert point.fp + point.tn == pytest.approx(weights[y == 0].sum())
    best = metrics.choose_threshold(y, s, "accuracy", sample_weight=w).threshold
    accuracy = [
        metrics.accuracy_score(y, (s >= t).astype(int), sample_weight=w) for t in [np.inf, *s]
    ]
    got = metrics.accuracy_score(y, (s >= best).astype(int), sample_weight=w)
    assert got == pytest.approx(max(accuracy))
    found = metrics.choose_threshold(y, s, "f", beta=2, sample_weight=w)
    f = [quiet(metrics.fbeta_score, y, (s >= t) * 1, beta=2, sample_weight=w) for t in s]
    assert found.value == pytest.approx(max(f))
    assert metrics.choose_threshold(y, s, "tpr", target=0.5, sample_weight=w).tpr >= 0.5 - 1e-12
    assert metrics.choose_threshold(y, s, "fpr", target=0.5, sample_weight=w).fpr <= 0.5 + 1e-12
    cost = metrics.choose_threshold(y, s, "cost", cost=(1, 3), sample_weight=w)
    decided = (s >= cost.threshold).astype(int)
    matrix = [[0, 1], [3, 0]]
    assert cost.value == pytest.approx(
        metrics.expected_cost(y, decided, matrix, labels=[0, 1], sample_weight=w)
    )
    ks = metrics.ks_statistic(y, s, sample_weight=w)
    assert ks.statistic == pytest.approx(np.abs(tpr - fpr).max())
    share, gain, lift, _ = metrics.gain_curve(y, s, sample_weight=w)
    assert_allclose(lift[1:] * share[1:], gain[1:])


def test_areas_are_of_finite_points():
    with pytest.raises(ValueError, match="x contains NaN, first at row 1"):
        metrics.auc([0.0, np.nan, 1.0], [0.0, 0.5, 1.0])
    with pytest.raises(ValueError, match="y contains infinity"):
        metrics.auc([0.0, 0.5, 1.0], [0.0, np.inf, 1.0])


def test_few_scores_as_far_apart_as_can_be():
    for s in ([1.7e308, -1.7e308], [np.inf, -np.inf, 0.0], [-np.inf, 1.7e308]):
        y, w = np.arange(len(s)) == np.argmax(s), np.full(len(s), 2.0)
        assert metrics.roc_auc_score(y, s, sample_weight=w) == metrics.roc_auc_score(y, s) == 1.0
        assert metrics.auc_interval(y, s).auc == 1.0


def test_iso_lines():
    ones, zeros, x, h = 30, 70, 0.3, 0.6
    rates = {
        "accuracy": (h * ones + (1 - x) * zeros) / 100,
        "average_recall": (h + 1 - x) / 2,
        "cost": (2 * x * zeros + 5 * (1 - h) * ones) / 100,
    }
    for measure, value in rates.items():
        options = {"measure": measure, "cost": (2, 5)}
        line = metrics.iso_line(value, ones, zeros, **options)
        assert line.slope * x + line.intercept == pytest.approx(h)
        line = metrics.iso_line(value, ones, zeros, space="coverage", **options)
        assert line.slope * x * zeros + line.intercept == pytest.approx(h * ones)
    with pytest.raises(ValueError, match="lines would be upright"):
        metrics.iso_line(0.5, 1, 1, measure="cost", cost=(1, 0))


# ------------------------------------------------------------------ known answers
def test_the_catalogue():
    assert metrics.ranking_error([1, 1, 0, 1, 1, 0, 0, 0], range(8, 0, -1)) == 1 / 8
    assert metrics.ranking_error([0] * 5 + [1] * 3, range(8, 0, -1)) == 1.0
    y, leaf = [1, 0] * 3, [3, 3, 2, 2, 1, 1]
    counts = [20, 5, 10, 5, 20, 40]
    assert metrics.ranking_error(y, leaf, sample_weight=counts) == 0.29
    exact = metrics.ranking_error(y, leaf, sample_weight=counts, as_fraction=True)
    assert exact == Fraction(29, 100)
    repeated = metrics.ranking_error(np.repeat(y, counts), np.repeat(leaf, counts))
    assert repeated == 0.29


@pytest.fixture(scope="module")
def of_r(shared_data):
    def read(name):
        path = Path(shared_data("r")).parents[1] / "reference" / name
        if not path.exists():
            pytest.skip(f"reference/{name} is not beside the data")
        return json.loads(path.read_text())

    return read


def test_pima(of_r):
    reference = of_r("roc.json")
    for name, auc in (("pima_logistic", "auc"), ("pima_logistic_rounded_ties", "auc_rounded")):
        known = reference[name]
        y, s = np.array(reference["pima_logistic"]["y"]), np.array(known["score"])
        fpr, tpr, thresholds = metrics.roc_curve(y, s, drop_intermediate=False)
        assert_allclose(fpr[-len(known["fpr"]) :], known["fpr"], rtol=1e-13)
        assert_allclose(tpr[-len(known["tpr"]) :], known["tpr"], rtol=1e-13)
        assert_allclose(thresholds[1:], known["thresholds_desc"])
        assert metrics.roc_auc_score(y, s) == pytest.approx(reference["pROC"][auc], rel=1e-14)
    y, s = (np.array(reference["pima_logistic"][key]) for key in ("y", "score"))
    found = metrics.auc_interval(y, s)
    assert found.standard_error**2 == pytest.approx(reference["pROC"]["delong_var"], rel=1e-12)
    low, _, high = reference["pROC"]["delong_ci95"]
    assert_allclose([found.low, found.high], [low, high], rtol=1e-13)
    part = metrics.partial_auc_score(y, s, (1, 0.9))
    assert part == pytest.approx(reference["ROCR"]["partial_auc_fpr_0.1"], rel=1e-12)
    fpr, tpr, _ = metrics.roc_hull(y, s)
    assert len(fpr) == 13 or len(fpr) == 14
    assert metrics.auc(fpr, tpr) == pytest.approx(0.878100958571605, rel=1e-13)
    assert metrics.ks_statistic(y, s).statistic == pytest.approx(0.584975521454725, rel=1e-13)
    share = y.mean()
    for options, known in (
        ({"shape": (2, 2)}, 0.421991022800777),
        ({"severity_ratio": share / (1 - share)}, 0.458259097200268),
        ({}, 0.43091015596988),
    ):
        assert metrics.h_measure(y, s, **options) == pytest.approx(known, rel=1e-12)


def test_proc(of_r):
    known = of_r("roc_more.json")
    y = np.array(known["data"]["y"])
    names = ("wfns", "s100b", "ndka")
    scores = {name: np.array(known["data"][name], dtype=float) for name in names}
    for name, s in scores.items():
        own = known[name]
        found = metrics.auc_interval(y, s)
        assert found.auc == pytest.approx(own["auc"], rel=1e-13)
        assert found.standard_error**2 == pytest.approx(own["var"], rel=1e-12)
        assert_allclose([found.low, found.auc, found.high], own["ci"], rtol=1e-12)
        for focus, key in (("specificity", "spec"), ("sensitivity", "sens")):
            part = metrics.partial_auc_score(y, s, (0.9, 1), focus=focus)
            assert part == pytest.approx(own[f"pauc_{key}_90_100"], rel=1e-10)
            corrected = own[f"pauc_{key}_corrected"]
            if corrected is not None:
                part = metrics.partial_auc_score(y, s, (0.9, 1), focus=focus, corrected=True)
                assert part == pytest.approx(corrected, rel=1e-10)
        point, best = metrics.choose_threshold(y, s), own["youden"]
        for key in ("tp", "fp", "tn", "fn"):
            assert getattr(point, key) == best[key]
        point = metrics.choose_threshold(y, s, "closest")
        assert 1 - point.fpr == pytest.approx(own["topleft"]["specificity"])
        assert point.tpr == pytest.approx(own["topleft"]["sensitivity"])
    for key, value in known["cov"].items():
        _, cov = _areas_and_covariance([scores[k] for k in key.split("_")], y.astype(np.uint8))
        assert abs(cov[0, 1]) == pytest.approx(abs(value), rel=1e-12)
    for key, test in known["paired"].items():
        a, b = (scores[k] for k in key.split("_"))
        found = metrics.auc_test(y, a, b)
        assert found.statistic == pytest.approx(test["statistic"], rel=1e-12)
        assert found.p_value == pytest.approx(test["p"], rel=1e-11)
        assert_allclose([found.low, found.high], test["conf_int"], rtol=1e-11)
        unpaired = known["unpaired"][key]
        found = metrics.auc_test(y, a, b, y_true2=y)
        assert found.statistic == pytest.approx(unpaired["statistic"], rel=1e-12)
        assert found.p_value == pytest.approx(unpaired["p"], rel=1e-11)
        assert found.df == pytest.approx(unpaired["parameter"], rel=1e-11)


# ------------------------------------------------------------------ intervals
@given(ranked(weights=False))
def test_delong_by_definition(rows):
    y, s, _ = rows
    other = np.random.default_rng(0).integers(0, 5, len(y)).astype(float)
    areas, cov = _areas_and_covariance([sorted_pass.as_scores(s), other], y.astype(np.uint8))
    twin_areas, twin_cov = quiet(twin.delong, y, [s, other])
    assert_allclose(areas, twin_areas, rtol=1e-12)
    if min(y.sum(), len(y) - y.sum()) > 1:
        assert_allclose(cov, twin_cov, rtol=1e-9, atol=1e-15)


def test_an_area_of_one_is_exact():
    y, s = [0] * 10 + [1] * 5, np.arange(15.0)
    for method in ("delong", "logit", "bootstrap"):
        found = metrics.auc_interval(y, s, method=method, random_state=0)
        assert (found.auc, found.high, found.method) == (1.0, 1.0, "exact")
        assert found.low == pytest.approx(0.025**0.2)
    assert metrics.auc_interval(y, -s).high == pytest.approx(1 - 0.025**0.2)


def test_same_order_is_no_difference():
    y, s = [0, 1, 0, 1, 1, 0], np.array([1.0, 2, 3, 4, 5, 2])
    found = metrics.auc_test(y, s, 2 * s + 1)
    assert (found.statistic, found.p_value) == (0.0, 1.0)
    greater = metrics.auc_test(y, s, [1, 3, 2, 1, 2, 4], alternative="greater").p_value
    less = metrics.auc_test(y, s, [1, 3, 2, 1, 2, 4], alternative="less").p_value
    assert greater + less == pytest.approx(1)


@pytest.mark.parametrize("stratified", [True, False])
def test_bootstrap(stratified, monkeypatch):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    s = (rng.standard_normal(300) + y).round(1)
    options = {"stratified": stratified, "random_state": 5}
    delong = metrics.auc_interval(y, s)
    found = metrics.auc_interval(y, s, method="bootstrap", n_resamples=4000, **options)
    assert found.standard_error == pytest.approx(delong.standard_error, rel=0.06)
    assert_allclose([found.low, found.high], [delong.low, delong.high], atol=0.012)
    monkeypatch.setenv("STATFAST_NUM_THREADS", "1")
    again = metrics.auc_interval(y, s, method="bootstrap", n_resamples=4000, n_jobs=2, **options)
    assert again == found
    band = metrics.roc_band(y, s, n_resamples=500, **options)
    fpr, tpr, _ = metrics.roc_curve(y, s)
    inner = (band.fpr > 0) & (band.fpr < 1)
    assert_allclose(band.tpr[inner], np.interp(band.fpr[inner], fpr, tpr), atol=1e-12)
    assert (band.low <= band.tpr + 1e-12).mean() > 0.97
    assert (band.high >= band.tpr - 1e-12).mean() > 0.97
    with pytest.raises(ValueError, match="fpr must hold rising rates"):
        metrics.roc_band(y, s, fpr=[0.5, 0.2])


# ------------------------------------------------------------------ the kernel of pools
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 3)), min_size=1, max_size=30))
def test_pools(pairs):
    values, weights = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    sums, masses = values * weights, weights.copy()
    ends = np.empty(len(values), dtype=np.intp)
    k = pool.pool(sums, masses, ends)
    fit = np.repeat(sums[:k] / masses[:k], np.diff(ends[:k], prepend=0))
    assert_allclose(fit, twin.isotonic(values, weights), atol=1e-12)
    assert (np.diff(sums[:k] / masses[:k]) > 0).all()


# ------------------------------------------------------------------ one class, bad input
def test_one_class():
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
        assert np.isnan(metrics.roc_auc_score([1, 1], [1, 2]))
    with pytest.warns(UndefinedMetricWarning, match="No negative samples"):
        assert np.isnan(metrics.roc_curve([1, 1], [1, 2])[0]).all()
    with pytest.warns(UserWarning, match="No positive class"):
        assert metrics.average_precision_score([0, 0], [1, 2]) == 0.0
    for function in (
        metrics.roc_hull,
        metrics.h_measure,
        metrics.auc_interval,
        metrics.ranking_error,
    ):
        with pytest.raises(ValueError, match="class"):
            function([1, 1], [1, 2])
    with pytest.raises(ValueError, match="at least two rows of each class"):
        metrics.auc_interval([1, 0, 0], [2, 1, 3])


def test_infinite_scores_and_zeros():
    y, s = [0, 1, 0, 1, 1], [-np.inf, np.inf, 0.0, -0.0, 3.0]
    assert metrics.roc_auc_score(y, s) == pytest.approx(5.5 / 6)
    assert metrics.roc_curve(y, s, drop_intermediate=False)[2].tolist() == [
        np.inf, np.inf, 3.0, 0.0, -np.inf
    ]  # fmt: skip
    assert s == [-np.inf, np.inf, 0.0, -0.0, 3.0]


def test_layouts():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 100), rng.standard_normal(100)
    wanted = metrics.roc_auc_score(y, s)
    both = np.column_stack([s, s])
    frozen = s.copy()
    frozen.flags.writeable = False
    for same in (both[:, 0], frozen, s.tolist(), s[:, None], s.astype(">f8"), np.asfortranarray(s)):
        assert metrics.roc_auc_score(y, same) == wanted
    assert metrics.roc_auc_score(y[::-1], s[::-1]) == wanted
    assert metrics.roc_auc_score(y.astype(object), s) == wanted
    assert metrics.roc_auc_score(y * 2.0 - 1, s) == wanted


BAD = [
    (([0, 1], [1, np.nan]), {}, "y_score contains NaN, first at row 1"),
    (([0, 1], [1, 2, 3]), {}, "one score for each row"),
    (([], []), {}, "0 labels"),
    (([0, 1, 2], [1, 2, 3]), {}, "multiclass"),
    (([0, 2], [1, 2]), {}, "pos_label is not specified"),
    ((["a", "b"], [1, 2]), {}, "pos_label is not specified"),
    ((["a", "b"], [1, 2]), {"pos_label": "c"}, "pos_label='c' is not a valid label"),
    (([0, 1], [[1, 2], [3, 4]]), {}, "y_score should be a 1d array"),
    (([0, 1], ["a", "b"]), {}, "must hold numbers"),
    (([0, 1], [1j, 2]), {}, "[Cc]omplex"),
    (([0.5, 1], [1, 2]), {}, "continuous"),
    (([0, np.nan], [1, 2]), {}, "NaN"),
    (([0, 1], [1, 2]), {"sample_weight": [-1, 1]}, "must not be negative"),
    (([0, 1], [1, 2]), {"sample_weight": [1]}, "one weight per row"),
]


@pytest.mark.parametrize(("args", "kwargs", "why"), BAD)
def test_bad_input(args, kwargs, why):
    with pytest.raises(ValueError, match=why):
        metrics.roc_curve(*args, **kwargs)


def test_more_bad_input():
    y, p = [0, 1, 2], np.eye(3)
    with pytest.raises(ValueError, match="multi_class must be in"):
        metrics.roc_auc_score(y, p)
    with pytest.raises(ValueError, match="max_fpr=0\\.5 is for two classes"):
        metrics.roc_auc_score(y, p, max_fpr=0.5, multi_class="ovr")
    with pytest.raises(ValueError, match="must hold probabilities"):
        metrics.roc_auc_score(y, 2 * p, multi_class="ovr")
    with pytest.raises(ValueError, match="has no sample_weight"):
        metrics.roc_auc_score(y, p, multi_class="ovo", sample_weight=[1, 1, 1])
    with pytest.raises(ValueError, match="two columns for two classes"):
        metrics.roc_auc_score([0, 1], np.eye(2))
    with pytest.raises(ValueError, match="neither increasing nor decreasing"):
        metrics.auc([0, 1, 0.5], [0, 1, 1])
    with pytest.raises(ValueError, match="is for whole weights"):
        metrics.ranking_error([0, 1], [1, 2], sample_weight=[0.5, 1], as_fraction=True)
    with pytest.raises(ValueError, match="probabilities between 0 and 1"):
        metrics.brier_curve([0, 1], [1, 2])
    with pytest.raises(ValueError, match="say the same"):
        metrics.h_measure([0, 1], [1, 2], shape=(2, 2), severity_ratio=1)
    with pytest.raises(ValueError, match="bounds must be two values"):
        metrics.partial_auc_score([0, 1], [1, 2], (0.5, 0.5))


@pytest.mark.parametrize("bounds", [0.5, (), (0.1,), (0.1, 0.2, 0.3), {"a": 1}, None, [[0, 1]]])
def test_bounds_are_two_numbers(bounds):
    with pytest.raises((TypeError, ValueError), match=r"bounds must be a (pair|number)"):
        metrics.partial_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bounds)


def test_pairs_of_numbers():
    for call in (
        lambda: metrics.iso_line(0.5, 1, 1, measure="cost", cost=2.0),
        lambda: metrics.h_measure([0, 1], [0.1, 0.2], shape=object()),
        lambda: metrics.choose_threshold([0, 1], [0.1, 0.2], "cost", cost=np.array(1.0)),
    ):
        with pytest.raises(TypeError, match=r"(cost|shape) must be a pair of numbers"):
            call()
    best = metrics.choose_threshold([0, 1, 0, 1], [1, 2, 3, 4], "f", beta=1e300)
    assert best.value == pytest.approx(1.0)


def test_a_partial_area_of_one_class_is_not_defined():
    for y in ([1, 1, 1], [0, 0, 0]):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(metrics.partial_auc_score(y, [0.1, 0.2, 0.3], (0.5, 1.0), pos_label=1))


def test_areas_of_large_heights():
    assert metrics.auc([0.0, 1.0], [1.7e308, 1.7e308]) == 1.7e308


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_fpr", [None, 0.3])
def test_areas_of_several_labels_a_row(average, weighted, max_fpr):
    peer = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    truth = (rng.random((200, 4)) < 0.4).astype(int)
    scores = rng.random((200, 4)) + 0.3 * truth
    how = {"average": average, "max_fpr": max_fpr}
    how["sample_weight"] = rng.uniform(0.5, 2.0, 200) if weighted else None
    found = metrics.roc_auc_score(truth, scores, **how)
    np.testing.assert_allclose(found, peer.roc_auc_score(truth, scores, **how), rtol=1e-12)
    with pytest.raises(ValueError, match="y_score must have the shape of y_true"):
        metrics.roc_auc_score(truth, scores[:, :3])
