"""Mechanical mutants of a reference: every small slip of the pen, made on its syntax tree, one at a time."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from normgrade.course.course import Exercise
from normgrade.course.table import Table, Wrong, text
from normgrade.language import _

ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "//": ["/"], "%": ["//"], "**": ["*"], "@": ["*"], "|": ["&"], "&": ["|"]}
COMPARISONS = {
    "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
    "is": ["is not"], "is not": ["is"], "in": ["not in"], "not in": ["in"],
}  # fmt: skip
BOOLEAN = {"and": ["or"], "or": ["and"]}
TWINS = {
    "mean": "sum", "sum": "mean", "var": "std", "std": "var", "sqrt": "rsqrt", "rsqrt": "sqrt", "square": "abs", "ones": "zeros",
    "zeros": "ones", "max": "min", "min": "max", "amax": "amin", "amin": "amax", "argmax": "argmin", "train": "eval", "mv": "mul",
    "register_buffer": "register_parameter", "xavier_normal_": "kaiming_normal_", "ones_": "zeros_", "zeros_": "ones_",
}  # fmt: skip
COMMUTATIVE = {"promote_types", "result_type", "maximum", "minimum", "max", "min"}
NOT_COMMUTATIVE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
OPERATIONS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.Lambda, ast.Await, ast.NamedExpr)
UNTOUCHED = (ast.Import, ast.ImportFrom, ast.JoinedStr)
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Delete, ast.Assert)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A reference with one change: the lines that were there, those in their place, and the whole source."""

    line: int
    was: str
    now: str
    source: str

    def __str__(self) -> str:
        return _("line {line}: `{was}` → `{now}`", line=self.line, was=self.was, now=self.now)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change that changes nothing that anybody could see, and why."""

    was: str
    now: str
    reason: str


@cache
def mutants_of(source: str) -> tuple[Mutant, ...]:
    """All mutants that are Python and another program than the source, in the order of its lines."""
    original = ast.dump(ast.parse(source))
    found: dict[str, Mutant] = {}
    for mutated in Mutations(source).all():
        try:
            differs = ast.dump(ast.parse(mutated)) != original
            compile(mutated, "mutant", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        if differs and mutated not in found:
            found[mutated] = described(source, mutated)
    return tuple(sorted(found.values(), key=lambda mutant: mutant.line))


def described(source: str, mutated: str) -> Mutant:
    """The change in whole lines, without their indentation."""
    old, new = source.splitlines(), mutated.splitlines()
    changes = [each for each in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal"]
    first, last = changes[0], changes[-1]
    start, end, begin, until = first[1], last[2], first[3], last[4]
    return Mutant(start + 1, in_one_line(old[start:end]), in_one_line(new[begin:until]), mutated)


def in_one_line(lines: list[str]) -> str:
    return " ".join(line.split("  #")[0].strip() for line in lines)


def read_accepted(exercise: Exercise) -> tuple[Accepted, ...]:
    """The changes that `equivalent.toml` accepts; none where there is no such file."""
    if not exercise.equivalent.exists():
        return ()
    table = Table.of_file(exercise.equivalent)
    accepted = []
    for entry in table.tables("mutant"):
        was, now = entry.take("change", two_texts)
        accepted.append(Accepted(was, now, entry.take("reason", text)))
        entry.finish()
    table.finish()
    return tuple(accepted)


def two_texts(value: object) -> tuple[str, str]:
    match value:
        case [str(old), str(new)]:
            return old, new
    raise Wrong(_('a pair of texts, ["what was there", "what is there now"]'))


def name_of(function: ast.expr) -> str:
    """The last part of a dotted name: "sqrt" of `torch.sqrt`."""
    return ast.unparse(function).rpartition(".")[2]


def stops_gradients(node: ast.AST) -> bool:
    """Whether nothing inside has a gradient."""
    match node:
        case ast.FunctionDef(decorator_list=around):
            return any("no_grad" in ast.unparse(decorator) for decorator in around)
        case ast.With(items):
            return any("no_grad" in ast.unparse(item) for item in items)
    return False


class Mutations:
    """Walks the tree of a source and yields changed sources; every change replaces one span of the text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self.statements = {node.value for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        self.without_gradient = {inner for node in ast.walk(self.tree) if stops_gradients(node) for inner in ast.walk(node)}
        sizes = [len(line) for line in source.splitlines(keepends=True)]
        self.starts = [sum(sizes[:number]) for number in range(len(sizes))]
        self.lines = source.splitlines(keepends=True)

    def all(self) -> Iterator[str]:
        for node in self.nodes(self.tree):
            for mutate in self.rules(node):
                yield from mutate(node)

    def nodes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Every node that can make a difference: neither annotations nor docstrings, and of what is raised its type alone."""
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params") or (isinstance(node, ast.Raise) and name == "exc"):
                continue
            for child in value if isinstance(value, list) else [value]:
                is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                negative = isinstance(node, ast.UnaryOp) and isinstance(child, ast.Constant)  # is one number
                if isinstance(child, ast.AST) and not (is_text or negative or isinstance(child, UNTOUCHED)):
                    yield from self.nodes(child)

    def rules(self, node: ast.AST) -> Iterator[Callable[..., Iterator[str]]]:
        """What may happen to a node of its kind."""
        match node:
            case ast.BinOp():
                yield self.operator
                yield self.operands
            case ast.AugAssign():
                yield self.augmented
            case ast.Compare() | ast.BoolOp():
                yield self.operator
            case ast.UnaryOp():
                yield self.unary
            case ast.Constant():
                yield self.constant
            case ast.Call():
                yield self.arguments
                if node not in self.statements:  # there it is as good as dropped
                    yield self.unwrapped
            case ast.Attribute():
                yield self.twin
            case ast.If() | ast.IfExp() | ast.While():
                yield self.condition
            case ast.With():
                yield self.without_context
            case ast.Raise():
                yield self.another_error
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield self.decorators
        if isinstance(node, SIMPLE):
            yield self.dropped
        if isinstance(node, ast.Assign | ast.Return | ast.AugAssign) and node not in self.without_gradient:
            yield self.detached

    # One rule each

    def operator(self, node: ast.BinOp | ast.Compare | ast.BoolOp) -> Iterator[str]:
        """Another operator between two operands."""
        match node:
            case ast.BinOp():
                parts, known = [node.left, node.right], ARITHMETIC
            case ast.Compare():
                parts, known = [node.left, *node.comparators], COMPARISONS
            case ast.BoolOp():
                parts, known = node.values, BOOLEAN
        for left, right in pairwise(parts):
            start, end = self.end(left), self.start(right)
            between = self.source[start:end]
            symbol = between.strip(" ()\n\\")
            for other in known.get(" ".join(symbol.split()), ()):
                yield self.replaced(start, end, between.replace(symbol, other))

    def operands(self, node: ast.BinOp) -> Iterator[str]:
        """The operands in the other order, where the order matters."""
        if isinstance(node.op, NOT_COMMUTATIVE):
            yield self.swapped(node.left, node.right)

    def augmented(self, node: ast.AugAssign) -> Iterator[str]:
        start, end = self.end(node.target), self.start(node.value)
        symbol = self.source[start:end].strip(" (=\n\\")
        for other in [*ARITHMETIC.get(symbol, ()), ""]:
            yield self.replaced(start, end, self.source[start:end].replace(symbol, other, 1))

    def unary(self, node: ast.UnaryOp) -> Iterator[str]:
        """A number one up and one down; any other sign, or `not`, left out."""
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                yield self.instead(node, str(1 - value))
                yield self.instead(node, str(-1 - value))
            case ast.UnaryOp(ast.USub() | ast.Not()):
                yield self.instead(node, self.grouped(node.operand))

    def constant(self, node: ast.Constant) -> Iterator[str]:
        match node.value:
            case bool():
                yield self.instead(node, str(not node.value))
            case int():
                yield self.instead(node, str(node.value + 1))
                yield self.instead(node, str(node.value - 1))
            case float():
                yield self.instead(node, repr(node.value * 2))
            case str():
                yield self.instead(node, repr(node.value + "_"))

    def arguments(self, node: ast.Call) -> Iterator[str]:
        """Two neighbours swapped, or a keyword argument left out."""
        for one, other in pairwise(node.args):
            if name_of(node.func) not in COMMUTATIVE:
                yield self.swapped(one, other)
        ends = [self.end(node.func) + 1, *map(self.end, node.args), *(self.end(keyword.value) for keyword in node.keywords)]
        for place, keyword in enumerate(node.keywords, len(node.args)):
            start, end = ends[place], self.end(keyword.value)
            if place == 0 and len(node.keywords) > 1:
                end = self.start(node.keywords[1])
            if isinstance(keyword.value, ast.Constant | ast.UnaryOp | ast.Name | ast.Attribute):
                yield self.replaced(start, end, "")

    def unwrapped(self, node: ast.Call) -> Iterator[str]:
        """The object without its method called, the argument without the function."""
        match node:
            case ast.Call(ast.Attribute(ast.Name("torch" | "nn" | "math" | "F" | "init")) | ast.Name(), [argument, *_]):
                if not isinstance(argument, ast.Starred):
                    yield self.instead(node, self.grouped(argument))
            case ast.Call(ast.Attribute(value)):
                yield self.instead(node, self.grouped(value))

    def twin(self, node: ast.Attribute) -> Iterator[str]:
        if node.attr in TWINS:
            yield self.replaced(self.end(node) - len(node.attr), self.end(node), TWINS[node.attr])

    def condition(self, node: ast.If | ast.IfExp | ast.While) -> Iterator[str]:
        yield self.instead(node.test, "False")
        if not isinstance(node, ast.While):
            yield self.instead(node.test, "True")

    def without_context(self, node: ast.With) -> Iterator[str]:
        yield self.replaced(self.start(node), self.end(node.items[-1].context_expr), "if True")

    def another_error(self, node: ast.Raise) -> Iterator[str]:
        match node.exc:
            case ast.Call(ast.Name(id) as name) if id != "RuntimeError":
                yield self.instead(name, "RuntimeError")

    def decorators(self, node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
        for decorator in node.decorator_list:
            first = self.starts[decorator.lineno - 1]
            yield self.replaced(first, self.end(decorator) + 1, "")

    def dropped(self, node: ast.stmt) -> Iterator[str]:
        yield self.instead(node, "pass")

    def detached(self, node: ast.Assign | ast.Return | ast.AugAssign) -> Iterator[str]:
        """What is computed, cut off from the gradient."""
        value = node.value
        if isinstance(value, ast.BinOp | ast.Call) and not re.search(r"\.detach\(\)$|Parameter\(", self.text(value)):
            yield self.instead(value, f"{self.grouped(value)}.detach()")

    # The text

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def offset(self, line: int, column_bytes: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column_bytes].decode())

    def text(self, node: ast.expr) -> str:
        return self.source[self.start(node) : self.end(node)]

    def grouped(self, node: ast.expr) -> str:
        """The text of an expression, in parentheses where another operator could tear it apart."""
        return f"({self.text(node)})" if isinstance(node, OPERATIONS) else self.text(node)

    def replaced(self, start: int, end: int, new: str) -> str:
        return self.source[:start] + new + self.source[end:]

    def instead(self, node: ast.expr | ast.stmt, new: str) -> str:
        return self.replaced(self.start(node), self.end(node), new)

    def swapped(self, one: ast.expr, other: ast.expr) -> str:
        between = self.source[self.end(one) : self.start(other)]
        return self.replaced(self.start(one), self.end(other), self.grouped(other) + between + self.grouped(one))
