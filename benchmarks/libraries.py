# SPDX-License-Identifier: BSD-3-Clause
"""The libraries: each a table of the works it can do (see works.py).

Nothing is imported before a work is prepared: a library that is not installed is reported as
absent, a class that is missing as failed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from benchmarks import glm_works as glm
from benchmarks import kernel_works as kernels
from benchmarks import kmeans_works as clusters
from benchmarks import lasso_works as lasso
from benchmarks import linear_svc_works as linear
from benchmarks import linkage_works as linkages
from benchmarks import medoid_works as medoids
from benchmarks import metric_works as metrics
from benchmarks import multinomial_works as multinomial
from benchmarks import svc_works as svc
from benchmarks import svm_predict_works as machines
from benchmarks import tree_works as trees
from benchmarks.works import (
    CdistNeighbors,
    Discriminant,
    FaissApproximate,
    FaissKMeans,
    FaissNeighbors,
    FmaLoop,
    HashNeighbors,
    Import,
    KMeans,
    Matmul,
    Neighbors,
    Predict,
    ScipyKMeans,
    Tile,
    TreeNeighbors,
    Work,
)


@dataclass(frozen=True)
class Library:
    works: dict[str, Callable[[], Work]]
    packages: tuple[str, ...] = ()  # distributions whose version and size are reported
    ours: bool = False
    not_a_peer: str = ""  # why it is shown but cannot be "the fastest peer"
    dtypes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # work -> served; or all


SKLEARN = {
    "kmeans": "sklearn.cluster.KMeans",
    "logistic": "sklearn.linear_model.LogisticRegression",
    "lda": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "neighbors": "sklearn.neighbors.NearestNeighbors",
    "knn": "sklearn.neighbors.KNeighborsClassifier",
}
SKLEARNEX = {
    "kmeans": "sklearnex.cluster.KMeans",
    "logistic": "sklearnex.linear_model.LogisticRegression",
    "neighbors": "sklearnex.neighbors.NearestNeighbors",
    "knn": "sklearnex.neighbors.KNeighborsClassifier",
}
STATFAST = {
    "kmeans": "statfast.cluster.KMeans",
    "logistic": "statfast.linear.LogisticRegression",
    "lda": "statfast.generative.LinearDiscriminantAnalysis",
    "neighbors": "statfast.neighbors.NearestNeighbors",
    "knn": "statfast.neighbors.KNeighborsClassifier",
}


def _trees(library):
    """The works of the suite kdtree; "auto" is to race statfast's choice against the trees."""
    return {
        "tree": partial(trees.TreeWork, library),
        "auto": partial(trees.TreeWork, library),
        "self tree": partial(trees.SelfWork, library),
        "one query": partial(trees.SingleWork, library),
    }


def _kmeans(path, **given):
    """k-means by an estimator; faiss has no test of convergence and no k-means++."""
    works = {"kmeans": KMeans, "kmeans to convergence": KMeans, "kmeans sparse": KMeans}
    return {
        name: partial(work, path, **given)
        for name, work in (works | {"seeding": clusters.Seeding}).items()
    }


def _metrics(path, *, bits=metrics.HammingNeighbors, bytewise=metrics.ByteNeighbors):
    """Brute force by an estimator: bytes, bits, sparse rows, and metrics but Euclid's."""
    return {
        "neighbors bytes": partial(bytewise, path),
        "neighbors metric": partial(metrics.MetricNeighbors, path),
        "neighbors hamming": partial(bits, path),
        "neighbors sparse": partial(Neighbors, path),
    }


def _multinomial(solver, tol):
    """One of scikit-learn's solvers for several classes."""
    path = SKLEARN["logistic"]
    return partial(multinomial.Sklearn, path, threaded=False, solver=solver, tol=tol)


def _machines(path, **given):
    """Decision values of support vector classifiers."""
    return {
        "svm values": partial(machines.Values, path, **given),
        "svm one row": partial(machines.SingleValues, path, **given),
    }


