# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The register-tile family: which instruction-set level is in use, and its measured limits.

The kernels themselves are C in ``simd/``, compiled once per level and reached through one table,
chosen here when the module is imported: the best level the machine has, or the one named by the
environment variable ``STATFAST_ISA``. Other kernels cimport :func:`active`.

The functions below measure the machine, and give tests access to each epilogue.
"""

import os
import time

from libc.stdint cimport int32_t, int64_t

cdef extern from "tile/choose.h" nogil:
    enum:
        MAX_LEVELS
    int usable_levels(const kernels **found)

ctypedef fused floating:
    float
    double

cdef const kernels *found[MAX_LEVELS]
cdef const kernels *chosen = NULL
cdef int n_found = usable_levels(found)


cdef const kernels *active() noexcept nogil:
    return chosen


cdef int level() noexcept nogil:
    return chosen.level


def levels():
    """Names of the instruction-set levels this machine can run, best first."""
    return tuple([found[i].name.decode() for i in range(n_found)])


def isa():
    """Name of the level in use."""
    return chosen.name.decode()


def _choose(name):
    global chosen
    for i in range(n_found):
        if not name or found[i].name.decode() == name:
            chosen = found[i]
            return
    raise ImportError(
        f"STATFAST_ISA must be one of {', '.join(levels())} on this machine; got {name!r}. "
        "Unset it to use the best."
    )


_choose(os.environ.get("STATFAST_ISA", ""))


def tile_shape(str kind):
    """Rows and columns of the register tile for ``"f"`` (float32) or ``"d"`` (float64)."""
    return chosen.rows, 2 * (chosen.f32.lanes if kind == "f" else chosen.f64.lanes)


def map(str name, const floating[::1] x, floating[::1] out):
    """out = exp, log, log1p or sigmoid of x."""
    cdef int function = {
        "exp": MAP_EXP, "log": MAP_LOG, "log1p": MAP_LOG1P, "sigmoid": MAP_SIGMOID
    }[name]
    if x.shape[0] == 0:
        return
    with nogil:
        if floating is float:
            chosen.f32.map(function, &x[0], x.shape[0], &out[0])
        else:
            chosen.f64.map(function, &x[0], x.shape[0], &out[0])


def pack(const floating[:, ::1] x, floating[::1] panels):
    """Lay rows out in panels of 2 * lanes points, feature by feature."""
    with nogil:
        if floating is float:
            chosen.f32.pack(&x[0, 0], x.shape[1], x.shape[0], x.shape[1], &panels[0])
        else:
            chosen.f64.pack(&x[0, 0], x.shape[1], x.shape[0], x.shape[1], &panels[0])


def measure(const floating[:, ::1] a, Py_ssize_t depth, floating[::1] start, floating[::1] norm):
    """start = -|a|^2 / 2 and norm >= |a| over the first ``depth`` columns."""
    with nogil:
        if floating is float:
            chosen.f32.measure(&a[0, 0], a.shape[1], a.shape[0], depth, &start[0], &norm[0])
        else:
            chosen.f64.measure(&a[0, 0], a.shape[1], a.shape[0], depth, &start[0], &norm[0])


def largest(
    const floating[:, ::1] a,      # IN (n, lda) n a multiple of the tile's rows
    const floating[::1] start,     # IN (n,)
    const floating[::1] panels,    # IN (m * depth,) packed points
    Py_ssize_t depth,
    floating[::1] best,            # INOUT (m,) m a multiple of the tile's columns
    index,                         # INOUT (m,) int32 for float, int64 for double
    floating[::1] second=None,     # INOUT (m,) the second largest score, if wanted
):
    """Largest score a.b + start of every point and its row, panel by panel."""
    cdef Py_ssize_t n = a.shape[0], m = best.shape[0], lda = a.shape[1], j, r, some
    cdef Py_ssize_t columns, chunk = chunk_rows(lda * sizeof(floating))
    cdef bint two = second is not None
    cdef int32_t[::1] index32
    cdef int64_t[::1] index64
    if floating is float:
        index32 = index
        columns = 2 * chosen.f32.lanes
    else:
        index64 = index
        columns = 2 * chosen.f64.lanes
    with nogil:
        r = 0
        while r < n:
            some = min(chunk, n - r)
            j = 0
            while j < m:
                if floating is float:
                    if two:
                        chosen.f32.largest_two(&a[r, 0], lda, &start[r], some, &panels[j * depth],
                                               depth, r, &best[j], &second[j], &index32[j])
                    else:
                        chosen.f32.largest(&a[r, 0], lda, &start[r], some, &panels[j * depth],
                                           depth, r, &best[j], &index32[j])
                else:
                    if two:
                        chosen.f64.largest_two(&a[r, 0], lda, &start[r], some, &panels[j * depth],
                                               depth, r, &best[j], &second[j], &index64[j])
                    else:
                        chosen.f64.largest(&a[r, 0], lda, &start[r], some, &panels[j * depth],
                                           depth, r, &best[j], &index64[j])
                j += columns
            r += chunk


cdef Py_ssize_t chunk_rows(Py_ssize_t row_bytes) noexcept nogil:
    """Rows of ``a`` that stay in half of a 512 KB level-2 cache while panels pass over them."""
    cdef Py_ssize_t groups = (1 << 18) // (chosen.rows * row_bytes)
    return chosen.rows * max(groups, 4)


def fma_peak(str kind, double seconds=0.05):
    """Multiply-add flop per second of one thread, from a loop that never leaves the registers."""
    cdef double flop, best = 0
    cdef Py_ssize_t steps = 200_000
    cdef bint single = kind == "f"
    stop = time.perf_counter() + seconds
    while True:
        began = time.perf_counter()
        with nogil:
            if single:
                flop = chosen.f32.multiply_adds(steps)
            else:
                flop = chosen.f64.multiply_adds(steps)
        ended = time.perf_counter()
        best = max(best, flop / (ended - began))
        if ended > stop:
            return best


def read_sum(const double[::1] x):
    """Sum of x, as fast as memory can be read."""
    cdef double total
    with nogil:
        total = chosen.read(&x[0], x.shape[0])
    return total
