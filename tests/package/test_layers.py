# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the house: who may import whom, and where things stand; read from the source.

``__main__`` -> ``_tour`` -> ``__init__`` -> families -> foundations -> kernels (``_core``). A
module imports only what stands below it. A family has rooms, in order: a room knows only rooms
before it. Others import a foundation by its face, the package. Families know each other only where
one is built on another by nature. A kernel knows its own folder and the folders that all kernels
share.
"""

import ast
import re
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "statfast"
CORE = SOURCE / "_core"

FOUNDATIONS = [  # each on those before
    "_scikit_learn",
    "_typing",
    "_validation",
    "_engine",
    "_linalg",
    "_distance",
    "_estimator",
    "kernels",  # public as well: whatever learns from kernels takes them there
]
FACES = {"_validation", "_engine", "_distance", "_estimator"}  # others import the package alone
ROOMS = {  # of a family, each on those before; a list in it: rooms that do not know each other
    "cluster": ["kmeans", "medoids", "hierarchy", "density", "modes", "n_clusters"],
    "ensemble": ["forest", "boosting", "members", ["bagging", "adaboost", "combination"]],
    "decomposition": ["components", ["pca", "choice"], "ratings", "nonnegative"],
    "generative": ["normal", ["covariance", "discriminant"], "naive_bayes"],
    "interchange": ["files", "scikit_learn"],
    "linear": ["design", "inference", "penalized", "glm", "least_squares", "logistic"],
    "metrics": ["distance", "clustering", "classification", "regression", "ranking", "probability"],
    "model_selection": [
        "splitting",
        "evaluation",
        ["search", "thresholds", "error", "comparison"],
    ],
    "neighbors": ["brute", "spatial", "search", "hashing", "vote", "images", "density"],
    "patterns": [["itemsets", "conditions"], ["association", "subgroups", "rule_lists"]],
    "preprocessing": ["encoding", "bases", "scaling", "imputation"],
    "svm": [["dual", "linear"], "machines", "ridge"],
    "text": ["counting", "language"],
    "tree": ["structure", "growing", "pruning", "cart", "reading"],
}
BUILT_ON = {  # family: the families it may import
    "calibration": {"metrics", "svm"},  # the linear machine is calibrated unless another is named
    "cluster": {"metrics", "neighbors"},  # density clusters are of searches
    # Rows are held out by folds; a linear model is taken unless another is named.
    "conformal": {"linear", "model_selection"},
    # Stacking cross-validates, and learns from answers by a linear model unless another is named.
    "ensemble": {"linear", "metrics", "model_selection", "tree"},
    # Best subsets are those of least squares.
    "feature_selection": {"linear", "metrics", "model_selection"},
    "inspection": {"metrics"},
    "linear": {"model_selection"},  # LogisticRegressionCV is a search
    "mixture": {"cluster", "generative"},  # k-means is where EM starts
    "model_selection": {"metrics"},
    "multiclass": {"metrics", "preprocessing"},
    "multioutput": {"model_selection"},  # chains are fitted to answers of rows held out
    # A transformed target is learned by a linear model unless another is named.
    "pipeline": {"linear", "preprocessing"},
    "svm": {"linear"},  # whose lasso is a step of the linear machine with an l1 penalty
}
NAMES_ALONE = {  # scikit-learn's modules, of names that stand in families
    *(path.stem for path in SOURCE.glob("[a-z]*.py")), "feature_extraction",
}  # fmt: skip
CORE_SHARED = {"simd", "tile", "order"}  # folders of _core that every kernel may use
CORE_BUILT_ON = {  # what others may use; the three that are shared know only what is named here
    "boosting": {"threads"},
    "density": {"kdtree"},
    "hierarchy": {"distance", "kdtree"},
    "order": {"simd"},
    "reachability": {"kdtree"},
    "simd": set(),
    "tile": {"simd"},
}
KERNELS_OF = {  # folders of _core whose kernels a foundation, a family or a room calls: all that do
    "__main__": "tile",
    "_validation": "rows",
    "_engine": "threads tile",
    "_linalg": "linalg",
    "_distance": "distance kdtree rows",
    "_estimator": "order",
    "_estimator.sums": "rows",
    "kernels": "distance rows tile",
    "cluster.density": "kdtree reachability",
    "cluster.hierarchy": "distance hierarchy kdtree",
    "cluster.kmeans": "kmeans rows",
    "cluster.medoids": "medoids",
    "cluster.modes": "kmeans",
    "decomposition.components": "linalg tile",
    "decomposition.nonnegative": "decomposition linalg",
    "decomposition.ratings": "decomposition",
    "ensemble.adaboost": "boosting",
    "ensemble.boosting": "boosting cart",
    "ensemble.forest": "cart",
    "generative.covariance": "generative",
    "feature_selection": "linalg neighbors rows",
    "generative.discriminant": "generative linalg",
    "generative.naive_bayes": "generative rows",
    "generative.normal": "generative rows tile",
    "inspection": "cart",
    "linear.design": "linear rows",
    "linear.glm": "linear rows tile",
    "linear.least_squares": "linalg linear rows",
    "linear.logistic": "linear rows",
    "linear.penalized": "linear",
    "metrics.classification": "metrics",
    "metrics.clustering": "distance",
    "metrics.ranking": "metrics order",
    "mixture": "generative rows",
    "neighbors.brute": "distance neighbors tile",
    "neighbors.density": "density",
    "neighbors.hashing": "hashing",
    "neighbors.images": "neighbors",
    "neighbors.search": "neighbors tile",
    "neighbors.spatial": "balltree kdtree",
    "neighbors.vote": "neighbors",
    "patterns.association": "patterns",
    "patterns.itemsets": "patterns",
    "patterns.rule_lists": "patterns",
    "patterns.subgroups": "patterns",
    "preprocessing.bases": "preprocessing",
    "preprocessing.encoding": "preprocessing",
    "preprocessing.imputation": "preprocessing",
    "preprocessing.scaling": "preprocessing rows",
    "svm.dual": "distance svm",
    "svm.linear": "linear rows svm",
    "svm.machines": "svm",
    "text.counting": "text",
    "text.language": "text",
    "tree.growing": "cart",
    "tree.reading": "cart",
    "tree.structure": "cart",
}
OF_ONE = {  # stand in a foundation for one family, as others are to come
    "statfast._distance.condensed",  # silhouettes of condensed matrices
    "statfast._engine.team",
    "statfast._estimator.tables",  # every family's summaries
}
TILE_PIECES = {  # vector code of one family that is compiled with the tile
    "kdtree/split.h", "kmeans/bounds.h", "kmeans/groups.h",
}  # fmt: skip
GOES_UP = {("statfast._estimator.display", "statfast.plot")}  # results know their pictures
# By lists of estimators: no module of audits or of interchange.
LOOKS_UP = {"statfast.audit.twins", "statfast.interchange.files.known_names"}
ON_USE = {"audit", "interchange", "plot"}  # may import anything public; `plot` its packages at once
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "fast", "tools", "shared"}
MAX_ARGUMENTS_OF_KERNEL = 12  # of a function of a kernel: more are a view, made once
HEADER = "SPDX-License-Identifier: BSD-3-Clause"

TOP_LEVEL_PACKAGES = {"numpy"}  # what every user of any part pays for at import
CALL_TIME_PACKAGES = {
    "scipy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib", "formulaic",
    "snowballstemmer", "stop_words",
}  # fmt: skip
CALL_TIME_PACKAGES |= {"cloudpickle", "dask", "distributed", "joblib"}
KERNEL_PACKAGES = {"cython", "libc", "cpython", "numpy"}

CYTHON_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>[\w.]+)[ \t]+(?:c?import)[ \t]+(?P<names>\([^)]*\)|[^\n#]+)"
    r"|c?import[ \t]+(?P<modules>[\w., \t]+)"
    r"|include[ \t]+(?P<included>\S+))",
    re.MULTILINE,
)
NUMPY_HEADERS = re.compile(
    r"^[ \t]*(cimport[ \t]+numpy|from[ \t]+numpy[\w.]*[ \t]+cimport)", re.MULTILINE
)

STRIDED = re.compile(r"\[:, :\] (\w+)")  # an argument whose columns may lie apart
MINDFUL = {  # functions that take an address in such an array, and look at both strides
    "columns.job_of", "column_moments.column_moments", "columns.load", "dual_descent.pack",
    "extent.all_finite", "pam.find_nearest",
}  # fmt: skip


# ------------------------------------------------------------------ what a file imports
def is_typing_only(node):
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def python_imports(code):
    """Pairs (dotted name imported, whether it happens when the module is loaded)."""

    def visit(node, at_load):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, at_load
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            for alias in node.names:
                yield f"{source}.{alias.name}", at_load
        elif is_typing_only(node):
            return
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from visit(child, at_load and not inside)

    yield from visit(ast.parse(code), True)


def imports_of_any_kind(code):
    """Dotted names that Python imports: when loaded, in functions, for type checkers, by name.

    Of a name that is made up as the program runs, the beginning and a star, which stands for
    public names: ``import_module(f"statfast.{name}")`` is ``statfast.*``.
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.JoinedStr):
                yield name.values[0].value + "*"
            else:
                yield name.value


