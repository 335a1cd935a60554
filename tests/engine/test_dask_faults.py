# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of Dask's whose workers die, stop, spill, or are not those that were asked for."""

import _thread
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

import statfast
from statfast import Parts
from statfast._engine import Work, as_parts, dask_engine, worker_cache
from statfast._engine.dask_engine import DaskEngine
from statfast._estimator.sums.part_sums import FIRST_ROUND
from statfast.preprocessing import StandardScaler
from tests.engine.clusters import collections, in_parts, made_rows

da = pytest.importorskip("dask.array", reason="needs statfast[dask]")
distributed = pytest.importorskip("distributed", reason="needs statfast[dask]")


@pytest.fixture(scope="module")
def rows():
    return made_rows()


@pytest.fixture(scope="module")
def client():
    """Two workers, which are started again. A cluster lets go of one that is away 15 s after any
    of its deaths: those of two tests may be as far apart."""
    import dask

    settings = {
        "scheduler.allowed-failures": 10,
        "scheduler.work-stealing": False,  # rows stay where they were put
        "deploy.lost-worker-timeout": "10 minutes",
        "comm.timeouts.connect": "5s",  # not 30, which those that look for a dead worker wait
    }
    with (
        dask.config.set({f"distributed.{name}": value for name, value in settings.items()}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def spread(client, X):
    """Rows whose blocks lie on all workers in turn. A scheduler left to itself may give all of
    them to one, where the other was busy or has just begun."""
    (cloud,) = collections(X)
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    blocks = [
        client.persist(block, workers=[worker], allow_other_workers=True)  # after its death
        for block, worker in zip(cloud.blocks, cycle(workers))
    ]
    distributed.wait(blocks)
    return da.concatenate(blocks)


def holder_of_rows(client, parts):
    """A worker that holds parts, and the number of its process."""
    refs = distributed.futures_of(parts.refs)
    until = time.monotonic() + 60.0
    while time.monotonic() < until:  # a worker that a test before has killed may still be listed
        distributed.wait(refs, timeout=30)
        workers = sorted(set().union(*client.who_has(refs).values()))
        pids = client.run(os.getpid, workers=workers, on_error="ignore") if workers else {}
        if pids:
            return min(pids.items())
        time.sleep(0.1)
    raise AssertionError("no worker holds rows")


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
    parts = as_parts(spread(client, X))
    known = parts.total(FIRST_ROUND, False)
    _, pid = holder_of_rows(client, parts)
    os.kill(pid, signal.SIGKILL)
    found = parts.total(FIRST_ROUND, False)
    assert found.lengths == known.lengths
    assert np.array_equal(found.X, known.X)
    client.wait_for_workers(2, timeout=30)


def held():
    """What this worker remembers of fits."""
    return len(worker_cache.CACHE)


def becomes(step, expected):
    """Whether ``step()`` comes to be what is wanted."""
    until = time.monotonic() + 10.0
    while (value := step()) != expected and time.monotonic() < until:
        time.sleep(0.02)
    return value == expected


@pytest.mark.filterwarnings("ignore:.*max_iter", "ignore:.*converge")
def test_workers_forget_a_fit_that_has_ended(client, rows, monkeypatch):
    X, _, labels = rows
    cloud, names = client.persist(collections(X, labels))

    def total():
        return sum(client.run(held).values())

    assert becomes(total, 0)
    fits = [
        lambda: statfast.KMeans(3, init=X[:3], max_iter=2).fit(cloud),
        lambda: statfast.GeneralizedLinearModel().fit(cloud, rows[1]).summary(),
        lambda: statfast.LogisticRegression(max_iter=2).fit(cloud, names).summary(),
    ]
    for fit in fits:
        with monkeypatch.context() as changed:
            changed.setattr("statfast._estimator.dispatch.end_fits", lambda parts: None)
            fit()
            assert total() > 0
        client.run(worker_cache.forget, "")
        fit()
        assert becomes(total, 0)
    search = statfast.NearestNeighbors(3).fit(cloud)
    search.kneighbors(X[:5])
    assert total() > 0
    del search
    gc.collect()
    assert becomes(total, 0)


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
        assert becomes(running, [])
    finally:
        other.join()
        goes_on.touch()
    assert not model.__sklearn_is_fitted__()
    assert np.array_equal(StandardScaler().fit(cloud).mean_, model.fit(cloud).mean_)


def test_a_worker_joins(client, rows):
    X = rows[0]
    client.wait_for_workers(2, timeout=30)
    parts = as_parts(client.persist(collections(X)[0]))
    known = parts.total(FIRST_ROUND, False)
    client.cluster.scale(3)
    client.wait_for_workers(3, timeout=30)
    found = parts.total(FIRST_ROUND, False)
    assert np.array_equal(found.X, known.X)
    more = as_parts(spread(client, X))
    assert len(more.engine.places(more.refs)) == 3
    assert np.array_equal(more.total(FIRST_ROUND, False).X, known.X)
    here = StandardScaler().fit(in_parts(X))
    assert np.array_equal(here.var_, StandardScaler().fit(client.persist(collections(X)[0])).var_)
    client.cluster.scale(2)
    assert becomes(lambda: len(client.scheduler_info(n_workers=-1)["workers"]), 2)


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
        parts.total(FIRST_ROUND, False)
        scheduler.kill()
        with pytest.raises(RuntimeError, match="scheduler does not answer"):
            parts.total(FIRST_ROUND, False)
    finally:
        scheduler.stdout.close()
        for process in processes:
            process.terminate()
            process.wait()
        if client is not None:
            client.close(timeout=1)


@pytest.mark.parametrize("closes", ["before the rows are kept", "while a worker is waited for"])
def test_a_client_closes(client, rows, tmp_path, monkeypatch, closes):
    """It knows no scheduler any more, as after one that has died."""
    began, goes_on = tmp_path / "began", tmp_path / "goes on"

    def close():
        while closes.startswith("while") and not began.exists():
            time.sleep(0.02)
        monkeypatch.setattr(client, "scheduler_info", lambda n_workers: {})

    (cloud,) = client.persist(collections(rows[0]))
    other = threading.Thread(target=close)
    other.start()
    try:
        if closes.startswith("before"):
            other.join()
        with pytest.raises(RuntimeError, match="scheduler does not answer"):
            Waiting(began=str(began), goes_on=str(goes_on)).fit(cloud)
    finally:
        goes_on.touch()
        other.join()


@pytest.mark.parametrize("question", ["who_has", "processing", "run", "scheduler_info"])
def test_a_scheduler_that_cannot_be_reached(client, rows, monkeypatch, question):
    def unreachable(*args, **options):
        raise OSError("Timed out trying to connect")

    parts = as_parts(client.persist(collections(rows[0])[0]))
    engine = parts.engine
    asks = {
        "who_has": partial(engine._locate, parts.refs), "processing": engine._busy_workers,
        "run": engine.whoami, "scheduler_info": engine._workers,
    }  # fmt: skip
    monkeypatch.setattr(client, question, unreachable)
    with pytest.raises(RuntimeError, match="scheduler does not answer"):
        asks[question]()


@pytest.mark.parametrize("status", ["running", "connecting"])
def test_errors_of_a_round_are_told_from_a_lost_scheduler(client, rows, monkeypatch, status):
    """An error of a task comes as it is; whatever breaks without a connection is its loss."""
    parts = as_parts(client.persist(collections(rows[0])[0]))
    parts.engine.places(parts.refs)

    def failing(*args):
        monkeypatch.setattr(client, "status", status)
        raise FileNotFoundError("a file of the rows")

    monkeypatch.setattr(parts.engine, "_serve_round", failing)
    error, words = {
        "running": (FileNotFoundError, "a file of"), "connecting": (RuntimeError, "scheduler does"),
    }[status]  # fmt: skip
    with pytest.raises(error, match=words):
        parts.total(FIRST_ROUND, False)


def misplaced(block):
    raise LookupError("The keys were lost, said the scheduler.")


def test_an_error_that_speaks_of_loss_is_no_loss_of_rows(client, rows):
    """What a collection's own graph raises comes as it is, at the first try."""
    (cloud,) = collections(rows[0])
    parts = as_parts(cloud.map_blocks(misplaced, dtype=float, meta=np.empty((0, 0))))
    before = parts.engine.tasks
    with pytest.raises(LookupError, match="keys were lost"):
        parts.total(FIRST_ROUND, False)
    assert parts.engine.tasks - before <= 6 + 1  # one round


def test_scattered_rows_are_lost_with_their_worker(client):
    client.wait_for_workers(2, timeout=30)
    X = np.random.default_rng(0).standard_normal((100, 3))
    first, second = client.run(os.getpid)
    held = [client.scatter(X, workers=[w], hash=False) for w in (first, second)]
    cloud = da.concatenate([da.from_delayed(one, X.shape, X.dtype) for one in held])
    parts = as_parts(client.persist(cloud))
    parts.total(FIRST_ROUND, False)
    os.kill(client.run(os.getpid)[first], signal.SIGKILL)
    with pytest.raises(RuntimeError, match="lost with a worker"):
        parts.total(FIRST_ROUND, False)
    client.wait_for_workers(2, timeout=30)


def dies_once(path):
    """Kill this process unless another has died here."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class Rows:
    """Rows of parts, in order; a worker dies as it adds up the first of two shares."""

    def __init__(self, path, rows):
        self.path, self.rows = path, rows

    def __add__(self, other):
        if len(self.rows) == 4:  # what the last merge of six parts begins with
            dies_once(self.path)
        return Rows(self.path, self.rows + other.rows)


def rows_of(columns, path):
    return Rows(path, [columns[0][0].tolist()])


def test_a_worker_is_killed_while_merging(client, rows, tmp_path, monkeypatch):
    client.wait_for_workers(2, timeout=30)
    monkeypatch.setattr(dask_engine, "MAX_SHARES_MERGED_HERE", 1)
    parts = as_parts(client.persist(collections(rows[0])[0]))
    path = str(tmp_path / "died")
    known = parts.total(Work(rows_of), path).rows
    assert Path(path).exists()
    assert known == rows[0][::700].tolist()
    client.wait_for_workers(2, timeout=30)


@pytest.mark.filterwarnings("ignore:.*converge")
def test_all_workers_are_killed_in_turn(client, rows):
    """Each dies in a round of its own, beside a fit that goes on."""
    X = rows[0]
    init = X[:4]
    known = statfast.KMeans(4, init=init, max_iter=60, tol=0.0).fit(in_parts(X))
    client.wait_for_workers(2, timeout=30)
    cloud = client.persist(collections(X)[0])
    ended = threading.Event()

    def kill():
        for pid in list(client.run(os.getpid).values()):
            time.sleep(0.1)
            os.kill(pid, signal.SIGKILL)
        ended.set()

    killer = threading.Thread(target=kill)
    killer.start()
    while not ended.is_set():
        found = statfast.KMeans(4, init=init, max_iter=60, tol=0.0).fit(cloud)
        assert np.array_equal(known.cluster_centers_, found.cluster_centers_)
        assert known.inertia_ == found.inertia_
    killer.join()
    client.wait_for_workers(2, timeout=30)


def test_a_stopped_worker_is_named(client, rows, monkeypatch):
    """A warning says who is waited for; where the worker goes on, so does the fit."""
    X = rows[0]
    client.wait_for_workers(2, timeout=30)
    cloud = spread(client, X)
    known = StandardScaler().fit(cloud)
    monkeypatch.setattr(dask_engine, "WARNING_SECONDS", 1.5)
    parts = Parts.kept_by(DaskEngine(client), [cloud])
    worker, pid = holder_of_rows(client, parts)
    parts.engine.places(parts.refs)
    resume = threading.Timer(5.0, os.kill, (pid, signal.SIGCONT))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        os.kill(pid, signal.SIGSTOP)
        resume.start()
        try:
            found = parts.total(FIRST_ROUND, False)
        finally:
            resume.join()
            os.kill(pid, signal.SIGCONT)
    assert any("No task of this fit has ended" in str(one.message) for one in told)
    assert any(worker in str(one.message) for one in told)
    assert sum(found.lengths) == len(X)
    assert np.array_equal(known.var_, StandardScaler().fit(cloud).var_)


def made(number):
    return np.random.default_rng(number).standard_normal((50_000, 10)) * np.arange(1, 11)


def test_workers_that_spill(tmp_path):
    """Rows that go to disk and come back give the same bits."""
    import dask

    known = statfast.PCA(3).fit(Parts([partial(made, number) for number in range(20)])).components_
    limits = {
        "distributed.worker.memory.target": 0.04, "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False,
        "temporary-directory": str(tmp_path),
    }  # fmt: skip
    with (
        dask.config.set(limits),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="500MB", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        made_there = [dask.delayed(made)(number) for number in range(20)]  # 80 MB
        cloud = [da.from_delayed(one, (50_000, 10), np.float64) for one in made_there]
        cloud = client.persist(da.concatenate(cloud))
        found = statfast.PCA(3).fit(cloud).components_
        spilled = client.run(lambda dask_worker: len(dask_worker.data.slow))
    assert sum(spilled.values()) > 0
    assert np.array_equal(known, found)


def test_a_cluster_with_certificates(rows):
    pytest.importorskip("cryptography", reason="makes certificates")
    X, y, _ = rows
    known = statfast.LinearRegression().fit(in_parts(X, y)).coef_
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, security=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        assert cluster.scheduler_address.startswith("tls://")
        cloud, target = client.persist(collections(X, y))
        found = statfast.LinearRegression().fit(cloud, target).coef_
    assert np.array_equal(known, found)


def peak():
    """The most memory that this process has had, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_memory_of_a_worker():
    """Six fits take no copy of the rows: at most 1.15 times these and 200 MB beside what was."""
    n, d = 1_000_000, 40  # 320 MB, in eight parts
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        client.run(__import__, "statfast")
        before = max(client.run(peak).values())
        X = client.persist(da.random.default_rng(0).standard_normal((n, d), chunks=(n // 8, -1)))
        y = client.persist((X[:, 0] > 0.5).astype(np.float64))
        distributed.wait([X, y])
        init = X[:16].compute()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for model in (
                statfast.KMeans(16, init=init, max_iter=3),
                statfast.LinearDiscriminantAnalysis(), statfast.PCA(3), statfast.LinearRegression(),
                statfast.LogisticRegression(C=1.0),
                statfast.LogisticRegression(C=1e-3, l1_ratio=1.0),
            ):  # fmt: skip
                model.fit(X, y)
                extra = max(client.run(peak).values()) - before
                assert extra < 1.15 * 8 * n * (d + 1) + 200e6, type(model).__name__
