# SPDX-License-Identifier: BSD-3-Clause
"""The number of clusters: gap statistic, its rules, stability, and the table."""

import warnings
from threading import get_ident

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from statfast import metrics
from statfast._engine import blocks
from statfast.cluster import KMeans, choose_n_clusters, cluster_stability, gap_select
from statfast.cluster import gap_statistic as gap_of
from statfast.cluster.n_clusters.gap import _log_dispersion
from tests.data import three_groups

FAMILIES = ["kmeans", "kmedoids", "average", "ward"]


def split(rows, k):
    """Clusters of equal size along the first column."""
    rank = np.argsort(np.argsort(rows[:, 0], kind="stable"), kind="stable")
    return rank * k // len(rows)


@pytest.mark.parametrize("power", [1, 2])
def test_dispersion_is_clus_gaps(power):
    X = three_groups(30)
    labels = split(X, 4)
    expected = 0.5 * sum(
        (pdist(X[labels == c]) ** power).sum() / np.sum(labels == c) for c in range(4)
    )
    assert _log_dispersion(X, labels, power) == pytest.approx(np.log(expected))


def test_gap_is_the_mean_log_dispersion_of_reference_sets_less_that_of_the_rows():
    X = three_groups(30, d=3)
    found = gap_of(X, method=split, k_max=4, n_boot=7, null="box", random_state=3)
    seeds = np.random.default_rng(3).integers(2**32, size=8)
    low, high = X.min(axis=0), X.max(axis=0)
    sets = [np.random.default_rng(int(s)).uniform(low, high, X.shape) for s in seeds[1:]]
    logs = np.array([[_log_dispersion(z, split(z, k), 2) for k in range(1, 5)] for z in sets])
    assert np.allclose(found.expected, logs.mean(axis=0))
    assert np.allclose(found.se, np.sqrt((1 + 1 / 7) * logs.var(axis=0, ddof=1)))
    own = [_log_dispersion(X, split(X, k), 2) for k in range(1, 5)]
    assert np.allclose(found.log_w, own)
    assert np.allclose(found.gap, found.expected - found.log_w)


def test_reference_sets_along_the_principal_axes_do_not_turn():
    X = np.random.default_rng(1).normal(size=(60, 2)) * [1, 20]
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for null, same in (("pca", True), ("box", False)):
        gaps = [
            gap_of(rows, method="kmedoids", k_max=4, n_boot=20, null=null, random_state=0).gap[3]
            for rows in (X, X @ turn)
        ]
        assert (abs(gaps[0] - gaps[1]) < 0.2) == same


@pytest.mark.parametrize("method", FAMILIES)
@pytest.mark.parametrize("rule", ["firstSEmax", "Tibs2001SEmax", "globalSEmax", "globalmax"])
def test_three_clusters_are_found(method, rule):
    found = gap_of(three_groups(30), method=method, k_max=5, n_boot=15, random_state=0)
    assert found.best(rule) == 3
    assert "best by firstSEmax: 3" in str(found)


def test_no_clusters_are_found():
    X = np.random.default_rng(5).uniform(size=(80, 2))
    assert gap_of(X, k_max=4, n_boot=20, random_state=0).best("Tibs2001SEmax") == 1


@pytest.mark.parametrize(
    ("rule", "expected"),  # of R's maxSE, counted from 0
    [
        ("firstmax", 3),
        ("globalmax", 5),
        ("firstSEmax", 2),
        ("globalSEmax", 5),
        ("Tibs2001SEmax", 2),
    ],
)
def test_rules(rule, expected):
    gap, se = [0.1, 0.3, 0.5, 0.52, 0.4, 0.7], [0.05, 0.05, 0.05, 0.05, 0.05, 0.05]
    assert gap_select(gap, se, rule) == expected


def rule_by_words(gap, se, rule, factor):
    """The rules as their definitions read, one k after the other."""
    last, margin = len(gap) - 1, [factor * s for s in se]
    if rule == "Tibs2001SEmax":
        for k in range(last):
            if gap[k] >= gap[k + 1] - margin[k + 1]:
                return k
        return last
    top = next((k for k in range(last) if gap[k + 1] <= gap[k]), last)
    if rule.startswith("global"):
        top = next(k for k in range(last + 1) if gap[k] == max(gap))
    if rule.endswith("SEmax"):
        return next(k for k in range(top + 1) if gap[k] >= gap[top] - margin[top] or k == top)
    return top


