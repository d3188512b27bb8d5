"""What the names of a source stand for: the dotted names of every expression, however imported, and where wanted ones are used.

The source is read in the order in which it would run: a later binding replaces an earlier one, branches are merged, and the bodies of
functions come last, when the module has all its names. An expression may stand for several dotted names, or for none that is known.
"""

from __future__ import annotations

import ast
from collections import ChainMap, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Dotted = frozenset[str]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

UNKNOWN: Dotted = frozenset()
MOST_NAMES = 16  # that one expression may stand for, so that hostile sources stay cheap
MOST_STARS = MOST_NAMES - 1  # modules that everything is imported from: any of them may give a name, and so may Python itself
LONGEST_NAME = 200  # in characters; no library comes near
MOST_STEPS = 100_000  # some 5 µs each; 64 KiB of ordinary code take an eighth of them
NAMES_A_TYPE = {"isinstance": 1, "issubclass": 1, "typing.cast": 0}  # the argument that is a type, and no use of it


class TooIntricate(Exception):
    """Names that nobody could follow through so many branches, scopes and star imports."""


@dataclass
class Scope:
    """The names of a module, class, function or comprehension; one that is bound to something unknown stands for nothing."""

    outer: Scope | None = None
    is_class: bool = False
    names: ChainMap[str, Dotted] = field(default_factory=ChainMap)  # one map more for every branch that is being read
    elsewhere: dict[str, Scope] = field(default_factory=dict)  # declared global or nonlocal


