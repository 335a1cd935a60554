# SPDX-License-Identifier: BSD-3-Clause
"""Deterministic twins beside scikit-learn's, for all pairs of settings of parameters and data.

``python -m tests.peers.parameter_pairs --rounds 20 --twins Lasso,SVC`` fits both to the same rows,
a covering design of settings each round, and prints where their answers differ by more than their
stopping rules allow, or one of them refuses what the other takes.
"""

import argparse
import importlib
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import statfast
from tests.pairs.covering import covering_rows

DTYPES = (np.float64, np.float32, np.int64)
WEIGHTS = ("none", "counts", "real", "zeros")
KINDS = ("tall", "wide", "collinear", "constant")
# Float32 rows round at 6e-8; where scikit-learn's own sums are in float32, so many times more.
FLOAT32 = 3e-3


@dataclass(frozen=True)
class Twin:
    """What a class has in common with its peer, and how both are asked for all their digits."""

    module: str
    factors: dict[str, tuple] = field(default_factory=dict)
    ours: dict[str, Any] = field(default_factory=dict)
    peers: dict[str, Any] = field(default_factory=dict)
    methods: tuple[str, ...] = ("predict",)
    target: str = "numbers"  # or "classes", "counts", "positive", "none"
    rtol: float = 1e-5
    takes_sparse: bool = True
    takes_weights: bool = True
    positive_rows: bool = False
    kinds: tuple[str, ...] = KINDS
    sign_free: tuple[str, ...] = ()  # methods whose columns have no sign of their own
    shift_free: bool = False  # whether any intercept of an interval may be optimal
    dtypes: tuple = DTYPES


