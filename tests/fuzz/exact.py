# SPDX-License-Identifier: BSD-3-Clause
"""Conditions of optimality, and models and scores written out: twins for differential cases."""

import numpy as np
from scipy import stats

import statfast as sf
from statfast import kernels, metrics, model_selection
from tests.fuzz.inputs import choose
from tests.reference import kernel_ridge as slow_ridge
from tests.reference import kernels as slow_kernels
from tests.reference import lasso, linear_svm, moments, multinomial


def small(words, what, value, bound):
    """A number that optimality says is 0."""
    if not abs(value) <= bound:
        words.append(f"{what}: {value:.3g} is beyond {bound:.3g}")


def problem(rng, *, most=80):
    n = int(rng.integers(20, most))
    d = int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.normal(size=d)
    trend = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.normal(size=d) * 0.5
    weights = rng.uniform(0.5, 2, n) if rng.random() < 0.4 else None
    return X, trend, weights


def score(Z, part):
    """The largest score, each as a share of the sum of its terms' sizes."""
    terms = Z * part[:, None]
    return np.max(np.abs(terms.sum(axis=0)) / (np.abs(terms).sum(axis=0) + 1e-300))


def least_squares(rng):
    X, trend, weights = problem(rng)
    y, words = trend + rng.normal(size=len(X)), []
    w = np.ones(len(y)) if weights is None else weights
    model = sf.LinearRegression().fit(X, y, sample_weight=weights)
    Z = multinomial.design(X)
    small(words, "normal equations", score(Z, w * (y - model.predict(X))), 1e-11)
    b = np.linalg.lstsq(Z * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0]
    got = np.r_[model.intercept_, model.coef_]
    small(
        words, "coefficients", np.max(np.abs(got - b) / (np.abs(b) + 1e-3 * np.abs(b).max())), 1e-8
    )
    return 2, words


GLM = {
    "gaussian": (("identity", "log"), lambda mu: np.ones_like(mu)),
    "binomial": (("logit", "probit", "cloglog"), lambda mu: mu * (1 - mu)),
    "poisson": (("log", "identity", "sqrt"), lambda mu: mu),
    "gamma": (("log", "inverse"), lambda mu: mu**2),
    "inverse_gaussian": (("log",), lambda mu: mu**3),
}
SLOPES = {  # d mu / d eta, from eta and mu
    "identity": lambda eta, mu: np.ones_like(mu),
    "log": lambda eta, mu: mu,
    "sqrt": lambda eta, mu: 2 * eta,
    "inverse": lambda eta, mu: -(mu**2),
    "logit": lambda eta, mu: mu * (1 - mu),
    "probit": lambda eta, mu: stats.norm.pdf(eta),
    "cloglog": lambda eta, mu: np.exp(eta - np.exp(eta)),
}


def glm(rng):
    X, trend, weights = problem(rng)
    family = choose(rng, sorted(GLM))
    links, variance = GLM[family]
    link = choose(rng, links)
    mean = np.exp(np.clip(trend, -2, 2)) + 0.2
    y = {
        "gaussian": lambda: mean + 0.05 * rng.uniform(size=len(X)),
        "binomial": lambda: (rng.uniform(size=len(X)) < 1 / (1 + np.exp(-trend))).astype(float),
        "poisson": lambda: rng.poisson(mean).astype(float),
        "gamma": lambda: rng.gamma(3.0, mean / 3),
        "inverse_gaussian": lambda: rng.wald(mean, 4.0),
    }[family]()
    model = sf.GeneralizedLinearModel(family, link, max_iter=200).fit(X, y, sample_weight=weights)
    words, eta = [], model.intercept_ + X @ model.coef_
    mu = model.predict(X)
    w = np.ones(len(y)) if weights is None else weights
    inside = mu.min() > 1e-6  # at the end of the means' range, scores need not vanish
    if model.converged_ and inside and np.abs(eta).max() < 15:
        part = w * (y - mu) * SLOPES[link](eta, mu) / variance(mu)
        small(
            words, f"score equations of {family} {link}", score(multinomial.design(X), part), 1e-5
        )
    return 2, words


def logistic(rng):
    X, trend, weights = problem(rng)
    codes = np.clip(np.round(trend + rng.normal(size=len(X))), -1, 1).astype(int)
    names, codes = np.unique(codes, return_inverse=True)
    if len(names) < 2:
        return 1, []
    C = float(choose(rng, (0.01, 1.0, 100.0)))
    model = sf.LogisticRegression(C=C).fit(X, names[codes], sample_weight=weights)
    words, p = [], model.predict_proba(X)
    w = np.ones(len(codes)) if weights is None else weights
    terms = w[:, None] * (p - np.eye(len(names))[codes])
    if len(names) == 2:
        terms = terms[:, 1:]
    slopes = terms.T @ X + model.coef_ / C
    size = np.abs(terms).T @ np.abs(X) + np.abs(model.coef_) / C
    small(words, "slopes of the penalized likelihood", np.max(np.abs(slopes) / size), 1e-6)
    small(
        words,
        "slope of the intercepts",
        np.max(np.abs(terms.sum(axis=0)) / np.abs(terms).sum(axis=0)),
        1e-6,
    )
    return 2, words


