# SPDX-License-Identifier: BSD-3-Clause
"""All pictures in their defaults, on ordinary and on hard data, and what is wrong with a layout.

``python -m tests.plot.layouts FOLDER [NAME ...]`` saves them, to be looked at: light, dark, and as
one of two subplots.
"""

import sys
import warnings
from contextlib import contextmanager
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import statfast as sf
from statfast import plot
from statfast.cluster import choose_n_clusters, cluster_stability, gap_statistic
from statfast.conformal import coverage_report
from statfast.datasets import load_digits, load_iris, load_wine
from statfast.inspection import permutation_importance, shap_values
from statfast.mixture import choose_mixture
from statfast.model_selection import bias_variance, compare

CASES: dict[str, Any] = {}  # name of the case -> a call that takes ax
LONG = "the proportion of customers who came back within a year, region {}"


def case(name):
    """Decorator: draws the function of `statfast.plot` that the case is named after."""

    def named(call):
        CASES[name] = call
        return call

    return named


def long_names(d):
    return [LONG.format(j) for j in range(d)]


@cache
def iris():
    """A data frame, names of species."""
    import pandas as pd

    table = load_iris()
    X = pd.DataFrame(table.data, columns=list(table.feature_names))
    return X, np.array(table.target_names)[table.target]


@cache
def wine():
    import pandas as pd

    table = load_wine()
    return pd.DataFrame(table.data, columns=list(table.feature_names)), table.target


@cache
def wine_long():
    X, y = wine()
    X = X.set_axis(long_names(X.shape[1]), axis=1)
    return X, np.array([f"a cultivar with a name as long as this one: no. {k}" for k in y])


@cache
def two_species():
    X, y = iris()
    keep = y != "setosa"
    return X[keep], y[keep] == "virginica"


@cache
def digits():
    """Ten classes: two components of the digits."""
    table = load_digits()
    return sf.PCA(n_components=2).fit_transform(table.data.astype(float)), table.target


