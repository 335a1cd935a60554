# SPDX-License-Identifier: BSD-3-Clause
"""The estimator here that stands for one of scikit-learn, with the parameters a program gave it.

What a program left at scikit-learn's default is left at the default here, as after a change of
imports. Estimators among the parameters are treated alike, in lists and dictionaries too; one that
has no twin stays scikit-learn's, as a copy.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from statfast._estimator import ignored_names

# Class: {parameter: value}.
Settings = Mapping[str, Mapping[str, Any]]
_LAZY_MODULES = (  # classes that scikit-learn shows after an experimental import, or later
    "impute._iterative",
    "model_selection._search_successive_halving",
)
_OLD_NAMES = {"base_estimator": "estimator"}  # of parameters, in earlier versions: chains to 1.6


def module_of(cls: type) -> str:
    """The public module of a class of scikit-learn, without ``sklearn.`` in front."""
    names = [name for name in cls.__module__.split(".")[1:] if not name.startswith("_")]
    return ".".join(names[: 2 if names[:1] == ["feature_extraction"] else 1])


@cache
def twin_class(cls: Any) -> type | str:
    """The class here that has the name of one of scikit-learn, or what to use in its place."""
    nothing = f"scikit-learn's {cls.__name__} has no twin"
    try:
        twin = getattr(import_module(f"statfast.{module_of(cls)}"), cls.__name__)
    except (AttributeError, ImportError) as error:
        _, known, advice = str(error).rpartition(": ")
        return advice.rstrip(".") if known else nothing
    return twin if isinstance(twin, type) else nothing


def sklearn_classes() -> list[type]:
    """The public estimators of the installed scikit-learn, experimental ones too."""
    sklearn = import_module("sklearn")
    for name in [*sklearn.__all__, *_LAZY_MODULES]:
        try:
            import_module(f"sklearn.{name}")
        except ImportError:  # not a module, or not in this version
            continue
    base: type = import_module("sklearn.base").BaseEstimator

    def descendants(cls: Any) -> Iterator[type]:
        for child in cls.__subclasses__():
            yield child
            yield from descendants(child)

    found = {cls for cls in descendants(base) if is_public(cls)}
    return sorted(found, key=lambda cls: (cls.__module__, cls.__name__))


def is_public(cls: type) -> bool:
    """Whether a class is an estimator of scikit-learn that programs may name."""
    ours = cls.__module__.startswith("sklearn.") and ".tests." not in cls.__module__
    return ours and not cls.__name__.startswith(("_", "Base")) and not inspect.isabstract(cls)


def is_estimator(value: Any) -> bool:
    """Whether a parameter is an estimator, not a class of them."""
    return hasattr(value, "get_params") and hasattr(value, "fit") and not isinstance(value, type)


@cache
def defaults_of(cls: Any) -> dict[str, Any]:
    """What a constructor takes, with defaults."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if type(value) is not type(default) or is_estimator(value):
        return False
    try:
        return bool(value == default) or bool(value != value and default != default)
    except (ValueError, TypeError):  # arrays are not one truth value
        return False


@dataclass
class TwinMaker:
    """Makes the twins of one call, and keeps what there is to say about them."""

    defaults: Settings = field(default_factory=dict)  # for what a program left at the default
    forced: Settings = field(default_factory=dict)  # whatever the program said
    not_taken: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)  # all that were met, nested ones too

    def twin(self, estimator: Any) -> Any:
        """A new estimator with the parameters of one of scikit-learn, which has a twin."""
        cls: Any = type(estimator)
        other = twin_class(cls)
        assert isinstance(other, type)
        self.classes.add(cls.__name__)
        known = defaults_of(cls)
        given = estimator.get_params(deep=False)
        fitted = given.get("prefit") is True or given.get("cv") == "prefit"
        arguments = dict(self.defaults.get(cls.__name__, {}))
        for name, value in given.items():
            if _is_default(value, known.get(name, inspect.Parameter.empty)):
                continue
            if name not in defaults_of(other):
                name = _OLD_NAMES.get(name, name)
            if name not in defaults_of(other) and name not in ignored_names(other):
                self.not_taken.append(f"{cls.__name__}: {name}={_short(value)} is not taken here")
                continue
            arguments[name] = self.value(value, copy.deepcopy if fitted else None)
        made = other(**{**arguments, **self.forced.get(cls.__name__, {})})
        output = getattr(estimator, "_sklearn_output_config", {}).get("transform")
        if output is not None and hasattr(made, "set_output"):
            made.set_output(transform=output)
        return made

    def value(self, value: Any, keep: Callable[[Any], Any] | None = None) -> Any:
        """A parameter for a twin: estimators as twins, all else copied."""
        if is_estimator(value):
            if keep is not None:
                return keep(value)
            kind: Any = type(value)
            if kind.__module__.startswith("sklearn.") and isinstance(twin_class(kind), type):
                return self.twin(value)
            self.classes.add(kind.__name__)
            return import_module("sklearn.base").clone(value)
        if type(value) in (list, tuple):
            return type(value)(self.value(item, keep) for item in value)
        if type(value) is dict:
            return {key: self.value(item, keep) for key, item in value.items()}
        return copy.deepcopy(value)


def with_settings(estimator: Any, settings: Settings) -> Any:
    """A copy of scikit-learn's estimator, unfitted, with other values by class, nested ones too."""
    changed = import_module("sklearn.base").clone(estimator)
    members = {"": changed}
    members |= {k: v for k, v in changed.get_params().items() if is_estimator(v)}
    for member in members.values():
        values = settings.get(type(member).__name__, {})
        known = member.get_params(deep=False)
        member.set_params(**{name: value for name, value in values.items() if name in known})
    return changed


def with_seed(estimator: Any, seed: int) -> Any:
    """A copy of scikit-learn's estimator, unfitted, all of whose random states are ``seed``."""
    changed = import_module("sklearn.base").clone(estimator)
    names = [name for name in changed.get_params() if name.split("__")[-1] == "random_state"]
    return changed.set_params(**dict.fromkeys(sorted(names), seed)) if names else changed


def is_random(estimator: Any) -> bool:
    """Whether some random state is among the parameters, nested ones too."""
    return any(name.split("__")[-1] == "random_state" for name in estimator.get_params())


def _short(value: Any) -> str:
    text = " ".join(repr(value).split()) if not isinstance(value, np.ndarray) else "an array"
    return text if len(text) <= 30 else text[:27] + "..."
