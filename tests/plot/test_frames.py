# SPDX-License-Identifier: BSD-3-Clause
"""Every picture of a model that was fitted on a data frame is drawn without a warning of names."""

import inspect

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

import statfast as sf
from statfast import plot
from statfast.cluster import choose_n_clusters, gap_statistic
from statfast.datasets import load_iris

pd = pytest.importorskip("pandas")
IRIS = load_iris()
PLACES = np.random.default_rng(0).permutation(150)[:90]
X = pd.DataFrame(IRIS.data[PLACES], columns=list("abcd"), index=PLACES)
Y = pd.Series(np.array(IRIS.target_names)[IRIS.target[PLACES]], index=PLACES)
TWO = (Y == "virginica").rename("virginica")
PLANE = X[["a", "c"]]
LOGISTIC = sf.LogisticRegression(C=1.0)
RIDGE = sf.LinearRegression().fit(X[["a", "b"]], X["d"])
COUNTS = pd.DataFrame(np.arange(12).reshape(4, 3) % 5, columns=["hello", "prize", "you"])
SPAM = ["ham", "spam", "ham", "spam"]


def boosted():
    return sf.AdaBoostClassifier(n_estimators=3).fit(X, TWO)


def pictures():
    """Calls of all functions of statfast.plot that take rows or a model fitted on them."""
    tree = sf.DecisionTreeClassifier(max_depth=3).fit(X, Y)
    forest = sf.RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, Y)
    clusters = sf.KMeans(3, random_state=0).fit(X)
    lda, pca = sf.LinearDiscriminantAnalysis().fit(X, Y), sf.PCA().fit(X)
    model = sf.LogisticRegression(C=1.0).fit(X, TWO)
    search = sf.GridSearchCV(sf.KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3).fit(X, Y)
    yield (
        "decision_regions",
        lambda **k: plot.decision_regions(
            sf.LinearDiscriminantAnalysis().fit(PLANE, Y), PLANE, Y, resolution=12, **k
        ),
    )
    yield (
        "decision_regions",
        lambda **k: plot.decision_regions(
            sf.make_pipeline(sf.StandardScaler(), sf.SVC()).fit(PLANE, TWO),
            PLANE,
            TWO,
            resolution=12,
            **k,
        ),
    )
    yield (
        "subgroups",
        lambda **k: plot.subgroups(sf.SubgroupDiscovery(max_depth=2).fit(X, Y), **k),
    )
    yield (
        "svm_margin",
        lambda **k: plot.svm_margin(
            sf.SVC(kernel="linear").fit(PLANE, TWO), PLANE, TWO, resolution=12, **k
        ),
    )
    yield (
        "decision_regions",
        lambda **k: plot.decision_regions(
            sf.GaussianNB().fit(X[["c"]], Y), X[["c"]], Y, resolution=12,
            reference=sf.LinearDiscriminantAnalysis().fit(X[["c"]], Y), **k
        ),
    )  # fmt: skip
    naive = sf.GaussianNB().fit(X, Y)
    yield "densities", lambda **k: plot.densities(naive, X, Y, feature="c", **k)
    column = sf.LinearDiscriminantAnalysis().fit(X[["c"]], Y)
    yield "densities", lambda **k: plot.densities(column, X[["c"]], Y, **k)
    yield "densities", lambda **k: plot.densities(column, **k)
    normal = sf.MultivariateNormal().fit(PLANE)
    yield "density_surface", lambda **k: plot.density_surface(normal, PLANE, resolution=9, **k)
    plane = sf.GaussianNB().fit(PLANE, Y)
    yield "density_surface", lambda **k: plot.density_surface(plane, resolution=9, **k)
    mixture = sf.GaussianMixture(2, random_state=0).fit(PLANE)
    yield "density_contours", lambda **k: plot.density_contours(mixture, PLANE, **k)
    fisher = sf.LinearDiscriminantAnalysis().fit(PLANE, Y)
    yield "projection", lambda **k: plot.projection(PLANE, Y, fisher, **k)
    neighbors = sf.KNeighborsClassifier(3).fit(PLANE, Y)
    yield "nearest", lambda **k: plot.nearest(neighbors, PLANE, Y, [[5.0, 4.0]], **k)
    curves = {
        "line": RIDGE,
        "tree": sf.DecisionTreeRegressor(max_depth=2).fit(X[["a", "b"]], X["d"]),
    }
    yield (
        "regression_curve",
        lambda **k: plot.regression_curve(curves, X[["a", "b"]], X["d"], feature="b", **k),
    )
    yield "regression_curve", lambda **k: plot.regression_curve(
        sf.LogisticRegression().fit(X[["b"]], TWO), X[["b"]], TWO, **k
    )  # fmt: skip
    lasso = sf.Lasso(alpha=0.1).fit(X[["a", "b", "c"]], X["d"])
    yield "coefficient_stems", lambda **k: plot.coefficient_stems(lasso, **k)
    yield "coefficient_histogram", lambda **k: plot.coefficient_histogram(lasso, **k)
    yield "images", lambda **k: plot.images(X[:6], captions=Y[:6], **k)
    yield "diagnostics", lambda **k: plot.diagnostics(RIDGE, X[["a", "b"]], X["d"], **k)
    yield "coefficients", lambda **k: plot.coefficients(RIDGE, **k)
    yield (
        "density_contours",
        lambda **k: plot.density_contours(
            sf.QuadraticDiscriminantAnalysis().fit(PLANE, Y), PLANE, Y, **k
        ),
    )
    yield "canonical_variates", lambda **k: plot.canonical_variates(lda, X, Y, **k)
    yield "component_scores", lambda **k: plot.component_scores(pca, X, Y, **k)
    yield "biplot", lambda **k: plot.biplot(pca, X, Y, **k)
    yield "scree", lambda **k: plot.scree(pca, **k)
    yield "correlation_circle", lambda **k: plot.correlation_circle(pca, **k)
    yield "clusters", lambda **k: plot.clusters(X, clusters, **k)
    yield "silhouette", lambda **k: plot.silhouette(X, clusters.labels_, **k)
    yield "importances", lambda **k: plot.importances(forest, **k)
    yield "out_of_bag", lambda **k: plot.out_of_bag(forest, X, Y, **k)
    yield "boosting_errors", lambda **k: plot.boosting_errors(boosted(), X, TWO, **k)
    yield "boosting_margins", lambda **k: plot.boosting_margins(boosted(), X, TWO, **k)
    yield "partial_dependence", lambda **k: plot.partial_dependence(model, X, "c", **k)
    yield (
        "permutation_importances",
        lambda **k: plot.permutation_importances(
            sf.inspection.permutation_importance(model, X, TWO, random_state=0), **k
        ),
    )
    yield "roc", lambda **k: plot.roc(model, X, TWO, **k)
    yield "precision_recall", lambda **k: plot.precision_recall(model, X, TWO, **k)
    yield "cost_curves", lambda **k: plot.cost_curves(model, X, TWO, **k)
    yield "coverage", lambda **k: plot.coverage(model, X, TWO, **k)
    yield "roc", lambda **k: plot.roc({"a": model, "b": boosted()}, X, TWO, **k)
    yield "coverage", lambda **k: plot.coverage({"a": model, "b": boosted()}, X, TWO, **k)
    yield "tree", lambda **k: plot.tree(tree, **k)
    yield "search_scores", lambda **k: plot.search_scores(search, **k)
    yield (
        "learning_curves",
        lambda **k: plot.learning_curves(
            sf.make_pipeline(sf.StandardScaler(), LOGISTIC), X, TWO, cv=3, **k
        ),
    )
    yield "validation_curves", lambda **k: plot.validation_curves(
        sf.make_pipeline(sf.StandardScaler(), sf.KNeighborsClassifier()), X, Y,
        param_name="kneighborsclassifier__n_neighbors", param_range=[1, 3], cv=3, **k
    )  # fmt: skip
    yield "word_weights", lambda **k: plot.word_weights(sf.MultinomialNB().fit(COUNTS, SPAM), **k)
    yield "kernel_matrix", lambda **k: plot.kernel_matrix("rbf", X, Y, **k)
    yield "dendrogram", lambda **k: plot.dendrogram(sf.linkage(X), **k)
    dense = sf.HDBSCAN(min_cluster_size=3).fit(X)
    yield "condensed_tree", lambda **k: plot.condensed_tree(dense, **k)
    yield "reachability", lambda **k: plot.reachability(dense, **k)
    yield "gap", lambda **k: plot.gap(gap_statistic(X, k_max=3, n_boot=3, random_state=0), **k)
    yield "neighbor_distances", lambda **k: plot.neighbor_distances(X, **k)
    yield "elbow", lambda **k: plot.elbow(choose_n_clusters(X, ks=[2, 3], random_state=0), **k)


