"""The dotted names that the names of a source stand for, and the uses of banned ones.

Imports, attributes and plain assignments are followed. The source is read in the order of execution, and the bodies of functions last, when
the module has all its names. The latest binding counts. A name that is bound to anything else stands for nothing, so that a learner's own
name is never taken for a banned one. A banned name that is well hidden is not found here: it raises when it runs (see `by_hand.py`).
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Bindings = dict[str, str | None]  # a name → the dotted name that it stands for; None if that is unknown

MOST_STARS = 8  # modules of star imports; the latest count
LONGEST_NAME = 200  # in characters; no library has such long names
BUILTINS = frozenset(vars(builtins))
NAMES_A_TYPE = {"isinstance": 1, "issubclass": 1, "typing.cast": 0}  # the index of the argument that is a type; it does not count as a use


class Names(ast.NodeVisitor):
    """The names of a module. Visiting an expression returns the dotted name that it stands for, or None.

    `uses` are the expressions that stand for a wanted name, the longest of each chain of attributes. `bound` holds the nodes that bind the
    module's names, `final` holds the dotted names of the module's names at the end, and `bases` those of the bases of each class.
    """

    def __init__(self, tree: ast.Module, wanted: Callable[[str], bool]) -> None:
        self.wanted = wanted
        self.uses: dict[ast.expr, str] = {}
        self.bound: dict[str, list[ast.AST]] = {}
        self.bases: dict[ast.ClassDef, list[str | None]] = {}
        self.stars: list[str] = []
        self.bodies: deque[tuple[Function, Bindings]] = deque()  # with the enclosing names of each
        self.shared = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}  # may be bound at any time
        self.final = self.names = Bindings.fromkeys(self.shared)
        self.run(tree.body)
        while self.bodies:
            function, around = self.bodies.popleft()
            self.names = {**around, **dict.fromkeys(parameters(function.args))}
            self.run([function.body] if isinstance(function, ast.Lambda) else function.body)

    def run(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def run_within(self, nodes: Iterable[ast.AST]) -> None:
        """Read a class or a comprehension, which has its own names."""
        outside, self.names = self.names, self.names.copy()
        self.run(nodes)
        self.names = outside

    def bind(self, name: str, dotted: str | None, node: ast.AST) -> None:
        """Bind a name. If its value is wanted, that was noted when it was read, so only imports, which read nothing, pass it on."""
        noted = dotted is not None and not isinstance(node, ast.alias) and self.wanted(dotted)
        self.names[name] = None if noted or name in self.shared else dotted
        if self.names is self.final or name in self.shared:
            self.bound.setdefault(name, []).append(node)

    def look_up(self, name: str) -> str | None:
        """Return the dotted name that a name stands for. If nothing binds it, it is a builtin, or comes from a star import."""
        if name in self.names or name in BUILTINS or not self.stars:
            return self.names.get(name, name)
        candidates = [f"{module}.{name}" for module in self.stars]
        return next(filter(self.wanted, candidates), candidates[-1])

    def note(self, node: ast.expr, dotted: str | None) -> str | None:
        if dotted is not None and self.wanted(dotted):
            self.uses[node] = dotted
            if isinstance(node, ast.Attribute):
                self.uses.pop(node.value, None)
        return dotted

    # Statements

    def visit_If(self, node: ast.If) -> None:
        self.run([node.test, *([] if is_main_guard(node.test) else node.body), *node.orelse])

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.bind(alias.asname or top, alias.name if alias.asname else top, alias)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = None if node.level else node.module
        for alias in node.names:
            if alias.name != "*":
                self.bind(alias.asname or alias.name, member(module, alias.name), alias)
            elif module:
                self.stars = [*self.stars, module][-MOST_STARS:]

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> None:  # an annotation does not count as a use
        dotted = None if node.value is None else self.visit(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target] if node.value else []:
            if isinstance(target, ast.Name):
                self.bind(target.id, dotted, target)
            else:
                self.visit(target)

    visit_AnnAssign = visit_Assign

    def visit_TypeAlias(self, node: Any) -> None:  # not in Python 3.11; its value does not count as a use
        self.visit(node.name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        self.capture(node.name, node)

    visit_MatchAs = visit_MatchStar = visit_ExceptHandler

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.capture(node.rest, node)

    def capture(self, name: str | None, node: ast.AST) -> None:
        if name is not None:
            self.bind(name, None, node)
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:  # the class is only tested for, as in isinstance
        self.run([*node.patterns, *node.kwd_patterns])

    # Definitions

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.run([*node.decorator_list, *node.keywords])
        self.bases[node] = [self.visit(base) for base in node.bases]
        self.run_within(node.body)
        self.bind(node.name, None, node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.run(node.decorator_list)
        self.visit_Lambda(node)
        self.bind(node.name, None, node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Function) -> None:
        self.run([*node.args.defaults, *node.args.kw_defaults])
        self.bodies.append((node, self.names))

    # Expressions

    def visit_Name(self, node: ast.Name) -> str | None:
        if isinstance(node.ctx, ast.Load):
            return self.note(node, self.look_up(node.id))
        self.bind(node.id, None, node)
        return None

    def visit_Attribute(self, node: ast.Attribute) -> str | None:
        dotted = member(self.visit(node.value), node.attr)
        return self.note(node, dotted) if isinstance(node.ctx, ast.Load) else dotted

    def visit_Call(self, node: ast.Call) -> str | None:
        """Visit a call. Returns None, except for `getattr` and `importlib.import_module`, which only spell a name in another way."""
        called = self.visit(node.func)
        type_at = NAMES_A_TYPE.get(called)
        arguments = [None if place == type_at else self.visit(argument) for place, argument in enumerate(node.args)]
        self.run(node.keywords)
        match called, node.args:
            case "getattr", [_, ast.Constant(value=str(name)), *_]:
                return self.note(node, member(arguments[0], name))
            case "importlib.import_module", [ast.Constant(value=str(name)), *_]:
                return name
        return None

    def visit_ListComp(self, node: Comprehension) -> None:
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.run_within([*node.generators, *results])

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def parameters(arguments: ast.arguments) -> list[str]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return [each.arg for each in every if each is not None]


def member(owner: str | None, name: str) -> str | None:
    return None if owner is None or len(owner) + len(name) >= LONGEST_NAME else f"{owner}.{name}"


def is_main_guard(test: ast.expr) -> bool:
    """Return True if a condition is `__name__ == "__main__"`, or contains it in an `and`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(is_main_guard, test.values))
    match test:
        case ast.Compare(left=ast.Name("__name__"), ops=[ast.Eq()], comparators=[ast.Constant("__main__")]):
            return True
        case ast.Compare(left=ast.Constant("__main__"), ops=[ast.Eq()], comparators=[ast.Name("__name__")]):
            return True
    return False
