# SPDX-License-Identifier: BSD-3-Clause
"""Answers of R 4.2.2 and of NIST on tables that are shipped or short, held wherever the tests run.

The tests of the families compare many more, on data that is not in this repository.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import statfast as sf
from statfast.cluster import cophenetic_correlation, cut_tree, linkage
from statfast.datasets import load_iris, load_wine
from statfast.metrics import silhouette_samples, silhouette_score

IRIS = load_iris()
X, SPECIES = IRIS.data, IRIS.target
X.flags.writeable = False


def counts(truth, predicted):
    """Rows by class and by what is found."""
    table = np.zeros((truth.max() + 1, predicted.max() + 1), dtype=int)
    np.add.at(table, (truth, predicted), 1)
    return table.tolist()


# --- classes ---


def test_lda_of_iris():
    """MASS::lda."""
    model = sf.LinearDiscriminantAnalysis().fit(X, SPECIES)
    assert_allclose(model.singular_values_, [48.6426438022589, 4.5799827109712865], rtol=1e-12)
    assert_allclose(
        np.abs(model.scalings_[:, 0]),
        [0.8293776422660062, 1.534473067700012, 2.201211655561773, 2.810460308843104],
        rtol=1e-11,
    )
    assert_allclose(
        model.predict_proba(X[[70, 133]]),
        [
            [7.4081175816248175e-28, 0.2532282247381786, 0.7467717752618215],
            [1.2838906243207608e-28, 0.7293881280317963, 0.2706118719682037],
        ],
        rtol=1e-10,
    )
    assert counts(SPECIES, model.predict(X)) == [[50, 0, 0], [0, 48, 2], [0, 1, 49]]


def test_lda_of_wine():
    """MASS::lda, all thirteen columns."""
    wine = load_wine()
    model = sf.LinearDiscriminantAnalysis().fit(wine.data, wine.target)
    assert_allclose(model.singular_values_, [28.189576097668024, 19.006342138703452], rtol=1e-12)
    share = [0.6874788878860786, 0.3125211121139214]
    assert_allclose(model.explained_variance_ratio_, share, rtol=1e-12)
    assert model.score(wine.data, wine.target) == 1.0


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, [[24, 0, 1], [0, 25, 0], [3, 0, 22]]),
        (7, [[23, 0, 2], [0, 25, 0], [3, 0, 22]]),
        (15, [[24, 0, 1], [0, 25, 0], [4, 0, 21]]),
    ],
)
def test_neighbors_of_half_the_irises(k, expected):
    """class::knn on R's iris3, of whose species c and v come in this order."""
    flowers = X.reshape(3, 50, 4)
    train, test = flowers[:, :25].reshape(75, 4), flowers[:, 25:].reshape(75, 4)
    y = np.repeat([1, 0, 2], 25)
    found = sf.KNeighborsClassifier(k).fit(train, y).predict(test)
    assert_array_equal(counts(y, found), np.array(expected))


def test_a_linear_machine_of_iris():
    """e1071::svm(kernel = "linear"), columns scaled; LIBSVM's matrix is in float32."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model = sf.SVC(kernel="linear", tol=1e-10, decision_function_shape="ovo").fit(Z, SPECIES)
    rho = [1.4740824363512652, 0.29562439585491423, -3.09651781477346]
    assert_allclose(-model.intercept_, rho, atol=2e-5)
    first = [1.669802138338455, 1.3780899147193604, 9.936783722499419]
    assert_allclose(model.decision_function(Z[:1])[0], first, atol=2e-5)
    assert model.n_support_.tolist() == [2, 15, 12]
    assert counts(SPECIES, model.predict(Z)) == [[50, 0, 0], [0, 46, 4], [0, 1, 49]]


def test_a_polynomial_machine_of_two_species():
    """e1071::svm(kernel = "polynomial", coef0 = 1), columns scaled."""
    Z, y = X[50:], SPECIES[50:]
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0, ddof=1)
    model = sf.SVC(kernel="poly", degree=3, gamma=0.25, coef0=1.0, tol=1e-10).fit(Z, y)
    assert_allclose(model.intercept_, 0.29646675681043216, atol=2e-5)
    values = [1.9378240092933292, 1.5744595188522685, 1.000000033426148, 2.4430511469158627]
    assert_allclose(-model.decision_function(Z[:4]), values, atol=2e-5)
    assert model.n_support_.tolist() == [9, 12]


# --- linear models ---

STACKLOSS = np.array(
    [
        [80, 27, 89, 42], [80, 27, 88, 37], [75, 25, 90, 37], [62, 24, 87, 28], [62, 22, 87, 18],
        [62, 23, 87, 18], [62, 24, 93, 19], [62, 24, 93, 20], [58, 23, 87, 15], [58, 18, 80, 14],
        [58, 18, 89, 14], [58, 17, 88, 13], [58, 18, 82, 11], [58, 19, 93, 12], [50, 18, 89, 8],
        [50, 18, 86, 7], [50, 19, 72, 8], [50, 19, 79, 8], [50, 20, 80, 9], [56, 20, 82, 15],
        [70, 20, 91, 15],
    ],
    dtype=float,
)  # fmt: skip


def test_least_squares_of_the_stack_losses():
    """stats::lm(stack.loss ~ ., stackloss)."""
    Z, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    model = sf.LinearRegression().fit(Z, y)
    found = np.append(model.intercept_, model.coef_)
    coef = [-39.91967442012396, 0.7156402004852833, 1.295286124388573, -0.1521225191486526]
    errors = [11.89599685064427, 0.13485818535537247, 0.3680242652727042, 0.15629404324862134]
    assert_allclose(found, coef, rtol=1e-12)
    assert_allclose(np.sqrt(np.diag(model.covariance_)), errors, rtol=1e-12)
    assert model.score(Z, y) == pytest.approx(0.9135769044606816, rel=1e-13)
    assert model.aic_ == pytest.approx(114.57559100479955, rel=1e-13)


LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)


def test_longley():
    """NIST's certified values; the columns are collinear to seven digits."""
    model = sf.LinearRegression().fit(LONGLEY[:, 1:], LONGLEY[:, 0])
    certified = [
        -3482258.63459582, 15.0618722713733, -0.358191792925910e-01, -2.02022980381683,
        -1.03322686717359, -0.511041056535807e-01, 1829.15146461355,
    ]  # fmt: skip
    errors = [
        890420.383607373, 84.9149257747669, 0.334910077722432e-01, 0.488399681651699,
        0.214274163161675, 0.226073200069370, 455.478499142212,
    ]  # fmt: skip
    assert_allclose(np.append(model.intercept_, model.coef_), certified, rtol=1e-11)
    assert_allclose(np.sqrt(np.diag(model.covariance_)), errors, rtol=1e-11)


