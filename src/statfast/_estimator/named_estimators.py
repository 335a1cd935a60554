# SPDX-License-Identifier: BSD-3-Clause
"""Estimators in a list, by name: their parameters are those of the estimator that holds them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from statfast._estimator.base import Estimator
from statfast._estimator.parameters.ignored_arguments import ignored_names
from statfast._validation import did_you_mean


class ByName(dict[str, Any]):
    """Estimators by their names, as entries and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class NamedEstimators:
    """Mixin: a parameter is a list of tuples that begin with a name and an estimator."""

    _listed: str  # the name of that parameter
    _are_beside: ClassVar[bool] = True  # whether all of them get the same rows

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and with `deep` each estimator and its parameters by its name.

        Parameters
        ----------
        deep : bool, default=True
            Also give the parameters of nested estimators, as ``name__parameter``.

        Returns
        -------
        dict of str to object
        """
        params = Estimator.get_params(self, deep=deep)  # type: ignore[arg-type]
        if deep:
            for name, step in self._pairs():
                params[name] = step
                if hasattr(step, "get_params") and not isinstance(step, type):
                    params.update((f"{name}__{key}", v) for key, v in step.get_params().items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Set a parameter, an estimator by its name, or a parameter of one, ``name__parameter``.

        Parameters
        ----------
        **params : object
            Parameters by name; those of parts as ``name__parameter``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there is no such estimator or parameter.
        """
        own = Estimator.get_params(self, deep=False)  # type: ignore[arg-type]
        for key in dict.fromkeys([self._listed, *own, *ignored_names(type(self))]):  # type: ignore[arg-type]
            if key in params:
                Estimator.set_params(self, **{key: params.pop(key)})  # type: ignore[type-var]
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, found, rest = key.partition("__")
            if name not in (names := [name for name, _ in self._pairs()]) and name not in own:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}. Valid "
                    f"parameters are: {[*own, *names]}.{did_you_mean(name, [*own, *names])}"
                )
            if found:
                nested.setdefault(name, {})[rest] = value
            else:
                entries = [
                    (name, value, *entry[2:]) if entry[0] == name else entry
                    for entry in getattr(self, self._listed)
                ]
                setattr(self, self._listed, entries)
        for name, inner in nested.items():
            (getattr(self, name) if name in own else dict(self._pairs())[name]).set_params(**inner)
        return self

    def _boxes(self) -> list[tuple[str, Any]]:
        """What a diagram shows of them."""
        return self._pairs()

    def _pairs(self) -> list[tuple[str, Any]]:
        entries = getattr(self, self._listed)
        return [
            tuple(entry[:2])
            for entry in (entries if isinstance(entries, list | tuple) else ())
            if isinstance(entry, list | tuple) and len(entry) > 1 and isinstance(entry[0], str)
        ]
