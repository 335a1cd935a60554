# SPDX-License-Identifier: BSD-3-Clause
"""Methods that an estimator has where another, on which it rests, has them."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any


class Delegated:
    """A method that is there if ``owner._delegate()`` has one of that name, or is None."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = function, name
        update_wrapper(self, function)  # type: ignore[arg-type]

    def __get__(self, owner: Any, kind: type) -> Callable[..., Any]:
        if owner is None:
            return self.function
        other = owner._delegate()
        if other is not None and not hasattr(other, self.name):
            raise AttributeError(
                f"This {kind.__name__!r} has no attribute {self.name!r}, as "
                f"{type(other).__name__} has none."
            )
        return self.function.__get__(owner, kind)


def delegated(name: str) -> Callable[[Any], Any]:
    """Decorator: the method is there where the other estimator has the one named."""
    return lambda function: Delegated(function, name)
