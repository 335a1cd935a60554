# SPDX-License-Identifier: BSD-3-Clause
"""Kernel density estimates against their definition and scikit-learn; tolerances under attack."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest
from sklearn.neighbors import KernelDensity as TheirDensity

from statfast import BayesClassifier, KernelDensity
from statfast._engine import blocks
from statfast.datasets import load_iris
from statfast.neighbors.density.kernel_shapes import SHAPES, log_integral
from tests.reference import kernel_density as twin

EVERYWHERE = ("gaussian", "exponential")
# What rounding of exponents and sums may add to any tolerance.
ROUNDING = 1e-12


def normal_rows(n=300, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def assert_within(ours, exact, rtol=0.0, atol=0.0):
    """Whether densities differ by at most atol + rtol times the exact ones, but for rounding.

    Logarithms far below zero are those of numbers that no float64 holds: they are compared as
    relative errors.
    """
    ours, exact = ours.astype(np.float64), exact.astype(np.float64)
    assert not np.isnan(ours).any()
    zero = np.isneginf(exact)
    with np.errstate(over="ignore"):
        assert (np.exp(ours[zero]) <= atol * (1 + 1e-9)).all()
        finite = ~zero
        relative = np.minimum(np.abs(np.expm1(ours[finite] - exact[finite])), 1e300)
        slack = ROUNDING + 4e-15 * np.abs(exact[finite])
        allowed = rtol + atol * np.exp(np.minimum(-exact[finite], 700.0))
    assert (relative <= allowed * (1 + 1e-9) + slack).all(), (relative - allowed).max()


# ------------------------------------------------------------------ the definition


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 9, 17])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_definition(kernel, d, weighted):
    X = normal_rows(400, d)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, 400).astype(float) if weighted else np.ones(400)
    Q = np.vstack([X[:20], rng.standard_normal((40, d)), 50.0 * rng.standard_normal((5, d))])
    for bandwidth in (1e-3, 0.4, 1.0, 3.0 * np.sqrt(d), 100.0):
        model = KernelDensity(bandwidth=bandwidth, kernel=kernel)
        ours = model.fit(X, sample_weight=weights if weighted else None).score_samples(Q)
        assert_within(ours, twin.log_densities(Q, X, weights, bandwidth, kernel))


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(SHAPES), st.integers(1, 6), st.integers(1, 700), st.floats(-3.0, 2.0),
    st.sampled_from([0.0, 1e-10, 1e-6, 1e-3, 0.1, 1.0]),
    st.sampled_from([0.0, 1e-12, 1e-5, 1e-2]), st.integers(0, 10**6),
)  # fmt: skip
def test_the_tolerance_holds(kernel, d, n, log_bandwidth, rtol, atol, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.choice([1e-3, 1.0], (n, 1))
    X = X[rng.integers(n, size=n)] if seed % 2 else X  # many repeat
    weights = rng.choice([0.0, 1e-6, 1.0, 1e6], n) if seed % 3 == 0 else np.ones(n)
    weights[0] = 1.0
    Q = np.vstack([X[:10], rng.standard_normal((20, d)), 30.0 * rng.standard_normal((3, d))])
    bandwidth = 10.0**log_bandwidth
    model = KernelDensity(bandwidth=bandwidth, kernel=kernel, rtol=rtol, atol=atol)
    ours = model.fit(X, sample_weight=weights).score_samples(Q)
    kept = weights > 0.0
    exact = twin.log_densities(Q, X[kept], weights[kept], bandwidth, kernel)
    assert_within(ours, exact, rtol, atol)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "cosine", "exponential"])
def test_the_tolerance_holds_of_many_rows(kernel, d):
    """Trees of several levels, in which whole nodes are taken as one point."""
    X, Q = normal_rows(20_000, d), 1.5 * normal_rows(60, d, 1)
    for bandwidth in (0.05, 0.7, 5.0):
        exact = twin.log_densities(Q, X, np.ones(len(X)), bandwidth, kernel)
        for rtol, atol in ((1e-8, 0.0), (1e-4, 0.0), (0.05, 0.0), (0.0, 1e-4), (1e-3, 1e-3)):
            model = KernelDensity(bandwidth=bandwidth, kernel=kernel, rtol=rtol, atol=atol).fit(X)
            assert_within(model.score_samples(Q), exact, rtol, atol)


def test_the_tolerance_holds_far_from_the_origin():
    """Where centers of nodes are rounded, they are not used."""
    X = 1e9 + 0.1 * np.round(normal_rows(3000, 2) * 1e3) / 1e3
    Q = X[:40] + 0.05
    for rtol in (1e-10, 1e-6, 1e-2):
        ours = KernelDensity(bandwidth=0.03, rtol=rtol).fit(X).score_samples(Q)
        assert_within(ours, twin.log_densities(Q, X, np.ones(3000), 0.03, "gaussian"), rtol)


@pytest.mark.parametrize("kernel", EVERYWHERE)
@pytest.mark.parametrize("d", [1, 5, 50])
def test_far_queries_are_finite(kernel, d):
    X = normal_rows(500, d)
    directions = normal_rows(8, d, 1)
    for far in (1e2, 1e4, 1e8, 1e100):
        Q = far * directions
        for rtol in (0.0, 1e-3):
            ours = KernelDensity(bandwidth=0.5, kernel=kernel, rtol=rtol).fit(X).score_samples(Q)
            exact = twin.log_densities(Q, X, np.ones(500), 0.5, kernel)
            assert np.isfinite(ours).all()
            assert_allclose(ours, exact, rtol=1e-13, atol=2 * rtol)


def test_huge_and_tiny_bandwidths():
    X = normal_rows(200, 2)
    for bandwidth in (1e-300, 1e-200, 1e200, 1e300):
        model = KernelDensity(bandwidth=bandwidth).fit(X)
        logs = model.score_samples(X)
        if bandwidth > 1.0:
            assert_allclose(logs, -np.log(2.0 * np.pi) - 2.0 * np.log(bandwidth), rtol=1e-14)
        else:  # each row is alone
            want = -np.log(200.0) - np.log(2.0 * np.pi) - 2.0 * np.log(bandwidth)
            assert_allclose(logs, want, rtol=1e-14)
        assert np.isfinite(model.sample(5, random_state=0)).all()


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150])
@pytest.mark.parametrize("kernel", SHAPES)
def test_units(scale, kernel):
    """Rows and bandwidth in other units change densities by the volume of the unit."""
    X, Q = normal_rows(300, 3), normal_rows(30, 3, 1)
    plain = KernelDensity(bandwidth=0.6, kernel=kernel).fit(X).score_samples(Q)
    scaled = KernelDensity(bandwidth=0.6 * scale, kernel=kernel).fit(scale * X)
    got = scaled.score_samples(scale * Q)
    finite = np.isfinite(plain)
    assert_array_equal(finite, np.isfinite(got))
    assert_allclose(got[finite], plain[finite] - 3.0 * np.log(scale), rtol=1e-11)


def test_the_edge_of_a_kernel_is_outside():
    X = np.arange(10.0)[:, None]
    model = KernelDensity(kernel="tophat").fit(X)
    densities = np.exp(model.score_samples([[3.0], [3.5], [-1.0]]))
    assert_allclose(densities, [0.05, 0.1, 0.0], rtol=1e-14)


def test_whole_nodes_of_tophat_are_exact():
    """Counts are integers, whatever the tolerance."""
    X, Q = normal_rows(5000, 2), normal_rows(100, 2, 1)
    exact = KernelDensity(kernel="tophat", bandwidth=0.7).fit(X).score_samples(Q)
    count = (twin.distances(Q, X) < 0.7).sum(axis=1)
    assert_allclose(np.exp(exact) * 5000 * np.pi * 0.49, count, rtol=1e-13)


# ------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("kernel", sorted(set(SHAPES) - {"cosine"}))
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn(kernel, weighted):
    """In one column, to the tolerance that it keeps."""
    X, Q = normal_rows(300, 1), normal_rows(50, 1, 1)
    weights = np.random.default_rng(2).random(300) if weighted else None
    ours = KernelDensity(bandwidth=0.3, kernel=kernel).fit(X, sample_weight=weights)
    peer = TheirDensity(bandwidth=0.3, kernel=kernel).fit(X, sample_weight=weights)
    assert_allclose(ours.score_samples(Q), peer.score_samples(Q), rtol=1e-6)
    assert_allclose(ours.score(Q), peer.score(Q), rtol=1e-6)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_of_scikit_learn(rule):
    X = normal_rows(70, 4)
    assert_allclose(
        KernelDensity(bandwidth=rule).fit(X).bandwidth_,
        TheirDensity(bandwidth=rule).fit(X).bandwidth_,
    )


def test_ignored_arguments_of_scikit_learn():
    X = normal_rows(50, 2)
    for algorithm in ("auto", "kd_tree", "ball_tree"):
        model = KernelDensity(algorithm=algorithm, breadth_first=False, leaf_size=7)
        plain = KernelDensity().fit(X).score_samples(X)
        assert_allclose(model.fit(X).score_samples(X), plain, rtol=1e-14)
    with pytest.raises(ValueError, match="algorithm"):
        KernelDensity(algorithm="brute")


# ------------------------------------------------------------------ integrals and samples


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, np.inf])
@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_log_integrals(kernel, p, d):
    assert_allclose(
        log_integral(kernel, d, p), twin.log_integral(kernel, d, p), rtol=1e-7, atol=1e-7
    )


METRICS = {
    "manhattan": {},
    "chebyshev": {},
    "minkowski": {"p": 3.5},
    "seuclidean": {"V": [0.5, 3.0]},
    "mahalanobis": {"V": [[1.0, 0.6], [0.6, 2.0]]},
    "euclidean": {"w": [0.2, 3.0]},
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kernel", SHAPES)
def test_densities_of_metrics_integrate_to_one(metric, kernel):
    X = normal_rows(40, 2)
    params = METRICS[metric]
    model = KernelDensity(bandwidth=0.7, kernel=kernel, metric=metric, metric_params=params).fit(X)
    steps = np.linspace(-14.0, 14.0, 561)
    table = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    total = np.exp(model.score_samples(table)).sum() * (steps[1] - steps[0]) ** 2
    assert_allclose(total, 1.0, rtol=4e-3)


@pytest.mark.parametrize("p", [1.0, np.inf, 3.5])
@pytest.mark.parametrize("kernel", SHAPES)
def test_norms(p, kernel):
    X, Q = normal_rows(2000, 3), normal_rows(30, 3, 1)
    for rtol in (0.0, 1e-3):
        model = KernelDensity(
            bandwidth=0.8, kernel=kernel, metric="minkowski", metric_params={"p": p}, rtol=rtol
        )
        exact = twin.log_densities(Q, X, np.ones(2000), 0.8, kernel, p)
        assert_within(model.fit(X).score_samples(Q), exact, rtol + 1e-8)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
@pytest.mark.parametrize("kernel", SHAPES)
def test_samples_follow_the_density(metric, kernel):
    """Distances of draws about one row have the distribution of the kernel."""
    p = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf, "minkowski": 3.0}[metric]
    params = {"p": 3.0} if metric == "minkowski" else None
    X = np.array([[1.0, -2.0, 0.5]])
    model = KernelDensity(bandwidth=0.4, kernel=kernel, metric=metric, metric_params=params).fit(X)
    drawn = model.sample(4000, random_state=0)
    radii = np.linalg.norm(drawn - X, ord=p, axis=1) / 0.4
    steps = np.linspace(0.0, 1.0 if kernel not in EVERYWHERE else 40.0, 20001)
    heights = twin.KERNELS[kernel](steps) * steps**2
    cdf = np.append(0.0, np.cumsum(0.5 * (heights[1:] + heights[:-1])))
    assert kstest(radii, lambda r: np.interp(r, steps, cdf / cdf[-1])).pvalue > 1e-4
    # Directions: no column is preferred, and signs are even.
    assert_allclose(np.abs(drawn - X).mean(axis=0), np.abs(drawn - X).mean(), rtol=0.06)
    assert_allclose((drawn > X).mean(axis=0), 0.5, atol=0.04)


def test_samples_by_weight_and_metric():
    X = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    model = KernelDensity(metric="mahalanobis", metric_params={"V": [[4.0, 1.9], [1.9, 1.0]]})
    drawn = model.fit(X, sample_weight=[1.0, 3.0, 0.0]).sample(4000, random_state=0)
    first = drawn[:, 0] < 50.0
    assert_allclose(first.mean(), 0.25, atol=0.03)
    assert (drawn[:, 1] < 50.0).all()
    assert_allclose(np.cov(drawn[first].T), [[4.0, 1.9], [1.9, 1.0]], rtol=0.2)
    assert_array_equal(drawn, model.sample(4000, random_state=0))
    assert model.sample(random_state=1).shape == (1, 2)


# ------------------------------------------------------------------ bandwidths by cross-validation


@pytest.mark.parametrize("kernel", SHAPES)
def test_leave_one_out(kernel):
    X = np.vstack([normal_rows(150, 2), normal_rows(5, 2, 1), [[30.0, 30.0]]])
    X[150:155] = X[0]  # rows that repeat
    weights = np.random.default_rng(3).integers(1, 5, 156).astype(float)
    for w in (None, weights):
        model = KernelDensity(bandwidth=0.7, kernel=kernel).fit(X, sample_weight=w)
        want = twin.leave_one_out(X, np.ones(156) if w is None else w, 0.7, kernel)
        got = model.leave_one_out()
        assert_array_equal(np.isneginf(got), np.isneginf(want))
        finite = np.isfinite(want)
        assert_allclose(got[finite], want[finite], rtol=1e-9, atol=1e-9)


def test_cross_validated_bandwidth():
    X = normal_rows(250, 2)
    bandwidths = [0.1, 0.2, 0.4, 0.6, 0.8, 1.6]
    weights = np.random.default_rng(1).integers(0, 3, 250).astype(float)
    model = KernelDensity(bandwidth="cv", bandwidths=bandwidths[::-1]).fit(X, sample_weight=weights)
    kept = weights > 0.0
    scores = [
        weights[kept] @ twin.leave_one_out(X[kept], weights[kept], h, "gaussian")
        for h in bandwidths
    ]
    table = model.bandwidth_scores_
    assert_allclose(table.columns["Bandwidth"], bandwidths)
    assert_allclose(table.columns["Log-likelihood"], scores, rtol=1e-9)
    assert model.bandwidth_ == bandwidths[int(np.argmax(scores))]


def test_default_grid_finds_the_scale():
    """Two sharp peaks far apart: the best bandwidth is far below that for their spread."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0.0, 0.01, 300), rng.normal(100.0, 0.01, 300)])[:, None]
    model = KernelDensity(bandwidth="cv").fit(X)
    assert 0.001 < model.bandwidth_ < 0.01
    for scale in (1e-200, 1e-3, 1e100, 1e200):
        scaled = KernelDensity(bandwidth="cv").fit(scale * X)
        assert_allclose(scaled.bandwidth_, scale * model.bandwidth_, rtol=1e-9)


