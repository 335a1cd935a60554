# SPDX-License-Identifier: BSD-3-Clause
"""Rows within a radius: the search, the vote and the average, against twins and scikit-learn."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors as SklearnNeighbors
from sklearn.neighbors import RadiusNeighborsClassifier as SklearnClassifier
from sklearn.neighbors import RadiusNeighborsRegressor as SklearnRegressor

from statfast.neighbors import (
    BallTree,
    KDTree,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from statfast.neighbors.brute import radius as brute_radius
from statfast.neighbors.search import radius_search
from statfast.neighbors.spatial import ball_index
from statfast.neighbors.vote import weights as weights_module
from tests.reference import neighbors as twin


def gentle(distances):
    """A weight function that pickles."""
    return 1 / (1 + distances)


@pytest.fixture
def blobs():
    """Two overlapping classes and query rows, no two distances equal."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = np.where(X[:, 0] + rng.standard_normal(400) > 0, "up", "down")
    return X, y, rng.standard_normal((150, 3))


# ------------------------------------------------------------------ the search
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("square", range(1, 15))
def test_rows_at_the_very_radius_are_within(algorithm, square):
    """Also where the radius squared is less than their squared distance, as sqrt(3) is."""
    X = np.stack(np.meshgrid(*[np.arange(8.0)] * 3), axis=-1).reshape(-1, 3)
    d2 = ((X[:, None] - X) ** 2).sum(axis=2)
    found = NearestNeighbors(radius=np.sqrt(square), algorithm=algorithm).fit(X)
    ids = found.radius_neighbors(X, return_distance=False)
    assert [len(row) for row in ids] == (d2 <= square).sum(axis=1).tolist()
    tree = KDTree(X)
    for ours, theirs in zip(ids, tree.query_radius(X, np.sqrt(square)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def _rows(kind, rng, n, d):
    """Rows with ties, far from the origin, huge, tiny, or with a column of one number."""
    if kind == "tied":
        return rng.integers(0, 5, (n, d)).astype(np.float64)
    rows = rng.standard_normal((n, d))
    if kind == "constant":
        rows[:, 0] = 7.0
    return {"far": 1e6 + 1e-3 * rows, "huge": 1e100 * rows, "tiny": 1e-100 * rows}.get(kind, rows)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "tied", "far", "huge", "tiny", "constant"]),
    n=st.integers(1, 700),
    d=st.integers(1, 12),
    dtype=st.sampled_from([np.float64, np.float32]),
    metric=st.sampled_from(["euclidean", "manhattan", "chebyshev", "minkowski"]),
    share=st.floats(0, 1),
    step=st.sampled_from([-1, 0, 1]),
    n_jobs=st.sampled_from([1, 2, 7]),
)
def test_ids_alone_are_those_of_distances(
    algorithm, seed, kind, n, d, dtype, metric, share, step, n_jobs
):
    """The radius is a distance that occurs, or the number before or after it."""
    rng = np.random.default_rng(seed)
    scale = dtype == np.float32 and kind in ("huge", "tiny")
    X = _rows("normal" if scale else kind, rng, n, d).astype(dtype)
    Q = _rows("normal" if scale else kind, rng, 20, d).astype(dtype)
    Q[: min(n, 5)] = X[: min(n, 5)]
    p = 3.0 if metric == "minkowski" else 2.0
    search = NearestNeighbors(algorithm=algorithm, metric=metric, p=p, n_jobs=n_jobs).fit(X)
    reduced = np.sort(search._index.query_radius(Q, 1e300, n_jobs, by_row=True)[1])
    limit = float(reduced[int(share * (len(reduced) - 1))])
    limit = max(0.0, float(np.nextafter(limit, step * np.inf)) if step else limit)
    starts, distances, ids = search._index.query_radius(Q, limit, n_jobs, by_row=True)
    alone = search._index.query_radius(Q, limit, n_jobs, by_row=True, distances=False)
    assert len(distances) == len(ids)
    assert alone[1] is None or len(ids) == 0
    np.testing.assert_array_equal(alone[0], starts)
    np.testing.assert_array_equal(alone[2], ids)