@pytest.mark.parametrize(
    "rule", ["firstmax", "globalmax", "firstSEmax", "globalSEmax", "Tibs2001SEmax"]
)
def test_rules_with_plateaus_and_errors_of_their_own(rule):
    rng = np.random.default_rng(0)
    places = set()
    for _ in range(300):
        K = int(rng.integers(1, 9))  # eighths: sums are exact, and equal gaps and bounds common
        gap, se = rng.integers(0, 9, K) / 8, rng.integers(0, 5, K) / 8
        factor = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
        found = gap_select(gap, se, rule, factor=factor)
        assert found == rule_by_words(gap.tolist(), se.tolist(), rule, factor)
        places.add(found)
    assert len(places) > 3


def test_rules_at_the_ends():
    for rule in ("firstmax", "globalmax", "firstSEmax", "globalSEmax", "Tibs2001SEmax"):
        assert gap_select([0.2], [0.1], rule) == 0
        assert gap_select([0.1, 0.5, 0.9], [0.01] * 3, rule) == 2
        assert gap_select([0.9, 0.5, 0.1], [0.01] * 3, rule) == 0
    assert gap_select([0.1, 0.3, 0.5], [0.1] * 3, "firstSEmax", factor=5.0) == 0


def test_stability_is_the_best_jaccard():
    X = three_groups(10)
    found = cluster_stability(X, 3, method=split, n_boot=6, random_state=2)
    rng = np.random.default_rng(2)
    rng.integers(2**32)
    labels = split(X, 3)
    for b in range(6):
        drawn = np.unique(rng.integers(30, size=30))
        rng.integers(2**32)
        again = split(X[drawn], 3)
        for c in range(3):
            own = set(drawn[labels[drawn] == c])
            best = max(
                len(own & set(drawn[again == e])) / len(own | set(drawn[again == e]))
                for e in range(3)
            )
            assert found.jaccard[b, c] == pytest.approx(best)
    assert np.allclose(found.mean, found.jaccard.mean(axis=0))
    assert (found.recovered == (found.jaccard > 0.75).sum(axis=0)).all()
    assert (found.dissolved == (found.jaccard <= 0.5).sum(axis=0)).all()
    assert len(str(found).splitlines()) == 4


@pytest.mark.parametrize("method", FAMILIES)
@pytest.mark.parametrize(
    "criterion", ["silhouette", "calinski_harabasz", "davies_bouldin", "dunn", "gap"]
)
def test_table_and_recommendation(method, criterion):
    X = three_groups(20)
    found = choose_n_clusters(
        X, method=method, ks=[5, 2, 3, 1, 4], criterion=criterion, n_boot=10, random_state=0
    )
    assert list(found.k) == [1, 2, 3, 4, 5]
    assert found.recommended == 3
    for labels, score in zip(found.labels[1:], found.scores["silhouette"][1:], strict=True):
        assert score == metrics.silhouette_score(X, labels)
    assert np.isnan(found.scores["dunn"][0])
    assert (np.diff(found.scores["within"]) < 0).all()
    assert ("gap_se" in found.scores) == (criterion == "gap")
    assert "   3*" in str(found)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = three_groups(15)
    for ask in (
        lambda threads: gap_of(X, k_max=3, n_boot=5, random_state=1, n_jobs=threads).gap,
        lambda threads: cluster_stability(X, 3, n_boot=5, random_state=1, n_jobs=threads).jaccard,
    ):
        first, *others = [ask(threads) for threads in (1, 2, 7)]
        assert all((other == first).all() for other in others)


def test_labels_of_a_function():
    X = three_groups(10)
    asked = choose_n_clusters(
        X, method=lambda rows, k: KMeans(k, random_state=0).fit(rows).labels_, ks=[2, 3]
    )
    assert asked.recommended == 3


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"method": "dbscan"}, ValueError, "method must be one of 'kmeans'"),
        ({"method": 3}, TypeError, "method must be one of"),
        ({"ks": [0, 2]}, ValueError, "ks must be between 1"),
        ({"ks": [2, 90]}, ValueError, r"between 1 and the number of rows less 1 \(89\); got 90"),
        ({"ks": "few"}, TypeError, "ks must be an integer; got 'f'"),
        ({"method": lambda rows, k: None}, ValueError, "must return labels; got None"),
        ({"method": lambda rows, k: [0]}, ValueError, "What method returns must have one label"),
        ({"ks": 3}, TypeError, "several numbers of clusters"),
        ({"ks": []}, ValueError, "at least one number"),
        ({"ks": [1]}, ValueError, "needs from 2 to n - 1 clusters"),
        ({"criterion": "elbow"}, ValueError, "criterion must be"),
        ({"criterion": "gap", "rule": "max"}, ValueError, "rule must be"),
        ({"criterion": "gap", "n_boot": 1}, ValueError, "n_boot must be"),
    ],
)
def test_bad_choices(params, error, message):
    with pytest.raises(error, match=message):
        choose_n_clusters(three_groups(30), **params)


