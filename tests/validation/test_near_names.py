# SPDX-License-Identifier: BSD-3-Clause
"""What is near to a wrong name, or to a wrong argument, is in the error."""

import numpy as np
import pytest

import statfast
from statfast import metrics

X = np.arange(12.0).reshape(6, 2)
y = np.array([0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: statfast.KMeans(n_cluster=3), "Did you mean 'n_clusters'"),
        (lambda: statfast.SVC(kernel="rfb").fit(X, y), "Did you mean 'rbf'"),
        (lambda: statfast.KernelRidge(kernel="polly").fit(X, y), "Did you mean 'poly'"),
        (lambda: statfast.LogisticRegression(solver="lbfg").fit(X, y), "Did you mean 'lbfgs'"),
        (lambda: statfast.Ridge(solver="choleski").fit(X, y), "Did you mean 'cholesky'"),
        (lambda: statfast.KNeighborsClassifier(metric="euclidea").fit(X, y), "'euclidean'"),
        (lambda: statfast.AgglomerativeClustering(linkage="wards").fit(X), "Did you mean 'ward'"),
        (lambda: metrics.accuracy_score(y, np.eye(3)[y] / 2 + 0.1), r"predict\(X\) instead"),
        (lambda: metrics.roc_auc_score(y, np.eye(3)[y]), "Pass multi_class='ovr'"),
    ],
)
def test_an_error_names_what_was_likely_meant(call, hint):
    with pytest.raises((TypeError, ValueError), match=hint):
        call()