def test_wampler():
    """NIST's Wampler1: the powers of 0, 1, ..., 20, which fit without an error."""
    x = np.arange(21.0)
    powers = x[:, None] ** np.arange(1, 6)
    model = sf.LinearRegression().fit(powers, 1 + powers.sum(axis=1))
    assert_allclose(np.append(model.intercept_, model.coef_), np.ones(6), rtol=1e-9)


def errors_of(model):
    return np.sqrt(np.diag(model.covariance_))


def test_dobsons_counts():
    """stats::glm(counts ~ outcome + treatment, poisson), the example of ?glm."""
    y = np.array([18, 17, 15, 20, 10, 20, 25, 13, 12.0])
    outcome, treatment = np.arange(9) % 3, np.arange(9) // 3
    Z = np.stack([outcome == 1, outcome == 2, treatment == 1, treatment == 2], axis=1) * 1.0
    model = sf.GeneralizedLinearModel("poisson").fit(Z, y)
    assert model.intercept_ == pytest.approx(3.044522437723423, rel=1e-12)
    coef = [-0.45425527227759616, -0.29298712468147414, 0, 0]
    assert_allclose(model.coef_, coef, rtol=1e-12, atol=1e-12)
    errors = [0.17089865185644157, 0.20217075919384547, 0.19274234515979283, 0.2, 0.2]
    assert_allclose(errors_of(model), errors, rtol=1e-12)
    assert model.deviance_ == pytest.approx(5.129141077001145, rel=1e-12)
    assert model.aic_ == pytest.approx(56.76131840195768, rel=1e-13)


@pytest.mark.parametrize(
    ("family", "coef", "errors", "deviance", "aic"),
    [
        (
            "gamma",
            [-0.01655438172620029, 0.015343114910324671],
            [0.0009275491386581962, 0.00041495964266633536],
            0.01672971517848327,
            37.98992394955433,
        ),
        (
            "inverse_gaussian",
            [-0.0011079770459676312, 0.0007219138969506075],
            [0.00016754183509706266, 9.468666170272839e-05],
            0.00693112834723451,
            61.574852017699705,
        ),
    ],
)
def test_clotting_times(family, coef, errors, deviance, aic):
    """stats::glm(lot1 ~ log(u), Gamma) and inverse.gaussian, McCullagh & Nelder (1989)."""
    u = np.array([5, 10, 15, 20, 30, 40, 60, 80, 100.0])
    y = np.array([118, 58, 42, 35, 27, 25, 21, 19, 18.0])
    link = {"gamma": "inverse", "inverse_gaussian": "inverse_squared"}[family]
    model = sf.GeneralizedLinearModel(family, link, tol=1e-12).fit(np.log(u)[:, None], y)
    assert_allclose(np.append(model.intercept_, model.coef_), coef, rtol=1e-9)
    assert_allclose(errors_of(model), errors, rtol=1e-8)
    assert model.deviance_ == pytest.approx(deviance, rel=1e-10)
    assert model.aic_ == pytest.approx(aic, rel=1e-10)


