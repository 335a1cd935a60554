# SPDX-License-Identifier: BSD-3-Clause
"""What the steps of a pipeline, or transformers side by side, are given beside the rows."""

from __future__ import annotations

from typing import Any, NamedTuple

from statfast._estimator import ANSWERS, Route, routed, routing_is_on, takes_weights
from statfast._typing import Weights


class StepArguments(NamedTuple):
    """What a step is called with while it is fitted; `transform` is of one that has no
    ``fit_transform``."""

    fit: dict[str, Any]
    transform: dict[str, Any]


def fit_transformed(model: Any, rows: Any, y: Any, arguments: StepArguments) -> tuple[Any, Any]:
    """A transformer, fitted, and the rows it was fitted to, transformed: what `memory` keeps."""
    if hasattr(model, "fit_transform"):
        return model, model.fit_transform(rows, y, **arguments.fit)
    return model, model.fit(rows, y, **arguments.fit).transform(rows, **arguments.transform)


def arguments_of_steps(
    owner: Any, method: str, steps: Any, sample_weight: Weights, params: dict[str, Any]
) -> dict[str, StepArguments]:
    """The arguments of each step while it is fitted, by its name.

    Weights go to each step that takes them, and ``name__argument`` to the step named. Where
    scikit-learn's routing is on, steps get what they asked for, and nothing else.
    """
    if routing_is_on():
        routes = routed(owner, method, {"sample_weight": sample_weight, **params})
        return {name: _of_fit(routes[name]) for name, step in steps if not _is_word(step)}
    arguments: dict[str, dict[str, Any]] = {name: {} for name, _ in steps}
    for key, value in params.items():
        name, separator, argument = key.partition("__")
        if not separator or name not in arguments:
            raise ValueError(
                f"{type(owner).__name__}.{method} takes arguments as name__argument, of the steps "
                f"{[*arguments]}; got {key!r}."
            )
        arguments[name][argument] = value
    if sample_weight is not None:
        for name, step in steps:
            if not _is_word(step) and takes_weights(step):
                arguments[name].setdefault("sample_weight", sample_weight)
    return {name: StepArguments(of_fit, {}) for name, of_fit in arguments.items()}


def _of_fit(routes: Any) -> StepArguments:
    """The arguments of a step by those of its methods that are called."""
    fit = next(routes[name] for name in ("fit", "fit_transform", "fit_predict") if name in routes)
    return StepArguments(dict(fit), dict(routes.get("transform", {})))


def arguments_of_answers(
    owner: Any, method: str, params: dict[str, Any]
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The arguments of each step before the last, by name, and those of the last step's method:
    of their ``inverse_transform`` for that of the pipeline, else of their ``transform``."""
    if not routing_is_on():
        return {}, params
    routes = routed(owner, method, params)
    *before, last = [(name, step) for name, step in owner.steps_]
    of_others = method if method == "inverse_transform" else "transform"
    others = {name: dict(routes[name][of_others]) for name, step in before if not _is_word(step)}
    return others, {} if _is_word(last[1]) else dict(routes[last[0]][method])


def arguments_of_transforms(owner: Any, params: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The arguments of the ``transform`` of transformers side by side, by name: what they asked
    for, where scikit-learn's routing is on."""
    if not params:
        return {}
    if not routing_is_on():
        raise ValueError(
            f"{type(owner).__name__}.transform takes other arguments, here {[*params]}, where "
            "scikit-learn's metadata routing is on. Call "
            "sklearn.set_config(enable_metadata_routing=True), or leave them out."
        )
    routes = routed(owner, "transform", params)
    return {name: dict(routes[name]["transform"]) for name in routes}


def calls_of_transformer(step: Any) -> dict[str, tuple[str, ...]]:
    """Which methods of a transformer those of its pipeline call."""
    fit = ("fit_transform",) if hasattr(step, "fit_transform") else ("fit", "transform")
    calls = dict.fromkeys(("fit", "fit_transform", "fit_predict"), fit)
    answers = dict.fromkeys((*ANSWERS, "transform"), ("transform",))
    return {**calls, **answers, "inverse_transform": ("inverse_transform",)}


def routes_of_pipeline(steps: list[tuple[str, Any]]) -> list[Route]:
    """The steps of a pipeline, and which of their methods its methods call."""
    routes = [Route(name, step, calls_of_transformer(step)) for name, step in steps[:-1]]
    for name, step in steps[-1:]:
        answers = ("fit", *ANSWERS, "transform", "inverse_transform")
        calls: dict[str, tuple[str, ...]] = {
            method: (method,) for method in answers if hasattr(step, method)
        }
        calls["fit_transform"] = calls_of_transformer(step)["fit"]
        calls["fit_predict"] = (
            ("fit_predict",) if hasattr(step, "fit_predict") else ("fit", "predict")
        )
        routes.append(Route(name, step, calls))
    return [route for route in routes if not _is_word(route.part)]


def _is_word(step: Any) -> bool:
    return step is None or isinstance(step, str)
