# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values: what each column adds to the answer of a model for a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._typing import Array, Jobs, Rows, Seed
from statfast._validation import (
    as_choice,
    as_count,
    as_csr,
    as_estimator,
    as_flag,
    as_generator,
    as_rows,
    column_names,
    frame_columns,
    is_sparse,
    not_fitted,
    refuse_large,
    shape_of,
    wrong_type,
)
from statfast.inspection.row_table import RowTable
from statfast.inspection.shap_permutations import (
    MAX_EXACT_COLUMNS,
    RowMixtures,
    exact_values,
    permutation_values,
)
from statfast.inspection.shap_results import ShapExplanation
from statfast.inspection.tree_shap import TreeGame, with_main_effects

METHODS = ("auto", "tree", "linear", "permutation")
RESPONSES = ("auto", "predict_proba", "decision_function", "predict")
MAX_BACKGROUND = 100  # rows of X that are the background, where there is no other


def shap_values(
    model: Any,
    X: Rows,
    background: Rows | None = None,
    *,
    method: Literal["auto", "tree", "linear", "permutation"] = "auto",
    response_method: Literal["auto", "predict_proba", "decision_function", "predict"] = "auto",
    interactions: bool = False,
    n_permutations: int = 10,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> ShapExplanation:
    """Shapley values: what each column adds to the answer of a model for each row.

    Parameters
    ----------
    model : estimator
        Fitted: exact and fast for trees, forests, extra-trees, gradient boosting, AdaBoost of
        trees, isolation forests, and linear models; any other that predicts numbers or
        probabilities.
    X : array-like or sparse matrix of shape (n, p)
        Rows to explain. A data frame stays one.
    background : array-like of shape (b, p), optional
        Rows whose values columns have where they are not asked about. None is, for trees, the
        shares of the weights of the fit that went each way at a split; for others X itself, or 100
        of its rows drawn at random.
    method : {"auto", "tree", "linear", "permutation"}, default="auto"
        "tree" for sums of trees; "linear" is a closed form; "permutation" asks the model about
        mixed rows: with all subsets of the columns where they are no more than the permutations
        would take, which is exact, else in random orders. "auto" takes the first that fits the
        model.
    response_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What is explained. "auto" is what the model sums: probabilities of trees and forests, raw
        scores of boosting, linear predictors; of other models the first of the three that they
        have.
    interactions : bool, default=False
        Whether to divide values among pairs of columns; not in random orders.
    n_permutations : int, default=10
        Pairs of a random order and its reverse for each row; at least 2.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the orders and background rows; an integer makes the result
        reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ShapExplanation

    Raises
    ------
    ValueError
        If X has another width than at fit, or other columns than the background, a method or a
        response is not what the model has, interactions are asked for in random orders, or a row
        would be its own background.
    MemoryError
        If the values take more than half the free memory.

    Notes
    -----
    Values of a row and its base value sum to the answer of the model, up to rounding. In trees a
    column that other splits depend on earns by the rows of the fit [1]_; against a background it
    earns by what the model does with mixed rows, whether there are such rows or not. Missing values
    and categories go as the trees send them. Of a linear model value j is the coefficient times the
    distance of column j from its mean in the background.

    Trees without a background are taken by the integral of the multilinear extension along its
    diagonal [2]_ at points of Gauss-Legendre, which is exact, for trees of any depth and columns
    that come again on a path. Rows that go the same ways in a small subtree, and on the path to it,
    share what it adds, so that thousands of rows cost less than as many calls. Cost: at most rows
    times leaves times columns of a path [3]_, as many times the columns for interactions; with a
    background at most rows times its rows times the leaves that mixtures of both reach. Random
    orders: 2 p n_permutations b answers for each row, with standard errors. Memory: the values, and
    some megabytes for each thread.

    References
    ----------
    .. [1] Lundberg, S. M. et al. (2020). From local explanations to global understanding with
       explainable AI for trees. Nature Machine Intelligence 2, 56-67.
       https://doi.org/10.1038/s42256-019-0138-9
    .. [2] Owen, G. (1972). Multilinear extensions of games. Management Science 18, 64-79.
       https://doi.org/10.1287/mnsc.18.5.64
    .. [3] Yu, P., Bifet, A., Read, J. and Xu, C. (2022). Linear TreeShap. Advances in Neural
       Information Processing Systems 35. https://arxiv.org/abs/2209.08192

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import RandomForestRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import shap_values
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> model = RandomForestRegressor(random_state=0).fit(X, width)
    >>> explanation = shap_values(model, X[[0, 75, 149]])
    >>> explanation.values.round(2)  # the third column, the length of petals, decides
    array([[ 0.02,  0.06, -1.04],
           [ 0.02,  0.03,  0.15],
           [-0.01, -0.01,  0.73]])

    A base value and the values of its row sum to the prediction:

    >>> (explanation.base_values + explanation.values.sum(axis=1)).round(2)
    array([0.25, 1.4 , 1.91])
    >>> model.predict(X[[0, 75, 149]]).round(2)
    array([0.25, 1.4 , 1.91])
    """
    if isinstance(model, type):
        raise wrong_type("model", "a fitted estimator", model)
    if getattr(model, "__sklearn_is_fitted__", lambda: True)() is False:
        raise not_fitted(model)
    method = as_choice(method, "method", METHODS)
    wanted = as_choice(response_method, "response_method", RESPONSES)
    pairs = as_flag(interactions, "interactions")
    count = as_count(n_permutations, "n_permutations", low=2)
    generator = as_generator(random_state)
    if len(shape_of(X)) != 2:
        X = as_rows(X, finite=False)
    problem = _ExplainedRows(model, X, background, wanted, pairs, n_jobs)
    answer = None
    if method in ("auto", "tree"):
        answer = problem.of_trees(method == "tree")
    if answer is None and method in ("auto", "linear"):
        answer = problem.of_line(method == "linear")
    if answer is None:
        answer = problem.of_answers(count, generator)
    return problem.result(*answer)


class _ExplainedRows:
    """A model, the rows to explain, and what is asked about them."""

    def __init__(
        self, model: Any, X: Any, background: Any, wanted: str, pairs: bool, n_jobs: Jobs
    ) -> None:
        self.model, self.wanted, self.pairs, self.n_jobs = model, wanted, pairs, n_jobs
        self.X, self.background = X, background
        self.n, self.p = shape_of(X)
        if background is not None and tuple(shape_of(background))[1:] != (self.p,):
            raise ValueError(
                f"background must have the {self.p} columns of X; got shape "
                f"{tuple(shape_of(background))}. Pass the same columns."
            )
        for rows, name in ((X, "X"), (background, "background")):
            if rows is not None and not shape_of(rows)[0]:
                raise ValueError(f"{name} has no rows. Pass at least one.")
        names, others = column_names(X), column_names(background)
        if names is not None and others is not None and (names != others).any():
            j = int(np.argmax(names != others))
            raise ValueError(
                f"background must have the columns of X, in the same order; column {j} is "
                f"{others[j]!r}, and {names[j]!r} in X. Pass background[X.columns]."
            )

    # ------------------------------------------------------------ trees
    def of_trees(self, required: bool) -> Any:
        """Values of a sum of trees; None, or an error if they are required, for other models."""
        sums = getattr(self.model, "_additive_trees", None)
        trees: Any = None if sums is None else sums()
        fits = trees is not None and self.wanted in ("auto", trees.response)
        if not fits or (self.background is not None and trees.predictor.surrogates[0] is not None):
            if required:
                raise ValueError(
                    f"method='tree' is for sums of trees; {type(self.model).__name__} with "
                    f"response_method={self.wanted!r} is none, or has surrogate splits and a "
                    "background. Choose method='permutation'."
                )
            return None
        game, twos = TreeGame(trees, _dense(trees.rows_of(self.X))), None
        if self.background is None:
            values, base = game.covered(False, self.n_jobs), game.mean
            if self.pairs:
                twos = game.covered(True, self.n_jobs)
        else:
            other = _dense(trees.rows_of(self.background))
            rows = np.ascontiguousarray(other, dtype=np.float64)
            values = game.against(rows, False, self.n_jobs)
            base = game.first + game.answers(rows, self.n_jobs).mean(axis=0)
            if self.pairs:
                twos = game.against(rows, True, self.n_jobs)
        return values, base, twos, None, "tree", trees.response

    # ------------------------------------------------------------ linear models
    def of_line(self, required: bool) -> Any:
        """Values of a linear model in closed form; None, or an error, for other models."""
        line = self._line()
        if line is None:
            if required:
                raise ValueError(
                    f"method='linear' is for models with coef_ and intercept_ whose answers are "
                    f"X @ coef_ + intercept_; {type(self.model).__name__} with response_method="
                    f"{self.wanted!r} is none. Choose method='permutation'."
                )
            return None
        self._require_others()
        rows, coef, intercept, response = line
        refuse_large(
            8.0 * self.n * self.p * len(coef) * (self.p if self.pairs else 1),
            "Shapley values", "Pass fewer rows.",
        )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore"):
            mean = (rows if self.background is None else _numbers(self.background)).mean(axis=0)
            values, base = (rows - mean)[:, :, None] * coef.T, coef @ mean + intercept
        if not (np.isfinite(values).all() and np.isfinite(base).all()):
            raise ValueError(
                "X times coef_ leaves the range of floats. Fit the model to columns of another "
                "unit."
            )
        twos = np.zeros((self.n, self.p, self.p, len(coef))) if self.pairs else None
        return values, base, twos, None, "linear", response

    def _require_others(self) -> None:
        """Refuse a row that is its own background, against which all values are 0."""
        if self.background is None and self.n == 1:
            raise ValueError(
                f"X is one row, and the background of {type(self.model).__name__}: all values "
                "would be 0. Pass rows of the fit as background."
            )

    def _line(self) -> Any:
        """Rows, coefficients (outputs, p), intercepts, and the response that they are."""
        # Where a class has coefficients as a property, they are not among its variables.
        coef, intercept = (
            getattr(self.model, "__dict__", {}).get(name, getattr(self.model, name, None))
            for name in ("coef_", "intercept_")
        )
        if coef is None or intercept is None or self.wanted == "predict_proba":
            return None
        coef = np.atleast_2d(np.asarray(coef, dtype=np.float64))
        if coef.shape[1] != self.p:
            return None
        try:
            rows = _numbers(self.X)
        except (TypeError, ValueError):
            return None
        intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64).ravel(), len(coef))
        line = rows @ coef.T + intercept
        names = ("decision_function", "predict") if self.wanted == "auto" else (self.wanted,)
        for name in names:
            if callable(getattr(self.model, name, None)):
                answers = np.asarray(getattr(self.model, name)(self.X))
                if answers.dtype.kind in "fiu" and _same(line, answers):
                    return rows, coef, intercept, name
        link = getattr(self.model, "family", None) is not None and self.wanted == "auto"
        return (rows, coef, intercept, "link") if link else None

    # ------------------------------------------------------------ any model
    def of_answers(self, count: int, generator: np.random.Generator) -> Any:
        """Values from answers of the model for mixed rows."""
        table = RowTable(_plain(self.X))
        if self.background is not None:
            background = RowTable(_plain(self.background))
        elif self.n <= MAX_BACKGROUND:
            self._require_others()
            background = table
        else:
            background = table.part(np.sort(generator.choice(self.n, MAX_BACKGROUND, False)))
        answers, response = _answers_of(self.model, self.wanted)
        mixed = RowMixtures(answers, table, background)
        entropy, twos = int(generator.integers(2**63)), None
        if self.p <= MAX_EXACT_COLUMNS and 2**self.p <= 2 * self.p * count:
            values, base, twos = exact_values(mixed, self.pairs, self.n_jobs)
            return values, base, twos, None, "exact", response
        if self.pairs:
            raise ValueError(
                f"interactions of {type(self.model).__name__} need all subsets of the columns of X "
                f"({self.p}). Set n_permutations to {-(-(2**self.p) // (2 * self.p))} for this, or "
                "explain a sum of trees."
            )
        values, base, errors = permutation_values(mixed, count, entropy, self.n_jobs)
        return values, base, None, errors, "permutation", response

    # ------------------------------------------------------------ the result
    def result(
        self, values: Array, base: Array, twos: Any, errors: Any, method: str, response: str
    ) -> ShapExplanation:
        """Values with names; a single output has no axis of its own."""
        names = _output_names(self.model, values.shape[-1])
        if self.pairs:
            values = with_main_effects(twos, values)
        base = np.tile(base, (self.n, 1))
        if values.shape[-1] == 1:
            values, base, names = values[..., 0], base[:, 0], names[0] if names else None
            errors = None if errors is None else errors[..., 0]
        data, features = _named_data(self.X)
        return ShapExplanation(values, base, data, features, names, errors, method, response)


