#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Look into a wheel: ``python .ci/check_wheel.py WHEEL [SECOND]``.

Its contents must be what users need and no more, and its size within the limit. Prints the share of
each package and of each folder of kernels. With a second wheel, built elsewhere from the same
commit with the same ``SOURCE_DATE_EPOCH``, both must be the same bytes.
"""

import json
import re
import sys
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

LIMIT = 5.95  # MB
SOURCES = (".c", ".h", ".pyx", ".pxd")
COMPILED = (".so", ".pyd")
LICENSES = ("LICENSE", "src/statfast/datasets/README.md")


def faults(archive):
    """Sentences on what is in the wheel and should not be, or should be and is not."""
    names = archive.namelist()
    for name in names:
        if name.endswith(SOURCES):
            yield f"{name} is a source of kernels, which no user of a wheel needs."
    for name in ("statfast/py.typed", "statfast/__init__.pyi"):
        if name not in names:
            yield f"{name} is missing: type checkers look for it."
    if not any(name.startswith("statfast/datasets/") and name.endswith(".gz") for name in names):
        yield "The data sets are missing."
    for license in LICENSES:
        if not any(name.endswith(f".dist-info/licenses/{license}") for name in names):
            yield f"The license {license} is missing."
    kinds = {PurePosixPath(name).name.partition(".")[2] for name in names if is_compiled(name)}
    if len(kinds) != 1:
        yield f"Kernels are of {len(kinds)} kinds {sorted(kinds)}: delete build/ and build again."
    yield from faults_of_description(archive)
    yield from faults_of_materials(archive)


def faults_of_description(archive):
    """The same of what package indexes show, where links within the project lead nowhere."""
    files = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    if len(files) != 1:
        yield f"One METADATA is expected; got {len(files)}."
        return
    for link in re.findall(r"\]\((?!https?://|#)[^)]*\)", archive.read(files[0]).decode()):
        yield f"The description has a link {link[1:]}, which leads nowhere outside the project."


def faults_of_materials(archive):
    """The same of the list of what is in the wheel (PEP 770)."""
    lists = [name for name in archive.namelist() if ".dist-info/sboms/" in name]
    if len(lists) != 1:
        yield f"One list of materials is expected in .dist-info/sboms; got {len(lists)}."
        return
    materials = json.loads(archive.read(lists[0]))
    version = lists[0].partition("-")[2].partition(".dist-info")[0]
    if materials["metadata"]["component"]["version"] != version:
        yield f"{lists[0]} is of another version than {version}."


def is_compiled(name):
    return name.endswith(COMPILED)


def room(name):
    """The package that a file belongs to; of a kernel, its folder."""
    folders = PurePosixPath(name).parts[:-1]
    if not folders or folders[0] != "statfast":
        return "metadata"
    return "/".join(folders[1 : 3 if folders[1:2] == ("_core",) else 2]) or "(top)"


def shares(archive):
    """Compressed bytes by room, the largest first."""
    sizes = Counter()
    for entry in archive.infolist():
        sizes[room(entry.filename)] += entry.compress_size
    return sizes.most_common()


def differences(first, second):
    """Sentences on what differs between two wheels."""
    if first.read_bytes() == second.read_bytes():
        return
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as two:
        if one.namelist() != two.namelist():
            yield "The two wheels list other files, or list them in another order."
        for name in sorted({*one.namelist()} & {*two.namelist()}):
            if one.read(name) != two.read(name):
                yield f"{name} differs between the two wheels."
    yield f"{first} and {second} are not the same bytes."


def main(path, second=None):
    """Print shares and faults; exit with 1 if there is a fault."""
    size = path.stat().st_size / 1e6
    with zipfile.ZipFile(path) as archive:
        found = list(faults(archive))
        print(f"{path.name}: {len(archive.namelist())} files, {size:.2f} MB of {LIMIT:g}")
        for name, share in shares(archive):
            print(f"  {share / 1e3:7.1f} kB  {share / path.stat().st_size:5.1%}  {name}")
    if size >= LIMIT:
        found.append(f"The wheel has {size:.2f} MB; the limit is {LIMIT:g}.")
    if second is not None:
        found += differences(path, second)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
