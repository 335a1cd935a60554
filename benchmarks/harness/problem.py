# SPDX-License-Identifier: BSD-3-Clause
"""What a problem is: a task, its data by a seed, and what the plain algorithm costs."""

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

SIZES = {"float32": 4, "float64": 8, "uint8": 1}
F32, F64 = "float32", "float64"
HANG = 900.0  # seconds; what takes longer is ended


@dataclass(frozen=True)
class Problem:
    """One row of a suite. Its name is its seed: the same data in every process."""

    name: str
    task: str  # what the libraries are asked for: a key of Library.adapters
    make: Callable[[int], dict]  # seed -> the task's inputs
    dtype: str = F64
    flops: float = 0.0  # of the plain algorithm, multiplications and additions apart
    nbytes: float = 0.0  # of the rows it reads
    passes: float = 1.0  # over those rows
    beyond: bool = False  # not one of the shapes that carry a bar
    group: str = ""  # of the bars it counts for: a key of Suite.bars
    baseline: str = ""  # the problem whose time it is compared with
    budget: float = math.inf  # seconds of timed rounds that each library gets
    hopeless: float = math.inf  # a peer is ended after so many times the fastest peer's time
    limit: float = HANG  # seconds; a library that takes longer is ended

    def data(self) -> dict:
        return self.make(zlib.crc32(self.name.encode()))
