# SPDX-License-Identifier: BSD-3-Clause
"""Formulas are read, and worked out for the rows of a data frame, by ``formulaic``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import did_you_mean, is_time_type, shape_of, warn_user, wrong_type
from statfast.linear.design.formula_functions import formula_functions

MISSING = (
    "A formula needs the package formulaic, which is not installed. Install it with: "
    'pip install "statfast[formula]"'
)


# These are kinds of pandas.infer_dtype.
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
TIMES = ("date", "datetime", "datetime64")
# The key of these expressions beside the columns; no formula can have this name.
NUMERIC = "expressions of numbers"


def as_frame(data: Any) -> Any:
    """Data as a pandas data frame whose rows are numbered, with texts as columns of objects."""
    _require_formulaic()
    import pandas

    if isinstance(data, dict):
        data = _frame_of_columns(data)
    elif _is_polars(data) and hasattr(data, "get_columns"):
        data = _frame_of_columns({name: data[name] for name in data.columns})
    elif not isinstance(data, pandas.DataFrame):
        if not hasattr(data, "to_pandas"):
            raise wrong_type("data", "a data frame, or a dict of columns", data)
        data = data.to_pandas()
    if not data.columns.is_unique:
        twice = data.columns[data.columns.duplicated()][0]
        raise ValueError(f"data must have columns of different names; got {twice!r} twice.")
    data = data.reset_index(drop=True)
    for name in data.columns:
        column = data[name]
        known = _known_column(column)
        if known is not column:
            data[name] = known
    return data


def _known_column(column):
    """A column of a type that formulaic takes for what it is: numbers, texts or categories."""
    import pandas

    dtype = column.dtype
    kind = getattr(dtype, "type", None)
    if kind is str:  # Formulaic does not take every string type of pandas for categories.
        return column.astype(object)
    if hasattr(dtype, "pyarrow_dtype") and kind is pandas.CategoricalDtype.type:
        return column.astype("category")
    # Formulaic would take any objects for categories.
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        held = pandas.api.types.infer_dtype(column, skipna=True)
        if held in NUMBERS:
            return column.where(column.notna(), np.nan).astype(float)
        if held == "boolean":
            return column.astype("boolean")
        if held in TIMES:
            return pandas.to_datetime(column)
    return column


def _frame_of_columns(columns: Any) -> Any:
    """A data frame of a dict of columns, which go together by place, whatever their indices."""
    import pandas

    read = {}
    for name, column in columns.items():
        if _is_polars(column):
            column = _column_of_polars(column)
        read[name] = column.array if isinstance(column, pandas.Series) else column
    alone = all(not shape_of(column) for column in read.values()) and read
    try:
        return pandas.DataFrame(read, index=[0] if alone else None)
    except ValueError as error:
        raise ValueError(f"data must have lists of one length as columns: {error}") from error


def _is_polars(data: Any) -> Any:
    return type(data).__module__.startswith("polars.")


def _column_of_polars(column):
    """A polars series for pandas, without pyarrow; Categorical has no order but its texts'."""
    import pandas

    kind = str(column.dtype)
    if kind.startswith("Enum"):
        return pandas.Categorical(column.to_list(), column.dtype.categories.to_list())
    if kind.startswith(("String", "Categorical", "Boolean")):
        return pandas.array(column.to_list(), dtype="boolean" if kind == "Boolean" else object)
    return column.to_numpy().astype(float) if kind.startswith("Decimal") else column.to_numpy()


def without_unused_levels(frame: Any, kept: Any) -> Any:
    """The data with levels of categorical columns that are in these rows; None if all are."""
    import pandas

    changed = {}
    for name, dtype in frame.dtypes.items():
        if isinstance(dtype, pandas.CategoricalDtype):
            used = frame[name].iloc[kept].cat.remove_unused_categories().cat.categories
            if len(used) < len(dtype.categories):
                changed[name] = frame[name].cat.set_categories(used)
    if not changed:
        return None
    frame = frame.copy(deep=False)
    for name, column in changed.items():
        frame[name] = column
    return frame


def _require_formulaic() -> Any:
    try:
        import formulaic
    except ImportError as error:
        raise ImportError(MISSING) from error
    return formulaic


def parsed_formula(formula: Any, frame: Any) -> Any:
    """Terms of the response, of the columns, and of offsets."""
    formulaic = _require_formulaic()
    names = {"__formulaic_variables_available__": [str(name) for name in frame.columns]}
    formula_read = read_formula(repr(formula), formula, _context=names)
    response_terms, terms = getattr(formula_read, "lhs", None), getattr(formula_read, "rhs", None)
    if not isinstance(response_terms, formulaic.SimpleFormula) or not isinstance(
        terms, formulaic.SimpleFormula
    ):
        raise ValueError(
            f"formula must be one response, '~' and terms, such as 'y ~ x'; got {formula!r}."
        )
    offsets = [t for t in terms if any(f.expr.startswith("offset(") for f in t.factors)]
    if any(len(t.factors) > 1 for t in offsets):
        raise ValueError(f"offset(...) must be a term by itself; got {formula!r}.")
    return list(response_terms), [t for t in terms if t not in offsets], offsets


