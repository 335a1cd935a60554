# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net for a falling sequence of penalties.

In the units of `Columns`, minimise  |y - Z b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2.

A working set holds the columns that have been active or that the strong rule suspects (Tibshirani
et al. 2012, doi:10.1111/j.1467-9868.2011.01004.x), and their Gram matrix. In it, sweeps of
coordinate descent find the signs, and once they are known the normal equations of the active
columns give the answer to the last digit; a step that would turn signs ends where the objective is
least along it, in the manner of feature-sign search (Lee, Battle, Raina & Ng 2006). Then one pass
over all columns tells the duality gap of the whole problem and the columns that were missed. Where
there are more rows than columns, and not too many of those, the working set is all columns, and no
pass is needed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._blocks import checkpoint
from statfast._core.descent import MOVING, STABLE, STILL, gather, shift, sweeps

WHOLE = 3000  # columns whose Gram matrix costs less than fifty passes over them
SUSPECTS = 0.5  # of the strong rule's margin: a column it misses costs a pass
BUDGET = 2e7  # multiplications in a kernel call
LEAST = 4  # sweeps before a Newton step while signs still change, and for each column more:
NEWTON = 0.04  # what a factorisation takes in sweeps
REPEATS = 6  # Newton steps with the same factor
MANY = 128  # columns whose factor is made in float32
STEP = 1e-18  # of |y|^2: a move that gains no more is none
RIDGE = 1e-10  # of the diagonal
FLOOR = 1e-15  # of |y|^2: a duality gap that is all rounding


@dataclass
class Answer:
    """The solution at one penalty."""

    index: NDArray[np.intp]  # of the coefficients that are not zero
    coef: NDArray[np.float64]  # those, of Z
    gap: float
    rounds: int  # sweeps and direct solutions