def test_rounded_rows_have_no_spikes():
    """Repeated values favor bandwidths below their step, which are not tried unless asked for."""
    X = np.round(normal_rows(60, 1), 1)
    model = KernelDensity(bandwidth="cv").fit(X)
    assert model.bandwidth_ >= 0.05
    assert_allclose(model.bandwidth_scores_.columns["Bandwidth"].min(), 0.05, rtol=1e-9)
    free = KernelDensity(bandwidth="cv", bandwidths=[1e-4, 0.05, 0.1, 0.3, 1.0])
    with pytest.warns(UserWarning, match="smallest bandwidth tried"):
        assert free.fit(np.repeat(np.arange(5.0), 9)[:, None]).bandwidth_ == 1e-4


def test_best_bandwidth_at_an_end_is_said():
    X = normal_rows(100, 1)
    with pytest.warns(UserWarning, match="smallest bandwidth tried"):
        KernelDensity(bandwidth="cv", bandwidths=[2.0, 3.0]).fit(X)
    with pytest.warns(UserWarning, match="largest bandwidth tried"):
        KernelDensity(bandwidth="cv", bandwidths=[0.01, 0.02]).fit(X)


# ------------------------------------------------------------------ promises


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_same_bits_for_any_number_of_threads(dtype, monkeypatch):
    monkeypatch.setattr(blocks, "usable_threads", lambda *a, **k: 7)
    X = (10.0 * np.abs(normal_rows(30_000, 3))).astype(dtype)
    got = []
    for n_jobs in (1, 2, 7):
        model = KernelDensity(bandwidth=2.0, rtol=1e-2, n_jobs=n_jobs).fit(X)
        got.append((model.score_samples(X).tobytes(), model.leave_one_out().tobytes()))
    assert got[0] == got[1] == got[2]


