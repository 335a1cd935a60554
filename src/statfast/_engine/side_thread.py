# SPDX-License-Identifier: BSD-3-Clause
"""Long calls of numpy that the caller can leave.

A decomposition of a large matrix is one call of LAPACK, in which Ctrl-C is not heard for seconds or
minutes. Here it runs in a thread of its own, for which the caller waits awake to signals. Left, it
goes on to its end, since nothing can stop it: it must only read what others see, and release
Python's lock, which functions of ``numpy`` do and those of ``scipy.linalg`` do not.
"""

import atexit
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from statfast._engine.blocks import WAIT_SECONDS, checkpoint, in_task
from statfast._typing import Array

MIN_PRODUCTS_FOR_THREAD = (
    1e7  # multiplications, about: fewer take milliseconds, even in a decomposition
)
PRODUCTS_PER_SORTED_VALUE = (
    32  # multiplications that a number of a vector counts for: vectors are sorted
)

_under_way: set[threading.Thread] = set()


def interruptible(function: Callable[..., Any], array: Array, *args: Any, **options: Any) -> Any:
    """``function(array, *args, **options)``, which Ctrl-C and a stopped task leave at once.

    The size of `array` tells how long it takes, as that of a product of matrices or a
    decomposition. Small calls, and those of threads that hear no Ctrl-C, are made on the spot.
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
    except RuntimeError:  # no thread to be had
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
    """Let calls that were left end before BLAS ends its threads, which else may hang or crash.

    Not where Ctrl-C itself ends the process: that is by a signal, and BLAS is not asked.
    """
    if getattr(sys, "last_type", None) is KeyboardInterrupt and not hasattr(sys, "ps1"):
        return
    for thread in list(_under_way):
        thread.join()
