# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a pipeline: their names, checks of them, and properties that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from statfast._estimator import (
    ByName,
    Estimator,
    NamedEstimators,
    SumFit,
    Transformer,
    is_pairwise,
)
from statfast._validation import shown


def numbered_names(steps: Any) -> list[str]:
    """The lowercase names of the classes; of several of one class, each ends with its number."""
    names = [step if isinstance(step, str) else type(step).__name__.lower() for step in steps]
    return [
        f"{name}-{names[: place + 1].count(name)}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


class Steps(NamedEstimators):
    """Mixin of `Pipeline`: its steps as a sequence and a mapping, and their parameters."""

    # What subclasses declare, or a fit sets.
    _publish: Callable[..., Any]

    steps: list
    _listed = "steps"
    _are_beside = False

    def _boxes(self) -> list[tuple[str, Any]]:
        return self._present()

    @property
    def named_steps(self) -> Any:
        """The steps by their names, as entries and attributes; fitted ones after ``fit``."""
        return ByName(self._present())

    def __len__(self) -> int:
        return len(self._pairs())

    def __getitem__(self, place: Any) -> Any:
        steps = self._present()
        if isinstance(place, slice):
            own = Estimator.get_params(self, deep=False)  # type: ignore[arg-type]
            part: Any = cast(Any, type(self))(**{**own, self._listed: self._pairs()[place]})
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

    def _present(self) -> Any:
        return self.__dict__.get("steps_", self._pairs())

    def _final(self) -> Any:
        """The last step, or None."""
        steps = self._pairs()
        return steps[-1][1] if steps else None

    @property
    def _is_pairwise(self) -> bool:
        """Whether the first step takes values between rows (a precomputed matrix), or a later
        one that only steps with one result for each column precede."""
        for _, step in self._pairs():
            if is_pairwise(step):
                return True
            if not is_skipped(step) and not _keeps_columns(step):
                return False
        return False

    @property
    def _estimator_type(self) -> str:
        return self._final()._estimator_type

    def __sklearn_tags__(self) -> Any:
        tags = Estimator.__sklearn_tags__(self)  # type: ignore[arg-type]
        steps = self._pairs()
        last = self._final()
        first: Any = next((step for _, step in steps if not is_skipped(step)), None)
        if hasattr(last, "__sklearn_tags__"):
            last_tags = last.__sklearn_tags__()
            tags.estimator_type = last_tags.estimator_type
            tags.classifier_tags = last_tags.classifier_tags
            tags.regressor_tags = last_tags.regressor_tags
            tags.transformer_tags = last_tags.transformer_tags
            tags.target_tags = last_tags.target_tags
        if hasattr(first, "__sklearn_tags__"):
            tags.input_tags = first.__sklearn_tags__().input_tags
            tags.input_tags.pairwise = self._is_pairwise
            tags.input_tags.sparse = all(
                step.__sklearn_tags__().input_tags.sparse
                for _, step in steps
                if hasattr(step, "__sklearn_tags__")
            )
            tags.input_tags.allow_nan = _allow_nan(step for _, step in steps)
        return tags


def _allow_nan(steps: Iterable[Any]) -> bool:
    """Whether all steps take NaN, except for those after one that gives other values for it."""
    for step in steps:
        if is_skipped(step):
            continue
        if (
            not hasattr(step, "__sklearn_tags__")
            or not step.__sklearn_tags__().input_tags.allow_nan
        ):
            return False
        if isinstance(step, Transformer) and not step._passes_nan:
            return True
    return True


def is_skipped(step: Estimator | str) -> bool:
    """Whether a step does nothing."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def is_fitted_by_moments(step: Any) -> bool:
    """Whether a step is solved by the moments of the columns, which the statistics of a later step
    include."""
    return isinstance(step, SumFit) and step._fits_from_moments


def _keeps_columns(step: Estimator) -> bool:
    """Whether each column of the result comes from the column in the same place, so that a matrix
    of values between rows stays one."""
    kinds = {kind.__name__ for kind in type(step).__mro__}
    named = getattr(step, "feature_names_out", None)
    one_to_one = (
        isinstance(named, str) and named == "one-to-one"
    )  # scikit-learn's FunctionTransformer
    return one_to_one or bool(kinds & {"ColumnScaler", "StandardScaler", "OneToOneFeatureMixin"})


def checked_steps(steps: list[Any]) -> list[Any]:
    """The steps of a pipeline, after a check of their form, names and methods."""
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
        if isinstance(step, type):
            kind = step.__name__
            raise TypeError(f"steps must hold estimators, not classes; got {kind}. Pass {kind}().")
        if not able:
            wanted = "an estimator with fit" if last else "a transformer"
            raise TypeError(f"steps: {name!r} must be {wanted}; got {shown(step)}.")
    return list(steps)
