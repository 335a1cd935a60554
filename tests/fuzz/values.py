# SPDX-License-Identifier: BSD-3-Clause
"""Values for parameters: valid, at the boundary, wrong.

A declared parameter has them from its check, others from their documented types. What neither can
tell, as it depends on the data or is long work, is in the tables.
"""

from fractions import Fraction

import numpy as np
from scipy import sparse, stats

from statfast.feature_selection import (
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
    r_regression,
)
from statfast.metrics import make_scorer
from statfast.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from tests.fuzz.inputs import choose, scale
from tests.fuzz.surface import words

# Parameters of which a large value means long work, given always and kept small.
COSTLY = {
    "n_boot": (1, 2, 5),
    "n_trials": (1, 5, 20),
    "n_init": (1, 2, 3),
    "k_max": (1, 2, 3, 4),
    "resolution": (2, 5, 9),
    "n_samples": (1, 2, 5),
    "n_tables": (None, 1, 2, 5),
    "hash_length": (None, 1, 3, 8),
    "n_candidates": (1, 5, 20),
    "n_classifiers": (None, 1, 3, 8),
    "code_size": (None, 0.5, 1.5, 3.0),
    "max_iter": (1, 2, 10, 100, 300),
    "n_knots": (1, 2, 4, 6),
    "degree": (0, 1, 2, 3),
    "cv": (2, 3),
    "sample_size": (None, "auto", 5, 10),
    "batch_size": (1, 3, 20, 1024),
    "init_size": (None, 5, 20),
    "n_probes": (None, 1, 2, 10),
    "n_repeats": (1, 2, 3),
    "n_splits": (2, 2, 3, 5),
    "n_resamples": (2, 20, 50),
    "n_bootstraps": (1, 2, 5, 20),
    "n_rounds": (1, 2, 5, 10),
    "n_estimators": (1, 2, 3, 8),
    "n_permutations": (1, 5, 19),
    "n_iter": (1, 2, 5),
    "n_points": (2, 5, 50),
    "grid_resolution": (2, 5, 20),
    "copy": (True,),  # without, rows may be written over
}
# "No end" is what it says: a machine that a large C keeps busy for minutes is no defect.
ENDLESS = {"max_iter": (1, 10, 500, 5000)}


def quiet(*anything, **more):
    """A hook for progress."""


JOBS = (None, 1, 1, 2, 3, 7, -1)
INTEGERS = (1, 2, 2, 3, 3, 4, 5, 7, 10)
INTEGER_EDGES = (
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    -(2**63),
    np.int8(2),
    np.uint64(3),
    True,
    3.0,
    "n",
    "n+1",
)
COUNT_EDGES = (0, -1, 1, 2, np.int16(2), True, 3.0, -(2**63), 2**70)
REALS = (0.1, 0.25, 0.5, 0.9, 1.0, 1.5, 2.0, 3.0, 10.0)
REAL_EDGES = (
    0, 0.0, -0.0, 1, -1.0, 1e-3, 1e-8, 5e-324, 1e-300, 1e-160, 1e160, 1e300, 1.7e308, np.inf,
    -np.inf, np.nan, np.float32(0.5), np.float64(2), Fraction(1, 3), True, 1 - 1e-16, 1e4,
)  # fmt: skip
WRONG = (
    "nonsense", "", None, [], (), {}, object(), 1j, b"x", np.array(2), np.array([1.0, 2.0]),
    np.nan, -3, 2.5, "1", [1, 2], {"a": 1}, quiet, np.inf, set(), frozenset({1}), range(3),
    slice(None), 10**400, -1e400, np.ma.masked, np.datetime64("2020-01-01"), True, np.str_("auto"),
    Ellipsis,
)  # fmt: skip


def city(a, b):
    """A metric as a user writes it."""
    return float(np.abs(a - b).sum())


def product(A, B):
    """A kernel as a user writes it."""
    return np.asarray(A) @ np.asarray(B).T


def falling(distances):
    """Weights of neighbors as a user writes them."""
    return 1 / (1 + distances)


def first_rows(X, n_clusters, *more_values, **more):
    """A start as a user writes it."""
    return X[:n_clusters]


def halves(X, n_clusters):
    """A clustering as a user writes it."""
    return np.arange(len(X)) * n_clusters // len(X)


