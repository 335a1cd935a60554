# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines, with any kernel and linear; ridge regression on kernels."""

from statfast._scikit_learn import missing_names
from statfast.svm.dual.limits import Progress
from statfast.svm.linear.linear_svc import LinearSVC
from statfast.svm.linear.linear_svr import LinearSVR
from statfast.svm.machines.kernel_machine import DualVariables
from statfast.svm.machines.nu_svc import NuSVC
from statfast.svm.machines.nu_svr import NuSVR
from statfast.svm.machines.one_class import OneClassSVM
from statfast.svm.machines.svc import SVC
from statfast.svm.machines.svr import SVR
from statfast.svm.ridge.kernel_ridge import KernelRidge

__all__ = [
    "SVC",
    "SVR",
    "DualVariables",
    "KernelRidge",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Progress",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
