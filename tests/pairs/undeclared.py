# SPDX-License-Identifier: BSD-3-Clause
"""Levels of parameters that are not declared yet."""

import re

import numpy as np

from tests.fuzz import values
from tests.pairs.exceptions import values_of as these

BY_NAME = {
    "reject": these(None, 0.3),
    "refit": these(True, False),
    "error_score": these("raise", np.nan),
    "y_min": these(None, 2.0),
    "y_max": these(None, 7.0),
    "ensemble": these("auto", True, False),
    "out_of_bounds": these("clip", "nan", "raise"),
}


def levels_of(parameter):
    return BY_NAME.get(parameter.name) or these(*documented(parameter))


def documented(parameter):
    """Values that the documented type names, the default first."""
    default, kind = parameter.default, parameter.type
    braces = re.search(r"\{(.*?)\}", kind)
    words = re.findall(r'"([^"]+)"', braces[1]) if braces else ()
    if not parameter.required:
        yield default
    if isinstance(default, bool) or "bool" in kind:
        yield from (False, True)
    elif words:
        yield from words
    elif kind.startswith("str"):
        yield from parameter.words
    elif parameter.name in values.COSTLY:
        yield from values.COSTLY[parameter.name]
    elif "float" in kind:
        near = default if isinstance(default, int | float) and default else 1.0
        yield from (near / 2, near * 2) if np.isfinite(near) else (1.0, 0.1)
    elif "int" in kind:
        yield from (1, 2, 3)
