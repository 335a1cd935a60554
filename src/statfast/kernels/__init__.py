# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: functions of two points that are inner products of their images.

A foundation that is public: whatever learns from products of points alone takes its kernels here.
"""

from statfast.kernels.kernel import Kernel
from statfast.kernels.mercer import MercerCheck, mercer_check
from statfast.kernels.named import as_kernel, kernel_matrix
from statfast.kernels.numeric import (
    RBF,
    ConstantKernel,
    Laplacian,
    Linear,
    Polynomial,
    Sigmoid,
)
from statfast.kernels.strings import Mismatch, Spectrum
from statfast.kernels.user_kernels import FunctionKernel, Precomputed

__all__ = [
    "RBF",
    "ConstantKernel",
    "FunctionKernel",
    "Kernel",
    "Laplacian",
    "Linear",
    "MercerCheck",
    "Mismatch",
    "Polynomial",
    "Precomputed",
    "Sigmoid",
    "Spectrum",
    "as_kernel",
    "kernel_matrix",
    "mercer_check",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
