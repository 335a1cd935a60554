# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C in the middle of a long fit: it is heard, and the estimator stays as it was."""

import _thread
import threading
import time

import numpy as np
import pytest

from statfast._engine import blocks
from statfast.kernels import Mismatch
from statfast.svm import SVC, SVR, NuSVC
from statfast.svm.dual import solver
from tests.data import noise_labels

PATIENCE = 10.0  # seconds: a machine that is busy with other things passes, too


def texts(n, length):
    rng = np.random.default_rng(1)
    return ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]


def few_and_many(kind):
    """An estimator, points it is fitted to at once, and others that would take a minute."""
    if kind == "mismatch":
        model = SVC(kernel=Mismatch(6, 2), C=10.0)
        return model, (texts(6, 30), [0, 1] * 3), (texts(1500, 2000), [0, 1] * 750)
    models = {
        "classes": SVC(C=1e8, tol=1e-9),
        "nu": NuSVC(nu=0.02, tol=1e-9),
        "values": SVR(C=1e8, epsilon=0.0, tol=1e-9),
    }
    return models[kind], noise_labels(40), noise_labels(4000)


@pytest.mark.parametrize("kind", ["classes", "nu", "values", "mismatch"])
def test_a_long_fit_hears_ctrl_c(kind, monkeypatch):
    model, few, many = few_and_many(kind)
    before = model.fit(*few).predict(few[0])
    fired, pieces = [], []

    def counted():
        if fired and threading.current_thread() is threading.main_thread():
            pieces.append(1)
        checkpoint()

    checkpoint = blocks.checkpoint
    monkeypatch.setattr(solver, "checkpoint", counted)

    def fire():
        fired.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.2, fire)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(*many)
    finally:
        timer.cancel()
    assert fired
    assert time.monotonic() - fired[0] < PATIENCE
    assert len(pieces) <= 1  # the kernel call it came in was the last
    np.testing.assert_array_equal(model.predict(few[0]), before)
    np.testing.assert_array_equal(model.fit(*few).predict(few[0]), before)