def test_two_species_by_all_columns():
    """stats::glm(Species ~ ., binomial), versicolor and virginica."""
    model = sf.LogisticRegression().fit(X[50:], SPECIES[50:] == 2)
    coef = [-2.4652201951866566, -6.680887014078543, 9.42938515392663, 18.286136887850986]
    assert_allclose(model.intercept_, -42.63780381302202, rtol=1e-8)
    assert_allclose(np.ravel(model.coef_), coef, rtol=1e-8)
    assert model.deviance_ == pytest.approx(11.898546791358841, rel=1e-10)


def test_three_species_by_the_length_of_their_sepals():
    """nnet::multinom(Species ~ Sepal.Length), brought to a gradient of 5e-13."""
    model = sf.LogisticRegression().fit(X[:, :1], SPECIES)
    coef = np.column_stack([np.ravel(model.intercept_), model.coef_])
    coef = coef[1:] - coef[0]
    expected = [[-26.081936036748097, 4.815691093502217], [-38.759001231518745, 6.84639859519956]]
    assert_allclose(coef, expected, rtol=1e-8)
    assert model.deviance_ == pytest.approx(182.06793278965716, rel=1e-12)


def test_a_lasso_of_three_species():
    """glmnet(family = "multinomial", lambda = 0.02), which penalizes scaled columns."""
    spread = X.std(axis=0)
    model = sf.LogisticRegression(
        C=1 / (len(X) * 0.02), l1_ratio=1.0, multi_class="multinomial", tol=1e-10
    ).fit(X / spread, SPECIES)
    coef = model.coef_ / spread
    expected = np.zeros((3, 4))
    expected[0, 1:3] = 1.3741833906494996, -1.995397095345074
    expected[2, 2:] = 0.8806853360507619, 4.63559719488431
    assert_allclose(coef, expected, rtol=1e-5, atol=1e-6)
    intercept = model.intercept_ - model.intercept_.mean()
    assert_allclose(
        intercept, [4.939528560377789, 3.5181295285750798, -8.457658088952869], rtol=1e-5
    )


# --- clusters ---


def test_kmeans_of_iris():
    """stats::kmeans, the best of 200 starts."""
    model = sf.KMeans(3, n_init=10, tol=0, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(78.851441426146, rel=1e-12)
    order = np.argsort(model.cluster_centers_[:, 0])
    assert np.bincount(model.labels_)[order].tolist() == [50, 62, 38]
    last = [6.85, 3.073684210526315, 5.742105263157893, 2.0710526315789473]
    assert_allclose(model.cluster_centers_[order[-1]], last, rtol=1e-13)


def test_medoids_of_iris():
    """cluster::pam."""
    model = sf.KMedoids(3, method="pam").fit(X)
    assert sorted(model.medoid_indices_ + 1) == [8, 79, 113]
    assert model.inertia_ / len(X) == pytest.approx(0.6542076992151403, rel=1e-13)
    _, first = np.unique(model.labels_, return_index=True)
    sizes = np.bincount(model.labels_)[np.argsort(first)]
    assert sizes.tolist() == [50, 62, 38]
    assert silhouette_score(X, model.labels_) == pytest.approx(0.55281901235641, rel=1e-12)
    city = sf.KMedoids(3, method="pam", metric="manhattan").fit(X)
    assert city.inertia_ / len(X) == pytest.approx(1.098, rel=1e-13)


def test_silhouettes_of_the_species():
    """cluster::silhouette(Species, dist(iris[, 1:4]))."""
    widths = silhouette_samples(X, SPECIES)
    assert_allclose(widths[:2], [0.8464691670128707, 0.8073986239612014], rtol=1e-12)
    means = [widths[species == SPECIES].mean() for species in range(3)]
    known = [0.7893812421871648, 0.40908463959698793, 0.3119664402957373]
    assert_allclose(means, known, rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "last", "total", "correlation", "sizes"),
    [
        ("single", [0.81853527718, 1.64012194668], 43.5237796382, 0.86387867730, [97, 50, 2, 1]),
        ("complete", [4.02492235949, 7.08519583356], 87.528246312, 0.72698568362, [60, 50, 28, 12]),
        ("average", [1.96361408627, 4.06268268611], 65.2128092832, 0.87695614647, [60, 50, 36, 4]),
        ("ward", [12.3003960527, 32.4476069995], 138.1622419638, 0.87282831533, [50, 38, 36, 26]),
    ],
)  # fmt: skip
def test_hierarchies_of_iris(method, last, total, correlation, sizes):
    """stats::hclust, cophenetic and cutree."""
    Z = linkage(X, method)
    assert_allclose(Z[-2:, 2], last, rtol=1e-10)
    assert Z[:, 2].sum() == pytest.approx(total, rel=1e-10)
    assert cophenetic_correlation(Z, X) == pytest.approx(correlation, rel=1e-10)
    assert sorted(np.bincount(cut_tree(Z, 4)), reverse=True) == sizes
