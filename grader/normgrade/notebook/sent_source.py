"""The source that is graded: a cell, or a class or function with the definitions that it uses.

Text is graded, never a live object. A name that the text does not bind is looked up in the other cells, the newest first: imports, classes,
functions and constants that are written there as literals are sent, too.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from symtable import SymbolTable, symtable
from types import FunctionType, MethodType
from typing import NamedTuple

from normgrade.course.course import Course
from normgrade.inspection.source import parse
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.language.text import lines_of

FUTURE = re.compile(r"^from __future__ import .*$", re.MULTILINE)
# The parts of constants: literals, sums of them, and other names.
LITERAL = ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context


class Names(NamedTuple):
    """The names that a source binds at its top level, and all global names that it reads."""

    bound: set[str]
    used: set[str]


def names_in(source: str) -> Names:
    """Return the names in a source. Raises SyntaxError, ValueError or RecursionError if it is not valid Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape is no concern of the grader
        top = symtable(source, "<source>", "exec")
    bound = {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}
    return Names(bound, {*used_in(top)})


def used_in(table: SymbolTable) -> Iterator[str]:
    yield from (each.get_name() for each in table.get_symbols() if each.is_global() and each.is_referenced())
    for inner in table.get_children():
        yield from used_in(inner)


class Part(NamedTuple):
    """A statement at the top level of a text, as it was written."""

    statement: ast.stmt
    source: str
    names: Names

    @property
    def can_be_sent(self) -> bool:
        """True for definitions, imports, and assignments of literals. Other statements may do anything."""
        match self.statement:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Import() | ast.ImportFrom():
                return True
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                return all(isinstance(node, LITERAL) for node in ast.walk(value))
        return False


def parts_of(text: str) -> Iterator[Part]:
    """Yield the statements at the top level of a text; none if it is not valid Python."""
    tree = parse(text)
    for each in tree.body if isinstance(tree, ast.Module) else ():
        decorators = getattr(each, "decorator_list", ())
        first = min((node.lineno for node in decorators), default=each.lineno)
        lines = "\n".join(lines_of(text)[first - 1 : each.end_lineno])
        source = lines if decorators else ast.get_source_segment(text, each) or lines
        with suppress(SyntaxError, ValueError, RecursionError):  # of a statement that only a notebook may run, such as `await`
            yield Part(each, source, names_in(source))


class Prelude:
    """The parts of some texts that names need, each after its own needs. The texts begin with the newest."""

    def __init__(self, texts: Iterable[str]) -> None:
        texts = [*texts]
        self.known: dict[str, Part] = {}
        for part in (part for text in texts for part in reversed([*parts_of(FUTURE.sub("", text))])):
            for name in part.names.bound:
                self.known.setdefault(name, part)
        self.postponed = any("annotations" in line for text in texts for line in FUTURE.findall(text))
        self.brought: dict[str, None] = {}
        self.sources: dict[str, None] = {}

    def bring(self, name: str, user: str) -> None:
        """Add the part that binds a name, and before it the parts that it needs. A name that no text binds is a builtin, or undefined."""
        if name in self.brought or name not in self.known:
            return
        self.brought[name] = None
        part = self.known[name]
        if not part.can_be_sent:
            raise UsageError(
                _(
                    '"{user}" uses "{name}", which is computed elsewhere. Only imports, definitions and literals of other cells are sent: '
                    "create it where it is used, or pass it as an argument.",
                    user=user,
                    name=name,
                )
            )
        for used in sorted(part.names.used):
            self.bring(used, name)
        self.sources[part.source] = None

    def text(self) -> str:
        """Return all parts as one source."""
        future = ["from __future__ import annotations"] if self.postponed else []
        blocks = (f"\n\n{each}" if each.startswith(("class ", "def ", "async ", "@")) else each for each in self.sources)
        return "".join(f"{each}\n" for each in (*future, *blocks)).lstrip("\n")


def cell_with_needs(cell: str, cells: Sequence[str]) -> str:
    """Return a cell, after everything that it uses from other cells. A cell that is not valid Python is returned unchanged."""
    try:
        names = names_in(cell)
    except (SyntaxError, ValueError, RecursionError):
        return cell
    prelude = Prelude([*FUTURE.findall(cell), *cells])
    for name in sorted(names.used - names.bound):
        prelude.bring(name, _("The cell"))
    before = prelude.text()
    return f"{before}\n\n{FUTURE.sub('', cell)}" if before else cell


