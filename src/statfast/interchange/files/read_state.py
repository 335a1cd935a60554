# SPDX-License-Identifier: BSD-3-Clause
"""A model from JSON and a list of arrays: the inverse of ``write_state``.

Nothing is imported, looked up or called but what ``known_names`` lists.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from statfast._estimator import ByName, Estimator, ignored_names
from statfast._typing import Array
from statfast._validation import shown
from statfast.interchange.files.check_indices import CHECKS, WrongIndex, check_model
from statfast.interchange.files.check_shapes import check_shapes
from statfast.interchange.files.known_names import (
    CONSTRUCTED,
    METHODS,
    PLAIN_TYPES,
    class_of,
    function_of,
)
from statfast.interchange.files.write_state import SPARSE

# Settings that users make on an estimator, beside its parameters and what it has learned.
SETTINGS = {"_fitted", "_sklearn_output_config", "_metadata_request"}
BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


class DamagedFile(ValueError):
    """What is wrong with a file, in a part of a sentence."""


class StateReader:
    """Decodes values; objects are made in the order of the list, each of those before it."""

    def __init__(self, arrays: list[Array], objects: Any) -> None:
        self._arrays = arrays
        self._objects: list[Any] = []
        self._decoders: dict[str, Callable[[Any], Any]] = {
            "array": self._array,
            "by_name": lambda pairs: ByName(self._pairs(pairs)),
            "bytes": bytes.fromhex,
            "complex": lambda parts: complex(*self._items(parts)),
            "dict": self._pairs,
            "dtype": self._dtype,
            "float": lambda text: {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}[text],
            "frozenset": lambda items: frozenset(self._items(items)),
            "function": self._function,
            "generator": self._generator,
            "masked": self._masked,
            "method": self._method,
            "object": lambda number: self._objects[_index(number, self._objects, "object")],
            "objects": self._object_array,
            "partial": self._partial,
            "random_state": self._random_state,
            "range": lambda parts: range(*self._items(parts)),
            "scalar": lambda number: self._array(number)[()],
            "set": lambda items: set(self._items(items)),
            "slice": lambda parts: slice(*self._items(parts)),
            "sparse": self._sparse,
            "tuple": lambda items: tuple(self._items(items)),
            "type": lambda name: PLAIN_TYPES[name],
            "ufunc": self._ufunc,
        }
        for record in objects:
            self._objects.append(self._object(record["class"], record["state"]))

    def decode(self, value: Any) -> Any:
        """The value that JSON stands for."""
        if isinstance(value, list):
            return self._items(value)
        if not isinstance(value, dict):
            return value
        if len(value) != 1 or (kind := next(iter(value))) not in self._decoders:
            raise DamagedFile(f"{shown(list(value))} is not a kind of value.")
        return self._decoders[kind](value[kind])

    def _items(self, values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise DamagedFile(f"{shown(values)} stands where a list should.")
        return [self.decode(value) for value in values]

    def _pairs(self, pairs: Any) -> dict[Any, Any]:
        return {self.decode(key): self.decode(value) for key, value in pairs}

    # ------------------------------------------------------------ numbers
    def _array(self, number: Any) -> Array:
        return self._arrays[_index(number, self._arrays, "array")]

    def _object_array(self, parts: Any) -> Array:
        shape, values = parts
        items = self._items(values)
        array = np.empty(len(items), object)
        for number, item in enumerate(items):
            array[number] = item
        return array.reshape(shape)

    def _masked(self, parts: Any) -> Any:
        data, mask, fill_value = self._items(parts)
        return np.ma.MaskedArray(data, mask, fill_value=fill_value)

    @staticmethod
    def _dtype(text: Any) -> Any:
        dtype = np.dtype(str(text))
        if dtype.hasobject:
            raise DamagedFile(f"the dtype {text!r} is not of numbers.")
        return dtype

    def _sparse(self, parts: Any) -> Any:
        from scipy import sparse

        name, shape, *values = parts
        form, _, container = str(name).partition("_")
        if form not in SPARSE or container not in ("array", "matrix"):
            raise DamagedFile(f"{name!r} is not a kind of sparse matrix.")
        arrays = self._items(values)
        if form == "coo":
            arrays = [arrays[0], tuple(arrays[1:])]
        made: Any = getattr(sparse, name)(tuple(arrays), shape=tuple(shape))
        if form in ("csr", "csc", "bsr"):
            made.check_format(full_check=True)
        return made

    # ------------------------------------------------------------ names
    @staticmethod
    def _function(name: Any) -> Any:
        function = function_of(name)
        if function is None:
            raise DamagedFile(f"{name!r} is not a function that a model may use.")
        return function

    def _partial(self, parts: Any) -> Any:
        function, arguments, keywords = self._items(parts)
        if not (isinstance(parts[0], dict) and {"function", "ufunc"} & set(parts[0])):
            raise DamagedFile("what is called with arguments is not a function.")
        return partial(function, *arguments, **keywords)

    def _method(self, parts: Any) -> Any:
        record, name = self.decode(parts[0]), parts[1]
        if (type(record).__name__, name) not in METHODS:
            raise DamagedFile(f"{name!r} is not a method that a model may use.")
        return getattr(record, name)

    @staticmethod
    def _ufunc(name: Any) -> Any:
        function = getattr(np, str(name), None)
        if not isinstance(function, np.ufunc):
            raise DamagedFile(f"{name!r} is not a function of numbers of numpy.")
        return function

    # ------------------------------------------------------------ random numbers
    def _random_state(self, encoded: Any) -> Any:
        state = self.decode(encoded)
        made = np.random.RandomState(self._bits(state, None))
        made.set_state(state)
        return made

    def _generator(self, parts: Any) -> Any:
        state, seeds = self._items(parts)
        bits = self._bits(state, np.random.SeedSequence(**seeds))
        bits.state = state
        return np.random.Generator(bits)

    @staticmethod
    def _bits(state: Any, seeds: Any) -> Any:
        name = state["bit_generator"]
        if name not in BIT_GENERATORS:
            raise DamagedFile(f"{name!r} is not a generator of random numbers.")
        return getattr(np.random, name)(seeds)

    # ------------------------------------------------------------ objects
    def _object(self, name: Any, state: Any) -> Any:
        kind: Any = class_of(name)
        if kind is None:
            raise DamagedFile(f"{name!r} is not a class that a model may hold.")
        names = set(state)
        if issubclass(kind, Estimator):
            return self._estimator(kind, state)
        values = {name: self.decode(value) for name, value in state.items()}
        if issubclass(kind, tuple):
            _require_names(kind, names, set(kind._fields))
            return kind(**values)
        made = object.__new__(kind)
        if name in CONSTRUCTED:
            _require_names(kind, names, set(CONSTRUCTED[name]))
        elif dataclasses.is_dataclass(kind):
            fields = dataclasses.fields(kind)
            optional = {
                field.name: field.default
                for field in fields
                if field.default is not dataclasses.MISSING
            }
            values = {**optional, **values}
            _require_names(kind, set(values), {field.name for field in fields})
        else:
            _require_attributes(kind, names)
        for attribute, value in values.items():
            object.__setattr__(made, attribute, value)
        if name in CHECKS:
            _checked(name, CHECKS[name], made)
        if kind.__reduce__ is object.__reduce__:
            return made
        function, arguments = made.__reduce__()  # what follows from its attributes is made anew
        return function(*arguments)

    def _estimator(self, kind: Any, state: Any) -> Any:
        """An estimator, with defaults for parameters that the file does not know."""
        values = {name: self.decode(value) for name, value in state.items()}
        learned = values.get("_fitted", ())
        if not isinstance(learned, tuple) or not all(isinstance(name, str) for name in learned):
            raise DamagedFile(f"the list of what {kind.__name__} learned is not one of names.")
        if lacking := set(learned) - set(values) - set(kind._made_when_needed):
            raise DamagedFile(f"{kind.__name__} lacks {min(lacking)!r}, which it has learned.")
        parameters = inspect.signature(kind).parameters
        known = {*parameters, *learned, *SETTINGS, *ignored_names(kind)}
        _require_attributes(kind, set(values) - set(parameters))
        unknown = {name for name in values if name not in known and not _is_declared(kind, name)}
        if unknown:
            raise DamagedFile(f"{kind.__name__} has no attribute {min(unknown)!r}.")
        defaults = {
            name: parameter.default
            for name, parameter in parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        made = object.__new__(kind)
        made.__dict__.update({**defaults, **values})
        _checked(kind.__name__, check_model, values)
        _checked(kind.__name__, partial(check_shapes, kind.__name__), values)
        return made


def _checked(name: str, check: Callable[[Any], None], record: Any) -> None:
    """Refuse a record whose indices point outside its arrays."""
    try:
        check(record)
    except WrongIndex as error:
        raise DamagedFile(f"of a {name}, {error}.") from None


def _index(number: Any, values: list[Any], noun: str) -> int:
    """A place in a list, from the beginning."""
    if type(number) is not int or not 0 <= number < len(values):
        raise DamagedFile(f"there is no {noun} {shown(number)} among {len(values)}.")
    return number


def _is_declared(kind: Any, name: str) -> bool:
    """Whether a class, or one of its bases, declares an attribute."""
    return any(
        name in vars(base).get("__annotations__", {})
        or name in vars(base).get("_class_declarations", {})
        or name in vars(base)
        for base in kind.__mro__
    )


def _require_names(kind: Any, names: set[str], wanted: set[str]) -> None:
    if names != wanted:
        other = min(names ^ wanted)
        raise DamagedFile(f"{kind.__name__} has no {other!r}, or lacks it.")


def _require_attributes(kind: Any, names: set[str]) -> None:
    """Refuse names that would hide a method or a property of the class."""
    for name in sorted(names):
        defined = getattr(kind, name, None)
        if not name.isidentifier() or name.startswith("__") or hasattr(defined, "__get__"):
            raise DamagedFile(f"{kind.__name__} has no attribute {name!r} to be set.")
