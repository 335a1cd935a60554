# SPDX-License-Identifier: BSD-3-Clause
"""Generative classifiers: a density for each class, and Bayes' rule; covariances."""

from statfast.generative.covariance.empirical import (
    EmpiricalCovariance,
    empirical_covariance,
    log_likelihood,
)
from statfast.generative.covariance.robust import EllipticEnvelope, MinCovDet, fast_mcd
from statfast.generative.covariance.shrunk import (
    OAS,
    LedoitWolf,
    ShrunkCovariance,
    ledoit_wolf_shrinkage,
    shrunk_covariance,
)
from statfast.generative.discriminant.lda import LinearDiscriminantAnalysis
from statfast.generative.discriminant.mean_tests import BoxMResult, ManovaResult, box_m, manova
from statfast.generative.discriminant.qda import QuadraticDiscriminantAnalysis
from statfast.generative.discriminant.rda import RegularizedDiscriminantAnalysis
from statfast.generative.discriminant.rda_cv import RegularizedDiscriminantAnalysisCV
from statfast.generative.naive_bayes.bernoulli import BernoulliNB
from statfast.generative.naive_bayes.categorical import CategoricalNB
from statfast.generative.naive_bayes.counts import ComplementNB, MultinomialNB
from statfast.generative.naive_bayes.explanation import Explanation
from statfast.generative.naive_bayes.gamma import GammaNB
from statfast.generative.naive_bayes.gaussian import GaussianNB
from statfast.generative.naive_bayes.kernel_density import KernelDensityNB
from statfast.generative.naive_bayes.mixed import MixedNB
from statfast.generative.naive_bayes.poisson import PoissonNB
from statfast.generative.normal.covariance import (
    cor2cov,
    cov2cor,
    generalized_variance,
    ledoit_wolf,
    oas,
    total_variance,
)
from statfast.generative.normal.ellipsoid import NormalEllipsoid
from statfast.generative.normal.multivariate_normal import MultivariateNormal, mahalanobis
from statfast.generative.normal.multivariate_t import MultivariateT

__all__ = [
    "OAS",
    "BernoulliNB",
    "BoxMResult",
    "CategoricalNB",
    "ComplementNB",
    "EllipticEnvelope",
    "EmpiricalCovariance",
    "Explanation",
    "GammaNB",
    "GaussianNB",
    "KernelDensityNB",
    "LedoitWolf",
    "LinearDiscriminantAnalysis",
    "ManovaResult",
    "MinCovDet",
    "MixedNB",
    "MultinomialNB",
    "MultivariateNormal",
    "MultivariateT",
    "NormalEllipsoid",
    "PoissonNB",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "ShrunkCovariance",
    "box_m",
    "cor2cov",
    "cov2cor",
    "empirical_covariance",
    "fast_mcd",
    "generalized_variance",
    "ledoit_wolf",
    "ledoit_wolf_shrinkage",
    "log_likelihood",
    "mahalanobis",
    "manova",
    "oas",
    "shrunk_covariance",
    "total_variance",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