def test_places_on_the_sphere_without_distances():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.uniform(-1.5, 1.5, 2000), rng.uniform(-3, 3, 2000)])
    tree = BallTree(X, metric="haversine")
    ids = tree.query_radius(X[:50], 1.0)
    with_distances, _ = tree.query_radius(X[:50], 1.0, return_distance=True)
    for alone, other in zip(ids, with_distances, strict=True):
        np.testing.assert_array_equal(alone, other)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_rows_surely_inside_are_not_compared_once_more(algorithm, monkeypatch):
    """Votes that need no distances have none; an infinite radius still refuses what overflows."""
    X = np.random.default_rng(6).standard_normal((3000, 6))
    model = RadiusNeighborsClassifier(2.5, algorithm=algorithm).fit(X, X[:, 0] > 0)
    given_distances = []
    find = type(model._index).query_radius

    def watched(self, *args, **options):
        answer = find(self, *args, **options)
        given_distances.append(answer[1])
        return answer

    monkeypatch.setattr(type(model._index), "query_radius", watched)
    model.predict(X[:100])
    model.predict_proba(X[:100])
    assert given_distances
    assert all(part is None for part in given_distances)
    given_distances.clear()
    model.set_params(weights="distance").predict(X[:100])
    assert all(part is not None for part in given_distances)


@pytest.mark.parametrize("module", [brute_radius, ball_index])
def test_results_that_grow_too_large_are_refused(module, monkeypatch):
    def refuse(nbytes, what, instead):
        if nbytes > 1000:
            raise MemoryError(f"{what}: {instead}")

    monkeypatch.setattr(module, "refuse_large", refuse)
    algorithm = "brute" if module is brute_radius else "ball_tree"
    found = NearestNeighbors(radius=1.0, algorithm=algorithm).fit(np.zeros((100, 2)))
    with pytest.raises(MemoryError, match="rows within the radius: Lower the radius"):
        found.radius_neighbors()


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 60),
    d=st.integers(1, 4),
    radius=st.sampled_from([0, 1, 2**0.5, 2, 5.0, 100]),
)
def test_twin_on_tied_rows(seed, n, d, radius):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(0, 4, (n, d)), rng.integers(0, 4, (12, d))
    search = NearestNeighbors(radius=radius).fit(X)
    for rows in (Q, None):
        d2, ids = twin.within(X, X if rows is None else Q, radius, itself=rows is None)
        distances, found = search.radius_neighbors(rows, sort_results=True)
        assert [row.tolist() for row in found] == [row.tolist() for row in ids]
        for got, want in zip(distances, d2, strict=True):
            np.testing.assert_allclose(got, np.sqrt(want), rtol=1e-14)
        assert found[0].dtype == np.intp
        assert [row.tolist() for row in search.radius_neighbors(rows)[1]] == [
            sorted(row.tolist()) for row in ids
        ]


def test_agrees_with_scikit_learn(blobs):
    X, _, Q = blobs
    ours, theirs = (N(radius=0.7).fit(X) for N in (NearestNeighbors, SklearnNeighbors))
    for rows in (Q, None):
        distances, ids = theirs.radius_neighbors(rows, sort_results=True)
        found = ours.radius_neighbors(rows, sort_results=True)
        for got, want in zip(found[1], ids, strict=True):
            np.testing.assert_array_equal(got, want)
        for got, want in zip(found[0], distances, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12)
        assert len(ours.radius_neighbors(rows, 0.3, return_distance=False)) == len(ids)
        for mode in ("connectivity", "distance"):
            graph = ours.radius_neighbors_graph(rows, 0.4, mode=mode)
            assert graph.format == "csr"
            assert graph.shape == (len(ids), 400)
            np.testing.assert_allclose(
                graph.toarray(),
                theirs.radius_neighbors_graph(rows, 0.4, mode=mode).toarray(),
                rtol=1e-12,
            )


