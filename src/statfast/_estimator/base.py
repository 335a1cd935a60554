# SPDX-License-Identifier: BSD-3-Clause
"""The estimator protocol: scikit-learn's, by duck typing.

scikit-learn is imported only inside the methods that nothing but scikit-learn calls.
"""

from __future__ import annotations

import copy
import inspect
import re
import sys
from functools import cache
from types import NoneType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

import numpy as np

from statfast._estimator.conformal_ranks import FullFits, LeftOutFits
from statfast._estimator.diagram import Diagram
from statfast._estimator.dispatch import dispatch_methods
from statfast._estimator.folds.fold_plans import FoldPlan, FoldTask, ScaledFolds
from statfast._estimator.likelihoods import NewtonTerms
from statfast._estimator.pairwise_rows import PairwiseRows, is_pairwise
from statfast._estimator.parameters.declarations import (
    FollowsRows,
    Parameter,
    collect,
    constructor,
    fitted,
    param,
    removed,
)
from statfast._estimator.parameters.ignored_arguments import (
    check_ignored,
    ignored_names,
    ignoring_sklearn_parameters,
)
from statfast._typing import Array
from statfast._validation import column_names, did_you_mean, shown, warn_user

# Methods whose extra arguments (sample_weight, ...) scikit-learn may route to us.
# Functions that are looked for as methods of a model.
_CALLS = {"load": "load(path)", "save": "save(model, path)", "to_sklearn": "to_sklearn(model)"}
_ROUTED = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
    "inverse_transform",
)


