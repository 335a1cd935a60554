# SPDX-License-Identifier: BSD-3-Clause
"""Collections of Dask's: the same classes, with the numbers of rows in memory."""

import numpy as np
import pytest

import statfast
from statfast._engine import as_parts, dask_engine, worker_cache
from statfast._estimator.sums.part_sums import FIRST_ROUND
from statfast.preprocessing import StandardScaler
from tests.engine.clusters import STEP, D, collections, in_parts, made_rows

da = pytest.importorskip("dask.array", reason="needs statfast[dask]")
distributed = pytest.importorskip("distributed", reason="needs statfast[dask]")


@pytest.fixture(scope="module")
def rows():
    return made_rows()


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_without_a_client_the_parts_are_read_here(rows):
    X, _, labels = rows
    known = statfast.LinearDiscriminantAnalysis().fit(in_parts(X, labels))
    found = statfast.LinearDiscriminantAnalysis().fit(*collections(X, labels))
    assert np.array_equal(known.coef_, found.coef_)


def test_bits_and_predictions(client, rows):
    X, y, labels = rows
    cloud, target, names = client.persist(collections(X, y, labels))
    known = statfast.LinearDiscriminantAnalysis().fit(in_parts(X, labels))
    found = statfast.LinearDiscriminantAnalysis().fit(cloud, names)
    assert np.array_equal(known.coef_, found.coef_)
    lazy = found.predict(cloud)
    assert isinstance(lazy, da.Array)
    assert lazy.chunks == names.chunks
    assert np.array_equal(lazy.compute(), known.predict(X))
    assert np.array_equal(found.predict_proba(cloud).compute(), known.predict_proba(X))
    assert found.score(cloud, names) == known.score(X, labels)
    measures = statfast.metrics
    table = measures.confusion_matrix(names, lazy)
    assert np.array_equal(table, measures.confusion_matrix(labels, known.predict(X)))
    share = found.predict_proba(cloud)[:, 0]
    area = measures.roc_auc_score(names == "a", share)
    assert area == measures.roc_auc_score(labels == "a", known.predict_proba(X)[:, 0])
    line = statfast.LinearRegression().fit(cloud, y)  # an array is cut as X is
    assert np.array_equal(line.coef_, statfast.LinearRegression().fit(in_parts(X, y)).coef_)
    assert "Residual std. error" in str(line.summary())
    assert line.score(cloud, target) == pytest.approx(line.score(X, y))


def test_rows_beyond_the_memory_of_the_workers(client, rows, monkeypatch):
    """They are made again for each round, part by part."""
    X, y, labels = rows
    monkeypatch.setattr(dask_engine, "MAX_PERSISTED_SHARE", 0.0)
    monkeypatch.setattr(dask_engine, "MAX_INLINE_BYTES", 0)  # states are tasks of their own
    monkeypatch.setattr("statfast._estimator.dispatch.end_fits", lambda parts: None)
    cloud, target, names = collections(X, y, labels)
    parts = as_parts(cloud, names)
    assert not parts.engine.kept
    assert parts.total(FIRST_ROUND, True).lengths == list(names.chunks[0])
    for model, column, other in (
        (statfast.LinearRegression(), y, target),
        (statfast.LogisticRegression(C=1.0), labels, names),
    ):
        known = type(model)(**model.get_params()).fit(in_parts(X, column))
        assert np.array_equal(known.coef_, model.fit(cloud, other).coef_)
    found = statfast.KMeans(3, init=X[:3], max_iter=5).fit(cloud)
    known = statfast.KMeans(3, init=X[:3], max_iter=5).fit(in_parts(X))
    assert np.array_equal(known.cluster_centers_, found.cluster_centers_)
    assert np.array_equal(np.asarray(found.labels_), found.predict(X))
    assert (
        sum(client.run(lambda: len(worker_cache.CACHE)).values()) == 0
    )  # which would hold the rows