def test_float32_rows():
    X, Q = normal_rows(500, 3).astype(np.float32), normal_rows(50, 3, 1)
    model = KernelDensity(bandwidth=0.5).fit(X)
    exact = twin.log_densities(Q, X.astype(float), np.ones(500), 0.5, "gaussian")
    assert_allclose(model.score_samples(Q), exact, rtol=1e-13)
    single = model.score_samples(Q.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, exact, rtol=1e-5)


@pytest.mark.parametrize("kernel", SHAPES)
def test_a_weight_is_a_repeated_row(kernel):
    X, Q = normal_rows(120, 2), normal_rows(30, 2, 1)
    weights = np.random.default_rng(0).integers(0, 4, 120)
    for bandwidth in ("scott", "silverman", 0.5):
        model = KernelDensity(bandwidth=bandwidth, kernel=kernel)
        weighted = model.fit(X, sample_weight=weights).score_samples(Q)
        repeated = model.fit(np.repeat(X, weights, axis=0)).score_samples(Q)
        assert_allclose(weighted, repeated, rtol=1e-12, atol=1e-12)
    fixed = KernelDensity(bandwidth=0.5, kernel=kernel)
    once = fixed.fit(X, sample_weight=weights).score_samples(Q)
    thrice = fixed.fit(X, sample_weight=3.0 * weights).score_samples(Q)
    assert_allclose(once, thrice, rtol=1e-12, atol=1e-12)


