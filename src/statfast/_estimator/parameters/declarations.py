# SPDX-License-Identifier: BSD-3-Clause
"""Parameters and fitted attributes of estimators, declared once in the body of the class.

::

    class KMeans(Centers):
        n_clusters: int = param(count(), default=8, kw_only=False)
        tol: float = param(real(0), default=1e-4)
        labels_: Array = fitted()

`Estimator` collects the declarations of a class and of those that it is derived from, and builds
the constructor. It stores what it is given, unchanged: the checks are made by ``fit``. In the
signature stand the positional parameters, then those of the class, then those it inherits; a
parameter that is declared again keeps its place.

Type checkers take the declarations for the fields of `typing.dataclass_transform`, whence the names
``default``, ``kw_only`` and ``init``. They are not dataclasses: Dask tells two of these apart by
their fields alone, not by what was fitted, and a user's subclass with annotations would have
another constructor.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from statfast._estimator.parameters.checks import Check
from statfast._estimator.parameters.ignored_arguments import check_other

REQUIRED: Any = inspect.Parameter.empty


class Parameter(NamedTuple):
    """A declared parameter: its check, its default, and how it is passed."""

    check: Check
    default: Any
    keyword: bool
    annotation: Any = REQUIRED


class _Mark(NamedTuple):
    """A declaration that is not a parameter: `fitted`, `removed`."""

    removes: bool
    value: Any = REQUIRED
    follows_rows: bool = False


class FollowsRows:
    """A fitted array that is read as float32 where the rows of the fit were.

    ``vars(model)`` keeps it with all digits, and what computes with it takes it from there: so
    predictions lose none where large terms cancel. What is read is not to be written to, as no
    prediction would know of it; another array may be set.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, kind: Any = None) -> Any:
        state = {} if model is None else vars(model)
        if self.name not in state:
            raise AttributeError(self.name)
        value = state[self.name]
        if not state.get("_fitted_to_float32") or np.ndim(value) == 0:
            return value
        with np.errstate(over="ignore"):
            narrow = value.astype(np.float32)
        if isinstance(narrow, np.ndarray):
            narrow.flags.writeable = False
        return narrow

    def __set__(self, model: Any, value: Any) -> None:
        vars(model)[self.name] = value

    def __delete__(self, model: Any) -> None:
        vars(model).pop(self.name, None)


def param(check: Check, *, default: Any = REQUIRED, kw_only: bool = True) -> Any:
    """Declare a parameter with its check; it is required if it has no default."""
    return Parameter(check, default, kw_only)


def fitted(*, follows_rows: bool = False, init: Literal[False] = False) -> Any:
    """Declare an attribute that ``fit`` sets; before, there is none. It may follow the rows of the
    fit in their type (`FollowsRows`)."""
    return _Mark(removes=False, follows_rows=follows_rows)


def removed(*, fixed: Any = REQUIRED, init: Literal[False] = False) -> Any:
    """Declare that a parameter of the base is none of this class, which may fix its value."""
    return _Mark(True, fixed)


class Annotation(str):
    """The text of an annotation, which signatures print without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _short_annotation(parameter: Parameter) -> Any:
    """What a signature prints: words are strings, and plain types are those of the defaults."""
    if not isinstance(parameter.annotation, str):
        return parameter.annotation
    text = re.sub(r"Literal\[[^]]*\]", "str", parameter.annotation)
    text = re.sub(r"\[(\.\.\.|Any), Any\]", "", " ".join(text.split()))
    return REQUIRED if text == type(parameter.default).__name__ else Annotation(text)


def collect(cls: type) -> dict[str, Parameter]:
    """The parameters of a class by name; its own declarations are taken out of its body."""
    texts = inspect.get_annotations(cls)
    declarations: dict[str, Parameter | _Mark] = {}
    for name, value in list(vars(cls).items()):
        if isinstance(value, Parameter | _Mark):
            delattr(cls, name)
            text = texts.get(name, REQUIRED)
            annotation = Annotation(text) if isinstance(text, str) else text
            declarations[name] = (
                value if isinstance(value, _Mark) else value._replace(annotation=annotation)
            )
            if isinstance(value, _Mark) and value.value is not REQUIRED:
                setattr(cls, name, value.value)
            if isinstance(value, _Mark) and value.follows_rows:
                setattr(cls, name, FollowsRows(name))
    cls._class_declarations = declarations  # type: ignore[attr-defined]
    merged: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__):
        declared = vars(base).get("_class_declarations", {})
        new = {name: p for name, p in declared.items() if isinstance(p, Parameter)}
        dropped = {name for name, p in declared.items() if isinstance(p, _Mark) and p.removes}
        first = {name: p for name, p in new.items() if name not in merged}
        merged = {n: p for n, p in {**first, **merged, **new}.items() if n not in dropped}
    return dict(sorted(merged.items(), key=lambda item: item[1].keyword))


def constructor(cls: type, declared: dict[str, Parameter]) -> Callable[..., None]:
    """An ``__init__`` that stores its arguments, with the signature of the declarations."""
    defaults = {name: p.default for name, p in declared.items() if p.default is not REQUIRED}
    positional = [name for name, p in declared.items() if not p.keyword]
    required = [name for name in declared if name not in defaults]

    def __init__(self: Any, *args: Any, **keywords: Any) -> None:
        state = self.__dict__
        state.update(defaults)
        if args:
            twice = not keywords.keys().isdisjoint(positional[: len(args)])
            if twice or len(args) > len(positional):
                raise _wrong_positions(type(self), args, positional, keywords)
            state.update(zip(positional, args, strict=False))
        state.update(keywords)
        if len(state) > len(defaults) or required:
            _check_names(type(self), declared, required, keywords, state)

    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = [
        inspect.Parameter(
            name, kinds[p.keyword], default=p.default, annotation=_short_annotation(p)
        )
        for name, p in declared.items()
    ]
    me = inspect.Parameter("self", kinds[0])
    __init__.__signature__ = inspect.Signature([me, *parameters])  # type: ignore[attr-defined]
    __init__.__annotations__ = {name: p.annotation for name, p in declared.items()}
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__module__ = cls.__module__
    return __init__


def _wrong_positions(
    cls: type, args: tuple[Any, ...], positional: list[str], keywords: dict[str, Any]
) -> TypeError:
    """The exception for too many positional arguments, or one that is given twice."""
    if len(args) > len(positional):
        return TypeError(
            f"{cls.__name__} takes {' and '.join(positional) or 'nothing'} by position; got "
            f"{len(args)} arguments. Pass the others by name."
        )
    twice = next(name for name in positional if name in keywords)
    return TypeError(f"{cls.__name__} got two values for {twice!r}. Pass it once.")


def _check_names(
    cls: type, declared: dict[str, Parameter], required: list[str], keywords: dict[str, Any],
    state: dict[str, Any],
) -> None:  # fmt: skip
    missing = [name for name in required if name not in state]
    for name, value in keywords.items():
        if name not in declared:
            check_other(cls, name, value, list(declared))
    if missing:
        raise TypeError(f"{cls.__name__} needs {' and '.join(map(repr, missing))}.")
