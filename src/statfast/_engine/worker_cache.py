# SPDX-License-Identifier: BSD-3-Clause
"""Soft state of parts, which work keeps from one round to the next, and may lose.

Only engines whose workers hold the parts between rounds keep it, as it would pile up for parts that
are read anew. It is kept until a fit ends, and for the last fits at most. Work must give the same
bits with it and without it.
"""

from __future__ import annotations

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
    """Set whether this thread keeps soft state for later rounds."""
    before, _here.keeps = _here.keeps, parts_stay
    try:
        yield
    finally:
        _here.keeps = before


def parts_stay() -> bool:
    """Whether this thread works on parts that stay for later rounds."""
    return _here.keeps


def remembered(fit: str, X: Any, make: Callable[[], Any]) -> Any:
    """The result of ``make()`` for the rows X in a fit, which is made once if possible."""
    if not _here.keeps:
        return make()
    cache = _of_fit(fit)
    holder, value = cache.get(id(X), (None, None))
    if holder is None or holder() is not X:
        value = make()
        _put(cache, X, value)
    return value


@contextmanager
def borrowed(fit: str, X: Any, make: Callable[[], Any]) -> Iterator[Any]:
    """The same for state that work changes: it is kept after use, unless work failed."""
    if not _here.keeps:
        yield make()
        return
    cache = _of_fit(fit)
    holder, value = cache.pop(id(X), (None, None))
    if holder is None or holder() is not X:
        value = make()
    yield value
    _put(cache, X, value)


def forget(fit: str) -> None:
    """Drop the soft state of a fit, and of keys that begin with its name."""
    for name in [name for name in list(CACHE) if name.startswith(fit)]:
        CACHE.pop(name, None)


def _of_fit(fit: str) -> dict[int, Any]:
    cache = CACHE.get(fit)
    if cache is None:
        while len(CACHE) >= MAX_FITS:
            CACHE.pop(next(iter(CACHE)), None)
        cache = CACHE[fit] = {}
    return cache


def _put(cache: dict[int, Any], X: Any, value: Any) -> None:
    key = id(X)
    cache[key] = weakref.ref(X, lambda _: cache.pop(key, None)), value