def cython_imports(code):
    """Dotted names that a ``.pyx`` or ``.pxd`` imports, cimports or includes."""
    for found in CYTHON_IMPORT.finditer(code):
        if found["included"]:
            yield found["included"].strip("\"'")
        for module in (found["modules"] or "").split(","):
            if module.strip():
                yield module.split(" as ")[0].strip()
        for name in (found["names"] or "").strip("() \n\t").split(","):
            if name.strip():
                yield f"{found['source']}.{name.split(' as ')[0].strip()}"


# ------------------------------------------------------------------ where a module stands
def place(module):
    """The first part of the name below ``statfast``: the family, foundation or ``_core``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def room(module):
    """The folder of a family that a module stands in, or None."""
    parts = module.split(".")
    return parts[2] if len(parts) > 3 else None


def floor(module):
    """How high a module stands in the house; it may import only what stands lower."""
    name = place(module)
    if name == "_core":
        return 0
    if name in FOUNDATIONS:
        return 1 + FOUNDATIONS.index(name)
    family = 1 + len(FOUNDATIONS)
    if name in ON_USE:
        return family + 2
    if name in NAMES_ALONE:
        return family + 1
    return family + {"__init__": 1, "_tour": 2, "__main__": 3}.get(name, 0)


def statfast_module(target, known):
    """The longest prefix of a dotted name that is a module: the rest are names in it."""
    parts = target.split(".")
    while ".".join(parts) not in known and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def story(family, name):
    """The place of a room in the order of its family."""
    for number, rooms in enumerate(ROOMS[family]):
        if name == rooms or (name in rooms and isinstance(rooms, list)):
            return number
    return -1


def may_import(importer, target):
    below, above = place(target), place(importer)
    if below == above:
        own, other = room(importer), room(target)
        if above not in ROOMS or own is None or own == other:
            return True
        return other is not None and story(above, other) < story(above, own)
    if floor(importer) == floor(target):  # two families
        return below in BUILT_ON.get(above, ())
    if below in FACES and target.count(".") > 1:
        return False
    return floor(target) < floor(importer)


def python_faults(module, code, known):
    """Sentences on every import in ``code`` that breaks a rule."""
    for target, at_load in python_imports(code):
        package = target.split(".")[0]
        if target.startswith("."):
            yield f"{module} imports {target} relatively"
        elif package == "statfast":
            if not may_import(module, statfast_module(target, known)):
                yield f"{module} imports {target}, which does not stand below it, or not its face"
        elif package in sys.stdlib_module_names or package in TOP_LEVEL_PACKAGES:
            continue
        elif package not in CALL_TIME_PACKAGES:
            yield f"{module} imports {package}, which is not a dependency"
        elif at_load and place(module) not in ON_USE:
            yield f"{module} imports {target} when it is loaded; import it where it is used"


def folder_of_kernel(module):
    """The folder below ``_core``, by dotted name or by path of a header."""
    return re.split(r"[./]", module.removeprefix("statfast._core."))[0]


def may_use(above, below):
    """Whether a kernel of one folder of ``_core`` may use what stands in another."""
    more = set() if above in CORE_SHARED else CORE_SHARED
    return below == above or below in more | CORE_BUILT_ON.get(above, set())


def kernels_called(module, code):
    """Pairs of the room, or what has none, that a module stands in, and a folder of ``_core``."""
    home = ".".join(filter(None, (place(module), room(module))))
    for target, _ in python_imports(code):
        if target.startswith("statfast._core."):
            yield home, folder_of_kernel(target)


def kernel_faults(module, code):
    """The same for Cython and C: ``module`` is dotted, ``statfast._core.kdtree.search``."""
    own = folder_of_kernel(module)
    for target in cython_imports(code):
        if target.startswith("."):
            yield f"{module} imports {target} relatively"
        elif target.split(".")[0] == "statfast":
            if not target.startswith("statfast._core."):
                yield f"{module} imports {target}, which is Python"
            elif not may_use(own, folder_of_kernel(target)):
                yield f"{module} imports {target} of another folder"
        elif target.split(".")[0] not in KERNEL_PACKAGES | sys.stdlib_module_names:
            yield f"{module} imports {target}; kernels use libc, cython and the standard library"
    for header in re.findall(r'(?:#include|extern from) "([^"]+)"', code):
        if module == "statfast._core.tile.level" and header in TILE_PIECES:
            continue
        if not may_use(own, folder_of_kernel(header)):
            yield f"{module} includes {header} of another folder"
    if NUMPY_HEADERS.search(code):
        yield f"{module} cimports numpy, whose headers are not there when the package is built"


def stride_faults(module, code):
    """Sentences on addresses taken in arrays whose columns need not lie side by side."""
    for function in re.split(r"\n(?=c?p?def |    def )", code):
        name = re.search(r"(\w+)\(", function)
        if name is None or f"{module}.{name[1]}" in MINDFUL:
            continue
        for array in STRIDED.findall(function):
            if re.search(rf"&{array}\[", function):
                yield (
                    f"{name[1]} takes an address in {array}, declared [:, :], whose columns may "
                    "lie apart: declare it [:, ::contiguous]"
                )


# ------------------------------------------------------------------ the real source
def module_name(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PYTHON = sorted(SOURCE.rglob("*.py"))
CYTHON = sorted([*SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.pxd")])
NATIVE = sorted([*SOURCE.rglob("*.c"), *SOURCE.rglob("*.h")])
KNOWN = {module_name(path) for path in PYTHON + CYTHON}


def each_file(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: str(path.relative_to(SOURCE)))


def test_source_is_there():
    assert PYTHON, f"no source in {SOURCE}"


@each_file(PYTHON)
def test_python_imports_go_down(path):
    faults = list(python_faults(module_name(path), path.read_text("utf-8"), KNOWN))
    assert not faults, "\n".join(faults)


@each_file(CYTHON + NATIVE)
def test_kernels_know_their_folder(path):
    faults = list(kernel_faults(module_name(path), path.read_text("utf-8")))
    assert not faults, "\n".join(faults)


def test_rooms_call_their_kernels():
    """The table is complete, and has nothing more: a new use of a kernel is looked at there."""
    used = defaultdict(set)
    for path in PYTHON:
        for home, folder in kernels_called(module_name(path), path.read_text("utf-8")):
            used[home].add(folder)
    assert used == {home: set(folders.split()) for home, folders in KERNELS_OF.items()}


@each_file(CYTHON)
def test_addresses_are_of_contiguous_rows(path):
    faults = list(stride_faults(path.stem, path.read_text("utf-8")))
    assert not faults, "\n".join(faults)


def import_graph(sources):
    """Module: the modules that it imports in any way, of ``(module, suffix, code)``."""
    known = {module for module, _, _ in sources}
    graph = {module: set() for module in known}
    for module, suffix, code in sources:
        for target in imports_of_any_kind(code) if suffix == ".py" else cython_imports(code):
            if target.endswith("*"):
                public = re.compile(re.escape(target[:-1]) + "[a-z]")
                graph[module] |= {name for name in known if public.match(name)}
            elif target.split(".")[0] == "statfast":
                graph[module].add(statfast_module(target, known))
    return {module: targets - {module} for module, targets in graph.items()}


def circle_in(graph):
    """The modules of a circle of imports, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_no_circle_of_imports():
    files = [(module_name(path), path.suffix, path.read_text("utf-8")) for path in PYTHON + CYTHON]
    graph = import_graph(files)
    for module, target in GOES_UP:
        graph[module].remove(target)
    for module in LOOKS_UP:
        graph[module] -= {name for name in graph if place(name) in ("audit", "interchange")}
    circle = circle_in(graph)
    assert circle is None, " <- ".join(circle)