def test_the_radius_itself_is_within():
    search = NearestNeighbors(radius=5).fit([[3.0, 4.0], [3.0, 4.0000001]])
    assert search.radius_neighbors([[0.0, 0.0]])[1][0].tolist() == [0]


@pytest.mark.parametrize("radius", [-1.0, np.nan, -np.inf, "wide", None, True])
def test_bad_radius(radius):
    model = NearestNeighbors(radius=radius)
    with pytest.raises((ValueError, TypeError), match="radius"):
        model.fit([[0.0], [1.0]])
    if radius is not None:
        with pytest.raises((ValueError, TypeError), match="radius"):
            NearestNeighbors().fit([[0.0], [1.0]]).radius_neighbors([[0.0]], radius)


def test_bad_mode_and_no_fit():
    with pytest.raises(ValueError, match="mode"):
        NearestNeighbors(1).fit([[0.0], [1.0]]).radius_neighbors_graph(mode="both")
    for rows in (None, [[0.0]]):
        with pytest.raises(ValueError, match="not fitted"):
            NearestNeighbors().radius_neighbors(rows)


def test_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(6)
    X, Q = rng.random((4000, 3)), rng.random((3000, 3))
    graphs = [
        NearestNeighbors(radius=0.1, n_jobs=t).fit(X).radius_neighbors_graph(Q, mode="distance")
        for t in (1, 2, 7)
    ]
    for part in ("data", "indices", "indptr"):
        assert len({getattr(graph, part).tobytes() for graph in graphs}) == 1


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbors_are_sorted_only_where_asked(algorithm, dtype):
    """Few and many of rows beyond one group of marks, with ties; by distance, and by row."""
    rng = np.random.default_rng(11)
    X = rng.integers(0, 40, (9000, 2)).astype(dtype)
    Q = np.concatenate([X[:40], X[:3] + 200])
    d2 = ((Q[:, None].astype(float) - X) ** 2).sum(axis=2)
    search = NearestNeighbors(algorithm=algorithm).fit(X)
    for radius in (0, 1, 12, 100):
        rows = [np.flatnonzero(row <= radius**2) for row in d2]
        assert not len(rows[-1])
        distances, ids = search.radius_neighbors(Q, radius)
        for i, row in enumerate(rows):
            np.testing.assert_array_equal(ids[i], row)
            np.testing.assert_array_equal(distances[i], np.sqrt(d2[i, row]))
        _, ids = search.radius_neighbors(Q, radius, sort_results=True)
        for i, row in enumerate(rows):
            np.testing.assert_array_equal(ids[i], row[np.argsort(d2[i, row], kind="stable")])
        graph = search.radius_neighbors_graph(Q, radius, mode="distance")
        np.testing.assert_array_equal(graph.indices, np.concatenate(rows))
        nearest = search.radius_neighbors_graph(Q, radius, mode="distance", sort_results=True)
        np.testing.assert_array_equal(nearest.indices, np.concatenate(list(ids)))
        np.testing.assert_array_equal(nearest.toarray(), graph.toarray())


# ------------------------------------------------------------------ the vote
@pytest.mark.parametrize("weights", ["uniform", "distance", gentle])
@pytest.mark.parametrize("radius", [0.8, 2.0])
def test_vote_agrees_with_scikit_learn(blobs, weights, radius):
    X, y, Q = blobs
    theirs = SklearnClassifier(
        radius, weights=np.vectorize(gentle, otypes=[object]) if callable(weights) else weights,
        outlier_label="most_frequent",
    ).fit(X, y)  # fmt: skip
    ours = RadiusNeighborsClassifier(radius, weights=weights, outlier_label="most_frequent").fit(
        X, y
    )
    alone = [not len(ids) for ids in ours.radius_neighbors(Q)[1]]
    assert any(alone) == (radius < 1)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("ties", ["lowest", "nearest"])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), span=st.integers(1, 5))
