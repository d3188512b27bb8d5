"""Mechanical mutants of a reference: every small change of its syntax tree, one at a time."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, takewhile
from types import UnionType
from typing import NamedTuple, TypeVar, get_type_hints

from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import EQUIVALENT
from normgrade.course.table import Table, Wrong, text
from normgrade.language import _

Node = ast.stmt | ast.expr
N = TypeVar("N", bound=ast.AST)
Change = tuple[Node, Node]  # a node of a tree, and its replacement
Kinds = type[Node] | UnionType
Rule = Callable[..., Iterator[Node]]

ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
BOOLEAN: dict[type[ast.boolop], type[ast.boolop]] = {ast.And: ast.Or, ast.Or: ast.And}
TWINS = {
    "mean": "sum", "sum": "mean", "var": "std", "std": "var", "sqrt": "rsqrt", "rsqrt": "sqrt", "square": "abs", "ones": "zeros",
    "zeros": "ones", "max": "min", "min": "max", "amax": "amin", "amin": "amax", "argmax": "argmin", "train": "eval", "mv": "mul",
    "register_buffer": "register_parameter", "xavier_normal_": "kaiming_normal_", "ones_": "zeros_", "zeros_": "ones_",
}  # fmt: skip
COMMUTATIVE = {"promote_types", "result_type", "maximum", "minimum", "max", "min"}
NOT_COMMUTATIVE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
UNTOUCHED = (ast.Import, ast.ImportFrom, ast.JoinedStr)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A reference with one change: the statement that was there and the one in its place, as `ast.unparse` writes them.

    `line` is that of the change in the reference, `source` the whole mutant. For a statement with a body, `was` and `now` are its head.
    """

    line: int
    was: str
    now: str
    source: str

    def __str__(self) -> str:
        return _("line {line}: `{was}` → `{now}`", line=self.line, was=self.was, now=self.now)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change that makes no visible difference, and the reason for that."""

    was: str
    now: str
    reason: str


@cache
def mutants_of(source: str) -> tuple[Mutant, ...]:
    """Return all mutants that are Python and another program than the source, in the order of its lines."""
    tree = ast.parse(source)
    original, slots = ast.unparse(tree), dict(slots_of(tree))
    found: dict[str, Mutant] = {}
    for node, other in changes_of(tree):
        mutated = unparsed_with(tree, slots[node], other)
        if mutated in found or mutated == original or not is_python(mutated):
            continue
        was, now = difference(original.splitlines(), mutated.splitlines())
        found[mutated] = Mutant(line_of(node), was, now, mutated)
    return tuple(sorted(found.values(), key=lambda mutant: mutant.line))


class Slot(NamedTuple):
    """The position of a node in a tree: a field of its parent, and the index in that field if it is a list."""

    parent: ast.AST
    name: str
    number: int | None


def slots_of(tree: ast.AST) -> Iterator[tuple[ast.AST, Slot]]:
    """Yield every node below the root, with its slot."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                yield value, Slot(parent, name, None)
            elif isinstance(value, list):
                yield from ((each, Slot(parent, name, number)) for number, each in enumerate(value) if isinstance(each, ast.AST))


def unparsed_with(tree: ast.Module, slot: Slot, other: ast.AST) -> str:
    """Return the source of a tree with another node in that slot. The tree stays as it was."""
    parent, name, number = slot
    held = getattr(parent, name)
    setattr(parent, name, other if number is None else [*held[:number], other, *held[number + 1 :]])
    try:
        return ast.unparse(tree)
    finally:
        setattr(parent, name, held)


def is_python(source: str) -> bool:
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def difference(old: list[str], new: list[str]) -> tuple[str, str]:
    """Return the text between the lines that both begin with and those that both end with, without indentation."""
    start = number_alike(old, new)
    end = number_alike(old[start:][::-1], new[start:][::-1])
    was, now = (" ".join(line.strip() for line in lines[start : len(lines) - end]) for lines in (old, new))
    return was, now


def number_alike(old: list[str], new: list[str]) -> int:
    """Return the number of lines that both begin with."""
    return sum(1 for both in takewhile(lambda two: two[0] == two[1], zip(old, new, strict=False)))