def right(y, predicted):
    """A score as a user writes it."""
    return float(np.mean(np.asarray(y) == np.asarray(predicted)))


CALLABLES = {
    "metric": city,
    "d": city,
    "score_func": right,
    "kernel": product,
    "weights": falling,
    "init": first_rows,
    "method": halves,
    "function": product,
    "callback": quiet,
    "hook": quiet,
}


def column_scores(X, y):
    """Scores of columns as a user writes them."""
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    return np.abs(X).sum(axis=0)


def one_score(X, y):
    """A score that is none of columns."""
    return 1.0


SCORE_FUNCTIONS = (
    f_classif, f_regression, r_regression, chi2, mutual_info_classif, mutual_info_regression,
    column_scores, one_score,
)  # fmt: skip


def metric_params(rng, data):
    d = data.d
    options = (
        None,
        {},
        {"p": choose(rng, (1, 1.5, 2, 3, 7.5, np.inf))},
        {"w": rng.uniform(0, 2, d)},
        {"V": rng.uniform(0.1, 2, d)},
        {"V": np.eye(d) + 0.3},
        {"VI": np.eye(d) + 0.3},
        {"w": rng.uniform(-1, 2, d + 1)},
        {"V": np.zeros((d, d))},
        {"kinds": [choose(rng, ("numeric", "nominal", "ordinal", "asymmetric")) for _ in range(d)]},
        {"kinds": {0: choose(rng, ("nominal", "ordinal", 3))}, "w": rng.uniform(0, 2, d)},
        {"nonsense": 1},
        {"p": object()},
    )
    return choose(rng, options)


