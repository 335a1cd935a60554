# SPDX-License-Identifier: BSD-3-Clause
"""What the names of arguments stand for: rows, targets, weights, models, dendrograms.

A role takes the state of the draw (``cases.Drawing``) and the thing that is called.
"""

import numpy as np
from scipy import sparse, stats
from scipy.cluster import hierarchy

from tests.fuzz import surface
from tests.fuzz.documents import arpa_file, documents, model_file, model_of_scikit_learn
from tests.fuzz.inputs import choose, sparse_rows
from tests.fuzz.made import Ref, model, models, named_learners, result, search, steps, transformers
from tests.fuzz.outcomes import OUTCOMES


def rows(drawing, thing):
    """Rows: those of the fit where a target or weights of theirs come along, else others."""
    data, rng = drawing.data, drawing.rng
    if thing.name == "frequent_itemsets" and rng.random() < 0.8:
        return data.dressed(1.0 * (np.nan_to_num(data.X) > 0), plain=0.55, bags=False)
    method = thing.name.rsplit(".", 1)[-1]
    fits = "." not in thing.name or method in FITS
    calm = data.calm and drawing.turn % 2 == 0
    if fits or calm or ("y" in thing.parameters and (data.calm or rng.random() < 0.9)):
        if drawing.common is None or (rng.random() < 0.1 and not data.calm):
            drawing.common = shaped(drawing, data.X, data.X)
        return drawing.common
    return shaped(drawing, data.more(), data.X)


FILES_OF = {"text": arpa_file, "interchange": model_file}  # a family: its files
FITS = {"fit", "partial_fit", "fit_predict", "fit_transform", "partial"}


def shaped(drawing, Q, X):
    """Rows Q, or what comes in their place: distances from X, or strings."""
    rng, kind = drawing.rng, drawing.rows_kind
    if kind == "documents":
        return documents(drawing, n=len(Q))
    if kind == "counts":
        Q = np.minimum(np.abs(np.round(np.nan_to_num(Q))), 50)
    if kind == "positive":
        return np.abs(Q) + 0.1
    if kind == "column" and rng.random() < 0.8:
        return drawing.data.dressed(Q[:, 0] if Q.shape[1] else Q, plain=0.6, bags=False)
    if kind == "strings":
        return ["".join(map(chr, 97 + np.abs(np.nan_to_num(q)).astype(np.int64) % 4)) for q in Q]
    if kind == "square":
        with np.errstate(all="ignore"):
            apart = np.abs(Q[:, None] - X[None]).sum(2)
        if Q is X and rng.random() < 0.2:
            return apart[np.triu_indices(len(X), 1)]
        return drawing.data.dressed(np.nan_to_num(apart, posinf=1e308), plain=0.8, bags=False)
    takes_bags = rng.random() < 0.4
    return drawing.data.dressed(Q, plain=0.55, bags=takes_bags)


def target(drawing, thing):
    """The target of the fit; now and then another."""
    if not hasattr(drawing, "y") or (drawing.rng.random() < 0.1 and not drawing.calm):
        drawing.y = new_target(drawing)
    return drawing.y


def new_target(drawing):
    kind, rng, data = drawing.target_kind, drawing.rng, drawing.data
    if (kind is None or rng.random() < 0.03) and not drawing.calm:
        kind = choose(rng, ("none", "labels", "numbers", "binary"))
    if kind == "none":
        return None
    made = data.target(kind)
    if made.dtype.kind in "US":
        return choose(rng, (made, made, made.astype(object), made.tolist()))
    if kind == "indicators":
        return choose(rng, (made, made.tolist(), sparse.csr_array(made)))
    return made if made.ndim > 1 else drawing.data.dressed(made, plain=0.7, bags=False)


def labels(drawing, thing):
    data, rng = drawing.data, drawing.rng
    if {"y_true", "y1", "y", "truth"} & thing.parameters.keys():  # those that there are
        return np.unique(drawing.y)[:: choose(rng, (1, 1, 1, 2, -1))] if len(drawing.y) else []
    made = data.codes if rng.random() < 0.6 else rng.integers(0, max(data.k, 2), data.n)
    if thing.name.startswith("KMeansStatistics"):
        return made.astype(np.int32)
    return (
        drawing.data.dressed(made, plain=0.7, bags=False)
        if rng.random() < 0.8
        else data.target("labels")
    )


def ends_or_sets(drawing, thing):
    """Intervals, or sets of labels, for each row."""
    data, rng = drawing.data, drawing.rng
    if rng.random() < 0.4:
        return rng.random((data.n, max(data.k, 2))) < 0.6
    ends = np.sort(rng.normal(size=(data.n, 2)), axis=1)
    ends[rng.random(data.n) < 0.1, 1] = np.inf
    return ends


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
    return drawing.data.dressed(Z, plain=0.8, bags=False)


