# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines."""

from statfast.svm.linear_svc import LinearSVC
from statfast.svm.linear_svr import LinearSVR

__all__ = ["LinearSVC", "LinearSVR"]