@cache
def crowd():
    """A hundred thousand points of three classes that overlap."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [34_000, 33_000, 33_000])
    return rng.normal(size=(100_000, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y], y


@cache
def logistic():
    return sf.LogisticRegression().fit(*two_species())


@cache
def forest(which="iris"):
    X, y = {"iris": iris, "long": wine_long}[which]()
    return sf.RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)


@cache
def boosted():
    return sf.AdaBoostClassifier(n_estimators=20).fit(*two_species())


def plane(which):
    if which == "iris":
        X, y = iris()
        return X.iloc[:, 2:], y
    if which == "long":
        X, y = wine_long()
        return X.iloc[:, [0, 6]], y
    return {"ten": digits, "many": crowd}[which]()


PLANES = ("iris", "ten", "long", "many")

for _which in PLANES:

    @case(f"decision_regions/{_which}")
    def _(which=_which, **k):
        X, y = plane(which)
        return plot.decision_regions(sf.LinearDiscriminantAnalysis().fit(X, y), X, y, **k)

    @case(f"projection/{_which}")
    def _(which=_which, **k):
        X, y = plane(which)
        two = np.isin(y, np.unique(y)[:2])
        return plot.projection(
            X[two], y[two], sf.LinearDiscriminantAnalysis().fit(X[two], y[two]), **k
        )

    @case(f"density_contours/{_which}")
    def _(which=_which, **k):
        X, y = plane(which)
        return plot.density_contours(sf.QuadraticDiscriminantAnalysis().fit(X, y), X, y, **k)

    @case(f"clusters/{_which}")
    def _(which=_which, **k):
        X, y = plane(which)
        count = len(np.unique(y))
        return plot.clusters(X, sf.KMeans(count, n_init=1, random_state=0).fit(X), **k)

    @case(f"densities/{_which}")
    def _(which=_which, **k):
        X, y = plane(which)
        model = sf.GaussianNB().fit(X, y)
        return plot.densities(model, X, y, feature=1, **k)

    @case(f"component_scores/{_which}")
    def _(which=_which, **k):
        X, y = plane(which)
        return plot.component_scores(sf.PCA().fit(X), X, y, **k)

    if _which != "many":

        @case(f"svm_margin/{_which}")
        def _(which=_which, **k):
            X, y = plane(which)
            two = np.isin(y, np.unique(y)[1:3])
            return plot.svm_margin(sf.SVC(kernel="linear").fit(X[two], y[two]), X[two], y[two], **k)

        @case(f"nearest/{_which}")
        def _(which=_which, **k):
            X, y = plane(which)
            model = sf.KNeighborsClassifier(5).fit(X, y)
            return plot.nearest(model, X, y, np.asarray(X)[60] + 0.1, **k)

        @case(f"silhouette/{_which}")
        def _(which=_which, **k):
            X, y = plane(which)
            count = len(np.unique(y))
            return plot.silhouette(
                X, sf.KMeans(count, n_init=1, random_state=0).fit_predict(X), **k
            )


@case("decision_regions/one feature")
def _(**k):
    X, y = iris()
    X = X[["petal_length"]]
    return plot.decision_regions(sf.LinearDiscriminantAnalysis().fit(X, y), X, y, **k)


@case("density_surface")
def _(**k):
    X, _ = plane("iris")
    return plot.density_surface(sf.MultivariateNormal().fit(X), X, **k)


for _which in ("iris", "wine", "long", "ten"):

    def _table(which):
        if which == "ten":
            table = load_digits()
            varying = table.data.std(axis=0) > 0.5
            return table.data[:, varying].astype(float), table.target
        return {"iris": iris, "wine": wine, "long": wine_long}[which]()

    @case(f"biplot/{_which}")
    def _(which=_which, **k):
        X, y = _table(which)
        X = X[:, :8] if which == "ten" else X
        return plot.biplot(sf.PCA(correlation=True).fit(X), X, y, **k)

    @case(f"canonical_variates/{_which}")
    def _(which=_which, **k):
        X, y = _table(which)
        return plot.canonical_variates(sf.LinearDiscriminantAnalysis().fit(X, y), X, y, **k)

    if _which != "ten":

        @case(f"correlation_circle/{_which}")
        def _(which=_which, **k):
            return plot.correlation_circle(sf.PCA(correlation=True).fit(_table(which)[0]), **k)

        @case(f"coefficients/{_which}")
        def _(which=_which, **k):
            X, _ = _table(which)
            model = sf.LinearRegression().fit(X.iloc[:, 1:], X.iloc[:, 0])
            return plot.coefficients(model, **k)

        @case(f"coefficient_stems/{_which}")
        def _(which=_which, **k):
            X, _ = _table(which)
            model = sf.Lasso(alpha=0.1).fit(X.iloc[:, 1:], X.iloc[:, 0])
            return plot.coefficient_stems(model, **k)

        @case(f"regularization_path/{_which}")
        def _(which=_which, **k):
            X, _ = _table(which)
            path = sf.lasso_path(X.iloc[:, 1:].to_numpy(), X.iloc[:, 0], standardize=True)
            return plot.regularization_path(path, feature_names=list(X.columns[1:]), **k)

        @case(f"diagnostics/{_which}")
        def _(which=_which, **k):
            X, _ = _table(which)
            model = sf.LinearRegression().fit(X.iloc[:, 1:], X.iloc[:, 0])
            return plot.diagnostics(model, X.iloc[:, 1:], X.iloc[:, 0], **k)

        @case(f"tree/{_which}")
        def _(which=_which, **k):
            return plot.tree(sf.DecisionTreeClassifier(max_depth=3).fit(*_table(which)), **k)

        @case(f"table/{_which}")
        def _(which=_which, **k):
            X, _ = _table(which)
            model = sf.LinearRegression().fit(X.iloc[:, 1:], X.iloc[:, 0])
            return plot.table(sf.vif(model), **k)

        @case(f"stepwise/{_which}")
        def _(which=_which, **k):
            X, _ = _table(which)
            result = sf.step(sf.LinearRegression(), X.iloc[:, 1:7], X.iloc[:, 0], start="none")
            return plot.stepwise(result, **k)

        @case(f"partial_dependence/{_which}")
        def _(which=_which, **k):
            X, y = _table(which)
            model = sf.LinearDiscriminantAnalysis().fit(X, y)
            return plot.partial_dependence(model, X, X.columns[2], **k)

        @case(f"permutation_importances/{_which}")
        def _(which=_which, **k):
            X, y = _table(which)
            model = sf.LinearDiscriminantAnalysis().fit(X, y)
            return plot.permutation_importances(
                permutation_importance(model, X, y, random_state=0), **k
            )


@case("coefficients/ratio")
def _(**k):
    return plot.coefficients(logistic(), scale="ratio", **k)


@case("coefficients/lasso")
def _(**k):
    X, _ = wine()
    return plot.coefficients(sf.Lasso(alpha=0.1).fit(X.iloc[:, 1:], X.iloc[:, 0]), **k)


@case("coefficients/three classes")
def _(**k):
    return plot.coefficients(sf.LogisticRegression(C=1.0).fit(*iris()), **k)


@case("coefficient_histogram")
def _(**k):
    X, _ = wine()
    fits = {
        m: getattr(sf, m)(alpha=0.1).fit(X.iloc[:, 1:], X.iloc[:, 0]) for m in ("Lasso", "Ridge")
    }
    return plot.coefficient_histogram(fits, **k)


@case("tree/deep")
def _(**k):
    table = load_digits()
    return plot.tree(sf.DecisionTreeClassifier(max_depth=5).fit(table.data, table.target), **k)


for _which in ("iris", "long"):

    @case(f"importances/{_which}")
    def _(which=_which, **k):
        return plot.importances(forest(which), **k)


@case("out_of_bag")
def _(**k):
    return plot.out_of_bag(forest(), *iris(), **k)


@case("boosting_errors")
def _(**k):
    return plot.boosting_errors(boosted(), *two_species(), **k)


@case("boosting_margins")
def _(**k):
    return plot.boosting_margins(boosted(), *two_species(), **k)


for _name in ("roc", "precision_recall", "cost_curves", "coverage"):

    @case(f"{_name}/one")
    def _(name=_name, **k):
        return getattr(plot, name)(logistic(), *two_species(), **k)

    @case(f"{_name}/two calls")
    def _(name=_name, **k):
        shown = getattr(plot, name)(logistic(), *two_species(), **k)
        return getattr(plot, name)(boosted(), *two_species(), ax=shown.ax_)


for _name in ("roc", "coverage"):

    @case(f"{_name}/several")
    def _(name=_name, **k):
        models = {"logistic regression": logistic(), "AdaBoost": boosted()}
        return getattr(plot, name)(models, *two_species(), **k)


@case("calibration/one")
def _(**k):
    return plot.calibration(logistic(), *two_species(), **k)


@case("confusion/iris")
def _(**k):
    X, y = iris()
    return plot.confusion(y, sf.GaussianNB().fit(X, y).predict(X), **k)


@case("confusion/long")
def _(**k):
    X, y = wine_long()
    return plot.confusion(y, sf.GaussianNB().fit(X, y).predict(X), **k)


@case("confusion/ten")
def _(**k):
    table = load_digits()
    model = sf.KNeighborsClassifier(30).fit(table.data, table.target)
    return plot.confusion(table.target, model.predict(table.data), **k)


@case("dendrogram/iris")
def _(**k):
    return plot.dendrogram(sf.linkage(iris()[0], "ward"), n_clusters=3, **k)


@case("dendrogram/labels")
def _(**k):
    X, _ = wine()
    labels = [f"wine no. {i}" for i in range(30)]
    return plot.dendrogram(sf.linkage(X[:30], "ward"), labels=labels, **k)


@case("neighbor_distances")
def _(**k):
    return plot.neighbor_distances(iris()[0], eps=0.5, **k)


for _name in ("condensed_tree", "reachability"):

    @case(_name)
    def _(name=_name, **k):
        return getattr(plot, name)(sf.HDBSCAN(min_cluster_size=10).fit(iris()[0]), **k)


@case("elbow")
def _(**k):
    return plot.elbow(choose_n_clusters(iris()[0], ks=range(1, 8), random_state=0), **k)


@case("gap")
def _(**k):
    return plot.gap(gap_statistic(iris()[0], k_max=6, n_boot=10, random_state=0), **k)


@case("stability")
def _(**k):
    return plot.stability(cluster_stability(iris()[0], 3, n_boot=5, random_state=0), **k)


@case("images")
def _(**k):
    table = load_digits()
    return plot.images(table.data[:20], captions=table.target[:20], **k)


@case("reconstructions")
def _(**k):
    X = load_digits().data
    return plot.reconstructions(sf.PCA().fit(X), X[:3], (8, 8), **k)


@case("kernel_matrix/iris")
def _(**k):
    return plot.kernel_matrix("rbf", *iris(), **k)


@case("kernel_matrix/long")
def _(**k):
    return plot.kernel_matrix("rbf", *wine_long(), **k)


@case("learning_curves")
def _(**k):
    return plot.learning_curves(sf.GaussianNB(), *wine(), shuffle=True, random_state=0, **k)


@case("validation_curves")
def _(**k):
    values = {"param_name": "n_neighbors", "param_range": [1, 3, 5, 9, 15, 25]}
    return plot.validation_curves(sf.KNeighborsClassifier(), *iris(), **values, **k)


@case("margin_losses")
def _(**k):
    return plot.margin_losses(**k)


@case("mixture_criteria")
def _(**k):
    X = iris()[0].to_numpy()
    choice = choose_mixture(X, n_components=range(1, 7), random_state=0)
    return plot.mixture_criteria(choice, **k)


@case("penalty_errors")
def _(**k):
    X, _ = wine()
    return plot.penalty_errors(sf.LassoCV(cv=5).fit(X.iloc[:, 1:], X.iloc[:, 0]), **k)


@case("pruning")
def _(**k):
    return plot.pruning(sf.tree.pruning_table(sf.DecisionTreeClassifier(), *wine()), **k)


@case("rda_grid")
def _(**k):
    X, y = wine()
    return plot.rda_grid(sf.RegularizedDiscriminantAnalysisCV().fit(X.iloc[:, [0, 6]], y), **k)


@case("regression_curve/several")
def _(**k):
    X, _ = iris()
    X, y = X[["petal_length"]], X["petal_width"]
    models = {"line": sf.LinearRegression().fit(X, y), "9-NN": sf.KNeighborsRegressor(9).fit(X, y)}
    return plot.regression_curve(models, X, y, **k)


@case("regression_curve/many")
def _(**k):
    X, _ = crowd()
    return plot.regression_curve(
        sf.LinearRegression().fit(X[:, :1], X[:, 1]), X[:, :1], X[:, 1], **k
    )


@case("rules")
def _(**k):
    baskets = [["bread", "milk"], ["bread"], ["milk", "tea"], ["bread", "tea", "milk"]]
    sets = sf.frequent_itemsets(baskets, 0.2)
    return plot.rules(sf.association_rules(sets, min_threshold=0.3), **k)


for _which in ("wine", "long"):

    @case(f"subgroups/{_which}")
    def _(which=_which, **k):
        X, y = _table(which)
        model = sf.SubgroupDiscovery(8, max_depth=2, pos_label=np.unique(y)[1]).fit(X, y)
        return plot.subgroups(model, **k)

    for _shap in ("beeswarm", "bar", "waterfall", "dependence"):

        @case(f"shap_{_shap}/{_which}")
        def _(which=_which, shap=_shap, **k):
            X, _ = _table(which)
            model = sf.RandomForestRegressor(20, random_state=0).fit(X.iloc[:, 1:], X.iloc[:, 0])
            return getattr(plot, f"shap_{shap}")(shap_values(model, X.iloc[:60, 1:]), **k)


@case("scree")
def _(**k):
    return plot.scree(sf.choose_components(wine()[0], random_state=0), **k)


@case("search_scores/line")
def _(**k):
    search = sf.GridSearchCV(sf.KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9, 15]})
    return plot.search_scores(search.fit(*iris()), **k)


@case("search_scores/table")
def _(**k):
    steps = sf.make_pipeline(sf.StandardScaler(), sf.SVC())
    grid = {"svc__C": [0.01, 0.1, 1, 10, 100], "svc__gamma": [0.001, 0.01, 0.1, 1.0]}
    return plot.search_scores(sf.GridSearchCV(steps, grid).fit(*wine()), **k)


@case("selection_path")
def _(**k):
    X, _ = wine()
    return plot.selection_path(sf.RFECV(sf.Ridge()).fit(X.iloc[:, 1:], X.iloc[:, 0]), **k)


@case("group_coverage")
def _(**k):
    X, y = wine()
    model = sf.ConformalRegressor(sf.Ridge(), method="jackknife+").fit(X.iloc[:, 1:], X.iloc[:, 0])
    ends = model.predict(X.iloc[:, 1:], interval="conformal", level=0.8)[1]
    return plot.group_coverage(coverage_report(X.iloc[:, 0], ends, groups=y), level=0.8, **k)


@case("set_sizes")
def _(**k):
    X, y = iris()
    scores = ("lac", "aps", "raps")
    return plot.set_sizes({s: _sets_of_labels(X, y, s) for s in scores}, **k)


def _sets_of_labels(X, y, score):
    lda = sf.LinearDiscriminantAnalysis()
    options = {"method": "cv+", "conformity_score": score, "random_state": 0}
    return sf.ConformalClassifier(lda, **options).fit(X, y).predict_set(X, level=0.98)


@case("comparison")
def _(**k):
    models = [sf.LinearDiscriminantAnalysis(), sf.GaussianNB(), sf.DecisionTreeClassifier()]
    return plot.comparison(compare(models, *wine()), **k)


@case("bias_variance_target")
def _(**k):
    X = np.linspace(-2, 2, 60)[:, None]
    result = bias_variance(sf.Ridge(), X, np.sin(3 * X[:, 0]), n_rounds=20, random_state=0)
    return plot.bias_variance_target(result, **k)


@case("word_weights")
def _(**k):
    texts = ["free prize call now", "see you at lunch", "call to claim a prize", "lunch was great"]
    words = sf.CountVectorizer()
    X = words.fit_transform(texts)
    model = sf.MultinomialNB().fit(X, ["spam", "ham", "spam", "ham"])
    return plot.word_weights(model, words.get_feature_names_out(), **k)


@case("word_weights/long")
def _(**k):
    X, y = wine_long()
    return plot.word_weights(sf.LinearSVC().fit(X, y == y[0]), **k)


# ------------------------------------------------------------------ layouts
@contextmanager
def recorded_texts():
    """The texts that are drawn within the block, each once, as text and box in pixels."""
    from matplotlib.text import Text

    boxes: dict[int, Any] = {}
    draw = Text.draw

    def record(self, renderer, *args, **kwargs):
        draw(self, renderer, *args, **kwargs)
        if self.get_visible() and self.get_text().strip():
            boxes[id(self)] = self, self.get_window_extent(renderer)

    Text.draw = record
    try:
        yield boxes
    finally:
        Text.draw = draw


def layout_faults(figure, *, slack=2.0):
    """Texts that are cut by the edge of the figure, and pairs of texts that overlap."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with recorded_texts() as boxes:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        boxes.clear()
        canvas.draw()
    width, height = canvas.get_width_height()
    drawn = []
    for text, box in boxes.values():
        words = text.get_text()
        clip = text.axes.bbox if text.get_clip_on() and text.axes else None
        if clip is not None and not clip.overlaps(box):
            continue
        if box.x0 < -slack or box.y0 < -slack or box.x1 > width + slack or box.y1 > height + slack:
            yield f"{words!r} is cut by the edge"
        if text.get_rotation() % 90 == 0:
            drawn.append((words, box))
    for (words, box), (others, other) in combinations(drawn, 2):
        across = min(box.x1, other.x1) - max(box.x0, other.x0)
        down = min(box.y1, other.y1) - max(box.y0, other.y0)
        if across > slack and down > slack:
            yield f"{words!r} and {others!r} overlap"


