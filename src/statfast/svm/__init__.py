# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines: classification, regression, novelties; with any kernel, and linear."""

from statfast.svm.dual.limits import Progress
from statfast.svm.linear.linear_svc import LinearSVC
from statfast.svm.linear.linear_svr import LinearSVR
from statfast.svm.machines.kernel_machine import Multipliers
from statfast.svm.machines.nu_svc import NuSVC
from statfast.svm.machines.nu_svr import NuSVR
from statfast.svm.machines.one_class import OneClassSVM
from statfast.svm.machines.svc import SVC
from statfast.svm.machines.svm_path import SVMPath, svm_path
from statfast.svm.machines.svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
    "Multipliers",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Progress",
    "SVMPath",
    "svm_path",
]
