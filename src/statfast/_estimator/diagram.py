# SPDX-License-Identifier: BSD-3-Clause
"""An estimator as a notebook shows it: its parameters, and boxes of the estimators inside."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any, ClassVar

from statfast._validation import shown

STYLE = (
    "<style>.statfast-model{display:inline-block;font-size:90%}"
    ".statfast-model .box{border:1px solid;border-radius:4px;margin:3px;padding:2px 6px}"
    ".statfast-model .row{display:flex;align-items:flex-start}"
    ".statfast-model summary{cursor:pointer}</style>"
)


class Diagram:
    """Base of estimators: what a notebook shows of them.

    Of the estimators inside, those below one another are steps or parameters, and those beside one
    another get the same rows.
    """

    _are_beside: ClassVar[bool] = False

    def _boxes(self) -> list[tuple[str, Any]]:
        """Names and estimators inside, or the words in their places."""
        return _estimators_among_parameters(self)

    def _repr_html_(self) -> str:
        if not self._boxes():
            return _head(self, html.escape(repr(self)), ())
        return f'{STYLE}<div class="statfast-model">{_box("", self)}</div>'


def _box(name: str, part: Any) -> str:
    """An estimator, or the word in its place, and within it those that it holds."""
    label = f"{html.escape(name)}: " if name else ""
    if part is None or isinstance(part, str):
        return f'<div class="box">{label}<i>{part or "passthrough"}</i></div>'
    ours = isinstance(part, Diagram)
    parts = part._boxes() if ours else _estimators_among_parameters(part)
    inside = "".join(_box(name, inner) for name, inner in parts)
    if inside:
        way = "row" if ours and part._are_beside else "column"
        inside = f'<div class="{way}">{inside}</div>'
    kind = html.escape(type(part).__name__)
    nested = {id(inner) for _, inner in parts}
    return f'<div class="box">{_head(part, label + kind, nested)}{inside}</div>'


def _head(estimator: Any, title: str, nested: Iterable[int]) -> str:
    """The title of an estimator, which opens to its parameters without those shown in boxes: they
    are these, or in a list."""
    rows = "".join(
        f"<tr><td>{name}</td><td>{html.escape(shown(value))}</td></tr>"
        for name, value in estimator.get_params(deep=False).items()
        if id(value) not in nested and not (nested and isinstance(value, list | tuple))
    )
    fitted = getattr(estimator, "__sklearn_is_fitted__", lambda: False)()
    state = "fitted" if fitted else "not fitted"
    return (
        f"<details><summary><code>{title}</code> {state}</summary><table>{rows}</table></details>"
    )


def _estimators_among_parameters(estimator: Any) -> list[tuple[str, Any]]:
    return [
        (name, value)
        for name, value in estimator.get_params(deep=False).items()
        if hasattr(value, "get_params") and hasattr(value, "fit") and not isinstance(value, type)
    ]
