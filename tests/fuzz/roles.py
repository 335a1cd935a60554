# SPDX-License-Identifier: BSD-3-Clause
"""What the names of arguments stand for: rows, targets, weights, models, dendrograms.

A role takes the state of the draw (``cases.Drawing``) and the thing that is called.
"""

from dataclasses import dataclass

import numpy as np
from scipy.cluster import hierarchy

from tests.fuzz import surface
from tests.fuzz.inputs import choose, dressed, sparse_rows

# What is fitted, or chosen beforehand, for functions that take a model or a result.
MODELS = {
    "anova": ("GeneralizedLinearModel", "LinearRegression", "LogisticRegression"),
    "drop1": ("GeneralizedLinearModel", "LinearRegression", "LogisticRegression"),
    "step": ("GeneralizedLinearModel", "LinearRegression", "LogisticRegression"),
    "coefficients": ("GeneralizedLinearModel", "LinearRegression", "LogisticRegression", "Lasso"),
    "diagnostics": ("GeneralizedLinearModel", "LinearRegression"),
    "decision_regions": ("SVC", "KNeighborsClassifier", "LinearDiscriminantAnalysis"),
    "svm_margin": ("SVC", "NuSVC"),
}
RESULTS = {
    "choice": "choose_k",
    "gap": "gap_statistic",
    "path": "lasso_path",
}
TARGETS = {
    "gaussian": "numbers",
    "quasi": "numbers",
    "binomial": "binary",
    "quasibinomial": "shares",
    "poisson": "counts",
    "quasipoisson": "counts",
    "negative_binomial": "counts",
    "gamma": "positive",
    "inverse_gaussian": "positive",
}


@dataclass(frozen=True)
class Ref:
    """The answer of an earlier step."""

    name: str


def rows(drawing, thing):
    """Rows: those of the fit where a target or weights of theirs come along, else others."""
    data, rng = drawing.data, drawing.rng
    method = thing.name.rsplit(".", 1)[-1]
    fits = "." not in thing.name or method in FITS
    if fits or ("y" in thing.parameters and rng.random() < 0.9):
        if drawing.common is None or rng.random() < 0.1:
            drawing.common = shaped(drawing, data.X, data.X)
        return drawing.common
    return shaped(drawing, data.more(), data.X)


FITS = {"fit", "partial_fit", "fit_predict", "fit_transform", "partial"}


def shaped(drawing, Q, X):
    """Rows Q, or what comes in their place: distances from X, or strings."""
    rng, kind = drawing.rng, drawing.rows_kind
    if kind == "strings":
        return ["".join(map(chr, 97 + np.abs(np.nan_to_num(q)).astype(np.int64) % 4)) for q in Q]
    if kind == "square":
        with np.errstate(all="ignore"):
            apart = np.abs(Q[:, None] - X[None]).sum(2)
        if Q is X and rng.random() < 0.2:
            return apart[np.triu_indices(len(X), 1)]
        return dressed(np.nan_to_num(apart, posinf=1e308), rng, plain=0.8, bags=False)
    takes_bags = rng.random() < 0.4
    return dressed(Q, rng, plain=0.55, bags=takes_bags)


def target(drawing, thing):
    """The target of the fit; now and then another."""
    if not hasattr(drawing, "y") or drawing.rng.random() < 0.1:
        drawing.y = new_target(drawing)
    return drawing.y


def new_target(drawing):
    kind, rng, data = drawing.target_kind, drawing.rng, drawing.data
    if kind is None or rng.random() < 0.03:
        kind = choose(rng, ("none", "labels", "numbers", "binary"))
    if kind == "none":
        return None
    made = data.target(kind)
    if kind == "labels" and made.dtype.kind in "US":
        return choose(rng, (made, made, made.astype(object), made.tolist()))
    return made if made.ndim > 1 else dressed(made, rng, plain=0.7, bags=False)


def labels(drawing, thing):
    data, rng = drawing.data, drawing.rng
    made = data.codes if rng.random() < 0.6 else rng.integers(0, max(data.k, 2), data.n)
    if thing.name.startswith("LloydStep"):
        return made.astype(np.int32)
    return (
        dressed(made, rng, plain=0.7, bags=False) if rng.random() < 0.8 else data.target("labels")
    )


def per_row(drawing, thing):
    return drawing.data.weights()


