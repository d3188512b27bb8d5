"""The source of live classes and functions as a file that runs on its own: their definitions as written, and everything they use.

Source is graded, never a live object. The names in a definition are looked up in the namespace that defined it. Modules and their members
are imported, if possible as the learner imported them. Plain constants become literals. The learner's own classes and functions are added
as written. Other values cannot be sent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.text import lines_of
from normgrade.notebook.bindings import (
    Definition,
    at_line,
    binding,
    bound,
    first_line,
    future_imports,
    futures,
    is_named_lambda,
    taken,
    text_of,
    uses,
    without,
)
from normgrade.notebook.live_objects import (
    Namespace,
    attached_later,
    described,
    found_in_library,
    functions,
    home,
    imports,
    is_plain,
    literal,
    same,
    unsendable,
)
from normgrade.notebook.passed import name_of

UNRECORDED = ("<string>", "<stdin>")  # code that `exec` ran, and code that was typed into Python itself


@dataclass(frozen=True)
class Session:
    """A notebook so far: the values of its names, and its cells, the newest first. Plain Python keeps no cells.

    `given` are the names that the notebook had at its start. `postponed` is True after a cell with `from __future__ import annotations`,
    which holds for all cells that follow.
    """

    namespace: Namespace = field(default_factory=dict)
    cells: Sequence[str] = ()
    given: Namespace = field(default_factory=dict)
    postponed: bool = False

    def gives(self, name: str, value: object) -> bool:
        return name in self.given and self.given[name] is value


@dataclass(frozen=True)
class Context:
    """A context of code: the values of its names, and the text around it. The bases of a class take precedence over other names."""

    namespace: Namespace
    text: str = ""
    bases: Namespace = field(default_factory=dict)


@dataclass(frozen=True)
class Written:
    """A class or a function as it was written."""

    name: str
    statement: ast.stmt
    context: Context

    @property
    def source(self) -> str:
        """Whole lines, including the decorators."""
        lines = lines_of(self.context.text)[first_line(self.statement) - 1 : self.statement.end_lineno]
        return dedent("\n".join(lines)) if self.statement.col_offset else "\n".join(lines)


def standalone(things: Sequence[object], session: Session) -> str:
    """Return a source that defines these classes and functions."""
    prelude = Prelude(session)
    for thing in things:
        prelude.bring(name_of(thing), thing, Context(home(thing, session.namespace)))
    return prelude.text


def completed(cell: str, session: Session) -> str:
    """Return a cell, preceded by everything that it uses from earlier cells. A cell that is not valid Python is returned unchanged."""
    prelude = Prelude(session)
    try:
        names = taken(cell, session.postponed)
    except (SyntaxError, ValueError, RecursionError):
        return cell
    prelude.require(names, Context(session.namespace, cell), _("The cell"))
    return prelude.before(cell)


class Prelude:
    """The source that code needs in order to run elsewhere: imports, constants and definitions, each after its own requirements."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.meaning: dict[str, object] = {}
        self.futures: set[str] = {"annotations"} if session.postponed else set()
        self.imports: dict[str, dict[str, None]] = {}  # the imported names, by module; "" for modules themselves
        self.constants: list[str] = []
        self.definitions: list[str] = []

    @property
    def text(self) -> str:
        """The whole prelude as one source."""
        modules = [f"import {module}\n" for module in self.imports.get("", ())]
        names = [f"from {module} import {', '.join(names)}\n" for module, names in self.imports.items() if module]
        future = f"from __future__ import {', '.join(sorted(self.futures))}\n" if self.futures else ""
        blocks = [future, "".join(modules + names), "".join(self.constants), *(f"\n{source}\n" for source in self.definitions)]
        return "\n".join(filter(None, blocks)).lstrip("\n")

    def before(self, cell: str) -> str:
        """Return the prelude, followed by a cell. `from __future__` imports stay first."""
        if not self.meaning and not self.futures:
            return cell
        self.futures |= futures(cell)
        return f"{self.text}\n\n{without(cell, future_imports(cell))}"

    def require(self, names: Iterable[str], context: Context, user: str) -> None:
        """Bring the values that names have in a context. Names that are not there are builtins, or undefined there too."""
        for name in sorted(names):
            known = context.bases if name in context.bases else context.namespace
            if name in known and not (name.startswith("__") and name.endswith("__")) and not self.session.gives(name, known[name]):
                self.bring(name, known[name], context, user)

    def bring(self, name: str, value: object, context: Context, user: str = "") -> None:
        """Bind a name to a value, by an import, a literal or a definition. Raises a UsageError if the value cannot be sent."""
        if name in self.meaning:
            if not same(self.meaning[name], value):
                one, other = described(self.meaning[name]), described(value)
                other = other if other != one else _("another {one}", one=one)
                raise UsageError(
                    _('"{name}" is the name of two things: {one} and {other}. Rename one of them.', name=name, one=one, other=other)
                )
            return
        self.meaning[name] = value
        if found := self.imported(name, value, context):
            for module, what in found:
                self.imports.setdefault(module, {})[what] = None
        elif is_plain(value):
            self.constants.append(f"{name} = {literal(value)}\n")
        elif (written := self.written(name, value, context)) is not None:
            self.define(name, value, written)
        else:
            raise UsageError(unsendable(name, value, user))

    def imported(self, name: str, value: object, context: Context) -> Sequence[tuple[str, str]]:
        """Return the imports that bind the name to this value: from the text around, else from earlier cells, else from its library."""
        texts = (context.text, *self.texts(context.namespace))
        return next(filter(None, (imports(text, name, value) for text in texts)), ()) or found_in_library(name, value)

    def define(self, name: str, value: object, written: Written) -> None:
        """Add a definition after the names that its execution needs, and before those that only calls of its functions need."""
        if isinstance(value, type) and (added := attached_later(value, written.statement)):
            raise UsageError(_('"{name}.{added}" was added to the class from outside. Define it in the class.', name=name, added=added))
        if written.name != name:
            self.bring(written.name, value, written.context, name)
            self.definitions.append(f"{name} = {written.name}")
            return
        self.futures |= futures(written.context.text)
        at_once, later = uses(written.source, "annotations" in self.futures)
        self.require(at_once, written.context, name)
        self.definitions.append(written.source)
        self.require(later - {name}, written.context, name)

    def written(self, name: str, value: object, context: Context) -> Written | None:
        """Return the definition of a value, or None if it is not found.

        It is searched at the position that the value's code objects record, else in the newest text that binds the name.
        """
        bases = {base.__name__: base for base in getattr(value, "__bases__", ())}
        for function in functions(value):
            code = function.__code__
            text = text_of(code.co_filename)
            if not text and code.co_filename in UNRECORDED:
                return None
            if text and "<locals>" not in code.co_qualname:
                defined_as = value.__name__ if isinstance(value, type) else code.co_name
                statement = at_line(text, defined_as, code.co_firstlineno) or binding(text, name)
                return as_written(statement, Context(function.__globals__, text, bases))
        namespace = home(value, context.namespace) if isinstance(value, type) else context.namespace
        found = ((text, binding(text, name)) for text in self.texts(namespace))
        text, statement = next(((text, statement) for text, statement in found if statement), ("", None))
        return as_written(statement, Context(namespace, text, bases))

    def texts(self, namespace: Namespace) -> Sequence[str]:
        """Return the texts that defined these names: a notebook's cells, the newest first, or the file of a module."""
        if namespace is self.session.namespace:
            return self.session.cells
        file = namespace.get("__file__")
        return (text_of(file),) if isinstance(file, str) else ()


def as_written(statement: ast.stmt | None, context: Context) -> Written | None:
    """Return a definition or a named lambda as written; None for any other statement."""
    if statement is None or not (isinstance(statement, Definition) or is_named_lambda(statement)):
        return None
    [name] = bound(statement)
    return Written(name, statement, context)