def line_of(node: ast.stmt | ast.expr) -> int:
    """Return the first line of a node; if it has decorators, that of the first one."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(each.lineno for each in (node, *decorators))


# The changes that are accepted


def read_accepted(exercise: Exercise) -> tuple[Accepted, ...]:
    """Return the changes that mistakes.toml accepts as equivalent to the reference."""
    accepted = []
    for entry in Table.of_file(exercise.mistakes).tables(EQUIVALENT):
        was, now = map(unparsed, entry.take("change", two_texts))
        accepted.append(Accepted(was, now, entry.take("reason", text)))
        entry.finish()
    return tuple(accepted)


def blocks(mutants: Iterable[Mutant]) -> Iterator[str]:
    """Yield the lines that accept these mutants, to be pasted into mistakes.toml. They are indented, so that they are not wrapped."""
    for mutant in mutants:
        change = json.dumps([mutant.was, mutant.now], ensure_ascii=False)  # JSON that is TOML, too
        yield from ("", f"    [[{EQUIVALENT}]]", f"    change = {change}", '    reason = ""')


def unparsed(statement: str) -> str:
    """Return a statement in the form of `ast.unparse`. If it is only the head of a statement, without its body, return it unchanged."""
    try:
        return ast.unparse(ast.parse(statement))
    except SyntaxError:
        return statement


def two_texts(value: object) -> tuple[str, str]:
    match value:
        case [str(old), str(new)]:
            return old, new
    raise Wrong(_('a pair of texts, ["the old code", "the new code"]'))


# The changes of a tree


def changes_of(tree: ast.Module) -> Iterator[Change]:
    """Yield every node that may be changed, with each of its replacements."""
    statements = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    without_gradient = {inner for node in ast.walk(tree) if stops_gradients(node) for inner in ast.walk(node)}
    for node in nodes_of(tree):
        for rule, kinds in CHANGED.items():
            as_good_as_dropped = rule is unwrapped and node in statements
            changes_nothing = rule is detached and node in without_gradient
            if isinstance(node, kinds) and not (as_good_as_dropped or changes_nothing):
                yield from ((node, other) for other in rule(node))


def nodes_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node that can make a difference: no annotation, no docstring, and nothing inside of an error that is raised."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_params") or (isinstance(node, ast.Raise) and name == "exc"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            negative = isinstance(node, ast.UnaryOp) and isinstance(child, ast.Constant)  # a sign and its number are one number
            if isinstance(child, ast.AST) and not (is_text or negative or isinstance(child, UNTOUCHED)):
                yield from nodes_of(child)


def stops_gradients(node: ast.AST) -> bool:
    """Return True if nothing inside has a gradient."""
    match node:
        case ast.FunctionDef(decorator_list=around):
            return any("no_grad" in ast.unparse(decorator) for decorator in around)
        case ast.With(items):
            return any("no_grad" in ast.unparse(item) for item in items)
    return False


# The rules: each takes a node of the kinds in its annotation, and yields the replacements


def operator(node: ast.BinOp) -> Iterator[Node]:
    """Replace the operator between two operands."""
    if other := ARITHMETIC.get(type(node.op)):
        yield altered(node, op=other())


def operands(node: ast.BinOp) -> Iterator[Node]:
    """Swap the operands, if their order matters."""
    if isinstance(node.op, NOT_COMMUTATIVE):
        yield altered(node, left=node.right, right=node.left)


def boolean(node: ast.BoolOp) -> Iterator[Node]:
    """Replace `and` by `or` between two neighbours, and the other way round."""
    for place, two in enumerate(pairwise(node.values)):
        other = ast.BoolOp(BOOLEAN[type(node.op)](), list(two))
        rest = [*node.values[:place], other, *node.values[place + 2 :]]
        yield altered(node, values=rest) if len(rest) > 1 else other


def comparison(node: ast.Compare) -> Iterator[Node]:
    """Replace the comparison of two neighbours."""
    for place, sign in enumerate(node.ops):
        for other in COMPARISONS[type(sign)]:
            yield altered(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])


def augmented(node: ast.AugAssign) -> Iterator[Node]:
    """Replace the operator, or make a plain assignment."""
    if other := ARITHMETIC.get(type(node.op)):
        yield altered(node, op=other())
    yield ast.Assign([node.target], node.value, lineno=node.lineno)


def unary(node: ast.UnaryOp) -> Iterator[Node]:
    """Change a negative whole number by one, up and down. Leave out any other sign, or `not`."""
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            yield parsed(str(1 - value))
            yield parsed(str(-1 - value))
        case ast.UnaryOp(ast.USub() | ast.Not()):
            yield node.operand


def constant(node: ast.Constant) -> Iterator[Node]:
    """Invert a truth value, change a whole number by one, up and down, double any other number, or change a text."""
    match node.value:
        case bool():
            yield parsed(str(not node.value))
        case int():
            yield parsed(str(node.value + 1))
            yield parsed(str(node.value - 1))
        case float():
            yield parsed(repr(node.value * 2))
        case str():
            yield parsed(repr(node.value + "_"))


def arguments(node: ast.Call) -> Iterator[Node]:
    """Swap two neighbouring arguments."""
    for place, (one, other) in enumerate(pairwise(node.args)):
        if name_of(node.func) not in COMMUTATIVE:
            yield altered(node, args=[*node.args[:place], other, one, *node.args[place + 2 :]])


def keywords(node: ast.Call) -> Iterator[Node]:
    """Leave out a keyword argument."""
    for keyword in node.keywords:
        if isinstance(keyword.value, ast.Constant | ast.UnaryOp | ast.Name | ast.Attribute):
            yield altered(node, keywords=[each for each in node.keywords if each is not keyword])


def unwrapped(node: ast.Call) -> Iterator[Node]:
    """Replace the call of a method by its object, and the call of a function by its first argument."""
    match node:
        case ast.Call(ast.Attribute(ast.Name("torch" | "nn" | "math" | "F" | "init")) | ast.Name(), [argument, *_]):
            if not isinstance(argument, ast.Starred):
                yield argument
        case ast.Call(ast.Attribute(value)):
            yield value


def twin(node: ast.Attribute) -> Iterator[Node]:
    """Replace a function or method by another that is easily taken for it."""
    if node.attr in TWINS:
        yield altered(node, attr=TWINS[node.attr])


def condition(node: ast.If | ast.IfExp | ast.While) -> Iterator[Node]:
    """Make a condition never hold, or always."""
    yield altered(node, test=ast.Constant(False))
    if not isinstance(node, ast.While):
        yield altered(node, test=ast.Constant(True))


def without_context(node: ast.With) -> Iterator[Node]:
    """Replace a `with` statement by its body: the context, such as `torch.no_grad()`, is left out."""
    yield ast.If(ast.Constant(True), node.body, [])


def another_error(node: ast.Raise) -> Iterator[Node]:
    """Raise a RuntimeError in the place of another error."""
    match node.exc:
        case ast.Call(ast.Name(id)) as error if id != "RuntimeError":
            yield altered(node, exc=altered(error, func=parsed("RuntimeError")))


def decorators(node: ast.FunctionDef | ast.ClassDef) -> Iterator[Node]:
    """Leave out a decorator."""
    for decorator in node.decorator_list:
        yield altered(node, decorator_list=[each for each in node.decorator_list if each is not decorator])


def dropped(
    node: ast.Expr | ast.Assign | ast.AugAssign | ast.Return | ast.Raise | ast.Delete | ast.Assert,
) -> Iterator[Node]:
    """Replace a statement by `pass`."""
    yield ast.Pass()


def detached(node: ast.Assign | ast.Return | ast.AugAssign) -> Iterator[Node]:
    """Detach a computed value from the gradient."""
    value = node.value
    if isinstance(value, ast.BinOp | ast.Call) and not re.search(r"\.detach\(\)$|Parameter\(", ast.unparse(value)):
        yield altered(node, value=ast.Call(ast.Attribute(value, "detach", ast.Load()), [], []))


def altered(node: N, **fields: object) -> N:
    """Return a copy of a node with other fields."""
    other = copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def parsed(expression: str) -> ast.expr:
    """Return the node of an expression; for a negative number, that of its sign."""
    return ast.parse(expression, mode="eval").body


def name_of(function: ast.expr) -> str:
    """Return the last part of a dotted name: "sqrt" of `torch.sqrt`."""
    return ast.unparse(function).rpartition(".")[2]


RULES: tuple[Rule, ...] = (
    *(operator, operands, boolean, comparison, augmented, unary, constant, arguments, keywords, unwrapped, twin),
    *(condition, without_context, another_error, decorators, dropped, detached),
)
CHANGED: Mapping[Rule, Kinds] = {rule: get_type_hints(rule)["node"] for rule in RULES}  # the kinds of node that a rule changes
