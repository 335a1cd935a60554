# SPDX-License-Identifier: BSD-3-Clause
"""Real data: small tables shipped in the package, and MNIST where its files are found."""

from statfast.datasets.bundled import Dataset, load_digits, load_iris, load_wine
from statfast.datasets.mnist import Mnist as Mnist
from statfast.datasets.mnist import load_mnist

__all__ = ["Dataset", "load_digits", "load_iris", "load_mnist", "load_wine"]
