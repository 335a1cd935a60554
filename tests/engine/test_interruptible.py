# SPDX-License-Identifier: BSD-3-Clause
"""Long calls of LAPACK that Ctrl-C leaves: who calls, what comes back, and what goes on."""

import _thread
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

import statfast as sf
from statfast import _linalg
from statfast._engine import side_thread
from statfast._engine.blocks import each
from statfast._engine.side_thread import interruptible
from statfast._linalg import CholeskyFactor, triangle_inverse
from statfast.cluster import gap_statistic
from statfast.kernels import mercer_check
from tests.data import normal_rows

PATIENCE = 30.0  # seconds that a call goes on if nobody leaves it: no machine is as slow


def caller(_):
    return threading.current_thread()


def test_large_calls_are_made_elsewhere_and_small_ones_here():
    assert interruptible(caller, np.zeros((9, 9))) is threading.main_thread()
    assert interruptible(caller, np.zeros((400, 400))) is not threading.main_thread()
    assert interruptible(caller, np.zeros(10**6)) is not threading.main_thread()
    found = []
    thread = threading.Thread(
        target=lambda: found.append(interruptible(caller, np.zeros((400, 400))))
    )
    thread.start()
    thread.join()
    assert found == [thread]  # it would hear no Ctrl-C


def test_answers_errors_and_errstate_come_back():
    A = np.arange(160000.0).reshape(400, 400)
    assert_allclose(interruptible(np.matmul, A, A[:, :2]), A @ A[:, :2])
    with pytest.raises(np.linalg.LinAlgError):
        interruptible(np.linalg.cholesky, -np.eye(400))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(np.divide, np.ones((400, 400)), 0.0)


def test_without_a_thread_to_be_had_the_caller_does_it(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert interruptible(caller, np.zeros((400, 400))) is threading.main_thread()
    assert not side_thread._under_way


class Endless:
    """A call of LAPACK in which Ctrl-C is pressed, and which does not end before the test does."""

    def __init__(self):
        self.over, self.ended = threading.Event(), False

    def __call__(self, *args, **options):
        _thread.interrupt_main()
        self.over.wait(PATIENCE)
        self.ended = True
        raise np.linalg.LinAlgError("too late")


X = normal_rows(60, 5)
Y = X @ np.arange(5.0) + normal_rows(60, 1, 1)[:, 0]
CODES = np.arange(60) % 3
TWICE = np.column_stack([X, X])
TIED, TIES = np.round(X), np.arange(60) % 2  # rows of both classes on the border between them
CALLS = {
    "ridge": ("svd", lambda: sf.RidgeCV().fit(X, Y)),
    "least squares": ("qr", lambda: sf.LinearRegression().fit(X, Y)),
    "classes": ("cholesky", lambda: sf.LinearDiscriminantAnalysis().fit(X, CODES)),
    "collinear": ("eigh", lambda: sf.LinearDiscriminantAnalysis().fit(TWICE, CODES)),
    "variates": ("svd", lambda: sf.LinearDiscriminantAnalysis().fit(X, CODES)),
    "glm": ("qr", lambda: sf.GeneralizedLinearModel().fit(TWICE, Y)),
    "huber": ("lstsq", lambda: sf.HuberRegressor().fit(X, Y)),
    "mercer": ("eigh", lambda: mercer_check("rbf", X)),
    "gap": ("svd", lambda: gap_statistic(X, k_max=2, n_boot=2, null="pca")),
    "mahalanobis": ("cholesky", lambda: sf.NearestNeighbors(metric="mahalanobis").fit(X)),
    "factor": ("cholesky", lambda: CholeskyFactor(X.T @ X)),
    "separation": ("", lambda: sf.LogisticRegression().fit(TIED, TIED[:, 0] + TIES > 0)),
}


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_leaves_lapack(call, monkeypatch):
    name, function = CALLS[call]
    endless = Endless()
    monkeypatch.setattr(side_thread, "MIN_PRODUCTS_FOR_THREAD", 0.0)
    if call == "factor":
        monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_CHOLESKY_KERNEL", 0)
    if name:
        monkeypatch.setattr(np.linalg, name, endless)
    else:
        monkeypatch.setattr("scipy.optimize.linprog", endless)
    try:
        with pytest.raises(KeyboardInterrupt):
            function()
        assert not endless.ended  # though it has not ended
    finally:
        endless.over.set()


def test_a_task_that_failed_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(side_thread, "MIN_PRODUCTS_FOR_THREAD", 0.0)
    two, over, ended = threading.Barrier(2), threading.Event(), []

    def work(task):
        def fails(_):
            time.sleep(0.01)
            raise KeyError(task)

        def waits(_):
            over.wait(PATIENCE)
            ended.append(task)

        two.wait(PATIENCE)
        interruptible(fails if task == 0 else waits, np.ones((2, 2)))

    try:
        with pytest.raises(KeyError):
            each(work, range(2), n_jobs=2)
        assert not ended
    finally:
        over.set()


SCRIPT = """
import _thread, threading, time
import numpy as np
from statfast._engine.side_thread import interruptible

def long(_):
    _thread.interrupt_main()
    time.sleep(1.0)
    print("ended", flush=True)

try:
    interruptible(long, np.zeros((400, 400)))
except KeyboardInterrupt:
    print("left", flush=True)
{rest}
"""


@pytest.mark.once
@pytest.mark.parametrize("rest", ["", "raise SystemExit(0)"])
def test_a_normal_exit_waits_for_calls_that_were_left(rest):
    code = SCRIPT.format(rest=rest)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "left\nended\n"), done.stderr


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("q", [1, 2, 7, 40])
def test_the_inverse_of_a_triangle_by_halves(q, lower, monkeypatch):
    monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_INVERSE_KERNEL", 2)
    monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_ONE_INVERSE", 3)
    monkeypatch.setattr(_linalg, "COLUMNS_OF_STRIP", 2)
    full = normal_rows(q, q) + 4 * np.eye(q)
    T = np.tril(full) if lower else np.triu(full)
    assert_allclose(triangle_inverse(full, lower=lower), np.linalg.inv(T), atol=1e-12)


def test_a_large_factor_is_a_small_one(monkeypatch):
    h = normal_rows(90, 60)
    h = h.T @ h
    small = CholeskyFactor(h)
    monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_CHOLESKY_KERNEL", 10)
    large = CholeskyFactor(np.tril(h))
    assert_allclose(large.pivot, small.pivot, rtol=1e-10)
    assert_allclose(large.solve(h[0]), np.eye(60)[0], atol=1e-9)
    assert_allclose(large.inverse() @ h, np.eye(60), atol=1e-9)
    h[3, 3] = -1.0
    assert CholeskyFactor(h).pivot == 0.0
