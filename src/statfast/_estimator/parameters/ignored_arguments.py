# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of scikit-learn that have no meaning here, accepted where they change no result.

A program that changes its import keeps working: ``Lasso(copy_X=False, selection="random")`` fits
what ``Lasso()`` fits. Such parameters are in no signature, and in ``get_params`` only if they were
given. A value that would change a result in scikit-learn is refused with a sentence. ``verbose``
shows a progress bar (`Estimator._reports_by_bar`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeAlias, TypeVar

from statfast._engine import hook, named_call
from statfast._validation import did_you_mean, either, shown

Values: TypeAlias = tuple[Any, ...] | None
Function = TypeVar("Function", bound=Callable[..., Any])
ANY = None  # Stands for all values of a parameter.
_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
_RIDGE = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
_RIDGES = "Ridge RidgeClassifier"
_COPIED = "KMeans BisectingKMeans"
_LASSO = "Lasso ElasticNet MultiTaskLasso MultiTaskElasticNet"
_LASSO_CV = "LassoCV ElasticNetCV MultiTaskLassoCV MultiTaskElasticNetCV"
_MACHINES = "SVC NuSVC SVR NuSVR OneClassSVM"
_LOGISTIC = "LogisticRegression LogisticRegressionCV"
_TWEEDIE = "TweedieRegressor PoissonRegressor GammaRegressor"
_COMBINATIONS = "VotingClassifier VotingRegressor StackingClassifier StackingRegressor"
_SEARCHES = "GridSearchCV RandomizedSearchCV"
_HALVINGS = "HalvingGridSearchCV HalvingRandomSearchCV"
_NO_MEMORY = "Results of a fit are not kept in a file."

# Classes, a parameter, its values that change no result, and why other values would.
_ROWS = (
    (_COPIED, "copy_x", ANY, ""),
    (f"{_LASSO} {_LASSO_CV} LinearRegression {_RIDGES}", "copy_X", ANY, ""),
    ("LassoCV ElasticNetCV", "precompute", ANY, ""),
    (f"{_LASSO} {_LASSO_CV}", "selection", ("cyclic", "random"), ""),
    (f"{_LASSO} {_LASSO_CV} {_RIDGES} {_LOGISTIC}", "random_state", ANY, ""),
    (f"{_LASSO_CV} {_LOGISTIC} {_MACHINES} {_SEARCHES} {_HALVINGS}", "verbose", ANY, ""),
    ("LinearSVC LinearSVR BaggingClassifier BaggingRegressor", "verbose", ANY, ""),
    ("NMF OneVsRestClassifier ClassifierChain RegressorChain", "verbose", ANY, ""),
    ("NMF", "shuffle", ANY, ""),
    (_COMBINATIONS, "verbose", ANY, ""),
    (_LOGISTIC, "solver", _SOLVERS, ""),
    (_LOGISTIC, "dual", ANY, ""),
    ("LogisticRegressionCV", "penalty", ("deprecated", "l2"), "Pass l1_ratios."),
    (
        "LogisticRegressionCV",
        "use_legacy_attributes",
        (False, "warn"),
        "C_, l1_ratio_ and scores_ are those of all classes together.",
    ),
    ("LogisticRegression", "penalty", ANY, ""),  # The penalty is checked against C and l1_ratio.
    (_LOGISTIC, "intercept_scaling", (1,), "The intercept is not penalized."),
    (_MACHINES, "shrinking", ANY, ""),
    (_RIDGES, "solver", _RIDGE, ""),
    (_RIDGES, "max_iter", ANY, ""),
    (_TWEEDIE, "solver", ("lbfgs", "newton-cholesky"), ""),
    (_TWEEDIE, "verbose", ANY, ""),
    (_RIDGES, "tol", ANY, ""),
    ("KernelDensity", "algorithm", ("auto", "kd_tree", "ball_tree"), ""),
    ("KernelDensity", "breadth_first", ANY, ""),
    ("LedoitWolf", "block_size", ANY, ""),
    ("RidgeCV", "gcv_mode", (None, "auto", "svd", "eigen"), ""),
    ("AgglomerativeClustering", "compute_full_tree", (True, False, "auto"), ""),
    ("AgglomerativeClustering", "memory", (None,), _NO_MEMORY),
    ("BisectingKMeans", "algorithm", ("lloyd", "elkan"), ""),
    ("HDBSCAN", "algorithm", ("auto", "brute", "kd_tree", "ball_tree"), ""),
    ("HDBSCAN", "leaf_size", ANY, ""),
    ("HDBSCAN", "copy", ANY, ""),
    ("KBinsDiscretizer", "subsample", ANY, ""),
    ("KBinsDiscretizer", "random_state", ANY, ""),
    ("QuantileTransformer", "subsample", ANY, ""),
    ("QuantileTransformer", "random_state", ANY, ""),
    ("PolynomialFeatures", "order", ("C", "F"), ""),
    ("KernelRidge", "kernel_params", (None,), "Pass a kernel object with its parameters."),
    (_SEARCHES, "pre_dispatch", ANY, ""),
)
IGNORED: dict[tuple[str, str], tuple[Values, str]] = {
    (kind, name): (values, why) for kinds, name, values, why in _ROWS for kind in kinds.split()
}


@cache
def ignored_names(cls: type) -> frozenset[str]:
    """Names of the parameters that the class, or one that it is derived from, accepts."""
    kinds = [base.__name__ for base in cls.__mro__]
    return frozenset(name for kind, name in IGNORED if kind in kinds)


def check_ignored(cls: type, name: str, value: Any) -> None:
    """Refuse a value that would change a result in scikit-learn."""
    kinds = [base.__name__ for base in cls.__mro__]
    values, why = next(IGNORED[kind, name] for kind in kinds if (kind, name) in IGNORED)
    if values is not ANY and not _harmless(value, values):
        hint = f"{did_you_mean(value, values)} ".lstrip() if isinstance(value, str) else ""
        raise ValueError(
            f"{cls.__name__} takes {name} from scikit-learn's parameters only as "
            f"{either(values)}; got {shown(value)}. {hint}{why}".rstrip()
        )


def _harmless(value: Any, values: tuple[Any, ...]) -> bool:
    # The comparison of an array would not be one truth value.
    plain = isinstance(value, str | int | float)
    return any(value is known or (plain and value == known) for known in values)


def ignoring_sklearn_arguments(**ignored: Values) -> Callable[[Function], Function]:
    """Have a function take these keywords, too: of scikit-learn's, where they change no result.

    With ``verbose`` it shows a progress bar.
    """

    def decorated(function: Function) -> Function:
        @wraps(function)
        def wrapped(*args: Any, **arguments: Any) -> Any:
            verbose = False
            for name, values in ignored.items():
                if name not in arguments:
                    continue
                value = arguments.pop(name)
                verbose = verbose or (name == "verbose" and value)
                if values is not ANY and not _harmless(value, values):
                    raise ValueError(
                        f"{function.__name__} takes {name} from scikit-learn's parameters only as "
                        f"{either(values)}; got {shown(value)}. Leave it out."
                    )
            if not verbose and hook() is None:
                return function(*args, **arguments)
            with named_call(function.__name__, verbose):
                return function(*args, **arguments)

        wrapped.ignored = ignored  # type: ignore[attr-defined]
        return wrapped  # type: ignore[return-value]

    return decorated


def ignoring_sklearn_parameters(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that takes, beside its own parameters, those of the table."""
    parameters = inspect.signature(init).parameters

    @wraps(init)
    def __init__(self: Any, *args: Any, **arguments: Any) -> None:
        ignored = {name: arguments.pop(name) for name in list(arguments) if name not in parameters}
        for name, value in ignored.items():
            check_other(type(self), name, value, [*parameters][1:])
        init(self, *args, **arguments)
        self.__dict__.update(ignored)

    return __init__


def check_other(cls: type, name: str, value: Any, names: list[str]) -> None:
    """Refuse an argument that is none of the parameters ``names``, unless the table has it."""
    if name not in ignored_names(cls):
        hint = did_you_mean(name, names) or f" It has: {', '.join(sorted(names))}."
        raise TypeError(f"{cls.__name__} has no parameter {name!r}.{hint}")
    check_ignored(cls, name, value)
