# SPDX-License-Identifier: BSD-3-Clause
"""Methods that an instance has under a condition: say, where an estimator inside has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any


class Conditional:
    """A method that is there unless a check of its owner raises AttributeError."""

    def __init__(self, function: Callable[..., Any], check: Callable[[Any], None]) -> None:
        self.function, self.check = function, check
        update_wrapper(self, function)  # type: ignore[arg-type]

    def __get__(self, owner: Any, kind: type) -> Callable[..., Any]:
        if owner is None:
            return self.function
        self.check(owner)
        return self.function.__get__(owner, kind)


def available(check: Callable[[Any], None]) -> Callable[[Any], Any]:
    """Decorator: the method is there where ``check(self)`` raises no AttributeError."""
    return lambda function: Conditional(function, check)


def delegated(name: str) -> Callable[[Any], Any]:
    """Decorator: the method is there where ``self._delegate()`` has the one named, or is None."""

    def check(owner: Any) -> None:
        delegate = owner._delegate()
        if delegate is not None and not hasattr(delegate, name):
            raise AttributeError(
                f"This {type(owner).__name__!r} has no attribute {name!r}, as "
                f"{type(delegate).__name__} has none."
            )

    return available(check)


class Absent:
    """A method of a parent that the class does not have: asking for it raises AttributeError."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __set_name__(self, kind: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, kind: type) -> Any:
        raise AttributeError(f"{kind.__name__!r} has no attribute {self.name!r}: {self.reason}")


def absent(reason: str) -> Any:
    """Take a method of a parent back that could only refuse, with a sentence that says why."""
    return Absent(reason)
