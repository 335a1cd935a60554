# SPDX-License-Identifier: BSD-3-Clause
"""The machine: what it is, and how fast its arithmetic and its memory are, measured."""

import importlib
import importlib.metadata
import os
import platform
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
STREAM_BYTES = 512_000_000  # The array of a thread, far larger than any cache.
TRIES = 5
UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


def machine() -> dict:
    """Processor, cores, caches in bytes, instruction set, memory; None where it is not known."""
    tiles = _tiles()
    return {
        "cpu": _cpu_name(),
        "system": platform.platform(terse=True),
        "cores": os.cpu_count(),
        "usable_cores": _usable_cores(),
        "caches": _caches(),
        "memory": _memory(),
        "isa": tiles.isa() if tiles else None,
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def _usable_cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _cpu_name():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or None
    names = dict(line.replace("\t", "").split(":", 1) for line in lines if ":" in line)
    name = names.get("model name", platform.processor()).strip()
    family, model = names.get("cpu family", "").strip(), names.get("model", "").strip()
    return f"{name} (family {family}, model {model})" if family else name


def _caches():
    sizes = {}
    for index in sorted(CACHES.glob("index*")):
        level, kind, size = (
            (index / part).read_text().strip() for part in ("level", "type", "size")
        )
        label = f"L{level}" + ("" if kind == "Unified" else kind[0].lower())
        sizes[label] = int(size[:-1]) * UNITS[size[-1]] if size[-1] in UNITS else int(size)
    return sizes


def _memory():
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _tiles():
    try:
        return importlib.import_module("statfast._core.tile.tiles")
    except ImportError:
        return None


def measure(threads: int, *, quick: bool = False) -> dict:
    """Flop/s of a register-only FMA loop and bytes/s read from memory, all threads together.

    {} where statfast, whose kernels measure them, is not built.
    """
    tiles = _tiles()
    if tiles is None:
        return {}
    seconds = 0.05 if quick else 0.5
    size = STREAM_BYTES // (16 if quick else 1) // 8
    with ThreadPoolExecutor(threads) as pool:

        def flops(kind):
            return sum(pool.map(lambda _: tiles.fma_peak(kind, seconds), range(threads)))

        def bandwidth():
            start = time.perf_counter()
            list(pool.map(tiles.read_sum, arrays))
            return sum(array.nbytes for array in arrays) / (time.perf_counter() - start)

        arrays = [np.ones(size) for _ in range(threads)]
        return {
            "threads": threads,
            "float32": max(flops("f") for _ in range(TRIES)),
            "float64": max(flops("d") for _ in range(TRIES)),
            "bandwidth": max(bandwidth() for _ in range(TRIES)),
        }


def least_seconds(problem, limits: dict, caches: dict) -> float | None:
    """What the plain algorithm would take at the measured limits.

    Reading counts only where the rows do not fit into the largest cache. An algorithm that does
    less (bounds in k-means, a float32 pass over float64 rows) can be faster than this.
    """
    if problem.dtype not in limits or not problem.flops:
        return None
    seconds = problem.flops / limits[problem.dtype]
    if problem.nbytes > max(caches.values(), default=0):
        seconds = max(seconds, problem.nbytes * problem.passes / limits["bandwidth"])
    return seconds


def versions(packages) -> dict:
    """Version of each distribution; None where it is not installed."""
    versions_by_name = {"python": platform.python_version()}
    for name in packages:
        try:
            versions_by_name[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions_by_name[name] = _source_version(name)
    return versions_by_name


def _source_version(name):
    try:
        return getattr(importlib.import_module(name), "__version__", None)
    except ImportError:
        return None


def sizes(packages, wheel: Path | None) -> dict:
    """Bytes on disk of each installed distribution, and of statfast's wheel."""
    bytes_by_name = {"statfast wheel": wheel.stat().st_size if wheel else None}
    for name in packages:
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        paths = (Path(file.locate()) for file in files)
        bytes_by_name[name] = sum(path.stat().st_size for path in paths if path.is_file())
    return bytes_by_name