@dataclass_transform(
    eq_default=False, kw_only_default=True, field_specifiers=(param, fitted, removed)
)
class Estimator(Diagram, PairwiseRows):
    """Parameters, representation, fitted state and scikit-learn's protocol.

    A subclass declares its parameters (`param`), or takes them as named arguments of an
    ``__init__`` that stores them unchanged under the same names. ``fit`` takes the checked values
    of declared parameters from `_checked`, computes in local variables, and ends with
    ``return self._publish(X, coef_=coef, ...)``.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import Estimator
    >>> class Center(Estimator):
    ...     def __init__(self, quantile=0.5):
    ...         self.quantile = quantile
    ...
    ...     def fit(self, X, y=None):
    ...         return self._publish(X, center_=np.quantile(X, self.quantile, axis=0))
    >>> model = Center().fit([[1.0, 5.0], [2.0, 7.0], [9.0, 6.0]])
    >>> model, model.center_
    (Center(), array([2., 6.]))
    """

    n_features_in_: int
    feature_names_in_: Array

    _declared: ClassVar[dict[str, Parameter]] = {}
    # Whether some fitted arrays follow the rows of the fit in their type.
    _follows_rows: ClassVar[bool] = False
    # ``_fit_source(source, X)``: become fitted to rows in parts, which the user passed as X; None
    # where there is no exact form for them.
    _fit_source: Any = None
    # Attributes that methods make when they need them, and that no file or pickle keeps.
    _made_when_needed: ClassVar[tuple[str, ...]] = ()
    # Whether the rows are documents, not numbers.
    _takes_documents: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        kind: Any = cls
        declared = collect(kind)
        if "__init__" in kind.__dict__:
            kind.__init__ = ignoring_sklearn_parameters(kind.__init__)
        elif declared != kind._declared:
            kind.__init__ = constructor(kind, declared)
        kind._declared = declared
        kind._follows_rows = any(
            isinstance(value, FollowsRows) for base in kind.__mro__ for value in vars(base).values()
        )
        dispatch_methods(kind)
        for method in _ROUTED:
            names = _metadata_names(kind, method)
            if names:
                setattr(kind, f"set_{method}_request", _request_setter(method, names))

    # ------------------------------------------------------------ parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of this estimator.

        Parameters
        ----------
        deep : bool, default=True
            Also give the parameters of nested estimators, as ``name__parameter``.

        Returns
        -------
        dict of str to object
        """
        params = {}
        for name in self._parameters():
            value = params[name] = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update((f"{name}__{key}", v) for key, v in value.get_params().items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``name__parameter`` reaches into a nested estimator.

        Parameters
        ----------
        **params : object
            New values. They are checked by ``fit``, not here.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If this estimator has no such parameter.
        """
        cls: Any = type(self)
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name in ignored_names(cls):
                check_ignored(type(self), name, value)
            elif name not in _defaults(cls):
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}. "
                    f"Valid parameters are: {list(_defaults(cls))}."
                    f"{did_you_mean(name, _defaults(cls))}"
                )
            if rest:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, inner in nested.items():
            getattr(self, name).set_params(**inner)
        return self

    # ------------------------------------------------------------ representation

    def __repr__(self) -> str:
        changed = ", ".join(f"{name}={shown(value)}" for name, value in self._changed().items())
        return f"{type(self).__name__}({changed})"

    def _checked(self, without: tuple[str, ...] = ()) -> SimpleNamespace:
        """The values of all declared parameters but those named, each checked."""
        kind: Any = type(self)
        sound, values = _checked_defaults(kind), {}
        for name, declared in self._declared.items():
            if name not in without:
                value = getattr(self, name)
                known = value is declared.default and name in sound
                values[name] = sound[name] if known else declared.check(value, name)
        return SimpleNamespace(**values)

    def _checked_value(self, name: str) -> Any:
        """The value of one declared parameter, checked; or what a class has fixed it at."""
        kind: Any = type(self)
        value, declared = getattr(self, name), self._declared.get(name)
        if declared is None:
            return value
        if value is declared.default and name in (sound := _checked_defaults(kind)):
            return sound[name]
        return declared.check(value, name)

    def _reports_by_bar(self) -> bool:
        """Whether ``verbose`` asks for a progress bar: where a fit does not print by itself."""
        kind: Any = type(self)
        return "verbose" in ignored_names(kind)

    def _parameters(self) -> list[str]:
        """Names of the parameters, with those of scikit-learn that were given (`IGNORED`)."""
        kind: Any = type(self)
        ignored = [name for name in ignored_names(kind) if name in self.__dict__]
        return sorted([*_defaults(kind), *ignored])

    def _changed(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        kind: Any = type(self)
        defaults = _defaults(kind)
        changed = {name: getattr(self, name) for name in self._parameters()}
        for name, default in defaults.items():
            value = changed[name]
            # Only plain values are compared, as the comparison of an array is not one truth value.
            plain = isinstance(value, str | int | float) and value == default
            if value is default or plain:
                del changed[name]
        return changed

    # ------------------------------------------------------------ fitted state

    if not TYPE_CHECKING:  # Checkers would take any name for an attribute.

        def __getattr__(self, name: str) -> Any:
            for base in type(self).__mro__:
                there = vars(base).get(name)
                # The attribute exists but raised: asking again raises the same error.
                if hasattr(there, "__get__") and not isinstance(there, FollowsRows):
                    return there.__get__(self, type(self))
            hint = self._hint_of_missing(name)
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}{hint and '.'}{hint}",
                name=name,
                obj=self,
            )

    def _hint_of_missing(self, name: str) -> str:
        """What to do about an attribute that is not there, a sentence after a blank; or nothing."""
        kind: Any = type(self)
        if name == "predict" and hasattr(kind, "fit_predict"):
            other = "approximate_predict" if hasattr(kind, "approximate_predict") else "fit_predict"
            return f" It has no rule for new rows: call {other}."
        if name in _CALLS:
            return f" Call statfast.{_CALLS[name]}."
        unfitted = name in _fitted_names(kind) and not self.__sklearn_is_fitted__()
        return " It is not fitted yet: call fit first." if unfitted else ""

    def _publish(self, X: Any, **fitted: Any) -> Self:
        """Become fitted: all attributes at once, those of an earlier fit gone. Returns self.

        The instance dictionary is swapped whole, so neither an error nor an interrupt
        before this point, nor another thread, ever sees half a fit.
        """
        if "n_features_in_" not in fitted:
            fitted["n_features_in_"] = int(_shape(X)[1])
        names = column_names(X)
        if names is not None:
            fitted["feature_names_in_"] = names
        stale = self.__dict__.get("_fitted", ())
        kept = {name: value for name, value in self.__dict__.items() if name not in stale}
        self.__dict__ = {**kept, **fitted, "_fitted": tuple(fitted)}
        return self

    def _follow_float32(self) -> None:
        """Show the arrays that follow the rows of the fit (`FollowsRows`) as float32."""
        mark, state = "_fitted_to_float32", self.__dict__
        if "_fitted" in state:  # A subclass may have a fit of its own.
            self.__dict__ = {**state, mark: True, "_fitted": (*state["_fitted"], mark)}

    # ------------------------------------------------------------ what cross-validation asks

    # Parameters that work is shared for: candidates of a search that differ in others are planned
    # apart. None: `_plan_folds` sees to that itself.
    _solve_parameters: ClassVar[tuple[str, ...] | None] = None

    def _newton_terms(self, X: Array, y: Any, weights: Array) -> list[NewtonTerms] | None:
        """Of a fitted model what a Newton step needs of the rows of its fit, for each linear
        predictor; None where it has no such step."""
        return None

    def _plan_folds(self, task: FoldTask) -> FoldPlan | None:
        """How to make the models of all folds in less than a fit for each; None where that is not
        to be had. It is decided here: what fails later is an error."""
        return None

    # Whether there is a plan of folds whose rows are scaled once.
    _plans_scaled_folds: ClassVar[bool] = False

    def _plan_scaled_folds(self, task: FoldTask, scaled: ScaledFolds) -> FoldPlan | None:
        """The same for rows that a scaler before has scaled once for all folds; models are those of
        scalers that are fitted to each fold, or errors, or pipelines that were refitted."""
        return None

    def _fits_targets_independently(self) -> bool:
        """Whether the fit to a table of targets is the fit to each column, by shared work."""
        return False

    @staticmethod
    def _predict_together(models: list[Any], rows: Any) -> Array | None:
        """What models of many candidates predict, (models, m), by one product; None where there is
        none for them."""
        return None

    # ------------------------------------------------------------ what conformal intervals ask

    def _left_out_fits(self) -> LeftOutFits | None:
        """Of a fitted model the fits to all rows but one, which it keeps with ``store_left_out`` if
        it has that parameter; None where they are not to be had."""
        return None

    def _full_fits(self, X: Any, y: Array, weights: Array | None) -> FullFits | None:
        """The fits to all rows and a new one, of any target; None where they are not to be had."""
        return None

    def _answers_of_members(self, rows: Any) -> Array | None:
        """What each member of a fitted ensemble predicts of rows, (b, members); None where members
        are asked one by one."""
        return None

    # ------------------------------------------------------------ copies and pickles

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_statfast_version": _version()}
        for name in self._made_when_needed:
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written = state.pop("_statfast_version", "unknown")
        self.__dict__.update(state)
        if written != _version():
            warn_user(
                f"This {type(self).__name__} was pickled by statfast {written} and is read by "
                f"{_version()}. Fit it again if it misbehaves."
            )

    # ------------------------------------------------------------ what scikit-learn asks

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            input_tags=InputTags(pairwise=is_pairwise(self)),
        )

    def get_metadata_routing(self) -> Any:
        """Which metadata this estimator's methods ask scikit-learn's meta-estimators for.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        wanted = self.__dict__.get("_metadata_request", {})
        cls: Any = type(self)
        request = MetadataRequest(owner=self)
        for method in _ROUTED:
            for name in _metadata_names(cls, method):
                alias = wanted.get(method, {}).get(name)
                getattr(request, method).add_request(param=name, alias=alias)
        return request


# ---------------------------------------------------------------- parameters


@cache
def _defaults(cls: Any) -> dict[str, Any]:
    """Parameter names of ``cls``, sorted as scikit-learn sorts them, with their defaults."""
    parameters = dict(inspect.signature(cls).parameters)
    return {name: parameters[name].default for name in sorted(parameters)}


@cache
def _checked_defaults(cls: Any) -> dict[str, Any]:
    """Defaults as they are computed with, of parameters whose check does not refuse them."""
    checked = {}
    for name, declared in cls._declared.items():
        if isinstance(declared.default, str | int | float | NoneType):
            try:
                checked[name] = declared.check(declared.default, name)
            # The check raises this error again whenever it is called.
            except (TypeError, ValueError):
                continue
    return checked


@cache
def _fitted_names(cls: Any) -> frozenset[str]:
    """The attributes that ``fit`` sets: those declared, and those of the docstring."""
    declared = {name for base in cls.__mro__ for name in vars(base).get("_class_declarations", {})}
    _, _, section = (inspect.getdoc(cls) or "").partition("\nAttributes\n")
    documented = re.findall(r"^(\w[\w, ]*) :", section.partition("\n\n")[0], re.MULTILINE)
    names = declared.union(*(line.split(", ") for line in documented))
    return frozenset(name for name in names if name.endswith("_") and name[0] != "_")


def _shape(X: Any) -> Any:
    shape = getattr(X, "shape", None)
    return np.asarray(X).shape if shape is None else shape


def _version() -> str:
    return sys.modules["statfast"].__version__


# ---------------------------------------------------------------- metadata routing


class _Requests(dict[str, Any]):
    """Per method, the metadata asked for. ``sklearn.clone`` would choke on the plain values."""

    def __sklearn_clone__(self) -> Self:
        return copy.deepcopy(self)


@cache
def _metadata_names(cls: Any, method: str) -> tuple[str, ...]:
    """Arguments of ``cls.method`` other than the data: what scikit-learn calls metadata."""
    function = getattr(cls, method, None)
    if function is None:
        return ()
    data = {"X", "y", "Y", "Xt", "yt"}
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return tuple(sorted(p.name for p in parameters if p.name not in data and p.kind in plain))


def _request_setter(method: str, names: tuple[str, ...]) -> Any:
    def set_request(self: Any, **requests: Any) -> Any:
        unknown = sorted(set(requests) - set(names))
        if unknown:
            raise TypeError(f"Unexpected args: {unknown}. {method} accepts {list(names)}.")
        wanted = copy.deepcopy(self.__dict__.get("_metadata_request", _Requests()))
        wanted.setdefault(method, {}).update(requests)
        self._metadata_request = wanted
        return self

    set_request.__name__ = f"set_{method}_request"
    set_request.__doc__ = f"""Set the metadata that ``{method}`` requests in metadata routing.

        Parameters
        ----------
        {", ".join(names)} : bool, None or str
            True asks for it, False refuses it, None makes passing it an error, a string asks for
            it under that name.

        Returns
        -------
        self
        """
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names
    ]
    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    set_request.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [self_parameter, *keywords]
    )
    return set_request