class Names(ast.NodeVisitor):
    """What a module has shown: visiting an expression returns what it stands for, and notes what is used on the way.

    `uses` are the expressions that stand for a wanted name, the longest of each chain of attributes; `bound` holds the nodes that bind
    the module's names, `final` what these stand for in the end, and `bases` what the bases of each class stand for.
    """

    def __init__(self, tree: ast.Module, wanted: Callable[[str], bool]) -> None:
        self.wanted = wanted
        self.uses: dict[ast.expr, str] = {}
        self.bound: dict[str, list[ast.AST]] = {}
        self.bases: dict[ast.ClassDef, list[Dotted]] = {}
        self.parts: dict[ast.expr, list[Dotted]] = {}  # of a tuple or list: what each of its elements stands for
        self.stars: dict[str, None] = {}
        self.steps = 0
        self.bodies: deque[tuple[Function, Scope]] = deque()
        self.module = self.scope = Scope()
        self.run(tree.body)
        while self.bodies:
            function, self.scope = self.bodies.popleft()
            self.run([function.body] if isinstance(function, ast.Lambda) else function.body)

    @property
    def final(self) -> Mapping[str, Dotted]:
        return self.module.names

    def spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise TooIntricate

    def visit(self, node: ast.AST) -> Any:
        self.spend(1)
        return super().visit(node)

    def bind(self, name: str, value: Dotted, node: ast.AST) -> None:
        """Give a name its value. A wanted name was noted where it was read, so only imports, which read nothing, carry one on."""
        owner = self.scope.elsewhere.get(name, self.scope)
        if not isinstance(node, ast.alias):
            value = frozenset(dotted for dotted in value if not self.wanted(dotted))
        owner.names[name] = value if owner is self.scope else bounded(value | owner.names.get(name, UNKNOWN))
        if owner is self.module:
            self.bound.setdefault(name, []).append(node)

    def look_up(self, name: str) -> Dotted:
        """What a name stands for. One that nobody binds is a builtin, or comes from a star import."""
        scope: Scope | None = self.scope
        while scope is not None:
            self.spend(1 + len(scope.names.maps) // 8)
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return bounded([name, *(f"{module}.{name}" for module in self.stars)])

    def note(self, node: ast.expr, names: Dotted) -> Dotted:
        self.spend(len(names))
        if found := min(filter(self.wanted, names), default=None):
            self.uses[node] = found
            if isinstance(node, ast.Attribute):
                self.uses.pop(node.value, None)
        return names

    # Blocks

    def run(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def run_within(self, scope: Scope, nodes: Iterable[ast.AST]) -> None:
        outside, self.scope = self.scope, scope
        self.run(nodes)
        self.scope = outside

    def branch(self, *blocks: Iterable[ast.AST]) -> None:
        """Run each block on the names as they are now, and go on with whatever any of them may have left."""
        start, ends = self.scope.names, defaultdict[str, list[Dotted]](list)
        for block in blocks:
            self.scope.names = start.new_child()
            self.run(block)
            changed = self.scope.names.maps[0]
            self.spend(len(changed))
            for name, value in changed.items():
                ends[name].append(value)
        self.scope.names = start
        for name, values in ends.items():
            unchanged = start.get(name, UNKNOWN) if len(values) < len(blocks) else UNKNOWN
            start[name] = bounded(unchanged.union(*values))

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self.branch([] if is_main_guard(node.test) else node.body, node.orelse)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.run([node.iter, node.target])
        self.branch([], node.body)
        self.run(node.orelse)

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self.branch([], node.body)
        self.run(node.orelse)

    def visit_Try(self, node: ast.Try | ast.TryStar) -> None:
        self.branch([], node.body)
        self.branch(node.orelse, *([handler] for handler in node.handlers))
        self.run(node.finalbody)

    visit_TryStar = visit_Try

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.bind(node.name, UNKNOWN, node)
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        self.branch([], *([case] for case in node.cases))

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self.bind(node.name, UNKNOWN, node)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.bind(node.rest, UNKNOWN, node)
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:  # its class is asked for, as in isinstance
        self.run([*node.patterns, *node.kwd_patterns])

    # Bindings

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.bind(alias.asname or top, bounded([alias.name if alias.asname else top]), alias)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        known = node.module if node.module and not node.level else None
        for alias in node.names:
            if alias.name != "*":
                self.bind(alias.asname or alias.name, bounded([f"{known}.{alias.name}"]) if known else UNKNOWN, alias)
            elif known:
                self.stars[known] = None
                if len(self.stars) > MOST_STARS:
                    raise TooIntricate

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.elsewhere.update(dict.fromkeys(node.names, self.module))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            owner = self.scope.outer
            while owner is not None and name not in owner.names:
                owner = owner.outer
            if owner is not None:
                self.scope.elsewhere[name] = owner

    def visit_Assign(self, node: ast.Assign) -> None:
        names = self.value(node.value)
        for target in node.targets:
            self.assign(target, node.value, names)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:  # the annotation is no use
        if node.value is not None:
            self.assign(node.target, node.value, self.value(node.value))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Dotted:
        names = self.value(node.value)
        self.assign(node.target, node.value, names)
        return names

    def assign(self, target: ast.expr, value: ast.expr, names: Dotted) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, names, target)
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List) and len(target.elts) == len(value.elts):
            for part, element, stands_for in zip(target.elts, value.elts, self.parts[value], strict=True):
                self.assign(part, element, stands_for)
        else:
            self.visit(target)

    def visit_TypeAlias(self, node: Any) -> None:  # unknown to Python 3.11; what it names is no use
        self.visit(node.name)

    # Definitions

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.run([*node.decorator_list, *node.keywords])
        self.bases[node] = [self.value(base) for base in node.bases]
        self.run_within(Scope(self.scope, is_class=True), node.body)
        self.bind(node.name, UNKNOWN, node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.run(node.decorator_list)
        self.define(node)
        self.bind(node.name, UNKNOWN, node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.define(node)

    def define(self, node: Function) -> None:
        """Read the defaults, which may be what a parameter stands for, and keep the body for later."""
        outer, arguments = self.scope, node.args
        while outer.is_class and outer.outer is not None:  # a method does not see the names of its class
            outer = outer.outer
        inner = Scope(outer)
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults, *arguments.kw_defaults]
        for argument, default in zip([*positional, *arguments.kwonlyargs], defaults, strict=True):
            names = UNKNOWN if default is None else self.value(default)
            inner.names[argument.arg] = frozenset(dotted for dotted in names if not self.wanted(dotted))
        inner.names.update((extra.arg, UNKNOWN) for extra in (arguments.vararg, arguments.kwarg) if extra is not None)
        self.bodies.append((node, inner))

    # Expressions

    def value(self, node: ast.expr) -> Dotted:
        names: Dotted | None = self.visit(node)
        return names or UNKNOWN

    def visit_Name(self, node: ast.Name) -> Dotted:
        if isinstance(node.ctx, ast.Load):
            return self.note(node, self.look_up(node.id))
        self.bind(node.id, UNKNOWN, node)
        return UNKNOWN

    def visit_Attribute(self, node: ast.Attribute) -> Dotted:
        names = member(self.value(node.value), node.attr)
        return self.note(node, names) if isinstance(node.ctx, ast.Load) else names

    def visit_Tuple(self, node: ast.Tuple | ast.List) -> None:
        self.parts[node] = [self.value(element) for element in node.elts]

    visit_List = visit_Tuple

    def visit_Subscript(self, node: ast.Subscript) -> Dotted:
        owners = self.value(node.value)
        self.visit(node.slice)
        return self.note(node, item(owners, node.slice)) if isinstance(node.ctx, ast.Load) else UNKNOWN

    def visit_Call(self, node: ast.Call) -> Dotted:
        called = self.value(node.func)
        types = {NAMES_A_TYPE.get(name) for name in called}
        arguments = [UNKNOWN if place in types else self.value(argument) for place, argument in enumerate(node.args)]
        self.run(node.keywords)
        return self.note(node, bounded(name for function in called for name in result(function, node, arguments)))

    def visit_IfExp(self, node: ast.IfExp) -> Dotted:
        self.visit(node.test)
        return bounded(self.value(node.body) | self.value(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> Dotted:
        return bounded(name for value in node.values for name in self.value(value))

    def visit_ListComp(self, node: Comprehension) -> None:
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        steps = [part for generator in node.generators for part in (generator.iter, generator.target, *generator.ifs)]
        self.run_within(Scope(self.scope), [*steps, *results])

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def result(function: str, node: ast.Call, arguments: list[Dotted]) -> Dotted:
    """What a call returns, for the functions that look names up."""
    texts = [text_of(argument) for argument in node.args]
    match function, texts, arguments:
        case "getattr", [_, str(name), *_], [owners, *_]:
            return member(owners, name)
        case "vars", [_], [owners]:
            return member(owners, "__dict__")
        case (("importlib.import_module" | "sys.modules.get"), [str(module), *_], _):
            return bounded([module])
        case (("__import__" | "importlib.__import__"), [str(module), *more], _):
            from_list = len(more) == 3 or any(keyword.arg == "fromlist" for keyword in node.keywords)
            return bounded([module if from_list else module.partition(".")[0]])
        case _, [str(name), *_], _ if function.endswith(".__dict__.get"):
            return bounded([function.removesuffix("__dict__.get") + name])
    return UNKNOWN


def item(owners: Dotted, index: ast.expr) -> Dotted:
    """What `owner["name"]` stands for: a module of `sys.modules`, or a member of a namespace's dictionary."""
    key = text_of(index)
    if key is None:
        return UNKNOWN
    modules = [key] if "sys.modules" in owners else []
    return bounded([*modules, *(owner.removesuffix("__dict__") + key for owner in owners if owner.endswith(".__dict__"))])


def member(owners: Dotted, name: str) -> Dotted:
    return bounded(f"{owner}.{name}" for owner in owners)


def bounded(names: Iterable[str]) -> Dotted:
    return frozenset(sorted({name for name in names if len(name) <= LONGEST_NAME})[:MOST_NAMES])


def text_of(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def is_main_guard(test: ast.expr) -> bool:
    """Whether a condition is `__name__ == "__main__"`, or that and more."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(is_main_guard, test.values))
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            sides = (left, right)
            return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides) and "__main__" in map(text_of, sides)
    return False