def test_vote_twin_on_tied_rows(ties, seed, n, span):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, span, (n, 2)), rng.integers(0, 4, n) * 10
    model = RadiusNeighborsClassifier(1.5, ties=ties, outlier_label=-1).fit(X, y)
    classes, codes = np.unique(y, return_inverse=True)
    Q = rng.integers(-1, span + 1, (12, 2))
    for q, label, share in zip(Q, model.predict(Q), model.predict_proba(Q), strict=True):
        (d2,), (ids,) = twin.within(X, q[None], 1.5)
        if len(ids) == 0:
            assert label == -1
            assert not share.any()
            continue
        ones = np.ones((1, len(ids)))
        won = twin.winners(codes, ids[None], d2[None], ones, len(classes), ties)[0]
        assert label == classes[won]
        counted = twin.votes(codes, ids[None], ones, len(classes))[0]
        np.testing.assert_allclose(share, counted / len(ids), rtol=1e-15)


def test_rows_without_neighbors():
    X, y = [[0.0], [1.0], [1.5], [9.0]], ["b", "c", "c", "a"]
    far = [[4.0], [1.2]]
    with pytest.raises(ValueError, match=r"X has a row \(row 0\) with no neighbor within"):
        RadiusNeighborsClassifier(1.0).fit(X, y).predict(far)
    with pytest.raises(ValueError, match="outlier_label"):
        RadiusNeighborsClassifier(1.0).fit(X, y).predict_proba(far)
    for asked, label, share in [
        ("most_frequent", "c", [0, 0, 1]),
        ("a", "a", [1, 0, 0]),
        ("nobody", "nobody", [0, 0, 0]),
    ]:
        model = RadiusNeighborsClassifier(1.0, outlier_label=asked).fit(X, y)
        assert model.predict(far).tolist() == [label, "c"]
        assert model.outlier_label_ == label
        np.testing.assert_allclose(model.predict_proba(far), [share, [0, 0, 1.0]])
    assert RadiusNeighborsClassifier(0.6, outlier_label="a").fit(X, y).predict().tolist() == [
        "a", "c", "c", "a",
    ]  # fmt: skip


@pytest.mark.parametrize("label", [3, ["a"], object(), {}])
def test_bad_outlier_label(label):
    with pytest.raises(TypeError, match="outlier_label"):
        RadiusNeighborsClassifier(outlier_label=label).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(TypeError, match="outlier_label"):
        RadiusNeighborsClassifier(outlier_label="no").fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda d: d[:-1], r"shape \(5,\); got shape \(4,\)"),
        (lambda d: d - 100.0, "at least 0; got -"),
        (lambda d: d * np.nan, "at least 0; got nan"),
        (lambda d: d * 0.0, "a positive weight in each row"),
    ],
)
def test_bad_weight_functions(returned, message):
    X = np.arange(4.0)[:, None]
    for kind in (RadiusNeighborsClassifier, RadiusNeighborsRegressor):
        model = kind(1.0, weights=returned).fit(X, [0, 1, 0, 1])
        with pytest.raises(ValueError, match=message):
            model.predict([[0.0], [1.0]])


# ------------------------------------------------------------------ the average
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("outputs", [1, 2])
def test_average_agrees_with_scikit_learn(blobs, weights, outputs):
    X, _, Q = blobs
    y = X[:, :outputs] ** 2 if outputs > 1 else X[:, 0] ** 2
    ours, theirs = (
        R(1.5, weights=weights).fit(X, y) for R in (RadiusNeighborsRegressor, SklearnRegressor)
    )
    near = [len(ids) > 0 for ids in ours.radius_neighbors(Q)[1]]
    np.testing.assert_allclose(ours.predict(Q[near]), theirs.predict(Q[near]), rtol=1e-9)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-9)


def test_average_of_none_is_nan_and_warns():
    model = RadiusNeighborsRegressor(1.0).fit([[0.0], [1.0]], [2.0, 4.0])
    with pytest.warns(UserWarning, match="no neighbors within specified radius"):
        found = model.predict([[0.5], [7.0]])
    np.testing.assert_array_equal(found, [3.0, np.nan])