def test_bad_gaps():
    with pytest.raises(ValueError, match="too few distinct rows"):
        gap_of(np.repeat([[0.0], [1.0]], 5, axis=0), method=split, k_max=3, n_boot=3)
    for params in ({"power": 3}, {"null": "normal"}, {"k_max": 99}, {"n_boot": 0}):
        with pytest.raises(ValueError, match=next(iter(params))):
            gap_of(three_groups(30), **params)


def test_means_that_are_rounded_are_no_dispersion():
    """Equal rows lie off their rounded mean, by a dispersion of which a logarithm can be had."""
    X = np.repeat(np.random.default_rng(0).normal(size=(6, 3)), 10, axis=0)
    assert np.isfinite(gap_of(X, k_max=5, n_boot=3, random_state=0).gap).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k_max in (6, 8):
            with pytest.raises(ValueError, match=r"too few distinct rows\. Lower k_max"):
                gap_of(X, k_max=k_max, n_boot=3)


def test_few_rows_have_few_numbers_of_clusters():
    X = np.random.default_rng(0).normal(size=(8, 2))
    np.testing.assert_array_equal(choose_n_clusters(X, random_state=0).k, np.arange(2, 8))


def test_bootstrap_sets_of_fewer_rows_than_clusters_count_what_they_hold():
    X = np.arange(10.0)[:, None]
    jaccard = cluster_stability(X, 9, method="average", n_boot=40, random_state=0).jaccard
    assert jaccard.any(axis=1).all()


@pytest.mark.parametrize(
    ("se", "message"),
    [
        ([], "se must be a 1-d array"),
        ([0.1], "one number each for each k; got 2 and 1"),
        ([-0.1, 0.1], "se must not be negative; got -0.1"),
        ([np.nan, 0.1], "se contains NaN"),
        (["a", "b"], "se must hold numbers"),
        ("ab", "se must be a 1-d array"),
    ],
)
def test_gaps_without_sound_errors(se, message):
    with pytest.raises(ValueError, match=message):
        gap_select([0.1, 0.5], se)


@pytest.mark.parametrize("count", [1, 2])
def test_a_choice_needs_three_rows(count):
    with pytest.raises(ValueError, match="a minimum of 3 is required"):
        choose_n_clusters(np.zeros((count, 2)))
    with pytest.raises(ValueError, match="Pass rows that differ"):
        gap_of(np.zeros((count, 2)), k_max=1, n_boot=2)


@pytest.mark.parametrize("method", ["kmeans", "average"])
@pytest.mark.parametrize("power", [1, 2])
def test_gap_at_every_scale(method, power):
    X = three_groups(15)
    asked = {"method": method, "power": power, "k_max": 3, "n_boot": 4, "random_state": 0}
    near = gap_of(X, **asked)
    for scale in (-700, 700):
        far = gap_of(np.ldexp(X, scale), **asked)
        assert np.allclose(far.gap, near.gap, rtol=1e-10)
        assert np.allclose(far.log_w, near.log_w + power * scale * np.log(2))