EXACT = {"tol": 1e-13}
LONG = {"tol": 1e-9, "max_iter": 20_000}
SLOPES = {"fit_intercept": (True, False)}
LASSO = {**SLOPES, "alpha": (0.01, 0.3, 2.0), "positive": (False, True)}
MACHINE = {"gamma": ("scale", "auto", 0.3), "kernel": ("linear", "rbf", "poly")}
REGRESSION = {**MACHINE, "kernel": ("linear", "rbf")}
CURVED = {**MACHINE, "kernel": ("rbf",)}  # no margin is 0
TIGHT = {"tol": 1e-7}
TIGHT_PEER = {"tol": 1e-7, "max_iter": 300_000}
GLM = {**SLOPES, "alpha": (0.001, 0.1, 5.0)}
GLM_PEER = {"tol": 1e-10, "max_iter": 200, "solver": "newton-cholesky"}
LIKELY = {
    "methods": ("predict", "predict_proba"), "target": "classes", "rtol": 1e-8,
}  # fmt: skip
TWINS = {
    "Lasso": Twin("linear_model", LASSO, EXACT, LONG, kinds=KINDS),
    "ElasticNet": Twin(
        "linear_model", {**LASSO, "l1_ratio": (0.1, 0.5, 1.0)}, EXACT, LONG
    ),
    "Ridge": Twin(
        "linear_model", {**SLOPES, "alpha": (0.01, 1.0, 100.0)}, {}, {"tol": 1e-12}, rtol=1e-6
    ),
    "LinearRegression": Twin(
        "linear_model", {**SLOPES, "positive": (False, True)}, {}, {"tol": 1e-14}, rtol=1e-6,
        kinds=("tall",),
    ),
    "RidgeClassifier": Twin(
        "linear_model", {**SLOPES, "alpha": (0.01, 1.0), "class_weight": (None, "balanced")}, {},
        {"tol": 1e-12}, ("decision_function",), "classes", 1e-6,
    ),
    "LogisticRegression": Twin(
        "linear_model",
        {**SLOPES, "C": (0.05, 1.0, 20.0), "class_weight": (None, "balanced")}, {},
        {"tol": 1e-10, "max_iter": 5000}, ("decision_function", "predict_proba"), "classes", 1e-4,
    ),
    "PoissonRegressor": Twin("linear_model", GLM, {}, GLM_PEER, target="counts", rtol=1e-4),
    "GammaRegressor": Twin("linear_model", GLM, {}, GLM_PEER, target="positive", rtol=1e-4),
    "TweedieRegressor": Twin(
        "linear_model", {**GLM, "power": (0, 1, 1.5, 2, 3)}, {}, GLM_PEER, target="positive",
        rtol=1e-4,
    ),
    "SVC": Twin(
        "svm",
        {**MACHINE, "C": (0.1, 1.0, 10.0), "class_weight": (None, "balanced"),
         "decision_function_shape": ("ovr", "ovo")},
        TIGHT, TIGHT_PEER, ("decision_function",), "classes", 1e-4,
    ),
    "NuSVC": Twin(
        "svm", {**CURVED, "nu": (0.1, 0.3), "decision_function_shape": ("ovr", "ovo")}, TIGHT,
        TIGHT_PEER, ("decision_function",), "classes", 1e-3, takes_weights=False,
        takes_sparse=False,
    ),
    "SVR": Twin(
        "svm", {**REGRESSION, "C": (0.1, 1.0), "epsilon": (0.0, 0.1, 1.0)}, {"tol": 1e-6},
        TIGHT_PEER, rtol=1e-3,
    ),
    "NuSVR": Twin(
        "svm", {**REGRESSION, "C": (0.1, 1.0), "nu": (0.2, 0.7)}, TIGHT, TIGHT_PEER, rtol=1e-3,
        takes_weights=False, shift_free=True,
    ),
    "OneClassSVM": Twin(
        "svm", {**CURVED, "nu": (0.1, 0.5)}, TIGHT, TIGHT_PEER, ("decision_function",), "none",
        1e-3, takes_weights=False,
    ),
    "LinearSVC": Twin(
        "svm", {**SLOPES, "C": (0.1, 1.0), "loss": ("squared_hinge",),
                "multi_class": ("ovr", "crammer_singer")}, {"tol": 1e-7, "max_iter": 20_000},
        {"tol": 1e-10, "max_iter": 200_000, "dual": False}, ("decision_function",), "classes", 1e-3,
        kinds=("tall", "constant"),
    ),
    "KNeighborsClassifier": Twin(
        "neighbors",
        {"n_neighbors": (1, 3, 7), "weights": ("uniform", "distance"), "p": (1, 2, 3)}, {}, {},
        takes_weights=False, takes_sparse=False, dtypes=DTYPES[:2], **LIKELY,
    ),
    "KNeighborsRegressor": Twin(
        "neighbors",
        {"n_neighbors": (1, 3, 7), "weights": ("uniform", "distance"), "p": (1, 2, 3)}, {}, {},
        takes_weights=False, takes_sparse=False, dtypes=DTYPES[:2], rtol=1e-8,
    ),
    "GaussianNB": Twin(
        "naive_bayes", {"var_smoothing": (1e-9, 1e-3)}, takes_sparse=False,
        kinds=("tall", "wide"), **{**LIKELY, "rtol": 1e-6},
    ),
    "MultinomialNB": Twin(
        "naive_bayes", {"alpha": (0.1, 1.0, 2.0), "fit_prior": (True, False)}, positive_rows=True,
        **LIKELY,
    ),
    "BernoulliNB": Twin(
        "naive_bayes", {"alpha": (0.1, 1.0), "fit_prior": (True, False), "binarize": (0.0, 0.7)},
        **LIKELY,
    ),
    "ComplementNB": Twin(
        "naive_bayes", {"alpha": (0.1, 1.0), "norm": (True, False)}, positive_rows=True, **LIKELY
    ),
    "StandardScaler": Twin(
        "preprocessing", {"with_mean": (True, False), "with_std": (True, False)},
        methods=("transform",), target="none", rtol=1e-6, takes_sparse=False,
    ),
    "MinMaxScaler": Twin(
        "preprocessing", {"feature_range": ((0, 1), (-2, 5)), "clip": (True, False)},
        methods=("transform",), target="none", rtol=1e-7, takes_sparse=False, takes_weights=False,
    ),
    "RobustScaler": Twin(
        "preprocessing",
        {"with_centering": (True, False), "with_scaling": (True, False),
         "quantile_range": ((25.0, 75.0), (10.0, 80.0)), "unit_variance": (True, False)},
        methods=("transform",), target="none", rtol=1e-6, takes_sparse=False, takes_weights=False,
    ),
    "PCA": Twin(
        "decomposition", {"n_components": (1, 3, None), "whiten": (False, True)}, {},
        {"svd_solver": "full"}, ("transform",), "none", 1e-6, takes_sparse=False,
        takes_weights=False, kinds=("tall",), sign_free=("transform",),
    ),
}  # fmt: skip


def is_deviation(name: str, setting: dict) -> bool:
    """Whether docs/howto/scikit_learn.rst has a row that explains another answer."""
    weighted = setting["row weights"] != "none"
    if setting.get("class_weight") == "balanced" and name != "LogisticRegression":
        return weighted  # Sizes of classes are sums of weights here.
    return name == "GaussianNB" and weighted  # So is what var_smoothing takes of the variances.


@dataclass
class Report:
    """How often both answered, and where they differ."""

    compared: int = 0
    skipped: int = 0  # explained by a row of the table, or left by the peer before it converged
    lines: list[str] = field(default_factory=list)