# Those that take numbers or results alone, in which no names of columns are.
WITHOUT_ROWS = {
    "bias_variance_target", "calibration", "comparison", "confusion", "group_coverage",
    "margin_losses",
    "mixture_criteria",
    "penalty_errors", "pruning", "selection_path",
    "rda_grid", "reconstructions", "regularization_path", "rules", "shap_bar", "shap_beeswarm",
    "set_sizes", "shap_dependence", "shap_waterfall", "stability", "stepwise", "table",
}  # fmt: skip
CALLS = list(pictures())


@pytest.mark.parametrize("which", range(len(CALLS)), ids=[name for name, _ in CALLS])
def test_a_picture_of_a_model_of_a_frame_warns_of_nothing(which):
    shown = CALLS[which][1](ax=Figure().subplots())  # warnings are errors here
    assert shown.figure_ is not None


def test_every_picture_is_drawn_of_a_frame():
    functions = {name for name in plot.__all__ if inspect.isfunction(getattr(plot, name))}
    assert functions == {name for name, _ in CALLS} | WITHOUT_ROWS


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_regions_of_frames_of_other_libraries(container):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    rows = pl.DataFrame({"a": X["a"].to_numpy(), "c": X["c"].to_numpy()})
    rows = rows if container == "polars" else rows.to_arrow()
    model = sf.LinearDiscriminantAnalysis().fit(rows, Y.to_numpy())
    ax = Figure().subplots()
    plot.decision_regions(model, rows, Y.to_numpy(), resolution=9, ax=ax)