def test_names_pickles_and_score():
    frame = pd.DataFrame(normal_rows(50, 2), columns=["a", "b"])
    model = KernelDensity(bandwidth="cv").fit(frame)
    assert list(model.feature_names_in_) == ["a", "b"]
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.score_samples(frame), model.score_samples(frame))
    assert_allclose(model.score(frame), model.score_samples(frame).sum())
    weights = np.arange(50.0)
    assert_allclose(model.score(frame, sample_weight=weights), weights @ model.score_samples(frame))


def test_a_score_without_density():
    model = KernelDensity(kernel="linear").fit([[0.0], [1.0]])
    assert model.score([[0.5], [9.0]]) == -np.inf
    assert np.isfinite(model.score([[0.5], [9.0]], sample_weight=[1.0, 0.0]))


# ------------------------------------------------------------------ classes


def test_class_densities():
    """Bayes' rule with an estimate for each class: its parts, weights, priors and samples."""
    iris = load_iris()
    X, y = iris.data, iris.target
    weights = np.random.default_rng(0).integers(1, 4, 150)
    model = BayesClassifier(KernelDensity(bandwidth=0.4)).fit(X, y, sample_weight=weights)
    repeated = BayesClassifier(KernelDensity(bandwidth=0.4)).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert_allclose(model.predict_proba(X), repeated.predict_proba(X), atol=1e-12)
    joint = np.stack(
        [
            twin.log_densities(X, X[y == k], weights[y == k].astype(float), 0.4, "gaussian")
            + np.log(weights[y == k].sum() / weights.sum())
            for k in range(3)
        ],
        axis=1,
    )
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-11)
    assert_allclose(model.score_samples(X), np.logaddexp.reduce(joint, axis=1), rtol=1e-11)
    assert (model.predict(X) == y).mean() > 0.95
    drawn, labels = model.sample(300, random_state=0)
    assert drawn.shape == (300, 4)
    assert (model.predict(drawn) == labels).mean() > 0.85
    even = BayesClassifier(KernelDensity(bandwidth="scott"), priors=[0.2, 0.5, 0.3]).fit(X, y)
    assert_allclose(even.priors_, [0.2, 0.5, 0.3])


