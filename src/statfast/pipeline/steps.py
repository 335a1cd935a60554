# SPDX-License-Identifier: BSD-3-Clause
"""Estimators in a list, by name: their parameters are those of the estimator that holds them."""

from typing import Any, Self

from statfast._estimator import Estimator, SumFit, ignored_names, is_pairwise
from statfast._validation import shown


class ByName(dict):
    """Estimators by their names, as entries and as attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class NamedEstimators:
    """Mixin: a parameter is a list of tuples that begin with a name and an estimator."""

    _listed: str  # the name of that parameter

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and with `deep` each estimator and its parameters by its name.

        Parameters
        ----------
        deep : bool, default=True
            Also return the parameters of nested estimators.

        Returns
        -------
        dict of str to object
        """
        params = Estimator.get_params(self, deep=False)  # type: ignore[arg-type]
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
                    f"parameters are: {[*own, *names]}."
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

    def _pairs(self):
        entries = getattr(self, self._listed)
        return [
            tuple(entry[:2])
            for entry in (entries if isinstance(entries, list | tuple) else ())
            if isinstance(entry, list | tuple) and len(entry) > 1 and isinstance(entry[0], str)
        ]


def numbered_names(steps):
    """The lowercase names of the classes; of several of one class, each ends with its number."""
    names = [step if isinstance(step, str) else type(step).__name__.lower() for step in steps]
    return [
        f"{name}-{names[: place + 1].count(name)}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


class Steps(NamedEstimators):
    """Mixin of `Pipeline`: its steps as a sequence and a mapping, and their parameters."""

    steps: list
    _listed = "steps"

    @property
    def named_steps(self) -> Any:
        """The steps by their names, as entries and attributes; fitted ones after ``fit``."""
        return ByName(self._present())

    def __len__(self):
        return len(self._pairs())

    def __getitem__(self, place):
        steps = self._present()
        if isinstance(place, slice):
            part = type(self)(self._pairs()[place])
            if "steps_" in self.__dict__:
                part._publish(
                    None, steps_=steps[place], n_features_in_=getattr(
                        steps[place][0][1], "n_features_in_", None
                    ) if steps[place] else None,
                )  # fmt: skip
            return part
        if isinstance(place, str):
            return dict(steps)[place]
        return steps[place][1]

    def _present(self):
        return self.__dict__.get("steps_", self._pairs())

    def _final(self):
        """The last step, or None."""
        steps = self._pairs()
        return steps[-1][1] if steps else None

    @property
    def _is_pairwise(self):
        """Whether the first step takes values between rows, or the one after steps that keep the
        columns as they are."""
        for _, step in self._pairs():
            if is_pairwise(step):
                return True
            if not is_skipped(step) and not _keeps_columns(step):
                return False
        return False

    @property
    def _estimator_type(self):
        return self._final()._estimator_type

    def __sklearn_tags__(self):
        tags = Estimator.__sklearn_tags__(self)
        steps = self._pairs()
        last = self._final()
        first = next((step for _, step in steps if not is_skipped(step)), None)
        if hasattr(last, "__sklearn_tags__"):
            told = last.__sklearn_tags__()
            tags.estimator_type = told.estimator_type
            tags.classifier_tags = told.classifier_tags
            tags.regressor_tags = told.regressor_tags
            tags.transformer_tags = told.transformer_tags
            tags.target_tags = told.target_tags
        if hasattr(first, "__sklearn_tags__"):
            tags.input_tags = first.__sklearn_tags__().input_tags
            tags.input_tags.pairwise = self._is_pairwise
            tags.input_tags.sparse = all(
                step.__sklearn_tags__().input_tags.sparse
                for _, step in steps
                if hasattr(step, "__sklearn_tags__")
            )
        return tags


def is_skipped(step):
    """Whether a step does nothing."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def is_fitted_by_moments(step):
    """Whether a step is solved by the moments of the columns, which a later step's sums tell."""
    return isinstance(step, SumFit) and step._fits_from_moments


def _keeps_columns(step):
    """Whether each column of the result is made of the one in its place: of a matrix between rows
    comes one again."""
    kinds = {kind.__name__ for kind in type(step).__mro__}
    named = getattr(step, "feature_names_out", None)
    one_to_one = (
        isinstance(named, str) and named == "one-to-one"
    )  # scikit-learn's FunctionTransformer
    return one_to_one or bool(kinds & {"ColumnScaler", "StandardScaler", "OneToOneFeatureMixin"})


def checked_steps(steps):
    """The steps of a pipeline, if they are what steps must be."""
    if not isinstance(steps, list | tuple) or not len(steps):
        raise TypeError(
            f"steps must be a list of pairs (name, estimator); got {shown(steps)}. Use "
            "make_pipeline(...) for names made of the classes."
        )
    for pair in steps:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"steps must hold pairs (name, estimator); got {shown(pair)}.")
    names = [name for name, _ in steps]
    for name in names:
        if "__" in name or not name or name == "steps" or names.count(name) > 1:
            raise ValueError(
                f"Names of steps must differ, hold no '__' and not be 'steps'; got {name!r}. "
                "Rename it."
            )
    for number, (name, step) in enumerate(steps):
        if is_skipped(step):
            continue
        last = number == len(steps) - 1
        able = hasattr(step, "fit") and (last or hasattr(step, "transform"))
        if isinstance(step, type) or not able:
            wanted = "an estimator with fit" if last else "a transformer"
            raise TypeError(f"steps: {name!r} must be {wanted}; got {shown(step)}.")
    return list(steps)
