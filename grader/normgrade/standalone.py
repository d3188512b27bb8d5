"""The source of live classes and functions as a file of its own: their definitions as they were written, and all that these use.

It is source that is graded, never a live object. What a definition uses is looked up where it was defined: modules and what comes from
them are imported, as the learner did where that can be found; plain constants are written down; the learner's own classes and functions
are put before it as they were written. Nothing else can be sent.
"""

from __future__ import annotations

import ast
import linecache
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from inspect import unwrap
from math import isfinite
from pathlib import Path
from symtable import SymbolTable, symtable
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any

from normgrade.errors import UsageError
from normgrade.language import _
from normgrade.source import lines_of, parse

Namespace = Mapping[str, Any]
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
POSTPONED = "from __future__ import annotations\n"
UNRECORDED = ("<string>", "<stdin>")  # what `exec` ran, and what was typed into Python itself


@dataclass(frozen=True)
class Session:
    """What was typed so far into a notebook: what its names stand for, and its cells, the newest first. Plain Python keeps no cells.

    `given` are the names that were there before anything was typed. `postponed` says whether a cell has said
    `from __future__ import annotations`, which then holds for all that follow.
    """

    namespace: Namespace = field(default_factory=dict)
    cells: Sequence[str] = ()
    given: Namespace = field(default_factory=dict)
    postponed: bool = False

    def gives(self, name: str, value: object) -> bool:
        return name in self.given and self.given[name] is value


@dataclass(frozen=True)
class Place:
    """Where code was written: what its names stand for, and the text around it. The bases of a class come before other names."""

    namespace: Namespace
    text: str = ""
    bases: Namespace = field(default_factory=dict)


@dataclass(frozen=True)
class Written:
    """A class or a function as it was written."""

    name: str
    statement: ast.stmt
    place: Place

    @property
    def source(self) -> str:
        """Whole lines, with the decorators."""
        lines = lines_of(self.place.text)[first_line(self.statement) - 1 : self.statement.end_lineno]
        return dedent("\n".join(lines)) if self.statement.col_offset else "\n".join(lines)


def standalone(things: Sequence[object], session: Session) -> str:
    """A source that defines these classes and functions."""
    prelude = Prelude(session)
    for thing in things:
        prelude.bring(name_of(thing), thing, Place(home(thing, session.namespace)))
    return prelude.text


def completed(cell: str, session: Session) -> str:
    """A cell with all that it uses of earlier ones put before it. One that is no Python stays as it is."""
    prelude = Prelude(session)
    try:
        names = taken(cell, session.postponed)
    except (SyntaxError, ValueError, RecursionError):
        return cell
    prelude.require(names, Place(session.namespace, cell), _("The cell"))
    return prelude.before(cell)


def name_of(thing: object) -> str:
    """The name by which a class or a function was defined."""
    name = getattr(thing, "__name__", None)
    if isinstance(thing, FunctionType) and name == "<lambda>":
        name = next((name for name, value in thing.__globals__.items() if value is thing), None)
    if isinstance(thing, ModuleType) or not callable(thing) or not isinstance(name, str):
        raise UsageError(
            _(
                "What was passed, {thing}, is neither a class nor a function. Pass what you defined itself, as in check(…, LayerNorm).",
                thing=described(thing),
            )
        )
    return name