def splits(rng, data):
    """Ways to divide rows into folds."""
    few = max(data.n // 2, 1)
    made = (
        lambda: KFold(2),
        lambda: KFold(3, shuffle=True, random_state=0),
        lambda: StratifiedKFold(2),
        lambda: ShuffleSplit(2, test_size=0.3, random_state=0),
        lambda: GroupKFold(2),
        lambda: [
            (np.arange(few), np.arange(few, data.n)),
            (np.arange(few, data.n), np.arange(few)),
        ],
        lambda: [(np.arange(data.n) % 2 == 0, np.arange(data.n) % 2 == 1)],
        lambda: [(np.arange(few), np.arange(0))],
    )
    return choose(rng, made)()


SCORES = (
    ("accuracy", "balanced_accuracy", "neg_log_loss", "roc_auc_ovr", "f1_macro", "roc_auc", "f1"),
    ("r2", "neg_mean_squared_error", "neg_mean_absolute_error", "max_error"),
)


def scoring(rng, kind):
    """Names of scores, a function, or several names where they are taken."""
    names = choose(rng, (*SCORES, SCORES[0]))
    u = rng.random()
    if u < 0.15:
        return make_scorer(right)
    if u < 0.3 and "list" in kind:
        return choose(rng, (list(names[:2]), {"a": names[0]}, (), ["nonsense"]))
    return choose(rng, (None, *names))


GRIDS = (
    {"C": [0.1, 1.0]},
    {"n_neighbors": [1, 2]},
    {"alpha": [0.1, 1.0]},
    {"n_neighbors": [1, 3]},
    {"alpha": [0.0, 1.0]},
    [{"alpha": [0.1]}, {"alpha": [1.0], "fit_intercept": [False]}],
    {"max_depth": [1, 3]},
    {"var_smoothing": [1e-9, 1e-3]},
    {"nonsense": [1]},
    {"C": []},
    {"C": 1.0},
    {},
)


def matrices(rng, data):
    """Costs of decisions."""
    k = max(data.k, 2)
    made = (1 - np.eye(k), rng.uniform(0, 3, (k, k)), rng.uniform(0, 3, (k, k + 1)), -np.eye(k))
    return choose(rng, (*made, np.zeros((k, k)), np.eye(2), [[0, 1], [1, 0]], (1.0, 2.0)))


def arrays(rng, data):
    """Short arrays for parameters that take some: penalties, priors, grids, radii."""
    k = data.k
    size = int(rng.integers(1, 5))
    return choose(
        rng,
        (
            lambda: rng.uniform(0.01, 2, size),
            lambda: (10.0 ** rng.uniform(-6, 3, size)).tolist(),
            lambda: np.full(max(k, 1), 1 / max(k, 1)),
            lambda: rng.integers(1, 8, size),
            lambda: list(range(1, 2 + size)),
            lambda: rng.uniform(0.01, 2, data.n),
            lambda: [0.5],
            lambda: [0.0, 1.0],
            lambda: np.array([]),
            lambda: [np.nan],
            lambda: data.X[: data.k],
            lambda: [[1.0, 2.0], [3.0]],
            lambda: rng.choice([-1, 0, 1], (max(k, 1), size)),
            lambda: (2, 2),
            lambda: (1, -1),
        ),
    )()


def one_of(*options):
    return lambda rng, data: choose(rng, options)


BY_NAME = {
    "param_grid": one_of(*GRIDS),
    "param_distributions": one_of(*GRIDS, {"C": stats.uniform(0.1, 2)}),
    "param_name": one_of("C", "alpha", "n_neighbors", "n_neighbors", "nonsense"),
    "param_range": one_of([1, 2], (0.5, 1.0), [1, 3, 5]),
    "train_sizes": one_of((0.5, 1.0), [2, 5], [0.1], np.linspace(0.1, 1, 4), [0], [10**6]),
    "cost": matrices,
    "priors": lambda rng, data: rng.dirichlet(np.ones(max(data.k, 2))),
    "prior": lambda rng, data: rng.dirichlet(np.ones(max(data.k, 2))),
    "evidence": lambda rng, data: rng.uniform(0.1, 2, data.n),
    "counts": lambda rng, data: rng.integers(0, 9, choose(rng, (max(data.k, 1), (3, 4)))),
    "params": one_of(None, {}, {"sample_weight": None}, {"nonsense": 1}),
    "features": one_of(0, 0, [0], [0, 1], "c0", (0, 1), 99, -1),
    "test_fold": lambda rng, data: rng.integers(-1, 3, data.n),
    "stratify": lambda rng, data: data.codes,
    "prevalence": one_of(0.1, 0.5, [0.2, 0.8], {0: 0.3, 1: 0.7}, 0.0, 1.0),
    "bounds": one_of((0.0, 0.2), (0.8, 1.0), (0.3, 0.3), [1.0, 0.5]),
    "shape": one_of((1, -1), (2, 2), (2.0, 2.0), None, (1, 1)),
    "contents": one_of((0.5,), (0.5, 0.9), (), (1.0,)),
    "components": one_of((0, 1), (1, 0), (0, 0), (0, 99)),
    "quantiles": one_of((0.5,), (0.05, 0.95), 0.5, (), [2.0]),
    "frequencies": one_of({1: 10, 2: 5, 3: 2}, {1: 1}, {}, {1: 100, 2: 30, 5: 4, 9: 1}, {0: 3}),
    "A": lambda rng, data: rng.normal(size=(2, data.d)),
    "center": lambda rng, data: rng.normal(size=data.d),
    "standard_deviations": lambda rng, data: rng.uniform(0, 3, max(data.d, 1)),
    "values": lambda rng, data: rng.normal(size=int(rng.integers(1, 3))),
    "users": one_of([0, 1], 0, [0], [99], [-1]),
    "items": one_of([0, 1], 0, [0], [99], [-1]),
    "word": one_of("to", "be", "nonsense", ""),
    "context": one_of((), ("to",), ["to", "be"], "to"),
}


def valid(rng, parameter, data):
    """A value of the documented type; it may be refused all the same."""
    name, kind = parameter.name, parameter.type
    if name == "n_jobs":
        return choose(rng, JOBS)
    if name in ENDLESS and parameter.default == -1:
        return choose(rng, ENDLESS[name])
    if name in COSTLY:
        return choose(rng, COSTLY[name])
    if name == "metric_params":
        return metric_params(rng, data)
    if name in ("random_state", "seed"):
        return choose(rng, (None, 0, 1, np.random.default_rng(3), np.random.SeedSequence(3)))
    if name == "verbose":
        return choose(rng, (False, False, True, 2))
    if name == "callback":
        return choose(rng, (None, None, quiet))
    if name == "image_shape":
        return choose(rng, ((1, -1), (-1, 1), (2, -1), (1, data.d), None))
    if name == "groups" and "dict" in kind:
        return choose(rng, (None, {"a": [0]}, {"a": range(data.d)}, {"a": [0], "b": [data.d - 1]}))
    if name == "groups":
        return rng.integers(0, choose(rng, (1, 2, 4, 30)), data.n)
    if name == "cv" and "splitter" in kind and rng.random() < 0.5:
        return splits(rng, data)
    if name in BY_NAME and not kind.startswith("{") and rng.random() < 0.9:
        return BY_NAME[name](rng, data)
    if name == "scoring":
        return scoring(rng, kind)
    if name == "score_func" and callable(parameter.default):  # that of a selector
        return choose(rng, SCORE_FUNCTIONS)
    if name == "class_weight":
        return choose(rng, (None, "balanced", {0: 2.0}, {"a": 0.5, "b": 3}, {}))
    return choose(rng, [made for made in fitting(rng, parameter, data) if made is not None])()


def accepted_values(parameter):
    """What the check says that it accepts; among numbers also some that are no levels."""
    if parameter.check is None:
        return ()
    levels = parameter.check.levels(parameter.default)
    numbers = any(isinstance(v, int | float) and not isinstance(v, bool) for v in levels)
    near = (*INTEGERS, *REALS) if numbers and parameter.name not in COSTLY else ()
    return (*levels, *(value for value in near if parameter.accepts(value)))


def of_the_type(rng, parameter):
    """Makers of numbers and words, as many as the documented type names."""
    name, kind, default = parameter.name, parameter.type, parameter.default
    if isinstance(default, bool) or "bool" in kind:
        yield lambda: bool(rng.integers(2))
    if "float" in kind or isinstance(default, float):
        near = default if isinstance(default, (int, float)) and default else 1.0
        yield (
            lambda: (
                choose(rng, REALS) if rng.random() < 0.5 else near * choose(rng, (0.1, 0.5, 1, 2))
            )
        )
        if rng.random() < 0.1:
            yield lambda: scale(rng)
    if kind.startswith(("int", "tuple of two int")) or " int" in kind:
        yield lambda: choose(rng, INTEGERS)
    own = [word for word in parameter.words if "{" not in word] or list(words(name))
    if own and ("str" in kind or '"' in kind or not kind or kind == "optional"):
        yield lambda: choose(rng, own)
        if rng.random() < 0.1:
            yield lambda: choose(rng, words(name))
    if "{" in kind and name in ("power", "dtype"):
        yield lambda: choose(
            rng, {"power": (1, 2), "dtype": (np.float64, np.float32, "float32")}[name]
        )


def fitting(rng, parameter, data):
    """Makers of values: of the check where there is one that knows some, or of the type."""
    name, kind, default = parameter.name, parameter.type, parameter.default
    if known := accepted_values(parameter):
        yield lambda: choose(rng, known)
        if rng.random() < 0.1 and "float" in kind:
            yield lambda: scale(rng)
    else:
        yield from of_the_type(rng, parameter)
    few = data.n < 200  # functions of Python's take long
    if few and ("callable" in kind or name in ("hook", "function")) and rng.random() < 0.3:
        yield lambda: CALLABLES.get(name, quiet)
    if any(word in kind for word in ("array", "sequence", "iterable", "list", "tuple")):
        yield lambda: arrays(rng, data)
    yield (lambda: default) if not parameter.required else (lambda: choose(rng, INTEGERS))


def edge(rng, parameter, data):
    """A value at the boundary of what its type allows, or a little beyond."""
    kind, name = parameter.type, parameter.name
    refused = () if parameter.check is None else parameter.check.refused()
    if refused and rng.random() < 0.3:
        return choose(rng, refused)
    if isinstance(parameter.default, bool):
        return choose(rng, (True, False, np.True_, 0, 1, None))
    if "int" in kind and not (rng.random() < 0.3 and "float" in kind):
        if name in COSTLY or name == "n_jobs":
            return choose(rng, COUNT_EDGES)
        value = choose(rng, INTEGER_EDGES)
        return (
            {"n": data.n, "n+1": data.n + 1}.get(value, value) if isinstance(value, str) else value
        )
    if "float" in kind:
        return choose(rng, [x for x in REAL_EDGES if name != "C" or not 1e4 < x < np.inf])
    return valid(rng, parameter, data)


def wrong(rng, parameter, data):
    """A value of another type, or far outside."""
    refused = () if parameter.check is None else parameter.check.refused()
    value = choose(rng, refused if refused and rng.random() < 0.3 else WRONG)
    return arrays(rng, data) if isinstance(value, slice) else value