@pytest.mark.parametrize(
    "code",
    [
        "from statfast.b import g",
        "from statfast import b",
        "def f():\n    import statfast.b",
        "if TYPE_CHECKING:\n    from statfast.b import B",
        'importlib.import_module("statfast.b")',
        'import_module(f"statfast.{name}")',
    ],
)
def test_circles_of_any_kind_are_found(code):
    files = [("statfast.a", ".py", code), ("statfast.b", ".py", "import statfast.a\nimport os")]
    assert circle_in(import_graph(files))
    assert not circle_in(import_graph([*files[:1], ("statfast.b", ".py", "import os")]))


def arguments_of(code):
    """Pairs of each function of a kernel that Python calls, and how many arguments it takes."""
    code = re.sub(r"#[^\n]*", "", code)
    for head in re.finditer(r"^[ \t]*(?:def|cpdef)\b[^(\n]*?(\w+)\(", code, re.MULTILINE):
        depth, arguments = 1, [""]
        for letter in code[head.end() :]:
            depth += (letter in "([{") - (letter in ")]}")
            if not depth:
                break
            if letter == "," and depth == 1:
                arguments.append("")
            else:
                arguments[-1] += letter
        names = [one.strip() for one in arguments]
        yield head[1], sum(name not in ("", "*", "/", "self", "cls") for name in names)