def rows_of(setting: dict, twin: Twin, rng: np.random.Generator) -> tuple:
    """Rows to fit, new ones, targets and weights."""
    n, d = {"wide": (40, 60)}.get(setting["rows"], (150, 6))
    X = rng.normal(size=(n + 30, d))
    X[:, : d // 2] += 0.5 * rng.normal(size=(n + 30, 1))
    if setting["rows"] == "collinear":
        X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
    if setting["rows"] == "constant":
        X[:, 2] = 0.75
    if twin.positive_rows:
        X = np.abs(X)
    if setting["dtype"] is np.int64:
        X = np.round(4 * X)
    if setting["sparse"]:
        X = np.where(np.abs(X) > 1.0, X, 0.0)
    X = X.astype(setting["dtype"])
    signal = np.asarray(X, dtype=float)[:, :3] @ [0.5, -0.4, 0.2]
    signal = (signal - signal.mean()) / max(float(signal.std()), 1e-3)
    target: Any = signal + rng.normal(size=n + 30)
    if twin.target == "classes":
        target = np.digitize(target, [0.0] if setting["classes"] == 2 else [-0.5, 0.6])
    elif twin.target == "counts":
        target = rng.poisson(np.exp(0.5 * signal + 1.0)).astype(float)
    elif twin.target == "positive":
        target = rng.gamma(3.0, np.exp(0.5 * signal) / 3.0) + 1e-3
    weights = {
        "none": None,
        "counts": rng.integers(1, 4, n).astype(float),
        "real": rng.uniform(0.3, 2.0, n),
        "zeros": rng.integers(0, 3, n).astype(float),
    }[setting["row weights"]]
    fit, new = X[:n], X[n:]
    if setting["sparse"]:
        fit, new = sparse.csr_matrix(fit), sparse.csr_matrix(new)
    return fit, new, None if twin.target == "none" else target[:n], weights


def levels_of(twin: Twin) -> dict[str, tuple]:
    """Factors of the design: parameters, and what the data are like."""
    return {
        **twin.factors,
        "dtype": twin.dtypes,
        "row weights": WEIGHTS if twin.takes_weights else ("none",),
        "sparse": (False, True) if twin.takes_sparse else (False,),
        "rows": twin.kinds,
        "classes": (2, 3) if twin.target == "classes" else (2,),
    }


def answers_of(model: Any, twin: Twin, data: tuple) -> dict[str, np.ndarray] | str | None:
    """What a model says of the new rows, or why it does not; None if it did not converge."""
    fit, new, target, weights = data
    arguments = {} if weights is None else {"sample_weight": weights}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ConvergenceWarning)
            model.fit(fit, *(() if target is None else (target,)), **arguments)
            answers = {name: getattr(model, name)(new) for name in twin.methods}
    except ConvergenceWarning:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:150]
    return {
        name: np.asarray(value.toarray() if sparse.issparse(value) else value, dtype=float)
        for name, value in answers.items()
    }


def differs(name: str, ours: np.ndarray, peer: np.ndarray, twin: Twin, dtype: Any) -> str:
    """By how much an answer differs, in words, or nothing."""
    if ours.shape != peer.shape:
        return f"{name} has shape {ours.shape}, scikit-learn's {peer.shape}"
    size = max(float(np.abs(peer).max(initial=0.0)), 1e-300)
    if twin.shift_free:
        ours, peer = ours - ours.mean(), peer - peer.mean()
    if name in twin.sign_free:
        ours = ours * np.sign((ours * peer).sum(axis=0))
    distance = float(np.abs(ours - peer).max(initial=0.0)) / size
    limit = max(twin.rtol, FLOAT32) if dtype is np.float32 else twin.rtol
    return "" if distance <= limit else f"{name} differs by {distance:.2g} of its size"


def compare(name: str, seed: int, report: Report, most: int | None = None) -> None:
    """A covering design of the settings of a twin, or the first settings of it."""
    twin, rng = TWINS[name], np.random.default_rng(seed)
    levels = levels_of(twin)
    design = list(covering_rows([len(values) for values in levels.values()], rng))
    kind = getattr(statfast, name)
    peer_kind = getattr(importlib.import_module(f"sklearn.{twin.module}"), name)
    for row in design[:most]:
        setting = {key: values[k] for (key, values), k in zip(levels.items(), row, strict=True)}
        data = rows_of(setting, twin, rng)
        params = {key: setting[key] for key in twin.factors}
        wanted = answers_of(peer_kind(**params, **twin.peers), twin, data)
        if not isinstance(wanted, dict) or is_deviation(name, setting):
            report.skipped += 1
            continue
        report.compared += 1
        found = answers_of(kind(**params, **twin.ours), twin, data)
        if not isinstance(found, dict):
            report.lines.append(f"{name} {setting}: {found or 'did not converge'}")
            continue
        words = [differs(m, found[m], wanted[m], twin, setting["dtype"]) for m in found]
        if any(words):
            report.lines.append(f"{name} {setting}: {'; '.join(w for w in words if w)}")


def main(argv: list[str] | None = None) -> int:
    """Compare, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--twins", default=",".join(TWINS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    report = Report()
    for seed in range(options.seed, options.seed + options.rounds):
        for name in options.twins.split(","):
            compare(name, seed, report)
    print("\n".join(report.lines))
    print(
        f"{report.compared} settings compared, {len(report.lines)} differ, {report.skipped} skipped"
    )
    return int(bool(report.lines))


if __name__ == "__main__":
    sys.exit(main())