class Prelude:
    """What has to stand before code so that it runs elsewhere: imports, constants, and definitions after what they need."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.meaning: dict[str, object] = {}
        self.futures: set[str] = {"annotations"} if session.postponed else set()
        self.imports: dict[str, dict[str, None]] = {}  # from which module what; "" for modules themselves
        self.constants: list[str] = []
        self.definitions: list[str] = []

    @property
    def text(self) -> str:
        """All of it as one source."""
        modules = [f"import {module}\n" for module in self.imports.get("", ())]
        names = [f"from {module} import {', '.join(names)}\n" for module, names in self.imports.items() if module]
        future = f"from __future__ import {', '.join(sorted(self.futures))}\n" if self.futures else ""
        blocks = [future, "".join(modules + names), "".join(self.constants), *(f"\n{source}\n" for source in self.definitions)]
        return "\n".join(filter(None, blocks)).lstrip("\n")

    def before(self, cell: str) -> str:
        """All of it with a cell after it. `from __future__` imports stay first."""
        if not self.meaning and not self.futures:
            return cell
        self.futures |= futures(cell)
        return f"{self.text}\n\n{without(cell, future_imports(cell))}"

    def require(self, names: Iterable[str], place: Place, user: str) -> None:
        """Have names stand for what they stand for in a place. Those that are not there are Python's own, or missing there too."""
        for name in sorted(names):
            known = place.bases if name in place.bases else place.namespace
            if name in known and not (name.startswith("__") and name.endswith("__")) and not self.session.gives(name, known[name]):
                self.bring(name, known[name], place, user)

    def bring(self, name: str, value: object, place: Place, user: str = "") -> None:
        """Have a name stand for a value."""
        if name in self.meaning:
            if not same(self.meaning[name], value):
                one, other = described(self.meaning[name]), described(value)
                other = other if other != one else _("another {one}", one=one)
                raise UsageError(_('"{name}" would stand for two things: {one} and {other}. Rename one.', name=name, one=one, other=other))
            return
        self.meaning[name] = value
        if found := self.imported(name, value, place):
            for module, what in found:
                self.imports.setdefault(module, {})[what] = None
        elif is_plain(value):
            self.constants.append(f"{name} = {literal(value)}\n")
        elif (written := self.written(name, value, place)) is not None:
            self.define(name, value, written)
        else:
            raise UsageError(unsendable(name, value, user))

    def imported(self, name: str, value: object, place: Place) -> Sequence[tuple[str, str]]:
        """The imports that give the name this very value: those of the text around it, else of earlier ones, else where it is found."""
        texts = (place.text, *self.texts(place.namespace))
        return next(filter(None, (imports(text, name, value) for text in texts)), ()) or found_in_library(name, value)

    def define(self, name: str, value: object, written: Written) -> None:
        """Put a definition after what it needs at once, and before what only its functions use later."""
        if isinstance(value, type) and (added := put_in(value, written.statement)):
            raise UsageError(_('"{name}.{added}" was put into the class from outside. Write it in the class.', name=name, added=added))
        if written.name != name:
            self.bring(written.name, value, written.place, name)
            self.definitions.append(f"{name} = {written.name}")
            return
        self.futures |= futures(written.place.text)
        at_once, later = uses(written.source, "annotations" in self.futures)
        self.require(at_once, written.place, name)
        self.definitions.append(written.source)
        self.require(later - {name}, written.place, name)

    def written(self, name: str, value: object, place: Place) -> Written | None:
        """The definition of a value: its own code knows where that is; without any, the newest text that binds the name does."""
        bases = {base.__name__: base for base in getattr(value, "__bases__", ())}
        for function in functions(value):
            code = function.__code__
            text = text_of(code.co_filename)
            if not text and code.co_filename in UNRECORDED:
                return None
            if text and "<locals>" not in code.co_qualname:
                defined_as = value.__name__ if isinstance(value, type) else code.co_name
                statement = at_line(text, defined_as, code.co_firstlineno) or binding(text, name)
                return as_written(statement, Place(function.__globals__, text, bases))
        namespace = home(value, place.namespace) if isinstance(value, type) else place.namespace
        found = ((text, binding(text, name)) for text in self.texts(namespace))
        text, statement = next(((text, statement) for text, statement in found if statement), ("", None))
        return as_written(statement, Place(namespace, text, bases))

    def texts(self, namespace: Namespace) -> Sequence[str]:
        """What was written where these names are, the newest first."""
        if namespace is self.session.namespace:
            return self.session.cells
        file = namespace.get("__file__")
        return (text_of(file),) if isinstance(file, str) else ()


# Live objects


def functions(value: object) -> Iterator[FunctionType]:
    """The functions that were written with a value: itself, or what stands in its class body."""
    function = unwrap(value) if callable(value) else value
    if isinstance(value, type):
        held = [inner(member) for member in vars(value).values()]
        yield from (each for each in held if isinstance(each, FunctionType) and within(each, value))
    elif isinstance(function, FunctionType):
        yield function


