# SPDX-License-Identifier: BSD-3-Clause
"""What a problem is: a task, its data by a seed, and what the plain algorithm costs."""

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

SIZES = {"float32": 4, "float64": 8, "uint8": 1}
F32, F64 = "float32", "float64"
HANG = 900.0  # Seconds after which a run is ended.


@dataclass(frozen=True)
class Problem:
    """One row of a suite. Its name is its seed: the same data in every process."""

    name: str
    task: str  # what the libraries are asked for: a key of Library.adapters
    make: Callable[[int], dict]  # seed -> the task's inputs
    dtype: str = F64
    flops: float = 0.0  # Of the plain algorithm, counting multiplications and additions separately.
    nbytes: float = 0.0  # The bytes of the rows that it reads.
    passes: float = 1.0  # The passes over those rows.
    beyond: bool = False  # Whether the shape is beyond those that carry a bar.
    group: str = ""  # The group of the bars that it counts for: a key of Suite.bars.
    baseline: str = ""  # The problem whose time this one's is compared with.
    budget: float = math.inf  # Seconds of timed rounds of each library.
    hopeless: float = math.inf  # A peer is ended after so many times the time of the fastest peer.
    limit: float = HANG  # Seconds after which a library is ended.

    def data(self) -> dict:
        return self.make(zlib.crc32(self.name.encode()))