def ridge(rng):
    X, trend, weights = problem(rng)
    y, words = trend + rng.normal(size=len(X)), []
    alpha = float(10.0 ** rng.uniform(-3, 3))
    w = np.ones(len(y)) if weights is None else weights
    model = sf.Ridge(alpha).fit(X, y, sample_weight=weights)
    rest = w * (y - model.predict(X))
    terms, pull = X * rest[:, None], alpha * model.coef_
    size = np.abs(terms).sum(axis=0) + np.abs(pull)
    small(words, "slopes of ridge", np.max(np.abs(terms.sum(axis=0) - pull) / size), 1e-9)
    small(words, "sum of residuals", rest.sum() / np.abs(rest).sum(), 1e-9)
    return 2, words


def penalized(rng):
    X, trend, weights = problem(rng)
    X = X / X.std(axis=0)
    y = trend + rng.normal(size=len(X))
    alpha, ratio = float(10.0 ** rng.uniform(-3, 0)), float(choose(rng, (0.2, 0.7, 1.0)))
    model = sf.ElasticNet(alpha, l1_ratio=ratio, tol=1e-12).fit(X, y, sample_weight=weights)
    words = []
    apart = lasso.kkt_residual(X, y, model.coef_, model.intercept_, alpha, ratio, weights)
    small(words, f"conditions of the elastic net, alpha {alpha:.2g} ratio {ratio}", apart, 1e-4)
    return 1, words


