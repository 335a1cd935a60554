# SPDX-License-Identifier: BSD-3-Clause
"""Formulas are read, and worked out for the rows of a data frame, by ``formulaic``."""

import re
import warnings
from collections.abc import Mapping

from statfast._validation import warn_user, wrong_type

MISSING = (
    "A formula needs the package formulaic, which is not installed. Install it with: "
    'pip install "statfast[formula]"'
)


def as_frame(data):
    """Data as a pandas data frame whose rows are numbered."""
    _require_formulaic()
    import pandas

    if isinstance(data, dict):
        try:
            return pandas.DataFrame(data)
        except ValueError as error:
            raise ValueError(f"data must have lists of one length as columns: {error}") from error
    if not isinstance(data, pandas.DataFrame):
        if not hasattr(data, "to_pandas"):
            raise wrong_type("data", "a data frame, or a dict of columns", data)
        data = data.to_pandas()
    if not data.columns.is_unique:
        twice = data.columns[data.columns.duplicated()][0]
        raise ValueError(f"data must have columns of different names; got {twice!r} twice.")
    return data.reset_index(drop=True)


def _require_formulaic():
    try:
        import formulaic
    except ImportError as error:
        raise ImportError(MISSING) from error
    return formulaic


def parsed_formula(formula, frame):
    """Terms of the response, of the columns, and of offsets."""
    formulaic = _require_formulaic()
    names = {"__formulaic_variables_available__": [str(name) for name in frame.columns]}
    found = read_formula(repr(formula), formula, _context=names)
    left, right = getattr(found, "lhs", None), getattr(found, "rhs", None)
    if not isinstance(left, formulaic.SimpleFormula) or not isinstance(
        right, formulaic.SimpleFormula
    ):
        raise ValueError(
            f"formula must be one response, '~' and terms, such as 'y ~ x'; got {formula!r}."
        )
    aside = [t for t in right if any(f.expr.startswith("offset(") for f in t.factors)]
    if any(len(t.factors) > 1 for t in aside):
        raise ValueError(f"offset(...) must be a term by itself; got {formula!r}.")
    return list(left), [t for t in right if t not in aside], aside


def read_formula(what, *formula, **parts):
    formulaic = _require_formulaic()
    try:
        return formulaic.Formula(*formula, **parts)
    except (formulaic.errors.FormulaicError, SyntaxError) as error:
        raise ValueError(f"formula {what} cannot be read: {_said(error)}") from error


def named_in(texts, context):
    """What formulas take of a context: the names that are in them."""
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        raise wrong_type("context", "a dict of names, such as locals()", context)
    return {name: context[name] for name in set(re.findall(r"\w+", texts)) & set(context)}


def evaluated(specification, frame, context):
    """The parts of a formula, or of specifications, for the rows in which nothing is missing."""
    formulaic = _require_formulaic()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            parts = specification.get_model_matrix(
                frame, context={**context, "offset": _itself}, output="pandas", na_action="drop"
            )
        except (formulaic.errors.FormulaicError, SyntaxError, TypeError, ValueError) as error:
            raise ValueError(f"The formula does not suit the data: {_said(error)}") from error
    for one in said:
        if issubclass(one.category, RuntimeWarning):  # as of the logarithm of a negative number
            warn_user(f"In the formula: {one.message}.", RuntimeWarning)
        if issubclass(one.category, formulaic.errors.DataMismatchWarning):
            unknown = re.search(r"\{.*?\}", str(one.message))
            raise ValueError(
                "The data have categories that the fit has not seen"
                f"{f': {unknown[0]}' if unknown else ''}. Leave out their rows."
            )
    return parts


def _itself(values):
    return values


def _said(error):
    """What formulaic says, without the colors of a terminal."""
    return " ".join(re.sub("\x1b\\[[0-9;]*m|[⧛⧚]", "", str(error)).split())