def inner(member: Any) -> object:
    """The function in a method of any kind."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    return unwrap(member)


def within(function: FunctionType, owner: type) -> bool:
    return function.__code__.co_qualname.startswith(f"{owner.__qualname__}.")


def put_in(owner: type, statement: ast.stmt) -> str | None:
    """The name of a function that the class has, and that was not written in it."""
    body = [] if getattr(statement, "decorator_list", None) else getattr(statement, "body", [])
    assigned = {name for each in body if not isinstance(each, Definition) for name in bound(each)}
    for name, value in vars(owner).items():
        if isinstance(value, FunctionType) and name not in assigned and body:
            code = value.__code__
            if "." not in code.co_qualname and is_own(value) and text_of(code.co_filename):
                return name
    return None


def home(value: object, otherwise: Namespace) -> Namespace:
    """The names of the module in which a class or a function was defined."""
    function = unwrap(value) if callable(value) else value
    if isinstance(function, FunctionType):
        return function.__globals__
    module = sys.modules.get(value.__module__) if isinstance(value, type) else None
    return otherwise if module is None else vars(module)


def is_own(value: object) -> bool:
    """Whether a class or a function is the learner's, and not a library's."""
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and not is_library(module)


def is_library(module: str) -> bool:
    """Whether a module is Python's own or installed: only these can be imported where code is graded."""
    top = module.partition(".")[0]
    found = sys.modules.get(top)
    places = [getattr(found, "__file__", None), *getattr(found, "__path__", ())]
    return top in sys.stdlib_module_names or any(part.endswith("-packages") for place in places for part in Path(place or "").parts)


def found_in_library(name: str, value: object) -> Sequence[tuple[str, str]]:
    """The import of a module, or of what is found in one by its own name."""
    if isinstance(value, ModuleType):
        is_there = sys.modules.get(value.__name__) is value and is_library(value.__name__)
        return [("", renamed(value.__name__, name))] if is_there else ()
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(own, str) and is_library(module) and member(module, own) is value:
        return [(module, renamed(own, name))]
    return ()


def member(module: str, name: str) -> object:
    return getattr(sys.modules.get(module), name, sys.modules.get(f"{module}.{name}"))


def renamed(name: str, new: str) -> str:
    return name if name == new else f"{name} as {new}"


def is_plain(value: object) -> bool:
    """Whether it can be written down as a literal."""
    return type(value) in (bool, int, float, str, type(None)) or (type(value) is tuple and all(map(is_plain, value)))


def literal(value: object) -> str:
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def same(one: object, other: object) -> bool:
    return one is other or (is_plain(one) and is_plain(other) and literal(one) == literal(other))


def described(value: object) -> str:
    """A value in a few words: plain ones as they are written, others by their name or their type."""
    if is_plain(value):
        return literal(value)
    if isinstance(value, ModuleType):
        return value.__name__
    named = value if isinstance(value, type | FunctionType) else type(value)
    name = f"{named.__module__}.{named.__qualname__}".removeprefix("builtins.").removeprefix("__main__.")
    return name if named is value else _("a value of the type {type}", type=name)


def unsendable(name: str, value: object, user: str) -> str:
    """Why a value cannot be sent, and what to do instead."""
    if isinstance(value, ModuleType):
        return _(
            '"{user}" uses "{name}", a module of your own, which cannot be imported where code is graded. '
            "Import from it by name what you use: `from {module} import …`.",
            **{"user": user, "name": name, "module": value.__name__},
        )
    if isinstance(value, type | FunctionType):
        return _(
            '"{name}" has no source that can be graded: it was made by other code, or typed into Python itself. '
            "Write it at the top level of a cell or of a file.",
            name=name,
        )
    return _(
        '"{user}" uses "{name}", {value}, and only source can be sent. Make it where it is used, or hand it over as an argument.',
        **{"user": user, "name": name, "value": described(value)},
    )


# Texts


def text_of(file_name: str) -> str:
    """The text of a file or of a cell; nothing where none is known."""
    linecache.checkcache(file_name)
    return "".join(linecache.getlines(file_name))


