# SPDX-License-Identifier: BSD-3-Clause
"""The solvers of logistic regression, by number of classes and penalty.

A solver takes a `Task` and returns a `Solution`; `SOLVERS` is the table of all.
"""

from collections.abc import Callable

from statfast.linear.binary import binary, one_vs_rest
from statfast.linear.firth_solver import firth, firth_ovr
from statfast.linear.softmax import multinomial
from statfast.linear.sparse_solver import sparse_binary, sparse_multinomial, sparse_ovr
from statfast.linear.task import Solution, Task

# (number of classes or multi_class, penalty) -> solver
SOLVERS: dict[tuple[str, str | None], Callable[[Task], Solution]] = {
    ("binary", None): binary,
    ("binary", "l2"): binary,
    ("binary", "l1"): sparse_binary,
    ("binary", "elasticnet"): sparse_binary,
    ("binary", "firth"): firth,
    ("multinomial", None): multinomial,
    ("multinomial", "l2"): multinomial,
    ("multinomial", "l1"): sparse_multinomial,
    ("multinomial", "elasticnet"): sparse_multinomial,
    ("multinomial", "firth"): firth,
    ("ovr", None): one_vs_rest,
    ("ovr", "l2"): one_vs_rest,
    ("ovr", "l1"): sparse_ovr,
    ("ovr", "elasticnet"): sparse_ovr,
    ("ovr", "firth"): firth_ovr,
}
PENALTIES = (None, "l2", "l1", "elasticnet", "firth")
MULTI_CLASS = ("multinomial", "ovr")
