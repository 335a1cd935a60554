# SPDX-License-Identifier: BSD-3-Clause
"""Long calls of numpy that Ctrl-C can interrupt.

A decomposition of a large matrix is one call of LAPACK, during which Ctrl-C is not heard for
seconds or minutes. Here such a call runs in a thread of its own, while the caller waits and hears
signals. After an interrupt it runs to its end, since nothing can stop it. So it must only read
arrays that others see, and release Python's lock, which ``numpy`` does and ``scipy.linalg`` does
not.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from statfast._engine.blocks import WAIT_SECONDS, checkpoint, in_task
from statfast._typing import Array

# Multiplications, about: fewer take milliseconds, even in a decomposition.
MIN_PRODUCTS_FOR_THREAD = 1e7
PRODUCTS_PER_SORTED_VALUE = 32  # multiplications that sorting a number of a vector costs, about

_under_way: set[threading.Thread] = set()


def interruptible(function: Callable[..., Any], array: Array, *args: Any, **options: Any) -> Any:
    """``function(array, *args, **options)``, which Ctrl-C and a stopped task leave at once.

    The time is estimated from the size of `array`, as that of a product of matrices or a
    decomposition. Small calls, and those of threads that hear no Ctrl-C, are made directly.
    """
    work = array.size * (min(array.shape[-2:]) if array.ndim > 1 else PRODUCTS_PER_SORTED_VALUE)
    hears = in_task() or threading.current_thread() is threading.main_thread()
    if work < MIN_PRODUCTS_FOR_THREAD or not hears:
        return function(array, *args, **options)
    outcome: list[tuple[Any, BaseException | None]] = []
    over = threading.Event()

    def call() -> None:
        try:
            outcome.append((function(array, *args, **options), None))
        except BaseException as error:
            outcome.append((None, error))
        over.set()
        _under_way.discard(thread)

    thread = threading.Thread(
        target=copy_context().run, args=(call,), name="statfast interruptible", daemon=True
    )
    _under_way.add(thread)
    try:
        thread.start()
    except RuntimeError:  # no thread can be started
        _under_way.discard(thread)
        return function(array, *args, **options)
    while not over.wait(WAIT_SECONDS):
        checkpoint()
    result, error = outcome.pop()
    if error is None:
        return result
    try:
        raise error
    finally:
        del error  # no cycle through a traceback may keep arrays alive


@atexit.register
def _wait() -> None:
    """Wait for interrupted calls before BLAS ends its threads, which else may hang or crash.

    If Ctrl-C ends the process, a signal does so, and BLAS does not end its threads.
    """
    if getattr(sys, "last_type", None) is KeyboardInterrupt and not hasattr(sys, "ps1"):
        return
    for thread in list(_under_way):
        thread.join()