def test_results_computed_before_are_drawn():
    scores = sf.learning_curve(LOGISTIC, X, TWO, cv=3, train_sizes=[20, 50])
    shown = plot.learning_curves(scores, ax=Figure().subplots())
    assert shown.x.tolist() == [20, 50]
    np.testing.assert_array_equal(shown.test_scores, scores[2])
    values = {"param_name": "C", "param_range": [0.1, 1.0]}
    scores = sf.validation_curve(LOGISTIC, X, TWO, cv=3, **values)
    shown = plot.validation_curves(scores, **values, ax=Figure().subplots())
    np.testing.assert_array_equal(shown.train_scores, scores[0])
    with pytest.raises(TypeError, match="X and y must be passed with an estimator"):
        plot.learning_curves(LOGISTIC)
    with pytest.raises(TypeError, match="estimator holds results already"):
        plot.learning_curves(scores, X, TWO)
    with pytest.raises(ValueError, match="the arrays that the curve returned"):
        plot.learning_curves(scores)


@pytest.mark.parametrize(
    "model",
    [sf.LinearSVC(), sf.LogisticRegression(C=1.0), sf.SVC(kernel="linear")],
)
def test_words_of_linear_classifiers_have_weights(model):
    shown = plot.word_weights(model.fit(COUNTS, SPAM), n_words=1, ax=Figure().subplots())
    weights = np.ravel(model.coef_)
    assert shown.words.tolist() == COUNTS.columns[[weights.argmin(), weights.argmax()]].tolist()
    np.testing.assert_allclose(shown.weights, [weights.min(), weights.max()])


def test_words_of_three_classes_have_differences_of_weights():
    model = sf.LinearSVC().fit(X, Y)
    shown = plot.word_weights(model, of="virginica", against="setosa", ax=Figure().subplots())
    first, _, last = model.coef_
    np.testing.assert_allclose(shown.weights, np.sort(last - first))
    assert "decision value of virginica" in shown.ax_.get_xlabel()


@pytest.mark.parametrize(
    "draw",
    [plot.word_weights, plot.coefficients, plot.boosting_errors, lambda m: plot.clusters(X, m)],
)
def test_a_fitted_model_of_another_kind_is_not_called_unfitted(draw):
    with pytest.raises((sf.NotFittedError, TypeError)) as told:
        draw(sf.GaussianNB().fit(X, Y))
    assert told.type is TypeError


def test_words_of_a_model_that_is_not_fitted():
    with pytest.raises(sf.NotFittedError):
        plot.word_weights(sf.LinearSVC())
    with pytest.raises(TypeError, match="linear classifier with coef_"):
        plot.word_weights(sf.SVC(kernel="linear").fit(X, Y))