def offset(drawing, thing):
    data, rng = drawing.data, drawing.rng
    same = "y" in thing.parameters or rng.random() < 0.2
    return rng.normal(size=data.n if same else int(rng.integers(1, 12)))


def dendrogram(drawing, thing):
    X, rng = np.clip(drawing.data.X, -1e100, 1e100), drawing.rng
    X = X if len(X) > 1 else rng.normal(size=(5, 2))
    Z = hierarchy.linkage(X, choose(rng, ("single", "average", "complete", "ward", "centroid")))
    return dressed(Z, rng, plain=0.8, bags=False)


def model(drawing, thing):
    """A fitted model, made by steps of its own."""
    rng, data = drawing.rng, drawing.data
    name = choose(rng, MODELS.get(thing.name, ("LinearRegression",)))
    made = surface.public()[name]
    if drawing.common is None:
        pictures = thing.family == "plot" and name not in MODELS["anova"]
        drawing.common = data.X[:, : 2 if pictures else 5]  # a search fits for each column
    settings = {"penalty": "l2"} if name == "LogisticRegression" and rng.random() < 0.5 else {}
    if name == "GeneralizedLinearModel":
        settings["family"] = choose(rng, list(TARGETS))
        drawing.target_kind = TARGETS[settings["family"]]
    else:
        regressors = ("LinearRegression", "Lasso")
        drawing.target_kind = "numbers" if name in regressors else "labels"
    key = f"model{len(drawing.case.steps)}"
    drawing.add(name, made.call, settings, out=key)
    if not hasattr(drawing, "y"):
        drawing.y = data.target(drawing.target_kind)
    drawing.add(f"{name}.fit", "fit", {"X": drawing.common, "y": drawing.y}, key)
    return Ref(key)


def models(drawing, thing):
    return tuple(model(drawing, thing) for _ in range(int(drawing.rng.integers(1, 4))))


def result(drawing, thing, name):
    """What another function gives."""
    made = surface.public()[RESULTS[name]]
    key = f"{name}{len(drawing.case.steps)}"
    args = drawing.arguments(made, wrong="valid")
    drawing.add(made.name, made.call, args, out=key)
    return Ref(key)


def other(drawing, thing):
    """An object of the same kind."""
    kind = surface.public()[thing.name.split(".")[0]]
    key = f"other{len(drawing.case.steps)}"
    data = drawing.data
    args = {"X": data.more()} if "X" in kind.parameters else {"k": data.k, "d": data.d}
    drawing.add(kind.name, kind.call, args, out=key)
    return Ref(key)


def se(drawing, thing):
    return drawing.rng.uniform(0, 0.1, 5)


def gap(drawing, thing):
    return (
        result(drawing, thing, "gap")
        if thing.family == "plot"
        else np.cumsum(drawing.rng.normal(size=5))
    )


def centers(drawing, thing):
    return (
        drawing.data.more()
        if drawing.rng.random() < 0.5
        else drawing.data.made(np.arange(drawing.data.k))
    )


def validation(drawing, thing):
    data = drawing.data
    return (data.X, data.target("labels"))


def signs(drawing, thing):
    return drawing.rng.choice([-1, 1], (3, int(drawing.rng.integers(1, 9))))


def classes(drawing, thing):
    return np.unique(drawing.data.target("labels"))


ROLES = {
    "X": rows,
    "Q": rows,
    "Y": lambda drawing, thing: drawing.data.more(),
    "a": rows,
    "b": rows,
    "y": target,
    "labels": labels,
    "labels_true": labels,
    "labels_pred": labels,
    "sample_weight": per_row,
    "exposure": per_row,
    "offset": offset,
    "centers": centers,
    "Z": dendrogram,
    "model": model,
    "models": models,
    "choice": lambda drawing, thing: result(drawing, thing, "choice"),
    "path": lambda drawing, thing: result(drawing, thing, "path"),
    "gap": gap,
    "se": se,
    "other": other,
    "signs": signs,
    "classes": classes,
    "validation": validation,
    "make": lambda drawing, thing: [drawing.data.X, sparse_rows(drawing.data.X, drawing.rng)][:1],
    "ax": lambda drawing, thing: None,
    "axes": lambda drawing, thing: None,
}
OPTIONAL = {
    "sample_weight": 0.25,
    "offset": 0.15,
    "exposure": 0.1,
    "Y": 0.5,
    "X": 0.7,
    "y": 0.8,
    "ax": 0,
    "axes": 0,
}