# ------------------------------------------------------------------ both
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("weights", ["uniform", "distance", gentle])
@pytest.mark.parametrize("ties", ["lowest", "nearest", "random"])
def test_large_neighborhoods_vote_and_average(algorithm, weights, ties):
    """So many neighbors that threads share the vote; sums in the order of the fitted rows."""
    rng = np.random.default_rng(3)
    X, Q = rng.integers(0, 9, (1500, 2)) * 1.0, rng.integers(0, 9, (300, 2)) * 1.0
    y, target = rng.integers(0, 4, 1500), rng.standard_normal((1500, 2))
    d2 = ((Q[:, None] - X) ** 2).sum(axis=2)
    near = d2 <= 9
    assert near.sum() > weights_module.MIN_NEIGHBORS_OF_THREADS
    if weights == "distance":
        share = near / np.sqrt(np.where(d2 == 0, 1, d2))
        share[(d2 == 0).any(axis=1)] = 0
        share[d2 == 0] = 1
    else:
        share = near * (1.0 if weights == "uniform" else gentle(np.sqrt(d2)))
    totals = np.stack([np.cumsum(share * (y == c), axis=1)[:, -1] for c in range(4)], axis=1)
    settings = {"algorithm": algorithm, "weights": weights}
    answers = []
    for n_jobs in (1, 2, 7):
        vote = RadiusNeighborsClassifier(
            3.0, ties=ties, random_state=0, n_jobs=n_jobs, **settings
        ).fit(X, y)
        mean = RadiusNeighborsRegressor(3.0, n_jobs=n_jobs, **settings).fit(X, target)
        one = RadiusNeighborsRegressor(3.0, n_jobs=n_jobs, **settings).fit(X, target[:, 0])
        answers.append((vote.predict(Q), vote.predict_proba(Q), mean.predict(Q), one.predict(Q)))
    for other in answers[1:]:
        for a, b in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    winner, proportions, means, single = answers[0]
    np.testing.assert_array_equal(single, means[:, 0])
    np.testing.assert_allclose(proportions, totals / totals.sum(axis=1, keepdims=True), rtol=1e-12)
    sums = np.cumsum(share[:, :, None] * target, axis=1)[:, -1]
    np.testing.assert_allclose(means, sums / share.sum(axis=1)[:, None], rtol=1e-9, atol=1e-12)
    best = totals.max(axis=1)
    assert (totals[np.arange(300), winner] == best).all()
    tied = totals == best[:, None]
    if ties == "lowest":
        np.testing.assert_array_equal(winner, tied.argmax(axis=1))
    if ties == "nearest":
        to_class = np.stack([np.where(y == c, d2, np.inf).min(axis=1) for c in range(4)], axis=1)
        np.testing.assert_array_equal(winner, np.where(tied, to_class, np.inf).argmin(axis=1))