def refuse_dates(table: Any) -> None:
    """Raise ValueError if a column of a table holds times, which are not numbers."""
    for name, dtype in table.dtypes.items():
        if is_time_type(dtype):
            unit = "days" if str(dtype).startswith("timedelta") else "year"
            raise ValueError(
                f"{name!r} holds {dtype}, and times are not numbers. Write how many of a unit they "
                f"are, such as {{{name}.dt.{unit}}}, in braces."
            )


def read_formula(what: str, *formula: Any, **parts: Any) -> Any:
    formulaic = _require_formulaic()
    try:
        return formulaic.Formula(*formula, **parts)
    except (formulaic.errors.FormulaicError, SyntaxError) as error:
        raise ValueError(f"formula {what} cannot be read: {_message_of(error)}") from error


def named_in(texts: Any, context: Any) -> Any:
    """What formulas take of a context: the names that are in them."""
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        raise wrong_type("context", "a dict of names, such as locals()", context)
    return {name: context[name] for name in set(re.findall(r"\w+", texts)) & set(context)}


@cache
def _as_r_does() -> Any:
    """The name of a reader of terms by which booleans are categories, False before True."""
    import pandas
    from formulaic.materializers.pandas import PandasMaterializer, override

    class Reader(PandasMaterializer):
        REGISTER_NAME = "statfast"
        REGISTER_INPUTS = ()

        @override
        def _evaluate_factor(self, factor: Any, spec: Any, drop_rows: Any) -> Any:
            self._expression = factor.expr
            return super()._evaluate_factor(factor, spec, drop_rows)

        @override
        def _is_categorical(self, values: Array) -> Any:
            numeric = self._expression in self.layered_context[NUMERIC]
            return (_is_logical(values) and not numeric) or super()._is_categorical(values)

        @override
        def _encode_categorical(
            self,
            values: Array,
            metadata: Any,
            encoder_state: Any,
            spec: Any,
            drop_rows: Any,
            reduced_rank: bool = False,
        ) -> Any:
            if _is_logical(values):
                levels = pandas.Categorical(values, [False, True])
                values = pandas.Series(levels, getattr(values, "index", None))
            return super()._encode_categorical(
                values, metadata, encoder_state, spec, drop_rows, reduced_rank
            )

    return Reader.REGISTER_NAME


def _is_logical(values: Array) -> Any:
    return str(getattr(values, "dtype", "")) in ("bool", "boolean", "bool[pyarrow]")


def _numeric_factors(specification: Any) -> Any:
    """Expressions of all that is not a predictor: there, booleans are 0 and 1."""
    parts = specification._to_dict()
    terms = {name: getattr(part, "formula", part) for name, part in parts.items()}
    return {f.expr for name in terms if name != "x" for term in terms[name] for f in term.factors}


def evaluated(specification: Any, frame: Any, context: Any) -> Any:
    """The parts of a formula, or of specifications, for the rows in which nothing is missing."""
    formulaic = _require_formulaic()
    named = {**formula_functions(), **context, NUMERIC: _numeric_factors(specification)}
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            parts = specification.get_model_matrix(
                frame, context=named, output="pandas", na_action="drop", materializer=_as_r_does()
            )
        except (formulaic.errors.FormulaicError, SyntaxError, TypeError, ValueError) as error:
            refuse_dates(frame[[n for n in specification.required_variables if n in frame]])
            message = _message_of(error)
            missing = re.search("`([^`]+)` is not present", message)
            hint = did_you_mean(missing[1], frame) if missing else ""
            raise ValueError(f"The formula does not suit the data: {message}{hint}") from error
    for warning in raised:
        # A RuntimeWarning is, for example, that of the logarithm of a negative number.
        if issubclass(warning.category, RuntimeWarning):
            warn_user(f"In the formula: {warning.message}.", RuntimeWarning)
        if issubclass(warning.category, formulaic.errors.DataMismatchWarning):
            unknown = re.search(r"\{.*?\}", str(warning.message))
            raise ValueError(
                "The data have categories that the fit has not seen"
                f"{f': {unknown[0]}' if unknown else ''}. Leave out their rows."
            )
    return parts


def _message_of(error: Any) -> Any:
    """What formulaic says, without the colors of a terminal."""
    return " ".join(re.sub("\x1b\\[[0-9;]*m|[⧛⧚]", "", str(error)).split())
