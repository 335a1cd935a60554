# SPDX-License-Identifier: BSD-3-Clause
"""What there is to call, found by looking: public names, their signatures and their docstrings."""

import importlib
import inspect
import pkgutil
import re
from dataclasses import dataclass, field
from functools import cache, cached_property

import statfast

MISSING = inspect.Parameter.empty
PROTOCOL = {"get_params", "set_params", "set_output", "get_metadata_routing"}
# Called by the fits of estimators, whose own objects they take.
INTERNAL = {"Parts.kept_by", "Parts.mapped", "Parts.prepared", "Parts.total"}


@dataclass(frozen=True)
class Parameter:
    """A parameter: its default, its check, its documented type, and the words that it quotes."""

    name: str
    default: object = MISSING
    type: str = ""
    words: tuple = ()
    is_variadic: bool = False  # *models
    check: object = None  # of a declared parameter of an estimator

    @property
    def required(self):
        return self.default is MISSING

    def accepts(self, value):
        """Whether the check takes a value."""
        try:
            self.check(value, self.name)
        except (ValueError, TypeError):
            return False
        return True


@dataclass
class Thing:
    """A public function, class or method, with its parameters by name."""

    name: str
    call: object
    parameters: dict = field(repr=False)

    @property
    def is_class(self):
        return inspect.isclass(self.call)

    @cached_property
    def is_record(self):
        """Whether it is an answer, which users do not make: no parameters are described."""
        made = self.is_class and bool(self.parameters) and not described(self.call.__doc__)
        plain = made and (
            hasattr(self.call, "__dataclass_fields__") or issubclass(self.call, tuple)
        )
        return plain and self.name in returned()

    @cached_property
    def records(self):
        """Names of records that the docstring says are returned."""
        return [made for name, made in public().items() if made.is_record and name in self.answers]

    @cached_property
    def kept(self):
        """Name -> record, for attributes of a class that its docstring says are such."""
        kinds = described(self.call.__doc__, "Attributes").items() if self.is_class else ()
        found = public()
        return {
            name: found[kind]
            for name, (kind, _) in kinds
            if kind in found and found[kind].is_record
        }

    @cached_property
    def answers(self):
        """The words of the Returns section."""
        return re.findall(r"\w+", section(self.call.__doc__, "Returns"))

    @property
    def family(self):
        parts = self.call.__module__.split(".")
        return parts[1] if len(parts) > 1 else ""


def section(doc, title):
    """A section of a docstring."""
    found = re.search(
        rf"^{title}\n-+\n(.*?)(?=\n\n[A-Z][\w ]*\n-+\n|\Z)",
        inspect.cleandoc(doc or ""),
        re.S | re.M,
    )
    return found[1] if found else ""


def described(doc, title="Parameters"):
    """Name -> (type, description) from a section of a docstring."""
    heads, parts = [], {}
    for line in section(doc, title).splitlines():
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            heads = [name.strip(" *") for name in names.split(",")]
            parts.update({name: (kind, "") for name in heads})
        else:
            parts.update({name: (parts[name][0], parts[name][1] + line) for name in heads})
    return parts


@cache
def announces(call, attribute, *, alone=False):
    """Whether a docstring says that an answer, or an attribute, may be NaN or infinite.

    Of an answer that is alone, what a call returns "only" with some arguments says nothing.
    """
    doc = call.__doc__
    if attribute:
        text = " ".join(described(doc, "Attributes").get(attribute, ()))
    else:
        text = "".join(section(doc, title) for title in ("Yields", "Notes", "Attributes"))
        text += "".join(
            f"{kind}: {said}"
            for kind, said in described(doc, "Returns").values()
            if not (alone and said.lstrip().startswith("Only "))
        )
    return bool(re.search(r"\bNaN\b|\binf", text, re.I))


@cache
def attributes(kind):
    """Names of the attributes that the docstring of a class describes."""
    return frozenset(described(kind.__doc__, "Attributes"))


@cache
def thing(call, name):
    """The Thing of a callable, or None if it has no signature."""
    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):
        return None
    docs = described(call.__doc__)
    declared = getattr(call, "_declared", {})
    parameters = {}
    for key, given in signature.parameters.items():
        if key in ("self", "cls") or given.kind is given.VAR_KEYWORD:
            continue
        kind, text = docs.get(key, ("", ""))
        words = tuple(dict.fromkeys(re.findall(r'(?<!")"([^"\s]+)"(?!")', f"{kind} {text}")))
        is_variadic = given.kind is given.VAR_POSITIONAL
        check = declared[key].check if key in declared else None
        parameters[key] = Parameter(key, given.default, kind, words, is_variadic, check)
    return Thing(name, call, parameters)


@cache
def public():
    """Name -> Thing for all that the flat namespace and the families offer, each once."""
    modules = [statfast] + [
        importlib.import_module(f"statfast.{module.name}")
        for module in pkgutil.iter_modules(statfast.__path__)
        if module.ispkg and not module.name.startswith("_")
    ]
    found = {}
    for module in modules:
        for name in module.__all__:
            call = getattr(module, name)
            if inspect.isclass(call) and issubclass(call, BaseException):
                continue
            key = name if found.get(name, call) == call else f"{module.__name__[9:]}.{name}"
            if callable(call) and all(call is not other.call for other in found.values()):
                made = thing(call, key)
                if made is not None:
                    found[key] = made
    return dict(sorted(found.items()))


@cache
def methods(kind):
    """Name -> Thing for the public methods of a class that are statfast's own."""
    found = {}
    for name in sorted(dir(kind)):
        call = getattr(kind, name, None)  # A class may have lost a method of its parents.
        if name.startswith("_") or name in PROTOCOL or name.endswith("_request"):
            continue
        if not (inspect.isfunction(call) or inspect.ismethod(call)):
            continue
        if call.__module__.startswith(("statfast", "tests.fuzz")):
            called = f"{kind.__name__}.{name}"
            if called not in INTERNAL:
                found[name] = thing(call, called)
    return found


@cache
def callable_names():
    """The names of all that users call: functions, classes, and methods of both kinds of classes.

    Records are answers, which users do not make: of these, methods alone.
    """
    made = {name for name, outer in public().items() if not outer.is_record}
    return made | {method.name for outer in public().values() for method in inner(outer)}


@cache
def words(name):
    """The words that any description of a parameter of this name quotes."""
    callables = [made for outer in public().values() for made in (outer, *inner(outer))]
    found = [made.parameters[name].words for made in callables if name in made.parameters]
    return tuple(dict.fromkeys(word for some in found for word in some))


@cache
def returned():
    """The words of the Returns and Attributes sections, but for names that users call, too."""
    callables = [made for outer in public().values() for made in (outer, *inner(outer))]
    found = {word for made in callables for word in made.answers}
    for made in public().values():
        kinds = described(made.call.__doc__, "Attributes").values() if made.is_class else ()
        found |= {word for kind, _ in kinds for word in re.findall(r"\w+", kind)}
    return found - {"CodeMatrix"}


def inner(outer):
    return methods(outer.call).values() if outer.is_class else ()
