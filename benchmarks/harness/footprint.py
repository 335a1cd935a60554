# SPDX-License-Identifier: BSD-3-Clause
"""What the package costs before it does anything: ``python -m benchmarks.harness.footprint``.

The wheel is built from the files that are committed, in an empty folder and without a cache of
compiled files, and timed; its bytes are summed by family. Then each family is imported, in a new
process each time, after numpy and scipy.linalg.
"""

import argparse
import os
import pkgutil
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from benchmarks.harness import machine, report, results, run

SOURCE = results.ROOT / "src" / "statfast"
WHOLE = "statfast"  # the package, without a family
IMPORT = """
import time, numpy, scipy.linalg
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


# --- imports ---


def families() -> list[str]:
    """The public packages below statfast."""
    packages = [m.name for m in pkgutil.iter_modules([str(SOURCE)]) if m.ispkg]
    return [name for name in packages if not name.startswith("_")]


def import_seconds(modules: list[str], rounds: int) -> dict[str, float | None]:
    """The median time of each import, the modules in turns; None of what cannot be imported."""
    times: dict[str, list[float] | None] = {module: [] for module in modules}
    for _ in range(1 + rounds):  # The first warms the disk.
        for module, measured in times.items():
            command = [sys.executable, "-c", IMPORT.format(module=module)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                times[module] = None
            elif measured is not None:
                measured.append(float(done.stdout))
    return {
        module: statistics.median(measured[1:]) if measured else None
        for module, measured in times.items()
    }


# --- the wheel ---


def build(folder: Path) -> tuple[Path, float]:
    """The wheel of the last commit, and the seconds that its compilation and packing took."""
    source = folder / "source"
    source.mkdir()
    archive = subprocess.run(
        ["git", "-C", str(results.ROOT), "archive", "HEAD"], capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(source)], input=archive.stdout, check=True)
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    environment = os.environ | {"CCACHE_DISABLE": "1"}
    start = time.perf_counter()
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True, env=environment)
    return next(folder.glob("*.whl")), time.perf_counter() - start


def users_of_kernels() -> dict[str, set[str]]:
    """The families and foundations that call the kernels of each folder of ``_core``."""
    users = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        home = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for folder in re.findall(r"statfast\._core\.(\w+)", path.read_text("utf-8")):
            users[folder].add(home)
    return users


def part_of(name: str, users: dict[str, set[str]]) -> tuple[str, str]:
    """The line that a file of the wheel counts for, and its column.

    Kernels belong to the family that alone calls them; those of several stand for themselves.
    """
    parts = PurePosixPath(name).parts
    if parts[0] != "statfast" or len(parts) < 3 or (parts[1] == "_core" and len(parts) < 4):
        return "statfast (top, metadata)", "other"
    if parts[1] != "_core":
        return parts[1], "other"
    callers = users.get(parts[2], set())
    return next(iter(callers)) if len(callers) == 1 else f"_core/{parts[2]}", "kernels"


def wheel_bytes(path: Path) -> dict[str, Counter]:
    """Compressed bytes by line and column."""
    users, sizes = users_of_kernels(), defaultdict(Counter)
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            part, column = part_of(entry.filename, users)
            sizes[part][column] += entry.compress_size
    return sizes


# --- all of it ---


def measure(wheel: Path | None, rounds: int) -> list[dict]:
    """The run, then a line for each family, foundation and folder of kernels."""
    head = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": run.commit(),
        "machine": machine.machine(),
        "versions": machine.versions(["numpy", "scipy", "Cython"]),
    }
    with tempfile.TemporaryDirectory() as folder:
        if wheel is None:
            wheel, head["build_seconds"] = build(Path(folder))
        head["wheel_bytes"], sizes = wheel.stat().st_size, wheel_bytes(wheel)
    modules = {WHOLE: WHOLE} | {name: f"{WHOLE}.{name}" for name in families()}
    seconds = import_seconds(list(modules.values()), rounds)
    return [head] + [
        {
            "part": part,
            "import_seconds": seconds.get(modules.get(part)),
            **{f"{column}_bytes": count for column, count in sizes.get(part, {}).items()},
        }
        for part in [*modules, *sorted(set(sizes) - set(modules))]
    ]


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harness.footprint")
    parser.add_argument("--wheel", type=Path, help="a wheel, of which no time is known")
    parser.add_argument("--out", type=Path, default=results.FOOTPRINT, help="the file")
    parser.add_argument("--rounds", type=int, default=7, help="imports of each (default: 7)")
    options = parser.parse_args(arguments)
    lines = measure(options.wheel, options.rounds)
    results.write_lines(lines, options.out)
    print(*report.markdown(report.FOOTPRINT_HEAD, report.footprint(lines[1:])), sep="\n")
    print(report.footprint_sentence(lines[0]), f"written to {options.out}", sep="\n")


if __name__ == "__main__":
    main()