def _dense(rows: Any) -> Any:
    """Rows of trees as an array."""
    sparse = getattr(rows, "rows", None)
    if sparse is None:
        return rows
    refuse_large(8.0 * np.prod(rows.shape), "Dense rows", "Pass fewer rows.")
    return sparse.toarray()


def _named_data(X: Any) -> tuple[Array, list[str]]:
    """Rows as an array, of objects if any column holds no numbers, and names of columns."""
    columns, names = frame_columns(X), column_names(X)
    if columns is None:
        columns = list(np.array(as_rows(_plain(X), finite=False)).T)
    numbers = all(column.dtype.kind in "fiub" for column in columns)
    data = np.empty((len(columns[0]), len(columns)), np.float64 if numbers else object)
    for j, column in enumerate(columns):
        data[:, j] = column
    places = range(len(columns))
    return data, [f"x{j}" for j in places] if names is None else [str(name) for name in names]


def _plain(X: Any) -> Any:
    if not is_sparse(X):
        return X
    rows = as_csr(X, finite=False)
    refuse_large(8.0 * np.prod(rows.shape), "Dense rows", "Pass fewer rows.")
    return rows.toarray()


def _numbers(X: Any) -> Array:
    return np.asarray(as_rows(_plain(X)), dtype=np.float64)