def test_kernels_take_few_arguments():
    many = {
        f"{path.parent.name}.{path.stem}.{name}": count
        for path in CYTHON
        for name, count in arguments_of(path.read_text("utf-8"))
        if count > MAX_ARGUMENTS_OF_KERNEL
    }
    assert not many


def test_arguments_are_counted():
    code = "cdef class A:\n    def f(\n        self,\n        const x[:, ::1] X,  # a, b\n    ):\n"
    code += "cpdef int g(int a, b=(1, 2), *, c=3):\n    pass\ncdef int h(int a):\n    pass\n"
    assert dict(arguments_of(code)) == {"f": 1, "g": 3}


@each_file([path for path in PYTHON + CYTHON + NATIVE if path.stat().st_size])
def test_license_header(path):
    assert HEADER in path.read_text("utf-8").split("\n", 1)[0]


def test_no_drawers():
    parts = {part for path in PYTHON + CYTHON + NATIVE for part in (path.stem, path.parent.name)}
    assert not parts & DRAWERS


def test_no_generated_c():
    first_lines = {path.name: path.read_text("utf-8")[:80] for path in NATIVE}
    assert not [name for name, line in first_lines.items() if "Generated by Cython" in line]


def test_rooms_are_folders():
    """Each folder of a family has its place in the order."""
    for family, rooms in ROOMS.items():
        named = {name for one in rooms for name in ([one] if isinstance(one, str) else one)}
        folders = {path.parent.name for path in (SOURCE / family).glob("*/__init__.py")}
        assert folders <= named, f"{family}: {folders - named} have no place in ROOMS"
    flat = {path.parent.parent.name for path in SOURCE.glob("[a-z]*/*/__init__.py")}
    assert flat <= set(ROOMS), f"{flat - set(ROOMS)} have rooms that are not in ROOMS"


