# SPDX-License-Identifier: BSD-3-Clause
"""Methods of scikit-learn's classes, watched: the outermost call of each kind is seen.

A watched method stands in the class in place of scikit-learn's, which it calls. Estimators are as
they were: they can be pickled, copied and cloned, and what asks for a method's signature, or for
the method of a class, gets scikit-learn's.
"""

from __future__ import annotations

import inspect
import os
import sys
import threading
from collections.abc import Callable
from functools import wraps
from types import FunctionType, MethodType
from typing import Any

METHODS = (
    "fit", "fit_predict", "fit_transform", "partial_fit", "predict", "predict_proba",
    "predict_log_proba", "decision_function", "transform", "inverse_transform", "score",
    "score_samples", "kneighbors", "kneighbors_graph", "radius_neighbors",
    "radius_neighbors_graph",
)  # fmt: skip
# What is told of each call: the estimator, the method's name, its arguments, and the call itself.
Recorder = Callable[[Any, str, tuple[Any, ...], dict[str, Any], Callable[[], Any]], Any]
_FOREIGN = ("sklearn", "statfast", "joblib", "threading", "concurrent", "contextlib", "functools")


class WatchedMethod:
    """A method of a class of scikit-learn whose calls are told to a recorder."""

    def __init__(self, original: Any, cls: type, name: str, watcher: Watcher) -> None:
        self.original = original
        function = original if isinstance(original, FunctionType) else _function_of(original, cls)

        @wraps(function)
        def watched(estimator: Any, /, *args: Any, **arguments: Any) -> Any:
            def call() -> Any:
                return original.__get__(estimator, type(estimator))(*args, **arguments)

            return watcher.watch(estimator, name, args, arguments, call)

        self.watched = watched

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        # Methods that some settings alone have are refused here, as they would be without us.
        found = self.original.__get__(estimator, owner)
        return found if estimator is None else MethodType(self.watched, estimator)


def _function_of(original: Any, cls: type) -> Any:
    return getattr(original.__get__(None, cls), "__func__", original.__get__(None, cls))


class Watcher:
    """Puts watched methods into classes, and takes them out again.

    While one call is watched, calls that begin in any thread are scikit-learn's alone: they are
    its own, such as those of a search for its candidates.
    """

    def __init__(self, classes: list[type], recorder: Recorder) -> None:
        self._recorder = recorder
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._is_busy = False
        self.n_inside = 0  # calls within others
        self._changed: list[tuple[type, str, Any]] = []
        methods = [
            (cls, name, inspect.getattr_static(cls, name))
            for cls in classes
            for name in METHODS
            if inspect.getattr_static(cls, name, None) is not None
        ]
        for cls, name, original in methods:
            self._changed.append((cls, name, vars(cls).get(name)))
            setattr(cls, name, WatchedMethod(original, cls, name, self))

    def stop(self) -> None:
        """Give the classes their own methods back."""
        for cls, name, original in self._changed:
            if original is None:
                delattr(cls, name)
            else:
                setattr(cls, name, original)
        self._changed = []

    def watch(
        self,
        estimator: Any,
        name: str,
        args: tuple[Any, ...],
        arguments: dict[str, Any],
        call: Callable[[], Any],
    ) -> Any:
        """Make a call, and tell the recorder of it unless it is part of another."""
        with self._lock:
            is_outermost = not self._is_busy and os.getpid() == self._process
            self.n_inside += not is_outermost
            if is_outermost:
                self._is_busy = True
        if not is_outermost:
            return call()
        try:
            return self._recorder(estimator, name, args, arguments, call)
        finally:
            self._is_busy = False


def calling_line() -> tuple[str, int]:
    """File and line of the program that is being run, not of a library in between."""
    frame = sys._getframe(1)
    last = frame
    while frame is not None:
        last = frame
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _FOREIGN:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return last.f_code.co_filename, last.f_lineno
