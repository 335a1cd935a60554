# SPDX-License-Identifier: BSD-3-Clause
"""Inference of multinomial logistic models, row by row, with every matrix written out.

Coefficients are those of the classes but the first, one class after the other.
"""

import numpy as np
from scipy.optimize import minimize

from tests.reference import multinomial


def power_of(matrix, power):
    """Of a matrix that has eigenvectors, its positive eigenvalues to a power.

    Rounding may make a conjugate pair of two that are nearly equal.
    """
    values, vectors = np.linalg.eig(matrix)
    return ((vectors * values**power) @ np.linalg.inv(vectors)).real


def rows_of(Z, codes, coef):
    """For each row: its design kron(I, z'), V and y - p, of the classes but the first."""
    p = multinomial.posteriors(Z, np.vstack([np.zeros(Z.shape[1]), coef]))[:, 1:]
    y = np.eye(len(coef) + 1)[codes][:, 1:]
    for z, own, mean in zip(Z, y, p, strict=True):
        yield np.kron(np.eye(len(coef)), z[None]), np.diag(mean) - np.outer(mean, mean), own - mean


def information(Z, codes, a, coef):
    return sum(w * D.T @ V @ D for w, (D, V, _) in zip(a, rows_of(Z, codes, coef), strict=True))


def one_step(Z, codes, a, coef):
    """Cook's distances, and the moves, of one step of Newton's method from `coef` without a row."""
    whole, moves = information(Z, codes, a, coef), []
    for i in range(len(Z)):
        rest = np.delete(np.arange(len(Z)), i)
        parts = list(zip(a[rest], rows_of(Z[rest], codes[rest], coef), strict=True))
        score = sum(w * D.T @ r for w, (D, _, r) in parts)
        moves.append(np.linalg.solve(information(Z[rest], codes[rest], a[rest], coef), score))
    moves = np.array(moves)
    return np.einsum("ij,jk,ik->i", moves, whole, moves) / coef.size, moves


def hat_blocks(Z, codes, a, coef):
    """a V^1/2 M V^1/2 with the symmetric root: any other turns the block."""
    inverse = np.linalg.inv(information(Z, codes, a, coef))
    out = []
    for w, (D, V, _) in zip(a, rows_of(Z, codes, coef), strict=True):
        root = power_of(V, 0.5)
        out.append(w * root @ D @ inverse @ D.T @ root)
    return np.array(out)


def sandwich(kind, Z, codes, a, coef):
    """Of rows that occurred `a` times."""
    inverse = np.linalg.inv(information(Z, codes, a, coef))
    meat = np.zeros_like(inverse)
    for w, (D, V, r) in zip(a, rows_of(Z, codes, coef), strict=True):
        left = np.eye(len(V)) - V @ D @ inverse @ D.T
        power = {"HC2": -0.5, "HC3": -1.0}.get(kind, 0.0)
        score = D.T @ power_of(left, power) @ r
        meat += w * np.outer(score, score)
    grown = a.sum() / (a.sum() - coef.size) if kind == "HC1" else 1.0
    return grown * inverse @ meat @ inverse


def held_deviance(Z, codes, a, shape, index, value):
    """The least deviance when the coefficient at `index` has this value."""

    def filled(free):
        coef = np.insert(free, index, value).reshape(shape)
        return np.vstack([np.zeros(shape[1]), coef])

    def deviance(free):
        return 2.0 * multinomial.loss(Z, codes, a, filled(free))

    def slope(free):
        full = 2.0 * multinomial.gradient(Z, codes, a, filled(free))[1:].ravel()
        return np.delete(full, index)

    start = np.zeros(shape[0] * shape[1] - 1)
    return minimize(deviance, start, jac=slope, method="BFGS", options={"gtol": 1e-7}).fun


def slopes(function, coef, step=1e-6):
    """Central differences of a function of the coefficients (m,): (..., m)."""
    out = []
    for j in range(len(coef)):
        moved = np.zeros(len(coef))
        moved[j] = step
        out.append((function(coef + moved) - function(coef - moved)) / (2 * step))
    return np.stack(out, axis=-1)