def _same(line: Array, answers: Array) -> bool:
    """Whether answers are those of a line, up to rounding."""
    answers = answers.reshape(len(answers), -1)
    if answers.shape != line.shape:
        return False
    scale = np.abs(line).max(initial=0.0) + np.abs(answers).max(initial=0.0)
    return bool(np.abs(line - answers).max(initial=0.0) <= 1e-9 * scale)


def _answers_of(model: Any, wanted: str) -> tuple[Callable[[Any], Array], str]:
    """A function from rows to answers, (m, outputs), and the method that it calls."""
    offered = [name for name in RESPONSES[1:] if callable(getattr(model, name, None))]
    if not offered:
        as_estimator(model, "model", method="predict", wanted="a fitted estimator")
    name = offered[0] if wanted == "auto" else wanted
    if name not in offered:
        raise ValueError(
            f"response_method must be a method of {type(model).__name__}, which has {offered}; got "
            f"{wanted!r}."
        )

    def answers(X: Any) -> Array:
        answer = getattr(model, name)(X)
        if isinstance(answer, list):
            answer = np.concatenate([np.asarray(part) for part in answer], axis=1)
        answer = np.asarray(answer)
        if answer.dtype.kind not in "fiub":
            raise ValueError(
                f"response_method='predict' of {type(model).__name__} gives labels, which have no "
                "sums. Choose 'predict_proba' or 'decision_function'."
            )
        return answer.reshape(len(answer), -1).astype(np.float64)

    return answers, name


def _output_names(model: Any, count: int) -> list[str] | None:
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list):
        names = [f"y{k}={label}" for k, part in enumerate(classes) for label in part.tolist()]
    elif classes is not None:
        names = [str(label) for label in np.asarray(classes).tolist()]
        names = names[-1:] if count == 1 else names
    else:
        names = [f"y{k}" for k in range(count)] if count > 1 else []
    return names if len(names) == count else [f"y{k}" for k in range(count)] if count > 1 else None