class Descent:
    """Coordinate descent with a working set that lasts from one penalty to the next."""

    def __init__(self, columns, y, positive=False, whole=None):
        """`y` (n,) centred if there is an intercept; rows of weight w count w times."""
        self.columns, self.y, self.positive = columns, y, positive
        with np.errstate(over="ignore"):
            self.yy = float((columns.weights * y) @ y)
        self.product = columns.correlate(y)  # Z'y
        n, p = columns.n, columns.p
        self.whole = (p <= WHOLE and n >= p) if whole is None else whole
        self.working = np.zeros(0, dtype=np.intp)
        self.member = np.zeros(p, dtype=bool)
        self.G, self.b, self.q = np.zeros((0, 0)), np.zeros(0), np.zeros(0)
        self.gradient = self.product.copy()  # Z'(y - Z b) of all columns
        if self.whole:
            self._admit(np.arange(p, dtype=np.intp))

    @property
    def largest(self):
        """The least l1 at which all coefficients are zero."""
        top = self.product.max() if self.positive else np.abs(self.product).max()
        return max(float(top), 0.0)

    def refresh(self):
        """Make the gradient that of the coefficients `b`, set from outside."""
        active = np.flatnonzero(self.b)
        self.q = self.product[self.working]
        shift(self.G, active, self.b[active], len(self.b), self.q)

    # ------------------------------------------------------------ one penalty
    def solve(self, l1, l2, before, tol, max_iter):
        """Minimise from where the last penalty ended; `before` was its l1, infinite at first.

        The gap is brought below tol |y|^2, or what `max_iter` sweeps reach.
        """
        goal = max(tol, FLOOR) * self.yy
        rounds, inner = 0, 0.5 * goal
        if not self.whole:
            margin = SUSPECTS * (before - l1) if np.isfinite(before) else 0.0
            self._admit_above(l1 - margin)
        while True:
            rounds += self._solve_working(l1, l2, inner, max_iter - rounds)
            gap = self._look(l1, l2)
            if gap <= goal or rounds >= max_iter:
                break
            if not self._admit_above(l1):
                if inner < 1e-3 * goal:  # as low as rounding allows
                    break
                inner *= 0.1
        active = np.flatnonzero(self.b)
        return Answer(self.working[active], self.b[active].copy(), max(gap, 0.0), rounds)

    def _look(self, l1, l2):
        """The gap of the whole problem, from residuals and products made anew."""
        active = np.flatnonzero(self.b)
        product = self.product[self.working]
        if self.whole:
            self.q = product.copy()
            shift(self.G, active, self.b[active], len(self.b), self.q)
            self.gradient[self.working] = self.q
            return self._gap(self.b, self.q, product, l1, l2)
        columns, index = self.columns, self.working[active]
        fit = columns.combine(index, self.b[active] * columns.scale[index])
        r = self.y - fit
        self.gradient = columns.correlate(r)
        self.q = self.gradient[self.working]
        rr = float((columns.weights * r) @ r)
        outside = self.gradient[~self.member]
        return self._gap(self.b, self.q, product, l1, l2, rr, outside)

    def _size(self, gradient):
        return gradient if self.positive else np.abs(gradient)

    def _gap(self, b, q, product, l1, l2, rr=None, outside=None):
        """The duality gap at b; q = Z'(y - Z b), of columns where b may not be 0 and of others.

        The dual point is the residuals: scaled until no product exceeds l1, or as they are, where a
        ridge penalty makes every point feasible; whichever is the better.
        """
        fitted = float(b @ product)  # y'Z b
        if rr is None:
            rr = max(self.yy - fitted - float(b @ q), 0.0)
        top = float(self._size(q - l2 * b if l2 else q).max(initial=0.0))
        if outside is not None:
            top = max(top, float(self._size(outside).max(initial=0.0)))
        shrink = l1 / top if top > l1 else 1.0
        ridge = l2 * float(b @ b)
        whole = rr + ridge
        primal = 0.5 * whole + l1 * float(np.abs(b).sum())
        gap = primal + 0.5 * shrink**2 * whole - shrink * (self.yy - fitted)
        if l2:
            excess = float((np.maximum(self._size(q) - l1, 0.0) ** 2).sum())
            if outside is not None:
                excess += float((np.maximum(self._size(outside) - l1, 0.0) ** 2).sum())
            gap = min(gap, primal + 0.5 * rr - (self.yy - fitted) + 0.5 * excess / l2)
        return gap

    # ------------------------------------------------------------ the working set
    def _admit_above(self, bound):
        new = np.flatnonzero(
            (self._size(self.gradient) > bound) & ~self.member & ~self.columns.constant
        )
        if len(new):
            self._admit(new)
        return len(new)

    def _admit(self, new):
        """Columns join the working set, their products with its columns the Gram matrix."""
        old, size = len(self.working), len(self.working) + len(new)
        if size > len(self.G):
            room = max(size, min(2 * size, self.columns.p))
            grown = np.zeros((room, room))
            grown[:old, :old] = self.G[:old, :old]
            self.G = grown
        self.working = np.concatenate([self.working, new])
        self.member[new] = True
        block = self.columns.gram(new, self.working)
        self.G[old:size, :old] = block[:, :old]
        self.G[:old, old:size] = block[:, :old].T
        lower = np.tril(block[:, old:])
        self.G[old:size, old:size] = lower + np.tril(lower, -1).T
        self.b = np.concatenate([self.b, np.zeros(len(new))])
        self.q = self.gradient[self.working]

    # ------------------------------------------------------------ within it
    def _solve_working(self, l1, l2, goal, most):
        """Minimise within the working set; returns the number of rounds."""
        m = len(self.working)
        every, product = np.arange(m, dtype=np.intp), self.product[self.working]
        rounds, since = 0, 0
        while rounds < max(most, 1) and m:
            state, _ = self._sweep(self.G, every, l1, l2, 1, self.b, self.q)
            rounds += 1
            if state == STILL or self._gap(self.b, self.q, product, l1, l2) <= goal:
                break
            active = np.flatnonzero(self.b)
            if 2 * len(active) > m:
                inside = self.G, active, self.b, self.q, product
                made, since = self._settle(*inside, l1, l2, goal, since)
            else:
                b, q = self.b[active], self.q[active]
                G = np.empty((len(active), len(active)))
                gather(self.G, active, 1.0, G)
                inside = G, every[: len(active)], b, q, product[active]
                made, since = self._settle(*inside, l1, l2, goal, since)
                shift(self.G, active, b - self.b[active], m, self.q)
                self.b[active] = b
            rounds += made
        return rounds

    def _sweep(self, G, order, l1, l2, most, b, q):
        """Up to so many sweeps; returns how it ended, and their number."""
        done, m = 0, len(b)
        some = max(2, int(BUDGET / (m * max(len(order), 1))))
        while True:
            turns = min(some, most - done)
            state, made = sweeps(G, order, m, l1, l2, self.positive, turns, STEP * self.yy, b, q)
            checkpoint()
            done += made
            if state != MOVING or done >= most:
                return state, done

    def _settle(self, G, order, b, q, product, l1, l2, goal, since):
        """Minimise over the coordinates `order`, nearly; returns rounds, and those since Newton.

        A Newton step comes when as many sweeps as it costs have not been enough.
        """
        rounds, wait = 0, LEAST + int(len(order) * NEWTON)
        while since < wait:
            state, made = self._sweep(G, order, l1, l2, LEAST, b, q)
            rounds, since = rounds + made, since + made
            if state == STILL or self._gap(b, q, product, l1, l2) <= goal:
                return rounds, since
            if state == STABLE and 2 * since > wait:
                break
        self._newton(G, b, q, l1, l2)
        return rounds + 1, 0

    def _newton(self, G, b, q, l1, l2):
        """Newton steps on what is not zero, each to the least of the objective along it.

        A step whose signs hold ends at the solution for these columns. Where they depend on each
        other, a little is added to the diagonal: the step then runs along what leaves the fit as
        it is, and drops a column. The factor of many columns is made in float32, and the steps
        repeated with gradients in float64 until they are at the solution.
        """
        some = np.flatnonzero(b)
        if not len(some):
            return
        sign = np.sign(b[some])
        solve = _factor(G, some, l2)
        before = np.inf
        for _ in range(REPEATS):
            downhill = q[some] - l2 * b[some] - l1 * sign
            step = solve(downhill) if solve else downhill
            slope = float(downhill @ step)
            change = np.zeros(len(b))
            shift(G, some, -step, len(b), change)  # G step
            curve = float(step @ change[some]) + l2 * float(step @ step)
            if not (np.isfinite(step).all() and slope > 0 and curve > 0):
                return
            now, turned, part = self._along(b[some], step, sign, slope, curve, l1)
            if turned:
                shift(G, some, now - b[some], len(b), q)
            else:
                q -= change * part
            b[some] = now
            checkpoint()
            if turned or slope < STEP * self.yy or slope > 0.1 * before:
                return
            before = slope

    def _along(self, b, step, sign, slope, curve, l1):
        """Where on the way from b to b + step the objective is least; and if a sign turned.

        Along it the derivative is t curve - slope until a coefficient passes zero, from where on it
        is 2 l1 |step| more.
        """
        end = min(slope / curve, 1.0) if abs(slope / curve - 1.0) > 1e-3 else 1.0
        back = step * sign < 0
        reach = np.full(len(b), np.inf)
        reach[back] = -b[back] / step[back]
        order = np.flatnonzero(reach < end)
        if not len(order):
            return b + end * step, False, end
        order = order[np.argsort(reach[order], kind="stable")]
        times, jumps = reach[order], 2.0 * l1 * np.abs(step[order])
        if self.positive:
            jumps[:] = np.inf
        after = np.cumsum(jumps)
        up = times * curve - slope + after >= 0  # the derivative just beyond
        last = int(up.argmax()) if up.any() else len(order)
        passed = after[last - 1] if last else 0.0
        turn = (slope - passed) / curve  # where the derivative is zero before that
        at_zero = last < len(order) and turn >= times[last]
        if at_zero:
            turn = times[last]
        now = b + turn * step
        if at_zero:
            now[order[last]] = 0.0
        return now, True, turn


def _factor(G, some, l2):
    """A function that solves (G + l2) x = r for some columns, nearly; None if there is none."""
    from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

    unit = float(G.diagonal()[some].max()) + l2
    if not unit > 0:
        return None
    k = len(some)
    if k >= MANY:
        single = np.empty((k, k), dtype=np.float32)
        gather(G, some, 1 / unit, single)
        single.reshape(-1)[:: k + 1] += np.float32(l2 / unit)
        single, info = spotrf(single.T, lower=1, overwrite_a=1)
        if info == 0:

            def solve(r):
                size = float(np.abs(r).max()) or 1.0
                x, _ = spotrs(single, (r / size).astype(np.float32), lower=1)
                return x.astype(np.float64) * (size / unit)

            return solve
    inner = np.empty((k, k))
    gather(G, some, 1.0, inner)
    for more in (l2, RIDGE * unit):
        inner.reshape(-1)[:: k + 1] += more
        double, info = dpotrf(inner.T, lower=1)
        if info == 0:
            return lambda r: dpotrs(double, r, lower=1)[0]
    return None
