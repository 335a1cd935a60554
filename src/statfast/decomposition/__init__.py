# SPDX-License-Identifier: BSD-3-Clause
"""Principal components, and other low-rank decompositions of tables."""

from statfast._scikit_learn import missing_names
from statfast.decomposition.choice.choose import ComponentChoice, choose_components
from statfast.decomposition.choice.reconstruction import ComponentErrors, reconstruction_errors
from statfast.decomposition.nonnegative.nmf import NMF
from statfast.decomposition.pca.incremental import IncrementalPCA
from statfast.decomposition.pca.pca import PCA
from statfast.decomposition.pca.regression import PrincipalComponentRegression
from statfast.decomposition.pca.truncated import TruncatedSVD
from statfast.decomposition.ratings.factorization import RatingsFactorization

__all__ = [
    "NMF",
    "PCA",
    "ComponentChoice",
    "ComponentErrors",
    "IncrementalPCA",
    "PrincipalComponentRegression",
    "RatingsFactorization",
    "TruncatedSVD",
    "choose_components",
    "reconstruction_errors",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