def second_object(drawing, thing):
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
    return np.cumsum(drawing.rng.normal(size=5))


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


def column(drawing, thing):
    """Numbers of one column, as isotonic regression takes them."""
    return drawing.data.dressed(drawing.data.more()[:, :1].ravel(), plain=0.7, bags=False)


def arrays(drawing, thing):
    """What is split together: as many rows of each."""
    made = [rows(drawing, thing), target(drawing, thing), drawing.data.weights()]
    return tuple(made[: int(drawing.rng.integers(1, 4))])


def covariance(drawing, thing):
    """A covariance or correlation matrix, which may be singular or none."""
    rng, d = drawing.rng, drawing.data.d
    root = rng.normal(size=(d, choose(rng, (d, d, 2 * d, 1))))
    made = np.clip(root @ root.T * drawing.data.scale, -1e300, 1e300)
    if thing.name == "cor2cov":
        made = made / np.sqrt(np.outer(np.diag(made), np.diag(made)))
    return drawing.data.dressed(made, plain=0.8, bags=False)


def density(drawing, thing):
    """Densities of classes, as `BayesClassifier.of` takes them."""
    return [stats.norm(m) for m in range(max(drawing.data.k, 1))]


def columns(drawing, thing):
    """Some of the columns, or others."""
    rng, d = drawing.rng, drawing.data.d
    some = rng.permutation(d)[: int(rng.integers(1, d + 1))] if d else []
    return choose(rng, (some, np.asarray(some).tolist(), ["c0"], [0, 0], [-1], [d], [[0], [0, 1]]))


def direction(drawing, thing):
    """The direction of a line of the plane."""
    return drawing.rng.normal(size=2) * choose(drawing.rng, (1.0, 1e-200, 0.0))


def query(drawing, thing):
    """A point, or several, in the space of the rows."""
    made = drawing.data.more()
    return made[0] if len(made) and drawing.rng.random() < 0.5 else made


def label(drawing, thing):
    return choose(drawing.rng, [*drawing.data.target("labels").tolist(), 0, "a", "none", None])


ROLES = {
    "X": rows,
    "K": rows,
    "Y": lambda drawing, thing: drawing.data.more(),
    "a": rows,
    "b": rows,
    "y": target,
    "labels": labels,
    "predicted": ends_or_sets,
    "labels_true": labels,
    "labels_pred": labels,
    "noise_label": label,
    "sample_weight": per_row,
    "exposure": per_row,
    "offset": offset,
    "centers": centers,
    "Z": dendrogram,
    "model": model,
    "fitted": model_of_scikit_learn,
    "search": search,
    "models": models,
    "choice": lambda drawing, thing: result(drawing, thing, "choice"),
    "path": lambda drawing, thing: (
        FILES_OF[thing.family](drawing, thing)
        if thing.family in FILES_OF
        else result(drawing, thing, "path")
    ),
    "gap": gap,
    "itemsets": lambda drawing, thing: result(drawing, thing, "itemsets"),
    "direction": direction,
    "query": query,
    "se": se,
    "other": second_object,
    "signs": signs,
    "classes": classes,
    "T": column,
    "X_new": rows,
    "y_new": target,
    "arrays": arrays,
    "raw_documents": documents,
    "mean": lambda drawing, thing: drawing.rng.normal(size=drawing.data.d),
    "columns": columns,
    "of": label,
    "against": label,
    "X_val": rows,
    "y_val": target,
    "sample_weight_val": per_row,
    "covariance": covariance,
    "correlation": covariance,
    "densities": density,
    "steps": steps,
    "transformer_list": transformers,
    "transformers": transformers,
    "estimators": named_learners,
    "decision_tree": model,
    "explanation": lambda drawing, thing: result(drawing, thing, "explanation"),
    "report": lambda drawing, thing: result(drawing, thing, "report"),
    "result": lambda drawing, thing: result(drawing, thing, "result"),
    "sets": lambda drawing, thing: drawing.rng.random((int(drawing.rng.integers(1, 9)), 3)) < 0.5,
    **OUTCOMES,
    "make": lambda drawing, thing: [drawing.data.X, sparse_rows(drawing.data.X, drawing.rng)][:1],
    "memory": lambda drawing, thing: None,  # a name would be that of a folder
    "ax": lambda drawing, thing: None,
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
    "of": 0.2,
    "against": 0.2,
    "pos_label": 0.7,
    "estimators": 0.95,
}