@lru_cache(maxsize=256)
def statements(text: str) -> tuple[ast.stmt, ...]:
    """What stands at the top level of a text, in order, and in its branches and loops."""
    tree = parse(text)

    def within(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        for each in body:
            yield each
            if not isinstance(each, Definition):
                blocks = [getattr(each, name, []) for name in ("body", "orelse", "finalbody")]
                blocks += [part.body for name in ("handlers", "cases") for part in getattr(each, name, [])]
                yield from within(inner for block in blocks for inner in block)

    return tuple(within(tree.body)) if isinstance(tree, ast.Module) else ()


def bound(statement: ast.stmt) -> set[str]:
    """The names that a statement itself binds or deletes; those of its blocks aside."""
    if isinstance(statement, Definition):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    held = [item.optional_vars for item in getattr(statement, "items", [])]
    targets = [*getattr(statement, "targets", []), getattr(statement, "target", None), *held]
    nodes = [node for target in targets if target is not None for node in ast.walk(target)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}


def binding(text: str, name: str) -> ast.stmt | None:
    """The last statement that binds a name at the top level."""
    return next((each for each in reversed(statements(text)) if name in bound(each)), None)


def at_line(text: str, name: str, line: int) -> ast.stmt | None:
    """The definition of that name which this line belongs to; for a lambda, the statement that gives it a name."""
    tree = parse(text)
    for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
        fits = node.name == name if isinstance(node, Definition) else name == "<lambda>" and is_named_lambda(node)
        if fits and isinstance(node, ast.stmt) and first_line(node) <= line <= (node.end_lineno or 0):
            return node
    return None


def is_named_lambda(node: ast.AST) -> bool:
    """Whether it is `name = lambda …` and no more."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Lambda()):
            return True
    return False


def as_written(statement: ast.stmt | None, place: Place) -> Written | None:
    """None for a statement that defines nothing by itself."""
    if statement is None or not (isinstance(statement, Definition) or is_named_lambda(statement)):
        return None
    [name] = bound(statement)
    return Written(name, statement, place)


def first_line(statement: ast.stmt) -> int:
    """With the decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min(statement.lineno, *(each.lineno for each in decorators)) if decorators else statement.lineno


def imports(text: str, name: str, value: object) -> list[tuple[str, str]]:
    """The imports from libraries in a text that give the name this very value, each as module and what comes from it.

    There may be several: `import torch` and `import torch.nn.functional` both bind `torch`.
    """
    found = []
    for node in statements(text):
        for alias in node.names if isinstance(node, ast.Import) else ():
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            if (alias.asname or module) == name and is_library(module) and sys.modules.get(module) is value:
                found.append(("", renamed(alias.name, alias.asname or alias.name)))
        for alias in node.names if isinstance(node, ast.ImportFrom) and not node.level else ():
            own = name if alias.name == "*" else alias.name
            module = getattr(node, "module", None) or ""
            if (alias.asname or own) == name and is_library(module) and member(module, own) is value:
                found.append((module, renamed(own, name)))
    return found


def future_imports(text: str) -> list[ast.ImportFrom]:
    return [each for each in statements(text) if isinstance(each, ast.ImportFrom) and each.module == "__future__"]


def futures(text: str) -> set[str]:
    return {alias.name for each in future_imports(text) for alias in each.names}


def without(text: str, unwanted: Iterable[ast.stmt]) -> str:
    """The text without some of its statements; every line stays where it is."""
    lines = lines_of(text)
    for each in unwanted:
        first, last = each.lineno - 1, (each.end_lineno or each.lineno) - 1
        before, after = lines[first].encode()[: each.col_offset].decode(), lines[last].encode()[each.end_col_offset :].decode()
        lines[first : last + 1] = [""] * (last - first + 1)
        lines[first] = f"{before}pass{after}" if before.strip() or after.strip() else ""
    return "\n".join(lines)


# Names


def tables(source: str) -> SymbolTable:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape is the learner's business
        return symtable(source, "<source>", "exec")


def uses(source: str, postponed: bool = False) -> tuple[set[str], set[str]]:
    """The global names that a source reads at once, when it is executed, and those that its functions read when they are called.

    Annotations are read by nobody where they are postponed.
    """
    at_once: set[str] = set()
    later: set[str] = set()

    def look(table: SymbolTable, names: set[str]) -> None:
        for each in table.get_symbols():
            if each.is_global() and (each.is_referenced() or each.is_declared_global()):
                names.add(each.get_name())
        for inner in table.get_children():
            look(inner, later if inner.get_type() in ("function", "annotation") else names)

    look(tables(f"{POSTPONED}{source}" if postponed else source), at_once)
    return at_once, later


def taken(cell: str, postponed: bool = False) -> set[str]:
    """The names that a cell takes from elsewhere: what it never binds, and what it reads before it binds it."""
    postponed = postponed or "annotations" in futures(cell)
    at_once, later = uses(without(cell, future_imports(cell)), postponed)
    names = (at_once | later) - {each.get_name() for each in tables(cell).get_symbols() if each.is_assigned() or each.is_imported()}
    so_far: set[str] = set()
    for statement in statements(cell):
        if isinstance(statement, Definition) or not (hasattr(statement, "body") or isinstance(statement, ast.Match)):
            names |= uses(ast.unparse(statement), postponed)[0] - so_far
        so_far |= bound(statement)
    return names
