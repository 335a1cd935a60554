# SPDX-License-Identifier: BSD-3-Clause
"""Kernels handed rows without columns come back: none divides by the number of columns.

A division of integers by zero ends the process, so each is called in one of its own.
"""

import subprocess
import sys

import pytest

START = """
import numpy as np
import statfast._core.{module} as kernel
X = np.zeros((9, 0))
try:
    {call}
except IndexError:  # by the debug build, whose bounds are checked
    pass
print("alive")
"""

CALLS = {
    "rows.pooled_scatter": "kernel.class_scatter(X, np.zeros(9, np.intp), None, X[:1], "
    "np.zeros(1), X[:1], np.zeros((0, 0)))",
    "linear.multinomial": "kernel.sums(X, np.zeros(9, np.intp), None, X[0], X[0], False, "
    "np.zeros((0, 8)), np.zeros(1), np.zeros((8, 0)), None, 3)",
    "linear.irls": "kernel.sweep['double'](X, X[0], X[0], kernel.KINDS['poisson', 'log'], "
    "np.ones(9), None, None, np.zeros(9), np.zeros((0, 0)), X[0], np.zeros(2), False)",
    "rows.extent": "kernel.extent(X, X[0], X[0], X[0])",
    "neighbors.bits": "kernel.scan(np.zeros((9, 0), np.uint64), np.zeros(9, 'f'), kernel.BitsView("
    "np.zeros((1, 0, 64), np.uint64), np.zeros(64, 'f'), 9, 0, 0), 0, 1, np.zeros((9, 1, 2)))",
    "hierarchy.centroids": "kernel.nearest(np.zeros((0, 64)), None, 1.0, "
    "np.zeros(1, np.int32), 0, 1, 0, np.zeros(1), np.zeros(1, np.int32))",
    "balltree.build": "kernel.shape(0, 0, np.zeros((1, 9), 'i'), np.zeros((1, 8), 'i'), "
    "np.zeros(1, 'i'))",
}


@pytest.mark.parametrize("module", CALLS)
def test_a_kernel_without_columns_comes_back(module):
    code = START.format(module=module, call=CALLS[module])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
