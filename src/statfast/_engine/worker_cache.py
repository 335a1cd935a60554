# SPDX-License-Identifier: BSD-3-Clause
"""Soft state of parts: what work keeps of a part from one round to the next, and may lose.

Only engines whose workers hold the parts between rounds keep it, until a fit ends, and of the last
fits at most: parts that are read anew would pile up. Work must give the same bits with it and
without it.
"""

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CACHE: dict[Any, Any] = {}
MAX_FITS = 2  # fits whose state is kept


class _Keeping(threading.local):
    keeps = False  # whether this thread works on parts that stay


_here = _Keeping()


@contextmanager
def keeping(parts_stay: bool) -> Iterator[None]:
    """Whether what is remembered in this thread is kept for later rounds."""
    before, _here.keeps = _here.keeps, parts_stay
    try:
        yield
    finally:
        _here.keeps = before


def parts_stay() -> bool:
    """Whether work in this thread is on parts that later rounds meet again."""
    return _here.keeps


def remembered(fit: str, X: Any, make: Callable[[], Any]) -> Any:
    """What ``make()`` gives for the rows X in a fit, made once if possible."""
    if not _here.keeps:
        return make()
    known = _of_fit(fit)
    holder, value = known.get(id(X), (None, None))
    if holder is None or holder() is not X:
        value = make()
        _put(known, X, value)
    return value


@contextmanager
def borrowed(fit: str, X: Any, make: Callable[[], Any]) -> Iterator[Any]:
    """The same of what work changes: kept after it has been used, unless that failed half-way."""
    if not _here.keeps:
        yield make()
        return
    known = _of_fit(fit)
    holder, value = known.pop(id(X), (None, None))
    if holder is None or holder() is not X:
        value = make()
    yield value
    _put(known, X, value)


def forget(fit: str) -> None:
    """Drop what is remembered of a fit, and under names that begin with its name."""
    for name in [name for name in list(CACHE) if name.startswith(fit)]:
        CACHE.pop(name, None)


def _of_fit(fit: str) -> dict[int, Any]:
    known = CACHE.get(fit)
    if known is None:
        while len(CACHE) >= MAX_FITS:
            CACHE.pop(next(iter(CACHE)), None)
        known = CACHE[fit] = {}
    return known


def _put(known: dict[int, Any], X: Any, value: Any) -> None:
    key = id(X)
    known[key] = weakref.ref(X, lambda _: known.pop(key, None)), value