@pytest.mark.parametrize("covariance_type", ["full", "diag", "tied"])
def test_mixtures_of_rows_of_workers(client, rows, covariance_type):
    X, _, _ = rows
    X = X + 4.0 * (np.arange(len(X)) % 3)[:, None]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    cloud, row_weights = client.persist(collections(X, weights))
    settings = {"covariance_type": covariance_type, "random_state": 0, "tol": 1e-6}
    found = statfast.GaussianMixture(3, **settings).fit(cloud, sample_weight=row_weights)
    cuts = [slice(a, a + STEP) for a in range(0, len(X), STEP)]
    parts = [(X[cut], None, weights[cut]) for cut in cuts]
    known = statfast.GaussianMixture(3, **settings).fit(statfast.Parts(parts))
    assert np.array_equal(found.means_, known.means_)
    assert np.array_equal(found.covariances_, known.covariances_)
    assert found.log_likelihood_ == known.log_likelihood_
    here = statfast.GaussianMixture(
        3, covariance_type=covariance_type, means_init=found.means_, tol=1e-9
    ).fit(X, sample_weight=weights)
    assert found.log_likelihood_ == pytest.approx(here.log_likelihood_, rel=1e-6)
    lazy = found.predict(cloud)
    assert isinstance(lazy, da.Array)
    assert np.array_equal(lazy.compute(), found.predict(X))
    assert np.array_equal(found.predict_proba(cloud).compute(), found.predict_proba(X))


def test_data_frames(client, rows):
    dd = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    pandas = pytest.importorskip("pandas")
    X, y, _ = rows
    names = [f"c{j}" for j in range(D)]
    frame = pandas.DataFrame(X, columns=names).assign(y=y)
    cloud = dd.from_pandas(frame, npartitions=3)
    model = statfast.LinearRegression().fit(cloud[names], cloud["y"])
    assert model.feature_names_in_.tolist() == names
    here = statfast.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, here.coef_, rtol=1e-10)
    lazy = model.predict(cloud[names])
    assert isinstance(lazy, dd.Series)
    assert lazy.compute().index.equals(frame.index)
    scaled = StandardScaler().fit_transform(cloud[names])
    assert list(scaled.columns) == names
    words = dd.from_pandas(pandas.DataFrame({"a": ["x", "y"]}), npartitions=1)
    with pytest.raises(ValueError, match=r"must hold numbers.*part 0"):
        StandardScaler().fit(words)


def test_what_is_wrong_is_told(client, rows):
    X, y, _ = rows
    wrong = X.copy()
    wrong[3000, 1] = np.inf
    cloud, bad, target = collections(X, wrong, y)
    with pytest.raises(ValueError, match=r"infinity.*row 200 of part 4, row 3000 of all"):
        statfast.LinearRegression().fit(bad, target)
    with pytest.raises(ValueError, match="rechunk"):
        statfast.LinearRegression().fit(cloud.rechunk((STEP, 2)), target)
    with pytest.raises(ValueError, match="one value per row of X"):
        statfast.LinearRegression().fit(cloud, y[:-1])
    with pytest.raises(TypeError, match="no exact form"):
        statfast.KMedoids(2).fit(cloud)


def test_tasks_of_a_round(client, rows):
    parts = as_parts(*client.persist(collections(*rows[:2])))
    before = parts.engine.tasks
    for _ in range(3):
        parts.total(FIRST_ROUND, False)
    assert parts.engine.tasks - before == 3 * 2  # a share for each worker
    assert parts.rounds == 3


def refuse(*_, **__):
    raise AssertionError("no tasks were expected")


def test_calls_and_tasks_bring_the_same_bits(client, rows, monkeypatch):
    """Rounds call the workers; where a call fails, tasks do the same."""
    X, y, _ = rows
    cloud, target = client.persist(collections(X, y))
    known = statfast.LinearRegression().fit(in_parts(X, y)).coef_
    with monkeypatch.context() as changed:
        changed.setattr(client, "submit", refuse)
        called = statfast.LinearRegression().fit(cloud, target).coef_
    with monkeypatch.context() as changed:
        changed.setattr(dask_engine, "_serve_call", refuse)
        asked = statfast.LinearRegression().fit(cloud, target).coef_
        changed.setattr(client, "submit", refuse)
        with pytest.raises(AssertionError, match="no tasks"):
            statfast.LinearRegression().fit(cloud, target)
    assert np.array_equal(known, called)
    assert np.array_equal(known, asked)


def test_rows_are_not_gathered_in_silence():
    """What has no form for rows in parts says so, where numpy would gather them."""
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = (X[:, 0] > 0).astype(int)
    D = da.from_array(X, chunks=(20, 3))
    scaler = StandardScaler().fit(X)
    tree = statfast.DecisionTreeClassifier().fit(X, y)
    for call in (
        lambda: StandardScaler().partial_fit(D),
        lambda: statfast.GaussianNB().partial_fit(D, y, classes=[0, 1]),
        lambda: scaler.inverse_transform(D), lambda: tree.apply(D),
        lambda: statfast.cluster.linkage(D), lambda: statfast.metrics.silhouette_score(D, y),
        lambda: statfast.metrics.pairwise_distances(D),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="a collection of Dask's"):
            call()