def machine(rng):
    X, trend, weights = problem(rng, most=60)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    sign = np.where(trend + 0.5 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    if abs(sign.sum()) == len(sign):
        return 1, []
    C, gamma = float(choose(rng, (0.1, 1.0, 10.0))), float(choose(rng, (0.1, 1.0)))
    cost = C * (np.ones(len(sign)) if weights is None else weights)
    name = choose(rng, ("rbf", "linear", "laplacian"))
    model = sf.SVC(C=C, kernel=name, gamma=gamma, tol=1e-8).fit(X, sign, sample_weight=weights)
    K = {
        "rbf": lambda: slow_kernels.rbf(X, X, gamma),
        "linear": lambda: slow_kernels.linear(X, X),
        "laplacian": lambda: slow_kernels.laplacian(X, X, gamma),
    }[name]()
    beta = np.zeros(len(sign))
    beta[model.support_] = model.dual_coef_[0]
    f = K @ beta + model.intercept_[0]
    words, alpha = [], beta * sign
    size = np.abs(f).max() + 1
    small(
        words,
        f"decision values of {name}",
        np.max(np.abs(f - model.decision_function(X))) / size,
        1e-8,
    )
    small(words, "sum of the multipliers", beta.sum() / np.abs(beta).sum(), 1e-9)
    small(words, "multipliers outside", max(-alpha.min(), np.max(alpha - cost), 0) / C, 1e-9)
    primal = 0.5 * beta @ K @ beta + cost @ np.maximum(1 - sign * f, 0)
    gap = primal - (alpha.sum() - 0.5 * beta @ K @ beta)
    small(words, f"gap of {name}", max(gap, 0) / primal, 1e-5)
    small(words, f"gap of {name} below 0", min(gap, 0) / primal, 1e-9)
    return 2, words


def kernel_ridge(rng):
    X, trend, weights = problem(rng, most=60)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Y = np.column_stack([trend, rng.normal(size=len(X))])
    alpha, gamma = float(choose(rng, (0.01, 1.0, 100.0))), float(choose(rng, (0.1, 1.0)))
    mass = np.ones(len(X)) if weights is None else weights
    K = slow_kernels.rbf(X, X, gamma)
    model = sf.KernelRidge(alpha, kernel="rbf", gamma=gamma).fit(X, Y, sample_weight=weights)
    c, words = model.dual_coef_, []
    small(words, "system", np.abs(K @ c + alpha * c / mass[:, None] - Y).max(), 1e-11)
    small(words, "predictions", np.abs(K @ c - model.predict(X)).max(), 1e-10)
    rows = np.arange(len(X))
    pairs = [(np.setdiff1d(rows, test), test) for test in np.array_split(rows, 4)]
    want, room = slow_ridge.held_out(K, Y, mass, [alpha, alpha], pairs)
    said = model_selection.cross_val_predict(model, X, Y, cv=4, sample_weight=weights)
    small(words, "rows held out", np.abs(said - want).max(), 1e-12 * room.max())
    return 3, words


def linear_machine(rng):
    X, trend, weights = problem(rng, most=30)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    sign = np.where(trend + 0.5 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    if abs(sign.sum()) == len(sign):
        return 1, []
    C, squared = float(choose(rng, (0.1, 1.0, 10.0))), rng.random() < 0.5
    cost = C * (np.ones(len(sign)) if weights is None else weights)
    loss = "squared_hinge" if squared else "hinge"
    model = sf.LinearSVC(C=C, loss=loss, tol=1e-8).fit(X, sign, sample_weight=weights)
    Z = linear_svm.with_constant(X)
    best, beta = linear_svm.solve_dual(Z, sign, cost, squared, sweeps=100)
    ours = linear_svm.primal(np.r_[model.coef_[0], model.intercept_[0]], Z, sign, cost, squared)
    least = linear_svm.dual(beta, Z, sign, cost, squared)
    most = linear_svm.primal(best, Z, sign, cost, squared)
    words = []
    small(words, f"objective of {loss} above the twin's", max(ours - most, 0) / most, 1e-5)
    small(words, f"objective of {loss} below its bound", min(ours - least, 0) / least, 1e-9)
    return 1, words


def discriminant(rng):
    X, trend, _ = problem(rng)
    codes = np.digitize(trend + rng.normal(size=len(X)), [-0.5, 0.5])
    names, codes = np.unique(codes, return_inverse=True)
    if len(names) < 2 or np.bincount(codes).min() < 2:
        return 1, []
    model = sf.LinearDiscriminantAnalysis().fit(X, names[codes])
    mass, means, within = moments.within_and_means(X, codes, None, len(names))
    inverse = np.linalg.inv(within / (len(X) - len(names)))
    away = X[:, None] - means
    values = np.log(mass / len(X)) - 0.5 * np.einsum("ikd,de,ike->ik", away, inverse, away)
    p = np.exp(values - values.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    words = []
    small(words, "posteriors", np.max(np.abs(model.predict_proba(X) - p)), 1e-7)
    return 2, words


def scores(rng):
    n = int(rng.integers(2, 60))
    a, b = rng.integers(0, 5, n), rng.integers(0, int(rng.integers(1, 6)), n)
    words = []
    same_a, same_b = (c[:, None] == c for c in (a, b))
    pairs = np.triu(np.ones((n, n), dtype=bool), 1)
    small(words, "Rand index", metrics.rand_score(a, b) - (same_a == same_b)[pairs].mean(), 1e-12)
    p = np.array([[np.mean((a == i) & (b == j)) for j in range(5)] for i in range(5)])
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    ratio = np.divide(p, np.outer(rows, columns), out=np.ones_like(p), where=p > 0)
    mutual = float(np.sum(p * np.log(ratio)))
    small(words, "mutual information", metrics.mutual_info_score(a, b) - mutual, 1e-12)
    for average in ("arithmetic", "geometric", "min", "max"):
        for name in ("adjusted_mutual_info_score", "normalized_mutual_info_score"):
            value = getattr(metrics, name)(a, b, average_method=average)
            if not value <= 1 + 1e-9:
                words.append(f"{name}, {average}: {value}")
    X = rng.normal(size=(n, 3))
    clusters = np.unique(b, return_inverse=True)[1]
    k = clusters.max() + 1
    if 2 <= k < n:
        means = np.array([X[clusters == j].mean(axis=0) for j in range(k)])
        inside = np.sum((X - means[clusters]) ** 2)
        between = np.sum((X - X.mean(axis=0)) ** 2) - inside
        ratio = between / (k - 1) / (inside / (n - k))
        small(words, "Calinski-Harabasz", metrics.calinski_harabasz_score(X, b) / ratio - 1, 1e-9)
    return 11, words


def kernel_values(rng):
    n, d = int(rng.integers(1, 300)), int(rng.integers(1, 13))
    X, Y = rng.normal(size=(n, d)), rng.normal(size=(int(rng.integers(1, 40)), d))
    gamma, words = float(choose(rng, (0.01, 0.5, 2.0))), []
    twins = {
        "rbf": slow_kernels.rbf(X, Y, gamma),
        "laplacian": slow_kernels.laplacian(X, Y, gamma),
        "linear": slow_kernels.linear(X, Y),
        "poly": slow_kernels.polynomial(X, Y, 3, gamma, 0.5),
        "sigmoid": slow_kernels.sigmoid(X, Y, gamma, 0.5),
    }
    for name, twin in twins.items():
        ours = kernels.kernel_matrix(
            name, np.asfortranarray(X), Y[::-1], gamma=gamma, coef0=0.5, degree=3
        )
        small(
            words,
            f"values of {name}",
            np.max(np.abs(ours[:, ::-1] - twin)),
            1e-10 * (1 + np.abs(twin).max()),
        )
    return len(twins), words


TWINS = {
    twin.__name__: twin
    for twin in (
        least_squares,
        glm,
        logistic,
        ridge,
        penalized,
        machine,
        kernel_ridge,
        linear_machine,
        discriminant,
        scores,
        kernel_values,
    )
}
