# SPDX-License-Identifier: BSD-3-Clause
"""Metadata for the parts of an estimator, where scikit-learn's routing of them is switched on.

As a rule weights reach each part that takes them, and other arguments of ``fit`` are named
``part__argument``. Where scikit-learn's setting of metadata routing is on, each part gets what it
asked for by ``set_score_request`` and the like, as in scikit-learn's own classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")


class Route(NamedTuple):
    """A part of an estimator, and which of its methods those of the whole call."""

    name: str
    part: Any
    calls: Mapping[str, tuple[str, ...]]


def routing_is_on() -> bool:
    """Whether scikit-learn is loaded and routes metadata."""
    sklearn = sys.modules.get("sklearn")
    return sklearn is not None and bool(sklearn.get_config().get("enable_metadata_routing"))


def router_of(owner: Any, routes: list[Route]) -> Any:
    """scikit-learn's description of where the metadata given to an estimator go."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    router = MetadataRouter(owner=owner)
    for name, part, calls in routes:
        mapping = MethodMapping()
        for caller, callees in calls.items():
            for callee in callees:
                mapping.add(caller=caller, callee=callee)
        router.add(method_mapping=mapping, **{name: part})
    return router


def routed(owner: Any, method: str, metadata: dict[str, Any]) -> Any:
    """The arguments of the methods of each part, ``routed[part][method]``."""
    from sklearn.utils.metadata_routing import process_routing

    given = {name: value for name, value in metadata.items() if value is not None}
    return process_routing(owner, method, **given)


class RoutesMetadata:
    """Mixin of an estimator that hands what it is given to the parts that it holds."""

    # Of the class: its parts, and what of them is called.
    _routes: Callable[[], list[Route]]

    def get_metadata_routing(self) -> Any:
        """Which metadata go to which part, for scikit-learn's meta-estimators.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        return router_of(self, self._routes())