def test_a_function_is_called_in_one_thread_and_in_order(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, threads = three_groups(10), set()

    def answers(n_jobs):
        rng = np.random.default_rng(0)

        def method(rows, k):
            threads.add(get_ident())
            return rng.integers(0, k, len(rows))

        asked = {"method": method, "n_boot": 6, "random_state": 0, "n_jobs": n_jobs}
        return cluster_stability(X, 3, **asked).jaccard, gap_of(X, k_max=3, **asked).gap

    first, second = answers(1), answers(4)
    assert threads == {get_ident()}
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_what_the_gap_recommends_is_in_the_table():
    X = np.random.default_rng(0).normal(size=(90, 2)) * 0.1 + np.repeat(
        [[0], [5], [10]], 30, axis=0
    )
    found = choose_n_clusters(X, ks=[2, 4, 5], criterion="gap", n_boot=10, random_state=0)
    assert found.recommended in found.k


def test_ragged_gaps_are_refused():
    with pytest.raises(ValueError, match="gap must be a 1-d array of numbers"):
        gap_select([[1.0, 2.0], [3.0]], [0.1, 0.1])


def dense(rows, size):
    """Two groups of that many rows, along the first column; other rows are noise."""
    order, labels = np.argsort(rows[:, 0], kind="stable"), np.full(len(rows), -1)
    labels[order[:size]], labels[order[-size:]] = 0, 1
    return labels


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_scores_of_clusterings_with_noise(metric):
    X = three_groups(20)
    asked = {"ks": [10, 20, 30], "metric": metric}
    found = choose_n_clusters(X, method=dense, noise_label=-1, criterion="dbcv", **asked)
    for i, size in enumerate(found.k):
        labels = dense(X, size)
        kept = labels >= 0
        assert (found.labels[i] == labels).all()
        assert found.scores["noise"][i] == pytest.approx(np.mean(labels < 0))
        alone = choose_n_clusters(
            X[kept], method=lambda rows, k, z=labels[kept]: z, metric=metric, ks=[2]
        )
        for name, values in alone.scores.items():
            assert found.scores[name][i] == pytest.approx(values[0], rel=1e-12)
        assert found.scores["dbcv"][i] == metrics.dbcv_score(X, labels, metric=metric)
    assert found.recommended == found.k[np.argmax(found.scores["dbcv"])]


def test_noise_alone_has_no_scores():
    X = three_groups(10)

    def method(rows, k):
        return np.full(len(rows), -1) if k == 2 else np.arange(len(rows)) % k

    for metric in ("euclidean", "manhattan"):
        found = choose_n_clusters(X, method=method, ks=[2, 3], metric=metric, noise_label=-1)
        assert all(np.isnan(found.scores[name][0]) for name in found.scores if name != "noise")
        assert found.scores["noise"].tolist() == [1.0, 0.0]
        assert found.recommended == 3


def test_without_a_label_of_noise_it_is_a_cluster():
    X = three_groups(20)
    found = choose_n_clusters(X, method=dense, ks=[10])
    assert "noise" not in found.scores
    assert found.scores["silhouette"][0] == metrics.silhouette_score(X, dense(X, 10))


def test_density_based_validity_needs_rows():
    X = three_groups(10)
    for metric in ("sqeuclidean", "seuclidean", lambda a, b: np.abs(a - b).sum()):
        found = choose_n_clusters(X, method="average", ks=[2, 3], metric=metric, criterion="dbcv")
        assert found.recommended == 3
    with pytest.raises(ValueError, match="'dbcv' needs rows"):
        choose_n_clusters(
            pdist(X), method="average", metric="precomputed", ks=[2], criterion="dbcv"
        )
    with pytest.raises(ValueError, match="of clusterings of all rows"):
        choose_n_clusters(X, ks=[2], criterion="gap", noise_label=-1)
    with pytest.raises(ValueError, match="noise_label must be None or one label"):
        choose_n_clusters(X, ks=[2], noise_label=[1])


def test_stability_of_clusters_beside_noise():
    """Noise is in no cluster: it neither counts as one, nor takes part in a union."""
    X = np.vstack([three_groups(20), [[60.0, 60.0], [-60.0, 60.0]]])

    def method(rows, k):
        far = np.abs(rows).max(axis=1) > 50
        return np.where(far, -1, np.argsort(np.argsort(rows[:, 0])) * k // len(rows))

    found = cluster_stability(X, 3, method=method, n_boot=10, noise_label=-1, random_state=0)
    assert found.labels[-2:].tolist() == [-1, -1]
    assert found.jaccard.shape == (10, 3)
    assert found.to_frame()["rows"].sum() == 60
    assert len(str(found).splitlines()) == 4
    counted = cluster_stability(X, 3, method=method, n_boot=10, random_state=0)
    assert counted.jaccard.shape == (10, 4)
    assert np.allclose(counted.jaccard[:, 1:], found.jaccard)
    with pytest.raises(ValueError, match="noise alone"):
        cluster_stability(X, 2, method=lambda rows, k: -np.ones(len(rows)), noise_label=-1)


def test_sets_in_which_all_is_noise():
    X = three_groups(10)

    def method(rows, k):
        return np.zeros(len(rows)) if len(rows) == len(X) else -np.ones(len(rows))

    found = cluster_stability(X, 1, method=method, n_boot=5, noise_label=-1, random_state=0)
    assert (found.jaccard == 0).all()