def dim_faults(figure):
    """Texts, and lines of legends, that are hardly seen on a black background."""
    from matplotlib.colors import to_rgb
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    def light(color):
        return float(np.dot(to_rgb(color), (0.2126, 0.7152, 0.0722)))

    for text in figure.findobj(Text):
        if text.get_text().strip() and text.get_visible() and light(text.get_color()) < 0.4:
            yield f"{text.get_text()!r} is too dark"
    for line in figure.findobj(Line2D):
        if not line.get_label().startswith("_") and light(line.get_color()) < 0.2:
            yield f"the line {line.get_label()!r} is too dark"


def main(folder, *names):
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("Agg")
    warnings.simplefilter("ignore")
    for name, call in CASES.items():
        if names and not any(name.startswith(wanted) for wanted in names):
            continue
        stem = name.replace("/", "-").replace(" ", "_").replace(",", "")
        try:
            for style in ("default", "dark_background"):
                with plt.style.context(style):
                    shown = call()
                    shown.figure_.savefig(Path(folder) / f"{stem}.{style}.png", dpi=60)
                    if style == "default":
                        for fault in layout_faults(shown.figure_):
                            print(f"{name}: {fault}")
                    plt.close("all")
            figure = plt.figure(layout="constrained", figsize=(9, 3.6))
            place = (
                figure.subplots(1, 2)[0]
                if name != "density_surface"
                else figure.add_subplot(121, projection="3d")
            )
            shown = call(ax=place)
            figure.savefig(Path(folder) / f"{stem}.subplot.png", dpi=60)
            for fault in layout_faults(figure):
                print(f"{name} (subplot): {fault}")
            plt.close("all")
        except Exception as error:
            print(f"{name}: !! {type(error).__name__}: {str(error)[:200]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