@pytest.mark.parametrize("metric", ["precomputed", "canberra"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_distances_of_the_user_vote_and_average(metric, weights):
    rng = np.random.default_rng(4)
    X, Q = 1 + rng.random((90, 3)), 1 + rng.random((40, 3))
    y, target = rng.integers(0, 3, 90), rng.standard_normal(90)
    apart, own = (
        (np.abs(A[:, None] - X) / (np.abs(A[:, None]) + np.abs(X))).sum(axis=2) for A in (Q, X)
    )
    given, asked = (own, apart) if metric == "precomputed" else (X, Q)
    settings = {"metric": metric, "weights": weights}
    vote = RadiusNeighborsClassifier(0.4, outlier_label=-1, **settings).fit(given, y)
    mean = RadiusNeighborsRegressor(0.4, **settings).fit(given, target)
    share = (apart <= 0.4) * (1.0 if weights == "uniform" else 1 / apart)
    assert (share > 0).any(axis=1).all()
    votes = np.stack([share[:, y == c].sum(axis=1) for c in range(3)], axis=1)
    np.testing.assert_array_equal(vote.predict(asked), votes.argmax(axis=1))
    np.testing.assert_allclose(mean.predict(asked), share @ target / share.sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_draws_of_ties_are_the_same_by_every_search(algorithm):
    """The nearest neighbor decides the draw for a row, though lists are in the order of rows."""
    X = np.concatenate([np.arange(40.0), -np.arange(40.0) - 0.5])[::-1][:, None]
    y = np.arange(80) % 2
    Q = np.linspace(-20, 20, 60)[:, None]
    model = RadiusNeighborsClassifier(4.0, ties="random", random_state=1, algorithm=algorithm)
    labels = model.fit(X, y).predict(Q)
    brute = RadiusNeighborsClassifier(4.0, ties="random", random_state=1, algorithm="brute")
    np.testing.assert_array_equal(labels, brute.fit(X, y).predict(Q))
    even = np.abs(model.predict_proba(Q)[:, 0] - 0.5) < 1e-12
    assert 0 < labels[even].mean() < 1


@pytest.mark.parametrize("weights", ["uniform", "distance", gentle])
def test_slices_change_nothing(blobs, weights, monkeypatch):
    X, y, Q = blobs
    vote = RadiusNeighborsClassifier(1.0, weights=weights, outlier_label="down").fit(X, y)
    mean = RadiusNeighborsRegressor(2.5, weights=weights).fit(X, X[:, 0])
    found = [vote.predict(Q), vote.predict_proba(Q), vote.predict(), mean.predict(Q)]
    monkeypatch.setattr(radius_search, "MAX_HELD_NEIGHBORS", 50)
    monkeypatch.setattr("statfast.neighbors.search.radius_search.FIRST_SLICE_ROWS", 3)
    again = [vote.predict(Q), vote.predict_proba(Q), vote.predict(), mean.predict(Q)]
    for before, after in zip(found, again, strict=True):
        np.testing.assert_array_equal(before, after)


def test_slices_hold_the_neighbors_there_is_room_for(monkeypatch):
    monkeypatch.setattr(radius_search, "MAX_HELD_NEIGHBORS", 60)
    monkeypatch.setattr("statfast.neighbors.search.radius_search.FIRST_SLICE_ROWS", 3)
    model = RadiusNeighborsRegressor(1.0).fit(np.zeros((5, 1)), np.zeros(5))
    parts = [part for part, *_ in model._balls(np.zeros((50, 1)), 1.0)]
    assert [part.stop - part.start for part in parts] == [3, 12, 12, 12, 11]


def test_rows_at_the_radius_of_a_query_far_from_all_rows_are_within():
    rng = np.random.default_rng(0)
    model = NearestNeighbors(algorithm="brute").fit(1e-3 * rng.normal(size=(200, 100)))
    for q in rng.normal(size=(20, 100)):
        same = np.tile(q, (9, 1))
        distances = model.kneighbors(same, 200)[0][0]
        for found in model.radius_neighbors(same, distances[9])[1]:
            assert len(found) == 10


def test_pickle(blobs):
    X, y, Q = blobs
    model = RadiusNeighborsClassifier(2.0, outlier_label="up", weights=gentle).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(Q), model.predict_proba(Q))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski", "cosine"])
@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_an_infinite_radius_holds_all_rows(metric, algorithm):
    if metric == "cosine" and algorithm.endswith("tree"):
        pytest.skip("not a metric of trees")
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = X[:, 0] > 0.3
    settings = {"radius": np.inf, "metric": metric, "algorithm": algorithm}
    search = NearestNeighbors(**settings).fit(X)
    assert [len(ids) for ids in search.radius_neighbors(X)[1]] == [30] * 30
    assert search.radius_neighbors_graph().nnz == 30 * 29
    vote = RadiusNeighborsClassifier(**settings).fit(X, y).predict_proba(X[:2])
    np.testing.assert_allclose(vote[:, 1], y.mean())
    said = RadiusNeighborsRegressor(**settings).fit(X, X[:, 1]).predict(X[:2])
    np.testing.assert_allclose(said, X[:, 1].mean())


@pytest.mark.parametrize("tree", [KDTree, BallTree])
def test_an_infinite_radius_of_a_tree(tree):
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert [len(ids) for ids in tree(X).query_radius(X[:3], np.inf)] == [30] * 3
    assert len(tree(X).query_radius(X[:2], [np.inf, 0.0])[1]) == 1