def test_rooms_have_no_face():
    """Families and foundations alone have names to import from the package itself."""
    rooms = [*SOURCE.glob("[a-z]*/*/__init__.py"), *CORE.glob("*/**/__init__.py")]
    assert rooms
    assert not [str(path) for path in rooms if path.stat().st_size]


def private_lookups(tree):
    """Lines that look a private name up, as of a hook that an object may have or not."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr") and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
        and re.match("_[a-z]", str(node.args[1].value))
        and node.args[1].value != "_estimator_type"  # of scikit-learn's protocol
    ]  # fmt: skip


@each_file([path for path in PYTHON if {"model_selection", "_estimator"} & {*path.parts}])
def test_no_hook_is_looked_up_by_name(path):
    """What an estimator may have is a method of its base, which answers None."""
    assert not private_lookups(ast.parse(path.read_text("utf-8")))


def test_private_lookups_are_found():
    lines = 'getattr(m, "_plan", None)\nhasattr(m, "_x")\ngetattr(m, "__x__")\nm._y\nm.x("_z")'
    assert private_lookups(ast.parse(lines)) == [1, 2]


def test_class_names_are_unique():
    homes = defaultdict(list)
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.name)
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert not twice, f"one name, two things: {twice}"


def test_modules_do_not_bear_names_of_public_objects():
    """``statfast.cluster.linkage`` is a function, whatever has been imported."""
    for init in SOURCE.glob("*/__init__.py"):
        names = re.search(r"__all__ = (\[.*?\])", init.read_text("utf-8"), re.DOTALL)
        public = set(ast.literal_eval(names[1])) if names else set()
        modules = {path.stem for path in init.parent.iterdir() if path.name != "__init__.py"}
        assert not public & modules, f"{init.parent.name}: {public & modules}"


def families_of_users():
    """For each module of a foundation, and each header that kernels share: who uses it."""
    users = defaultdict(set)
    face = {}  # name in a face: the module it comes from
    for foundation in FACES:
        code = (SOURCE / foundation / "__init__.py").read_text("utf-8")
        for target, _ in python_imports(code):
            face[f"statfast.{foundation}.{target.rpartition('.')[2]}"] = target.rpartition(".")[0]
    for path in PYTHON:
        module = module_name(path)
        for target, _ in python_imports(path.read_text("utf-8")):
            target = face.get(target, statfast_module(target, KNOWN))
            if place(target) in FACES and target != module and path.name != "__init__.py":
                same = place(target) == place(module)
                users[target].add(module if same else place(module))
    for path in CYTHON + NATIVE:
        own = folder_of_kernel(module_name(path))
        code = path.read_text("utf-8")
        for header in re.findall(r'(?:#include|extern from) "([^"]+)"', code):
            users[header].add(path.name if folder_of_kernel(header) == own else own)
    return users


def test_what_is_shared_has_two_users():
    """What one family uses alone stands in that family."""
    users = families_of_users()
    modules = [
        module_name(path)
        for path in PYTHON
        if place(module_name(path)) in FACES and path.name != "__init__.py"
    ]
    headers = [
        str(path.relative_to(CORE))
        for path in NATIVE
        if path.suffix == ".h" and folder_of_kernel(module_name(path)) in ("tile", "simd")
    ]
    families = {path.parent.name for path in SOURCE.glob("[a-z]*/__init__.py")}
    families |= {path.parent.name for path in CORE.glob("*/__init__.py")} - CORE_SHARED
    alone = {
        name: users[name]
        for name in modules + headers
        if name not in OF_ONE and len(users[name]) == 1 and users[name] <= families
    }
    assert not alone, f"used by one family alone: {alone}"


# ------------------------------------------------------------------ the rules themselves
HOUSE = {
    "statfast",
    "statfast._core.tile.tiles",
    "statfast._core.kmeans.lloyd",
    "statfast._core.kdtree.tree",
    "statfast._validation",
    "statfast._validation.rows",
    "statfast._engine",
    "statfast._engine.blocks",
    "statfast._estimator",
    "statfast.cluster",
    "statfast.cluster.kmeans.kmeans",
    "statfast.cluster.kmeans.init",
    "statfast.cluster.hierarchy.linkage",
    "statfast.svm.dual.solver",
    "statfast.svm.linear.model",
    "statfast.svm.machines.svc",
    "statfast.metrics",
    "statfast.multiclass",
    "statfast.neighbors.search.search",
}
KMEANS = "statfast.cluster.kmeans.kmeans"


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("statfast._engine.blocks", "from statfast._estimator import Estimator"),
        ("statfast._engine.blocks", "from statfast import _estimator"),
        ("statfast._validation.rows", "import statfast"),
        ("statfast._engine.blocks", f"from {KMEANS} import KMeans"),
        (KMEANS, "from statfast import KMeans"),
        (KMEANS, "from statfast._engine.blocks import each"),
        (KMEANS, "from statfast.svm.machines.svc import SVC"),
        (KMEANS, "def f():\n    from statfast.generative import bayes"),
        (KMEANS, "from .init import start"),
        (KMEANS, "from . import init"),
        (KMEANS, "from statfast.cluster.hierarchy.linkage import linkage"),
        ("statfast.svm.dual.solver", "from statfast.svm.linear.model import LinearMachine"),
        ("statfast.svm.linear.model", "from statfast.svm.machines.svc import SVC"),
        (KMEANS, "import scipy.linalg"),
        (KMEANS, "try:\n    import sklearn\nexcept ImportError:\n    pass"),
        (KMEANS, "def f():\n    import numba"),
        ("statfast._core.kmeans.lloyd", "from statfast._validation import as_rows"),
    ],
)
def test_python_rule_catches(module, code):
    assert list(python_faults(module, code, HOUSE))


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("statfast._engine.blocks", "from statfast._validation import as_rows\nimport os"),
        ("statfast._engine.blocks", "from statfast._engine.chunks import Chunks"),
        ("statfast.cluster", f"from {KMEANS} import KMeans"),
        (KMEANS, "from statfast._engine import each"),
        (KMEANS, "from statfast.cluster.kmeans.init import start"),
        ("statfast.cluster.hierarchy.linkage", f"from {KMEANS} import KMeans"),
        ("statfast.svm.machines.svc", "from statfast.svm.dual.solver import solve"),
        (KMEANS, "from statfast._core.kmeans import lloyd"),
        (KMEANS, "def f():\n    from scipy.linalg import eigh"),
        ("statfast.multiclass", "from statfast.metrics import accuracy"),
        ("statfast", "from statfast.cluster import KMeans"),
        ("statfast.__main__", "import statfast\nfrom statfast import KMeans"),
        ("statfast._tour.linear", "from statfast._tour.finding import Finding"),
        ("statfast.plot", "import matplotlib.pyplot as plt\nfrom statfast import KMeans"),
    ],
)
def test_python_rule_allows(module, code):
    assert not list(python_faults(module, code, HOUSE | {"statfast.plot"}))


@pytest.mark.parametrize(
    "code",
    [
        "from statfast._core.neighbors.brute cimport scan",
        "from statfast._core.linalg.cholesky cimport factor",
        "from statfast import _engine",
        "import scipy",
        "cimport numpy as cnp",
        "from numpy cimport ndarray",
        "from . cimport heap",
        "from .heap cimport push",
        "    from statfast._validation import not_fitted",
        'include "lloyd_steps.pxi"',
        "from statfast._core.kdtree cimport (\n    tree,\n    search,\n)",
        'cdef extern from "kdtree/query.h" nogil:\n    pass',
    ],
)
def test_kernel_rule_catches(code):
    assert list(kernel_faults("statfast._core.kmeans.lloyd", code))


def test_calls_of_kernels_are_found():
    code = "from statfast._core.kmeans import lloyd\ndef f():\n    import statfast._core.tile.tiles"
    called = [("cluster.kmeans", "kmeans"), ("cluster.kmeans", "tile")]
    assert list(kernels_called(KMEANS, code)) == called
    assert next(kernels_called("statfast._linalg", code)) == ("_linalg", "kmeans")


def test_the_tile_knows_itself_and_simd():
    assert list(kernel_faults("statfast._core.tile.product.tile", '#include "kmeans/bounds.h"'))
    assert list(kernel_faults("statfast._core.simd.vmath", '#include "tile/product/tile.h"'))


@pytest.mark.parametrize(
    "code",
    [
        "from statfast._core.tile.tiles cimport nearest",
        "from statfast._core.kmeans cimport bounds, lloyd",
        "from statfast._core.order.keyed_rows cimport (\n    KeyedRow,\n    sort_rows,\n)",
        "from libc.math cimport sqrt, INFINITY\nimport os\ncimport cython\nimport numpy as np",
        'cdef extern from "kmeans/bounds.h" nogil:\n    pass',
        "# from statfast import _engine",
    ],
)
def test_kernel_rule_allows(code):
    assert not list(kernel_faults("statfast._core.kmeans.lloyd", code))


def test_stride_rule():
    code = "\ndef f(\n    const number[:, {}] X,\n):\n    go(&X[0, 0])\n\ndef g():\n    pass\n"
    assert list(stride_faults("lloyd", code.format(":")))
    assert not list(stride_faults("lloyd", code.format("::contiguous")))
    assert not list(stride_faults("lloyd", code.format(":").replace("&X[0, 0]", "X[0, 0]")))