def definitions(names: Iterable[str], texts: Iterable[str]) -> str:
    """Return a source that defines some names of the texts. Raises a UsageError if one of them is not there."""
    prelude = Prelude(texts)
    for name in names:
        if name not in prelude.known:
            raise UsageError(
                _(
                    '"{name}" has no source code to grade: it was created by other code, or typed at the Python prompt. '
                    "Define it at the top level of a cell or file.",
                    name=name,
                )
            )
        prelude.bring(name, name)
    return prelude.text()


# Classes and functions that are passed to `check`


def name_of(thing: object) -> str:
    """Return the name of a class or a function in its definition. Raises a UsageError if it cannot be graded."""
    function = unwrapped(thing)
    if isinstance(function, type | FunctionType) and not is_library(function.__module__):
        if function.__name__ == "<lambda>":
            raise UsageError(_("A lambda cannot be graded. Write it as a function: `def softmax(…): …`."))
        for added, value in vars(function).items() if isinstance(function, type) else ():
            if isinstance(value, FunctionType) and "." not in value.__qualname__:  # it was not written in the class
                name = function.__name__
                raise UsageError(_('"{name}.{added}" was added to the class from outside. Define it in the class.', name=name, added=added))
        return function.__name__
    if isinstance(function, type) or (inspect.isroutine(function) and not isinstance(function, MethodType)):
        name = getattr(function, "__name__", "")
        raise UsageError(_('"{name}" comes with Python or a library. Pass a class or a function that you wrote.', name=name))
    said = repr(thing) if isinstance(thing, int | float | str | None) else _("a value of type {type}", type=type(thing).__qualname__)
    raise UsageError(
        _(
            "Cannot grade {thing}: it is neither a class nor a function. "
            "Pass the class or function that you defined, as in check(…, {name}).",
            thing=said,
            name=own_name(thing) or "LayerNorm",
        )
    )


def unwrapped(thing: object) -> object:
    """Return the function inside the wrappers of a decorated one; anything else as it is."""
    inner = inspect.getattr_static(thing, "__wrapped__", thing) if not isinstance(thing, type) else thing
    return inner if isinstance(inner, FunctionType) else thing


def is_library(module: str | None) -> bool:
    """Return True if a module belongs to Python or is installed."""
    top = (module or "").partition(".")[0]
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return top != "__main__" and (top in sys.stdlib_module_names or any(part.endswith("-packages") for part in Path(file).parts))


def own_name(thing: object) -> str:
    """Return the name of the learner's class or function that an object was made from; "" if there is none."""
    if isinstance(thing, partial):
        return str(getattr(thing.func, "__name__", ""))
    origin = type(thing.__self__) if isinstance(thing, MethodType) else type(thing)
    return "" if is_library(origin.__module__) else origin.__name__


def text_of(thing: object) -> str:
    """Return the text of the cell or file that defines a function, or a class with functions; "" if it is unknown."""
    held = [unwrapped(each) for each in (vars(thing).values() if isinstance(thing, type) else [thing])]
    own = (each for each in held if isinstance(each, FunctionType) and each.__module__ == getattr(thing, "__module__", None))
    return next(("".join(linecache.getlines(each.__code__.co_filename)) for each in own), "")


def exercise_for(names: Sequence[str], course: Course) -> str:
    """Return the slug of the exercise that defines the most of these names. Raises a UsageError if none or several do."""
    asked = {each.slug: {signature.name for signature in each.defines} for each in course}
    matches = {slug: len(defines.intersection(names)) for slug, defines in asked.items()}
    most = max(matches.values(), default=0)
    slugs = [slug for slug, count in matches.items() if count == most > 0]
    if len(slugs) == 1:
        return slugs[0]
    passed = ", ".join(names)
    if slugs:
        several = ", ".join(slugs)
        raise UsageError(
            _(
                'Several exercises ask for {names}: {slugs}. Choose one, as in check("{slug}", {names}).',
                names=passed,
                slugs=several,
                slug=slugs[0],
            )
        )
    meant = did_you_mean(names[0], {name for defines in asked.values() for name in defines})
    raise UsageError(
        _('No exercise asks for {names}.{meant} Pass the exercise too, as in check("layer_norm", {names}).', names=passed, meant=meant)
    )
