# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines: classification, regression, novelties."""

from statfast.svm.machines import Multipliers
from statfast.svm.nu_svc import NuSVC
from statfast.svm.nu_svr import NuSVR
from statfast.svm.one_class import OneClassSVM
from statfast.svm.path import SVMPath, svm_path
from statfast.svm.run import Progress
from statfast.svm.svc import SVC
from statfast.svm.svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "Multipliers",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Progress",
    "SVMPath",
    "svm_path",
]
