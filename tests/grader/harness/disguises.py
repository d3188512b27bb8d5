"""Copies of a source that do the same and look different: other names, another order, more or fewer steps, code that does nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from types import MappingProxyType

SIMPLE = ast.Assign | ast.AugAssign | ast.AnnAssign
LAZY = ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.IfExp | ast.BoolOp  # parts of these are not carried out once, in order
NOTHING = """
def first_digits(self, value, other=3):
    total = 0
    for index in range(other):
        if index % 2 == 0 and value is not None:
            total += index * other
        else:
            total -= len(str(index))
    return [each for each in sorted(str(total)) if each.isdigit()]
"""
UNUSED = "unused = [3, 5][0] if 4 > 2 else None"


def disguised(source: str, *names: str) -> str:
    """Return the source in one disguise after another; each also takes its comments and its formatting away."""
    for name in names:
        source = ast.unparse(ast.fix_missing_locations(DISGUISES[name](ast.parse(source))))
    return source


def renamed(tree: ast.Module) -> ast.Module:
    """Give every variable, parameter and own attribute another name."""
    return Renaming(tree).visit(tree)  # type: ignore[no-any-return]


class Renaming(ast.NodeTransformer):
    def __init__(self, tree: ast.Module) -> None:
        nodes = [*ast.walk(tree)]
        variables = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        variables |= {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self"}
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
        self.variables = {name: f"v{number}" for number, name in enumerate(sorted(variables))}
        self.attributes = {name: f"a{number}" for number, name in enumerate(sorted(attributes))}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.variables.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.variables.get(node.arg, node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            node.attr = self.attributes.get(node.attr, node.attr)
        return node


def locals_renamed(tree: ast.Module) -> ast.Module:
    """Give every variable of a function another name. Parameters, attributes and names of the module stay."""
    nodes = [*ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    stored = {name for function in functions for name, context in names_in(function) if isinstance(context, ast.Store)}
    kept = {node.arg for node in nodes if isinstance(node, ast.arg)} | {name for each in nodes for name in not_local(each)}
    renaming = Renaming(ast.Module([], []))
    renaming.variables = {name: f"my_{name}" for name in stored if name not in kept and not name.startswith(".")}
    return renaming.visit(tree)  # type: ignore[no-any-return]


def not_local(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement makes known outside functions."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.Module | ast.ClassDef):
        yield from (name for each in node.body if isinstance(each, SIMPLE) for name in written(each))


def with_other_literals(tree: ast.Module) -> ast.Module:
    """Give every number another value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            node.value = node.value + 1
    return tree


def with_other_words(tree: ast.Module) -> ast.Module:
    """Take the type hints away, and put another docstring into every function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None:
                del node.body[0]
            node.body.insert(0, ast.Expr(ast.Constant("Say the same in other words.")))
    return tree


def reordered(tree: ast.Module) -> ast.Module:
    """Swap every two statements that do not depend on each other, and turn the order of the methods round."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            swap(node.body)
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            node.body = [*(each for each in node.body if each not in methods), *reversed(methods)]
    return tree


def methods_reordered(tree: ast.Module) -> ast.Module:
    """Turn the order of the methods without decorators round, after everything else in their class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.decorator_list]
            node.body = [*(each for each in node.body if each not in methods), *reversed(methods)]
    return tree


def swap(body: list[ast.stmt]) -> None:
    number = 0
    while number + 1 < len(body):
        first, second = body[number], body[number + 1]
        free = not (written(first) & (used(second) | written(second)) or written(second) & used(first))
        if isinstance(first, SIMPLE) and isinstance(second, SIMPLE) and free:
            body[number], body[number + 1] = second, first
            number += 1
        number += 1


def used(statement: ast.stmt) -> set[str]:
    return {name for name, _context in names_in(statement)}


def written(statement: ast.stmt) -> set[str]:
    return {name for name, context in names_in(statement) if isinstance(context, ast.Store)}


def names_in(statement: ast.stmt) -> Iterator[tuple[str, ast.expr_context]]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id, node.ctx
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}", node.ctx


def split(tree: ast.Module) -> ast.Module:
    """Give every intermediate result of an assignment or a return a name."""
    numbers = count(1)
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            if isinstance(block := getattr(node, field, None), list):
                block[:] = [each for statement in block for each in in_steps(statement, numbers)]
    return tree


def in_steps(statement: ast.stmt, numbers: Iterator[int]) -> Iterator[ast.stmt]:
    value = getattr(statement, "value", None)
    if isinstance(statement, SIMPLE | ast.Return) and value is not None and not any(isinstance(each, LAZY) for each in ast.walk(value)):
        yield from steps_of(value, numbers)
    yield statement


def steps_of(node: ast.expr, numbers: Iterator[int]) -> Iterator[ast.stmt]:
    """Yield the assignments of the operands of an expression, and put their names into it."""
    for owner, field in operands(node):
        operand = getattr(owner, field)
        if isinstance(operand, ast.Call | ast.BinOp):
            yield from steps_of(operand, numbers)
            name = f"step_{next(numbers)}"
            yield ast.Assign([ast.Name(name, ast.Store())], operand)
            setattr(owner, field, ast.Name(name, ast.Load()))


def operands(node: ast.expr) -> list[tuple[ast.expr, str]]:
    if isinstance(node, ast.BinOp):
        return [(node, "left"), (node, "right")]
    return [(node.func, "value")] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []


def joined(tree: ast.Module) -> ast.Module:
    """Put every intermediate result that is used once, in the next statement, into that statement."""
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        number = 0
        while number + 1 < len(function.body):
            if put_into_next(function, number):
                del function.body[number]
                number = max(0, number - 1)
            else:
                number += 1
    return tree


def put_into_next(function: ast.FunctionDef, number: int) -> bool:
    """Put the value of an assignment into the next statement if that alone uses it, once. Return True if that was done."""
    match function.body[number : number + 2]:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value), (ast.Assign() | ast.AugAssign() | ast.Return()) as following]:
            uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name]
            there = [node for node in ast.walk(following) if isinstance(node, ast.Name) and node.id == name]
            if len(uses) == 2 and len(there) == 1 and isinstance(there[0].ctx, ast.Load):
                Replacing(there[0], value).visit(following)
                return True
    return False


class Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.new if node is self.old else node


def with_dead_code(tree: ast.Module) -> ast.Module:
    """Add a function that nobody calls, and a variable to every other one."""
    for node in [*ast.walk(tree)]:
        if isinstance(node, ast.FunctionDef):
            node.body.insert(len(node.body) - 1, ast.parse(UNUSED).body[0])
    owner = next((node for node in tree.body if isinstance(node, ast.ClassDef)), tree)
    owner.body.append(ast.parse(NOTHING).body[0])
    return tree


DISGUISES: Mapping[str, Callable[[ast.Module], ast.Module]] = MappingProxyType(
    {
        "renamed": renamed,
        "other literals": with_other_literals,
        "other words": with_other_words,
        "reordered": reordered,
        "split": split,
        "joined": joined,
        "dead code": with_dead_code,
    }
)
TOGETHER = {
    "all, split": ("renamed", "other literals", "other words", "reordered", "dead code", "split"),
    "all, joined": ("renamed", "other literals", "other words", "reordered", "dead code", "joined"),
}
