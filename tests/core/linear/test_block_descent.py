# SPDX-License-Identifier: BSD-3-Clause
"""Block coordinate descent, by products and by residuals, beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statfast._core.linear.block_descent import NUMBERS_OF_WORK, Tasks, descend, gap


def problem(seed, n, p, n_tasks):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, p))
    Y = Z[:, :3] @ rng.standard_normal((min(3, p), n_tasks)) + rng.standard_normal((n, n_tasks))
    B = rng.standard_normal((n_tasks, p)) * (rng.random(p) < 0.6)
    return Z, np.ascontiguousarray(Y.T), B


def room(n, p, n_tasks):
    numbers = p * p // 4 + max(n, p) * (1 + NUMBERS_OF_WORK * n_tasks) + n_tasks
    return np.empty(numbers), np.empty(3 * p, dtype=np.intp)


def tasks(Z, Y, B, l1, l2, by_residuals):
    """The problem, and its gradient or residuals: these are changed with B."""
    yy, products = (Y**2).sum(), np.ascontiguousarray(Y @ Z)
    if by_residuals:
        rest = Y - B @ Z.T
        rows = np.ascontiguousarray(Z.T)
        return Tasks(rows, products, yy, l1, l2, B, rest, (Z**2).sum(axis=0)), rest
    rest = products - B @ (Z.T @ Z)
    return Tasks(Z.T @ Z, products, yy, l1, l2, B, rest), rest


def sweep(Z, Y, l1, l2, B):
    """Block coordinate descent as it is written down."""
    B = B.copy()
    for j in range(Z.shape[1]):
        square = Z[:, j] @ Z[:, j]
        pull = (Y - B @ Z.T) @ Z[:, j] + square * B[:, j]
        length = np.sqrt(pull @ pull)
        B[:, j] = pull * max(1 - l1 / length, 0.0) / (square + l2)
    return B


def objective(Z, Y, l1, l2, B):
    rest = Y - B @ Z.T
    lengths = np.sqrt((B**2).sum(axis=0))
    return 0.5 * (rest**2).sum() + l1 * lengths.sum() + 0.5 * l2 * (B**2).sum()


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40), p=st.integers(1, 40),
    n_tasks=st.integers(1, 9), share=st.sampled_from([0.05, 0.4]), l2=st.sampled_from([0.0, 0.7]),
    by_residuals=st.booleans(),
)  # fmt: skip
def test_a_sweep(seed, n, p, n_tasks, share, l2, by_residuals):
    Z, Y, B = problem(seed, n, p, n_tasks)
    l1 = share * np.sqrt(((Y @ Z) ** 2).sum(axis=0)).max()
    want = sweep(Z, Y, l1, l2, B)
    view, rest = tasks(Z, Y, B, l1, l2, by_residuals)
    _, made = descend(view, 0.0, 0.0, 1, np.inf, *room(n, p, n_tasks))
    assert made == 1
    np.testing.assert_allclose(B, want, atol=1e-9)
    now = Y - B @ Z.T
    np.testing.assert_allclose(rest, now if by_residuals else now @ Z, atol=1e-8)


@pytest.mark.parametrize(("n", "p"), [(60, 20), (20, 60), (200, 35)])
@pytest.mark.parametrize("n_tasks", [1, 4, 11])
@pytest.mark.parametrize("l2", [0.0, 2.0])
def test_both_ways_end_at_the_least_of_the_objective(n, p, n_tasks, l2):
    Z, Y, start = problem(n + p, n, p, n_tasks)
    Z[:, 1:] += 2 * Z[:, :1]  # correlated columns, where extrapolation has work to do
    l1 = 0.1 * np.sqrt(((Y @ Z) ** 2).sum(axis=0)).max()
    yy, ends = (Y**2).sum(), []
    for by_residuals in (False, True):
        B = start.copy()
        view, _ = tasks(Z, Y, B, l1, l2, by_residuals)
        ended, made, values = False, 0, [objective(Z, Y, l1, l2, B)]
        while not ended and made < 20_000:  # Calls of a small budget go on where the last stopped.
            ended, more = descend(view, 1e-11 * yy, 1e-28 * yy, 50, 1e5, *room(n, p, n_tasks))
            made += more
            values.append(objective(Z, Y, l1, l2, B))
        assert ended
        assert (np.diff(values) <= 1e-12 * yy).all()
        if not by_residuals:
            assert gap(view, np.empty(p)) <= 1e-11 * yy
        ends.append((values[-1], B))
    assert abs(ends[0][0] - ends[1][0]) <= 2e-11 * yy
    if l2:
        np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-4)


def test_columns_of_zeros_and_moves_to_zero():
    Z, Y, B = problem(0, 30, 5, 3)
    Z[:, 2] = 0.0
    B[:, 2] = 0.0
    view, _ = tasks(Z, Y, B, 1e9, 0.0, False)
    ended, _ = descend(view, 0.0, 1e300, 5, np.inf, *room(30, 5, 3))
    assert ended
    assert (B == 0.0).all()  # A move to zero is made however little it gains.


def test_the_gap_at_zero():
    Z, Y, B = problem(1, 30, 5, 3)
    B[:] = 0.0
    top = np.sqrt(((Y @ Z) ** 2).sum(axis=0)).max()
    for l1, shrink in ((2 * top, 1.0), (0.5 * top, 0.5)):
        view, _ = tasks(Z, Y, B, l1, 0.0, False)
        yy = (Y**2).sum()
        assert gap(view, np.empty(5)) == pytest.approx(0.5 * yy * (1 - shrink) ** 2, abs=1e-12 * yy)