LIBRARIES: dict[str, Library] = {
    "statfast": Library(
        {
            "neighbors": partial(Neighbors, STATFAST["neighbors"]),
            "approximate": partial(HashNeighbors, "statfast.neighbors.LSHNeighbors"),
            **_kmeans(STATFAST["kmeans"]),
            "lda": partial(Discriminant, STATFAST["lda"]),
            "multinomial": partial(multinomial.Multinomial, STATFAST["logistic"]),
            "predict KMeans": partial(Predict, STATFAST["kmeans"]),
            "predict LDA": partial(Predict, STATFAST["lda"]),
            "predict kNN": partial(Predict, STATFAST["knn"]),
            "tile": Tile,
            "import": partial(Import, "statfast"),
            **_metrics(STATFAST["neighbors"], bits=metrics.MetricNeighbors, bytewise=Neighbors),
            **_trees(trees.Statfast),
            "auto": partial(trees.TreeWork, trees.Auto),
            "lasso path": lasso.StatfastPath,
            "ols": partial(lasso.LeastSquares, "statfast.linear"),
            "ridge path": lasso.StatfastRidge,
            "svc": partial(svc.Machine, "statfast.svm", threaded=True),
            "logistic": glm.Statfast,
            "glm": glm.Statfast,
            "linear svc": partial(linear.Linear, "statfast.svm.LinearSVC"),
            "kmedoids": medoids.Medoids,
            "kmedoids points": partial(medoids.Medoids, from_points=True),
            "silhouette": partial(medoids.Silhouette, "statfast.metrics"),
            "linkage matrix": linkages.Statfast,
            "linkage rows": linkages.Statfast,
            "spanning tree": linkages.StatfastTree,
            **_machines("statfast.svm.SVC"),
            "string kernel": kernels.StatfastStrings,
            "kernel matrix": kernels.StatfastRows,
        },
        packages=("statfast",),
        ours=True,
    ),
    "kmedoids": Library(
        {
            "kmedoids": medoids.PeerMedoids,
            "kmedoids points": partial(medoids.PeerMedoids, from_points=True),
        },
        packages=("kmedoids",),
    ),
    "statfast (CLARA)": Library(
        {"kmedoids points": medoids.Samples},
        not_a_peer="samples of the rows",
    ),
    "banditpam": Library({"kmedoids points": medoids.BanditMedoids}, packages=("banditpam",)),
    "superkmeans": Library({"kmeans": clusters.SuperKMeans}, packages=("superkmeans",)),
    "pykdtree": Library(_trees(trees.Pykdtree), packages=("pykdtree",)),
    "pynanoflann": Library(_trees(trees.Pynanoflann), packages=("pynanoflann",)),
    "quitefastmst": Library(
        {**_trees(trees.Quitefastmst), "spanning tree": linkages.Quitefastmst},
        packages=("quitefastmst",),
    ),
    "genieclust": Library({"spanning tree": linkages.Genieclust}, packages=("genieclust",)),
    "fast_hdbscan": Library({"spanning tree": linkages.FastHdbscan}, packages=("fast-hdbscan",)),
    "fastcluster": Library(
        dict.fromkeys(("linkage matrix", "linkage rows", "spanning tree"), linkages.Fastcluster),
        packages=("fastcluster",),
    ),
    "scikit-learn": Library(
        {
            "neighbors": partial(Neighbors, SKLEARN["neighbors"]),
            **_kmeans(SKLEARN["kmeans"], threaded=False, algorithm="lloyd"),
            "lda": partial(Discriminant, SKLEARN["lda"], threaded=False),
            "predict KMeans": partial(Predict, SKLEARN["kmeans"]),
            "predict LDA": partial(Predict, SKLEARN["lda"]),
            "predict kNN": partial(Predict, SKLEARN["knn"]),
            "import": partial(
                Import, "sklearn.neighbors", "sklearn.cluster", "sklearn.discriminant_analysis"
            ),
            **_metrics(SKLEARN["neighbors"]),
            **_trees(trees.Sklearn),
            "lasso path": lasso.SklearnPath,
            "ols": partial(lasso.LeastSquares, "sklearn.linear_model"),
            "ridge path": lasso.SklearnRidge,
            "svc": partial(svc.Machine, "sklearn.svm"),
            "logistic": partial(glm.Sklearn, "lbfgs", 1e-8),
            "glm": partial(glm.Sklearn, "lbfgs", 1e-8),
            "linear svc": partial(linear.Linear, "sklearn.svm.LinearSVC", threaded=False),
            "silhouette": partial(medoids.Silhouette, "sklearn.metrics"),
            **_machines("sklearn.svm.SVC", threaded=False),
            "string kernel": kernels.SklearnStrings,
            "kernel matrix": kernels.SklearnRows,
        },
        packages=("scikit-learn",),
    ),
    "scikit-learn (one by one)": Library({"ridge path": lasso.SklearnRidges}),
    "celer": Library({"lasso path": lasso.CelerPath}, packages=("celer",)),
    "skglm": Library({"lasso path": lasso.SkglmPath}, packages=("skglm",)),
    "glmnet": Library({"lasso path": lasso.GlmnetPath}, packages=("glmstar",)),
    "scikit-learn (newton-cholesky)": Library(
        {
            "logistic": partial(glm.Sklearn, "newton-cholesky", 1e-9),
            "glm": partial(glm.Sklearn, "newton-cholesky", 1e-6),
            "multinomial": _multinomial("newton-cholesky", 1e-6),
        },
    ),
    "scikit-learn (newton-cg)": Library(
        {
            "logistic": partial(glm.Sklearn, "newton-cg", 1e-10),
            "multinomial": _multinomial("newton-cg", 1e-8),
        }
    ),
    "scikit-learn (elkan)": Library(
        _kmeans(SKLEARN["kmeans"], threaded=False, algorithm="elkan"),
    ),
    "scikit-learn (lsqr)": Library(
        {"lda": partial(Discriminant, SKLEARN["lda"], threaded=False, solver="lsqr")},
    ),
    "scikit-learn (lbfgs)": Library({"multinomial": _multinomial("lbfgs", 1e-8)}),
    "scikit-learn-intelex": Library(
        {
            "neighbors": partial(Neighbors, SKLEARNEX["neighbors"]),
            **_kmeans(SKLEARNEX["kmeans"]),
            "multinomial": partial(
                multinomial.Sklearn, SKLEARNEX["logistic"], threaded=False, tol=1e-8
            ),
            "predict KMeans": partial(Predict, SKLEARNEX["kmeans"]),
            "predict kNN": partial(Predict, SKLEARNEX["knn"]),
            "import": partial(Import, "sklearnex.neighbors", "sklearnex.cluster"),
            **_metrics(SKLEARNEX["neighbors"]),
            "ols": partial(lasso.LeastSquares, "sklearnex.linear_model"),
            "svc": partial(svc.Machine, "sklearnex.svm"),
            **_trees(trees.Sklearnex),
            "logistic": partial(glm.Sklearn, "lbfgs", 1e-8, "sklearnex"),
            **_machines("sklearnex.svm.SVC", threaded=False),
        },
        packages=("scikit-learn-intelex", "daal"),
    ),
    "scikit-learn-intelex (newton-cg)": Library(
        {"logistic": partial(glm.Sklearn, "newton-cg", 1e-10, "sklearnex")},
    ),
    "glum": Library({"logistic": glm.Glum, "glm": glm.Glum}, packages=("glum",)),
    "statsmodels": Library(
        {"logistic": glm.Statsmodels, "glm": glm.Statsmodels}, packages=("statsmodels",)
    ),
    "faiss": Library(
        {
            "neighbors": FaissNeighbors,
            "neighbors bytes": metrics.FaissBytes,
            "neighbors metric": metrics.FaissMetric,
            "neighbors hamming": metrics.FaissHamming,
            "kmeans": FaissKMeans,
            "import": partial(Import, "faiss"),
        },
        packages=("faiss-cpu",),
        dtypes={"neighbors": ("float32",), "neighbors metric": ("float32",)},
    ),
    "thundersvm": Library({"svc": svc.ThunderMachine}, packages=("thundersvm-cpu",)),
    "scipy": Library(
        {
            "neighbors": CdistNeighbors,
            "kmeans": ScipyKMeans,
            **_trees(trees.Scipy),
            "linkage matrix": linkages.Scipy,
            "linkage rows": linkages.ScipyRows,
            "spanning tree": linkages.ScipyRows,
            "string kernel": kernels.ScipyStrings,
        },
        packages=("scipy",),
    ),
    "statfast (brute force)": Library(
        {"approximate": partial(Neighbors, STATFAST["neighbors"])},
        not_a_peer="exact",
    ),
    "faiss (IVF)": Library(
        {"approximate": partial(FaissApproximate, "IVF256,Flat", "nprobe")},
    ),
    "faiss (HNSW)": Library(
        {"approximate": partial(FaissApproximate, "HNSW16", "efSearch")},
    ),
    "scipy (k-d tree)": Library({"neighbors": TreeNeighbors}, not_a_peer="another algorithm"),
    "numpy": Library({"tile": Matmul}, packages=("numpy",)),
    "FMA loop": Library({"tile": FmaLoop}, not_a_peer="the limit, not a product"),
}


def entrants(problem) -> list[str]:
    """The libraries that do a problem's work in its dtype."""
    return [
        name
        for name, library in LIBRARIES.items()
        if problem.work in library.works
        and problem.dtype in library.dtypes.get(problem.work, (problem.dtype,))
    ]
