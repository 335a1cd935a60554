# SPDX-License-Identifier: BSD-3-Clause
"""Collections of Dask's: the same classes, on workers that may die."""

import _thread
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import statfast
from statfast import Parts
from statfast._engine import as_parts, memory
from statfast._engine.dask_engine import DaskEngine
from statfast._estimator.part_sums import look_at
from statfast.preprocessing import StandardScaler

da = pytest.importorskip("dask.array", reason="needs statfast[dask]")
distributed = pytest.importorskip("distributed", reason="needs statfast[dask]")

N, D, STEP = 4000, 5, 700


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, D))
    y = X @ np.arange(D) + rng.normal(size=N)
    return X, y, np.array(["a", "b", "c"])[np.digitize(y, [-2.0, 2.0])]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def in_parts(*columns):
    starts = range(0, N, STEP)
    return Parts([tuple(column[a : a + STEP] for column in columns) for a in starts])


def collections(*columns):
    return [da.from_array(column, chunks=(STEP, *([-1] * (column.ndim - 1)))) for column in columns]


def mortal(path, columns, state):
    """Statistics of a worker that dies once."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return StandardScaler._statistics(columns, state)
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal(StandardScaler):
    def __init__(self, *, path=None):
        super().__init__()
        self.path = path

    @property
    def _statistics(self):
        return partial(mortal, self.path)


def waiting(began, goes_on, columns, state):
    """Statistics that take their time."""
    Path(began).touch()
    until = time.monotonic() + 20.0
    while not Path(goes_on).exists() and time.monotonic() < until:
        time.sleep(0.02)
    return StandardScaler._statistics(columns, state)


class Waiting(StandardScaler):
    def __init__(self, *, began=None, goes_on=None):
        super().__init__()
        self.began, self.goes_on = began, goes_on

    @property
    def _statistics(self):
        return partial(waiting, self.began, self.goes_on)


def tasks_of_rounds(dask_scheduler):
    return [key for key in map(str, dask_scheduler.tasks) if "-serve-" in key or "-merge-" in key]


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
        parts.total(look_at, False)
    assert parts.engine.tasks - before == 3 * (2 + 1)  # a share for each worker, and a merge
    assert parts.rounds == 3


def test_a_worker_is_killed_in_a_round(client, rows, tmp_path):
    X = rows[0]
    (cloud,) = collections(X)
    known = StandardScaler().fit(in_parts(X))
    found = Mortal(path=str(tmp_path / "died")).fit(cloud)
    assert (tmp_path / "died").exists()
    assert np.array_equal(known.mean_, found.mean_)
    assert np.array_equal(known.var_, found.var_)


def test_a_worker_is_killed_between_rounds(client, rows):
    X = rows[0]
    client.wait_for_workers(2, timeout=30)
    parts = as_parts(client.persist(collections(X)[0]))
    known = parts.total(look_at, False)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    found = parts.total(look_at, False)
    assert found.lengths == known.lengths
    assert np.array_equal(found.X, known.X)
    client.wait_for_workers(2, timeout=30)


def held():
    """What this worker remembers of fits."""
    return len(memory.MEMORY)


def settled(step, wanted):
    """Whether ``step()`` comes to be what is wanted."""
    until = time.monotonic() + 10.0
    while (found := step()) != wanted and time.monotonic() < until:
        time.sleep(0.02)
    return found == wanted


@pytest.mark.filterwarnings("ignore:.*max_iter", "ignore:.*converge")
def test_workers_forget_a_fit_that_has_ended(client, rows, monkeypatch):
    X, _, labels = rows
    cloud, names = client.persist(collections(X, labels))

    def total():
        return sum(client.run(held).values())

    assert settled(total, 0)
    fits = [
        lambda: statfast.KMeans(3, init=X[:3], max_iter=2).fit(cloud),
        lambda: statfast.GeneralizedLinearModel().fit(cloud, rows[1]).summary(),
        lambda: statfast.LogisticRegression(max_iter=2).fit(cloud, names).summary(),
    ]
    for fit in fits:
        with monkeypatch.context() as changed:
            changed.setattr("statfast._estimator.elsewhere.end_fits", lambda parts: None)
            fit()
            assert total() > 0
        client.run(memory.forget, "")
        fit()
        assert settled(total, 0)
    search = statfast.NearestNeighbors(3).fit(cloud)
    search.kneighbors(X[:5])
    assert total() > 0
    del search
    gc.collect()
    assert settled(total, 0)


def test_ctrl_c_cancels_the_round(client, rows, tmp_path):
    (cloud,) = client.persist(collections(rows[0]))
    began, goes_on = tmp_path / "began", tmp_path / "goes on"

    def interrupt():
        while not began.exists():
            time.sleep(0.02)
        _thread.interrupt_main()

    def running():
        return client.run_on_scheduler(tasks_of_rounds)

    model = Waiting(began=str(began), goes_on=str(goes_on))
    other = threading.Thread(target=interrupt)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(cloud)
        assert settled(running, [])
    finally:
        other.join()
        goes_on.touch()
    assert not model.__sklearn_is_fitted__()
    assert np.array_equal(StandardScaler().fit(cloud).mean_, model.fit(cloud).mean_)


def test_a_worker_joins(client, rows):
    X = rows[0]
    client.wait_for_workers(2, timeout=30)
    parts = as_parts(client.persist(collections(X)[0]))
    known = parts.total(look_at, False)
    client.cluster.scale(3)
    client.wait_for_workers(3, timeout=30)
    found = parts.total(look_at, False)
    assert np.array_equal(found.X, known.X)
    more = as_parts(client.persist(collections(X)[0]))
    assert len(more.engine.places(more.refs)) == 3
    assert np.array_equal(more.total(look_at, False).X, known.X)
    here = StandardScaler().fit(in_parts(X))
    assert np.array_equal(here.var_, StandardScaler().fit(client.persist(collections(X)[0])).var_)
    client.cluster.scale(2)
    assert settled(lambda: len(client.scheduler_info(n_workers=-1)["workers"]), 2)


def test_two_fits_at_once(client, rows):
    from concurrent.futures import ThreadPoolExecutor

    X, y, _ = rows
    cloud, target = client.persist(collections(X, y))
    known = statfast.LinearRegression().fit(in_parts(X, y)).coef_
    with ThreadPoolExecutor(2) as pool:
        fits = [pool.submit(statfast.LinearRegression().fit, cloud, target) for _ in range(4)]
    assert all(np.array_equal(known, fit.result().coef_) for fit in fits)


def test_another_version_on_a_worker(client, rows, monkeypatch):
    (cloud,) = collections(rows[0])
    with monkeypatch.context() as changed:
        changed.setattr(statfast, "__version__", "0.0.0")
        with pytest.raises(RuntimeError, match="Install the same version"):
            StandardScaler().fit(cloud)


SCHEDULER = """
import asyncio
from distributed import Scheduler
async def main():
    async with Scheduler(port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(main())
"""


@pytest.mark.filterwarnings("ignore")
def test_the_scheduler_dies(rows):
    command = [sys.executable, "-c", SCHEDULER]
    scheduler = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    processes, client = [scheduler], None
    try:
        address = scheduler.stdout.readline().strip()
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
        processes.append(subprocess.Popen([*command, "--no-dashboard"], stderr=subprocess.DEVNULL))
        client = distributed.Client(address, set_as_default=False)
        client.wait_for_workers(1, timeout=30)
        parts = Parts.kept_by(DaskEngine(client), collections(rows[0]))
        parts.total(look_at, False)
        scheduler.kill()
        with pytest.raises(RuntimeError, match="scheduler does not answer"):
            parts.total(look_at, False)
    finally:
        scheduler.stdout.close()
        for process in processes:
            process.terminate()
            process.wait()
        if client is not None:
            client.close(timeout=1)


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


def misplaced(block):
    raise LookupError("The keys were lost, said the scheduler.")


def test_an_error_that_speaks_of_loss_is_no_loss_of_rows(client, rows):
    """What a collection's own graph raises comes as it is, at the first try."""
    (cloud,) = collections(rows[0])
    parts = as_parts(cloud.map_blocks(misplaced, dtype=float, meta=np.empty((0, 0))))
    before = parts.engine.tasks
    with pytest.raises(LookupError, match="keys were lost"):
        parts.total(look_at, False)
    assert parts.engine.tasks - before <= 6 + 1  # one round


def test_scattered_rows_are_lost_with_their_worker(client):
    client.wait_for_workers(2, timeout=30)
    X = np.random.default_rng(0).standard_normal((100, 3))
    first, second = client.run(os.getpid)
    held = [client.scatter(X, workers=[w], hash=False) for w in (first, second)]
    cloud = da.concatenate([da.from_delayed(one, X.shape, X.dtype) for one in held])
    parts = as_parts(client.persist(cloud))
    parts.total(look_at, False)
    os.kill(client.run(os.getpid)[first], signal.SIGKILL)
    with pytest.raises(RuntimeError, match="lost with a worker"):
        parts.total(look_at, False)
    client.wait_for_workers(2, timeout=30)
