# SPDX-License-Identifier: BSD-3-Clause
"""The quasi-Newton iteration on quadratics, whose minimum is a system of equations."""

from math import inf

import numpy as np
import pytest

from statfast.linear.logistic.lbfgs import minimize


class Quadratic:
    """x'Ax / 2 - b'x, with the identity in the place of A."""

    eager, cost, noise, curvature = False, inf, 0.0, None

    def __init__(self, A, b):
        self.A, self.b = A, b

    def evaluate(self, x):
        return 0.5 * float(x @ self.A @ x) - float(self.b @ x), self.A @ x - self.b, None

    def start(self, g):
        return g

    def hopeless(self, x):
        return False


@pytest.mark.parametrize("seed", range(4))
def test_corrections_learn_the_curvature(seed):
    """Steepest descent would take thousands of steps here."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    A = turn * np.logspace(0, 3, 8) @ turn.T
    b = rng.normal(size=8)
    found = minimize(np.zeros(8), Quadratic(A, b), tol=1e-7, max_iter=80)
    assert found.converged
    assert found.n_iter <= 80
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), atol=1e-6)
