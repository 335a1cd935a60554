# SPDX-License-Identifier: BSD-3-Clause
"""Real data: small tables shipped in the package, and others where their files are found."""

from statfast._scikit_learn import missing_names
from statfast.datasets.bundled import Dataset, load_breast_cancer, load_digits, load_iris, load_wine
from statfast.datasets.from_files import Messages as Messages
from statfast.datasets.from_files import (
    load_baby,
    load_diabetes,
    load_earthquakes,
    load_sms_spam,
    load_spambase,
)
from statfast.datasets.mnist import Mnist as Mnist
from statfast.datasets.mnist import load_mnist

__all__ = [
    "Dataset",
    "load_baby",
    "load_breast_cancer",
    "load_diabetes",
    "load_digits",
    "load_earthquakes",
    "load_iris",
    "load_mnist",
    "load_sms_spam",
    "load_spambase",
    "load_wine",
]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