# ------------------------------------------------------------------ refusals

REFUSED = [
    ({"bandwidth": 0.0}, "bandwidth must be"),
    ({"bandwidth": -1.0}, "bandwidth must be"),
    ({"bandwidth": "plugin"}, "bandwidth must be"),
    ({"kernel": "normal"}, "kernel must be"),
    ({"metric": "cosine"}, "metric must be one of"),
    ({"metric": "haversine"}, "metric must be one of"),
    ({"metric": "sqeuclidean"}, "metric must be one of"),
    ({"metric": "nothing"}, "metric must be one of"),
    ({"metric": lambda a, b: 0.0}, "metric must be one of"),
    ({"metric_params": {"w": [1.0, 0.0]}}, "must be positive"),
    ({"metric_params": {"V": 1.0}}, "metric_params of the metric"),
    ({"atol": -1.0}, "atol must be"),
    ({"rtol": -1e-3}, "rtol must be"),
    ({"leaf_size": 0}, "leaf_size must be"),
    ({"bandwidths": [1.0]}, "bandwidths are for bandwidth='cv'"),
    ({"bandwidth": "cv", "bandwidths": [0.0, 1.0]}, "bandwidths must be positive"),
    ({"bandwidth": "cv", "bandwidths": []}, "bandwidths must be a list"),
    ({"bandwidth": "cv", "bandwidths": [[1.0]]}, "bandwidths must be a list"),
    ({"bandwidth": "cv", "bandwidths": [1e-9], "kernel": "tophat"}, "beyond the kernels"),
]


@pytest.mark.parametrize(("params", "sentence"), REFUSED)
def test_parameters_that_are_refused(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        KernelDensity(**params).fit(normal_rows(50, 2))


def test_data_that_are_refused():
    with pytest.raises(ValueError, match="all equal"):
        KernelDensity(bandwidth="cv").fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="two rows"):
        KernelDensity(bandwidth="cv").fit(normal_rows(5, 2), sample_weight=[1, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="left without one"):
        KernelDensity().fit([[1.0]]).leave_one_out()
    with pytest.raises(ValueError, match="no float64 has their ratio"):
        KernelDensity(bandwidth=1e-300).fit([[1e300], [1.0]])
    with pytest.raises(ValueError, match="must hold V"):
        KernelDensity(metric="seuclidean").fit(normal_rows(9, 2), sample_weight=np.ones(9))
    with pytest.raises(ValueError, match="n_samples"):
        KernelDensity().fit(normal_rows(9, 2)).sample(0)
    with pytest.raises(ValueError, match="2"):
        KernelDensity().fit(normal_rows(9, 2)).score_samples(normal_rows(9, 3))
