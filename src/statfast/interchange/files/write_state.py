# SPDX-License-Identifier: BSD-3-Clause
"""What a model is made of, as JSON and a list of arrays.

A value that JSON has, is itself; any other is an object with one key, the kind of the value:
``{"tuple": [...]}``, ``{"array": 3}``. Estimators and records stand in a list, each after those
that it refers to, by number.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from functools import cached_property, partial
from types import MethodType
from typing import Any

import numpy as np

from statfast._estimator import ByName, Estimator
from statfast._typing import Array
from statfast._validation import is_sparse, shown
from statfast.interchange.files.known_names import (
    CONSTRUCTED,
    DERIVED,
    METHODS,
    class_of,
    function_name,
    plain_name,
)

SPARSE = ("bsr", "coo", "csc", "csr", "dia")


class StateWriter:
    """Encodes values; equal objects, by identity, are written once."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: list[Array] = []
        self._numbers: dict[int, dict[str, int]] = {}  # what is written, by identity
        self._alive: list[Any] = []  # so that no identity is given twice
        self._open: set[int] = set()

    def encode(self, value: Any, place: str) -> Any:
        """The value as JSON; `place` names it in an error."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is list:
            return self._items(value, place)
        if id(value) in self._numbers:
            return self._numbers[id(value)]
        for encode in (self._container, self._numeric, self._named, self._random, self._object):
            encoded = encode(value, place)
            if encoded is not None:
                return encoded
        fix = "Keep it in your program, and save what it was used for."
        if kind.__module__.startswith("sklearn."):
            fix = "Fit the model with that of statfast, or convert all of it by from_sklearn."
        raise TypeError(
            f"{place} is {shown(value)} of type {kind.__module__}.{kind.__qualname__}, which a "
            f"file of numbers and text cannot hold. {fix}"
        )

    def _items(self, values: Any, place: str) -> list[Any]:
        return [self.encode(item, f"{place}[{number}]") for number, item in enumerate(values)]

    def _pairs(self, values: Any, place: str) -> list[Any]:
        return [
            [self.encode(key, place), self.encode(value, f"{place}[{key!r}]")]
            for key, value in values.items()
        ]

    def _container(self, value: Any, place: str) -> Any:
        kind = type(value)
        if kind in (tuple, set, frozenset):
            items = value if kind is tuple else sorted(value, key=repr)
            return {kind.__name__: self._items(items, place)}
        if kind is dict:
            return {"dict": self._pairs(value, place)}
        if kind is ByName:
            return {"by_name": self._pairs(value, place)}
        if kind in (slice, range):
            return {kind.__name__: self._items([value.start, value.stop, value.step], place)}
        if kind is bytes:
            return {"bytes": value.hex()}
        if kind is complex:
            return {"complex": self._items([value.real, value.imag], place)}
        return None

    def _numeric(self, value: Any, place: str) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(value)
            return {"masked": self._items([value.data, mask, value.fill_value], place)}
        if type(value) is np.ndarray:
            return self._array(value, place)
        if isinstance(value, np.generic) and value.dtype.kind in "biufcSUMm":
            return {"scalar": self._array(np.asarray(value), place)["array"]}
        if isinstance(value, np.dtype) and not value.hasobject and value.names is None:
            return {"dtype": value.str}
        if is_sparse(value) and value.format in SPARSE:
            return self._sparse(value, place)
        return None

    def _array(self, value: Array, place: str) -> dict[str, Any]:
        if value.dtype.kind == "O":
            return {"objects": [list(value.shape), self._items(value.ravel().tolist(), place)]}
        if value.dtype.kind == "T":
            raise TypeError(f"{place} has dtype {value.dtype}. Fit to strings of dtype object.")
        self.arrays.append(value)
        return self._remember(value, {"array": len(self.arrays) - 1})

    def _sparse(self, value: Any, place: str) -> dict[str, Any]:
        """A sparse matrix or array, by the arrays of its constructor."""
        sparse = sys.modules["scipy.sparse"]
        kind = value.format + ("_array" if isinstance(value, sparse.sparray) else "_matrix")
        if value.format == "coo":
            parts = [value.data, value.row, value.col]
        elif value.format == "dia":
            parts = [value.data, value.offsets]
        else:
            parts = [value.data, value.indices, value.indptr]
        return {"sparse": [kind, list(value.shape), *self._items(parts, place)]}

    def _named(self, value: Any, place: str) -> dict[str, Any] | None:
        """What stands in a library under a name: types of numbers, functions of statfast and
        numpy."""
        if isinstance(value, type):
            if (name := plain_name(value)) is not None:
                return {"type": name}
        elif isinstance(value, np.ufunc):
            numpy_functions: dict[str, Any] = vars(np)
            if numpy_functions.get(value.__name__) == value:
                return {"ufunc": value.__name__}
        elif isinstance(value, partial):
            parts = [value.func, list(value.args), value.keywords]
            return {"partial": self._items(parts, place)}
        elif isinstance(value, MethodType) and _method_of(value) in METHODS:
            return {"method": [self.encode(value.__self__, place), value.__name__]}
        elif callable(value) and hasattr(value, "__name__"):
            if (name := function_name(value)) is not None:
                return {"function": name}
            raise TypeError(
                f"{place} is the function {value.__name__}, and a file of numbers and text holds "
                "no code. Use a named one, or keep yours in your program."
            )
        return None

    def _random(self, value: Any, place: str) -> Any:
        """A generator of random numbers, in its state."""
        if isinstance(value, np.random.RandomState):
            return {"random_state": self.encode(value.get_state(legacy=False), place)}
        if isinstance(value, np.random.Generator):
            bits = value.bit_generator
            seeds: Any = bits.seed_seq
            if isinstance(seeds, np.random.SeedSequence):
                state = seeds.state
                return {"generator": self._items([bits.state, state], place)}
        return None

    def _object(self, value: Any, place: str) -> Any:
        """An estimator or a record of statfast: its class by name, and its attributes."""
        kind: Any = type(value)
        known: Any = class_of(kind.__name__)
        if known is not kind:
            if isinstance(value, Estimator) or kind.__module__.startswith("statfast."):
                raise TypeError(
                    f"{place} is a {kind.__name__}, a class that files do not name. Save "
                    "estimators that statfast offers."
                )
            return None
        if id(value) in self._open:
            raise TypeError(f"{place} refers to what it is part of.")
        self._open.add(id(value))
        state = self.encode_state(value, place)
        self._open.remove(id(value))
        self.objects.append({"class": kind.__name__, "state": state})
        return self._remember(value, {"object": len(self.objects) - 1})

    def encode_state(self, value: Any, place: str) -> dict[str, Any]:
        return {name: self.encode(v, f"{place}.{name}") for name, v in attributes(value).items()}

    def _remember(self, value: Any, encoded: dict[str, Any]) -> dict[str, Any]:
        self._numbers[id(value)] = encoded
        self._alive.append(value)
        return encoded


def _method_of(value: MethodType) -> tuple[str, str]:
    return type(value.__self__).__name__, value.__name__


def attributes(value: Any) -> dict[str, Any]:
    """What an estimator or a record is made of, without what follows from it."""
    kind: Any = type(value)
    if isinstance(value, Estimator):
        state = value.__getstate__()
        del state["_statfast_version"]
    elif isinstance(value, tuple):
        state = value._asdict()  # type: ignore[attr-defined]
    elif kind.__name__ in CONSTRUCTED:
        state = {name: getattr(value, name) for name in CONSTRUCTED[kind.__name__]}
    elif dataclasses.is_dataclass(kind):
        state = {field.name: getattr(value, field.name) for field in dataclasses.fields(kind)}
    else:
        cached = {name for base in kind.__mro__ for name, v in vars(base).items()
                  if isinstance(v, cached_property)}  # fmt: skip
        state = {name: v for name, v in vars(value).items() if name not in cached}
    derived = DERIVED.get(kind.__name__, {})
    return {name: derived.get(name, v) for name, v in state.items()}
